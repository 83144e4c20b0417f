"""Lowers a grammar to dot positions: useless productions go, lexemes that match the empty text become optional."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_push

from ffgrammar.core.errors import GrammarError
from ffgrammar.regex.expr import EMPTY

# the flags of rules.pxd as Python ints
cdef object NONTERMINAL_BIT = 0x40000000
cdef object END_BIT = 0x80000000


cdef inline int push(Vec* v, uint32_t word) except -1:
    if vec_push(v, word) < 0:
        raise MemoryError
    return 0


cdef class RuleTables:
    """Flat tables of an `ir.Grammar`.

    Raises:
        GrammarError: the grammar matches nothing.
    """

    def __cinit__(self, grammar):
        cdef list productions
        cdef uint32_t nonterminals = len(grammar.names) + len(grammar.lexemes)
        vec_init(&self.rules.symbols)
        vec_init(&self.rules.bodies)
        vec_init(&self.rules.starts)
        vec_init(&self.rules.nullable)
        vec_init(&self.rules.exprs)
        vec_init(&self.rules.skips)
        vec_init(&self.rules.is_skip)
        productions = [
            (head, [symbol >> 1 | NONTERMINAL_BIT if symbol & 1 else symbol >> 1 for symbol in body])
            for head, body in grammar.productions
        ]
        self.rules.start = grammar.start >> 1
        self.lower_lexemes(grammar, productions)
        self.lay_out(productions, nonterminals)

    def __dealloc__(self):
        vec_free(&self.rules.symbols)
        vec_free(&self.rules.bodies)
        vec_free(&self.rules.starts)
        vec_free(&self.rules.nullable)
        vec_free(&self.rules.exprs)
        vec_free(&self.rules.skips)
        vec_free(&self.rules.is_skip)

    def __len__(self) -> int:
        return self.rules.bodies.len

    cdef int lower_lexemes(self, grammar, list productions) except -1:
        """Fill exprs and skips. A lexeme never matches the empty text, or the lexer would not advance: where the grammar
        means "this or nothing", nonterminal (names + lexeme) says so."""
        cdef dict optional = {}
        cdef set dead = set()
        store = grammar.store
        for number, lexeme in enumerate(grammar.lexemes):
            expr = lexeme.expr
            if store.is_nullable(expr):
                expr = store.intersect([expr, store.complement(EMPTY)])
                if not lexeme.skip:
                    optional[number] = NONTERMINAL_BIT | (len(grammar.names) + number)
            push(&self.rules.exprs, expr)
            push(&self.rules.is_skip, lexeme.skip)
            if store.is_nothing(expr):
                dead.add(number)
            elif lexeme.skip:
                push(&self.rules.skips, number)
        if optional:
            for _, body in productions:
                body[:] = [optional.get(symbol, symbol) for symbol in body]
            for number, symbol in optional.items():
                productions.append((symbol ^ NONTERMINAL_BIT, [number]))
                productions.append((symbol ^ NONTERMINAL_BIT, []))
        if dead:
            productions[:] = [production for production in productions if dead.isdisjoint(production[1])]
        return 0

    cdef int lay_out(self, list productions, uint32_t nonterminals) except -1:
        cdef list productive = derivable(productions, nonterminals, True)
        cdef list empty = derivable(productions, nonterminals, False)
        cdef list by_head = [None] * nonterminals
        if not productive[self.rules.start]:
            raise GrammarError("the grammar matches nothing: no text can complete its start rule")
        for head, body in productions:
            for symbol in body:
                if symbol & NONTERMINAL and not productive[symbol & NUMBER]:
                    break
            else:
                if by_head[head] is None:
                    by_head[head] = []
                by_head[head].append(body)
        for head in range(nonterminals):
            push(&self.rules.starts, <uint32_t>self.rules.bodies.len)
            push(&self.rules.nullable, empty[head])
            for body in by_head[head] or ():
                push(&self.rules.bodies, <uint32_t>self.rules.symbols.len)
                for symbol in body:
                    push(&self.rules.symbols, symbol)
                push(&self.rules.symbols, <uint32_t>END | <uint32_t>head)
        push(&self.rules.starts, <uint32_t>self.rules.bodies.len)
        return 0


cdef list derivable(list productions, uint32_t nonterminals, bint from_terminals):
    """Which nonterminals derive a text (from_terminals), or the empty text; linear in the size of the productions."""
    cdef list known = [False] * nonterminals
    cdef list users = [None] * nonterminals
    cdef list missing = []
    cdef list ready = []
    for number, (head, body) in enumerate(productions):
        count = 0
        for symbol in body:
            if symbol & NONTERMINAL:
                if users[symbol & NUMBER] is None:
                    users[symbol & NUMBER] = []
                users[symbol & NUMBER].append(number)
                count += 1
            elif not from_terminals:
                count = -1
                break
        # a body that can never be empty keeps a count that no completion brings to zero
        missing.append(count if count >= 0 else 1 << 40)
        if count == 0:
            ready.append(head)
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
