"""The ids of the merges of a tokenizer.json, which names tokens.

Where the names lie in the text is known (merge_texts.pyx). They come in no order, so look-ups one by one would spend nearly all
their time waiting for memory. So merges are taken in batches, in three steps: find the names of a batch, and ask for the slots of
the hash table where they may be; ask for the names that the slots refer to; look the names up.
Between two steps of a batch come steps of other batches, so that memory has time to come.

What a merge makes is mostly what the merge before it makes, or the token after that. So these two are tried first.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memchr, memcpy

from ffgrammar.core.prefetch cimport prefetch
from ffgrammar.tokens.loaders.json_scanner cimport Text, read_string, take_byte
from ffgrammar.tokens.loaders.merge_texts cimport MergeText, MergeTexts
from ffgrammar.tokens.loaders.name_index cimport (
    Name, NameIndex, first_slot, name_is_at, name_read, names_find,
)
from ffgrammar.tokens.loaders.name_table cimport NameTable
from ffgrammar.tokens.vocabulary.packed_tokens cimport SLACK

cdef enum:
    BATCH = 32  # merges
    AHEAD = 64  # how many merges before its turn the text is fetched


cdef struct Batch:
    uint32_t size           # merges
    Name[2 * BATCH] names   # the left and the right name of each merge
    uint8_t* spare          # room for names that are not in the text as they are
    uint8_t* rest           # what the names leave of `spare`


cdef bint read_merges(
    const Text* text, const MergeTexts* merges, NameTable table, const uint8_t* never, uint8_t* spare, size_t room, uint32_t* ids
) noexcept nogil:
    cdef Batch[MERGE_BATCHES] batches
    cdef Batch* batch
    cdef int32_t whole = 0
    cdef uint32_t begun = 0
    cdef uint32_t done = 0
    cdef uint32_t turn
    for turn in range(MERGE_BATCHES):
        batches[turn].spare = spare + turn * room
        batches[turn].size = 0
    turn = 0
    while done < merges.count:
        batch = &batches[turn % MERGE_BATCHES]
        if not begin_batch(text, merges, &table.index, begun, batch):
            return False
        begun += batch.size
        # (the batch begun one turn ago, and then the one begun two turns ago; in the first turns these are empty)
        fetch_names(&table.index, &batches[(turn + MERGE_BATCHES - 1) % MERGE_BATCHES])
        batch = &batches[(turn + MERGE_BATCHES - 2) % MERGE_BATCHES]
        if not end_batch(table, batch, never, &whole, ids):
            return False
        ids += 3 * batch.size
        done += batch.size
        turn += 1
    return True


cdef bint begin_batch(
    const Text* text, const MergeTexts* merges, const NameIndex* index, uint32_t first, Batch* batch
) noexcept nogil:
    """Finds the names of the merges from `first` on, and asks for the slots where look-ups of them begin. Returns False if a merge
    is not of two names."""
    cdef uint32_t i
    batch.size = min(<uint32_t>BATCH, merges.count - first)
    batch.rest = batch.spare
    for i in range(batch.size):
        prefetch(text.data + merges.items[min(first + i + AHEAD, merges.count - 1)].start)
        batch.rest = find_names(text, &merges.items[first + i], &batch.names[2 * i], batch.rest)
        if batch.rest == NULL:
            return False
        prefetch(first_slot(index, &batch.names[2 * i]))
        prefetch(first_slot(index, &batch.names[2 * i + 1]))
    return True


cdef bint end_batch(NameTable table, const Batch* batch, const uint8_t* never, int32_t* whole, uint32_t* ids) noexcept nogil:
    """Looks up the names of a batch, and writes the ids. Before, `whole` is what the merge before the batch makes, and afterwards
    what the last merge of the batch makes. Returns False where `read_merges` does."""
    cdef int32_t left, right
    cdef uint32_t i
    for i in range(batch.size):
        left = names_find(&table.index, &batch.names[2 * i])
        right = names_find(&table.index, &batch.names[2 * i + 1])
        if left < 0 or right < 0 or never[left] or never[right]:
            return False
        ids[3 * i], ids[3 * i + 1] = <uint32_t>left, <uint32_t>right
    # (a loop of its own: a wrong guess of the processor here would throw away look-ups that are under way)
    for i in range(batch.size):
        whole[0] = find_whole(table, &batch.names[2 * i], whole[0], batch.rest)
        if whole[0] < 0:
            return False
        ids[3 * i + 2] = <uint32_t>whole[0]
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


cdef void fetch_names(const NameIndex* index, const Batch* batch) noexcept nogil:
    """Asks for the names that the first slots of look-ups refer to, where look-ups will read them."""
    cdef uint32_t i
    for i in range(2 * batch.size):
        if batch.names[i].size > 8:
            prefetch(index.blob + first_slot(index, &batch.names[i]).begin)


cdef int32_t find_whole(NameTable table, const Name* two, int32_t last, uint8_t* spare) noexcept nogil:
    """The id of two names together, or -1. `last` is what the last merge makes. `spare` has room for both names."""
    cdef const uint32_t* offsets = table.names.offsets
    cdef int32_t likely, next_ = last + 1
    cdef Name whole
    # (No branch, because both are about as likely. The other way is possible only if both names have the same size.)
    likely = last + (offsets[last + 1] - offsets[last] != two[0].size + two[1].size)
    if <uint32_t>likely < table.names.count and is_whole(table, two, likely):
        return likely
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
