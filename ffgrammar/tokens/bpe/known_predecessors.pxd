"""For a few tokens, which tokens are known to be able to stand before them."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word
from ffgrammar.tokens.bpe.merges cimport Merges

cdef enum:
    ROWS = 32


@cython.final
cdef class KnownPredecessors:
    cdef Merges merges
    cdef size_t words      # of 64 bits, of a row
    cdef uint32_t used     # how many rows were ever asked for
    cdef uint64_t* tokens  # by row: the token that it is about + 1, or 0
    cdef uint64_t* rows    # a bit for each token that is known to be able to stand before the row's token

    # The number of the row about a token. If there is none, it is a new one. Returns ROWS if there is no room for another.
    cdef uint32_t find_row(self, uint32_t token) noexcept nogil

    # Whether a row is about a token.
    cdef inline bint is_about(self, uint32_t row, uint32_t token) noexcept nogil:
        return atomic_load_word(self.tokens + row) == <uint64_t>token + 1

    # Note in a row that a token can stand before the row's token. Does nothing if merges do not make the token.
    cdef inline void add(self, uint32_t row, uint32_t token) noexcept nogil:
        cdef uint64_t* word = self.rows + row * self.words + (token >> 6)
        # (two threads may overwrite each other's bits: then one of them is found again later)
        if self.merges.reached(token) > 0:
            atomic_put_word(word, atomic_load_word(word) | <uint64_t>1 << (token & 63))

    # Whether merges make a token, and it is known to be able to stand before the row's token.
    cdef inline bint has(self, uint32_t row, uint32_t token) noexcept nogil:
        return atomic_load_word(self.rows + row * self.words + (token >> 6)) >> (token & 63) & 1
