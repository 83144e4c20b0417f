"""The item that takes the place of others belongs to a production of its own, a *tail*, which consists of the instance and nothing
else. So it makes no difference from which productions a row came."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.sort cimport compare_runs
from ffgrammar.core.status cimport LIMIT_CACHE, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push
from ffgrammar.engine.parser.instances cimport add_bits, counted, find_instance
from ffgrammar.engine.parser.tables cimport END, I_BITS, NONE, NONTERMINAL, NUMBER, T_AGAIN, Rules

cdef enum:
    # Words of a reading: an item of the kernel whose production has led to a change. The words of the new instance without its
    # bits come after the link.
    R_LINK
    R_HEAD
    R_COUNT
    R_NUMBER = R_COUNT + 2  # of the instance that the production belongs to
    R_TEMPLATE              # the offset of the template
    R_WORDS
    SAME_WORDS = R_NUMBER   # readings that agree in this many words are joined


cdef int compare_readings(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, R_WORDS)


cdef inline const uint32_t* change_after(const Rules* rules, uint32_t position) noexcept nogil:
    """The template whose change is what a production still needs at a dot position; else NULL."""
    cdef uint32_t symbol = rules.symbols.data[position]
    cdef uint32_t at
    if not symbol & NONTERMINAL or symbol & END or symbol & NUMBER >= rules.plain:
        return NULL
    at = rules.changes.data[symbol & NUMBER]
    return NULL if at == <uint32_t>NONE else rules.templates.data + at


cdef int take_readings(EarleyRows* r) noexcept nogil:
    """Move the items to be joined from the kernel to `found`, as readings. Returns OK or NO_MEMORY."""
    cdef uint32_t reading[R_WORDS]
    cdef const uint32_t* instance
    cdef const uint32_t* template
    cdef uint32_t i, k, position
    cdef size_t kept = 1
    r.found.len = 0
    for i in range(1, <uint32_t>r.kernel.len, 2):
        position = r.kernel.data[i]
        template = change_after(r.rules, position)
        if template == NULL:
            r.kernel.data[kept] = position
            r.kernel.data[kept + 1] = r.kernel.data[i + 1]
            kept += 2
            continue
        reading[R_NUMBER] = (r.rules.symbols.data[position + 1] & NUMBER) - r.rules.plain
        instance = intern_get(&r.rules.instances, reading[R_NUMBER])
        reading[R_LINK] = r.kernel.data[i + 1]
        reading[R_HEAD] = template[T_AGAIN]
        for k in range(2):
            reading[R_COUNT + k] = counted(r.rules, instance, template, k)
        reading[R_TEMPLATE] = <uint32_t>(template - r.rules.templates.data)
        if vec_extend(&r.found, reading, R_WORDS) < 0:
            return NO_MEMORY
    r.kernel.len = kept
    return OK


cdef int join_bits(Rules* rules, const uint32_t* readings, size_t count, uint32_t* nonterminal) noexcept nogil:
    """Find or make the instance with the bits that some readings lead to. Returns OK or NO_MEMORY."""
    cdef const uint32_t* reading
    cdef uint32_t* words
    cdef size_t k
    rules.instance.len = 0
    # (all of them have the same head and counters, and as many words)
    if vec_extend(&rules.instance, readings + R_HEAD, I_BITS) < 0:
        return NO_MEMORY
    if vec_fill(&rules.instance, intern_len(&rules.instances, readings[R_NUMBER]) - I_BITS, 0) < 0:
        return NO_MEMORY
    words = rules.instance.data
    for k in range(count):
        reading = readings + k * R_WORDS
        add_bits(rules, reading[R_NUMBER], rules.templates.data + reading[R_TEMPLATE], words)
    return find_instance(rules, nonterminal)


cdef int find_tail(EarleyRows* r, uint32_t nonterminal, uint32_t* position) noexcept nogil:
    """Find or make the tail of an instance. Writes its first dot position. Returns a status."""
    cdef Rules* rules = r.rules
    cdef uint32_t number = nonterminal - rules.plain
    if number >= rules.tails.len and vec_fill(&rules.tails, number + 1 - rules.tails.len, 0xFF) < 0:
        return NO_MEMORY
    position[0] = rules.tails.data[number]
    if position[0] != <uint32_t>NONE:
        return OK
    if rules.symbols.len > r.max_words:
        return LIMIT_CACHE
    position[0] = <uint32_t>rules.symbols.len
    if vec_push(&rules.symbols, nonterminal | NONTERMINAL) < 0 or vec_push(&rules.symbols, nonterminal | <uint32_t>END) < 0:
        return NO_MEMORY
    rules.tails.data[number] = position[0]
    return OK


cdef int join_readings(EarleyRows* r) noexcept nogil:
    cdef size_t first = 0
    cdef size_t last, count
    cdef const uint32_t* readings
    cdef uint32_t nonterminal, position
    cdef int status
    if take_readings(r) < 0:
        return NO_MEMORY
    count = r.found.len // R_WORDS
    if count > 1:
        qsort(r.found.data, count, R_WORDS * sizeof(uint32_t), compare_readings)
    while first < count:
        readings = r.found.data + first * R_WORDS
        last = first + 1
        while last < count and compare_runs(readings, r.found.data + last * R_WORDS, SAME_WORDS) == 0:
            last += 1
        status = join_bits(r.rules, readings, last - first, &nonterminal)
        if status >= 0:
            status = find_tail(r, nonterminal, &position)
        if status < 0:
            return status
        if vec_push(&r.kernel, position) < 0 or vec_push(&r.kernel, readings[R_LINK]) < 0:
            return NO_MEMORY
        first = last
    return OK
