"""Common followers: a few tokens that can follow nearly every token."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.fresh_strings cimport FreshStrings
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.repeats cimport Repeats
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # instead of an offset in `unfollowed`
    ALL_TOKENS = 0xFFFFFFFF     # no token is followed
    TOO_FEW = 0xFFFFFFFE        # too few common followers were found


@cython.final
cdef class CommonFollowers:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Repeats repeats
    cdef FreshStrings fresh_strings
    # whether what `find` wrote last holds for this text only, and there only for tokens after which a string is fresh
    cdef bint only_fresh
    cdef bint may_be_fresh   # the argument of the last `find`
    cdef Intern places       # (row, lexer state, closing, hypothesis and way of the part, hypotheses)
    cdef Vec offsets         # by place: where its list is in `unfollowed`, ALL_TOKENS or TOO_FEW
    cdef Intern lists        # (hypothesis and way of the part, a list of common followers)
    cdef Vec offset_of       # by such a list: an offset in `unfollowed`
    cdef Vec unfollowed      # lists: a count, then the tokens of the part that none of the followers can follow
    # Of the lexer state `closed` (most calls are about the last one again): as bits, the bytes that complete the lexeme, or after
    # which every byte that may come does.
    cdef uint32_t closed
    cdef uint32_t[8] closing
    # Scratch.
    cdef Vec words           # a mask: the predecessors of the followers; before that, the name of a place
    cdef Vec followers       # the hypothesis and way of the part, then the common followers

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method returns
    # OK or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Write where in `unfollowed` the tokens of a part are that no common follower can follow; or ALL_TOKENS, or TOO_FEW. The common
    # followers are looked for in the configuration `config`, with the hypotheses of `at`. `at.last` must be UNCONSTRAINED, and
    # `at` must not be inside a character. With `closing`, the lexeme can end right after each common follower: then they follow in
    # every state of which `config` has the base (engine/canonical/leads.pxd), too. `may_be_fresh` says whether followers are looked
    # for in fresh strings, too (fresh_strings.pyx). Sets `only_fresh`.
    cdef int find(
        self, Engine engine, const SievePart* part, const Config* config, const CanonicalState* at, bint closing,
        bint may_be_fresh, uint32_t* offset,
    ) noexcept nogil

    # `find` for a place that is not known yet.
    cdef int find_anew(
        self, Engine engine, const SievePart* part, const Config* config, const CanonicalState* at, bint closing, uint32_t* offset,
    ) noexcept nogil

    # Whether no token is left at an offset that find_unfollowed has written, or ALL_TOKENS. Returns True or False.
    cdef bint leaves_none(self, uint32_t offset) noexcept nogil

    # Part of `find_anew`: append to `followers` a few tokens that may come next, each of which is one ASCII character. It ends as
    # soon as they leave no token of the part unfollowed. Writes the offset of those that are left to `offset`; it is ALL_TOKENS
    # if there are no followers.
    cdef int list_characters(
        self, Engine engine, const SievePart* part, const Config* config, const CanonicalState* at, bint closing, uint32_t* offset,
    ) noexcept nogil

    # Part of list_characters: whether `token`, which is the ASCII character `byte`, is a common follower: one of the tokens that
    # Lookahead.list_followers finds for `config` and `at`; or, with `closing`, see can_close_after. On a virtual row, it
    # must follow whatever the text is (repeats.pyx). SearchSteps.dependent_answers stays as it was. Returns 1, 0 or a status.
    cdef int can_follow(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t byte, bint closing,
    ) noexcept nogil

    # Part of can_follow: `can_close` after `token`. `moved` and `after` are the places after the bytes of the token. Changes
    # `after`. Returns 1, 0 or a status.
    cdef int can_close_after(
        self, Engine engine, const Config* moved, CanonicalState* after, uint32_t token) noexcept nogil

    # Whether the lexeme can end at a place, so that a sentence goes on: the next byte completes the lexeme, or all that may come
    # after it do. `at` is the rules' state after the last token. Returns 1, 0 or a status.
    cdef int can_close(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Part of can_close: fill `closing`. Returns a status.
    cdef int list_closing(self, Engine engine, uint32_t state) noexcept nogil

    # Part of list_closing: whether some byte may come in a lexer state, and every such byte completes the lexeme.
    cdef int completes_next(self, Engine engine, uint32_t state) noexcept nogil

    # Part of can_follow: take a token, which is the ASCII character `byte`. Returns 1; 0 if it may not
    # come; or a status.
    cdef int take_character(self, Engine engine, Config* config, CanonicalState* at, uint32_t byte) noexcept nogil

    # Part of `find_anew`: write where in `unfollowed` the tokens of a part are that none of `followers` can follow.
    cdef int find_unfollowed(self, const SievePart* part, uint32_t* offset) noexcept nogil

    # Part of find_unfollowed: append their count and these tokens to `unfollowed`: those that the tokenizer keeps for the part and
    # `followers`. If it has none, list them and let it keep them.
    cdef int add_list(self, const SievePart* part) noexcept with gil

    # Part of add_list: append the list.
    cdef int list_unfollowed(self, const SievePart* part) noexcept nogil

    # Part of list_unfollowed: add the predecessors of a token to `words`.
    cdef int add_predecessors(self, uint32_t token) noexcept with gil
