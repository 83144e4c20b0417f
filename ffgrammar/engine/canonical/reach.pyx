"""Reach: see reach.pxd."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.compare cimport bits_unlike
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, NO_LEXEMES, dfa_accept, dfa_step


cdef inline bint is_subset(const uint32_t* some, const uint32_t* all, uint32_t words) noexcept nogil:
    """Whether a set of hypotheses is part of another one."""
    cdef uint32_t i
    for i in range(words):
        if some[i] & ~all[i]:
            return False
    return True


cdef inline void find_live(Engine engine, uint32_t state, uint32_t* bytes) noexcept nogil:
    """Write the ASCII characters that are not known to be dead ends after a lexer state, as bits, to 4 words."""
    cdef uint32_t word
    for word in range(4):
        bytes[word] = bits_unlike(engine.recognizer.dfa.delta.data + state + 32 * word, DEAD)


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
        cdef uint32_t[4] live
        cdef uint32_t byte, target, i
        cdef uint32_t word = 0
        cdef int status
        if vec_fill(sets, words, 0) < 0:
            return NO_MEMORY
        find_live(engine, state, live)
        while word < 4:
            if not live[word]:
                word += 1
                continue
            byte = word << 5 | lowest_bit(live[word])
            live[word] &= live[word] - 1
            added = by_class + self.rules.pretokens.ascii[byte] * words
            if is_subset(added, sets.data + base, words):
                continue
            status = dfa_step(&engine.recognizer.dfa, state, byte, &target)
            if status < 0:
                return status
            for i in range(words if target <= LAST_STATE else 0):
                sets.data[base + i] |= added[i]
        return OK

    cdef int add_open_ends(self, Engine engine, uint32_t state, uint32_t offset) noexcept nogil:
        cdef uint32_t last_class = ABSENT
        cdef uint32_t last_target = ABSENT
        cdef uint32_t[4] live
        cdef uint32_t byte, target
        cdef uint32_t word = 0
        cdef int status
        find_live(engine, state, live)
        while word < 4:
            if not live[word]:
                word += 1
                continue
            byte = word << 5 | lowest_bit(live[word])
            live[word] &= live[word] - 1
            status = dfa_step(&engine.recognizer.dfa, state, byte, &target)
            if status >= 0 and target <= LAST_STATE and (
                    target != last_target or self.rules.pretokens.ascii[byte] != last_class):
                last_target = target
                last_class = self.rules.pretokens.ascii[byte]
                status = self.add_open_ends_before(engine, offset, last_class, target)
            if status < 0:
                return status
        return OK

    cdef int add_open_ends_before(self, Engine engine, uint32_t offset, uint32_t character, uint32_t target) noexcept nogil:
        cdef const uint32_t* one = self.outcomes.open_ends.data + self.outcomes.open_from.data[character]
        cdef const uint32_t* end = self.outcomes.open_ends.data + self.outcomes.open_from.data[character + 1]
        cdef uint32_t after
        cdef int status
        while one < end:
            if not bit_test(self.ends.data + offset, one[1]):
                status = self.sure_after(engine, target, &after)
                if status < 0:
                    return status
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
