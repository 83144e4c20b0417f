"""The rules that tell a tokenizer's own token sequences from others."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.bpe.known_predecessors cimport KnownPredecessors
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.bpe.native_encoder cimport NativeEncoder
from ffgrammar.tokens.bpe.predecessors cimport Predecessors
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.canonical.transitions cimport BoundaryTransitions
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES, PretokenTable
from ffgrammar.tokens.vocabulary.nodes_by_byte cimport NodesByByte
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    FIRST = 0xFFFFFFFF          # in `last`: there is no token yet
    UNCONSTRAINED = 0xFFFFFFFE  # in `last`: the last token puts no constraint on the next one by merges
    NO_NODE = 0x7FFFFFFF        # in `node`: the pre-token so far begins no unmergeable token
    KEPT = 1 << 14              # entries of `nothing_follows`
    KEPT_PARTNERS = 1 << 15     # entries of `partners_below`
    ROUTE_HINTS = 1 << 15       # entries of `route_hints`
    FAILED = -1                 # there is no memory


cdef struct CanonicalState:
    # All that a token sequence says about what may follow it. Below, "the next character" is the first one that is not complete:
    # `character`, if the bytes so far end inside a character, else the character that follows.
    uint32_t last        # its last token, FIRST or UNCONSTRAINED
    Utf8 character       # the character that the bytes so far end in; `need` is 0 if they end after one
    uint8_t may_end      # whether the pre-token may end before the next character
    uint8_t may_go_on    # whether the pre-token may go on with the next character
    uint8_t unmergeable  # whether the last token must be a pre-token of its own, because merges do not make it
    uint8_t inside       # whether the next character begins inside a token
    uint8_t torn         # whether a token has ended inside the next character
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
    cdef readonly str space                # the character that stands for the space in patterns, itself in no text; or None
    cdef uint8_t* leads_to_unmergeable     # by node of the trie: whether an unmergeable token is there or below; or NULL
    cdef uint8_t* begins_unmergeable       # by token: whether it is an unmergeable token or the beginning of one; or NULL
    cdef uint8_t* is_atom                  # by token: whether the pre-tokenizer itself finds it in the text
    cdef uint8_t* may_stop                 # by state of the automaton: whether the pre-token or the text may end there
    cdef uint8_t* is_sure                  # by state of the automaton: whether every text may go on from there
    cdef Successors all_successors
    cdef Predecessors predecessors
    cdef KnownPredecessors known_predecessors
    cdef uint32_t asked                    # sum of `count` in the calls of `successors_for`; from MAX_ASKED on it does not grow
    cdef Outcomes outcomes                 # of the pre-tokenizer
    cdef BoundaryTransitions transitions
    cdef dict stands_alone                 # by token: what `stands_alone` (vocabulary/normal_form.py) says of its bytes
    cdef dict spelled                      # by node of the trie: the tokens that begin to spell an unmergeable token
    # By the words of a part (hypothesis and way) and common followers (engine/canonical/common_followers.pyx): how many tokens of
    # the part none of them can follow, and these tokens
    cdef dict unfollowed
    cdef list rooms                        # arrays for canonical masks that are in no use (engine/canonical/room.pyx)
    cdef uint64_t room_count               # how many rooms were ever made
    cdef dict sieves                       # the sieves that sieve.pyx has made and keeps
    cdef uint32_t sieve_count              # how many sieves were ever made
    cdef uint64_t* other_ways              # by token: what came in its place, or 0 (other_ways.pyx)
    cdef uint64_t* route_hints             # by hash: a token, and one that came after it (engine/canonical/lookahead.pyx)
    cdef uint64_t* nothing_follows         # by hash: a state, and a subtree of the trie whose tokens may not come (following.pyx)
    cdef uint64_t* partners_below          # by hash: a token, a node of the trie, and whether it has partners below (partners.pyx)
    # The hypotheses, as bits, with which the pre-token can end in free text. In free text any printable ASCII character may come.
    cdef uint32_t* free_ends
    cdef NodesByByte nodes_by_byte         # of `trie`; made when the first sieve is (sieve.pyx)

    # `all_successors`, or None. The caller has `count` pairs to check, and can also check them one by one. Returns None while
    # the tables of successors are not made, and the pairs of all calls together are too few to be worth making them.
    cdef Successors successors_for(self, uint32_t count)

    # Set `at` to the state before a text.
    cdef void begin(self, CanonicalState* at) noexcept nogil

    # Go on with a token. Returns True, or False if the token may not follow, or FAILED. Unless it returns True, `at` is of no use
    # any more.
    cdef int push(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The first of the three steps of `push`: check the border between the last token and this one. Returns as `push`.
    cdef int join(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The second step, for a byte of the token. Returns whether the byte may follow.
    cdef bint feed(self, CanonicalState* at, uint32_t byte) noexcept nogil

    # Part of `feed`, where there is one hypothesis, the pre-token may not end before the character, and no token is unmergeable:
    # go on with a character of the class `character`. Returns as `feed`.
    cdef bint feed_one(self, CanonicalState* at, uint32_t character) noexcept nogil

    # The second step, for all bytes of a token. Returns whether they may follow.
    cdef bint feed_token(self, CanonicalState* at, uint32_t token) noexcept nogil

    # The third step: make the token the last one. Returns True or FAILED.
    cdef int settle(self, CanonicalState* at, uint32_t token) noexcept nogil

    # In place of `join`, for a token that is not known yet. `ends` says whether the pre-token ends before the token; if not, it
    # goes on.
    cdef void start(self, CanonicalState* at, bint ends) noexcept nogil

    # After `start`, and `feed` with the bytes of a token: whether this token may come. `ends` is as in `start`. Returns True,
    # False or FAILED.
    cdef int fits(self, const CanonicalState* at, uint32_t token, bint ends) noexcept nogil

    # Go on with a token even if it may not follow. If it may not, little is known after it: `at` has this token as the last one,
    # and hypotheses in which any character of the token may begin a pre-token. A token without bytes begins a new text. Returns
    # True or FAILED.
    cdef int push_any(self, CanonicalState* at, uint32_t token) noexcept nogil

    # Whether the text may end here.
    cdef bint is_whole(self, const CanonicalState* at) noexcept nogil

    # Whether a node of the trie spells an unmergeable token.
    cdef bint is_unmergeable(self, uint32_t node) noexcept nogil

    # Whether the token stands for a byte, and this byte completes a character that has a token of its own. `at` is the state
    # after the byte.
    cdef bint is_misspelt(self, const CanonicalState* at, uint32_t token) noexcept nogil

    # A pre-token with the bytes of an unmergeable token must not be spelled by several tokens. For each hypothesis by which the
    # pre-token so far has such bytes, note that the pre-token must not end here.
    cdef void forbid_ends(self, CanonicalState* at) noexcept nogil

    # Whether some character that begins with `at.character` may follow.
    cdef bint may_begin_character(self, const CanonicalState* at) noexcept nogil

    # The node of the trie that a character leads to from a node, or NO_NODE if no unmergeable token is there or below.
    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil

    # A step of the constructor: fill `is_sure`, and make `outcomes`. Returns 0; raises MemoryError, and TokenizerError if too many
    # hypotheses may be open.
    cdef int find_outcomes(self) except -1

    # Another step: find the unmergeable tokens. Returns 0; raises MemoryError.
    cdef int find_unmergeable(self) except -1

    # Fill `begins_unmergeable`. Returns 0; raises MemoryError.
    cdef int mark_beginnings(self) except -1

    # Mark the nodes from the root to an unmergeable token in `leads_to_unmergeable`. Returns 0; raises MemoryError.
    cdef int mark_unmergeable(self, uint32_t token) except -1
