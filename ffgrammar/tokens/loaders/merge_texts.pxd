"""Where the names of merges lie in the JSON text of a tokenizer.json."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.loaders.json_scanner cimport ReadStatus, Text

cdef struct MergeText:
    # One merge. Its left name has `left` bytes, from `start` on. After a gap follow the `right` bytes of its right name.
    uint32_t start
    uint8_t left
    uint8_t gap
    uint8_t right
    uint8_t other_form  # whether the names are not in the text as they are. Then the string or array at `start` has to be read


cdef struct MergeTexts:
    # All merges. Begins as MergeTexts(NULL, 0, 0). Whoever made it frees `items`.
    MergeText* items
    uint32_t count
    uint32_t room


# Read the array of `merges`: strings, or arrays of two strings. Note where each merge is. `spare` has room for as many bytes as the
# text has. The text has at most 2**32 - 16 bytes.
cdef ReadStatus list_merges(Text* text, uint8_t* spare, MergeTexts* found) noexcept nogil
