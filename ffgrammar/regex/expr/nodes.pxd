"""Hash-consed expressions over bytes: equal expressions have equal ids.

A node is a tuple of words, the kind first:

    SET w0..w7        one byte of a 256-bit set
    LIT offset length a run of bytes in the text arena
    CAT head tail     the head is never a CAT
    OR  members       sorted; AND likewise
    NOT expr          complement relative to all byte strings
    REP expr lo hi    hi = NO_BOUND: no upper bound
    MULT, PART        digit strings by the remainder of their value: see multiples.pxd
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern, intern_get, intern_len
from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec

cdef enum Kind:
    K_NOTHING
    K_EMPTY
    K_ANY
    K_SET
    K_LIT
    K_CAT
    K_OR
    K_AND
    K_NOT
    K_REP
    K_MULT
    K_PART

cdef enum:
    # reserved ids
    NOTHING = 0
    EMPTY = 1
    ANY = 2
    # REP without an upper bound
    NO_BOUND = 0xFFFFFFFF
    # lengths saturate here, so that sums of a few never overflow
    FAR = 0x0FFFFFFF
    # flags: low bits of Nodes.info; the recursion depth of a derivative is above them
    NULLABLE = 1
    ALIVE = 2      # known to match something
    DEAD_END = 4   # known to match nothing
    DEPTH_SHIFT = 3

cdef struct Nodes:
    Intern tuples
    Vec info
    Vec shortest        # per node: a lower bound of the length of its texts, at most FAR
    uint8_t* text
    size_t text_len
    size_t text_cap
    Map derivatives     # expr << 8 | byte -> expr
    Map classes         # expr << 8 | byte -> offset in class_words, of some unions
    Vec class_words     # bytes of the same class, as 256 bits
    Vec stack           # where members are collected; used as a stack by recursive kernels
    uint32_t max_nodes
    size_t max_words    # of all nodes together
    int words_limit     # the status that says so
    uint32_t max_members
    uint32_t max_depth
    uint32_t max_search


cdef inline const uint32_t* node(const Nodes* n, uint32_t e) noexcept nogil:
    return intern_get(&n.tuples, e)


cdef inline uint32_t node_kind(const Nodes* n, uint32_t e) noexcept nogil:
    return intern_get(&n.tuples, e)[0]


cdef inline uint32_t node_len(const Nodes* n, uint32_t e) noexcept nogil:
    return intern_len(&n.tuples, e)


cdef inline uint32_t only_first(const Nodes* n, uint32_t e) noexcept nogil:
    """The byte that all texts of an expression start with, if it is a literal or begins with one; else 256."""
    cdef const uint32_t* words = node(n, e)
    if words[0] == K_CAT:
        words = node(n, words[1])
    return n.text[words[1]] if words[0] == K_LIT else 256


cdef inline bint nullable(const Nodes* n, uint32_t e) noexcept nogil:
    return n.info.data[e] & NULLABLE


cdef inline uint32_t add_lengths(uint32_t a, uint32_t b) noexcept nogil:
    return FAR if a + b > FAR else a + b


cdef inline uint32_t part_count(const Nodes* n, uint32_t e) noexcept nogil:
    """How many parts, which are expressions, a node has: they are its first words after the kind."""
    cdef uint32_t kind = node_kind(n, e)
    if kind == K_OR or kind == K_AND or kind == K_CAT:
        return node_len(n, e) - 1
    return kind == K_NOT or kind == K_REP


cdef int nodes_init(Nodes* n) noexcept nogil
cdef void nodes_free(Nodes* n) noexcept nogil
cdef int nodes_copy(Nodes* to, const Nodes* n) noexcept nogil
cdef void nodes_truncate(Nodes* n, uint32_t count) noexcept nogil
cdef size_t nodes_bytes(const Nodes* n) noexcept nogil

# Constructors: they write the id to `out` and return a status. make_union and make_intersection take their members from
# the stack: the word at `base` is free for the kind, members follow up to the top; the stack is cut back to `base`.
cdef int add_node(
    Nodes* n, const uint32_t* words, size_t count, uint32_t flags, uint32_t depth, uint32_t shortest, uint32_t* out,
) noexcept nogil
cdef int make_set(Nodes* n, const uint32_t* bits, uint32_t* out) noexcept nogil
cdef int make_literal(Nodes* n, const uint8_t* text, uint32_t length, uint32_t* out) noexcept nogil
cdef int make_suffix(Nodes* n, uint32_t offset, uint32_t length, uint32_t* out) noexcept nogil
cdef int make_concat(Nodes* n, uint32_t head, uint32_t tail, uint32_t* out) noexcept nogil
cdef int make_union(Nodes* n, size_t base, uint32_t* out) noexcept nogil
cdef int make_intersection(Nodes* n, size_t base, uint32_t* out) noexcept nogil
cdef int make_complement(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil
cdef int make_repeat(Nodes* n, uint32_t e, uint32_t lo, uint32_t hi, uint32_t* out) noexcept nogil
