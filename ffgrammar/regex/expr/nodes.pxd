"""Hash-consed expressions over bytes: equal nodes have equal ids.

`Nodes` is the store of one grammar. An expression is the id of a node. So two expressions are compared by comparing two
ints. A derivative that was computed once is found again by the id and the byte. Nodes are never freed one by one:
`nodes_truncate` forgets the newest.

A node is a tuple of words in `Nodes.tuples`, the kind first:

    NOTHING           no text, not even the empty one
    EMPTY             the empty text
    ANY               all byte strings
    SET w0..w7        one byte of a 256-bit set
    LIT offset length a run of two or more bytes in `Nodes.text`
    CAT head tail     the head, then the tail; the head is never a CAT
    OR  members       what any member matches; members are sorted by id
    AND members       what all members match; members are sorted by id
    NOT expr          complement relative to all byte strings
    REP expr lo hi    lo to hi times the expression; hi = NO_BOUND: no upper bound
    MULT, PART        digit strings whose value is a multiple of a number: see multiples.pxd
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern, intern_get, intern_len
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.pulse cimport Pulse
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
    # Ids that are the same in every store
    NOTHING = 0
    EMPTY = 1
    ANY = 2
    # In REP and MULT: no upper bound
    NO_BOUND = 0xFFFFFFFF
    # A length above FAR counts as FAR, so that a sum of two lengths never overflows
    FAR = 0x0FFFFFFF
    # The low bits of Nodes.info; above them is the depth to which a derivative recurses
    NULLABLE = 1
    ALIVE = 2      # known to match something
    DEAD_END = 4   # known to match nothing
    DEPTH_SHIFT = 3
    # For each step of `Limits.emptiness_steps`, so many visits are allowed to the searches of one call together, and
    # COMPILE_CALLS times as many to those of a compilation.
    VISITS_A_STEP = 2000
    COMPILE_CALLS = 8

cdef struct Nodes:
    Owner owner
    Intern tuples       # the words of each node
    Vec info            # per node: flags and depth
    Vec shortest        # per node: a lower bound of the length of its texts, at most FAR
    Vec remaining       # per node: an estimate of how many bytes a match needs, at most FAR
    uint8_t* text       # the bytes of all literals
    size_t text_len
    size_t text_cap
    Map derivatives     # expr << 8 | byte -> expr
    Map classes         # for some unions: expr << 8 | byte -> offset in class_words
    Vec loops           # scratch: members that begin with a loop, as a heap with the least lower bound first (loops.pyx)
    Map loop_places     # scratch: the inner part of a loop << 32 | what follows -> the place of the last such member on the stack
    Map rounds          # expr << 32 | unit -> the rounds of an expression (witness.pyx)
    Map within          # expr << 32 | expr -> whether the texts of the first are known to be texts of the second
    Vec search_texts    # texts by which searches ended (search_texts.pyx)
    uint32_t texts_kept  # how many texts of long searches were kept so far
    Vec class_words     # byte classes, 8 words of bits each
    Vec stack           # members of a node to be made; recursive kernels use it as a stack
    uint32_t max_nodes
    size_t max_words    # of all nodes together
    int words_limit     # the status to return when `max_words` is exceeded
    uint32_t max_members  # of one union or intersection
    uint32_t max_depth
    uint32_t max_search  # expressions that one emptiness search may meet
    uint64_t visits      # nodes that were looked at to find byte classes: most of the work of searches
    uint64_t visit_end   # when there are more visits than this, searches end
    uint64_t work_end    # a search or a new state of an automaton ends with WIDE when more work is done (pulse.pxd); 0: never
    Pulse pulse          # counts all work of the grammar's kernels


# Accessors. None of them checks that `e` is an id of the store.

# The words of a node. The pointer is valid until the next node is added.
cdef inline const uint32_t* node(const Nodes* n, uint32_t e) noexcept nogil:
    return intern_get(&n.tuples, e)


# The first word: a `Kind`.
cdef inline uint32_t node_kind(const Nodes* n, uint32_t e) noexcept nogil:
    return intern_get(&n.tuples, e)[0]


# How many words the node has, its kind included.
cdef inline uint32_t node_len(const Nodes* n, uint32_t e) noexcept nogil:
    return intern_len(&n.tuples, e)


# The byte that every text of `e` starts with, if `e` is a literal or begins with one; else 256.
cdef inline uint32_t only_first(const Nodes* n, uint32_t e) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    if words[0] == K_CAT:
        words = node(n, words[1])
    return n.text[words[1]] if words[0] == K_LIT else 256


# Whether `e` is x* or ANY. Then two of `e`, one after the other, match what one `e` matches.
cdef inline bint is_star(const Nodes* n, uint32_t e) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    return e == ANY or (words[0] == K_REP and words[2] == 0 and words[3] == NO_BOUND)


# How deep the derivative of `e` recurses.
cdef inline uint32_t depth_of(const Nodes* n, uint32_t e) noexcept nogil:
    return n.info.data[e] >> DEPTH_SHIFT


# Whether `e` matches the empty text.
cdef inline bint nullable(const Nodes* n, uint32_t e) noexcept nogil:
    return n.info.data[e] & NULLABLE


# The sum of two lengths, at most FAR.
cdef inline uint32_t add_lengths(uint32_t a, uint32_t b) noexcept nogil:
    return FAR if a + b > FAR else a + b


# An estimate of how many bytes a match of `e` needs. For an intersection it is the sum of the members' estimates, not the
# greatest of these. The sum falls with every member that comes closer to a match. With the greatest length, a search would
# try all orders in which the members can be satisfied.
cdef inline uint32_t min_remaining(const Nodes* n, uint32_t e) noexcept nogil:
    return n.remaining.data[e]


# How many of a node's words are ids of its parts. The ids are the first words after the kind.
cdef inline uint32_t part_count(const Nodes* n, uint32_t e) noexcept nogil:
    cdef uint32_t kind = node_kind(n, e)
    if kind == K_OR or kind == K_AND or kind == K_CAT:
        return node_len(n, e) - 1
    return kind == K_NOT or kind == K_REP


# Allow the searches from now on to visit `count` nodes together.
cdef inline void allow_visits(Nodes* n, uint64_t count) noexcept nogil:
    n.visit_end = n.visits + count


# Make a store without bounds. It has NOTHING, EMPTY and ANY, and no other expressions. Returns OK or NO_MEMORY; free it in both
# cases.
cdef int nodes_init(Nodes* n) noexcept nogil

# Free everything.
cdef void nodes_free(Nodes* n) noexcept nogil

# Give the new store `to` the expressions of `n`, ids and all. `to` keeps its own bounds. Nothing memoized is copied. Returns OK
# or NO_MEMORY.
cdef int nodes_copy(Nodes* to, const Nodes* n) noexcept nogil

# Forget all expressions but the first `count`, and all memoized derivatives and classes.
cdef void nodes_truncate(Nodes* n, uint32_t count) noexcept nogil

# The bytes that the store holds.
cdef size_t nodes_bytes(const Nodes* n) noexcept nogil

# Constructors. Each writes the id of a node to `out` and returns OK or a negative status: NO_MEMORY, LIMIT_EXPRESSIONS
# (too many nodes), `words_limit` (too many words), LIMIT_NESTING (too deep), or LIMIT_EXPRESSION_SIZE (a union or intersection
# has too many members). After a limit the store is still valid: ids that were handed out stay what they were.

# Intern a node that is simplified already. It has `count` words. `flags` are those of ALIVE and DEAD_END that are known to
# hold, and NULLABLE if it holds, `depth` is how deep its derivative recurses, and `shortest` is a lower bound of the length of
# its texts.
cdef int add_node(
    Nodes* n, const uint32_t* words, size_t count, uint32_t flags, uint32_t depth, uint32_t shortest, uint32_t* out,
) noexcept nogil

# One byte of a set, which is 8 words of bits; NOTHING if the set is empty.
cdef int make_set(Nodes* n, const uint32_t* bits, uint32_t* out) noexcept nogil

# Exactly these bytes; they are copied.
cdef int make_literal(Nodes* n, const uint8_t* text, uint32_t length, uint32_t* out) noexcept nogil

# The literal of the `length` bytes at `offset` in `n.text`: the rest of a longer literal. Nothing is copied.
cdef int make_suffix(Nodes* n, uint32_t offset, uint32_t length, uint32_t* out) noexcept nogil

# `head`, then `tail`.
cdef int make_concat(Nodes* n, uint32_t head, uint32_t tail, uint32_t* out) noexcept nogil

# Every byte string that `e` does not match.
cdef int make_complement(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil

# `lo` to `hi` times `e`; NO_BOUND: no upper bound.
cdef int make_repeat(Nodes* n, uint32_t e, uint32_t lo, uint32_t hi, uint32_t* out) noexcept nogil
