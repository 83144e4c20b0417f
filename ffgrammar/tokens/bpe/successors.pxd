"""For a token, all tokens that merges leave after it: its successors."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.bpe.merges cimport Merges


cdef class Successors:
    cdef Merges merges
    # One block of memory. The arrays below are parts of it.
    cdef uint32_t* memory
    cdef uint32_t* by_rank       # by rank: the token that the merge of that rank makes, or NO_LIMIT
    cdef uint32_t* out_of_order  # tokens whose merges do not come in the order of ranks: each pair with one of these is checked
    cdef uint32_t out_of_order_count
    # A forest over the tokens that merges make. A token's parent is the left part of its last merge. Siblings are in descending
    # order of rank. `position` is a token's number in the preorder of the forest.
    cdef uint32_t count          # tokens in the forest
    cdef uint32_t* position      # by token; NO_LIMIT for a token that is not in the forest
    cdef uint32_t* token         # by position
    cdef uint32_t* end           # by token: the position after its last descendant
    cdef uint32_t* first         # by token: where its children begin in `children`; the previous token's children end there
    cdef uint32_t* children
    # By token. Let its last merge be (x, y), and let some token end with x. If x merges further inside that token with a rank
    # above `least`, or not at all, then neither y nor a descendant of y with a position below `stop` can follow.
    cdef uint32_t* stop
    cdef uint32_t* least
    cdef bytes everything        # the mask of all tokens in the forest
    cdef dict kept               # mask by token
    cdef readonly size_t max_bytes

    # The mask of the successors of a token that merges make: see `after`. Raises MemoryError.
    cdef bytes find(self, uint32_t one)

    # The five steps of the constructor follow, in order. The first two return 0, and raise MemoryError.

    # Allocate all tables.
    cdef int allocate(self) except -1

    # Fill `everything`, `out_of_order` and `by_rank` with the tokens that merges make, and count the children of each token.
    cdef int list_tokens(self) except -1

    # Fill `children`, in descending order of rank.
    cdef void link_children(self) noexcept nogil

    # Give all tokens positions, tree by tree.
    cdef void number_trees(self) noexcept nogil

    # Fill `stop` and `least`.
    cdef void find_stops(self) noexcept nogil

    # Part of `number_trees`: give positions to a token and its descendants.
    cdef void number_tree(self, uint32_t root) noexcept nogil

    # The rank of a token's last merge, or that of its part `part` if this is higher.
    cdef uint32_t later(self, uint32_t token, uint32_t part) noexcept nogil

    # In a mask of all tokens, clear the bits of those that cannot follow `one`. Returns 0; raises MemoryError.
    cdef int fill(self, uint32_t one, uint32_t* mask) except -1

    # Clear the bit of `other` if a check of the pair says that it cannot follow `one`. Returns 0; raises MemoryError.
    cdef int check(self, uint32_t one, uint32_t other, uint32_t* mask) except -1
