"""See surroundings.pxd. The places are looked at in the order of their depth. Where a byte turns, nothing behind it is looked
at, unless it turns only because of a byte that comes next."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.compare cimport bits_unlike
from ffgrammar.core.map cimport ABSENT
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init
from ffgrammar.engine.canonical.characters cimport is_alphanumeric
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token

cdef enum:
    # the most places that `explore` looks at (with 24, canonical masks take 5% longer, with 256 they take 3% longer)
    MAX_AROUND = 128
    MAX_AROUND_WHOLE = 160  # for a whole survey (with 64, canonical masks on Gemma 2 take 1.1 times as long, with 512 1.02 times)
    MAX_NODES = 1 << 13  # the most nodes of the trie that the calls of find_example for one survey look at
    # A byte that leads to a state that is not open only after this many bytes need not be a turning byte: fewer subtrees may reach
    # that deep than have this byte somewhere. A letter or digit, which is frequent, is never one then in a whole survey.
    FAR = 6
    # If more than one node in this many is listed for some bytes, a walk over the whole trie takes less time.
    MUCH_LISTED = 8
    WIDE = 16  # a lexer state is wide if at least this many printable ASCII characters may come


@cython.final
cdef class Surroundings:
    """What is around a lexer state.

    Args:
        rules: the tokenizer's rules.
        reach: the grammar's `Reach`.
    """

    def __cinit__(self, CanonicalRules rules not None, Reach reach not None):
        self.rules = rules
        self.reach = reach
        vec_init(&self.places)
        vec_init(&self.place_of)

    def __dealloc__(self):
        vec_free(&self.places)
        vec_free(&self.place_of)

    cdef int explore(self, Engine engine, uint32_t state) noexcept nogil:
        cdef size_t at = 0
        cdef Place place = Place(state, 0, 0, 0, 0, 0)
        cdef int status
        self.places.len = self.place_of.len = 0
        self.nodes_left = MAX_NODES
        self.deep = self.far = ABSENT
        self.shut_count = 0
        self.is_closed = self.whole
        memset(self.turning, 0, sizeof(self.turning))
        memset(self.far_turning, 0, sizeof(self.far_turning))
        if vec_extend(&self.places, <const uint32_t*>&place, PLACE_WORDS) < 0:
            return NO_MEMORY
        while at < self.places.len:
            place = (<const Place*>(self.places.data + at))[0]
            at += PLACE_WORDS
            if place.depth >= self.rules.trie.max_depth or (place.depth >= self.deep and not self.is_closed):
                break
            status = self.meet_next(engine, &place, <uint32_t>(at // PLACE_WORDS) - 1)
            if status < 0:
                return status
        self.settle_far()
        self.is_closed = self.is_closed and self.is_shut(engine)
        return OK

    cdef int meet_next(self, Engine engine, const Place* place, uint32_t number) noexcept nogil:
        cdef uint32_t word, left, byte, target
        cdef Arrival now, last
        cdef int status
        last.state = last.missing = last.character = ABSENT
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
        cdef Place* places = <Place*>self.places.data
        cdef uint32_t depth = places[before].depth + 1
        cdef Place place = Place(now.state, now.missing, depth, before, byte, 0)
        cdef uint32_t number = now.state >> 8
        cdef uint32_t index = self.place_of.data[number] if number < self.place_of.len else ABSENT
        cdef bint known = index != ABSENT and places[index].missing == now.missing
        cdef int status = 1 if now.missing or (known and self.whole) else self.is_open(engine, now.state, byte)
        if status < 0:
            return status
        if status == 0 and places[before].depth >= self.deep:
            # (the walk over the rest of the trie finds these tokens)
            self.note_shut(now.state)
            return 1
        if status == 0 and self.rules.nodes_by_byte.is_listed[byte] and not (self.whole and depth >= FAR and is_alphanumeric(byte)):
            if depth >= FAR and not bit_test(self.turning, byte):
                bit_set(self.far_turning, byte)
                self.far = min(self.far, depth)
                self.note_shut(now.state)
            else:
                bit_set(self.turning, byte)
            return 0
        if status and known:
            if places[index].turned:
                self.turn(byte, depth)
            return not places[index].turned
        if status == 0 and before and (places[before].turned or self.turn_into(engine, before)):
            return 1
        if status == 0 or self.places.len == PLACE_WORDS * (MAX_AROUND_WHOLE if self.whole else MAX_AROUND):
            self.deep = min(self.deep, depth)
            if status == 0:
                self.note_shut(now.state)
            else:
                self.is_closed = False
            return 1
        if number >= self.place_of.len and vec_fill(&self.place_of, number + 1 - self.place_of.len, 0xFF) < 0:
            return NO_MEMORY
        self.place_of.data[number] = <uint32_t>(self.places.len // PLACE_WORDS)
        return NO_MEMORY if vec_extend(&self.places, <const uint32_t*>&place, PLACE_WORDS) < 0 else 1

    cdef bint turn_into(self, Engine engine, uint32_t number) noexcept nogil:
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data
        cdef Place* places = <Place*>self.places.data
        cdef uint32_t[8] bytes
        cdef uint32_t byte, i
        memset(bytes, 0, sizeof(bytes))
        # (other bytes that lead there come up after this, or from a place that was looked at before)
        for i in range(number + 1):
            for byte in range(256):
                if delta[places[i].state + byte] == places[number].state:
                    if not self.rules.nodes_by_byte.is_listed[byte]:
                        return False
                    bit_set(bytes, byte)
        for i in range(8):
            self.turning[i] |= bytes[i]
        places[number].turned = True
        return True

    cdef void note_shut(self, uint32_t state) noexcept nogil:
        cdef uint32_t i
        for i in range(self.shut_count):
            if self.shut[i] == state:
                return
        if self.shut_count == MAX_SHUT:
            self.is_closed = False
            return
        self.shut[self.shut_count] = state
        self.shut_count += 1

    cdef bint is_shut(self, Engine engine) noexcept nogil:
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data
        cdef uint32_t i, word
        for i in range(self.shut_count):
            for word in range(8):
                if bits_unlike(delta + self.shut[i] + 32 * word, DEAD) & ~self.turning[word]:
                    return False
        return True

    cdef void turn(self, uint32_t byte, uint32_t depth) noexcept nogil:
        if bit_test(self.turning, byte):
            return
        if self.rules.nodes_by_byte.is_listed[byte] and depth <= self.deep:
            bit_set(self.turning, byte)
        else:
            self.deep = min(self.deep, depth)
            self.is_closed = False

    cdef uint32_t write_way(self, uint32_t number, uint8_t* bytes) noexcept nogil:
        cdef const Place* places = <const Place*>self.places.data
        cdef uint32_t count = places[number].depth
        while number:
            bytes[places[number].depth - 1] = <uint8_t>places[number].byte
            number = places[number].before
        return count

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

    cdef int find_example(self, Engine engine, uint32_t number, uint32_t* token) noexcept nogil:
        cdef const Place* places = <const Place*>self.places.data
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
        while at < self.rules.trie.node_count and self.nodes_left:
            self.nodes_left -= 1
            depth = node_depth(&nodes[at])
            status = dfa_step(&engine.recognizer.dfa, states[depth - 1], node_byte(&nodes[at]), &target)
            if status < 0:
                return status
            if target == states[depth] and depth == last and node_token(&nodes[at]) != self.rules.trie.pad_token:
                token[0] = node_token(&nodes[at])
                return 1
            at = next_node(nodes, at, target == states[depth] and depth < last)
        return 0

    cdef int is_open(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil:
        return self.is_wide(engine, state) if self.whole else self.reach.ends_freely(engine, state, byte)

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
