"""Inside a JSON string most tokens lead back to the string itself. There any printable character may come, so the pre-token
can end: such a lexer state is *open*. Only a few hundred tokens lead to other states, those after a backslash or after the
closing quote. All of these tokens have a byte that leads from an open state to one that is not open, here a backslash or a
quote: a *turning byte*. (The backslash is one, too, where the state behind it is open: the letter `u` that may come next turns, and
is frequent.) So a survey takes a walk below those nodes of the trie that turning bytes lead to. If a turning byte
is frequent in tokens, as a letter is, the rest of the trie is walked, too. In a string whose characters are counted, a letter
is a turning byte only near the end. Then this walk leaves out subtrees that do not reach that depth. (Compared with walks
over the whole trie, canonical masks along compact documents of 500 schemas of MaskBench take 0.82 to 0.85 of the time.)
If all states that are not open are known, it ends as soon as many tokens lead to each of them. (On Gemma 2, canonical masks along
the documents of six schemas with counted strings take 0.92 of the time because of this.)
Where few bytes may come, as before a key, few tokens stay inside the lexeme, and one walk finds them all.

A survey is kept as a note (notes.pxd).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.map cimport ABSENT
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.notes cimport SURVEY, WHOLE_SURVEY, Notes
from ffgrammar.engine.canonical.reach cimport ANY_BYTE, Reach
from ffgrammar.engine.canonical.surroundings cimport PLACE_WORDS, Place, Surroundings, missing_after
from ffgrammar.engine.masks.partition_cache cimport NOT_KEPT
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, UNKNOWN, dfa_fill, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token, subtree_end,
)

cdef enum:
    PASSED = 0xFFFFFFFE  # in `numbers`: the state is open, or MANY tokens lead to it


@cython.final
cdef class Surveys:
    """The surveys of a grammar's lexer states.

    Args:
        rules: the tokenizer's rules.
        reach: the grammar's `Reach`.
        notes: the grammar's `Notes`.
    """

    def __cinit__(self, CanonicalRules rules not None, Reach reach not None, Notes notes not None):
        self.rules = rules
        self.notes = notes
        self.near = Surroundings(rules, reach)
        vec_init(&self.numbers)
        vec_init(&self.examples)
        vec_init(&self.counts)
        vec_init(&self.pairs)

    def __dealloc__(self):
        vec_free(&self.numbers)
        vec_free(&self.examples)
        vec_free(&self.counts)
        vec_free(&self.pairs)

    cdef int survey(self, Engine engine, uint32_t state, bint whole, uint32_t* offset) noexcept nogil:
        cdef uint32_t topic = WHOLE_SURVEY if whole else SURVEY
        cdef size_t base = self.notes.words.len
        cdef int status = self.notes.find(engine, state, topic, offset)
        if status == NOT_KEPT:
            self.near.whole = whole
            status = self.make_survey(engine, state)
            return self.notes.keep(engine, state, topic, base, status)
        return min(status, OK)

    cdef int make_survey(self, Engine engine, uint32_t state) noexcept nogil:
        # (few tokens stay inside the lexeme where few bytes may come)
        cdef int status = self.near.is_wide(engine, state)
        cdef bint everywhere = status == 0
        if status > 0:
            status = self.near.explore(engine, state)
            everywhere = self.near.lists_many(self.near.turning)
        self.numbers.len = self.examples.len = self.counts.len = self.pairs.len = 0
        self.is_done = False
        if status >= 0:
            status = self.walk_all(engine, state) if everywhere else self.walk_some(engine, state)
        if status > 0:
            return vec_push(&self.notes.words, TOO_MANY)
        return self.write_survey() if status == OK else status

    cdef int walk_all(self, Engine engine, uint32_t state) noexcept nogil:
        return self.walk(engine, state, 0, 1, self.rules.trie.node_count, False)

    cdef int walk_some(self, Engine engine, uint32_t state) noexcept nogil:
        cdef int status = self.add_places(engine) if self.near.whole else OK
        if status >= 0:
            status = self.walk_turning(engine, state)
        if status == OK and self.near.deep <= self.rules.trie.max_depth and not self.is_done:
            status = self.walk(engine, state, 0, 1, self.rules.trie.node_count, True)
        return status

    cdef int write_survey(self) noexcept nogil:
        cdef size_t base = self.notes.words.len
        cdef uint32_t number, count, next
        cdef size_t i
        if vec_push(&self.notes.words, <uint32_t>self.examples.len) < 0:
            return NO_MEMORY
        for number in range(<uint32_t>self.examples.len):
            count = self.counts.data[number]
            if self.write_example(self.examples.data[number], count) < 0:
                return NO_MEMORY
            if count != MANY:
                # from now on `counts` says where the next token of the list goes
                self.counts.data[number] = <uint32_t>(self.notes.words.len - base)
                if vec_fill(&self.notes.words, count, 0) < 0:
                    return NO_MEMORY
        for i in range(0, self.pairs.len, 2):
            number = self.pairs.data[i]
            next = self.counts.data[number]
            if next != MANY:
                self.notes.words.data[base + next] = self.pairs.data[i + 1]
                self.counts.data[number] += 1
        return OK

    cdef int write_example(self, uint32_t example, uint32_t count) noexcept nogil:
        cdef uint32_t[MAX_TOKEN_BYTES] way
        cdef uint32_t size
        if not example & <uint32_t>IS_WAY:
            return NO_MEMORY if vec_push(&self.notes.words, example) < 0 or vec_push(&self.notes.words, count) < 0 else OK
        size = self.near.write_way(example & ~<uint32_t>IS_WAY, <uint8_t*>way)
        if vec_push(&self.notes.words, size | <uint32_t>IS_WAY) < 0 or vec_push(&self.notes.words, count) < 0:
            return NO_MEMORY
        return vec_extend(&self.notes.words, way, way_words(size))

    cdef int add_places(self, Engine engine) noexcept nogil:
        cdef const Place* places = <const Place*>self.near.places.data
        cdef uint32_t i, token
        cdef int status
        for i in range(1, <uint32_t>(self.near.places.len // PLACE_WORDS)):
            if places[i].missing or (places[i].depth >= self.near.deep and not self.near.is_closed):
                continue
            status = self.near.find_example(engine, i, &token)
            if status >= 0:
                status = self.add_passed(places[i].state, token if status else i | <uint32_t>IS_WAY)
            if status < 0:
                return status
        return OK

    cdef int add_passed(self, uint32_t state, uint32_t example) noexcept nogil:
        cdef uint32_t number = state >> 8
        if number >= self.numbers.len and vec_fill(&self.numbers, number + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        self.numbers.data[number] = PASSED
        if vec_push(&self.examples, example) < 0 or vec_push(&self.counts, MANY) < 0:
            return NO_MEMORY
        return OK

    cdef int walk_turning(self, Engine engine, uint32_t state) noexcept nogil:
        cdef const uint32_t* nodes = self.rules.nodes_by_byte.nodes
        cdef const uint32_t* starts = self.rules.nodes_by_byte.starts
        cdef uint32_t[256] at, end
        cdef uint32_t count = 0
        cdef uint32_t passed = 0
        cdef uint32_t first = 0
        cdef uint32_t checked = ABSENT
        cdef uint32_t byte, i, least, target
        cdef int status = OK
        for byte in range(256):
            if bit_test(self.near.turning, byte):
                at[count] = starts[byte]
                end[count] = starts[byte + 1]
                count += 1
        while status == OK:
            least = ABSENT
            for i in range(count):
                while at[i] < end[i] and nodes[at[i]] < passed:
                    at[i] += 1
                if at[i] < end[i]:
                    least = min(least, nodes[at[i]])
            if least == ABSENT:
                return OK
            passed = least
            while self.rules.trie.roots[first] == 0 or subtree_end(self.rules.trie.nodes, self.rules.trie.roots[first]) <= least:
                first += 1
            if first != checked:
                checked = first
                status = dfa_step(&engine.recognizer.dfa, state, first, &target)
                if status >= 0 and target > LAST_STATE:
                    # (No token that begins with this byte stays inside the lexeme. On InternLM2, most of whose tokens begin with a
                    # space or a letter, canonical masks take 0.97 of the time with this.)
                    passed = subtree_end(self.rules.trie.nodes, self.rules.trie.roots[first])
                    continue
            if status >= 0:
                status = self.walk_node(engine, state, least)
                passed = subtree_end(self.rules.trie.nodes, least)
        return status

    cdef int walk_node(self, Engine engine, uint32_t state, uint32_t node) noexcept nogil:
        cdef const TrieNode* nodes = self.rules.trie.nodes
        cdef uint32_t below = node
        cdef uint8_t missing = 0
        cdef uint32_t i, start
        cdef int status
        while node_token(&nodes[below]) == self.rules.trie.pad_token:
            below += 1
        start = self.rules.trie.offsets[node_token(&nodes[below])]
        for i in range(start, start + node_depth(&nodes[node]) - 1):
            status = dfa_step(&engine.recognizer.dfa, state, self.rules.trie.blob[i], &state)
            if status < 0 or state > LAST_STATE:
                return min(status, OK)
            missing = missing_after(missing, self.rules.trie.blob[i])
        return self.walk(engine, state, missing, node, subtree_end(nodes, node), False)

    cdef int walk(
        self, Engine engine, uint32_t state, uint8_t missing, uint32_t at, uint32_t stop, bint rest
    ) noexcept nogil:
        cdef const TrieNode* nodes = self.rules.trie.nodes
        cdef const uint16_t* heights = self.rules.trie.heights
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data
        cdef uint32_t pad_token = self.rules.trie.pad_token
        cdef uint32_t[MAX_TOKEN_BYTES + 1] states
        cdef uint8_t[MAX_TOKEN_BYTES + 1] lacking  # by depth: how many bytes of the character are missing
        cdef uint32_t depth, byte, target
        cdef TrieNode node
        cdef int status
        states[node_depth(&nodes[at]) - 1] = state
        lacking[node_depth(&nodes[at]) - 1] = missing
        while at < stop:
            node = nodes[at]
            depth = node_depth(&node)
            byte = node_byte(&node)
            if rest and (depth + heights[at] < self.near.deep or bit_test(self.near.turning, byte)):
                at += node_size(&node)
                continue
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
            lacking[depth] = 0 if byte < 0x80 else missing_after(lacking[depth - 1], byte)
            if lacking[depth] or node_token(&node) == pad_token or (
                    target >> 8 < self.numbers.len and self.numbers.data[target >> 8] == PASSED):
                continue
            status = self.record(engine, target, node_token(&node), byte)
            if status != OK or (rest and self.is_done):
                return status
            delta = engine.recognizer.dfa.delta.data
        return OK

    cdef int record(self, Engine engine, uint32_t state, uint32_t token, uint32_t byte) noexcept nogil:
        cdef uint32_t[2] words
        cdef uint32_t* number
        cdef int status
        if state >> 8 >= self.numbers.len and vec_fill(&self.numbers, (state >> 8) + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        number = &self.numbers.data[state >> 8]
        if number[0] == ABSENT:
            status = self.near.is_open(engine, state, ANY_BYTE)
            if status > 0 and self.near.whole:
                return 1 if self.examples.len == MAX_SURVEYED else self.add_passed(state, token)
            if status != 0:
                number[0] = PASSED
                return min(status, OK)
        status = self.near.is_open(engine, state, byte)
        if status != 0:
            return min(status, OK)
        if number[0] == ABSENT:
            if self.examples.len == MAX_SURVEYED:
                return 1
            number[0] = <uint32_t>self.examples.len
            if vec_push(&self.examples, token) < 0 or vec_push(&self.counts, 0) < 0:
                return NO_MEMORY
        if self.counts.data[number[0]] == MAX_LISTED:
            self.counts.data[number[0]] = MANY
            number[0] = PASSED
            self.is_done = self.near.is_closed and self.has_passed_all()
            return OK
        self.counts.data[number[0]] += 1
        words[0] = number[0]
        words[1] = token
        return vec_extend(&self.pairs, words, 2)

    cdef bint has_passed_all(self) noexcept nogil:
        cdef uint32_t i, number
        for i in range(self.near.shut_count):
            number = self.near.shut[i] >> 8
            if number >= self.numbers.len or self.numbers.data[number] != PASSED:
                return False
        return True
