"""Tokens in byte order in front-coded form: of each token, how many bytes it shares with the one before it, and its further bytes.

Every further byte is a node of the trie, so a trie is built from this form in one pass, without a comparison of bytes. The
embedded vocabularies are stored in it (pack.py), and kept ones (loaders/vocabulary_cache.py). Tokens with the same bytes follow
each other; each but the first of them has no further bytes.

Here `blob` and `offsets` are the tokens by id: token i has the bytes blob[offsets[i]:offsets[i + 1]]. Where tokens are written to
the form, SLACK bytes (packed_tokens.pxd) can be read after the last one.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef struct FrontCoded:
    # The parts of a front-coded form. If tokens have more than 255 bytes, the form is *wide*: it has the high bytes of all lengths
    # after the ids.
    uint32_t count
    bint wide
    const uint8_t* shared      # by token: how many bytes it shares with the token before it (the low byte of this number)
    const uint8_t* rest        # by token: how many further bytes it has (the low byte of this number)
    const uint8_t* ids         # all low bytes of the ids, all middle bytes, all high bytes
    const uint8_t* high_bytes  # the high bytes of all `shared`, then those of all `rest`; only if `wide`
    const uint8_t* suffixes    # the further bytes of one token after the other


cdef inline size_t front_coded_head(uint32_t count, bint wide) noexcept nogil:
    """How many bytes the front-coded form has before its suffixes."""
    return <size_t>count * (7 if wide else 5)


cdef inline FrontCoded front_coded(const uint8_t* raw, uint32_t count, bint wide) noexcept nogil:
    """The parts of the front-coded form `raw`."""
    return FrontCoded(
        count,
        wide,
        raw,
        raw + count,
        raw + 2 * <size_t>count,
        raw + 5 * <size_t>count,
        raw + front_coded_head(count, wide),
    )


cdef inline uint32_t shared_bytes(const FrontCoded* coded, uint32_t k) noexcept nogil:
    """How many bytes token k, in byte order, shares with the token before it."""
    return coded.shared[k] | (<uint32_t>coded.high_bytes[k] << 8 if coded.wide else 0)


cdef inline uint32_t further_bytes(const FrontCoded* coded, uint32_t k) noexcept nogil:
    """How many further bytes token k, in byte order, has."""
    return coded.rest[k] | (<uint32_t>coded.high_bytes[coded.count + <size_t>k] << 8 if coded.wide else 0)


cdef inline uint32_t front_coded_id(const FrontCoded* coded, uint32_t k) noexcept nogil:
    """The id of token k, in byte order."""
    cdef size_t count = coded.count
    return coded.ids[k] | <uint32_t>coded.ids[k + count] << 8 | <uint32_t>coded.ids[k + 2 * count] << 16


# How many further bytes the tokens have together. `order` has the ids of the `count` tokens, in byte order. For each token, sets
# `shared` to how many bytes it shares with the one before it, and `rest` to how many further ones it has.
cdef uint64_t front_coded_lengths(
    const uint8_t* blob, const uint32_t* offsets, const uint32_t* order, uint32_t count, uint16_t* shared, uint16_t* rest
) noexcept nogil

# Write the front-coded form of `count` tokens to `raw`, which has room for the head and for all further bytes. `lengths` has what
# front_coded_lengths made: `shared`, then `rest`.
cdef void front_code(
    const uint8_t* blob,
    const uint32_t* offsets,
    const uint32_t* order,
    const uint16_t* lengths,
    uint32_t count,
    bint wide,
    uint8_t* raw,
) noexcept nogil

# Read the lengths in a form of `size` bytes, which may be damaged. Puts the length of the token with id i into offsets[i + 1].
# Before, all of `offsets` are 0. Adds the lengths to `total`, and to `aliases` the number of tokens that have the same bytes as the
# token before them. Ids must be below `vocab_size`, and lengths no more than `most`. Returns NULL, or what is wrong.
cdef const char* read_lengths(
    const FrontCoded* coded,
    size_t size,
    uint32_t vocab_size,
    uint32_t most,
    uint32_t* offsets,
    uint64_t* total,
    uint32_t* aliases,
) noexcept nogil

# Read the bytes of the tokens in a form of `size` bytes into `blob`, for which read_lengths has found nothing wrong. SLACK bytes
# (packed_tokens.pxd) after the last one can be read and written. Returns NULL, or what is wrong.
cdef const char* read_bytes(const FrontCoded* coded, size_t size, const uint32_t* offsets, uint8_t* blob) noexcept nogil
