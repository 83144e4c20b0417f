"""The rules by which a tokenizer's own token sequences are told from others, and a sequence that grows."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.merges cimport Merges
from ffgrammar.tokens.pieces cimport PieceTable, Utf8
from ffgrammar.tokens.successors cimport Successors
from ffgrammar.tokens.trie cimport TokenTrie

cdef enum:
    MOST_GUESSES = 8    # about where pieces end, at a time; boundaries.py sees to it that there are no more
    FIRST = 0xFFFFFFFF  # for the token before the first
    ANY = 0xFFFFFFFE    # for a last token that is not held against what follows it
    NO_NODE = 0x7FFFFFFF  # where the piece so far begins no token that merges do not make
    FAILED = -1         # there is no memory
    # Tokens that are looked for, one after another, to complete what the last one began: a character has four bytes.
    MOST_AHEAD = 4


cdef struct Canon:
    uint32_t last       # token
    Utf8 character      # of which the last token has the beginning, if it ends inside one
    uint8_t may_end     # whether a piece may end before that character,
    uint8_t may_go_on   # or go on
    uint8_t alone       # the last token must be a piece of its own
    uint8_t inside      # the next character is not the first one of a token
    uint8_t torn        # a token has ended inside the character
    uint8_t count
    uint16_t[MOST_GUESSES] guess  # states of the automaton of pieces
    uint32_t[MOST_GUESSES] node   # the piece so far in the trie, where that matters


cdef class CanonRules:
    cdef readonly TokenTrie trie
    cdef readonly Merges merges
    cdef readonly PieceTable pieces
    cdef readonly bint has_alone  # whether there are tokens that merges do not make
    cdef readonly bint whole_pieces
    cdef readonly str space       # the character that stands for the space in patterns, and is in no text
    cdef uint8_t* leads_alone     # by node of the trie: whether such a token is there or below
    cdef uint8_t* is_atom         # by token: whether the pre-tokenizer finds it in the text
    cdef uint8_t* may_stop        # by state of the automaton: whether the piece may end there, or the text,
    cdef uint8_t* is_sure         # and whether any text may go on from there

    cdef Successors kept_successors
    cdef object kept_ways  # ways.pyx

    # What merges leave beside a token; made when it is first asked for.
    cdef Successors successors(self)

    # The same for who can do without, with so many pairs to ask for: None until these have become many.
    cdef Successors successors_for(self, uint32_t count)
    cdef uint32_t asked

    # The state before a text.
    cdef void begin(self, Canon* at) noexcept nogil

    # Go on with a token: whether it may follow. If not, `at` is of no use any more.
    cdef int push(self, Canon* at, uint32_t token) noexcept nogil

    # The same in parts: what is between the last token and this one; then its bytes one by one; then that it is the last.
    cdef int join(self, Canon* at, uint32_t token) noexcept nogil
    cdef bint feed(self, Canon* at, uint32_t byte) noexcept nogil
    cdef int settle(self, Canon* at, uint32_t token) noexcept nogil

    # Get ready for the bytes of a token before which the piece ends, or goes on.
    cdef void start(self, Canon* at, bint ends) noexcept nogil

    # Whether a token may come, as for the merges: its bytes have led from the last token to `at`, where the piece ended before
    # them, or where it goes on.
    cdef int fits(self, const Canon* at, uint32_t token, bint ends) noexcept nogil

    # Go on with a token that was taken whether or not it may follow. After one that may not, `at` is what is known all the same:
    # the last token, and where the piece that it is in may have begun.
    cdef int push_any(self, Canon* at, uint32_t token) noexcept nogil

    # Whether the text may end here, and whether some text goes on so that the tokens stay as they are.
    cdef bint is_whole(self, const Canon* at) noexcept nogil
    cdef int is_open(self, const Canon* at) noexcept nogil

    # Set the bits of the tokens that may follow, of those whose bytes begin with `text`, which leads to a node of the trie. Without
    # a mask the first one is enough. How many were found, or FAILED. `ahead` is MOST_AHEAD.
    cdef int follow(
        self, const Canon* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead) noexcept nogil

    cdef int find_sure(self) except -1
    cdef bint lead_on(self, Intern* sets, uint32_t number, Vec* leads) except? True
    cdef int follow_one_way(
        self, const Canon* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead) noexcept nogil
    cdef int follow_below(
        self, Canon* states, uint32_t node, uint32_t stop, bint ends, uint32_t* mask, uint32_t ahead) noexcept nogil
    cdef int may_come(self, const Canon* at, uint32_t token, bint ends, uint32_t* mask, uint32_t ahead) noexcept nogil
    cdef int can_go_on(self, const Canon* at, uint32_t ahead) noexcept nogil
    cdef void forbid_ends(self, Canon* at) noexcept nogil
    cdef bint is_alone(self, uint32_t node) noexcept nogil
    cdef int mark_alone(self, uint32_t token) except -1
    cdef bint is_misspelt(self, const Canon* at, uint32_t token) noexcept nogil
    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil


cdef class CanonChain:
    cdef readonly CanonRules rules
    cdef Canon at
