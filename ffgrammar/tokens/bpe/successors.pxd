"""For a token, all tokens that merges leave beside it."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.tokens.bpe.merges cimport Merges


cdef class Successors:
    cdef Merges merges
    cdef uint32_t* by_rank  # the token that the merge of a rank makes
    cdef uint32_t* out_of_order     # tokens whose merges do not come in the order of ranks: each pair is asked for
    cdef uint32_t wild_count
    cdef uint32_t count     # tokens that merges make
    # A forest: a token hangs below the left part of its last merge, and of those below one the highest rank comes first. In
    # preorder:
    cdef uint32_t* place    # by token; of a token that merges do not make, `count`
    cdef uint32_t* token    # by place
    cdef uint32_t* end      # by token: the place after all that are below it
    cdef uint32_t* first    # by token: where in `below` those are that hang from it, up to the next token's
    cdef uint32_t* below
    cdef uint32_t* stop     # by token: see fill
    cdef uint32_t* least    # the same
    cdef bytes everything   # the mask of all tokens that merges make
    cdef dict kept
    cdef readonly size_t max_bytes

    cdef int build(self) except -1
    cdef uint32_t later(self, uint32_t token, uint32_t part) noexcept nogil
    cdef int ask(self, uint32_t one, uint32_t other, uint32_t* mask) except -1
    cdef void number_tree(self, uint32_t root) noexcept nogil
    cdef bytes find(self, uint32_t one)
    cdef int fill(self, uint32_t one, uint32_t* mask) except -1
