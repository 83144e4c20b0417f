from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_words
from ffgrammar.core.intern cimport intern_count
from ffgrammar.core.owner cimport own_intern, own_vec, owner_free, owner_init, owner_status
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.parser.instances cimport find_instance
from ffgrammar.engine.parser.live_productions cimport completes, nullable_nonterminals, sort_by_head
from ffgrammar.engine.parser.tables cimport END, I_BITS, NONE, NONTERMINAL, NUMBER, T_BODY
from ffgrammar.engine.values.trace cimport CHECK_NEW_KEY, CHECK_REPEATED, CHECK_UNIQUE
from ffgrammar.grammar.ir cimport Lexeme
from ffgrammar.grammar.productions cimport Productions
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.store cimport ExprStore
from ffgrammar.regex.expr.nodes cimport nullable

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.derives import usable_terminals
from ffgrammar.grammar.productive import productive
from ffgrammar.regex.expr.store import EMPTY

# The kinds of checks as bits, by their names in ir.CHECKS.
CHECK_BITS = {"unique": CHECK_UNIQUE, "repeated": CHECK_REPEATED, "new key": CHECK_NEW_KEY}


cdef inline int push(Vec* v, uint32_t word) except -1:
    if vec_push(v, word) < 0:
        raise MemoryError
    return 0


cdef inline uint32_t or_none(value) except? 0:
    return <uint32_t>NONE if value is None else <uint32_t>value


cdef class RuleTables:
    """The tables of an `ir.GrammarIR`.

    Raises:
        GrammarError: the grammar matches nothing.
        LimitError: a bound of the expressions was reached.
        MemoryError: there is no memory.
    """

    def __cinit__(self, grammar):
        cdef Rules* rules = &self.rules
        owner_init(&rules.owner)
        own_vec(&rules.owner, &rules.symbols)
        own_vec(&rules.owner, &rules.bodies)
        own_vec(&rules.owner, &rules.starts)
        own_vec(&rules.owner, &rules.ends)
        own_vec(&rules.owner, &rules.nullable)
        own_vec(&rules.owner, &rules.templates)
        own_vec(&rules.owner, &rules.template_list)
        own_vec(&rules.owner, &rules.template_starts)
        own_vec(&rules.owner, &rules.changes)
        own_vec(&rules.owner, &rules.beside)
        own_vec(&rules.owner, &rules.guarded)
        own_vec(&rules.owner, &rules.tails)
        own_vec(&rules.owner, &rules.instance)
        own_vec(&rules.owner, &rules.exprs)
        own_vec(&rules.owner, &rules.skips)
        own_vec(&rules.owner, &rules.is_skip)
        own_vec(&rules.owner, &rules.skip_bits)
        own_vec(&rules.owner, &rules.separates)
        own_vec(&rules.owner, &rules.delimited)
        own_vec(&rules.owner, &rules.next_first)
        own_vec(&rules.owner, &rules.previous_going_on)
        own_vec(&rules.owner, &rules.check)
        own_vec(&rules.owner, &rules.opens)
        own_vec(&rules.owner, &rules.closes)
        own_vec(&rules.owner, &rules.token_classes)
        own_intern(&rules.owner, &rules.instances)
        if owner_status(&rules.owner) < 0:
            raise MemoryError
        self.lower_productions(grammar, self.lower_lexemes(grammar))
        self.lower_skips(grammar)
        self.lower_tokens(grammar)
        self.lower_groups(grammar)

    def __dealloc__(self):
        owner_free(&self.rules.owner)

    def __len__(self) -> int:
        return self.rules.bodies.len

    cdef dict lower_lexemes(self, grammar):
        """Fill what is kept by lexeme, and `skips`.

        In the tables no lexeme matches the empty text, because the lexer would not advance. If a lexeme of the grammar matches
        the empty text, this text is taken out of its expression. In productions, a nonterminal that stands for "this lexeme or
        nothing" then takes the place of the lexeme, unless the lexeme is a skip. Returns these nonterminals by lexeme.
        """
        cdef dict optional = {}
        cdef ExprStore store = grammar.store
        cdef tuple checks = grammar.checks
        cdef dict closing = {store.literal(b"]"): 0x5D, store.literal(b"}"): 0x7D} if checks else {}
        cdef uint32_t expr
        cdef uint32_t number = 0
        cdef bint skip
        cdef Lexeme lexeme
        self.rules.has_checks = bool(checks)
        for lexeme in <tuple>grammar.lexemes:
            expr, skip, check = lexeme.expr, lexeme.skip, lexeme.check
            if nullable(&store.nodes, expr):
                expr = store.intersect([expr, store.complement(EMPTY)])
                if not skip:
                    optional[number] = len(grammar.names) + len(optional)
            push(&self.rules.exprs, expr)
            push(&self.rules.is_skip, skip)
            push(&self.rules.check, 0 if check is None else CHECK_BITS[checks[check]])
            push(&self.rules.opens, 0 if not lexeme.opens else c'{' if store.matches(expr, b"{") else c'[')
            push(&self.rules.closes, closing.get(expr, 0) if check is None else 0)
            if skip and store.checked(matches_something(&store.nodes, expr)):
                push(&self.rules.skips, number)
            number += 1
        return optional

    cdef int lower_skips(self, grammar) except -1:
        """Fill `skip_bits` and `first_word`."""
        cdef uint32_t number = 0
        cdef uint32_t i
        self.rules.first_word = <uint32_t>len(grammar.lexemes) - <uint32_t>grammar.words
        for numbers in grammar.skips_in:
            bits = 0
            for i in range(self.rules.skips.len):
                bits |= (self.rules.skips.data[i] in numbers) << i
            push(&self.rules.skip_bits, bits)
            number += 1
        if number and vec_fill(&self.rules.skip_bits, self.rules.plain - number, 0) < 0:
            raise MemoryError
        return 0

    cdef int lower_tokens(self, grammar) except -1:
        """Fill `token_classes`: special tokens that are the same lexemes make a class."""
        cdef dict lexemes = {}
        cdef dict classes = {}
        cdef Lexeme lexeme
        for number, lexeme in enumerate(<tuple>grammar.lexemes):
            for token in lexeme.tokens:
                lexemes.setdefault(token, []).append(number)
        for token in sorted(lexemes):
            classes.setdefault(tuple(lexemes[token]), []).append(token)
        for numbers, tokens in classes.items():
            for words in (numbers, tokens):
                push(&self.rules.token_classes, len(words))
                for word in words:
                    push(&self.rules.token_classes, word)
        return 0

    cdef int lower_groups(self, grammar) except -1:
        """Fill what is kept by group, and `separates`."""
        cdef tuple groups = grammar.groups
        cdef uint32_t number
        cdef size_t i
        if vec_fill(&self.rules.separates, self.rules.exprs.len, 0) < 0:
            raise MemoryError
        if not groups and not has_groups(grammar.lexemes):
            push(&self.rules.delimited, grammar.delimited)
            if vec_fill(&self.rules.next_first, 8, 0) < 0 or vec_fill(&self.rules.previous_going_on, 8, 0) < 0:
                raise MemoryError
            if not grammar.single_skip:
                for i in range(self.rules.skips.len):
                    self.rules.separates.data[self.rules.skips.data[i]] = 1
        for group in groups:
            push(&self.rules.delimited, group.delimited)
            for i in range(8):
                push(&self.rules.next_first, group.next_first >> 32 * i & 0xFFFFFFFF)
                push(&self.rules.previous_going_on, group.previous_going_on >> 32 * i & 0xFFFFFFFF)
            for number in group.skips:
                self.rules.separates.data[number] = 1
        return 0

    cdef int lower_productions(self, grammar, dict optional) except -1:
        """Fill all other tables; `optional` is what lower_lexemes has returned."""
        cdef uint32_t plain = len(grammar.names) + len(optional)
        cdef dict numbers = {2 * number: <uint32_t>NONTERMINAL | nonterminal for number, nonterminal in optional.items()}
        cdef bytearray usable = usable_terminals(grammar)
        cdef bytearray alive = productive(grammar, usable)
        cdef list templates = []
        if not alive[grammar.start >> 1]:
            raise GrammarError("the grammar matches nothing: no text can complete its start rule")
        cdef dict changes = self.changes(grammar, plain)
        self.rules.plain = plain + len(changes)
        for number, family in enumerate(grammar.parametric):
            # where a plain production names a parametric nonterminal, it means the instance of parameter zero
            numbers[2 * family.number + 1] = <uint32_t>NONTERMINAL | self.rules.plain + number
        self.lower_plain(grammar, numbers, alive, usable, nullable_nonterminals(grammar, optional))
        self.lower_optional(grammar, optional)
        self.lower_changes(len(changes))
        for number, template in enumerate(grammar.templates):
            if completes(template.rhs, alive, usable) and (template.again is None or alive[template.again]):
                body = [lowered(symbol, numbers) for symbol in template.rhs]
                templates.append((template, body, changes.get(number)))
        self.rules.start = lowered(grammar.start, numbers) & NUMBER
        return self.lower_templates(grammar, templates)

    cdef dict changes(self, grammar, size_t first):
        cdef set joined = {family.number for family in grammar.parametric if family.joined}
        if not joined:
            return {}
        leading = [number for number, template in enumerate(grammar.templates) if template.again in joined]
        return {number: first + i for i, number in enumerate(leading)}

    cdef int lower_changes(self, size_t count) except -1:
        cdef Rules* rules = &self.rules
        for _ in range(count):
            push(&rules.starts, <uint32_t>rules.bodies.len)
            push(&rules.ends, <uint32_t>rules.bodies.len)
            push(&rules.nullable, False)
        if count and vec_fill(&rules.changes, rules.plain, 0xFF) < 0:
            raise MemoryError
        return 0

    cdef int lower_plain(self, grammar, dict numbers, bytearray alive, bytearray usable, bytearray empty) except -1:
        """Fill the productions of the grammar's own nonterminals."""
        cdef Productions productions = grammar.productions
        cdef Rules* rules = &self.rules
        cdef uint32_t names = len(grammar.names)
        cdef uint32_t head, at, i, k
        cdef Vec order, first
        vec_init(&order)
        vec_init(&first)
        try:
            if sort_by_head(productions, names, alive, usable, &order, &first) < 0:
                raise MemoryError
            for head in range(names):
                push(&rules.starts, <uint32_t>rules.bodies.len)
                push(&rules.nullable, empty[head])
                for k in range(first.data[head], first.data[head + 1]):
                    at = order.data[k]
                    push(&rules.bodies, <uint32_t>rules.symbols.len)
                    for i in range(productions.starts.data[at], productions.starts.data[at + 1]):
                        push(&rules.symbols, lowered(productions.symbols.data[i], numbers))
                    push(&rules.symbols, <uint32_t>END | head)
                push(&rules.ends, <uint32_t>rules.bodies.len)
        finally:
            vec_free(&order)
            vec_free(&first)
        return 0

    cdef int lower_optional(self, grammar, dict optional) except -1:
        """Fill the productions of the nonterminals that stand for a lexeme or nothing."""
        cdef Rules* rules = &self.rules
        cdef uint32_t lexeme, head
        for lexeme, head in optional.items():
            push(&rules.starts, <uint32_t>rules.bodies.len)
            push(&rules.nullable, True)
            push(&rules.bodies, <uint32_t>rules.symbols.len)
            push(&rules.symbols, <uint32_t>END | head)
            if not grammar.store.is_nothing(rules.exprs.data[lexeme]):
                push(&rules.bodies, <uint32_t>rules.symbols.len)
                push(&rules.symbols, lexeme)
                push(&rules.symbols, <uint32_t>END | head)
            push(&rules.ends, <uint32_t>rules.bodies.len)
        return 0

    cdef int lower_templates(self, grammar, list templates) except -1:
        cdef Rules* rules = &self.rules
        cdef dict words = {family.number: bit_words(family.bits) for family in grammar.parametric}
        cdef dict by_head = {}
        cdef uint32_t offset
        rules.caps[0] = rules.caps[1] = 0
        if not templates:
            if vec_fill(&rules.template_starts, rules.plain + 1, 0) < 0:
                raise MemoryError
            return self.lower_instances(grammar, words)
        for template, body, change in templates:
            by_head.setdefault(template.head, []).append(<uint32_t>rules.templates.len)
            if change is not None:
                rules.changes.data[<uint32_t>change] = <uint32_t>rules.templates.len
            self.lower_template(template, body, change, words)
        for head in range(rules.plain):
            push(&rules.template_starts, <uint32_t>rules.template_list.len)
            for offset in by_head.get(head, ()):
                push(&rules.template_list, offset)
        push(&rules.template_starts, <uint32_t>rules.template_list.len)
        return self.lower_instances(grammar, words)

    cdef int lower_template(self, template, list body, change, dict words) except -1:
        cdef Rules* rules = &self.rules
        cdef uint32_t at = <uint32_t>rules.templates.len + T_BODY + len(body)
        cdef uint32_t count = words[template.head]
        cdef uint32_t distance = template.settled[1] >> 5
        cdef tuple bit_sets = ((template.need, count), (template.sets, count), (template.settled[0], distance))
        cdef int i
        push(&rules.templates, or_none(template.again))
        push(&rules.templates, or_none(change))
        push(&rules.templates, or_none(template.bit))
        for bits, length in bit_sets:
            push(&rules.templates, or_none(at if bits else None))
            at += length if bits else 0
        push(&rules.templates, or_none(at if template.guards else None))
        push(&rules.templates, distance)
        for lowest, _ in template.counts:
            push(&rules.templates, lowest)
        for _, highest in template.counts:
            push(&rules.templates, or_none(highest))
        for more in template.add:
            push(&rules.templates, more)
        push(&rules.templates, len(body))
        for symbol in body:
            push(&rules.templates, symbol)
        for bits, length in bit_sets:
            for i in range(length if bits else 0):
                push(&rules.templates, bits >> 32 * i & 0xFFFFFFFF)
        if template.beside is not None:
            if rules.beside.len == 0 and vec_fill(&rules.beside, rules.exprs.len, 0xFF) < 0:
                raise MemoryError
            rules.beside.data[<uint32_t>template.last_lexeme()] = template.beside
        if template.guards:
            push(&rules.templates, len(template.guards))
            for guard in template.guards:
                for word in (guard.bit, guard.inside, guard.lexeme):
                    push(&rules.templates, word)
        for i in range(2):
            # a counter stops one above the highest bound, because no condition changes from there on
            for bound in template.counts[i]:
                if bound is not None and bound + 1 > rules.caps[i]:
                    rules.caps[i] = bound + 1
        return 0

    cdef int lower_instances(self, grammar, dict words) except -1:
        """Make the instances of parameter zero, and note how long `symbols`, `bodies` and `instances` are now."""
        cdef Rules* rules = &self.rules
        cdef uint32_t nonterminal
        for family in grammar.parametric:
            rules.instance.len = 0
            push(&rules.instance, family.number)
            for _ in range(I_BITS - 1 + words[family.number]):
                push(&rules.instance, 0)
            if find_instance(rules, &nonterminal) < 0:
                raise MemoryError
        rules.kept_symbols = <uint32_t>rules.symbols.len
        rules.kept_bodies = <uint32_t>rules.bodies.len
        rules.kept_instances = intern_count(&rules.instances)
        return 0


cdef bint has_groups(tuple lexemes):
    """Whether some lexemes have groups or end anywhere."""
    cdef Lexeme lexeme
    for lexeme in lexemes:
        if lexeme.anywhere or lexeme.group != 0:
            return True
    return False


cdef uint32_t lowered(uint32_t symbol, dict numbers) except? 0:
    """A symbol of the grammar as a symbol of the tables."""
    if numbers:
        found = numbers.get(symbol)
        if found is not None:
            return found
    return <uint32_t>NONTERMINAL | (symbol >> 1) if symbol & 1 else symbol >> 1
