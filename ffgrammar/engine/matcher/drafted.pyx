"""The ids of drafted tokens, as an array that needs no GIL."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.index cimport clipped_argument
from ffgrammar.engine.position.history cimport NO_TOKEN


cdef class Drafted:
    """The ids of drafted tokens.

    Args:
        tokens: the ids; those that are not of the vocabulary become NO_TOKEN.
        vocab_size: how many ids there are.
    """

    def __cinit__(self, tokens, uint32_t vocab_size):
        cdef Py_ssize_t token
        cdef list listed = list(tokens)
        self.count = len(listed)
        self.tokens = <uint32_t*>malloc((self.count or 1) * sizeof(uint32_t))
        if self.tokens == NULL:
            raise MemoryError
        for i, number in enumerate(listed):
            token = clipped_argument("a token id", number)
            self.tokens[<size_t>i] = <uint32_t>token if 0 <= token < <Py_ssize_t>vocab_size else <uint32_t>NO_TOKEN

    def __dealloc__(self):
        free(self.tokens)
