"""Coverings of a byte prefix: the token sequences that are the tokenizer's own and cover the prefix, the last token its end.

Every text that begins with the prefix begins, in its tokens, with exactly one of them; so what a model says of the texts that
begin with some characters is the sum over the coverings (Vieira et al., "From Language Models over Tokens to Language Models
over Characters"). Few contexts are possible: inside a pre-token a string has one token sequence. They are found place by place
from the start of the prefix, each with the states of rules.pyx; and of each context the last tokens are those below a node of the
trie that may follow, which are listed when they are asked for.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, realloc

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.tokens.bpe.merge_loop cimport BpeStatus, Ids
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, FIRST, MAX_AHEAD, CanonicalState, CanonicalSequence, CanonicalRules
from ffgrammar.tokens.bpe.native_encoder cimport encode_pretokens, listed
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, node_size, node_token, trie_child

from ffgrammar.core.errors import TokenizerError

cdef extern from *:
    int bits_of "__builtin_popcount"(unsigned int) nogil

cdef enum:
    NOWHERE = 0xFFFFFFFF
    MAX_ENTRIES = 1 << 20
    MANY = 256  # nodes of the trie


cdef class Covering:
    """Covering(rules, kept, rest)\n--\n\nA context of a prefix and the last tokens that cover the rest of it.

    Attributes:
        kept: token ids that lie inside the prefix.
        position: how many bytes of the prefix these have.
        rest: the bytes of the prefix after these; every candidate begins with them.
    """

    def __cinit__(self, CanonicalRules rules not None, tuple kept not None, bytes rest not None):
        self.rules = rules
        self.kept = kept
        self.rest = rest

    cdef int find(self) except -1:
        cdef uint32_t words = self.rules.trie.n_words
        cdef bytearray mask
        cdef uint32_t* found
        cdef uint32_t count
        if self.mask is None:
            mask = bytearray(sizeof(uint32_t) * (<size_t>words + 1))
            found = <uint32_t*>PyByteArray_AS_STRING(mask)
            count = node_size(&self.rules.trie.nodes[self.node])
            if self.at.last < <uint32_t>UNCONSTRAINED and not self.at.character.need and count >= MANY:
                self.find_many(found, count)
            elif self.rules.follow(&self.at, self.node, self.rest, found, MAX_AHEAD) < 0:
                raise MemoryError
            self.mask = bytes(mask)[: sizeof(uint32_t) * words]
        return 0

    cdef int find_many(self, uint32_t* mask, uint32_t count) except -1:
        """The same by the successors of the last token, once these are worth their making: 0.2 ms instead of 0.4 for 2,200
        candidates."""
        cdef uint32_t words = self.rules.trie.n_words
        cdef Successors successors = self.rules.successors_for(count)
        cdef const uint32_t* beside
        cdef CanonicalState at = self.at
        cdef bytes bits
        cdef uint32_t i
        if successors is None:
            if self.rules.follow(&self.at, self.node, self.rest, mask, MAX_AHEAD) < 0:
                raise MemoryError
            return 0
        bits = successors.find(self.at.last)
        beside = <const uint32_t*><const char*>bits
        at.last = UNCONSTRAINED
        if self.rules.follow_one_way(&at, self.node, self.rest, False, mask, MAX_AHEAD) < 0:
            raise MemoryError
        for i in range(words):
            mask[i] &= beside[i]
        if self.rules.follow_one_way(&at, self.node, self.rest, True, mask, MAX_AHEAD) < 0:
            raise MemoryError
        return 0

    @property
    def position(self) -> int:
        """How many bytes of the prefix the kept tokens have."""
        return self.place

    @property
    def bitmask(self) -> bytes:
        """The candidates as a mask: little-endian 32-bit words, bit t & 31 of word t >> 5."""
        self.find()
        return self.mask

    @property
    def count(self) -> int:
        """How many candidates there are; at least one."""
        cdef const uint32_t* words
        cdef uint32_t i
        cdef int found = 0
        self.find()
        words = <const uint32_t*><const char*>self.mask
        for i in range(self.rules.trie.n_words):
            if words[i]:
                found += bits_of(words[i])
        return found

    @property
    def candidates(self):
        """Ids of the last tokens, ascending: int32 array."""
        import numpy

        self.find()
        bits = numpy.unpackbits(numpy.frombuffer(self.mask, dtype=numpy.uint8), bitorder="little")
        return numpy.flatnonzero(bits).astype(numpy.int32)

    def __repr__(self):
        return f"<Covering: {len(self.kept)} tokens kept, {self.position} bytes; {self.count} tokens begin with {self.rest!r}>"


cdef class Table:
    """The token sequences inside a prefix that grows, and the tokens that reach its end.

    Args:
        rules: of the tokenizer.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules

    def __dealloc__(self):
        free(self.entries)
        free(self.walks)

    cdef int begin(self, const CanonicalState* start) except -1:
        self.count = self.walked = self.place = self.walk_count = 0
        return self.add(start, NOWHERE)

    cdef int add(self, const CanonicalState* at, uint32_t before) except -1:
        cdef Entry* entries
        cdef uint32_t room
        if self.count == MAX_ENTRIES:
            raise TokenizerError(f"coverings: byte {self.place}: more than {MAX_ENTRIES} ways to begin the text")
        if self.count == self.room:
            room = 2 * self.room if self.room else 32
            entries = <Entry*>realloc(self.entries, room * sizeof(Entry))
            if entries == NULL:
                raise MemoryError
            self.entries = entries
            self.room = room
        self.entries[self.count].at = at[0]
        self.entries[self.count].before = before
        self.entries[self.count].place = self.place
        self.count += 1
        return 0

    cdef int start_walks(self) except -1:
        """Begin a token after each entry that ends here."""
        cdef Walk* walks
        cdef Walk* walk
        cdef uint32_t room
        while self.walked < self.count:
            if self.walk_count == self.walk_room:
                room = 2 * self.walk_room if self.walk_room else 16
                walks = <Walk*>realloc(self.walks, room * sizeof(Walk))
                if walks == NULL:
                    raise MemoryError
                self.walks = walks
                self.walk_room = room
            walk = self.walks + self.walk_count
            walk.entry = self.walked
            walk.node = 0
            walk.on = walk.ended = self.entries[self.walked].at
            walk.has_ended = walk.on.last != <uint32_t>FIRST and not walk.on.character.need
            walk.goes_on = not walk.on.unmergeable
            self.rules.start(&walk.on, False)
            self.rules.start(&walk.ended, True)
            self.walked += 1
            self.walk_count += 1
        return 0

    cdef int step(self, uint32_t byte) except -1:
        cdef TokenTrie trie = self.rules.trie
        cdef Walk* walk
        cdef uint32_t i
        cdef uint32_t left = 0
        self.start_walks()
        self.place += 1
        for i in range(self.walk_count):
            walk = self.walks + i
            walk.node = trie_child(trie.nodes, walk.node, byte)
            if walk.node == 0:
                continue
            walk.has_ended = walk.has_ended and self.rules.feed(&walk.ended, byte)
            walk.goes_on = walk.goes_on and self.rules.feed(&walk.on, byte)
            if not walk.has_ended and not walk.goes_on:
                continue
            if left < i:
                self.walks[left] = walk[0]
            left += 1
            if node_token(&trie.nodes[walk.node]) != trie.pad_token:
                self.take(walk, node_token(&trie.nodes[walk.node]))
        self.walk_count = left
        return 0

    cdef int take(self, const Walk* walk, uint32_t token) except -1:
        """Add the entry after a token, if that may come."""
        cdef CanonicalState after
        cdef uint32_t i, j
        cdef int ended = walk.has_ended
        cdef int went_on = walk.goes_on
        if ended:
            ended = self.rules.fits(&walk.ended, token, True)
        if went_on:
            went_on = self.rules.fits(&walk.on, token, False)
        if ended < 0 or went_on < 0:
            raise MemoryError
        if ended and went_on:
            after = walk.on
            # (inside the first character since the entry it is not known yet whether the pre-token ended)
            after.may_end |= walk.ended.may_end
            after.may_go_on |= walk.ended.may_go_on
            for i in range(walk.ended.count):
                for j in range(after.count):
                    if after.hypothesis[j] == walk.ended.hypothesis[i] and after.node[j] == walk.ended.node[i]:
                        break
                else:
                    after.hypothesis[after.count] = walk.ended.hypothesis[i]
                    after.node[after.count] = walk.ended.node[i]
                    after.count += 1
        elif ended:
            after = walk.ended
        elif went_on:
            after = walk.on
        else:
            return 0
        self.rules.settle(&after, token)
        return self.add(&after, walk.entry)

    cdef int read(self, bytes data) except -1:
        cdef const uint8_t* text = data
        cdef Py_ssize_t i
        for i in range(len(data)):
            self.step(text[i])
        return 0

    cdef list contexts(self):
        cdef list found = []
        cdef uint32_t i
        for i in range(self.walk_count):
            found.append((self.walks[i].entry, self.walks[i].node))
        found.reverse()
        return found

    cdef tuple kept(self, uint32_t number):
        cdef list tokens = []
        while self.entries[number].before != <uint32_t>NOWHERE:
            tokens.append(self.entries[number].at.last)
            number = self.entries[number].before
        tokens.reverse()
        return tuple(tokens)


cdef list find_coverings(CanonicalRules rules, const CanonicalState* start, bytes prefix, tuple before, uint32_t size_before):
    """The coverings of a prefix after `before`, which has so many bytes. Where the last token before cannot be followed by the
    prefix in any text of the tokenizer's own, it is not held against it."""
    cdef Table table = Table(rules)
    cdef list found = []
    cdef uint32_t number, node
    cdef Covering covering
    cdef CanonicalState anyhow
    cdef int status
    table.begin(start)
    table.read(prefix)
    for number, node in table.contexts():
        covering = Covering(rules, before + table.kept(number), prefix[table.entries[number].place:])
        covering.place = size_before + table.entries[number].place
        covering.at = table.entries[number].at
        covering.node = node
        status = rules.follow(&covering.at, node, covering.rest, NULL, MAX_AHEAD)
        if status < 0:
            raise MemoryError
        if status:
            found.append(covering)
    if not found and start.last < <uint32_t>UNCONSTRAINED:
        anyhow = start[0]
        anyhow.last = UNCONSTRAINED
        return find_coverings(rules, &anyhow, prefix, before, size_before)
    return found


cdef list tokens_of_pieces(CanonicalRules rules, bytes text, size_t stop):
    """The tokens of a text's pre-tokens up to a place where one ends."""
    cdef Ids ids = Ids(NULL, 0, 0)
    cdef size_t begun
    cdef BpeStatus status = encode_pretokens(rules, text, len(text), stop, &ids, &begun)
    return listed(status, &ids)


def coverings(CanonicalRules rules not None, bytes prefix not None):
    """The coverings of a text's beginning, as a list of Covering, from the one that keeps most to the one that keeps least.

    Args:
        rules: of the tokenizer.
        prefix: not empty; the beginning of a UTF-8 text.

    Raises:
        TokenizerError: no UTF-8 text begins so, or the prefix is too long.
    """
    cdef CanonicalState start
    tokens, settled, state = settled_before(rules, prefix)
    rules.begin(&start)
    if settled:
        # what comes next begins a pre-token, as the automaton finds out
        start.last = tokens[-1]
        start.hypothesis[0] = state
    return find_coverings(rules, &start, prefix[settled:], tuple(tokens), settled)


def settled_tokens(CanonicalRules rules not None, bytes text not None):
    """(the tokens of pre-tokens at the start of a text that no further text can change, how many bytes these have). Raises as
    `coverings`."""
    return settled_before(rules, text)[:2]


cdef tuple settled_before(CanonicalRules rules, bytes text):
    """The same, and the state before the next pre-token."""
    settled, state = rules.pretokens.settled(text)
    if not settled:
        return [], 0, 0
    whole = text.decode("utf-8", "ignore").encode()
    return tokens_of_pieces(rules, whole, settled), settled, state


def coverings_after(CanonicalSequence chain not None, bytes prefix not None):
    """The coverings of bytes that follow a token sequence; `kept` and `position` begin after it."""
    return find_coverings(chain.rules, &chain.at, prefix, (), 0)


def shared_tokens(found):
    """The tokens that all of some coverings begin with."""
    if not found:
        return []
    first, last = min(one.kept for one in found), max(one.kept for one in found)
    count = 0
    while count < len(first) and count < len(last) and first[count] == last[count]:
        count += 1
    tokens = list(first[:count])
    if len(found) == 1 and found[0].count == 1:
        tokens.append(int(found[0].candidates[0]))
    return tokens


cdef class GrowingPrefix:
    """Bytes that follow a token sequence and grow: how many tokens of them nothing that follows can change.

    Args:
        chain: the sequence; some text goes on after it.
    """

    def __cinit__(self, CanonicalSequence chain not None):
        self.table = Table(chain.rules)
        self.table.begin(&chain.at)
        self.data = bytearray()

    def read(self, bytes data not None):
        """Go on with bytes."""
        self.table.read(data)
        self.data += data

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data)

    def shared(self) -> int:
        """How many tokens all coverings of the bytes begin with."""
        cdef CanonicalRules rules = self.table.rules
        cdef const uint8_t* text = <const uint8_t*>PyByteArray_AS_STRING(self.data)
        cdef bytearray mask
        cdef tuple kept, first = None, last = None
        cdef uint32_t number, node
        cdef uint32_t count = 0
        cdef int status
        cdef list found = []
        for number, node in self.table.contexts():
            status = rules.follow(&self.table.entries[number].at, node, text + self.table.entries[number].place, NULL, MAX_AHEAD)
            if status < 0:
                raise MemoryError
            if status:
                found.append((number, node))
                kept = self.table.kept(number)
                first = kept if first is None else min(first, kept)
                last = kept if last is None else max(last, kept)
        if first is None:
            return 0
        while count < <uint32_t>min(len(first), len(last)) and first[count] == last[count]:
            count += 1
        if len(found) == 1:
            number, node = found[0]
            mask = bytearray(sizeof(uint32_t) * (<size_t>rules.trie.n_words + 1))
            rules.follow(
                &self.table.entries[number].at, node, text + self.table.entries[number].place,
                <uint32_t*>PyByteArray_AS_STRING(mask), MAX_AHEAD)
            count += int.from_bytes(mask, "little").bit_count() == 1
        return count
