"""Leads: where the tokens of a configuration's mask lead."""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.room cimport Room
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.mask_cache cimport StoredMask
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


@cython.final
cdef class Leads:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Reach reach
    # The place that was looked at last. The other fields are about it.
    cdef bint has_place        # whether there is one
    cdef Config place          # a configuration
    cdef bint is_explained     # whether `explain` has been called for `place`, and `look_at` has not
    # Where the leads begin: `place`; or, if its lexeme must end there, the configuration after it. Both have virtual rows, or
    # neither has. If they have, the two are equal.
    cdef Config start
    cdef uint32_t base         # see masks_explain (engine/masks/compute.pxd); on a virtual row, the state of `start` or NO_BASE
    cdef bint has_open_base    # whether the base is the open state (engine/masks/open_state.pxd) of that of `start`
    cdef Room room             # while a mask is made: has the plain mask and the tokens that have leads
    cdef uint64_t room_number  # of the room that was used last
    cdef Vec numbers           # for each of the room's `tokens`: the number of the configuration that it leads to
    cdef Vec configs           # by number: the lasting row and the lexer state of the configuration
    cdef Vec ends              # by number: what Reach.ends_after says of the configuration
    cdef Map number_of         # configuration (config_key) -> its number
    cdef Vec explained         # scratch: what masks_explain writes, a lead for each token (engine/masks/trie_walk.pxd)

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status. A method that takes steps on virtual rows adds to the trace, and its caller releases the trace.

    # Take a room. Call this before a mask is made. Returns nothing.
    cdef void enter(self, Room room) noexcept

    # Find out where the tokens of a configuration lead. Does nothing if it is the place already.
    cdef int look_at(self, Engine engine, const Config* config) noexcept nogil

    # Make the mask of a configuration, if it is not known and the row is not virtual. It is made with leads, which `look_at` takes
    # if it is called next.
    cdef int make_mask(self, Engine engine, const Config* config) noexcept nogil

    # Part of make_mask and look_at: fill `explained`, `start`, `base` and `has_open_base`.
    cdef int explain(self, Engine engine, const Config* config) noexcept nogil

    # Part of `look_at`: whether tokens lead to the same places whatever the text before said. Returns True or False.
    cdef bint is_text_free(self, Engine engine, const Config* config) noexcept nogil

    # Part of `look_at`, instead of `explain`: follow each token of the mask of a configuration, which is not dense. All of them get
    # leads.
    cdef int follow_tokens(self, Engine engine, const Config* config, const StoredMask* mask) noexcept nogil

    # Part of `explain`: fill `has_open_base`.
    cdef int find_open(self, Engine engine) noexcept nogil

    # Part of `look_at`: fill `tokens`, `has_lead`, `numbers`, `configs` and `ends`.
    cdef int sort_leads(self, Engine engine) noexcept nogil

    # Part of `sort_leads`: add a configuration that `token` leads to, and give it the next number. Returns 1; 0, if what
    # Reach.ends_after says depends on the text, so that it holds for `token` alone; or a status.
    cdef int add_config(self, Engine engine, const Config* config, uint32_t token) noexcept nogil

    # Whether the base is another state than that of `start`. Returns True or False.
    cdef inline bint has_base(self) noexcept nogil:
        return self.base != self.start.state

    # Whether a token is in the plain mask and has no lead. Returns True or False.
    cdef inline bint stays(self, uint32_t token) noexcept nogil:
        return bit_test(self.room.plain.data, token) and not self.has_lead(token)

    # Whether a token has a lead. Returns True or False.
    cdef inline bint has_lead(self, uint32_t token) noexcept nogil:
        return bit_test(self.room.has_lead.data, token)

    # Forget the place if its row is virtual, because virtual rows do not last.
    cdef void forget_text(self) noexcept nogil

    # Forget the base: from now on it is the state of `start`.
    cdef void forget_base(self) noexcept nogil

    # Write the configuration that a token leads to. It has a lead, and `number` is that of its configuration. If this
    # configuration has a virtual row, steps are taken. Returns 1; 0 if the token may not come; or a status.
    cdef int follow_lead(self, Engine engine, uint32_t number, uint32_t token, Config* config) noexcept nogil

    # Write the configuration that a token without a lead leads to inside the lexeme. `state` is the state of `start`, or the
    # base. On a virtual row, steps are taken. Returns 1; 0 if the token leaves the lexeme, or may not come; or a status. If the
    # row is not virtual and the token leaves the lexeme, the written state is above LAST_STATE.
    cdef int follow_inside(self, Engine engine, uint32_t state, uint32_t token, Config* config) noexcept nogil

    # follow_inside for `count` bytes, which need not be those of a token.
    cdef int follow_bytes(
        self, Engine engine, uint32_t state, const uint8_t* bytes, uint32_t count, Config* config) noexcept nogil

    # Write the configuration that `count` bytes lead to from the place, step by step. Returns 1; 0 if they may not come; or a
    # status.
    cdef int take_steps(self, Engine engine, const uint8_t* bytes, uint32_t count, Config* config) noexcept nogil
