"""The packed trie of a vocabulary.

The trie is one array of 8-byte nodes in preorder: a node comes before its children, siblings come in byte order, and every
node knows the size of its subtree. So a walk never follows a pointer, and skipping a subtree is one addition. What a walk
learns at a node is needed only below this node, so the walk keeps one entry for each depth:

    known[0] = ...                      # of the root, which spells the empty text
    at = 1
    while at < node_count:
        node = &nodes[at]
        depth = node_depth(node)
        alive = ...                     # known[depth] from known[depth - 1] and node_byte(node)
        at = next_node(nodes, at, alive)

Such a walk costs 1.5 to 3 ns a node if a step is one load from a table. Tokens with the same bytes share a node. Special tokens
have no node, and neither have tokens of more than MAX_TOKEN_BYTES bytes.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.threads cimport atomic_load
from ffgrammar.tokens.vocabulary.packed_tokens cimport PackedTokens
from ffgrammar.tokens.vocabulary.token_index cimport TokenIndex, index_find

cdef enum:
    # The most bytes that a token in the trie may have. A walk has arrays of this size on the stack, so the limit is no higher
    # than models need: Claude has tokens of 1,024 spaces.
    MAX_TOKEN_BYTES = 1024
    DEPTH_BITS = 11


cdef struct TrieNode:
    # Read a node with the accessors below.
    uint32_t word  # token << 8 | byte; the token is pad_token where no token ends
    uint32_t size  # (how many nodes the subtree has, this one included) << DEPTH_BITS | depth


cdef inline uint32_t node_byte(const TrieNode* node) noexcept nogil:
    """The last byte that a node spells; the root has 0."""
    return node.word & 0xFF


cdef inline uint32_t node_token(const TrieNode* node) noexcept nogil:
    """The token that a node spells, or pad_token where it spells none. A mask that a walk fills has a spare word for the bit
    pad_token, so the walk may set the bit of any node without a test."""
    return node.word >> 8


cdef inline uint32_t node_size(const TrieNode* node) noexcept nogil:
    """How many nodes the subtree of a node has, itself included: 1 for a leaf."""
    return node.size >> DEPTH_BITS


cdef inline uint32_t node_depth(const TrieNode* node) noexcept nogil:
    """How many bytes a node spells: 0 for the root, 1 for its children."""
    return node.size & ((1 << DEPTH_BITS) - 1)


cdef inline uint32_t subtree_end(const TrieNode* nodes, uint32_t at) noexcept nogil:
    """The index after the last node of the subtree at `at`: that of the next sibling, if there is one."""
    return at + node_size(&nodes[at])


cdef inline uint32_t next_node(const TrieNode* nodes, uint32_t at, bint descend) noexcept nogil:
    """The node that a walk visits after the node at `at`. With `descend` it is the next one in preorder, which is the first
    child if there is one. Without, it is the first node after the subtree."""
    return at + 1 if descend else subtree_end(nodes, at)


cdef inline uint32_t trie_child(const TrieNode* nodes, uint32_t parent, uint32_t byte) noexcept nogil:
    """The child of `parent` for `byte`, or 0 (the root is nobody's child). Siblings are in byte order."""
    cdef uint32_t end = subtree_end(nodes, parent)
    cdef uint32_t at = parent + 1
    while at < end:
        if node_byte(&nodes[at]) >= byte:
            return at if node_byte(&nodes[at]) == byte else 0
        at = subtree_end(nodes, at)
    return 0


@cython.final
cdef class TokenTrie:
    cdef readonly uint32_t vocab_size   # token ids are 0 .. vocab_size - 1
    cdef readonly uint32_t n_words      # 32-bit words of one mask: ceil(vocab_size / 32)
    cdef readonly uint32_t pad_token    # 32 * n_words: the first bit after a mask
    cdef readonly uint32_t token_count  # tokens that have bytes, aliases and long tokens included
    cdef readonly uint32_t node_count
    cdef readonly uint32_t max_depth    # bytes of the longest token that is in the trie

    cdef TrieNode* nodes                # node_count of them; nodes[0] is the root
    cdef uint16_t* heights              # by node: how many levels its subtree has below it
    cdef uint32_t roots[256]            # child of the root by byte, 0 where there is none

    # Aliases: tokens with the same bytes as another token, which represents these bytes. alias_id[k] is such a token, and
    # alias_of[k] its representative. A plain mask allows both or neither.
    cdef readonly uint32_t alias_count
    cdef uint32_t* alias_of
    cdef uint32_t* alias_id

    # Tokens longer than MAX_TOKEN_BYTES: not in the trie.
    cdef readonly uint32_t long_count
    cdef uint32_t* long_list

    # The bytes of token i are blob[offsets[i]:offsets[i + 1]]. Special tokens, holes and surplus ids have none.
    cdef uint8_t* blob
    cdef uint32_t* offsets              # vocab_size + 1

    cdef TokenIndex index               # not to be used before `need_index` has been called
    cdef uint32_t has_index             # whether it is made

    cdef bytearray form                 # the front-coded form, if it is kept, or None

    # Make the index, if that has not been done. Returns 0, and may raise MemoryError. Call this before many tokens are looked up by
    # their bytes.
    cdef int need_index(self) except -1

    # The node that these bytes lead to, or -1. With `count` 0 it is the root.
    cdef int64_t find_node(self, const uint8_t* text, size_t count) noexcept nogil

    # The id that represents exactly these bytes, or -1. While there is no index, it is found by a walk down the trie. That takes
    # longer, and does not find long tokens.
    cdef inline int32_t find_token(self, const uint8_t* text, size_t count) noexcept nogil:
        return index_find(&self.index, text, count) if atomic_load(&self.has_index) else self.walk_to_token(text, count)

    # Part of `find_token`: the walk.
    cdef int32_t walk_to_token(self, const uint8_t* text, size_t count) noexcept nogil

    # The steps of the constructors follow. Unless its comment says otherwise, a method that returns an int returns 0, and may
    # raise MemoryError or TokenizerError.

    # Note the number of ids, and allocate `offsets`.
    cdef int _reset(self, uint32_t vocab_size) except -1

    # Allocate `blob` for this many bytes, and SLACK bytes (packed_tokens.pxd) after them.
    cdef int _allocate_tokens(self, uint64_t blob_bytes) except -1

    # Make nodes and aliases from `offsets` and `blob`. `order` has the ids of the `count` tokens to be placed, in byte order.
    cdef int _build(self, const uint32_t* order, uint32_t count) except -1

    # Returns the front-coded form of tokens (front_coded.pxd). `order` and `count` are those of `_build`.
    cdef bytearray _front_code(self, const uint32_t* order, uint32_t count)

    # Make nodes and aliases from `raw`, which is the front-coded form of `count` tokens and has `size` bytes. `wide` says
    # whether the form is wide. `aliases` says how many tokens in it have the same bytes as the token before them.
    cdef int _make_nodes(self, const uint8_t* raw, size_t size, uint32_t count, bint wide, uint32_t aliases) except -1

    # Whether the front-coded form of the tokens is wide: whether a token that is in the trie has more than 255 bytes.
    cdef bint is_wide(self) noexcept nogil

    # Copy the tokens, and make all of the trie.
    cdef int _load_packed(self, PackedTokens tokens, frozenset secondary) except -1

    # Make all of the trie from `raw`, which is the front-coded form of `count` tokens and has `size` bytes. `long_tokens` has
    # (id, bytes) of the tokens that are too long for the trie. `wide` says whether the form is wide.
    cdef int _load_front_coded(
        self, const uint8_t* raw, size_t size, uint32_t count, list long_tokens, bint wide
    ) except -1

    # After read_lengths: turn the lengths in `offsets` into offsets, allocate `blob`, and write to it the tokens that are too long
    # for the trie. `tokens` has (id, bytes) of these, and `others` is how many bytes the others have together.
    cdef int _read_long_tokens(self, list tokens, uint64_t others) except -1

    # List the tokens that are too long for the trie.
    cdef int _list_long_tokens(self) except -1

    # Write the ids of all tokens in the trie to `order`, in byte order, each alias after its representative.
    cdef void _list_in_order(self, uint32_t* order) noexcept

    # The index of a node that Python code passed in. Raises IndexError if there is no such node, TokenizerError if `node` is
    # no int.
    cdef int64_t _checked_node(self, node) except -1

    # Free what `_build` makes.
    cdef void _free_nodes(self) noexcept
