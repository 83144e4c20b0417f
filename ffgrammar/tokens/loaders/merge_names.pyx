"""The ids of the merges of a tokenizer.json, which names tokens.

Where the names lie in the text is known (merge_texts.pyx). They come in no order, so look-ups one by one would spend nearly all
their time waiting for memory. So merges are taken in batches: first all names of a batch, then the slots of the hash table where
they may be, then, for names of more than eight bytes, the names that the slots refer to. Each step asks for memory that the next
one reads.

What a merge makes is mostly what the merge before it makes, or the token after that. So these two are tried first.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memchr, memcpy

from ffgrammar.core.prefetch cimport prefetch
from ffgrammar.tokens.loaders.json_scanner cimport Text, read_string, take_byte
from ffgrammar.tokens.loaders.merge_texts cimport MergeText, MergeTexts
from ffgrammar.tokens.loaders.name_index cimport (
    Name, NameIndex, NameSlot, first_slot, name_is_at, name_read, names_find,
)
from ffgrammar.tokens.loaders.name_table cimport NameTable
from ffgrammar.tokens.vocabulary.packed_tokens cimport SLACK

cdef enum:
    BATCH = 32  # merges
    AHEAD = 64  # how many merges before its turn the text is fetched


cdef bint read_merges(
    const Text* text, const MergeTexts* merges, NameTable table, const uint8_t* never, uint8_t* spare, uint32_t* ids
) noexcept nogil:
    cdef const NameIndex* index = &table.index
    cdef Name[2 * BATCH] names
    cdef int32_t left, right
    cdef int32_t whole = 0
    cdef uint32_t done = 0
    cdef uint32_t i, size
    cdef uint8_t* rest  # what the names of a batch leave of `spare`
    while done < merges.count:
        size = min(<uint32_t>BATCH, merges.count - done)
        rest = spare
        for i in range(size):
            prefetch(text.data + merges.items[min(done + i + AHEAD, merges.count - 1)].start)
            rest = find_names(text, &merges.items[done + i], &names[2 * i], rest)
            if rest == NULL:
                return False
        fetch_names(index, names, 2 * size)
        for i in range(size):
            left = names_find(index, &names[2 * i])
            right = names_find(index, &names[2 * i + 1])
            whole = find_whole(table, &names[2 * i], whole, rest)
            if left < 0 or right < 0 or whole < 0 or never[left] or never[right]:
                return False
            ids[0], ids[1], ids[2] = <uint32_t>left, <uint32_t>right, <uint32_t>whole
            ids += 3
        done += size
    return True


cdef uint8_t* find_names(const Text* text, const MergeText* merge, Name* two, uint8_t* spare) noexcept nogil:
    """Finds the two names of a merge. If they are not in the text as they are, they are written to `spare`. Returns what is left
    of `spare`, or NULL if the merge is a string that is not of two names."""
    cdef Text other
    cdef const uint8_t* data
    cdef const uint8_t* space
    cdef uint32_t right = merge.left + merge.gap  # where the right name begins
    cdef uint32_t size = right + merge.right
    if not merge.other_form:
        data = text.data + merge.start
        if text.size - merge.start < size + SLACK:
            # (these are the last merges of a file that ends soon after them)
            memcpy(spare, data, size)
            data = spare
            spare += size + SLACK
        name_read(&two[0], data, merge.left)
        name_read(&two[1], data + right, merge.right)
        return spare
    other = Text(text.data, text.size, merge.start)
    if take_byte(&other, c"["):
        spare = read_name(&other, &two[0], spare)
        take_byte(&other, c",")
        return read_name(&other, &two[1], spare)
    spare = read_name(&other, &two[0], spare)
    data = two[0].text
    size = two[0].size
    space = <const uint8_t*>memchr(data, c" ", size)
    if space == NULL or memchr(space + 1, c" ", data + size - space - 1) != NULL:
        return NULL
    name_read(&two[0], data, space - data)
    name_read(&two[1], space + 1, data + size - space - 1)
    return spare


cdef uint8_t* read_name(Text* text, Name* name, uint8_t* spare) noexcept nogil:
    """Reads a string and writes it to `spare`. Returns what is left of `spare`."""
    cdef long size
    take_byte(text, c'"')
    size = read_string(text, spare)
    name_read(name, spare, size)
    return spare + size + SLACK


cdef void fetch_names(const NameIndex* index, const Name* names, uint32_t count) noexcept nogil:
    """Fetches what look-ups will read."""
    cdef const NameSlot* slot
    cdef uint32_t i
    for i in range(count):
        prefetch(first_slot(index, &names[i]))
    for i in range(count):
        slot = first_slot(index, &names[i])
        if names[i].size > 8 and slot.start == names[i].start[0]:
            prefetch(&index.offsets[slot.token])
    for i in range(count):
        slot = first_slot(index, &names[i])
        if names[i].size > 8 and slot.start == names[i].start[0]:
            prefetch(index.blob + index.offsets[slot.token])


cdef int32_t find_whole(NameTable table, const Name* two, int32_t last, uint8_t* spare) noexcept nogil:
    """The id of two names together, or -1. `last` is what the last merge makes. `spare` has room for both names."""
    cdef int32_t next_ = last + 1
    cdef Name whole
    if is_whole(table, two, last):
        return last
    if <uint32_t>next_ < table.names.count and is_whole(table, two, next_):
        return next_
    memcpy(spare, two[0].text, two[0].size)
    memcpy(spare + two[0].size, two[1].text, two[1].size)
    name_read(&whole, spare, two[0].size + two[1].size)
    return names_find(&table.index, &whole)


cdef bint is_whole(NameTable table, const Name* two, int32_t token) noexcept nogil:
    """Whether the name of a token is that of two names together."""
    cdef const uint8_t* text = table.names.blob + table.names.offsets[token]
    cdef size_t size = table.names.offsets[token + 1] - table.names.offsets[token]
    return size == two[0].size + two[1].size and name_is_at(&two[0], text) and name_is_at(&two[1], text + two[0].size)
