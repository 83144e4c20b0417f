"""Coverings of a byte prefix: the token sequences that are the tokenizer's own and cover the prefix, the last token its end.

Every text that begins with the prefix begins, in its tokens, with exactly one of them; so what a model says of the texts that
begin with some characters is the sum over the coverings (Vieira et al., "From Language Models over Tokens to Language Models
over Characters"). Few contexts are possible: inside a piece a string has one token sequence. They are found place by place from
the start of the prefix, each with the states of canon.pyx; and of each context the last tokens are those below a node of the
trie that may follow, which are listed when they are asked for.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport calloc, free, realloc

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.tokens.bpe cimport BpeStatus, Ids
from ffgrammar.tokens.canon cimport ANY, MOST_AHEAD, Canon, CanonChain, CanonRules
from ffgrammar.tokens.own_encoder cimport encode_pieces, listed
from ffgrammar.tokens.trie cimport TokenTrie, node_token, trie_child

from ffgrammar.core.errors import TokenizerError

cdef extern from *:
    int bits_of "__builtin_popcount"(unsigned int) nogil

cdef enum:
    NOWHERE = 0xFFFFFFFF
    MOST_BYTES = 1 << 24


cdef class Covering:
    """A context of a prefix and the last tokens that cover the rest of it.

    Attributes:
        kept: token ids that lie inside the prefix.
        position: how many bytes of the prefix these have.
        rest: the bytes of the prefix after these; every candidate begins with them.
    """

    def __cinit__(self, CanonRules rules not None, tuple kept not None, bytes rest not None):
        self.rules = rules
        self.kept = kept
        self.rest = rest

    cdef int find(self) except -1:
        cdef uint32_t words = self.rules.trie.n_words
        cdef bytearray mask
        cdef int status
        if self.mask is None:
            mask = bytearray(sizeof(uint32_t) * (<size_t>words + 1))
            status = self.rules.follow(&self.at, self.node, self.rest, <uint32_t*>PyByteArray_AS_STRING(mask), MOST_AHEAD)
            if status < 0:
                raise MemoryError
            self.mask = bytes(mask)[: sizeof(uint32_t) * words]
        return 0

    @property
    def position(self) -> int:
        return self.place

    @property
    def bitmask(self) -> bytes:
        """The candidates as a mask: little-endian 32-bit words, bit t & 31 of word t >> 5."""
        self.find()
        return self.mask

    @property
    def count(self) -> int:
        """How many candidates there are; at least one."""
        cdef const uint8_t* data
        cdef Py_ssize_t i
        cdef int found = 0
        self.find()
        data = self.mask
        for i in range(len(self.mask)):
            found += bits_of(data[i])
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
    """The token sequences inside a prefix, by where they end."""

    def __cinit__(self, CanonRules rules not None, bytes prefix not None):
        self.rules = rules
        self.prefix = prefix
        if len(prefix) >= MOST_BYTES:
            raise TokenizerError(f"coverings: the prefix has {len(prefix)} bytes; {MOST_BYTES} are too many")
        self.heads = <uint32_t*>calloc(len(prefix) + 1, sizeof(uint32_t))
        if self.heads == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.heads)
        free(self.entries)

    cdef int add(self, const Canon* at, uint32_t before, uint32_t place) noexcept nogil:
        cdef Entry* entries
        cdef uint32_t room
        if self.count == self.room:
            room = 2 * self.room if self.room else 32
            entries = <Entry*>realloc(self.entries, room * sizeof(Entry))
            if entries == NULL:
                return -1
            self.entries = entries
            self.room = room
        self.entries[self.count].at = at[0]
        self.entries[self.count].before = before
        self.entries[self.count].place = place
        self.entries[self.count].next = self.heads[place]
        self.count += 1
        self.heads[place] = self.count
        return 0

    cdef int extend(self, uint32_t number, list found) except -1:
        """Add the entries that follow one with a token inside the prefix; and list it if a token reaches the end from it."""
        cdef TokenTrie trie = self.rules.trie
        cdef const uint8_t* text = self.prefix
        cdef uint32_t size = <uint32_t>len(self.prefix)
        cdef uint32_t place = self.entries[number].place
        cdef uint32_t node = 0
        cdef uint32_t at = place
        while at < size:
            node = trie_child(trie.nodes, node, text[at])
            if node == 0:
                break
            at += 1
            if at < size and node_token(&trie.nodes[node]) != trie.pad_token:
                self.take(number, node_token(&trie.nodes[node]), at)
        if node and at == size:
            found.append((number, node))
        return 0

    cdef int take(self, uint32_t number, uint32_t token, uint32_t place) except -1:
        cdef Canon after = self.entries[number].at
        cdef int status = self.rules.push(&after, token)
        if status > 0:
            status = self.add(&after, number, place)
        if status < 0:
            raise MemoryError
        return 0

    cdef list contexts(self, const Canon* start):
        """[(entry, node of the trie)] where some token reaches the end, from the one that keeps most to the one that keeps
        least. Whether it may come is not asked yet."""
        cdef list found = []
        cdef uint32_t place, number
        if self.add(start, NOWHERE, 0) < 0:
            raise MemoryError
        for place in range(<uint32_t>len(self.prefix)):
            number = self.heads[place]
            while number:
                self.extend(number - 1, found)
                number = self.entries[number - 1].next
        found.reverse()
        return found

    cdef tuple kept(self, uint32_t number):
        cdef list tokens = []
        while self.entries[number].before != <uint32_t>NOWHERE:
            tokens.append(self.entries[number].at.last)
            number = self.entries[number].before
        tokens.reverse()
        return tuple(tokens)


cdef list find_coverings(CanonRules rules, const Canon* start, bytes prefix, tuple before, uint32_t size_before):
    """The coverings of a prefix after `before`, which has so many bytes. Where the last token before cannot be followed by the
    prefix in any text of the tokenizer's own, it is not held against it."""
    cdef Table table = Table(rules, prefix)
    cdef list found = []
    cdef uint32_t number, node
    cdef Covering covering
    cdef Canon anyhow
    cdef int status
    for number, node in table.contexts(start):
        covering = Covering(rules, before + table.kept(number), prefix[table.entries[number].place:])
        covering.place = size_before + table.entries[number].place
        covering.at = table.entries[number].at
        covering.node = node
        status = rules.follow(&covering.at, node, covering.rest, NULL, MOST_AHEAD)
        if status < 0:
            raise MemoryError
        if status:
            found.append(covering)
    if not found and start.last < <uint32_t>ANY:
        anyhow = start[0]
        anyhow.last = ANY
        return find_coverings(rules, &anyhow, prefix, before, size_before)
    return found


cdef list tokens_of_pieces(CanonRules rules, bytes text, size_t stop):
    """The tokens of a text's pieces up to a place where one ends."""
    cdef Ids ids = Ids(NULL, 0, 0)
    cdef size_t begun
    cdef BpeStatus status = encode_pieces(rules, text, len(text), stop, &ids, &begun)
    return listed(status, &ids)


def coverings(CanonRules rules not None, bytes prefix not None):
    """The coverings of a text's beginning, as a list of Covering, from the one that keeps most to the one that keeps least.

    Args:
        rules: of the tokenizer.
        prefix: not empty; the beginning of a UTF-8 text.

    Raises:
        TokenizerError: no UTF-8 text begins so, or the prefix is too long.
    """
    cdef Canon start
    rules.begin(&start)
    settled, state = rules.pieces.settled(prefix)
    if settled:
        whole = prefix.decode("utf-8", "ignore").encode()
        before = tokens_of_pieces(rules, whole, settled)
        # what comes next begins a piece, as the automaton finds out
        start.last = before[-1]
        start.guess[0] = state
    else:
        before = []
    return find_coverings(rules, &start, prefix[settled:], tuple(before), settled)


def coverings_after(CanonChain chain not None, bytes prefix not None):
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
