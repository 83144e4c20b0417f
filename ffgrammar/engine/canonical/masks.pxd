"""Masks of the tokens that a grammar allows and that are the tokenizer's own."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.dead_ends cimport DeadEnds
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.parts cimport MaskParts
from ffgrammar.engine.canonical.room cimport Room
from ffgrammar.engine.canonical.spelled cimport Spelled
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.mask_cache cimport StoredMask
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sieve cimport Sieve
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


@cython.final
cdef class CanonicalMasks:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef MaskParts parts
    cdef DeadEnds dead_ends
    cdef Spelled spelled
    cdef size_t max_bytes
    cdef uint32_t cleared      # what Outlines.cleared was when dead ends were last forgotten
    cdef uint32_t generation   # of the engine's caches, which rows and states belong to
    # The losses of a sieve are tokens that are dead ends in some of its parts. A token *lives* in a part if it comes there and is
    # no dead end. Losses of the first kind live in no part. Losses of the second kind live only in parts that go on with the
    # pre-token: such a token may come only if it can stand beside the last token.
    cdef Intern names          # (lasting row, lexer state, number of the sieve, DeadEnds.last)
    cdef Vec offsets           # by name: where its losses are in `lost`, NOT_FOUND or IN_PARTS
    cdef Vec lost              # lists: the counts of both kinds, then the tokens of the first kind, then those of the second
    # The last mask that `fill` made, if it is `noted`: its losses, and what it was made for.
    cdef bint noted
    cdef Config config
    cdef CanonicalState at
    cdef uint32_t losses       # their offset in `lost`
    cdef bint has_unkept       # whether the losses found last hold for this text only
    # Scratch.
    cdef uint32_t[2 * MAX_HYPOTHESES] dead_in  # for each part of a sieve, the offset of its dead ends in DeadEnds.dead
    cdef Vec later             # losses of the second kind
    cdef Room room             # while a mask is made

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Forget everything if the engine has forgotten its rows and states, or if what is kept here takes too much memory.
    cdef int enter(self, Engine engine) noexcept nogil

    # Write the mask of what may come next, end-of-text tokens included, to `words`, which has `count` words. `at` is the rules'
    # state, and `sieve` is its sieve. It is None inside a character, and where `begins_with_few` holds at the start of a text.
    # The caller bounds the work.
    cdef int fill(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, Room room, uint32_t* words, size_t count,
    ) noexcept

    # `fill` in the room.
    cdef int make(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, uint32_t* words, size_t count,
    ) noexcept

    # Whether the grammar allows few tokens at a place, which can be judged without a sieve.
    cdef int begins_with_few(self, Engine engine, const Config* config) noexcept nogil

    # Whether the last mask was made for this place, and `token` is not among its losses. Then this token is in the mask, if the
    # grammar and the rules let it come. Returns True or False.
    cdef bint is_no_loss(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token) noexcept nogil

    # Part of `fill`: the tokens that do not end the text.
    cdef int fill_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, uint32_t* words) noexcept

    # Do what fill_tokens does, with a mask that is made from parts (MaskParts).
    cdef int fill_from_parts(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, uint32_t* words) noexcept

    # Write the tokens that a stored mask has and that the sieve lets through. Here and below, `successors` is the mask of the
    # last token's successors, or NULL where it was not looked up.
    cdef void sift(
        self, const StoredMask* mask, const CanonicalState* at, Sieve sieve, const uint32_t* successors, uint32_t* words
    ) noexcept nogil

    # Whether merges leave a token beside the last one. Returns True or False.
    cdef bint may_stand_beside(self, const CanonicalState* at, const uint32_t* successors, uint32_t token) noexcept nogil

    # Take the losses at an offset in `lost` out of a mask.
    cdef void drop_losses(
        self, const CanonicalState* at, const uint32_t* successors, uint32_t offset, uint32_t* words) noexcept nogil

    # Find what a sieve loses in a configuration: write the offset in `lost`, or IN_PARTS. `dense` says whether the grammar's mask
    # has many tokens. If not, what is lost is found for the last token alone: tokens that cannot stand beside it may be missing.
    cdef int find_losses(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, bint dense, uint32_t* offset
    ) noexcept nogil

    # `find_losses` for a configuration and a sieve whose losses are not in the field `offsets` yet.
    cdef int list_losses(self, Engine engine, const Config* config, Sieve sieve, uint32_t* offset) noexcept nogil

    # Part of list_losses: fill `is_dead`, if the sieve has several parts.
    cdef int mark_dead(self, Sieve sieve) noexcept nogil

    # Part of list_losses: in which parts a token lives that is a dead end in part number `dead_in`. Returns 0 if it lives in none,
    # 1 if only in parts that go on with the pre-token, else 2.
    cdef int lives_in(self, Sieve sieve, uint32_t dead_in, uint32_t token) noexcept nogil

    # Whether the pre-token so far may be the beginning of an unmergeable token that goes on. Returns True or False.
    cdef bint may_be_spelled(self, const CanonicalState* at, Sieve sieve) noexcept nogil

    # An unmergeable token must not be spelled by several tokens. So if the pre-token so far and a token are together the
    # beginning of an unmergeable token, the token may be a dead end. Take such dead ends out of `words`. Call find_losses first.
    cdef int drop_spelled(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t* words) noexcept nogil

    # `drop_spelled` for one hypothesis, with which the pre-token so far leads to `node` of the trie.
    cdef int drop_spelled_below(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t node, uint32_t* words) noexcept nogil

    # Whether a token may come in some part. Unlike `lives_in`, this takes account of the last token and the pre-token so far.
    cdef int comes(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t token) noexcept nogil
