"""A token may end inside a character, or so that a pre-token cannot end after it with any hypothesis of free text. Then its ending
(tokens/canonical/endings.pxd) leads on to a place where the pre-token can end, in most grammars. Where it does not, the token is
doubtful. The doubtful tokens of a lexer state and a transition are the same in all grammars.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.canonical.notes cimport DOUBTS, Notes
from ffgrammar.engine.masks.partition_cache cimport NOT_KEPT
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.endings cimport ENDING_WORDS, NEVER


@cython.final
cdef class Doubts:
    """The doubtful tokens of a grammar's lexer states.

    Args:
        rules: the tokenizer's rules.
        reach: the grammar's `Reach`.
        notes: the grammar's `Notes`.
    """

    def __cinit__(self, CanonicalRules rules not None, Reach reach not None, Notes notes not None):
        self.rules = rules
        self.reach = reach
        self.notes = notes

    cdef int find(
        self, Engine engine, uint32_t state, const Transition* transition, uint32_t hypothesis, uint32_t way, uint32_t* offset
    ) noexcept nogil:
        cdef uint32_t topic = DOUBTS + (hypothesis << 2 | way)
        cdef size_t base = self.notes.words.len
        cdef int status = self.notes.find(engine, state, topic, offset)
        if status == NOT_KEPT:
            status = self.list_doubtful(engine, state, transition)
            return self.notes.keep(engine, state, topic, base, status)
        return min(status, OK)

    cdef int list_doubtful(self, Engine engine, uint32_t state, const Transition* transition) noexcept nogil:
        cdef size_t base = self.notes.words.len
        cdef size_t i = 0
        cdef uint32_t token
        cdef int status
        if vec_push(&self.notes.words, 0) < 0:
            return NO_MEMORY
        while i < transition.endings.len:
            status = self.ends_by(engine, state, transition, transition.endings.data + i)
            if status == 0:
                token = transition.endings.data[i]
                if transition.endings.data[i + 1] == 0 and transition.endings.data[i + 3] == NEVER:
                    token |= DEAD
                status = vec_push(&self.notes.words, token)
            if status < 0:
                return status
            i += ENDING_WORDS
        self.notes.words.data[base] = <uint32_t>(self.notes.words.len - base - 1)
        return OK

    cdef int ends_by(
        self, Engine engine, uint32_t state, const Transition* transition, const uint32_t* ending
    ) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint64_t bytes
        cdef uint32_t i, offset
        cdef int status
        for i in range(self.rules.trie.offsets[ending[0]], self.rules.trie.offsets[ending[0] + 1]):
            status = dfa_step(&engine.recognizer.dfa, state, self.rules.trie.blob[i], &state)
            if status < 0 or state > LAST_STATE:
                return status if status < 0 else 1
        bytes = ending[1] | <uint64_t>ending[2] << 32
        if bytes == 0:
            return 0
        while bytes:
            status = dfa_step(&engine.recognizer.dfa, state, bytes & 0xFF, &state)
            if status < 0 or state > LAST_STATE:
                return min(status, OK)
            bytes >>= 8
        status = self.reach.ends_in(engine, state, &offset)
        if status < 0:
            return status
        for i in range(words):
            if transition.outcomes[ending[3] * words + i] & self.reach.ends.data[offset + i]:
                return 1
        return 0
