"""The ids of the merges of a tokenizer.json."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.loaders.json_scanner cimport Text
from ffgrammar.tokens.loaders.name_table cimport NameTable

cdef enum:
    MERGE_BYTES = 3 * sizeof(uint32_t)

# Read the array of `merges`, whose text has been checked and which has `count` entries. For each entry write to `ids`: the left
# token, the right token, and what they become. Returns False if a merge is not of two tokens that make a token, or if it is of a
# token with never[token] == 1. `spare` has room for twice as many bytes as the text of the array has.
cdef bint read_merges(
    Text* text, NameTable table, const uint8_t* never, uint8_t* spare, uint32_t* ids, uint32_t count
) noexcept nogil
