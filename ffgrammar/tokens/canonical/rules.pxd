"""The rules that tell a tokenizer's own token sequences from others."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.bpe.native_encoder cimport NativeEncoder
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.canonical.transitions cimport BoundaryTransitions
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES, PretokenTable
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    FIRST = 0xFFFFFFFF          # in `last`: there is no token before
    UNCONSTRAINED = 0xFFFFFFFE  # in `last`: the token before is not held against what follows it
    NO_NODE = 0x7FFFFFFF        # in `node`: the pre-token so far begins no unmergeable token
    FAILED = -1                 # there is no memory


cdef struct CanonicalState:
    # All that a token sequence says about what may follow it.
    uint32_t last        # its last token
    Utf8 character       # of which the last token has the beginning, if it ends inside one
    uint8_t may_end      # whether a pre-token may end before that character,
    uint8_t may_go_on    # or go on
    uint8_t unmergeable  # whether the last token must be a pre-token of its own
    uint8_t inside       # whether the next character is not the first one of a token
    uint8_t torn         # whether a token has ended inside the character
    uint8_t count        # hypotheses
    uint16_t[MAX_HYPOTHESES] hypothesis  # states of the automaton of pre-tokens
    uint32_t[MAX_HYPOTHESES] node        # the pre-token so far in the trie, where some token is unmergeable


cdef class CanonicalRules:
    cdef readonly TokenTrie trie
    cdef readonly Merges merges
    cdef readonly PretokenTable pretokens
    cdef readonly NativeEncoder encoder    # of the same pre-tokens and merges
    cdef readonly bint has_unmergeable     # whether there are tokens that merges do not make
    cdef readonly bint whole_pretokens
    cdef readonly str space                # the character that stands for the space in patterns, and is in no text
    cdef uint8_t* leads_to_unmergeable     # by node of the trie: whether such a token is there or below
    cdef uint8_t* is_atom                  # by token: whether the pre-tokenizer finds it in the text
    cdef uint8_t* may_stop                 # by state of the automaton: whether the pre-token may end there, or the text,
    cdef uint8_t* is_sure                  # and whether every text may go on from there
    cdef Successors kept_successors
    cdef uint32_t asked
    cdef BoundaryTransitions transitions   # None where the pre-tokenizer has none

    # What merges leave beside each token; made on the first call. Raises MemoryError.
    cdef Successors successors(self)

    # The same for a caller that can do without it and has `count` pairs to check: None until the pairs of all calls have become
    # many.
    cdef Successors successors_for(self, uint32_t count)

    # The transitions (`BoundaryTransition`) of each hypothesis of a state in a list: where the pre-token ends, then where it goes
    # on. None where there are none, or the state is inside a character.
    cdef list transitions_from(self, const CanonicalState* at)

    # Set `at` to the state before a text.
    cdef void begin(self, CanonicalState* at) noexcept nogil

    # Go on with a token. Returns whether it may follow, or FAILED. If it may not, `at` is of no use any more.
    cdef int push(self, CanonicalState* at, uint32_t token) noexcept nogil

    # `push` has three parts. The first is the border between the last token and this one. Returns as `push`.
    cdef int join(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The second: a byte of the token. Returns whether it may follow.
    cdef bint feed(self, CanonicalState* at, uint32_t byte) noexcept nogil

    # The third: the token is now the last one. Returns True or FAILED.
    cdef int settle(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The border before a token that is not known yet, in place of `join`: the pre-token ends there, or goes on.
    cdef void start(self, CanonicalState* at, bint ends) noexcept nogil

    # Whether a token may come whose bytes have led from `start` to `at`, or FAILED.
    cdef int fits(self, const CanonicalState* at, uint32_t token, bint ends) noexcept nogil

    # Go on with a token that was taken whether or not it may follow. After one that may not, `at` is what is known all the same:
    # the last token, and where its pre-token may have begun. Returns True or FAILED.
    cdef int push_any(self, CanonicalState* at, uint32_t token) noexcept nogil

    # Whether the text may end here.
    cdef bint is_whole(self, const CanonicalState* at) noexcept nogil

    # Whether a node of the trie is a token that merges do not make.
    cdef bint is_unmergeable(self, uint32_t node) noexcept nogil

    # Whether the token spells a byte of a character that is itself a token; `at` is behind that byte.
    cdef bint is_misspelt(self, const CanonicalState* at, uint32_t token) noexcept nogil

    # Where several tokens spell an unmergeable token, note that the pre-token must not end here.
    cdef void forbid_ends(self, CanonicalState* at) noexcept nogil

    # Whether some character that begins with `at.character` may follow.
    cdef bint may_begin_character(self, const CanonicalState* at) noexcept nogil

    # The node that a character leads to from a node, or NO_NODE where no unmergeable token is there or below.
    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil

    # A step of the constructor: find where searches may stop. Raises MemoryError.
    cdef int find_stops(self) except -1

    # Another: find the tokens that merges do not make. Raises MemoryError.
    cdef int find_unmergeable(self) except -1

    # Note one of these on the way to it in the trie. Raises MemoryError.
    cdef int mark_unmergeable(self, uint32_t token) except -1
