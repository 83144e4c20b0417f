"""Reach: in which lexer states a pre-token can end, as far as the lexer alone can tell.

A pre-token can end where a character may come that begins the next one. For most lexer states one or two ASCII characters show
this: a quote may come, or a space and a letter. Whether a pre-token can end is asked once for each lexer state, and answered
for all hypotheses about pre-tokens at once. The answer serves all rows of the parser. "No" means only that the lexer alone does
not show it: then the look-ahead has to ask the parser (lookahead.pxd).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    # The most lexer states in a survey (see `survey`). (With 64, canonical masks in strings whose words are counted took 1.5
    # times the instructions.)
    MAX_SURVEYED = 256
    MAX_LISTED = 1024   # the most tokens that are listed for one lexer state of a survey
    # instead of the number of states in a survey: tokens lead to more than MAX_SURVEYED
    TOO_MANY = 0xFFFFFFFF
    # instead of the number of tokens that lead to a state: there are more than MAX_LISTED
    MANY = 0xFFFFFFFF


@cython.final
cdef class Reach:
    cdef CanonicalRules rules
    cdef Outcomes outcomes
    cdef Map ends_at          # lexer state -> offset in `ends`
    cdef Vec ends             # sets of hypotheses
    cdef Map next_at          # lexer state -> offset in `next`
    cdef Vec next             # sets of hypotheses: those from which some ASCII character leads to a sure state
    cdef Map surveyed         # (lexer state, topic) -> offset in `surveys`
    cdef Vec surveys          # surveys, and lists of doubtful tokens
    # Scratch, while a survey is made.
    cdef Vec numbers          # by lexer state: its number in the survey
    cdef Vec examples         # by number: a token that leads there
    cdef Vec counts           # by number: how many tokens lead there
    cdef Vec pairs            # (number, token)

    # All methods run with the engine's lock held. They return OK or a status.

    # Forget everything. Call this when the engine has forgotten its lexer states.
    cdef int clear(self) noexcept nogil

    # Bytes of all tables.
    cdef size_t bytes(self) noexcept nogil

    # Find the hypotheses with which the pre-token can end in a lexer state: write their offset in `ends`. A hypothesis counts if
    # one or two ASCII characters show this: they may come inside the lexeme, the pre-token ends before the first of them, and
    # they lead to a sure state.
    cdef int ends_in(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil

    # Find the hypotheses from which some ASCII character leads to a sure state: write their offset in `next`. The character must
    # be one that may come inside the lexeme.
    cdef int sure_after(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil

    # Part of ends_in and sure_after: append a set to `sets`. This set is the union of those that `by_class` has for the ASCII
    # characters that may come inside the lexeme. A character whose class adds nothing is not looked at. (This saves a fifth of
    # the instructions of canonical masks where a large pattern makes each transition expensive.)
    cdef int add_by_class(self, Engine engine, uint32_t state, const uint32_t* by_class, Vec* sets) noexcept nogil

    # Part of ends_in: add to the set at `offset` the hypotheses for which only two characters show that the pre-token can end.
    cdef int add_open_ends(self, Engine engine, uint32_t state, uint32_t offset) noexcept nogil

    # Part of add_open_ends, for those first characters of the class `character` that lead to the lexer state `target`.
    cdef int add_open_ends_before(self, Engine engine, uint32_t offset, uint32_t character, uint32_t target) noexcept nogil

    # ends_in for a configuration. The ASCII characters may come inside its lexeme, or inside the next lexeme after this one has
    # ended. `bits` has room for a set of hypotheses. The grammar must be delimited. On a virtual row the answer holds for this
    # text only.
    cdef int ends_after(self, Engine engine, const Config* config, uint32_t* bits) noexcept nogil

    # Write where in `surveys` the survey of a lexer state begins. A survey begins with how many states tokens lead to inside the
    # lexeme, or TOO_MANY. For each such state it then has an example of a token that leads there, how many tokens lead there, and
    # a list of these tokens. If more than MAX_LISTED tokens lead there, MANY stands in place of their number, and there is no
    # list. A token that ends inside a character does not count.
    cdef int survey(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil

    # Write where in `surveys` the doubtful tokens of a transition are: how many there are, and these tokens. The transition is
    # that of a hypothesis and a way. A token is doubtful if it stays inside the lexeme and needs an ending
    # (tokens/canonical/endings.pxd), but no ending was found, or the ending does not show that the pre-token can end.
    cdef int doubtful(
        self, Engine engine, uint32_t state, const Transition* transition, uint32_t hypothesis, uint32_t way, uint32_t* offset
    ) noexcept nogil

    # Part of `survey` and `doubtful`: find what is known about a state and a topic, and write its offset in `surveys`. Returns
    # KEPT; NOT_KEPT, if the caller has to append it there; or a status.
    cdef int find(self, Engine engine, uint32_t state, uint32_t topic, uint32_t* offset) noexcept nogil

    # Part of `survey` and `doubtful`: keep what was appended from `base` on, or drop it if `status` is below zero. Returns OK or
    # a status.
    cdef int keep(self, Engine engine, uint32_t state, uint32_t topic, size_t base, int status) noexcept nogil

    # The steps of `survey` follow. Append the survey of a state.
    cdef int make_survey(self, Engine engine, uint32_t state) noexcept nogil

    # Walk the trie. Fills `examples`, `counts` and `pairs`. Returns OK, a status, or 1 if there are TOO_MANY states.
    cdef int walk(self, Engine engine, uint32_t state) noexcept nogil

    # Note that a token leads to a state. Returns as `walk`.
    cdef int note(self, uint32_t state, uint32_t token) noexcept nogil

    # The work of `doubtful`: append the tokens.
    cdef int list_doubtful(self, Engine engine, uint32_t state, const Transition* transition) noexcept nogil

    # Whether the ending of a token shows that the pre-token can end. Returns 1, also if the token leaves the lexeme; 0; or a
    # status.
    cdef int ends_by(self, Engine engine, uint32_t state, const Transition* transition, const uint32_t* ending) noexcept nogil
