"""A survey says where the tokens of a vocabulary lead from a lexer state, inside the lexeme. Making it takes a walk over the
trie. It is kept for all grammars, as a partition is (engine/masks/partition_cache.pxd). Inside a JSON string most
tokens lead back to the string itself, and a few hundred to the states after a backslash or after the closing quote.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.masks.partition_cache cimport KEPT, NOT_KEPT, partitions_find_note, partitions_keep_note
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, NO_LEXEMES, UNKNOWN, dfa_accept, dfa_fill, dfa_step
from ffgrammar.tokens.canonical.endings cimport ENDING_WORDS
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token

cdef enum:
    # topics of notes (engine/masks/partition_cache.pxd)
    SURVEY = 0
    DOUBTS = 1  # the first topic of doubtful tokens: each transition has a topic of its own


cdef inline uint8_t missing_after(uint8_t missing, uint32_t byte) noexcept nogil:
    """How many bytes of a character are missing after a byte, if `missing` were missing before it."""
    if byte < 0x80:
        return 0
    if byte < 0xC0:
        return missing - (missing > 0)
    return 1 + (byte >= 0xE0) + (byte >= 0xF0)


cdef inline bint is_subset(const uint32_t* some, const uint32_t* all, uint32_t words) noexcept nogil:
    """Whether a set of hypotheses is part of another one."""
    cdef uint32_t i
    for i in range(words):
        if some[i] & ~all[i]:
            return False
    return True


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
        vec_init(&self.surveys)
        vec_init(&self.numbers)
        vec_init(&self.examples)
        vec_init(&self.counts)
        vec_init(&self.pairs)
        vec_init(&self.next)
        if map_init(&self.ends_at) < 0 or map_init(&self.next_at) < 0 or map_init(&self.surveyed) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.ends_at)
        map_free(&self.next_at)
        vec_free(&self.next)
        map_free(&self.surveyed)
        vec_free(&self.ends)
        vec_free(&self.surveys)
        vec_free(&self.numbers)
        vec_free(&self.examples)
        vec_free(&self.counts)
        vec_free(&self.pairs)

    cdef int clear(self) noexcept nogil:
        map_clear(&self.ends_at)
        map_clear(&self.next_at)
        map_clear(&self.surveyed)
        # (the memory counts in `bytes`, so it is freed)
        vec_free(&self.ends)
        vec_free(&self.next)
        vec_free(&self.surveys)
        return OK

    cdef size_t bytes(self) noexcept nogil:
        return (map_bytes(&self.ends_at) + map_bytes(&self.next_at) + map_bytes(&self.surveyed)
                + (self.ends.cap + self.next.cap + self.surveys.cap) * sizeof(uint32_t))

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
        cdef uint32_t byte, target, i
        cdef int status
        if vec_fill(sets, words, 0) < 0:
            return NO_MEMORY
        for byte in range(0x80):
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
        cdef uint32_t byte, target
        cdef int status
        for byte in range(0x80):
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
        cdef const uint32_t* one = self.outcomes.open_ends.data
        cdef const uint32_t* end = one + self.outcomes.open_ends.len
        cdef uint32_t after
        cdef int status
        while one < end:
            if one[0] == character and not bit_test(self.ends.data + offset, one[1]):
                status = self.sure_after(engine, target, &after)
                if status < 0:
                    return status
                if bit_test(self.next.data + after, one[2]):
                    bit_set(self.ends.data + offset, one[1])
            one += 3
        return OK

    cdef int ends_after(self, Engine engine, const Config* config, uint32_t* bits) noexcept nogil:
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
        if status > 0:
            status = self.ends_in(engine, after.state, &offset)
            if status >= 0:
                for i in range(words):
                    bits[i] |= self.ends.data[offset + i]
        return status

    cdef int survey(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil:
        cdef size_t base = self.surveys.len
        cdef int status = self.find(engine, state, SURVEY, offset)
        if status == NOT_KEPT:
            status = self.make_survey(engine, state)
            return self.keep(engine, state, SURVEY, base, status)
        return min(status, OK)

    cdef int doubtful(
        self, Engine engine, uint32_t state, const Transition* transition, uint32_t hypothesis, uint32_t way, uint32_t* offset
    ) noexcept nogil:
        cdef uint32_t topic = DOUBTS + (hypothesis << 2 | way)
        cdef size_t base = self.surveys.len
        cdef int status = self.find(engine, state, topic, offset)
        if status == NOT_KEPT:
            status = self.list_doubtful(engine, state, transition)
            return self.keep(engine, state, topic, base, status)
        return min(status, OK)

    cdef int find(self, Engine engine, uint32_t state, uint32_t topic, uint32_t* offset) noexcept nogil:
        cdef uint64_t key = <uint64_t>topic << 32 | state
        cdef int status
        offset[0] = map_get(&self.surveyed, key)
        if offset[0] != ABSENT:
            return KEPT
        offset[0] = <uint32_t>self.surveys.len
        status = partitions_find_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, topic, &self.surveys)
        if status == KEPT and map_put(&self.surveyed, key, offset[0]) < 0:
            return NO_MEMORY
        return status

    cdef int keep(self, Engine engine, uint32_t state, uint32_t topic, size_t base, int status) noexcept nogil:
        if status >= 0:
            status = partitions_keep_note(
                engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, topic, self.surveys.data + base,
                <uint32_t>(self.surveys.len - base))
        if status < 0:
            self.surveys.len = base
            return status
        return map_put(&self.surveyed, <uint64_t>topic << 32 | state, <uint32_t>base)

    cdef int list_doubtful(self, Engine engine, uint32_t state, const Transition* transition) noexcept nogil:
        cdef size_t base = self.surveys.len
        cdef size_t i = 0
        cdef int status
        if vec_push(&self.surveys, 0) < 0:
            return NO_MEMORY
        while i < transition.endings.len:
            status = self.ends_by(engine, state, transition, transition.endings.data + i)
            if status == 0:
                status = vec_push(&self.surveys, transition.endings.data[i])
            if status < 0:
                return status
            i += ENDING_WORDS
        self.surveys.data[base] = <uint32_t>(self.surveys.len - base - 1)
        return OK

    cdef int ends_by(
        self, Engine engine, uint32_t state, const Transition* transition, const uint32_t* ending
    ) noexcept nogil:
        cdef uint32_t words = self.outcomes.words
        cdef uint32_t i, bytes, offset
        cdef int status
        for i in range(self.rules.trie.offsets[ending[0]], self.rules.trie.offsets[ending[0] + 1]):
            status = dfa_step(&engine.recognizer.dfa, state, self.rules.trie.blob[i], &state)
            if status < 0 or state > LAST_STATE:
                return status if status < 0 else 1
        bytes = ending[1]
        if bytes == 0:
            return 0
        while bytes:
            status = dfa_step(&engine.recognizer.dfa, state, bytes & 0xFF, &state)
            if status < 0 or state > LAST_STATE:
                return min(status, OK)
            bytes >>= 8
        status = self.ends_in(engine, state, &offset)
        if status < 0:
            return status
        for i in range(words):
            if transition.outcomes[ending[2] * words + i] & self.ends.data[offset + i]:
                return 1
        return 0

    cdef int make_survey(self, Engine engine, uint32_t state) noexcept nogil:
        cdef size_t base = self.surveys.len
        cdef size_t at
        cdef uint32_t number
        cdef size_t i
        cdef int status = self.walk(engine, state)
        if status < 0 or vec_push(&self.surveys, TOO_MANY) < 0:
            return min(status, NO_MEMORY)
        if status > 0:
            return OK
        self.surveys.data[base] = <uint32_t>self.examples.len
        for number in range(<uint32_t>self.examples.len):
            if vec_push(&self.surveys, self.examples.data[number]) < 0:
                return NO_MEMORY
            if self.counts.data[number] == MANY:
                if vec_push(&self.surveys, MANY) < 0:
                    return NO_MEMORY
                continue
            if vec_push(&self.surveys, self.counts.data[number]) < 0:
                return NO_MEMORY
            # from now on `counts` says where the next token of the list goes
            at = self.surveys.len
            if vec_fill(&self.surveys, self.counts.data[number], 0) < 0:
                return NO_MEMORY
            self.counts.data[number] = <uint32_t>(at - base)
        for i in range(0, self.pairs.len, 2):
            number = self.pairs.data[i]
            if self.counts.data[number] != MANY:
                self.surveys.data[base + self.counts.data[number]] = self.pairs.data[i + 1]
                self.counts.data[number] += 1
        return OK

    cdef int walk(self, Engine engine, uint32_t state) noexcept nogil:
        cdef const TrieNode* nodes = self.rules.trie.nodes
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data
        cdef uint32_t node_count = self.rules.trie.node_count
        cdef uint32_t pad_token = self.rules.trie.pad_token
        cdef uint32_t[MAX_TOKEN_BYTES + 1] states
        cdef uint8_t[MAX_TOKEN_BYTES + 1] missing  # by depth: how many bytes of the character are missing
        cdef uint32_t at = 1
        cdef uint32_t full = ABSENT  # the state last found to have MANY tokens that lead to it
        cdef uint32_t depth, byte, target
        cdef TrieNode node
        cdef int status
        self.numbers.len = self.examples.len = self.counts.len = self.pairs.len = 0
        states[0] = state
        missing[0] = 0
        while at < node_count:
            node = nodes[at]
            depth = node_depth(&node)
            byte = node_byte(&node)
            target = delta[states[depth - 1] + byte]
            if target == UNKNOWN:
                status = dfa_fill(&engine.recognizer.dfa, states[depth - 1], byte, &target)
                if status < 0:
                    return status
                delta = engine.recognizer.dfa.delta.data
            if target > LAST_STATE:
                at += node_size(&node)
                continue
            at += 1
            states[depth] = target
            missing[depth] = 0 if byte < 0x80 else missing_after(missing[depth - 1], byte)
            # (most nodes lead to `full`. In schemas where each place has a survey of its own, this test saves 30% of the
            # instructions of a mask.)
            if target == full or missing[depth] or node_token(&node) == pad_token:
                continue
            status = self.note(target, node_token(&node))
            if status != OK:
                return status
            if self.counts.data[self.numbers.data[target >> 8]] == MANY:
                full = target
        return OK

    cdef int note(self, uint32_t state, uint32_t token) noexcept nogil:
        cdef uint32_t number = state >> 8
        cdef uint32_t[2] words
        if number >= self.numbers.len and vec_fill(&self.numbers, number + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        if self.numbers.data[number] == ABSENT:
            if self.examples.len == MAX_SURVEYED:
                return 1
            self.numbers.data[number] = <uint32_t>self.examples.len
            if vec_push(&self.examples, token) < 0 or vec_push(&self.counts, 0) < 0:
                return NO_MEMORY
        number = self.numbers.data[number]
        if self.counts.data[number] == MAX_LISTED:
            self.counts.data[number] = MANY
        if self.counts.data[number] == MANY:
            return OK
        self.counts.data[number] += 1
        words[0] = number
        words[1] = token
        return vec_extend(&self.pairs, words, 2)
