"""Outcomes: see outcomes.pxd. A set of hypotheses has at most MAX_HYPOTHESES members: the rules of a pattern that needs more are
refused when they are made (sure_states.pyx).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.bits cimport bit_set, bit_words
from ffgrammar.core.intern cimport intern_add, intern_count, intern_free, intern_get, intern_init, intern_len
from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push, vec_reserve
from ffgrammar.tokens.canonical.sure_states cimport insert
from ffgrammar.tokens.pretokenize.table cimport DEAD, MAX_HYPOTHESES, PretokenTable, successor


@cython.final
cdef class Outcomes:
    """The outcomes of a pre-tokenizer. They are found as they come up.

    Args:
        pretokens: the pre-tokenizer.
        sure_ends, sure_next: see find_sure_states.
    """

    def __cinit__(self, PretokenTable pretokens not None, bytes sure_ends not None, bytes sure_next not None):
        self.pretokens = pretokens
        self.words = <uint32_t>bit_words(pretokens.states)
        vec_init(&self.after)
        vec_init(&self.bits)
        vec_init(&self.live)
        vec_init(&self.open_ends)
        vec_init(&self.open_from)
        self.sure_ends = <uint32_t*>calloc(<size_t>pretokens.classes * self.words, sizeof(uint32_t))
        self.sure_next = <uint32_t*>calloc(<size_t>pretokens.classes * self.words, sizeof(uint32_t))
        self.entered = <uint32_t*>calloc(<size_t>pretokens.classes * self.words, sizeof(uint32_t))
        self.open_before = <uint32_t*>calloc(<size_t>pretokens.classes * self.words, sizeof(uint32_t))
        self.list_ascii()
        if (intern_init(&self.sets) < 0 or self.sure_ends == NULL or self.sure_next == NULL or self.entered == NULL
                or self.open_before == NULL or self.find_ends(sure_ends, sure_next) < 0):
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.sets)
        vec_free(&self.after)
        vec_free(&self.bits)
        vec_free(&self.live)
        vec_free(&self.open_ends)
        vec_free(&self.open_from)
        free(self.sure_ends)
        free(self.sure_next)
        free(self.entered)
        free(self.open_before)

    cdef void list_ascii(self) noexcept nogil:
        cdef uint32_t byte, i
        for byte in range(128):
            for i in range(self.ascii_count):
                if self.ascii[i].number == self.pretokens.ascii[byte]:
                    break
            else:
                i = self.ascii_count
                self.ascii_count += 1
                self.ascii[i].number = self.pretokens.ascii[byte]
            bit_set(self.ascii[i].bytes, byte)

    cdef int find_ends(self, const uint8_t* sure_ends, const uint8_t* sure_next) noexcept nogil:
        cdef uint32_t classes = self.pretokens.classes
        cdef uint32_t[3] words
        cdef uint32_t state, way, character, to
        for character in range(classes):
            if vec_push(&self.open_from, <uint32_t>self.open_ends.len) < 0:
                return NO_MEMORY
            for state in range(self.pretokens.states):
                for way in range(self.pretokens.ways):
                    to = successor(self.pretokens, way, state, character)
                    if to != DEAD:
                        bit_set(self.entered + character * self.words, to)
                if sure_next[state * classes + character]:
                    bit_set(self.sure_next + character * self.words, state)
                if sure_ends[state * classes + character]:
                    bit_set(self.sure_ends + character * self.words, state)
                    continue
                for way in range(self.pretokens.stays, self.pretokens.ways):
                    to = successor(self.pretokens, way, state, character)
                    words[0] = character
                    words[1] = state
                    words[2] = to
                    if to != DEAD and vec_extend(&self.open_ends, words, 3) < 0:
                        return NO_MEMORY
                    if to != DEAD:
                        bit_set(self.open_before + character * self.words, state)
        return vec_push(&self.open_from, <uint32_t>self.open_ends.len)

    cdef int add(self, const uint32_t* hypotheses, uint32_t count) noexcept nogil:
        cdef uint32_t number, i
        cdef uint64_t live = 0
        cdef int status
        if count == 0:
            return NO_OUTCOME
        if intern_count(&self.sets) == NO_OUTCOME - 1:
            return NO_MEMORY
        # (room first, so that every outcome has its entries)
        if (vec_reserve(&self.after, self.after.len + self.pretokens.classes) < 0
                or vec_reserve(&self.bits, self.bits.len + self.words) < 0
                or vec_reserve(&self.live, self.live.len + 2) < 0):
            return NO_MEMORY
        status = intern_add(&self.sets, hypotheses, count, &number)
        if status > 0:
            vec_fill(&self.after, self.pretokens.classes, 0xFF)
            vec_fill(&self.bits, self.words, 0)
            vec_fill(&self.live, 2, 0)
            for i in range(count):
                bit_set(self.bits.data + number * self.words, hypotheses[i])
                live |= self.pretokens.live_on[hypotheses[i]]
            self.live.data[2 * number] = <uint32_t>live
            self.live.data[2 * number + 1] = <uint32_t>(live >> 32)
        return status if status < 0 else <int>number

    cdef int first(self, uint32_t hypothesis, bint ends, uint32_t character) noexcept nogil:
        cdef uint32_t[MAX_HYPOTHESES] found
        cdef uint32_t count = 0
        cdef uint32_t way, to
        for way in range(self.pretokens.stays if ends else 0, self.pretokens.ways if ends else self.pretokens.stays):
            to = successor(self.pretokens, way, hypothesis, character)
            if to == DEAD:
                continue
            # (an atom is one token: no token may begin inside it)
            if (self.pretokens.has_atoms and not ends and self.pretokens.atoms[to] and self.pretokens.atoms[hypothesis]):
                continue
            count = min(insert(found, count, to), <uint32_t>MAX_HYPOTHESES)
        return self.add(found, count)

    cdef int find_step(self, uint32_t outcome, uint32_t character) noexcept nogil:
        cdef uint32_t[MAX_HYPOTHESES] found
        cdef size_t entry = <size_t>outcome * self.pretokens.classes + character
        cdef uint32_t count = 0
        cdef uint32_t way, to, i
        cdef int status
        for i in range(intern_len(&self.sets, outcome)):
            for way in range(self.pretokens.stays):
                to = successor(self.pretokens, way, intern_get(&self.sets, outcome)[i], character)
                if to != DEAD:
                    count = min(insert(found, count, to), <uint32_t>MAX_HYPOTHESES)
        status = self.add(found, count)
        if status >= 0:
            self.after.data[entry] = <uint32_t>status
        return status

    cdef uint64_t live_classes(self, uint32_t outcome) noexcept nogil:
        return self.live.data[2 * outcome] | <uint64_t>self.live.data[2 * outcome + 1] << 32
