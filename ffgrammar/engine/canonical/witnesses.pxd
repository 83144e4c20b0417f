"""Witnesses: short texts after which the pre-token can end."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.bpe.ids cimport Ids
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    SPOT_WORDS = 9     # of a Spot
    MAX_LEVELS = 64
    MAX_WITNESS = 256  # bytes of a witness


cdef struct Spot:
    # A configuration that some search has met.
    Config config
    uint32_t next     # the number of the spot after the first byte of its witness, or a constant of witnesses.pyx
    uint32_t byte     # this first byte
    # Of the search that met it last:
    uint32_t before   # the spot from which the search came
    uint32_t through  # the byte by which it came
    uint32_t seen     # the number of the search
    uint32_t level    # how many lexemes have ended on the way there; at most MAX_LEVELS - 1
    uint32_t link     # the next spot of this level, or ABSENT


@cython.final
cdef class Witnesses:
    cdef CanonicalRules rules
    cdef SearchSteps steps
    cdef Boundaries boundaries
    cdef Map numbers     # configuration -> the number of its spot
    cdef Vec spots       # by number, a Spot
    cdef uint32_t search  # the number of the last search
    # Scratch.
    cdef uint32_t hypothesis          # about pre-tokens, where a witness may end
    cdef uint32_t level               # no spot of a higher level waits to be looked at
    cdef uint32_t[MAX_LEVELS] first   # by level: the first spot that waits, or ABSENT
    cdef uint32_t[MAX_LEVELS] last    # by level: the last one
    cdef uint8_t[MAX_WITNESS] text
    cdef Ids ids

    # All methods run with the engine's lock held, for configurations whose rows are not virtual. Unless its comment says otherwise,
    # a method returns OK or a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Whether a witness of a configuration is found. `at` has the rules' hypotheses there.
    cdef int has_witness(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Whether a witness is found that begins with `byte`, and its tokens show that the pre-token can end. If so, its first token is
    # written. `at` is as in has_witness.
    cdef int first_token(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t byte, uint32_t* token) noexcept nogil

    # Part of first_token: whether the tokens of the witness may come, and the pre-token can end after them.
    cdef int confirm(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Write the witness of a configuration to `text`, from `count` on. Returns where it ends; 0 if there is none, or if it is too
    # long; or a status.
    cdef int write_text(self, Engine engine, const Config* config, uint32_t count) noexcept nogil

    # Find a witness of a spot, if it is not known whether there is one: fill `next` and `byte`.
    cdef int find_way(self, Engine engine, uint32_t number) noexcept nogil

    # The steps of find_way follow. Let no spot wait.
    cdef void begin_search(self) noexcept nogil

    # Let a spot wait.
    cdef void add_spot(self, uint32_t number, uint32_t level) noexcept nogil

    # The spot that is looked at next, which no longer waits; or ABSENT.
    cdef uint32_t take_spot(self) noexcept nogil

    # Note the way from the spot `number` to `at`, which has a witness.
    cdef void note_way(self, uint32_t number, uint32_t at) noexcept nogil

    # Let the spots wait that one byte leads to.
    cdef int go_on(self, Engine engine, uint32_t number) noexcept nogil

    # Part of go_on, for one byte.
    cdef int add_next(self, Engine engine, uint32_t number, uint32_t byte) noexcept nogil

    # Whether a witness may end in a configuration: text inside the lexeme makes the pre-token end, or the text may end.
    cdef int is_end(self, Engine engine, const Config* config) noexcept nogil

    # Write the number of the spot of a configuration.
    cdef int spot_of(self, const Config* config, uint32_t* number) noexcept nogil
