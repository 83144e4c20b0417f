"""The ids of the merges of a tokenizer.json, which names tokens.

Names come in no order, so look-ups one by one would spend nearly all their time waiting for memory. So merges are read in batches:
first all names of a batch, then the slots of the hash table where they may be, then the tokens that the slots refer to. Each step
asks for memory that the next one reads.

What a merge makes is mostly what the merge before it makes, or the token after that. So these two are tried first.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

from ffgrammar.core.prefetch cimport prefetch
from ffgrammar.tokens.loaders.json_scanner cimport Text, read_string, take_byte
from ffgrammar.tokens.loaders.name_table cimport NameTable
from ffgrammar.tokens.vocabulary.token_index cimport TokenIndex, hash_bytes, index_find, index_find_hashed

cdef enum:
    BATCH = 32  # merges


cdef struct Name:
    const uint8_t* text
    size_t size
    uint64_t key  # its hash


cdef bint read_merges(
    Text* text, NameTable table, const uint8_t* never, uint8_t* spare, uint32_t* ids, uint32_t count
) noexcept nogil:
    cdef const TokenIndex* index = &table.index
    cdef Name[2 * BATCH] names
    cdef int32_t left, right
    cdef int32_t whole = 0
    cdef uint32_t done = 0
    cdef uint32_t i, size
    cdef uint8_t* rest  # what the names of a batch leave of `spare`
    take_byte(text, c"[")
    while done < count:
        size = min(<uint32_t>BATCH, count - done)
        rest = read_names(text, names, size, spare)
        if rest == NULL:
            return False
        fetch_tokens(index, names, 2 * size)
        for i in range(size):
            left = find_name(index, &names[2 * i])
            right = find_name(index, &names[2 * i + 1])
            whole = find_whole(table, &names[2 * i], whole, rest)
            if left < 0 or right < 0 or whole < 0 or never[left] or never[right]:
                return False
            ids[0], ids[1], ids[2] = <uint32_t>left, <uint32_t>right, <uint32_t>whole
            ids += 3
        done += size
    return True


cdef uint8_t* read_names(Text* text, Name* names, uint32_t count, uint8_t* spare) noexcept nogil:
    """Reads `count` entries, and the comma after each. An entry is a string of two names, or an array of two. Returns what is left
    of `spare`, or NULL if a string is not of two names."""
    cdef uint32_t i
    cdef const uint8_t* space
    cdef Name* one
    for i in range(count):
        one = &names[2 * i]
        if take_byte(text, c'"'):
            spare = read_name(text, one, spare)
            space = <const uint8_t*>memchr(one.text, c" ", one.size)
            if space == NULL:
                return NULL
            one[1].text = space + 1
            one[1].size = one.text + one.size - one[1].text
            one.size = space - one.text
            if memchr(one[1].text, c" ", one[1].size) != NULL:
                return NULL
        else:
            text.at += 1  # the bracket
            take_byte(text, c'"')
            spare = read_name(text, one, spare)
            take_byte(text, c",")
            take_byte(text, c'"')
            spare = read_name(text, one + 1, spare)
            take_byte(text, c"]")
        take_byte(text, c",")
    return spare


cdef uint8_t* read_name(Text* text, Name* name, uint8_t* spare) noexcept nogil:
    """Reads the rest of a string, after its first quote. A string with an escape is written to `spare`. Returns what is left of
    `spare`."""
    cdef const uint8_t* data = text.data
    cdef size_t at = text.at
    while data[at] != c'"' and data[at] != c"\\":
        at += 1
    if data[at] == c'"':
        name.text = data + text.at
        name.size = at - text.at
        text.at = at + 1
        return spare
    name.text = spare
    name.size = read_string(text, spare)
    return spare + name.size


cdef void fetch_tokens(const TokenIndex* index, Name* names, uint32_t count) noexcept nogil:
    """Finds the hashes of names, and fetches what look-ups will read."""
    cdef uint32_t i, slot
    for i in range(count):
        names[i].key = hash_bytes(names[i].text, names[i].size)
        prefetch(&index.slots[<uint32_t>(names[i].key >> 8) & index.mask])
    for i in range(count):
        slot = index.slots[<uint32_t>(names[i].key >> 8) & index.mask]
        if slot:
            prefetch(&index.offsets[(slot >> 8) - 1])
    for i in range(count):
        slot = index.slots[<uint32_t>(names[i].key >> 8) & index.mask]
        if slot:
            prefetch(index.blob + index.offsets[(slot >> 8) - 1])


cdef int32_t find_name(const TokenIndex* index, const Name* name) noexcept nogil:
    """The id of a name, or -1."""
    return index_find_hashed(index, name.text, name.size, name.key) if name.size else -1


cdef int32_t find_whole(NameTable table, const Name* two, int32_t last, uint8_t* spare) noexcept nogil:
    """The id of two names together, or -1. `last` is what the last merge makes. `spare` has room for both names."""
    cdef int32_t next_ = last + 1
    if is_whole(table, two, last):
        return last
    if <uint32_t>next_ < table.names.count and is_whole(table, two, next_):
        return next_
    memcpy(spare, two[0].text, two[0].size)
    memcpy(spare + two[0].size, two[1].text, two[1].size)
    return index_find(&table.index, spare, two[0].size + two[1].size)


cdef bint is_whole(NameTable table, const Name* two, int32_t token) noexcept nogil:
    """Whether the name of a token is that of two names together."""
    cdef const uint8_t* text = table.names.blob + table.names.offsets[token]
    cdef size_t size = table.names.offsets[token + 1] - table.names.offsets[token]
    return size == two[0].size + two[1].size and size > 0 and memcmp(text, two[0].text, two[0].size) == 0 and (
        memcmp(text + two[0].size, two[1].text, two[1].size) == 0)
