"""For a token, all tokens that merges leave beside it."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.bpe.merges cimport Merges


cdef class Successors:
    cdef Merges merges
    # One block of memory, of which the arrays below are parts.
    cdef uint32_t* memory
    cdef uint32_t* by_rank       # by rank: the token that the merge of that rank makes, or NO_LIMIT
    cdef uint32_t* out_of_order  # tokens whose merges do not come in the order of ranks: each pair is checked
    cdef uint32_t out_of_order_count
    # A forest over the tokens that merges make: a token's parent is the left part of its last merge, and siblings are in
    # descending order of rank. `position` is a token's number in the preorder of the forest.
    cdef uint32_t count          # tokens in the forest
    cdef uint32_t* position      # by token; NO_LIMIT for a token that is not in the forest
    cdef uint32_t* token         # by position
    cdef uint32_t* end           # by token: the position after its last descendant
    cdef uint32_t* first         # by token: where its children begin in `children`, up to the next token's
    cdef uint32_t* children
    # By token, of its last merge (x, y): what follows x cannot be y or a descendant of y at a position below `stop`, if x is
    # part of something that merges later than `least`.
    cdef uint32_t* stop
    cdef uint32_t* least
    cdef bytes everything        # the mask of all tokens in the forest
    cdef dict kept               # mask by token
    cdef readonly size_t max_bytes

    # The mask of what may follow a token that merges make: see `after`. Raises MemoryError.
    cdef bytes find(self, uint32_t one)

    # The steps of the constructor follow, in order. The first two raise MemoryError.

    # Allocate all tables.
    cdef int allocate(self) except -1

    # Fill `by_rank` with the tokens that merges make.
    cdef int list_tokens(self) except -1

    # Fill `children`, in descending order of rank.
    cdef void link_children(self) noexcept nogil

    # Give all tokens positions, tree by tree.
    cdef void number_trees(self) noexcept nogil

    # Fill `stop` and `least`.
    cdef void find_stops(self) noexcept nogil

    # Give positions to a token and its descendants.
    cdef void number_tree(self, uint32_t root) noexcept nogil

    # The rank of a token's last merge, or that of a part's if that is later.
    cdef uint32_t later(self, uint32_t token, uint32_t part) noexcept nogil

    # Clear the bits of a full mask that cannot follow a token. Returns 0; raises MemoryError.
    cdef int fill(self, uint32_t one, uint32_t* mask) except -1

    # Clear the bit of one token if a check of the pair says that it cannot follow. Returns 0; raises MemoryError.
    cdef int check(self, uint32_t one, uint32_t other, uint32_t* mask) except -1
