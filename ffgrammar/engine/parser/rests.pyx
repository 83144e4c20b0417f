"""A rest is its first symbol and the rest behind it, so productions are read from their ends."""

from libc.stdint cimport int64_t, uint32_t

from ffgrammar.core.intern cimport intern_add
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill
from ffgrammar.engine.parser.tables cimport D_POSITION, D_WORDS, END, NUMBER, Rules

cdef enum:
    # words of a rest: its first symbol; the number of what is behind it, or for the end the skips; the position, if it has guards
    REST_WORDS = 3
    NO_GUARDS = 0xFFFFFFFF
    WORK_A_POSITION = 4  # units of work (pulse.pxd)


cdef int number_rests(EarleyRows* r) noexcept nogil:
    cdef const Rules* rules = r.rules
    cdef uint32_t done = <uint32_t>r.rests.len
    cdef uint32_t at = <uint32_t>rules.symbols.len
    cdef size_t guarded = rules.guarded.len
    cdef uint32_t rest = 0
    cdef uint32_t words[REST_WORDS]
    if at == done:
        return OK
    if vec_fill(&r.rests, at - done, 0) < 0:
        return NO_MEMORY
    r.pulse.left -= WORK_A_POSITION * <int64_t>(at - done)
    while at > done:
        at -= 1
        words[0] = rules.symbols.data[at]
        words[1] = rest
        # (positions with guards are listed in ascending order)
        while guarded and rules.guarded.data[guarded - D_WORDS + D_POSITION] > at:
            guarded -= D_WORDS
        words[2] = NO_GUARDS
        if guarded and rules.guarded.data[guarded - D_WORDS + D_POSITION] == at:
            words[2] = at
        if words[0] & END:
            words[1] = rules.skip_bits.data[words[0] & NUMBER] if rules.skip_bits.len else 0
            words[0] = END
        if intern_add(&r.rest_numbers, words, REST_WORDS, &rest) < 0:
            # (so that none counts as numbered)
            r.rests.len = done
            return NO_MEMORY
        r.rests.data[at] = rest
    return OK
