"""Coverings of a byte prefix: the canonical token sequences whose last token covers the end of the prefix.

If a text begins with the prefix, its tokens begin with exactly one of the coverings. So the probability that a model gives to
all texts which begin with some characters is a sum over the coverings (Vieira et al., "From Language Models over Tokens to
Language Models over Characters").

    for covering in coverings(rules, b"Hello wor"):
        covering.kept          # (9906,): tokens inside the prefix
        covering.rest          # b" wor": the bytes of the prefix that the last token covers
        covering.candidates    # the ids that it may be, as int32

A context is what a covering keeps: its tokens without the last one. Few contexts are possible (2 in the median on cl100k and
o200k), because inside a pre-token a string has only one token sequence. The tokens of settled pre-tokens are found by encoding.
From there on the prefix is read byte by byte, with the states of rules.pyx. What a context leaves of the prefix leads to a node
of the trie. The candidates are those tokens at and below this node that may follow the context. They are found when they are
first asked for. This is the most expensive part.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, realloc

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.bits cimport bit_count
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.canonical.following cimport MAX_AHEAD, follow, follow_one_way
from ffgrammar.tokens.canonical.rules cimport FIRST, UNCONSTRAINED, CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sequence cimport CanonicalSequence
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, node_size, node_token, trie_child

from ffgrammar.core.errors import TokenizerError

cdef enum:
    NOWHERE = 0xFFFFFFFF
    MAX_CONTEXTS = 1 << 20
    MANY = 256  # from this many nodes of the trie on, successors may be used


cdef class Covering:
    """Covering(rules, kept, rest)\n--\n\nTokens inside a prefix, and the tokens that may come next and cover the rest of it.

    Attributes:
        kept: the ids of the tokens that lie inside the prefix.
        position: how many bytes of the prefix the kept tokens have.
        rest: the bytes of the prefix after the kept tokens. Every candidate begins with these bytes.
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
            elif follow(self.rules, &self.at, self.node, self.rest, found, MAX_AHEAD) < 0:
                raise MemoryError
            self.mask = bytes(mask)[: sizeof(uint32_t) * words]
        return 0

    cdef int find_many(self, uint32_t* mask, uint32_t count) except -1:
        # Successors are used once making them is worth it. With them, 2,200 candidates take 0.2 ms instead of 0.4 ms.
        cdef uint32_t words = self.rules.trie.n_words
        cdef Successors successors = self.rules.successors_for(count)
        cdef const uint32_t* beside
        cdef CanonicalState at = self.at
        cdef bytes bits
        cdef uint32_t i
        if successors is None:
            if follow(self.rules, &self.at, self.node, self.rest, mask, MAX_AHEAD) < 0:
                raise MemoryError
            return 0
        bits = successors.find(self.at.last)
        beside = <const uint32_t*><const char*>bits
        at.last = UNCONSTRAINED
        if follow_one_way(self.rules, &at, self.node, self.rest, False, mask, MAX_AHEAD) < 0:
            raise MemoryError
        for i in range(words):
            mask[i] &= beside[i]
        if follow_one_way(self.rules, &at, self.node, self.rest, True, mask, MAX_AHEAD) < 0:
            raise MemoryError
        return 0

    @property
    def position(self) -> int:
        """How many bytes of the prefix the kept tokens have."""
        return self.offset

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
                found += bit_count(words[i])
        return found

    @property
    def candidates(self):
        """The ids of the candidates, ascending, as an int32 array."""
        import numpy

        self.find()
        bits = numpy.unpackbits(numpy.frombuffer(self.mask, dtype=numpy.uint8), bitorder="little")
        return numpy.flatnonzero(bits).astype(numpy.int32)

    def __repr__(self):
        return f"<Covering: {len(self.kept)} tokens kept, {self.position} bytes; {self.count} tokens begin with {self.rest!r}>"


cdef class CoveringSearch:
    """The canonical token sequences inside a prefix that grows, and the tokens that reach its end.

    Args:
        rules: the rules of the tokenizer.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules
        rules.trie.need_index()

    def __dealloc__(self):
        free(self.contexts)
        free(self.tokens)

    cdef int begin(self, const CanonicalState* start) except -1:
        self.count = self.opened = self.size = self.token_count = 0
        return self.add(start, NOWHERE)

    cdef int add(self, const CanonicalState* at, uint32_t before) except -1:
        cdef Context* contexts
        cdef uint32_t room
        if self.count == MAX_CONTEXTS:
            raise TokenizerError(f"coverings: byte {self.size}: more than {MAX_CONTEXTS} ways to begin the text")
        if self.count == self.room:
            room = 2 * self.room if self.room else 32
            contexts = <Context*>realloc(self.contexts, room * sizeof(Context))
            if contexts == NULL:
                raise MemoryError
            self.contexts = contexts
            self.room = room
        self.contexts[self.count].at = at[0]
        self.contexts[self.count].before = before
        self.contexts[self.count].offset = self.size
        self.count += 1
        return 0

    cdef int open_tokens(self) except -1:
        cdef OpenToken* tokens
        cdef OpenToken* token
        cdef uint32_t room
        while self.opened < self.count:
            if self.token_count == self.token_room:
                room = 2 * self.token_room if self.token_room else 16
                tokens = <OpenToken*>realloc(self.tokens, room * sizeof(OpenToken))
                if tokens == NULL:
                    raise MemoryError
                self.tokens = tokens
                self.token_room = room
            token = self.tokens + self.token_count
            token.context = self.opened
            token.node = 0
            token.went_on = token.ended = self.contexts[self.opened].at
            token.may_end = token.went_on.last != <uint32_t>FIRST and not token.went_on.character.need
            token.may_go_on = not token.went_on.unmergeable
            self.rules.start(&token.went_on, False)
            self.rules.start(&token.ended, True)
            self.opened += 1
            self.token_count += 1
        return 0

    cdef int read(self, bytes data) except -1:
        cdef const uint8_t* text = data
        cdef Py_ssize_t i
        for i in range(len(data)):
            self.step(text[i])
        return 0

    cdef int step(self, uint32_t byte) except -1:
        cdef TokenTrie trie = self.rules.trie
        cdef OpenToken* token
        cdef uint32_t i
        cdef uint32_t left = 0
        self.open_tokens()
        self.size += 1
        for i in range(self.token_count):
            token = self.tokens + i
            token.node = trie_child(trie.nodes, token.node, byte) if token.node else trie.roots[byte]
            if token.node == 0:
                continue
            token.may_end = token.may_end and self.rules.feed(&token.ended, byte)
            token.may_go_on = token.may_go_on and self.rules.feed(&token.went_on, byte)
            if not token.may_end and not token.may_go_on:
                continue
            if left < i:
                self.tokens[left] = token[0]
            left += 1
            if node_token(&trie.nodes[token.node]) != trie.pad_token:
                self.close_token(token, node_token(&trie.nodes[token.node]))
        self.token_count = left
        return 0

    cdef int close_token(self, const OpenToken* read, uint32_t token) except -1:
        cdef CanonicalState after
        cdef int ended = read.may_end
        cdef int went_on = read.may_go_on
        if ended:
            ended = self.rules.fits(&read.ended, token, True)
        if went_on:
            went_on = self.rules.fits(&read.went_on, token, False)
        if ended < 0 or went_on < 0:
            raise MemoryError
        if not ended and not went_on:
            return 0
        after = read.went_on if went_on else read.ended
        if ended and went_on:
            unite(&after, &read.ended)
        if self.rules.settle(&after, token) < 0:
            raise MemoryError
        return self.add(&after, read.context)

    cdef list open_contexts(self):
        cdef list found = []
        cdef uint32_t i
        for i in range(self.token_count):
            found.append((self.tokens[i].context, self.tokens[i].node))
        found.reverse()
        return found

    cdef bint may_be_covered(self, uint32_t context, uint32_t node, const uint8_t* text, uint32_t* mask) except *:
        cdef int status = follow(
            self.rules, &self.contexts[context].at, node, text + self.contexts[context].offset, mask, MAX_AHEAD)
        if status < 0:
            raise MemoryError
        return status > 0

    cdef tuple kept(self, uint32_t number):
        cdef list tokens = []
        while self.contexts[number].before != <uint32_t>NOWHERE:
            tokens.append(self.contexts[number].at.last)
            number = self.contexts[number].before
        tokens.reverse()
        return tuple(tokens)


cdef void unite(CanonicalState* at, const CanonicalState* other) noexcept nogil:
    """Add the hypotheses of another state with the same bytes and tokens. The two states differ in whether the pre-token ended
    before the last token. Inside the first character after a context this is not known yet, so `may_end` and `may_go_on` are
    united too."""
    cdef uint32_t i, j
    at.may_end |= other.may_end
    at.may_go_on |= other.may_go_on
    for i in range(other.count):
        for j in range(at.count):
            if at.hypothesis[j] == other.hypothesis[i] and at.node[j] == other.node[i]:
                break
        else:
            if at.count == MAX_HYPOTHESES:
                return
            at.hypothesis[at.count] = other.hypothesis[i]
            at.node[at.count] = other.node[i]
            at.count += 1


cdef list find_coverings(CanonicalRules rules, const CanonicalState* start, bytes prefix, tuple before, uint32_t size_before):
    """The coverings of a prefix after the tokens `before`, which have `size_before` bytes. If the prefix cannot follow the last
    token of `start` in any canonical sequence, the search drops one constraint: that merges leave the next token beside that last
    token."""
    cdef CoveringSearch search = CoveringSearch(rules)
    cdef list found = []
    cdef uint32_t number, node
    cdef Covering covering
    cdef CanonicalState unconstrained
    search.begin(start)
    search.read(prefix)
    for number, node in search.open_contexts():
        if search.may_be_covered(number, node, prefix, NULL):
            covering = Covering(rules, before + search.kept(number), prefix[search.contexts[number].offset:])
            covering.offset = size_before + search.contexts[number].offset
            covering.at = search.contexts[number].at
            covering.node = node
            found.append(covering)
    if not found and start.last < <uint32_t>UNCONSTRAINED:
        unconstrained = start[0]
        unconstrained.last = UNCONSTRAINED
        return find_coverings(rules, &unconstrained, prefix, before, size_before)
    return found


def coverings(CanonicalRules rules not None, bytes prefix not None):
    """The coverings of a text's beginning, as a list of Covering, in descending order of `position`. The list is empty if no
    canonical sequence covers the prefix.

    Args:
        rules: the rules of the tokenizer.
        prefix: the beginning of a UTF-8 text, not empty. It may end inside a character.

    Raises:
        TokenizerError: no UTF-8 text begins with the prefix, a byte of a settled pre-token has no token, or there are too many
            contexts or hypotheses.
    """
    cdef CanonicalState start
    tokens, settled, state = settled_before(rules, prefix)
    rules.begin(&start)
    if settled:
        # (from this state the pre-token could also go on, but the rest of the prefix refutes that)
        start.last = tokens[-1]
        start.hypothesis[0] = state
    return find_coverings(rules, &start, prefix[settled:], tuple(tokens), settled)


def settled_tokens(CanonicalRules rules not None, bytes text not None):
    """Encodes those pre-tokens at the start of a text that no further text can change. Returns (their tokens as a list, how many
    bytes they have).

    Raises:
        TokenizerError: no UTF-8 text begins with `text`, a byte has no token, or there are too many hypotheses.
    """
    return settled_before(rules, text)[:2]


cdef tuple settled_before(CanonicalRules rules, bytes text):
    """The two values of `settled_tokens`, and the automaton's state before the next pre-token."""
    settled, state = rules.pretokens.settled(text)
    if not settled:
        return [], 0, 0
    whole = text.decode("utf-8", "ignore").encode()
    return rules.encoder.encode_until(whole, settled), settled, state


def coverings_after(CanonicalSequence sequence not None, bytes prefix not None):
    """The coverings of bytes that follow a token sequence, as a list like that of `coverings`. `kept` and `position` count from
    the end of the sequence.

    Raises:
        TokenizerError: there are too many contexts.
    """
    return find_coverings(sequence.rules, &sequence.at, prefix, (), 0)


def shared_tokens(found):
    """The tokens that all of these coverings begin with: they stay, whatever text follows. If there is only one covering, and
    it has only one candidate, this candidate is one of them."""
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
