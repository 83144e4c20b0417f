"""Inside a JSON string most tokens lead back to the string itself. There any printable character may come, so the pre-token
can end: such a lexer state is *open*. Only a few hundred tokens lead to other states, those after a backslash or after the
closing quote. All of these tokens have a byte that leads from an open state to one that is not open, here a backslash or a
quote: a *turning byte*. So a survey takes a walk below those nodes of the trie that turning bytes lead to. If a turning byte
is frequent in tokens, as a letter is, the rest of the trie is walked, too. In a string whose characters are counted, a letter
is a turning byte only near the end. Then this walk leaves out subtrees that do not reach that depth. (Compared with walks
over the whole trie, canonical masks along compact documents of 500 schemas of MaskBench take 0.82 to 0.85 of the time.)

A survey is kept as a note (notes.pxd).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.compare cimport bits_unlike
from ffgrammar.core.map cimport ABSENT
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.notes cimport SURVEY, WHOLE_SURVEY, Notes
from ffgrammar.engine.masks.partition_cache cimport NOT_KEPT
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, UNKNOWN, dfa_fill, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_size, node_token, subtree_end,
)

cdef enum:
    ALL_BITS = 0xFFFFFFFF
    PASSED = 0xFFFFFFFE  # in `numbers`: the state is open, or MANY tokens lead to it
    # the most places that `explore` looks at (with 24, canonical masks take 5% longer, with 256 they take 3% longer)
    MAX_AROUND = 128
    MAX_AROUND_WHOLE = 512  # for a whole survey; a counted string takes some 300
    PLACE_WORDS = 5      # of `around`
    MAX_NODES = 1 << 13  # the most nodes of the trie that the calls of find_example for one survey look at
    # A byte that leads to a state that is not open only after this many bytes need not be a turning byte: fewer subtrees may reach
    # that deep than have this byte somewhere.
    FAR = 6
    # If more than one of so many nodes are listed for some bytes, a walk over the whole trie takes less time.
    MUCH_LISTED = 8
    WIDE = 16            # a lexer state is wide if so many printable ASCII characters may come


cdef inline uint8_t missing_after(uint8_t missing, uint32_t byte) noexcept nogil:
    """How many bytes of a character are missing after a byte, if `missing` were missing before it."""
    if byte < 0x80:
        return 0
    if byte < 0xC0:
        return missing - (missing > 0)
    return 1 + (byte >= 0xE0) + (byte >= 0xF0)


cdef inline bint is_alphanumeric(uint32_t byte) noexcept nogil:
    return 0x30 <= byte <= 0x39 or 0x41 <= byte & ~<uint32_t>0x20 <= 0x5A


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
        self.reach = reach
        self.notes = notes
        vec_init(&self.numbers)
        vec_init(&self.examples)
        vec_init(&self.counts)
        vec_init(&self.pairs)
        vec_init(&self.around)

    def __dealloc__(self):
        vec_free(&self.numbers)
        vec_free(&self.examples)
        vec_free(&self.counts)
        vec_free(&self.pairs)
        vec_free(&self.around)

    cdef int survey(self, Engine engine, uint32_t state, bint whole, uint32_t* offset) noexcept nogil:
        cdef uint32_t topic = WHOLE_SURVEY if whole else SURVEY
        cdef size_t base = self.notes.words.len
        cdef int status = self.notes.find(engine, state, topic, offset)
        if status == NOT_KEPT:
            self.whole = whole
            status = self.make_survey(engine, state)
            return self.notes.keep(engine, state, topic, base, status)
        return min(status, OK)

    cdef int make_survey(self, Engine engine, uint32_t state) noexcept nogil:
        # (few tokens stay inside the lexeme where few bytes may come)
        cdef int status = self.is_wide(engine, state)
        cdef bint everywhere = status == 0
        if status > 0:
            status = self.explore(engine, state)
            self.settle_far()
            everywhere = self.lists_many(self.turning)
        self.numbers.len = self.examples.len = self.counts.len = self.pairs.len = 0
        if status >= 0:
            status = self.walk_all(engine, state) if everywhere else self.walk_some(engine, state)
        if status > 0:
            return vec_push(&self.notes.words, TOO_MANY)
        return self.write_survey() if status == OK else status

    cdef void settle_far(self) noexcept nogil:
        cdef uint32_t i
        if self.far >= self.deep:
            # (the walk over the rest of the trie finds these tokens, too)
            return
        if self.lists_many(self.far_turning):
            self.deep = self.far
            return
        for i in range(8):
            self.turning[i] |= self.far_turning[i]

    cdef bint lists_many(self, const uint32_t* bytes) noexcept nogil:
        cdef const uint32_t* starts = self.rules.nodes_by_byte.starts
        cdef uint64_t listed = 0
        cdef uint32_t byte
        for byte in range(256):
            if bit_test(bytes, byte):
                listed += starts[byte + 1] - starts[byte]
        return MUCH_LISTED * listed > self.rules.trie.node_count

    cdef int walk_all(self, Engine engine, uint32_t state) noexcept nogil:
        return self.walk(engine, state, 0, 1, self.rules.trie.node_count, False)

    cdef int walk_some(self, Engine engine, uint32_t state) noexcept nogil:
        cdef int status = self.add_places(engine) if self.whole else OK
        if status >= 0:
            status = self.walk_turning(engine, state)
        if status == OK and self.deep <= self.rules.trie.max_depth:
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
            if vec_push(&self.notes.words, self.examples.data[number]) < 0 or vec_push(&self.notes.words, count) < 0:
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

    cdef int is_open(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil:
        return self.is_wide(engine, state) if self.whole else self.ends_freely(engine, state, byte)

    cdef int ends_freely(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef const uint32_t* entered = NULL
        cdef uint32_t i, offset
        cdef int status = self.reach.ends_in(engine, state, &offset)
        if status < 0:
            return status
        if byte < 0x80:
            entered = self.rules.outcomes.entered + self.rules.pretokens.ascii[byte] * words
        for i in range(words):
            if self.rules.free_ends[i] & ~self.reach.ends.data[offset + i] & (entered[i] if entered != NULL else ALL_BITS):
                return 0
        return 1

    cdef int is_wide(self, Engine engine, uint32_t state) noexcept nogil:
        cdef uint32_t count = 0
        cdef uint32_t byte, target
        cdef int status
        for byte in range(0x20, 0x7F):
            status = dfa_step(&engine.recognizer.dfa, state, byte, &target)
            if status < 0:
                return status
            count += target <= LAST_STATE
        return count >= WIDE

    cdef int add_places(self, Engine engine) noexcept nogil:
        cdef const Place* places = <const Place*>self.around.data
        cdef uint32_t nodes_left = MAX_NODES
        cdef uint32_t i, token
        cdef int status
        for i in range(1, <uint32_t>(self.around.len // PLACE_WORDS)):
            if places[i].missing or places[i].depth >= self.deep:
                continue
            status = self.find_example(engine, i, &nodes_left, &token)
            if status == 0 and not (nodes_left and self.has_one_way(i)):
                # (the walk over the rest of the trie finds another token that leads there, if there is any)
                self.deep = min(self.deep, places[i].depth)
            elif status > 0:
                status = self.add_passed(places[i].state, token)
            if status < 0:
                return status
        return OK

    cdef bint has_one_way(self, uint32_t number) noexcept nogil:
        cdef const Place* places = <const Place*>self.around.data
        while number:
            if places[number].joined:
                return False
            number = places[number].before
        return True

    cdef int find_example(self, Engine engine, uint32_t number, uint32_t* nodes_left, uint32_t* token) noexcept nogil:
        cdef const Place* places = <const Place*>self.around.data
        cdef const TrieNode* nodes = self.rules.trie.nodes
        cdef uint32_t[MAX_TOKEN_BYTES + 1] states  # by depth: those of the places on the way
        cdef uint32_t last = places[number].depth
        cdef uint32_t at = 1
        cdef uint32_t depth = last
        cdef uint32_t target
        cdef int status
        while depth:
            states[depth] = places[number].state
            number = places[number].before
            depth -= 1
        states[0] = places[0].state
        while at < self.rules.trie.node_count and nodes_left[0]:
            nodes_left[0] -= 1
            depth = node_depth(&nodes[at])
            status = dfa_step(&engine.recognizer.dfa, states[depth - 1], node_byte(&nodes[at]), &target)
            if status < 0:
                return status
            if target == states[depth] and depth == last and node_token(&nodes[at]) != self.rules.trie.pad_token:
                token[0] = node_token(&nodes[at])
                return 1
            at = next_node(nodes, at, target == states[depth] and depth < last)
        return 0

    cdef int add_passed(self, uint32_t state, uint32_t token) noexcept nogil:
        cdef uint32_t number = state >> 8
        if number >= self.numbers.len and vec_fill(&self.numbers, number + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        self.numbers.data[number] = PASSED
        if vec_push(&self.examples, token) < 0 or vec_push(&self.counts, MANY) < 0:
            return NO_MEMORY
        return OK

    cdef int explore(self, Engine engine, uint32_t state) noexcept nogil:
        cdef size_t at = 0
        cdef Place place = Place(state, 0, 0, 0, False)
        cdef int status
        self.around.len = self.numbers.len = 0
        self.deep = self.far = ABSENT
        memset(self.turning, 0, sizeof(self.turning))
        memset(self.far_turning, 0, sizeof(self.far_turning))
        if vec_extend(&self.around, <const uint32_t*>&place, PLACE_WORDS) < 0:
            return NO_MEMORY
        while at < self.around.len:
            place = (<const Place*>(self.around.data + at))[0]
            at += PLACE_WORDS
            if place.depth >= min(self.deep, self.rules.trie.max_depth):
                break
            status = self.meet_next(engine, &place, <uint32_t>(at // PLACE_WORDS) - 1)
            if status < 0:
                return status
        return OK

    cdef int meet_next(self, Engine engine, const Place* place, uint32_t number) noexcept nogil:
        cdef uint32_t word, left, byte, target
        cdef Arrival now, last
        cdef int status
        last.state = ABSENT
        for word in range(8):
            left = bits_unlike(engine.recognizer.dfa.delta.data + place.state + 32 * word, DEAD)
            while left:
                byte = word << 5 | lowest_bit(left)
                left &= left - 1
                status = dfa_step(&engine.recognizer.dfa, place.state, byte, &target)
                if status < 0:
                    return status
                if target > LAST_STATE:
                    continue
                now.state = target
                now.missing = missing_after(<uint8_t>place.missing, byte)
                now.character = <uint32_t>self.rules.pretokens.ascii[byte] if byte < 0x80 else ABSENT
                if now.state == last.state and now.missing == last.missing and now.character == last.character:
                    continue
                status = self.meet(engine, &now, number, byte)
                if status < 0:
                    return status
                if status:
                    last = now
                if status and self.whole and byte < 0xC0:
                    # (as many bytes are missing after each of these 32 bytes, and its class does not matter)
                    left &= bits_unlike(engine.recognizer.dfa.delta.data + place.state + 32 * word, target)
        return OK

    cdef int meet(self, Engine engine, const Arrival* now, uint32_t before, uint32_t byte) noexcept nogil:
        cdef Place* places = <Place*>self.around.data
        cdef uint32_t depth = places[before].depth + 1
        cdef Place place = Place(now.state, now.missing, depth, before, False)
        cdef uint32_t number = now.state >> 8
        cdef uint32_t index = self.numbers.data[number] if number < self.numbers.len else ABSENT
        cdef bint known = index != ABSENT and places[index].missing == now.missing
        cdef int status = 1 if now.missing or (known and self.whole) else self.is_open(engine, now.state, byte)
        if status < 0:
            return status
        if status == 0 and self.rules.nodes_by_byte.is_listed[byte] and not (self.whole and depth >= FAR and is_alphanumeric(byte)):
            if depth >= FAR and not bit_test(self.turning, byte):
                bit_set(self.far_turning, byte)
                self.far = min(self.far, depth)
            else:
                bit_set(self.turning, byte)
            return 0
        if status and known:
            places[index].joined |= places[index].before != before
            return 1
        if status == 0 or self.around.len == PLACE_WORDS * (MAX_AROUND_WHOLE if self.whole else MAX_AROUND):
            self.deep = min(self.deep, depth)
            return 1
        if number >= self.numbers.len and vec_fill(&self.numbers, number + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        self.numbers.data[number] = <uint32_t>(self.around.len // PLACE_WORDS)
        return NO_MEMORY if vec_extend(&self.around, <const uint32_t*>&place, PLACE_WORDS) < 0 else 1

    cdef int walk_turning(self, Engine engine, uint32_t state) noexcept nogil:
        cdef const uint32_t* nodes = self.rules.nodes_by_byte.nodes
        cdef const uint32_t* starts = self.rules.nodes_by_byte.starts
        cdef uint32_t[256] at, end
        cdef uint32_t count = 0
        cdef uint32_t passed = 0
        cdef uint32_t byte, i, least
        cdef int status = OK
        for byte in range(256):
            if bit_test(self.turning, byte):
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
            if rest and (depth + heights[at] < self.deep or bit_test(self.turning, byte)):
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
            if status != OK:
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
            status = self.is_open(engine, state, ANY_BYTE)
            if status > 0 and self.whole:
                return 1 if self.examples.len == MAX_SURVEYED else self.add_passed(state, token)
            if status != 0:
                number[0] = PASSED
                return min(status, OK)
        status = self.is_open(engine, state, byte)
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
            return OK
        self.counts.data[number[0]] += 1
        words[0] = number[0]
        words[1] = token
        return vec_extend(&self.pairs, words, 2)
