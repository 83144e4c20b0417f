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

cdef enum:
    ANY_BYTE = 0x80     # instead of a byte: what holds after a byte beyond ASCII holds after every byte


@cython.final
cdef class Reach:
    cdef CanonicalRules rules
    cdef Outcomes outcomes
    cdef Map ends_at          # lexer state -> offset in `ends`
    cdef Vec ends             # sets of hypotheses
    cdef Map next_at          # lexer state -> offset in `next`
    cdef Vec next             # sets of hypotheses from which some ASCII character leads to a sure state

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Forget everything. Call this when the engine has forgotten its lexer states.
    cdef int clear(self) noexcept nogil

    # The bytes of all that is kept.
    cdef size_t bytes(self) noexcept nogil

    # Find the hypotheses with which the pre-token can end in a lexer state: write their offset in `ends`. A hypothesis counts if
    # one or two ASCII characters show this: they may come inside the lexeme, the pre-token ends before the first of them, and
    # they lead to a sure state.
    cdef int ends_in(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil

    # Whether the pre-token can end in a lexer state with each hypothesis of CanonicalRules.free_ends that a byte can lead to.
    # Returns 1, 0 or a status.
    cdef int ends_freely(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil

    # Find the hypotheses from which some ASCII character leads to a sure state: write their offset in `next`. The character must
    # be one that may come inside the lexeme.
    cdef int sure_after(self, Engine engine, uint32_t state, uint32_t* offset) noexcept nogil

    # Part of ends_in and sure_after: append a set to `sets`. This set is the union of those that `by_class` has for the ASCII
    # characters that may come inside the lexeme. A character whose class adds nothing is not looked at. (This saves a fifth of
    # the instructions of canonical masks where a large pattern makes each transition expensive.)
    cdef int add_by_class(self, Engine engine, uint32_t state, const uint32_t* by_class, Vec* sets) noexcept nogil

    # Part of ends_in: add to the set at `offset` the hypotheses for which it takes two characters to show that the pre-token can
    # end.
    cdef int add_open_ends(self, Engine engine, uint32_t state, uint32_t offset) noexcept nogil

    # Part of add_open_ends, where the first of the two characters is of the class `character` and leads to the lexer state
    # `target`.
    cdef int add_open_ends_before(self, Engine engine, uint32_t offset, uint32_t character, uint32_t target) noexcept nogil

    # `ends_in` for a configuration: write the set to `bits`, which has room for it. The ASCII characters may come inside the
    # lexeme of the configuration, or inside the next lexeme after this one has ended. If the answer depends on values in the
    # text, `dependent_answers` goes up by 1. The grammar must be delimited (`ir.GrammarIR.delimited`).
    cdef int ends_after(
        self, Engine engine, const Config* config, uint32_t* bits, size_t* dependent_answers) noexcept nogil
