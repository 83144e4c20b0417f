"""Products: lexemes that are intersections, taken apart.

A state in which a lexeme is an intersection of several expressions goes on in very many combinations of their derivatives:

    a hostname, without "cat", without "dog", at most 253 characters     3,000 states in one mask, each of which takes 60 us

So a walk over the vocabulary follows the members one by one, as *parts* (regex/dfa/parts.pxd). A lexeme matches what any of its
*terms* matches. A term is an intersection of *literals*, which are parts and complements of parts, and then a tail, such as the
closing quote. All terms of a state together have a tuple of parts, which a byte moves part by part.

A token stays inside the lexeme if the parts after it have a witness in common. Where they have none, and where a tail begins, the
state itself is made, which knows exactly what may follow, and the walk goes on from it. So the answer is always exact.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa
from ffgrammar.regex.dfa.parts cimport Parts
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    TERM_WORDS = 4  # of a term: its lexeme, its tail, where its literals begin, how many there are
    T_LEXEME = 0
    T_TAIL
    T_FIRST
    T_COUNT

cdef struct Products:
    Owner owner
    Parts parts
    Vec terms          # of the state that is taken apart: TERM_WORDS a term
    Vec literals       # of all terms: a place in the tuple << 1 | whether it is complemented
    Vec start          # the tuple of the state
    Map places         # part -> its place in the tuple
    Map plain          # states that are no products, as keys
    Intern asked       # tuples that the hint does not decide; tuples with a byte after them with which a tail begins
    Vec targets        # per entry of `asked`: the word of `delta` for it, or NO_STATE_YET (product_walk.pyx)
    Vec tuples         # scratch: by depth, the tuple at the node
    Vec states         # scratch: by depth, the state at the node, or NO_STATE_YET where there is a tuple
    Vec pairs          # scratch: the lexemes of a state; the tuples after a byte and after the one before it; parts of a term
    Intern reached     # scratch: the tuples that a search has found
    Vec parents        # scratch: per such tuple, the number of the one before it, and the byte between the two
    Vec distances      # scratch: per such tuple, how many bytes lead to it
    Vec heap           # scratch: such tuples, those closest to a match first
    Vec text           # scratch: a witness; before that, an entry of `asked`
    uint32_t[8] closing  # the bytes with which a tail begins
    uint32_t in_vain   # how many searches in a row ended without an answer
    uint32_t not_after   # how many tuples in a row could not be completed after the last witness
    uint32_t unrepaired  # how many tuples in a row could not be completed part by part (product_repair.pxd)
    bint is_unsettled  # whether a search for one part ended without an answer; then none follows in the same mask
    uint32_t hint      # the term that was last seen to match something
    uint32_t hint_word  # the word of witnesses that showed it

# Begin a mask. Make the tables if there are none, and anew if they are nearly full. They begin as zeros. `nodes` must outlive
# them. Returns OK or NO_MEMORY.
cdef int products_begin(Products* p, Nodes* nodes) noexcept nogil

# Free the tables. They may be made again. (Their memory counts for `Limits.cache_bytes`, so they are not just emptied.)
cdef void products_free(Products* p) noexcept nogil

# How many bytes the tables have allocated.
cdef size_t products_bytes(const Products* p) noexcept nogil

# Whether the lexemes of a state can be taken apart at all.
cdef bint may_be_product(const Dfa* d, uint32_t state) noexcept nogil

# Take a state apart: fill `terms`, `literals`, `start` and `closing`. Returns 1; 0 if it is no product, or too large; or a status.
cdef int take_apart(Products* p, Dfa* d, uint32_t state) noexcept nogil


cdef inline uint32_t term_count(const Products* p) noexcept nogil:
    return <uint32_t>(p.terms.len // TERM_WORDS)


cdef inline const uint32_t* term_at(const Products* p, uint32_t number) noexcept nogil:
    return p.terms.data + <size_t>TERM_WORDS * number
