"""The map of characters of a model of sentencepiece."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


cdef class Charsmap:
    cdef bytes data             # the map as the model has it; the pointers below point into it
    cdef const uint8_t* units   # a double array of 32-bit units, little-endian
    cdef uint32_t unit_count
    cdef const uint8_t* texts   # what the rules write, each text with a zero byte after it
    cdef uint32_t texts_size
    cdef TokenTrie symbols      # texts that no rule changes

    # One unit of the double array; 0 if `at` is beyond its end.
    cdef uint32_t unit(self, uint32_t at) noexcept nogil

    # How many bytes the longest rule that applies at the start of a text takes; 0 if none applies. Sets `value` to where the
    # rule's text begins in `texts`.
    cdef size_t longest(self, const uint8_t* text, size_t count, uint32_t* value) noexcept nogil

    # How many bytes the longest symbol at the start of a text has; 0 if there is none.
    cdef size_t symbol(self, const uint8_t* text, size_t count) noexcept nogil
