"""A token may end inside a character, or so that a pre-token cannot end after it with any hypothesis of free text. Then its ending
(tokens/canonical/endings.pxd) leads on to a place where the pre-token can end, in most grammars. Where it does not, the token is
doubtful. The doubtful tokens of a lexer state and a transition are the same in all grammars.

A vocabulary without a pre-tokenizer has no endings, but ways on. Inside a JSON string, the ways on of some hundred tokens lead to
few places. So these tokens are grouped by place, and one answer serves a group. (On Gemma 3 this saves a tenth of the time of
canonical masks.)
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.notes cimport DOUBTS, Notes
from ffgrammar.engine.masks.partition_cache cimport NOT_KEPT
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.endings cimport ENDING_WORDS, NEVER, WAY_ON, last_byte

cdef enum:
    WAY_ON_WORDS = 3
    TAKEN = 0xFFFFFFFF  # instead of a state: the token is in a group


cdef struct WayOn:
    uint32_t state   # the lexer state that a way on leads to
    uint32_t rest    # its outcome and its last byte
    uint32_t ending  # the index of the ending in the transition


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
        vec_init(&self.ways_on)

    def __dealloc__(self):
        vec_free(&self.ways_on)

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
        cdef const uint32_t* ending
        cdef uint32_t token
        cdef WayOn way_on
        cdef size_t i = 0
        cdef int status
        self.ways_on.len = 0
        if vec_push(&self.notes.words, 0) < 0:
            return NO_MEMORY
        while i < transition.endings.len:
            ending = transition.endings.data + i
            way_on.state = state
            status = self.follow(engine, ending, &way_on.state)
            if status == 1 and ending[3] & <uint32_t>WAY_ON:
                way_on.rest = (ending[3] & ~<uint32_t>WAY_ON) << 8 | last_byte(ending)
                way_on.ending = <uint32_t>i
                status = 1 if vec_extend(&self.ways_on, <const uint32_t*>&way_on, WAY_ON_WORDS) == OK else NO_MEMORY
            elif status == 1:
                status = self.can_end_in(engine, way_on.state, transition, ending)
            if status == 0:
                token = ending[0]
                if ending[1] == 0 and ending[3] == NEVER:
                    token |= DEAD_END
                status = vec_push(&self.notes.words, token)
            if status < 0:
                return status
            i += ENDING_WORDS
        self.notes.words.data[base] = <uint32_t>(self.notes.words.len - base - 1)
        return self.write_groups()

    cdef int write_groups(self) noexcept nogil:
        cdef size_t base = self.notes.words.len
        cdef WayOn* ways = <WayOn*>self.ways_on.data
        cdef uint32_t count = <uint32_t>(self.ways_on.len // WAY_ON_WORDS)
        cdef uint32_t groups = 0
        cdef uint32_t i, j
        cdef WayOn way_on
        cdef size_t group
        if vec_push(&self.notes.words, 0) < 0:
            return NO_MEMORY
        for i in range(count):
            way_on = ways[i]
            if way_on.state == TAKEN:
                continue
            groups += 1
            group = self.notes.words.len
            if vec_push(&self.notes.words, 0) < 0:
                return NO_MEMORY
            for j in range(i, count):
                if ways[j].state == way_on.state and ways[j].rest == way_on.rest:
                    ways[j].state = TAKEN
                    if vec_push(&self.notes.words, ways[j].ending) < 0:
                        return NO_MEMORY
            self.notes.words.data[group] = <uint32_t>(self.notes.words.len - group - 1)
        self.notes.words.data[base] = groups
        return OK

    cdef int follow(self, Engine engine, const uint32_t* ending, uint32_t* state) noexcept nogil:
        cdef uint64_t bytes = ending[1] | <uint64_t>ending[2] << 32
        cdef uint32_t i
        cdef int status
        for i in range(self.rules.trie.offsets[ending[0]], self.rules.trie.offsets[ending[0] + 1]):
            status = dfa_step(&engine.recognizer.dfa, state[0], self.rules.trie.blob[i], state)
            if status < 0 or state[0] > LAST_STATE:
                return status if status < 0 else 2
        if bytes == 0:
            return 0
        while bytes:
            status = dfa_step(&engine.recognizer.dfa, state[0], bytes & 0xFF, state)
            if status < 0 or state[0] > LAST_STATE:
                return min(status, OK)
            bytes >>= 8
        return 1

    cdef int can_end_in(
        self, Engine engine, uint32_t state, const Transition* transition, const uint32_t* ending
    ) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint32_t i, offset
        cdef int status = self.reach.ends_in(engine, state, &offset)
        if status < 0:
            return status
        for i in range(words):
            if transition.outcomes[ending[3] * words + i] & self.reach.ends.data[offset + i]:
                return 1
        return 0
