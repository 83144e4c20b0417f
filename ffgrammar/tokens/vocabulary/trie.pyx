"""The vocabulary as a packed trie: a preorder array of 8-byte nodes, and the bytes of every token by id.

    trie = TokenTrie([b"a", b"ab", b"b"])
    trie.id_of(b"ab")        # 1
    trie.subtree(b"a")       # [0, 1]: the tokens that begin with "a", in byte order

The .pxd describes the nodes and how to walk over them. A trie is filled once, by one linear pass over the tokens in byte order, and
never changes, so any number of threads may read it. Only its index from bytes to ids is made later: plain masks do not need it. A
trie takes 10 bytes a node, 4 bytes an id, the tokens' bytes, and 8 to 16 bytes a token for the index: 4 MB for the 100,000 tokens
of cl100k.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from ffgrammar.core.fresh_pages cimport claim_pages, fresh_memory, fresh_zeros
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_put
from ffgrammar.tokens.vocabulary.byte_order cimport sort_by_bytes
from ffgrammar.tokens.vocabulary.front_coded cimport (
    FrontCoded, front_code, front_coded, front_coded_head, front_coded_id, front_coded_lengths, further_bytes, read_bytes,
    read_lengths, shared_bytes,
)
from ffgrammar.tokens.vocabulary.packed_tokens cimport SLACK, PackedTokens
from ffgrammar.tokens.vocabulary.token_index cimport TokenIndex, index_enter_all, index_open, index_replace

from ffgrammar.core.errors import TokenizerError

# pad_token = 32 * ceil(vocab_size / 32) must fit the 24 bits of TrieNode.word.
MAX_VOCAB_SIZE = (1 << 24) - 32
cdef uint32_t _MAX_VOCAB_SIZE = (1 << 24) - 32
# The size of the root's subtree must fit TrieNode.size.
cdef uint32_t _MAX_NODES = (1 << (32 - DEPTH_BITS)) - 1


cdef void _fill_nodes(TokenTrie trie, const FrontCoded* coded) noexcept nogil:
    """Writes the nodes and the lists of aliases. All nodes are zeros before. (The processor cannot guess how many bytes neighbours
    in byte order share. So no loop here runs over the bytes of one token.)"""
    cdef uint32_t made = _place_tokens(trie, coded)
    _set_bytes(trie, coded.suffixes, made)
    _set_sizes(trie, made)


cdef uint32_t _place_tokens(TokenTrie trie, const FrontCoded* coded) noexcept nogil:
    """Notes each token in the `word` of its last node, and in the `size` of its first new node how much less deep the walk is there
    than after the token before. Writes the lists of aliases. Returns how many nodes there are."""
    # (copies, because the compiler must assume that a write to the nodes may change the trie)
    cdef FrontCoded parts = coded[0]
    cdef TrieNode* nodes = trie.nodes
    cdef uint32_t pad = trie.pad_token
    cdef uint32_t made = 1, aliases = 0, most = 0, depth = 0, k, common, more, token = 0
    for k in range(parts.count):
        common = shared_bytes(&parts, k)
        more = further_bytes(&parts, k)
        if more == 0:
            trie.alias_of[aliases] = token
            trie.alias_id[aliases] = front_coded_id(&parts, k)
            aliases += 1
            continue
        token = front_coded_id(&parts, k)
        nodes[made].size = common - depth
        made += more
        nodes[made - 1].word = token ^ pad
        depth = common + more
        most = max(most, depth)
    trie.max_depth = most
    return made


cdef void _set_bytes(TokenTrie trie, const uint8_t* suffixes, uint32_t made) noexcept nogil:
    """Gives all nodes but the root their bytes, and their depths as `size`."""
    cdef TrieNode* nodes = trie.nodes
    cdef uint32_t pad = trie.pad_token
    cdef uint32_t i, depth = 0
    for i in range(1, made):
        depth += 1 + nodes[i].size
        nodes[i].size = depth
        nodes[i].word = (nodes[i].word ^ pad) << 8 | suffixes[i - 1]
        if depth == 1:
            trie.roots[suffixes[i - 1]] = i


cdef void _set_sizes(TokenTrie trie, uint32_t made) noexcept nogil:
    """Gives all nodes their sizes and heights, and the root its word, after `_set_bytes`. Children come before their parent."""
    cdef TrieNode* nodes = trie.nodes
    cdef uint16_t* heights = trie.heights
    # By depth: how many nodes there are at and below the siblings that were met, and how many levels at most
    cdef uint32_t size[MAX_TOKEN_BYTES + 2]
    cdef uint16_t height[MAX_TOKEN_BYTES + 2]
    cdef uint32_t i, depth, below
    cdef uint16_t levels
    memset(size, 0, sizeof(size))
    memset(height, 0, sizeof(height))
    nodes[0] = TrieNode(trie.pad_token << 8, 0)
    for i in range(made - 1, -1, -1):
        depth = nodes[i].size
        below = size[depth + 1] + 1
        levels = height[depth + 1]
        size[depth + 1] = 0
        height[depth + 1] = 0
        size[depth] += below
        height[depth] = max(height[depth], <uint16_t>(levels + 1))
        nodes[i].size = below << DEPTH_BITS | depth
        heights[i] = levels


cdef int _index_tokens(TokenTrie trie, TokenIndex* index) noexcept nogil:
    """Makes an index of all tokens. Of equal tokens, it has the one that represents their bytes. Returns OK or NO_MEMORY."""
    cdef uint32_t k
    if index_open(index, trie.blob, trie.offsets, trie.token_count) < 0:
        return NO_MEMORY
    claim_pages(index.slots, (<size_t>index.mask + 1) * sizeof(uint32_t))
    # (of several equal tokens, this enters the one with the lowest id)
    index_enter_all(index, trie.vocab_size)
    for k in range(trie.alias_count):
        if trie.alias_of[k] > trie.alias_id[k]:
            index_replace(index, trie.alias_id[k], trie.alias_of[k])
    return OK


@cython.final
cdef class TokenTrie:
    """The bytes of a vocabulary's tokens as a trie.

    Args:
        tokens: the tokens' bytes by id, PackedTokens or others; b"" or None for an id without bytes, such as a special
            token or a hole.
        vocab_size: how many ids there are, len(tokens) if not given. Ids from len(tokens) on have no bytes.
        secondary: ids that represent their bytes only where all ids with these bytes are secondary.
        keep_form: keep the front-coded form for a call of `front_coded`, which takes 5 ms without it (150,000 tokens).
            `drop_form` frees it.

    Attributes:
        vocab_size, n_words: how many ids there are, and how many 32-bit words a mask over them has.
        pad_token: what a node without a token carries: 32 * n_words.
        token_count: tokens that have bytes.
        node_count: nodes, the root (node 0) included.
        max_depth: bytes of the longest token in the trie.
        alias_count, long_count: lengths of `aliases` and `long_ids`.

    Raises:
        TokenizerError: a token is not bytes, there are more tokens than vocab_size, vocab_size is no int or is
            negative, or there is more than the format can hold (2**24 - 32 ids, 2**21 - 1 nodes, 2**32 - 1 bytes).
    """

    def __cinit__(self, tokens, vocab_size=None, secondary=(), bint keep_form=False):
        listed = tokens if isinstance(tokens, PackedTokens) else list(tokens)
        if vocab_size is None:
            vocab_size = len(listed)
        if not isinstance(vocab_size, int) or isinstance(vocab_size, bool):
            raise TokenizerError(f"vocab_size must be an int, not {type(vocab_size).__name__}")
        if not 0 <= vocab_size <= MAX_VOCAB_SIZE:
            raise TokenizerError(f"vocab_size is {vocab_size}; it must be between 0 and {MAX_VOCAB_SIZE}")
        if len(listed) > vocab_size:
            raise TokenizerError(f"there are {len(listed)} tokens, more than vocab_size={vocab_size}")
        self._reset(vocab_size)
        self._load_packed(listed if isinstance(listed, PackedTokens) else PackedTokens(listed), frozenset(secondary))
        if not keep_form:
            self.form = None

    @staticmethod
    def from_front_coded(const uint8_t[::1] raw not None, count, vocab_size, long_tokens=(), bint wide=False):
        """The trie of tokens in the front-coded form. Several tokens may have the same bytes. Each but the first of them shares
        all of its bytes with the token before it, and has no further ones.

        Args:
            raw: the front-coded form; pack.py describes its layout.
            count: how many tokens it holds.
            vocab_size: how many ids there are.
            long_tokens: (id, bytes) of the tokens that the trie cannot hold, of more than 1,024 bytes; ids ascend.
            wide: whether lengths have high bytes. These stand after the ids: first those of all shared lengths, then
                those of all further lengths.

        Raises:
            TokenizerError: the data are damaged, or too large.
        """
        if not 0 <= count <= vocab_size <= MAX_VOCAB_SIZE:
            raise TokenizerError(f"embedded vocabulary: {count} tokens do not fit vocab_size={vocab_size}")
        cdef TokenTrie trie = TokenTrie.__new__(TokenTrie, ())
        trie._reset(vocab_size)
        trie._load_front_coded(&raw[0] if len(raw) else NULL, len(raw), count, list(long_tokens), wide)
        return trie

    def front_coded(self):
        """The arguments of `from_front_coded` but for `vocab_size`: (raw, count, long_tokens, wide)."""
        cdef uint32_t count = self.token_count - self.long_count
        cdef uint32_t* order
        cdef bytearray raw = self.form
        if raw is None:
            order = <uint32_t*>fresh_memory(count, sizeof(uint32_t))
            try:
                self._list_in_order(order)
                raw = self._front_code(order, count)
            finally:
                free(order)
        return raw, count, [(token, self.token_bytes(token)) for token in self.long_ids], self.is_wide()

    def drop_form(self):
        """Free the front-coded form, if it is kept."""
        self.form = None

    cdef bint is_wide(self) noexcept nogil:
        cdef uint32_t token, length
        for token in range(self.vocab_size):
            length = self.offsets[token + 1] - self.offsets[token]
            if 0xFF < length <= MAX_TOKEN_BYTES:
                return True
        return False

    cdef int _reset(self, uint32_t vocab_size) except -1:
        self.vocab_size = vocab_size
        self.n_words = (vocab_size + 31) // 32
        self.pad_token = 32 * self.n_words
        self.form = None
        free(self.offsets)
        self.offsets = NULL
        self.offsets = <uint32_t*>fresh_zeros(<size_t>vocab_size + 1, sizeof(uint32_t))
        return 0

    cdef int _allocate_tokens(self, uint64_t blob_bytes) except -1:
        if blob_bytes > 0xFFFFFFFF:
            raise TokenizerError("the tokens have more than 2**32 - 1 bytes together")
        free(self.blob)
        self.blob = NULL
        self.blob = <uint8_t*>fresh_memory(blob_bytes + SLACK, 1)
        memset(self.blob + blob_bytes, 0, SLACK)
        return 0

    cdef int _load_packed(self, PackedTokens tokens, frozenset secondary) except -1:
        cdef uint32_t token, length, count = 0
        cdef uint8_t turn
        cdef uint32_t* order
        cdef uint8_t* last
        cdef uint64_t total = tokens.offsets[tokens.count]
        self._allocate_tokens(total)
        memcpy(self.blob, tokens.blob, total)
        memcpy(self.offsets, tokens.offsets, (<size_t>tokens.count + 1) * sizeof(uint32_t))
        for token in range(tokens.count, self.vocab_size):
            self.offsets[token + 1] = <uint32_t>total
        self._list_long_tokens()
        order = <uint32_t*>fresh_memory(self.vocab_size, sizeof(uint32_t))
        last = <uint8_t*>fresh_zeros(self.vocab_size, 1)
        try:
            for number in secondary:
                if 0 <= number < self.vocab_size:
                    last[<uint32_t>number] = True
            # Sorting is stable. So among equal tokens secondary ones come last, and ids ascend otherwise. The first token of
            # equal ones represents the bytes.
            for turn in range(2):
                for token in range(self.vocab_size):
                    length = self.offsets[token + 1] - self.offsets[token]
                    if last[token] == turn and 0 < length <= MAX_TOKEN_BYTES:
                        order[count] = token
                        count += 1
            if sort_by_bytes(self.blob, self.offsets, order, count) < 0:
                raise MemoryError
            self._build(order, count)
        finally:
            free(order)
            free(last)
        return 0

    cdef int _list_long_tokens(self) except -1:
        cdef uint32_t token, count = 0
        for token in range(self.vocab_size):
            count += self.offsets[token + 1] - self.offsets[token] > MAX_TOKEN_BYTES
        free(self.long_list)
        self.long_list = NULL
        self.long_list = <uint32_t*>fresh_zeros(count, sizeof(uint32_t))
        self.long_count = count
        count = 0
        for token in range(self.vocab_size):
            if self.offsets[token + 1] - self.offsets[token] > MAX_TOKEN_BYTES:
                self.long_list[count] = token
                count += 1
        return 0

    cdef int _load_front_coded(
        self, const uint8_t* raw, size_t size, uint32_t count, list long_tokens, bint wide
    ) except -1:
        cdef FrontCoded coded = front_coded(raw, count, wide)
        cdef uint64_t total = 0
        cdef uint32_t aliases = 0
        cdef const char* wrong
        with nogil:
            wrong = read_lengths(&coded, size, self.vocab_size, MAX_TOKEN_BYTES, self.offsets, &total, &aliases)
        if wrong == NULL:
            self._read_long_tokens(long_tokens, total)
            with nogil:
                wrong = read_bytes(&coded, size, self.offsets, self.blob)
        if wrong != NULL:
            raise TokenizerError(f"embedded vocabulary: {wrong.decode('ascii')}")
        return self._make_nodes(raw, size, count, wide, aliases)

    cdef int _read_long_tokens(self, list tokens, uint64_t others) except -1:
        cdef uint32_t* offsets = self.offsets
        cdef uint64_t total = others
        cdef uint32_t token, at = 0
        cdef bytes text
        for token, text in tokens:
            if token >= self.vocab_size or offsets[token + 1] or len(text) <= MAX_TOKEN_BYTES:
                raise TokenizerError("embedded vocabulary: a long token is wrong")
            offsets[token + 1] = <uint32_t>len(text)
            total += len(text)
        self._allocate_tokens(total)
        for token in range(self.vocab_size):
            at += offsets[token + 1]
            offsets[token + 1] = at
        for token, text in tokens:
            memcpy(self.blob + offsets[token], <const char*>text, len(text))
        if tokens:
            self._list_long_tokens()
        return 0

    cdef int _build(self, const uint32_t* order, uint32_t count) except -1:
        cdef bytearray raw = self._front_code(order, count)
        cdef bint wide = self.is_wide()
        cdef FrontCoded coded = front_coded(<const uint8_t*><char*>raw, count, wide)
        cdef uint32_t k, aliases = 0
        for k in range(count):
            aliases += further_bytes(&coded, k) == 0
        self.form = raw
        return self._make_nodes(<const uint8_t*><char*>raw, len(raw), count, wide, aliases)

    cdef bytearray _front_code(self, const uint32_t* order, uint32_t count):
        cdef uint16_t* lengths = <uint16_t*>fresh_memory(count, 2 * sizeof(uint16_t))
        cdef bint wide = self.is_wide()
        cdef uint64_t further
        cdef bytearray raw
        cdef uint8_t* target
        try:
            with nogil:
                further = front_coded_lengths(self.blob, self.offsets, order, count, lengths, lengths + count)
            _check_nodes(1 + further)
            raw = bytearray(front_coded_head(count, wide) + further)
            target = <uint8_t*><char*>raw
            with nogil:
                front_code(self.blob, self.offsets, order, lengths, count, wide, target)
        finally:
            free(lengths)
        return raw

    cdef int _make_nodes(self, const uint8_t* raw, size_t size, uint32_t count, bint wide, uint32_t aliases) except -1:
        # (each byte of the suffixes is a node)
        cdef uint64_t nodes = 1 + size - front_coded_head(count, wide)
        cdef FrontCoded coded = front_coded(raw, count, wide)
        _check_nodes(nodes)
        self._free_nodes()
        self.nodes = <TrieNode*>fresh_zeros(nodes, sizeof(TrieNode))
        self.heights = <uint16_t*>fresh_memory(nodes, sizeof(uint16_t))
        self.alias_of = <uint32_t*>fresh_zeros(aliases, sizeof(uint32_t))
        self.alias_id = <uint32_t*>fresh_zeros(aliases, sizeof(uint32_t))
        self.alias_count = aliases
        self.node_count = <uint32_t>nodes
        self.token_count = count + self.long_count
        with nogil:
            _fill_nodes(self, &coded)
        return 0

    cdef void _list_in_order(self, uint32_t* order) noexcept:
        cdef uint32_t at, made = 0, alias = 0
        for at in range(self.node_count):
            if node_token(&self.nodes[at]) == self.pad_token:
                continue
            order[made] = node_token(&self.nodes[at])
            # (aliases are listed in the order of the nodes of their representatives)
            while alias < self.alias_count and self.alias_of[alias] == node_token(&self.nodes[at]):
                made += 1
                order[made] = self.alias_id[alias]
                alias += 1
            made += 1

    cdef void _free_nodes(self) noexcept:
        free(self.nodes)
        free(self.heights)
        free(self.alias_of)
        free(self.alias_id)
        free(self.index.slots)
        self.nodes = NULL
        self.heights = NULL
        self.alias_of = NULL
        self.alias_id = NULL
        self.index.slots = NULL
        self.has_index = 0

    def __dealloc__(self):
        self._free_nodes()
        free(self.long_list)
        free(self.blob)
        free(self.offsets)

    cdef int need_index(self) except -1:
        cdef TokenIndex index
        # (without the GIL, two threads may get here)
        with cython.critical_section(self):
            if self.index.slots == NULL:
                if _index_tokens(self, &index) < 0:
                    raise MemoryError
                self.index = index
                # (written last: a thread that finds it set must find the index)
                atomic_put(&self.has_index, 1)
        return 0

    cdef int64_t find_node(self, const uint8_t* text, size_t count) noexcept nogil:
        cdef uint32_t at
        cdef size_t i
        if count == 0:
            return 0
        at = self.roots[text[0]]
        i = 1
        while at and i < count:
            at = trie_child(self.nodes, at, text[i])
            i += 1
        return <int64_t>at if at else -1

    cdef int32_t walk_to_token(self, const uint8_t* text, size_t count) noexcept nogil:
        cdef int64_t node = self.find_node(text, count)
        if node <= 0 or node_token(&self.nodes[node]) == self.pad_token:
            return -1
        return <int32_t>node_token(&self.nodes[node])

    cdef int64_t _checked_node(self, node) except -1:
        cdef int64_t at = _as_index(node)
        if not 0 <= at < self.node_count:
            raise IndexError(f"node {_shown(node)} is out of range: the trie has {self.node_count}")
        return at

    @property
    def aliases(self):
        """Pairs (representative, other) of ids with the same bytes. The representative is in the trie. It is the lowest id that
        is not secondary, or the lowest of all if all are secondary."""
        return [(self.alias_of[k], self.alias_id[k]) for k in range(self.alias_count)]

    @property
    def long_ids(self):
        """Ids of the tokens that are longer than 1,024 bytes and therefore not in the trie, ascending."""
        return [self.long_list[k] for k in range(self.long_count)]

    def token_bytes(self, token):
        """The bytes of a token, b"" if it has none. Raises TokenizerError if the id is out of range."""
        cdef int64_t at = _as_index(token)
        if not 0 <= at < self.vocab_size:
            raise TokenizerError(f"token {_shown(token)} is out of range: vocab_size is {self.vocab_size}")
        return self.blob[self.offsets[at] : self.offsets[at + 1]]

    def bytes_and_offsets(self):
        """(the bytes of all tokens in the order of ids, the offsets where they begin). There are vocab_size + 1 offsets, as
        uint32 in native byte order. The last one is the end of the bytes."""
        cdef size_t total = self.offsets[self.vocab_size]
        return (
            self.blob[:total],
            (<const char*>self.offsets)[: sizeof(uint32_t) * (<size_t>self.vocab_size + 1)],
        )

    def find(self, bytes prefix not None):
        """The node that the bytes `prefix` lead to (0 for b""), or -1."""
        return self.find_node(prefix, len(prefix))

    def id_of(self, bytes text not None):
        """The id that represents the bytes `text`, or -1."""
        self.need_index()
        return self.find_token(text, len(text))

    def node(self, node):
        """(byte, token or None, subtree size in nodes, depth) of a node. Raises IndexError if there is no such node."""
        cdef int64_t at = self._checked_node(node)
        cdef const TrieNode* it = &self.nodes[at]
        token = node_token(it)
        return node_byte(it), None if token == self.pad_token else token, node_size(it), node_depth(it)

    def children(self, node):
        """[(byte, node)] of a node's children, in byte order. Raises IndexError if there is no such node."""
        cdef int64_t at = self._checked_node(node)
        cdef int64_t end = subtree_end(self.nodes, <uint32_t>at)
        found = []
        at += 1
        while at < end:
            found.append((node_byte(&self.nodes[at]), at))
            at = subtree_end(self.nodes, <uint32_t>at)
        return found

    def subtree(self, bytes prefix not None):
        """Ids of the trie's tokens that begin with `prefix`, in byte order; no aliases, no long tokens."""
        cdef int64_t at = self.find(prefix)
        if at < 0:
            return []
        cdef int64_t end = subtree_end(self.nodes, <uint32_t>at)
        found = []
        while at < end:
            if node_token(&self.nodes[at]) != self.pad_token:
                found.append(node_token(&self.nodes[at]))
            at += 1
        return found

    def __reduce__(self):
        raise TypeError("a TokenTrie cannot be pickled; build it again from its tokenizer")

    def __repr__(self):
        return f"<TokenTrie: {self.token_count} tokens of {self.vocab_size} ids, {self.node_count} nodes>"


cdef int _check_nodes(uint64_t count) except -1:
    if count > _MAX_NODES:
        raise TokenizerError(f"the vocabulary's trie has {count} nodes, more than {_MAX_NODES}")
    return 0


cdef int64_t _as_index(value) except? -1:
    """A Python integer as int64. If it does not fit, -1, which is out of every range, too."""
    try:
        return value.__index__()
    except OverflowError:
        return -1
    except AttributeError:
        raise TokenizerError(f"expected an int, not {type(value).__name__}") from None


cdef str _shown(value):
    """A Python integer for an error message. For a huge one it says how many bits it has, because Python refuses to print
    it."""
    number = value.__index__()
    bits = number.bit_length()
    return str(number) if bits <= 1024 else f"of {bits} bits"
