"""What a byte does to several threads at once."""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport own_vec
from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport vec_extend, vec_push
from ffgrammar.regex.expr.nodes cimport EMPTY

cdef enum:
    NO_THREAD = 0xFFFFFFFF


cdef void threads_init(Threads* t, Owner* owner) noexcept nogil:
    t.present = False
    t.lexemes = 0
    own_vec(owner, &t.groups)
    own_vec(owner, &t.anywhere)
    own_vec(owner, &t.alone)
    own_vec(owner, &t.ending)


cdef inline bint ends_anywhere(const Threads* t, uint32_t number) noexcept nogil:
    return t.anywhere.data[number % t.lexemes] != 0


cdef bint has_thread(const Threads* t, const uint32_t* pairs, uint32_t count, uint32_t thread) noexcept nogil:
    cdef uint32_t i
    for i in range(count):
        if thread_of(t, pairs[2 * i]) == thread:
            return True
    return False


cdef void end_lazily(
    Threads* t, const Vec* lazy, uint32_t* pairs, uint32_t* count, uint32_t* matched, uint32_t lexeme_pair,
) noexcept nogil:
    """End the thread of a lazy lexeme that has matched: none of its lexemes goes on, and those not matched are dropped."""
    cdef uint32_t thread = thread_of(t, pairs[2 * lexeme_pair])
    cdef uint32_t kept = 0
    cdef uint32_t i
    for i in range(count[0]):
        if thread_of(t, pairs[2 * i]) == thread:
            if not matched[i]:
                continue
            pairs[2 * i + 1] = EMPTY
        pairs[2 * kept] = pairs[2 * i]
        pairs[2 * kept + 1] = pairs[2 * i + 1]
        matched[kept] = matched[i]
        kept += 1
    count[0] = kept


cdef int begin_ending(Threads* t, uint32_t byte) noexcept nogil:
    cdef uint32_t[E_ENDED] words
    words[0] = THREADED
    words[E_BYTE] = byte
    words[E_COUNT] = 0
    t.ending.len = 0
    return vec_extend(&t.ending, words, E_ENDED)


cdef int end_one(Threads* t, uint32_t number) noexcept nogil:
    t.ending.data[E_COUNT] += 1
    return vec_push(&t.ending, number)


cdef int carry_one(Threads* t, uint32_t number, uint32_t expr) noexcept nogil:
    cdef uint32_t[CARRIED_WORDS] words
    words[0] = thread_of(t, number)
    words[1] = number
    words[2] = expr
    return vec_extend(&t.ending, words, CARRIED_WORDS)


cdef int leave(
    Threads* t, const uint32_t* before, uint32_t before_count, const uint32_t* after, uint32_t after_count,
    const uint32_t* matched, uint32_t byte,
) noexcept nogil:
    """Let the first thread leave that cannot go on with a byte but has matched. Returns GOES_ON if there is none, ALL_LEAVE if it
    is the only thread, ENDS_BEFORE with the ending if there are others, or NO_MEMORY."""
    cdef uint32_t leaving = NO_THREAD
    cdef uint32_t k = 0
    cdef uint32_t i, number, thread
    cdef bint others = after_count != 0
    cdef bint is_carried
    cdef int status = begin_ending(t, byte)
    for i in range(before_count):
        number = before[2 * i]
        thread = thread_of(t, number)
        if matched[i] and not ends_anywhere(t, number) and not has_thread(t, after, after_count, thread):
            if leaving == NO_THREAD:
                leaving = thread
            if thread != leaving:
                others = True
            elif status >= 0:
                status = end_one(t, number)
    if status < 0:
        return NO_MEMORY
    if leaving == NO_THREAD:
        return GOES_ON
    if not others:
        return ALL_LEAVE
    for i in range(before_count):
        number = before[2 * i]
        thread = thread_of(t, number)
        if k < after_count and after[2 * k] == number:
            # (pairs that the byte leads to nothing are not in `after`; both lists have the same order)
            k += 1
            is_carried = True
        else:
            is_carried = thread != leaving and matched[i] and not has_thread(t, after, after_count, thread)
        if is_carried and carry_one(t, number, before[2 * i + 1]) < 0:
            return NO_MEMORY
    return ENDS_BEFORE


cdef int threads_step(
    Threads* t, const Vec* lazy, const uint32_t* before, uint32_t before_count, uint32_t* after, uint32_t* after_count,
    uint32_t* matched, uint32_t byte,
) noexcept nogil:
    cdef uint32_t* matched_after = matched + before_count
    cdef uint32_t i, number, count
    cdef int status = leave(t, before, before_count, after, after_count[0], matched, byte)
    if status != GOES_ON:
        return status
    if after_count[0] == 0:
        return ALL_DIE
    i = 0
    while i < after_count[0]:
        number = after[2 * i]
        if matched_after[i] and lazy.data[number % t.lexemes] and after[2 * i + 1] != EMPTY:
            end_lazily(t, lazy, after, after_count, matched_after, i)
            i = 0
        else:
            i += 1
    status = begin_ending(t, NO_BYTE)
    for i in range(after_count[0]):
        number = after[2 * i]
        if status >= 0 and matched_after[i] and ends_anywhere(t, number):
            status = end_one(t, number)
    if status < 0 or t.ending.data[E_COUNT] == 0:
        return status if status < 0 else GOES_ON
    for i in range(after_count[0]):
        number = after[2 * i]
        # (what ended anywhere and cannot go on is not carried)
        if status >= 0 and not (after[2 * i + 1] == EMPTY and ends_anywhere(t, number)):
            status = carry_one(t, number, after[2 * i + 1])
    if t.ending.len == E_ENDED + t.ending.data[E_COUNT]:
        # nothing goes on, so the ending is the set of the lexemes alone
        count = t.ending.data[E_COUNT]
        for i in range(count):
            t.ending.data[i] = t.ending.data[E_ENDED + i]
        t.ending.len = count
    return status if status < 0 else ENDS
