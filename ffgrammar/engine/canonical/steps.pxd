"""Steps of a search: one byte further, and the bytes that may come next."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.values.trace cimport VIRTUAL

cdef enum:
    KEPT_BYTES = 64  # for how many configurations the next bytes are kept


cdef struct NextBytes:
    Config config
    uint32_t[8] bytes  # the bytes that may follow, as bits


@cython.final
cdef class SearchSteps:
    cdef PendingPrefix pending       # of the matcher that asks
    cdef size_t dependent_answers    # how many answers of the grammar ever depended on values in the text
    cdef NextBytes[KEPT_BYTES] kept  # of the configurations asked about last

    # All methods run with the engine's lock held. Where a comment says "whether", a method returns 1, 0 or a status.

    # Forget the next bytes that are kept.
    cdef void forget(self) noexcept nogil

    # Move by one byte: a pending byte, or a byte of the text. Returns 1; 0 if it may not come (`config` stays); or a
    # status.
    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil

    # Whether what was found about a configuration holds for this text only, and not for all texts in the parser's row. `answers`
    # is what `dependent_answers` was before. Returns True or False.
    cdef inline bint is_text_dependent(self, const Config* config, size_t answers) noexcept nogil:
        return config.row & VIRTUAL != 0 and self.dependent_answers != answers

    # Whether the text is a sentence.
    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil

    # Write the bytes that may follow a configuration to 8 words, as bits. If the row is virtual, and only the text so far rules a
    # byte out, the bit of this byte is set all the same. Returns a status.
    cdef int find_next_bytes(self, Engine engine, const Config* config, uint32_t* bytes) noexcept nogil

    # Part of find_next_bytes. The lexeme ends before the bytes of `live` whose target is LEAVE, and `after` is the configuration
    # after it; its row is PENDING if no lexeme may end there. Clear those of these bytes that are dead.
    cdef void drop_dead(self, Engine engine, const Config* config, const Config* after, uint32_t* live) noexcept nogil
