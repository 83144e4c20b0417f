"""The ids of the merges of a tokenizer.json."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.loaders.json_scanner cimport Text
from ffgrammar.tokens.loaders.merge_texts cimport MergeTexts
from ffgrammar.tokens.loaders.name_table cimport NameTable

cdef enum:
    MERGE_BYTES = 3 * sizeof(uint32_t)
    MERGE_SPARE = 1 << 12
    MERGE_BATCHES = 3  # how many batches of merges are under way, one for each step

# For each merge write to `ids`: the left token, the right token, and what they become. `merges` says where the names are in the
# text. Returns False if a merge is not of two tokens that make a token, or if it is of a token with never[token] == 1. `spare` has
# room for names of MERGE_BATCHES batches: for each, `room` bytes, which is MERGE_SPARE more than twice the size of the text of all
# merges.
cdef bint read_merges(
    const Text* text, const MergeTexts* merges, NameTable table, const uint8_t* never, uint8_t* spare, size_t room, uint32_t* ids
) noexcept nogil
