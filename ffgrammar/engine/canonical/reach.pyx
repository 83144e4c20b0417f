"""Reach: see reach.pxd."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.compare cimport bits_low, bits_unlike
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, NO_LEXEMES, dfa_accept, dfa_step
from ffgrammar.tokens.canonical.outcomes cimport AsciiClass


cdef inline bint is_subset(const uint32_t* some, const uint32_t* all, uint32_t words) noexcept nogil:
    """Whether a set of hypotheses is part of another one."""
    cdef uint32_t i
    for i in range(words):
        if some[i] & ~all[i]:
            return False
    return True


cdef struct Live:
    # The ASCII characters that may come after a lexer state, as bits.
    uint32_t[4] sure  # those that are known to stay inside the lexeme
    uint32_t[4] open  # those of which this is not known yet


cdef inline void find_live(Engine engine, uint32_t state, Live* live) noexcept nogil:
    cdef const uint32_t* delta = engine.recognizer.dfa.delta.data + state
    cdef uint32_t word
    for word in range(4):
        live.sure[word] = bits_low(delta + 32 * word)
        live.open[word] = bits_unlike(delta + 32 * word, DEAD) & ~live.sure[word]


cdef int may_come(Engine engine, uint32_t state, const Live* live, const AsciiClass* ascii) noexcept nogil:
    """Whether some character of a class may come inside the lexeme. `live` is that of the state. Returns 1, 0 or a status."""
    cdef uint32_t word, left, target
    cdef int status
    for word in range(4):
        if live.sure[word] & ascii.bytes[word]:
            return 1
    for word in range(4):
        left = live.open[word] & ascii.bytes[word]
        while left:
            status = dfa_step(&engine.recognizer.dfa, state, word << 5 | lowest_bit(left), &target)
            if status < 0 or target <= LAST_STATE:
                return status if status < 0 else 1
            left &= left - 1
    return 0


cdef int keep_set(Vec* sets, Map* at, uint32_t state, uint32_t offset, int status) noexcept nogil:
    """Keep the last set, which is that of a lexer state and begins at `offset`. If `status` is below zero, the set could not be
    completed and is dropped. Returns OK or a status."""
    if status >= 0:
        status = map_put(at, state, offset)
    if status < 0:
        sets.len = offset
    return status


@cython.final
cdef class Reach:
    """What lexer states say about the ends of pre-tokens.

    Args:
        rules: the tokenizer's rules.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules
        self.outcomes = rules.outcomes
        vec_init(&self.ends)
        vec_init(&self.next)
        if map_init(&self.ends_at) < 0 or map_init(&self.next_at) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.ends_at)
        map_free(&self.next_at)
        vec_free(&self.next)
        vec_free(&self.ends)

    cdef int clear(self) noexcept nogil:
        map_clear(&self.ends_at)
        map_clear(&self.next_at)
        # (the memory counts in `bytes`, so it is freed)
        vec_free(&self.ends)
        vec_free(&self.next)
        return OK

    cdef size_t bytes(self) noexcept nogil:
        return (map_bytes(&self.ends_at) + map_bytes(&self.next_at)
                + (self.ends.cap + self.next.cap) * sizeof(uint32_t))

    cdef int ends_freely(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil:
        cdef uint32_t words = self.outcomes.words
        cdef const uint32_t* entered = NULL
        cdef uint32_t i, missing, offset
        cdef int status = self.ends_in(engine, state, &offset)
        if status < 0:
            return status
        if byte < 0x80:
            entered = self.outcomes.entered + self.rules.pretokens.ascii[byte] * words
        for i in range(words):
            missing = self.rules.free_ends[i] & ~self.ends.data[offset + i]
            if entered != NULL:
                missing &= entered[i]
            if missing:
                return 0
        return 1

    cdef int sure_after(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil:
        offset[0] = map_get(&self.next_at, state)
        if offset[0] != ABSENT:
            return OK
        offset[0] = <uint32_t>self.next.len
        return keep_set(
            &self.next, &self.next_at, state, offset[0], self.add_by_class(engine, state, self.outcomes.sure_next, &self.next))

    cdef int ends_in(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil:
        cdef int status
        offset[0] = map_get(&self.ends_at, state)
        if offset[0] != ABSENT:
            return OK
        offset[0] = <uint32_t>self.ends.len
        status = self.add_by_class(engine, state, self.outcomes.sure_ends, &self.ends)
        if status >= 0:
            status = self.add_open_ends(engine, state, offset[0])
        return keep_set(&self.ends, &self.ends_at, state, offset[0], status)

    cdef int add_by_class(self, Engine engine, uint32_t state, const uint32_t* by_class, Vec* sets) noexcept nogil:
        cdef uint32_t words = self.outcomes.words
        cdef size_t base = sets.len
        cdef const uint32_t* added
        cdef Live live
        cdef uint32_t number, i
        cdef int status
        if vec_fill(sets, words, 0) < 0:
            return NO_MEMORY
        find_live(engine, state, &live)
        for number in range(self.outcomes.ascii_count):
            added = by_class + self.outcomes.ascii[number].number * words
            if is_subset(added, sets.data + base, words):
                continue
            status = may_come(engine, state, &live, &self.outcomes.ascii[number])
            if status < 0:
                return status
            for i in range(words if status else 0):
                sets.data[base + i] |= added[i]
        return OK

    cdef int add_open_ends(self, Engine engine, uint32_t state, uint32_t offset) noexcept nogil:
        cdef const AsciiClass* ascii = self.outcomes.ascii
        cdef uint32_t words = self.outcomes.words
        cdef uint32_t last = ABSENT
        cdef Live live
        cdef uint32_t left, byte, target, number, word
        cdef int status
        find_live(engine, state, &live)
        for number in range(self.outcomes.ascii_count):
            if is_subset(self.outcomes.open_before + ascii[number].number * words, self.ends.data + offset, words):
                continue
            last = ABSENT
            for word in range(4):
                left = (live.sure[word] | live.open[word]) & ascii[number].bytes[word]
                while left:
                    byte = word << 5 | lowest_bit(left)
                    left &= left - 1
                    status = dfa_step(&engine.recognizer.dfa, state, byte, &target)
                    if status >= 0 and target <= LAST_STATE and target != last:
                        last = target
                        status = self.add_open_ends_before(engine, offset, ascii[number].number, target)
                    if status < 0:
                        return status
        return OK

    cdef int add_open_ends_before(self, Engine engine, uint32_t offset, uint32_t character, uint32_t target) noexcept nogil:
        cdef const uint32_t* one = self.outcomes.open_ends.data + self.outcomes.open_from.data[character]
        cdef const uint32_t* end = self.outcomes.open_ends.data + self.outcomes.open_from.data[character + 1]
        cdef uint32_t after
        cdef int status = self.sure_after(engine, target, &after)
        if status < 0:
            return status
        while one < end:
            if bit_test(self.next.data + after, one[2]):
                bit_set(self.ends.data + offset, one[1])
            one += 3
        return OK

    cdef int ends_after(
        self, Engine engine, const Config* config, uint32_t* bits, size_t* dependent_answers
    ) noexcept nogil:
        cdef uint32_t words = self.outcomes.words
        cdef uint32_t lexemes = dfa_accept(&engine.recognizer.dfa, config.state)
        cdef uint32_t offset, i
        cdef bint looked = False
        cdef Config after
        cdef int status = self.ends_in(engine, config.state, &offset)
        if status < 0:
            return status
        memcpy(bits, self.ends.data + offset, words * sizeof(uint32_t))
        if lexemes == NO_LEXEMES:
            return OK
        status = recognizer_end_lexeme(&engine.recognizer, config.row, lexemes, &after, &looked)
        dependent_answers[0] += looked
        if status > 0:
            status = self.ends_in(engine, after.state, &offset)
            if status >= 0:
                for i in range(words):
                    bits[i] |= self.ends.data[offset + i]
        return status
