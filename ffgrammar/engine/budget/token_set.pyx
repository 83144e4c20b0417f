"""A list suits few tokens, a mask many."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_count, bit_set, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push


cdef void add_set(const uint32_t* set_words, uint32_t n_words, uint32_t* mask) noexcept nogil:
    cdef uint32_t count = set_words[0]
    cdef uint32_t i
    if count > n_words >> 2:
        for i in range(n_words):
            mask[i] |= set_words[i + 1]
    else:
        for i in range(count):
            bit_set(mask, set_words[i + 1])


cdef int push_set(Vec* words, const uint32_t* tokens, size_t count, uint32_t n_words) noexcept nogil:
    cdef size_t start = words.len + 1
    cdef size_t i
    if count <= n_words >> 2:
        return NO_MEMORY if vec_push(words, <uint32_t>count) < 0 else vec_extend(words, tokens, count)
    if vec_push(words, n_words) < 0 or vec_fill(words, n_words, 0) < 0:
        return NO_MEMORY
    for i in range(count):
        bit_set(words.data + start, tokens[i])
    return OK


cdef int push_mask_set(Vec* words, const uint32_t* mask, uint32_t n_words) noexcept nogil:
    cdef uint32_t i, bits
    cdef size_t count = 0
    for i in range(n_words):
        if mask[i]:
            count += bit_count(mask[i])
    if count > n_words >> 2:
        return NO_MEMORY if vec_push(words, n_words) < 0 else vec_extend(words, mask, n_words)
    if vec_push(words, <uint32_t>count) < 0:
        return NO_MEMORY
    for i in range(n_words):
        bits = mask[i]
        while bits:
            if vec_push(words, i << 5 | lowest_bit(bits)) < 0:
                return NO_MEMORY
            bits &= bits - 1
    return OK
