"""Lowers a grammar to dot positions; productions that no text can complete are left out."""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_count, intern_free, intern_init
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.parser.instances cimport find_instance
from ffgrammar.engine.values.trace cimport CHECK_NEW_KEY, CHECK_REPEATED, CHECK_UNIQUE
from ffgrammar.grammar.productions cimport Productions
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.store cimport ExprStore
from ffgrammar.regex.expr.nodes cimport nullable

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.derives import derives
from ffgrammar.grammar.productive import productive, usable_terminals
from ffgrammar.regex.expr.store import EMPTY

# by the names of ir.CHECKS
CHECK_BITS = {"unique": CHECK_UNIQUE, "repeated": CHECK_REPEATED, "new key": CHECK_NEW_KEY}


cdef inline int push(Vec* v, uint32_t word) except -1:
    if vec_push(v, word) < 0:
        raise MemoryError
    return 0


cdef inline uint32_t or_none(value) except? 0:
    return <uint32_t>NONE if value is None else <uint32_t>value


cdef class RuleTables:
    """Flat tables of an `ir.GrammarIR`.

    Raises:
        GrammarError: the grammar matches nothing.
    """

    def __cinit__(self, grammar):
        vec_init(&self.rules.symbols)
        vec_init(&self.rules.bodies)
        vec_init(&self.rules.starts)
        vec_init(&self.rules.ends)
        vec_init(&self.rules.templates)
        vec_init(&self.rules.template_list)
        vec_init(&self.rules.template_starts)
        vec_init(&self.rules.instance)
        if intern_init(&self.rules.instances) < 0:
            raise MemoryError
        vec_init(&self.rules.nullable)
        vec_init(&self.rules.exprs)
        vec_init(&self.rules.skips)
        vec_init(&self.rules.is_skip)
        vec_init(&self.rules.check)
        vec_init(&self.rules.opens)
        vec_init(&self.rules.closes)
        self.lay_out(grammar, self.lower_lexemes(grammar))

    def __dealloc__(self):
        vec_free(&self.rules.symbols)
        vec_free(&self.rules.bodies)
        vec_free(&self.rules.starts)
        vec_free(&self.rules.ends)
        vec_free(&self.rules.templates)
        vec_free(&self.rules.template_list)
        vec_free(&self.rules.template_starts)
        vec_free(&self.rules.instance)
        intern_free(&self.rules.instances)
        vec_free(&self.rules.nullable)
        vec_free(&self.rules.exprs)
        vec_free(&self.rules.skips)
        vec_free(&self.rules.is_skip)
        vec_free(&self.rules.check)
        vec_free(&self.rules.opens)
        vec_free(&self.rules.closes)

    def __len__(self) -> int:
        return self.rules.bodies.len

    cdef dict lower_lexemes(self, grammar):
        """Fill what is kept by lexeme, and skips. A lexeme never matches the empty text, or the lexer would not advance; where
        its expression does, a nonterminal stands for it that says "this or nothing". Returns these, by lexeme."""
        cdef dict optional = {}
        cdef ExprStore store = grammar.store
        cdef tuple checks = grammar.checks
        cdef dict closing = {store.literal(b"]"): 0x5D, store.literal(b"}"): 0x7D} if checks else {}
        cdef uint32_t expr
        cdef uint32_t number = 0
        cdef bint skip
        self.rules.has_checks = bool(checks)
        for lexeme in <tuple>grammar.lexemes:
            expr, _, _, skip, check, opens = <tuple>lexeme
            if nullable(&store.nodes, expr):
                expr = store.intersect([expr, store.complement(EMPTY)])
                if not skip:
                    optional[number] = len(grammar.names) + len(optional)
            push(&self.rules.exprs, expr)
            push(&self.rules.is_skip, skip)
            push(&self.rules.check, 0 if check is None else CHECK_BITS[checks[check]])
            push(&self.rules.opens, 0 if not opens else c'{' if store.matches(expr, b"{") else c'[')
            push(&self.rules.closes, closing.get(expr, 0) if check is None else 0)
            if skip and store.checked(matches_something(&store.nodes, expr)):
                push(&self.rules.skips, number)
            number += 1
        return optional

    cdef int lay_out(self, grammar, dict optional) except -1:
        """Fill everything else; what no text can complete is left out."""
        cdef uint32_t names = len(grammar.names)
        cdef uint32_t plain = names + len(optional)
        cdef dict numbers = {2 * number: <uint32_t>NONTERMINAL | nonterminal for number, nonterminal in optional.items()}
        cdef bytearray usable = usable_terminals(grammar)
        cdef bytearray alive = productive(grammar, usable)
        cdef bytearray empty = nullable_nonterminals(grammar, optional)
        cdef list lexeme_of = list(optional)
        cdef list templates = []
        cdef Productions productions = grammar.productions
        cdef Vec order, first
        cdef uint32_t head, at, i, k
        if not alive[grammar.start >> 1]:
            raise GrammarError("the grammar matches nothing: no text can complete its start rule")
        self.rules.plain = plain
        for number, family in enumerate(grammar.parametric):
            # a parametric nonterminal stands for its instance of parameter zero wherever a production names it
            numbers[2 * family.number + 1] = <uint32_t>NONTERMINAL | plain + number
        vec_init(&order)
        vec_init(&first)
        try:
            if sort_by_head(productions, names, alive, usable, &order, &first) < 0:
                raise MemoryError
            for head in range(names):
                push(&self.rules.starts, <uint32_t>self.rules.bodies.len)
                push(&self.rules.nullable, empty[head])
                for k in range(first.data[head], first.data[head + 1]):
                    at = order.data[k]
                    push(&self.rules.bodies, <uint32_t>self.rules.symbols.len)
                    for i in range(productions.starts.data[at], productions.starts.data[at + 1]):
                        push(&self.rules.symbols, lowered(productions.symbols.data[i], numbers))
                    push(&self.rules.symbols, <uint32_t>END | head)
                push(&self.rules.ends, <uint32_t>self.rules.bodies.len)
        finally:
            vec_free(&order)
            vec_free(&first)
        for head in range(names, plain):
            # one that stands for a lexeme or nothing
            at = lexeme_of[head - names]
            push(&self.rules.starts, <uint32_t>self.rules.bodies.len)
            push(&self.rules.nullable, True)
            push(&self.rules.bodies, <uint32_t>self.rules.symbols.len)
            push(&self.rules.symbols, <uint32_t>END | head)
            if not grammar.store.is_nothing(self.rules.exprs.data[at]):
                push(&self.rules.bodies, <uint32_t>self.rules.symbols.len)
                push(&self.rules.symbols, at)
                push(&self.rules.symbols, <uint32_t>END | head)
            push(&self.rules.ends, <uint32_t>self.rules.bodies.len)
        for template in grammar.templates:
            if completes(template.rhs, alive, usable) and (template.again is None or alive[template.again]):
                templates.append((template, [lowered(symbol, numbers) for symbol in template.rhs]))
        self.rules.start = lowered(grammar.start, numbers) & NUMBER
        return self.lower_templates(grammar, templates)

    cdef int lower_templates(self, grammar, list templates) except -1:
        """Fill the templates, and make the instances that plain productions name."""
        cdef dict words = {family.number: (family.bits + 31) >> 5 for family in grammar.parametric}
        cdef dict by_head = {}
        cdef uint32_t offset, nonterminal
        cdef int i
        self.rules.caps[0] = self.rules.caps[1] = 0
        for template, body in templates:
            offset = <uint32_t>self.rules.templates.len
            by_head.setdefault(template.head, []).append(offset)
            push(&self.rules.templates, or_none(template.again))
            push(&self.rules.templates, or_none(template.bit))
            push(&self.rules.templates, or_none(offset + T_BODY + len(body) if template.need else None))
            for lowest, _ in template.counts:
                push(&self.rules.templates, lowest)
            for _, highest in template.counts:
                push(&self.rules.templates, or_none(highest))
            for more in template.add:
                push(&self.rules.templates, more)
            push(&self.rules.templates, len(body))
            for symbol in body:
                push(&self.rules.templates, symbol)
            if template.need:
                for i in range(words[template.head]):
                    push(&self.rules.templates, template.need >> 32 * i & 0xFFFFFFFF)
            for i in range(2):
                # one past every bound: from there on no condition changes
                for bound in template.counts[i]:
                    if bound is not None and bound + 1 > self.rules.caps[i]:
                        self.rules.caps[i] = bound + 1
        for head in range(self.rules.plain):
            push(&self.rules.template_starts, <uint32_t>self.rules.template_list.len)
            for offset in by_head.get(head, ()):
                push(&self.rules.template_list, offset)
        push(&self.rules.template_starts, <uint32_t>self.rules.template_list.len)
        for family in grammar.parametric:
            self.rules.instance.len = 0
            push(&self.rules.instance, family.number)
            for _ in range(I_BITS - 1 + words[family.number]):
                push(&self.rules.instance, 0)
            if find_instance(&self.rules, &nonterminal) < 0:
                raise MemoryError
        self.rules.kept_symbols = <uint32_t>self.rules.symbols.len
        self.rules.kept_bodies = <uint32_t>self.rules.bodies.len
        self.rules.kept_instances = intern_count(&self.rules.instances)
        return 0


cdef uint32_t lowered(uint32_t symbol, dict numbers) except? 0:
    """A symbol of the grammar as a symbol of the tables."""
    if numbers:
        found = numbers.get(symbol)
        if found is not None:
            return found
    return <uint32_t>NONTERMINAL | (symbol >> 1) if symbol & 1 else symbol >> 1


cdef int sort_by_head(
    Productions productions, uint32_t names, const char* alive, const char* usable, Vec* order, Vec* first,
) noexcept nogil:
    """The productions that a text can complete, by nonterminal: those of one begin where `first` says."""
    cdef size_t i
    cdef uint32_t head, at
    if vec_fill(first, names + 2, 0) < 0 or vec_fill(order, productions.heads.len, 0) < 0:
        return -1
    for i in range(productions.heads.len):
        if body_completes(productions, i, alive, usable):
            first.data[productions.heads.data[i] + 2] += 1
    for i in range(2, names + 2):
        first.data[i] += first.data[i - 1]
    for i in range(productions.heads.len):
        if body_completes(productions, i, alive, usable):
            head = productions.heads.data[i]
            at = first.data[head + 1]
            order.data[at] = <uint32_t>i
            first.data[head + 1] = at + 1
    return 0


cdef inline bint body_completes(Productions productions, size_t i, const char* alive, const char* usable) noexcept nogil:
    """Whether every symbol of a body derives a text. (One that does not would still let the lexer run on the others.)"""
    cdef uint32_t at, symbol
    for at in range(productions.starts.data[i], productions.starts.data[i + 1]):
        symbol = productions.symbols.data[at]
        if not (alive if symbol & 1 else usable)[symbol >> 1]:
            return False
    return True


cdef bint completes(tuple body, bytearray alive, bytearray usable):
    """The same of the body of a template."""
    cdef uint32_t symbol
    for symbol in body:
        if not (alive if symbol & 1 else usable)[symbol >> 1]:
            return False
    return True


cdef bytearray nullable_nonterminals(grammar, dict optional):
    """Per nonterminal of the grammar, whether it derives the empty text."""
    cdef Productions productions = grammar.productions
    cdef bytearray usable = bytearray(len(grammar.lexemes))
    for number in optional:
        usable[number] = 1
    if grammar.templates:
        productions = Productions(productions)
        for template in grammar.templates:
            if template.again is None and not template.need and not any([lowest for lowest, _ in template.counts]):
                productions.append(template.head, template.rhs)
    return derives(productions, len(grammar.names), usable)
