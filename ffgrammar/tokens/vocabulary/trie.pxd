"""The packed trie of a vocabulary, and the exact look-up of a token by its bytes.

The trie is one array of 8-byte nodes in preorder: a node comes before its children, siblings come in byte order, and every
node knows the size of its subtree. So a walk never follows a pointer, and skipping a subtree is one addition. A walk keeps
what it knows of each ancestor by depth, for that is all a node needs of them:

    known[0] = ...                      # of the root, which spells the empty text
    at = 1
    while at < node_count:
        node = &nodes[at]
        depth = node_depth(node)
        alive = ...                     # known[depth] from known[depth - 1] and node_byte(node)
        at = next_node(nodes, at, alive)

Such a walk costs 1.5 to 3 ns a node where a step is one load from a table. Tokens that share their bytes share a node, and
special tokens have none.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

cdef enum:
    MAX_TOKEN_BYTES = 255  # the depth of a node is 8 bits


cdef struct TrieNode:
    # Read it with the accessors below.
    uint32_t word  # token << 8 | byte; the token is pad_token where no token ends
    uint32_t size  # nodes of the subtree, this one included << 8 | depth


cdef inline uint32_t node_byte(const TrieNode* node) noexcept nogil:
    """The last byte of a node."""
    return node.word & 0xFF


cdef inline uint32_t node_token(const TrieNode* node) noexcept nogil:
    """The token that a node spells, or pad_token where it spells none. A mask has a spare bit for pad_token, so a walk may
    set it without a test."""
    return node.word >> 8


cdef inline uint32_t node_size(const TrieNode* node) noexcept nogil:
    """How many nodes the subtree of a node has, itself included: 1 for a leaf."""
    return node.size >> 8


cdef inline uint32_t node_depth(const TrieNode* node) noexcept nogil:
    """How many bytes a node spells: 0 for the root, 1 for its children."""
    return node.size & 0xFF


cdef inline uint32_t subtree_end(const TrieNode* nodes, uint32_t at) noexcept nogil:
    """The index after the last node of a subtree: that of the next sibling where there is one."""
    return at + node_size(&nodes[at])


cdef inline uint32_t next_node(const TrieNode* nodes, uint32_t at, bint descend) noexcept nogil:
    """Where a walk goes from a node: to the first child if it descends (to the next sibling where there is no child), past
    the subtree if it does not."""
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


cdef struct TokenIndex:
    # Open addressing, linear probing. A slot is (id + 1) << 8 | tag: most look-ups of a BPE merge miss, and the tag
    # lets them miss without touching the token's bytes.
    uint32_t* slots
    uint32_t mask
    uint32_t longest  # bytes of the longest token
    const uint8_t* blob
    const uint32_t* offsets


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """A 64-bit hash of a number: one multiplication and one shift."""
    value *= <uint64_t>0x9E3779B97F4A7C15
    return value ^ (value >> 29)


cdef inline uint64_t hash_bytes(const uint8_t* text, size_t count) noexcept nogil:
    """A 64-bit hash of the bytes; reads by words, so a token costs one or two multiplications."""
    cdef uint64_t word = 0, result = count
    cdef uint32_t low, high
    while count > 8:
        memcpy(&word, text, 8)
        result = mix(result ^ word)
        text += 8
        count -= 8
    if count >= 4:
        memcpy(&low, text, 4)
        memcpy(&high, text + count - 4, 4)
        word = <uint64_t>high << 32 | low
    elif count > 0:
        word = <uint64_t>text[0] << 16 | <uint64_t>text[count >> 1] << 8 | text[count - 1]
    else:
        word = 0
    return mix(mix(result ^ word))


cdef inline int32_t index_find(const TokenIndex* index, const uint8_t* text, size_t count) noexcept nogil:
    """The id that represents exactly these bytes, or -1."""
    cdef uint64_t key
    cdef uint32_t at, slot, token, start
    if count == 0 or count > index.longest:
        return -1
    key = hash_bytes(text, count)
    at = <uint32_t>(key >> 8) & index.mask
    while True:
        slot = index.slots[at]
        if slot == 0:
            return -1
        if (slot & 0xFF) == (key & 0xFF):
            token = (slot >> 8) - 1
            start = index.offsets[token]
            if index.offsets[token + 1] - start == count and memcmp(index.blob + start, text, count) == 0:
                return <int32_t>token
        at = (at + 1) & index.mask


cdef class TokenTrie:
    cdef readonly uint32_t vocab_size   # token ids are 0 .. vocab_size - 1
    cdef readonly uint32_t n_words      # 32-bit words of one mask: ceil(vocab_size / 32)
    cdef readonly uint32_t pad_token    # 32 * n_words: the first bit after a mask
    cdef readonly uint32_t token_count  # tokens that have bytes, aliases and long tokens included
    cdef readonly uint32_t node_count
    cdef readonly uint32_t max_depth    # bytes of the longest token that is in the trie

    cdef TrieNode* nodes                # node_count of them; nodes[0] is the root
    cdef uint8_t* heights               # per node: bytes of the longest way down from it
    cdef uint32_t roots[256]            # child of the root by byte, 0 where there is none

    # Tokens that share their bytes with the id that represents these: bit alias_id[k] of a mask equals bit alias_of[k].
    cdef readonly uint32_t alias_count
    cdef uint32_t* alias_of
    cdef uint32_t* alias_id

    # Tokens longer than MAX_TOKEN_BYTES: not in the trie.
    cdef readonly uint32_t long_count
    cdef uint32_t* long_list

    # Bytes by id: blob[offsets[i]:offsets[i + 1]], empty for special tokens, holes and surplus ids.
    cdef uint8_t* blob
    cdef uint32_t* offsets              # vocab_size + 1

    cdef TokenIndex index

    # The node that these bytes lead to, or -1. No bytes lead to the root.
    cdef int64_t find_node(self, const uint8_t* text, size_t count) noexcept nogil

    # The id that represents exactly these bytes (long tokens included), or -1.
    cdef int32_t find_token(self, const uint8_t* text, size_t count) noexcept nogil

    # The steps of the constructors follow. They return 0 and raise MemoryError or TokenizerError.

    # Forget everything, and take over the number of ids.
    cdef int _reset(self, uint32_t vocab_size) except -1

    # Make room for so many bytes of tokens.
    cdef int _allocate_tokens(self, uint64_t blob_bytes) except -1

    # Make nodes, aliases and index from `offsets`, `blob` and the ids of the tokens to be placed, in byte order.
    cdef int _build(self, const uint32_t* order, uint32_t count) except -1

    # Take tokens over from a list, and from the form that pack.py writes.
    cdef int _load_list(self, list tokens, frozenset secondary) except -1
    cdef int _load_front_coded(self, const uint8_t* raw, size_t size, uint32_t count) except -1

    # A node that Python code gave, or IndexError.
    cdef int64_t _checked_node(self, node) except -1

    # Free what `_build` makes.
    cdef void _free_nodes(self) noexcept
