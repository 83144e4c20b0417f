"""When a search from a configuration succeeds, its token often serves the next question there, too. So it is kept as a hint. Where
a sentence goes on by one hint after another, no search is needed. This holds on virtual rows, too, because the tokens are tried
with the text as it is."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.recognizer.recognizer cimport lasting_row

cdef enum:
    MAX_FOLLOWED = 64  # hints, one after another


@cython.final
cdef class Hints:
    """The hints of a grammar.

    Args:
        boundaries: the grammar's searches for ends of pre-tokens.
    """

    def __cinit__(self, Boundaries boundaries not None):
        self.boundaries = boundaries
        self.forget()

    cdef void forget(self) noexcept nogil:
        cdef uint32_t i
        for i in range(HINTS):
            self.kept[i].config.row = PENDING

    cdef void keep(self, Engine engine, const Config* config, uint32_t token) noexcept nogil:
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef Hint* hint = &self.kept[(row ^ config.state >> 8) % HINTS]
        hint.config.row = row
        hint.config.state = config.state
        hint.token = token

    cdef const Hint* of(self, Engine engine, const Config* config) noexcept nogil:
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef const Hint* hint = &self.kept[(row ^ config.state >> 8) % HINTS]
        return hint if hint.config.row == row and hint.config.state == config.state else NULL

    cdef int follow(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef size_t answers = self.boundaries.steps.dependent_answers
        cdef CanonicalState after = at[0]
        cdef Config moved = config[0]
        cdef const Hint* hint
        cdef uint32_t _number
        cdef int status = 0
        for _number in range(MAX_FOLLOWED):
            hint = self.of(engine, &moved)
            if hint == NULL or after.character.need:
                break
            status = self.boundaries.take(engine, &moved, &after, hint.token)
            if status <= 0:
                break
            status = self.boundaries.can_end(engine, &moved, &after)
            if status != 0:
                return status
        # (nothing is concluded from 0)
        self.boundaries.steps.dependent_answers = answers
        return min(status, 0)
