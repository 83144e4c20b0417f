"""XXH64, a checksum of 64 bits.

    checksum(b"abc")        # 0x44BC2CF5AD770999

It finds damage, not forgery: other data with the same checksum are easily made. A megabyte takes 0.1 ms. SHA-256 takes 0.7 ms, and
to load the library that has it takes 3 ms.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint64_t

from ffgrammar.core.words_of_bytes cimport half_at, word_at

cdef enum:
    LANES = 4

cdef extern from *:
    """
    #include <stdint.h>
    #define FFGRAMMAR_P1 UINT64_C(0x9E3779B185EBCA87)
    #define FFGRAMMAR_P2 UINT64_C(0xC2B2AE3D27D4EB4F)
    #define FFGRAMMAR_P3 UINT64_C(0x165667B19E3779F9)
    #define FFGRAMMAR_P4 UINT64_C(0x85EBCA77C2B2AE63)
    #define FFGRAMMAR_P5 UINT64_C(0x27D4EB2F165667C5)
    """
    # The algorithm's primes
    uint64_t P1 "FFGRAMMAR_P1"
    uint64_t P2 "FFGRAMMAR_P2"
    uint64_t P3 "FFGRAMMAR_P3"
    uint64_t P4 "FFGRAMMAR_P4"
    uint64_t P5 "FFGRAMMAR_P5"


cdef inline uint64_t _rotate(uint64_t value, int bits) noexcept nogil:
    return value << bits | value >> (64 - bits)


cdef inline uint64_t _round(uint64_t lane, uint64_t word) noexcept nogil:
    return _rotate(lane + word * P2, 31) * P1


cdef uint64_t _take_blocks(const uint8_t* text, size_t blocks) noexcept nogil:
    """The checksum so far after this many blocks. A block has one word for each lane."""
    cdef uint64_t[LANES] lanes = [P1 + P2, P2, 0, 0 - P1]
    cdef uint64_t total
    cdef size_t block
    cdef int lane
    for block in range(blocks):
        for lane in range(LANES):
            lanes[lane] = _round(lanes[lane], word_at(text + 8 * (LANES * block + lane)))
    total = _rotate(lanes[0], 1) + _rotate(lanes[1], 7) + _rotate(lanes[2], 12) + _rotate(lanes[3], 18)
    for lane in range(LANES):
        total = (total ^ _round(0, lanes[lane])) * P1 + P4
    return total


cdef uint64_t _take_rest(uint64_t total, const uint8_t* text, size_t size) noexcept nogil:
    """The checksum after the last `size` bytes, which are less than a block."""
    cdef size_t at = 0
    while at + 8 <= size:
        total = _rotate(total ^ _round(0, word_at(text + at)), 27) * P1 + P4
        at += 8
    if at + 4 <= size:
        total = _rotate(total ^ half_at(text + at) * P1, 23) * P2 + P3
        at += 4
    while at < size:
        total = _rotate(total ^ text[at] * P5, 11) * P1
        at += 1
    return total


cdef uint64_t _xxh64(const uint8_t* text, size_t size) noexcept nogil:
    cdef size_t blocks = size // (8 * LANES)
    cdef size_t taken = blocks * 8 * LANES
    cdef uint64_t total = _take_blocks(text, blocks) if blocks else P5
    total = _take_rest(total + size, text + taken, size - taken)
    total = (total ^ total >> 33) * P2
    total = (total ^ total >> 29) * P3
    return total ^ total >> 32


def checksum(const uint8_t[::1] data not None):
    """The checksum of bytes, with the seed 0."""
    return _xxh64(&data[0] if len(data) else NULL, <size_t>len(data))
