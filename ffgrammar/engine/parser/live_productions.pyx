from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec, vec_fill
from ffgrammar.grammar.productions cimport Productions

from ffgrammar.grammar.derives import derives


cdef int sort_by_head(
    Productions productions, uint32_t names, const char* alive, const char* usable, Vec* order, Vec* first,
) noexcept nogil:
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
    """Whether every symbol of a production derives some text."""
    cdef uint32_t at, symbol
    for at in range(productions.starts.data[i], productions.starts.data[i + 1]):
        symbol = productions.symbols.data[at]
        if not (alive if symbol & 1 else usable)[symbol >> 1]:
            return False
    return True


cdef bint completes(tuple body, bytearray alive, bytearray usable):
    cdef uint32_t symbol
    for symbol in body:
        if not (alive if symbol & 1 else usable)[symbol >> 1]:
            return False
    return True


cdef bytearray nullable_nonterminals(grammar, dict optional):
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
