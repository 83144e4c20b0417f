"""The rules that tell a tokenizer's own token sequences from others."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.bpe.native_encoder cimport NativeEncoder
from ffgrammar.tokens.bpe.predecessors cimport Predecessors
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.canonical.transitions cimport BoundaryTransitions
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES, PretokenTable
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    FIRST = 0xFFFFFFFF          # in `last`: there is no token yet
    UNCONSTRAINED = 0xFFFFFFFE  # in `last`: the last token puts no constraint on the next one by merges
    NO_NODE = 0x7FFFFFFF        # in `node`: the pre-token so far begins no unmergeable token
    KEPT = 1 << 14              # entries of `nothing_follows`
    FAILED = -1                 # there is no memory


cdef struct CanonicalState:
    # All that a token sequence says about what may follow it.
    uint32_t last        # its last token, FIRST or UNCONSTRAINED
    Utf8 character       # the character that the bytes so far end in; `need` is 0 if they end after one
    uint8_t may_end      # whether the pre-token may end before the next character (or before `character`, if inside it)
    uint8_t may_go_on    # whether the pre-token may go on with this character
    uint8_t unmergeable  # whether the last token must be a pre-token of its own
    uint8_t inside       # whether this character does not begin a token
    uint8_t torn         # whether a token has ended inside this character
    uint8_t count        # how many hypotheses there are
    uint16_t[MAX_HYPOTHESES] hypothesis  # states of the automaton of pre-tokens
    uint32_t[MAX_HYPOTHESES] node        # where the pre-token so far leads to in the trie; used if some token is unmergeable


@cython.final
cdef class CanonicalRules:
    cdef readonly TokenTrie trie
    cdef readonly Merges merges
    cdef readonly PretokenTable pretokens
    cdef readonly NativeEncoder encoder    # of the same pre-tokens and merges
    cdef readonly bint has_unmergeable     # whether there are unmergeable tokens, which merges do not make
    cdef readonly bint whole_pretokens     # whether a pre-token with the bytes of a token becomes that token
    cdef readonly str space                # the character that stands for the space in patterns, and is itself in no text
    cdef uint8_t* leads_to_unmergeable     # by node of the trie: whether an unmergeable token is there or below; or NULL
    cdef uint8_t* is_atom                  # by token: whether the pre-tokenizer itself finds it in the text
    cdef uint8_t* may_stop                 # by state of the automaton: whether the pre-token or the text may end there
    cdef uint8_t* is_sure                  # by state of the automaton: whether every text may go on from there
    cdef Successors all_successors
    cdef Predecessors predecessors
    cdef uint32_t asked                    # pairs of tokens that calls of `successors_for` were about; stays at MAX_ASKED or more
    cdef Outcomes outcomes                 # of the pre-tokenizer
    cdef BoundaryTransitions transitions
    cdef dict stands_alone                 # by token: whether it leaves every text in the normal form (tracker.pyx)
    cdef dict sieves                       # that sieve.pyx has made
    cdef uint32_t sieve_count              # how many it ever made
    cdef uint64_t* other_ways              # by token: what came in its place, or 0 (other_ways.pyx)
    cdef uint64_t* nothing_follows         # by hash: a state, and a part of the trie of which no token may come (following.pyx)
    cdef uint32_t* free_ends               # the hypotheses, as bits, after which the pre-token can end in printable ASCII text

    # `all_successors` for a caller that has `count` pairs to check, and can do so one by one. Returns None until the tables of
    # successors are made, or the pairs of all such calls are so many that making the tables is worth it.
    cdef Successors successors_for(self, uint32_t count)

    # Set `at` to the state before a text.
    cdef void begin(self, CanonicalState* at) noexcept nogil

    # Go on with a token. Returns whether it may follow (True or False), or FAILED. If it may not, `at` is of no use any more.
    cdef int push(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The first of three parts of `push`: check the border between the last token and this one. Returns as `push`.
    cdef int join(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The second part: go on with a byte of the token. Returns whether it may follow.
    cdef bint feed(self, CanonicalState* at, uint32_t byte) noexcept nogil

    # The second part for all bytes of a token. Returns whether it may follow.
    cdef bint feed_token(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The third part: the token is now the last one. Returns True or FAILED.
    cdef int settle(self, CanonicalState* at, uint32_t token) noexcept nogil

    # In place of `join`, for a token that is not known yet. `ends` says whether the pre-token ends before it or goes on.
    cdef void start(self, CanonicalState* at, bint ends) noexcept nogil

    # Whether a token may come whose bytes have led from `start`, with the same `ends`, to `at`. Returns True, False or FAILED.
    cdef int fits(self, const CanonicalState* at, uint32_t token, bint ends) noexcept nogil

    # Go on with a token even if it may not follow. After a token that may not, `at` is what is known all the same: the last
    # token, and where its pre-token may have begun. Returns True or FAILED.
    cdef int push_any(self, CanonicalState* at, uint32_t token) noexcept nogil

    # Whether the text may end here.
    cdef bint is_whole(self, const CanonicalState* at) noexcept nogil

    # Whether a node of the trie spells an unmergeable token.
    cdef bint is_unmergeable(self, uint32_t node) noexcept nogil

    # Whether the token stands for a byte which completes a character that is itself a token. `at` is behind this byte.
    cdef bint is_misspelt(self, const CanonicalState* at, uint32_t token) noexcept nogil

    # For each hypothesis whose pre-token so far has the bytes of an unmergeable token, spelled by several tokens: note that the
    # pre-token must not end here.
    cdef void forbid_ends(self, CanonicalState* at) noexcept nogil

    # Whether some character that begins with `at.character` may follow.
    cdef bint may_begin_character(self, const CanonicalState* at) noexcept nogil

    # The node of the trie that a character leads to from a node, or NO_NODE if no unmergeable token is there or below.
    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil

    # A step of the constructor: fill `may_stop`, which says where searches may stop. Returns 0.
    cdef int find_stops(self) except -1

    # Another step: fill `is_sure`, and make `outcomes`. Returns 0; raises MemoryError, and TokenizerError if too many hypotheses
    # may be open.
    cdef int find_outcomes(self) except -1

    # Another step: fill `free_ends`. Returns 0; raises MemoryError.
    cdef int find_free_ends(self) except -1

    # Whether a class of characters has one that is printable ASCII.
    cdef bint is_printable(self, uint32_t character) noexcept nogil

    # Another step: find the unmergeable tokens. Returns 0; raises MemoryError.
    cdef int find_unmergeable(self) except -1

    # Mark the nodes on the way to an unmergeable token in `leads_to_unmergeable`. Returns 0; raises MemoryError.
    cdef int mark_unmergeable(self, uint32_t token) except -1
