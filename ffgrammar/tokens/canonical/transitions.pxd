"""What each token does to a hypothesis about pre-token boundaries."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # The way in which a token comes: the pre-token ends before it, or goes on with it, or the token is the first of the text.
    ENDS = 0
    GOES_ON = 1
    BEGINS = 2
    # if more tokens than this lead to an outcome, they are not listed
    MAX_LISTED = 4096
    # In `after`, instead of an outcome. All outcomes are less.
    IS_CUT = 0xFFFE      # the token ends inside a character
    NOT_COMING = 0xFFFF  # the token is not in `mask`. All bytes are 0xFF.


cdef struct Transition:
    uint32_t* mask        # the tokens that the automaton and `by_merges` let come; n_words words and a spare one
    uint32_t* cut         # the cut tokens: the tokens of `mask` that end inside a character; as many words
    uint16_t* after       # by token: the outcome that it leads to, by its number in `outcomes`; or NOT_COMING or IS_CUT
    uint32_t count        # how many outcomes the tokens that are not cut lead to
    uint32_t all_count    # how many outcomes there are, those of `endings` included
    uint32_t* numbers     # by outcome below `count`: its number in Outcomes
    uint32_t* outcomes    # each is a set of hypotheses, as bits (Outcomes.words words)
    uint32_t* listed      # count + 1 offsets into `tokens`: where the list of each outcome begins (empty without `is_listed`)
    uint32_t* tokens      # the lists of tokens
    bint* is_listed       # by outcome below `count`: whether its tokens are listed
    bint has_endings      # whether endings.pyx has filled in the fields below
    bint* needs_ending    # by outcome below `count`: whether the tokens that lead to it need an ending (endings.pxd)
    bint lacks_endings    # whether some outcome has no hypothesis of CanonicalRules.free_ends, and its tokens are not listed
    Vec endings           # of the cut tokens, and of the tokens whose outcome has `needs_ending` set


cdef struct Prefix:
    # What a walk knows of the first bytes of a token.
    Utf8 character      # the character that is being read
    uint16_t outcome    # of the complete characters; NO_OUTCOME until the first is complete


cdef class BoundaryTransition:
    cdef Transition data
    cdef uint32_t hypothesis
    cdef uint32_t way
    cdef Vec firsts     # by class of a token's first character: the outcome of this character; NO_OUTCOME if it may not come
    cdef uint64_t live  # the classes, as bits, of the characters that may begin a token


@cython.final
cdef class BoundaryTransitions:
    cdef TokenTrie trie
    cdef Merges merges
    cdef Outcomes outcomes
    cdef bint whole_pretokens
    cdef const uint8_t* is_atom  # as in CanonicalRules
    cdef bint all_merged         # whether merges are known to make every token
    cdef dict kept               # (state of the automaton, way) -> BoundaryTransition
    cdef size_t max_bytes
    cdef object lock             # held while a transition is made, or its endings, or the number of a sieve
    cdef uint32_t[8] unlike      # scratch: bytes below which a transition differs from the one that it is made from
    cdef Vec numbers             # scratch: by number of an outcome in `outcomes`, its number in the transition that is being made

    # The transition for a hypothesis, which is a state of the automaton, and for a way. Raises MemoryError.
    cdef BoundaryTransition find(self, uint32_t hypothesis, uint32_t way)

    # The steps of `find` for a transition that is not kept. They return OK or NO_MEMORY. First, fill `firsts` and `live`.
    cdef int list_firsts(self, BoundaryTransition made) noexcept nogil

    # Find the kept transition from which the fewest nodes of the trie differ, or None. Sets `unlike` to the bytes below which they
    # do.
    cdef BoundaryTransition most_alike(self, BoundaryTransition made)

    # Write to `bytes` the first bytes of tokens that may lead elsewhere in two transitions. Returns how many nodes of the trie are
    # at and below these bytes.
    cdef uint32_t find_unlike(self, BoundaryTransition one, BoundaryTransition other, uint32_t* bytes) noexcept nogil

    # Walk the trie where the transition differs from another one, and copy the rest; or, if there is none (NULL), the whole trie.
    cdef int walk(self, BoundaryTransition made, const Transition* other) noexcept nogil

    # Part of `walk`: let an outcome of `outcomes` have a number in the transition.
    cdef int set_number(self, uint32_t outcome, uint32_t number) noexcept nogil

    # Part of `walk`: copy another transition up to its outcomes.
    cdef int copy(self, Transition* made, const Transition* other) noexcept nogil

    # Part of `walk`: forget the tokens of a subtree.
    cdef void forget_tokens(self, Transition* made, uint32_t at) noexcept nogil

    # Part of `walk`: walk a child of the trie's root, and what is below.
    cdef int walk_below(self, Transition* made, uint32_t at, uint32_t hypothesis, uint32_t way) noexcept nogil

    # Part of `walk`: number the outcomes anew that tokens lead to. Some of those that were copied may have none.
    cdef int drop_outcomes(self, Transition* made) noexcept nogil

    # Part of `walk`: go on with a byte of a token. Returns 1; 0 if the byte may not come; or a status.
    cdef int read_byte(self, Prefix* path, uint32_t byte, uint32_t hypothesis, uint32_t way) noexcept nogil

    # Part of `walk`: add a token, if merges allow it. `path` is what is known of its bytes.
    cdef int add_token(self, Transition* made, uint32_t token, uint32_t way, const Prefix* path) noexcept nogil

    # Part of `walk`: fill `numbers` and `outcomes`.
    cdef int copy_outcomes(self, Transition* made) noexcept nogil

    # List the tokens of the outcomes.
    cdef int list_tokens(self, Transition* made) noexcept nogil

    # Whether merges allow that a token comes in a way, whatever the last token is. The parts of all tokens must be known, unless
    # `all_merged`.
    cdef bint by_merges(self, uint32_t token, uint32_t way) noexcept nogil
