"""The search for the end of a pre-token."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    UNKNOWN = 2  # instead of a verdict


@cython.final
cdef class Boundaries:
    cdef CanonicalRules rules
    cdef Outcomes outcomes
    cdef SearchSteps steps
    cdef Intern names  # (lasting row, lexer state, hypothesis)
    cdef Vec verdicts  # by name: whether the pre-token can end there, or UNKNOWN
    cdef Map inside    # (lexer state, hypothesis) -> whether the pre-token can end inside the lexeme
    cdef bint stays_inside  # whether the search stays inside the lexeme
    cdef Vec frontier  # of the search: row, state, hypothesis

    # All methods run with the engine's lock held. Where a comment says "whether", a method returns 1, 0 or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything. Returns OK or NO_MEMORY.
    cdef int clear(self) noexcept nogil

    # Whether the pre-token may end after the last token, and the text can end or go on there. `at` is the state after this
    # token.
    cdef int can_end(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Go on with a token inside a pre-token. Returns 1; 0 if it may not come, then `config` and `at` are of no use any more; or a
    # status.
    cdef int take(self, Engine engine, Config* config, CanonicalState* at, uint32_t token) noexcept nogil

    # Whether the pre-token can end at `config`: some text that the grammar allows next makes it end there. `hypothesis` is a
    # state of the automaton of pre-tokens.
    cdef int can_reach(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Judge by the bytes that may come next, given as bits, whether the pre-token can end. Returns 1; 0; or UNKNOWN, if that depends
    # on what comes after these bytes.
    cdef int judge_bytes(self, const uint32_t* bytes, uint32_t hypothesis) noexcept nogil

    # Whether texts inside the lexeme show that the pre-token can end at a configuration. What is found holds for all rows with the
    # lexer state.
    cdef int ends_inside(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Whether nearly all printable ASCII characters may come in a lexer state. Returns True or False.
    cdef bint is_free(self, Engine engine, uint32_t state) noexcept nogil

    # The work of can_reach where the answer is not known.
    cdef int search(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Try every ASCII character or, with `wide`, every character that is not ASCII. Returns 1 if one of them leads to a place
    # where any text may follow, or where the text can end. Returns 1 also if a bound is reached. Otherwise adds the
    # configurations after these characters to the frontier, and returns 0. Or returns a status. `ended` says whether the
    # pre-token ended before an earlier character. `steps_left` bounds the work.
    cdef int try_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint ended, uint32_t* steps_left,
    ) noexcept nogil

    # Part of try_characters: drop the ASCII characters of `bytes` that do not count. `live` is as in `try_byte`.
    cdef void keep_live(self, uint64_t live, uint32_t* bytes) noexcept nogil

    # `try_characters` for the characters that begin with the bytes of `part` and the byte `byte`. `live` has the classes of the
    # characters that count, as bits, as PretokenTable.live_ends has them.
    cdef int try_byte(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t byte, uint64_t live, uint32_t hypothesis,
        bint ended, uint32_t* steps_left,
    ) noexcept nogil

    # Whether the automaton of pre-tokens has a successor in way `first` or a later way. `entry` is state * classes + class.
    cdef bint has_transition(self, uint32_t first, uint32_t entry) noexcept nogil

    # Whether it is sure that the text can end or go on at a place. `config` and `hypothesis` are those at this place. A pre-token
    # has ended before it, and at least one character has come since. If this is not sure, both are added to the frontier, unless
    # they are in it already or `hypothesis` is DEAD. If the frontier is full, the answer is 1.
    cdef int pass_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil
