"""Some dozens of tokens end in a string's closing quote. They lead to few outcomes, and at most places of a grammar, the lists of
what may follow are among few, too. So for each outcome and each list it is found once which of these tokens can stand before none
of the list. At other places only these are looked at. (Along compact documents of MaskBench, four of five places ask for what was
found already.) What is found with an outline in place of a list holds under all grammars, so it is kept for all of them
(engine/masks/partition_notes.pxd).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.followers cimport OF_OUTLINE, Followers
from ffgrammar.engine.canonical.outlines cimport NOT_KNOWN
from ffgrammar.engine.masks.partition_cache cimport NOT_KEPT
from ffgrammar.engine.masks.partition_notes cimport partitions_find_long_note, partitions_keep_long_note
from ffgrammar.tokens.canonical.transitions cimport GOES_ON, IS_CUT

cdef enum:
    MANY_GROUPED = 128  # from this many tokens on, groups are kept for all grammars


@cython.final
cdef class Groups:
    """The groups of a grammar's surveys.

    Args:
        rules: the tokenizer's rules.
        followers: the grammar's lists of followers.
    """

    def __cinit__(self, CanonicalRules rules not None, Followers followers not None):
        self.rules = rules
        self.followers = followers
        vec_init(&self.words)
        vec_init(&self.outcomes)
        vec_init(&self.open)
        vec_init(&self.topic)
        if map_init(&self.found) < 0 or map_init(&self.left_by) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.found)
        map_free(&self.left_by)
        vec_free(&self.words)
        vec_free(&self.outcomes)
        vec_free(&self.open)
        vec_free(&self.topic)

    cdef size_t bytes(self) noexcept nogil:
        return map_bytes(&self.found) + map_bytes(&self.left_by) + self.words.cap * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        map_clear(&self.found)
        map_clear(&self.left_by)
        # (the memory counts in `bytes`, so it is freed)
        vec_free(&self.words)
        return OK

    cdef int find(
        self, Engine engine, uint32_t state, const SievePart* part, uint32_t listed_at, const uint32_t* tokens, uint32_t count,
        uint32_t* at,
    ) noexcept nogil:
        cdef uint64_t key = <uint64_t>listed_at << 32 | part.hypothesis << 2 | part.way
        cdef int status
        at[0] = map_get(&self.found, key)
        if at[0] != ABSENT:
            return OK
        at[0] = <uint32_t>self.words.len
        if count < MANY_GROUPED:
            status = self.make(part, tokens, count)
        else:
            status = self.make_shared(engine, state, part, tokens, count)
        if status >= 0:
            status = map_put(&self.found, key, at[0])
        if status < 0:
            self.words.len = at[0]
        return status

    cdef int make_shared(
        self, Engine engine, uint32_t state, const SievePart* part, const uint32_t* tokens, uint32_t count
    ) noexcept nogil:
        cdef size_t base = self.words.len
        cdef uint32_t[2] topic
        cdef int status
        # (the topics of judge_all_shared have more words)
        topic[0] = part.hypothesis << 2 | part.way
        topic[1] = tokens[0]
        status = partitions_find_long_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, topic, 2, &self.words)
        if status != NOT_KEPT:
            return min(status, OK)
        status = self.make(part, tokens, count)
        if status < 0:
            return status
        return partitions_keep_long_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, topic, 2, self.words.data + base,
            <uint32_t>(self.words.len - base))

    cdef int make(self, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil:
        cdef uint32_t outcomes = part.transition.count
        cdef size_t base = self.words.len
        cdef uint32_t groups = 0
        cdef uint32_t i, outcome, number, listed
        cdef int status
        self.outcomes.len = 0
        # (the last one is for BY_THEMSELVES)
        if vec_push(&self.words, 0) < 0 or vec_fill(&self.outcomes, outcomes + 1, 0) < 0:
            return NO_MEMORY
        for i in range(count):
            status = self.outcome_of(part, tokens[i], &outcome)
            if status < 0:
                return status
            if status:
                self.outcomes.data[min(outcome, outcomes)] += 1
        for number in range(outcomes + 1):
            listed = self.outcomes.data[number]
            if not listed:
                continue
            groups += 1
            if (vec_push(&self.words, number if number < outcomes else <uint32_t>BY_THEMSELVES) < 0
                    or vec_push(&self.words, listed) < 0):
                return NO_MEMORY
            self.outcomes.data[number] = <uint32_t>(self.words.len - base)
            if vec_fill(&self.words, listed, 0) < 0:
                return NO_MEMORY
        self.words.data[base] = groups
        for i in range(count):
            status = self.outcome_of(part, tokens[i], &outcome)
            if status < 0:
                return status
            if status:
                number = min(outcome, outcomes)
                self.words.data[base + self.outcomes.data[number]] = tokens[i]
                self.outcomes.data[number] += 1
        return OK

    cdef int outcome_of(self, const SievePart* part, uint32_t token, uint32_t* outcome) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef int reached
        outcome[0] = transition.after[token]
        if outcome[0] >= <uint32_t>IS_CUT:
            return 0
        reached = self.rules.merges.reached(token)
        if reached < 0:
            return NO_MEMORY
        if not reached or (self.rules.has_unmergeable and part.way != GOES_ON and self.rules.begins_unmergeable[token]):
            outcome[0] = BY_THEMSELVES
        return 1

    cdef int unfollowed(
        self, Engine engine, uint32_t state, const SievePart* part, uint32_t group, uint32_t number, uint32_t* at
    ) noexcept nogil:
        cdef uint64_t key = <uint64_t>group << 32 | number
        cdef int status
        at[0] = map_get(&self.left_by, key)
        if at[0] != ABSENT:
            return OK
        at[0] = <uint32_t>self.words.len
        if number & <uint32_t>OF_OUTLINE:
            status = self.judge_all_shared(engine, state, part, group, number)
        else:
            status = self.judge_all(group, number)
        if status >= 0:
            status = map_put(&self.left_by, key, at[0])
        if status < 0:
            self.words.len = at[0]
        return status

    cdef int judge_all_shared(
        self, Engine engine, uint32_t state, const SievePart* part, uint32_t group, uint32_t number
    ) noexcept nogil:
        cdef size_t base = self.words.len
        cdef const uint32_t* outline
        cdef uint32_t[3] words
        cdef uint32_t count
        cdef int status
        # (the tokens of a survey's list are in no other list of the survey)
        words[0] = self.words.data[group]
        words[1] = part.hypothesis << 2 | part.way
        words[2] = self.words.data[group + 2]
        self.topic.len = 0
        status = vec_extend(&self.topic, words, 3)
        outline = self.followers.lookahead.outlines.describe(number & ~<uint32_t>OF_OUTLINE, &count)
        if status < 0 or vec_extend(&self.topic, outline, count) < 0:
            return NO_MEMORY
        status = partitions_find_long_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, self.topic.data,
            <uint32_t>self.topic.len, &self.words)
        if status != NOT_KEPT:
            return min(status, OK)
        status = self.judge_all(group, number)
        if status < 0:
            return status
        return partitions_keep_long_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, self.topic.data,
            <uint32_t>self.topic.len, self.words.data + base, <uint32_t>(self.words.len - base))

    cdef int judge_all(self, uint32_t group, uint32_t number) noexcept nogil:
        cdef size_t base = self.words.len
        cdef uint32_t token, i
        cdef int status
        self.open.len = 0
        if vec_push(&self.words, 0) < 0:
            return NO_MEMORY
        for i in range(self.words.data[group + 1]):
            token = self.words.data[group + 2 + i]
            status = self.followers.judge(number, token)
            if status == 0:
                status = vec_push(&self.words, token)
            elif status == NOT_KNOWN:
                status = vec_push(&self.open, token)
            if status < 0:
                return status
        self.words.data[base] = <uint32_t>(self.words.len - base - 1)
        if vec_push(&self.words, <uint32_t>self.open.len) < 0:
            return NO_MEMORY
        return vec_extend(&self.words, self.open.data, self.open.len)
