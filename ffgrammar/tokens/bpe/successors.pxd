"""Successors of a token: all tokens that can stand after it, so that no merge joins the two or parts of them."""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.bpe.token_masks cimport TokenMasks

cdef enum:
    NO_LIMIT = 0xFFFFFFFF
    CHILD_WORDS = 2  # of `Child`


cdef struct Tree:
    uint32_t end    # the position after the last token of the tree
    # Let (x, y) be the last merge of the token at the root. If nothing takes x into a larger part before this merge, x cannot be
    # followed by y, nor by the descendants of y up to some position.
    uint32_t stop   # the position after the last of these; 0 if `measure` has not found it yet
    uint32_t first  # the position of y
    uint32_t waits  # the rank at which x and y merge; NO_LIMIT if y is not in the forest


cdef struct Child:
    uint32_t rank
    uint32_t at    # its position


cdef class Successors(TokenMasks):
    cdef uint32_t made           # whether the tables are made; read it with `is_made`
    # A forest over the tokens that merges make. A token's parent is the left part of its last merge. Siblings are in descending
    # order of rank.
    cdef uint32_t* position      # by token: its number in the preorder of the forest; NO_LIMIT if it is not in the forest
    cdef uint32_t* token         # by position: the token that is there. In the same block of memory as `position`.
    cdef Tree* trees             # by position: the tree of the token that is there
    # Lists of the children of those tokens that were asked about: how many there are, then a `Child` for each. So the children of
    # a token are beside each other in memory.
    cdef Vec children
    cdef Vec children_at         # by position: where the list of the token's children is in `children`, or NO_LIMIT
    # Tokens that have parts and are roots all the same: their rank is below that of their left part, or the left part is not in
    # the forest.
    cdef Vec loose
    cdef Vec out_of_order        # tokens whose merges do not come in the order of ranks: pairs with these are checked
    # For the parts at the beginning of these tokens, the tokens themselves included: lists of the tokens that have such a part.
    cdef Vec late                # entries of two words: such a token, and the index of the next entry of the list, or ABSENT
    cdef Map late_at             # position of a part -> the index of the first entry of its list
    cdef Vec has_late            # positions, as bits: those that are in `late_at`
    cdef Vec late_found          # scratch: lists that may have tokens which cannot follow
    cdef Vec everything          # the mask of all tokens in the forest

    # Whether the tables are made.
    cdef bint is_made(self) noexcept nogil

    # All other methods run with the lock held. They return OK or NO_MEMORY unless their comments say otherwise.

    # Make the tables.
    cdef int make(self) noexcept nogil

    # The steps of `make` follow. First, put the tokens that merges make into the forest, each as a tree of its own, and fill
    # `everything` and `out_of_order`. Fills `by_rank`, the token that the merge of a rank makes, or NO_LIMIT; and `size`, how
    # many tokens the tree of a token has.
    cdef int list_tokens(self, uint32_t* by_rank, uint32_t* size) noexcept nogil

    # Part of `list_tokens`: keep aliases out of the forest. For the bytes of an alias, the trie finds another token, which has
    # the same bytes.
    cdef void drop_aliases(self) noexcept nogil

    # Whether a token that has parts is a root all the same: see `loose`. Returns True or False.
    cdef bint is_loose(self, uint32_t token) noexcept nogil

    # Set `size` of each token to the number of tokens in its tree, itself included, and list the loose tokens.
    cdef int count_trees(self, const uint32_t* by_rank, uint32_t* size) noexcept nogil

    # Give all tokens positions. Returns how many there are.
    cdef uint32_t number_trees(self, const uint32_t* by_rank, const uint32_t* size) noexcept nogil

    # Give the tree of a token, which has `size` tokens, the last positions before `end`. Returns the first of these positions:
    # the token's own.
    cdef uint32_t place(self, uint32_t token, uint32_t end, uint32_t size) noexcept nogil

    # List the children of the token at a position, and write their number to `count`.
    cdef int list_children(self, uint32_t at, uint32_t* count) noexcept nogil

    # The children of the token at a position, which are listed. This holds until more are listed.
    cdef const Child* children_of(self, uint32_t at) noexcept nogil

    # Find the fields of the tree at a position, all but `end`.
    cdef int measure(self, uint32_t at) noexcept nogil

    # Part of `measure`: write the position of the first child whose rank is below `rank`, of the token at a position. If there is
    # none, write the position after its tree.
    cdef int first_below(self, uint32_t at, uint32_t rank, uint32_t* found) noexcept nogil

    # Fill `late`, `late_at` and `has_late`.
    cdef int list_late(self) noexcept nogil

    # In a mask of all tokens, clear the bits of those that cannot follow `one`.
    cdef int fill(self, uint32_t one, uint32_t* mask) noexcept nogil

    # Part of `fill`: settle the tokens in `out_of_order`. Those in the lists of `late_found` are checked. The others can follow.
    cdef int check_late(self, uint32_t one, uint32_t* mask) noexcept nogil

    # Let (x, y) be the last merge of the token at a position. If y is made before rank `until`, clear the bits of the tokens that
    # cannot follow x because of it (see `Tree`), and note the list of y in `late_found`. `made` is the rank at which x is made, or
    # 0 if it is x's own.
    cdef int forbid(self, uint32_t at, uint32_t made, uint32_t until, uint32_t* mask) noexcept nogil

    # Clear the bit of `other` if a check of the pair says that it cannot follow `one`.
    cdef int check(self, uint32_t one, uint32_t other, uint32_t* mask) noexcept nogil
