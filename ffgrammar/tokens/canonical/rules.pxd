"""The rules by which a tokenizer's own token sequences are told from others, and a sequence that grows."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.pretokenize.table cimport PretokenTable
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_HYPOTHESES = 8    # about where pre-tokens end, at a time; tokens/pretokenize/automaton.py sees to it that there are no more
    FIRST = 0xFFFFFFFF  # for the token before the first
    UNCONSTRAINED = 0xFFFFFFFE    # for a last token that is not held against what follows it
    NO_NODE = 0x7FFFFFFF  # where the pre-token so far begins no token that merges do not make
    FAILED = -1         # there is no memory
    # Tokens that are looked for, one after another, to complete what the last one began: a character has four bytes.
    MAX_AHEAD = 4


cdef struct CanonicalState:
    uint32_t last       # token
    Utf8 character      # of which the last token has the beginning, if it ends inside one
    uint8_t may_end     # whether a pre-token may end before that character,
    uint8_t may_go_on   # or go on
    uint8_t unmergeable       # the last token must be a pre-token of its own
    uint8_t inside      # the next character is not the first one of a token
    uint8_t torn        # a token has ended inside the character
    uint8_t count
    uint16_t[MAX_HYPOTHESES] hypothesis  # states of the automaton of pre-tokens
    uint32_t[MAX_HYPOTHESES] node   # the pre-token so far in the trie, where that matters


cdef class CanonicalRules:
    cdef readonly TokenTrie trie
    cdef readonly Merges merges
    cdef readonly PretokenTable pretokens
    cdef readonly bint has_unmergeable  # whether there are tokens that merges do not make
    cdef readonly bint whole_pretokens
    cdef readonly str space       # the character that stands for the space in patterns, and is in no text
    cdef uint8_t* leads_to_unmergeable     # by node of the trie: whether such a token is there or below
    cdef uint8_t* is_atom         # by token: whether the pre-tokenizer finds it in the text
    cdef uint8_t* may_stop        # by state of the automaton: whether the pre-token may end there, or the text,
    cdef uint8_t* is_sure         # and whether any text may go on from there

    cdef Successors kept_successors
    cdef object kept_transitions  # transitions.pyx

    # What merges leave beside a token; made when it is first asked for.
    cdef Successors successors(self)

    # The same for who can do without, with so many pairs to ask for: None until these have become many.
    cdef Successors successors_for(self, uint32_t count)
    cdef uint32_t asked

    # The state before a text.
    cdef void begin(self, CanonicalState* at) noexcept nogil

    # Go on with a token: whether it may follow. If not, `at` is of no use any more.
    cdef int push(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The same in parts: what is between the last token and this one; then its bytes one by one; then that it is the last.
    cdef int join(self, CanonicalState* at, uint32_t token) noexcept nogil
    cdef bint feed(self, CanonicalState* at, uint32_t byte) noexcept nogil
    cdef int settle(self, CanonicalState* at, uint32_t token) noexcept nogil

    # Get ready for the bytes of a token before which the pre-token ends, or goes on.
    cdef void start(self, CanonicalState* at, bint ends) noexcept nogil

    # Whether a token may come, as for the merges: its bytes have led from the last token to `at`, where the pre-token ended
    # before them, or where it goes on.
    cdef int fits(self, const CanonicalState* at, uint32_t token, bint ends) noexcept nogil

    # Go on with a token that was taken whether or not it may follow. After one that may not, `at` is what is known all the same:
    # the last token, and where the pre-token that it is in may have begun.
    cdef int push_any(self, CanonicalState* at, uint32_t token) noexcept nogil

    # Whether the text may end here, and whether some text goes on so that the tokens stay as they are.
    cdef bint is_whole(self, const CanonicalState* at) noexcept nogil
    cdef int is_open(self, const CanonicalState* at) noexcept nogil

    # Set the bits of the tokens that may follow, of those whose bytes begin with `text`, which leads to a node of the trie.
    # Without a mask the first one is enough. How many were found, or FAILED. `ahead` is MAX_AHEAD.
    cdef int follow(
        self, const CanonicalState* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead) noexcept nogil

    cdef int find_sure(self) except -1
    cdef bint lead_on(self, Intern* sets, uint32_t number, Vec* leads) except? True
    cdef int follow_one_way(
        self, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead,
    ) noexcept nogil
    cdef int follow_below(
        self, CanonicalState* states, uint32_t node, uint32_t stop, bint ends, uint32_t* mask, uint32_t ahead) noexcept nogil
    cdef int may_come(self, const CanonicalState* at, uint32_t token, bint ends, uint32_t* mask, uint32_t ahead) noexcept nogil
    cdef int can_go_on(self, const CanonicalState* at, uint32_t ahead) noexcept nogil
    cdef void forbid_ends(self, CanonicalState* at) noexcept nogil
    cdef bint is_unmergeable(self, uint32_t node) noexcept nogil
    cdef int mark_unmergeable(self, uint32_t token) except -1
    cdef bint is_misspelt(self, const CanonicalState* at, uint32_t token) noexcept nogil
    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil


cdef class CanonicalSequence:
    cdef readonly CanonicalRules rules
    cdef CanonicalState at
