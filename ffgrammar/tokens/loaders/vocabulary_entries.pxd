"""Where the names of a vocabulary lie in the JSON text of a tokenizer.json, and which ids they have."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.loaders.json_scanner cimport ReadStatus, Text

cdef struct EntryName:
    # The name of one entry.
    uint32_t start
    uint32_t size      # its bytes
    bint is_unescaped  # whether it lies in Entries.unescaped, because it has escapes in the text


cdef struct Entries:
    # The entries of `vocab`, in the order of the file. Begins as zeros, but for `unescaped`. Whoever made it frees the arrays.
    EntryName* names
    uint32_t* ids
    uint32_t count
    uint32_t room
    uint32_t end           # how many ids there are: 1 + the largest
    uint8_t* unescaped     # has room for as many bytes as the text has
    uint32_t unescaped_size


# Read the object of `vocab`, after its brace. No name is empty. The text has at most 2**32 - 16 bytes.
cdef ReadStatus read_entries(Text* text, Entries* entries) noexcept nogil
