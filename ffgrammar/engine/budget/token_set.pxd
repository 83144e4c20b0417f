"""Sets of tokens: a count of words, and these words. They are the tokens, if these are at most a quarter as many as a mask has
words. Or else they are a mask."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec

# Add a set to a mask of `n_words` words.
cdef void add_set(const uint32_t* set_words, uint32_t n_words, uint32_t* mask) noexcept nogil

# Append the set of `count` tokens. Returns OK or NO_MEMORY.
cdef int push_set(Vec* words, const uint32_t* tokens, size_t count, uint32_t n_words) noexcept nogil

# Append the set of the tokens of a mask. Returns OK or NO_MEMORY.
cdef int push_mask_set(Vec* words, const uint32_t* mask, uint32_t n_words) noexcept nogil
