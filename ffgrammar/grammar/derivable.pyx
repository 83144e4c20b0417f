"""Which nonterminals of a grammar derive something: some text at all, or the empty text. Linear in the grammar's size."""


def productive(grammar) -> list:
    """Per nonterminal of an `ir.Grammar`, whether it derives some text: a list of bool.

    A template that ends a production and needs bits can be reached only if each of these bits can be set.
    """
    cdef dict setters = {}
    cdef list productions = list(grammar.productions)
    cdef list ends = []
    cdef set dead = {2 * number for number, lexeme in enumerate(grammar.lexemes) if grammar.store.is_nothing(lexeme.expr)}
    for template in grammar.templates:
        body = template.rhs if template.again is None else (*template.rhs, 2 * template.again + 1)
        if template.bit is not None:
            # a nonterminal that says: this bit can be set
            setter = setters.setdefault((template.again, template.bit), len(grammar.names) + len(setters))
            productions.append((setter, template.rhs))
        if template.need:
            ends.append((template, body))
        else:
            productions.append((template.head, body))
    for template, body in ends:
        bits = [bit for bit in range(template.need.bit_length()) if template.need >> bit & 1]
        if all([(template.head, bit) in setters for bit in bits]):
            productions.append((template.head, (*body, *[2 * setters[template.head, bit] + 1 for bit in bits])))
    if dead:
        productions = [production for production in productions if dead.isdisjoint(production[1])]
    return derivable(productions, len(grammar.names) + len(setters), True)[:len(grammar.names)]


def derivable(list productions, Py_ssize_t nonterminals, bint from_terminals) -> list:
    """Which nonterminals derive a text (from_terminals), or the empty text.

    Args:
        productions: (nonterminal number, symbols); symbol 2n+1 is nonterminal n, an even one is a terminal.
    """
    cdef list known = [False] * nonterminals
    cdef list users = [None] * nonterminals
    cdef list missing = []
    cdef list ready = []
    cdef Py_ssize_t number = 0
    cdef Py_ssize_t count
    cdef long long symbol
    for head, body in productions:
        count = 0
        for symbol in body:
            if symbol & 1:
                if users[symbol >> 1] is None:
                    users[symbol >> 1] = []
                users[symbol >> 1].append(number)
                count += 1
            elif not from_terminals:
                # a count that no completion brings to zero
                count = 1 << 40
                break
        missing.append(count)
        if count == 0:
            ready.append(head)
        number += 1
    while ready:
        head = ready.pop()
        if known[head]:
            continue
        known[head] = True
        for number in users[head] or ():
            missing[number] -= 1
            if missing[number] == 0:
                ready.append(productions[number][0])
    return known
