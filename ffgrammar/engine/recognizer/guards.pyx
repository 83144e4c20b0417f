from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_get
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.parser.tables cimport (
    D_INSTANCE, D_POSITION, D_TEMPLATE, D_WORDS, G_BIT, G_INSIDE, G_LEXEME, G_WORDS, I_BITS, T_GUARDS, Rules,
)
from ffgrammar.regex.expr.members cimport make_intersection
from ffgrammar.regex.expr.nodes cimport make_complement


cdef const uint32_t* entry_at(const Rules* rules, uint32_t position) noexcept nogil:
    """The entry of `guarded` for a dot position, or NULL."""
    cdef size_t low = 0
    cdef size_t high = rules.guarded.len // D_WORDS
    cdef size_t middle
    while low < high:
        middle = (low + high) >> 1
        if rules.guarded.data[middle * D_WORDS + D_POSITION] < position:
            low = middle + 1
        else:
            high = middle
    if low * D_WORDS < rules.guarded.len and rules.guarded.data[low * D_WORDS + D_POSITION] == position:
        return rules.guarded.data + low * D_WORDS
    return NULL


cdef int guarded_expr(Recognizer* m, uint32_t lexeme, uint32_t position, uint32_t* expr) noexcept nogil:
    cdef const Rules* rules = m.rules
    cdef const uint32_t* entry = entry_at(rules, position)
    cdef const uint32_t* guard
    cdef const uint32_t* bits
    cdef size_t base = m.nodes.stack.len
    cdef uint32_t member, i, at
    cdef int status = OK
    expr[0] = rules.exprs.data[lexeme]
    if entry == NULL:
        return OK
    at = rules.templates.data[entry[D_TEMPLATE] + T_GUARDS]
    bits = intern_get(&rules.instances, entry[D_INSTANCE]) + I_BITS
    if vec_push(&m.nodes.stack, 0) < 0 or vec_push(&m.nodes.stack, expr[0]) < 0:
        status = NO_MEMORY
    for i in range(rules.templates.data[at]):
        guard = rules.templates.data + at + 1 + i * G_WORDS
        if status < 0 or bit_test(bits, guard[G_BIT]) == guard[G_INSIDE]:
            continue
        member = rules.exprs.data[guard[G_LEXEME]]
        if not guard[G_INSIDE]:
            status = make_complement(m.nodes, member, &member)
        if status >= 0 and vec_push(&m.nodes.stack, member) < 0:
            status = NO_MEMORY
    if status < 0:
        m.nodes.stack.len = base
        return status
    return make_intersection(m.nodes, base, expr)
