"""Inside a grammar, many tokens can be followed by the same one. A quote, for instance, can come after hundreds of tokens of
whitespace, wherever a key may begin. Whether it can stand beside a token is a fact about the tokenizer, so it is kept for all
grammars: as a bit, because it is looked up for hundreds of tokens at a place.

Unlike the masks of predecessors.pyx, which take a millisecond each, these rows have only what was found out anyway. Any number of
threads may read and add.
"""

cimport cython
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.threads cimport atomic_add, atomic_load


@cython.final
cdef class KnownPredecessors:
    """The rows of a tokenizer.

    Args:
        merges: the merges of the vocabulary.
    """

    def __cinit__(self, Merges merges not None):
        self.merges = merges
        self.words = (<size_t>merges.trie.vocab_size >> 6) + 1
        self.tokens = <uint64_t*>calloc(ROWS, sizeof(uint64_t))
        # (the system gives memory page by page, when it is written)
        self.rows = <uint64_t*>calloc(ROWS * self.words, sizeof(uint64_t))
        if self.tokens == NULL or self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.tokens)
        free(self.rows)

    cdef uint32_t find_row(self, uint32_t token) noexcept nogil:
        cdef uint32_t row
        for row in range(ROWS):
            if self.is_about(row, token):
                return row
        if atomic_load(&self.used) >= <uint32_t>ROWS:
            return ROWS
        # (each thread gets a row of its own, so two rows may be about one token)
        row = atomic_add(&self.used, 1)
        if row >= <uint32_t>ROWS:
            return ROWS
        atomic_put_word(self.tokens + row, <uint64_t>token + 1)
        return row
