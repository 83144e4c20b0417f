"""Where the names of merges lie in the JSON text of a tokenizer.json. All of this text is checked on the way, so merges can be
looked up later (merge_names.pyx), or never.

Programs write all merges alike. So the text between two names is mostly the same as in the merge before, and one comparison passes
over its quotes, brackets and white space. The ends of names are found sixteen bytes at a time. What differs in any way, as the last
merge does, is read byte by byte. For Gemma 3's 514,906 merges, 23 MB of text, this takes a quarter of the time that it takes to
read everything byte by byte.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr

from ffgrammar.core.byte_runs cimport name_end
from ffgrammar.core.compare cimport same_bytes
from ffgrammar.core.fresh_pages cimport longer, more_room
from ffgrammar.core.utf8 cimport utf8_is_valid
from ffgrammar.tokens.loaders.json_scanner cimport (
    FOUND, NO_MEMORY, UNUSUAL, ReadStatus, Text, next_byte, read_string, take_byte,
)

cdef enum:
    LONGEST = 0xFF  # bytes that a name may have, and the gap between two names


cdef struct MergeForm:
    # How the merge before was written.
    size_t end             # where its right name ends
    const uint8_t* gap     # what is between its names
    const uint8_t* tail    # what is from its right name to its end
    const uint8_t* joint   # what is between its left name and the merge before it
    size_t gap_size
    size_t tail_size
    size_t joint_size      # 0 if the next merge cannot be compared with it
    uint8_t least          # a name has no byte below this


cdef ReadStatus list_merges(Text* text, uint8_t* spare, MergeTexts* found) noexcept nogil:
    cdef MergeForm form
    form.joint_size = form.end = 0
    if not take_byte(text, c"["):
        return UNUSUAL
    if take_byte(text, c"]"):
        return FOUND
    if not make_room(found) or not read_merge(text, spare, found.items, &form):
        return UNUSUAL if found.room else NO_MEMORY
    found.count = 1
    while True:
        if found.count == found.room and not make_room(found):
            return NO_MEMORY
        if not form.joint_size or not read_alike(text, &found.items[found.count], &form):
            if take_byte(text, c"]"):
                return FOUND
            if not take_byte(text, c",") or not read_merge(text, spare, &found.items[found.count], &form):
                return UNUSUAL
        found.count += 1


cdef bint make_room(MergeTexts* found) noexcept nogil:
    """Makes room for more merges. Returns False if there is no memory."""
    cdef uint32_t more = <uint32_t>more_room(found.room)
    cdef void* items = longer(found.items, found.room, more, sizeof(MergeText))
    if items == NULL:
        return False
    found.items = <MergeText*>items
    found.room += more
    return True


cdef bint read_alike(Text* text, MergeText* merge, MergeForm* form) noexcept nogil:
    """Reads a merge that is written like the one before. Returns False, and passes over nothing, if it is written in another
    way."""
    cdef const uint8_t* data = text.data
    cdef size_t start = form.end + form.joint_size
    cdef size_t middle, right, end
    cdef int left_unsure, right_unsure
    if start >= text.size or not same_bytes(data + form.end, form.joint, form.joint_size):
        return False
    middle = name_end(data, start, text.size, form.least, &left_unsure)
    right = middle + form.gap_size
    if middle - start > LONGEST or right >= text.size or not same_bytes(data + middle, form.gap, form.gap_size):
        return False
    end = name_end(data, right, text.size, form.least, &right_unsure)
    if end - right > LONGEST or text.size - end < form.tail_size or not same_bytes(data + end, form.tail, form.tail_size):
        return False
    if (left_unsure or right_unsure) and not (
            utf8_is_valid(data + start, data + middle) and utf8_is_valid(data + right, data + end)):
        return False
    merge[0] = MergeText(
        <uint32_t>start, <uint8_t>(middle - start), <uint8_t>form.gap_size, <uint8_t>(end - right), False)
    form.end = end
    text.at = end + form.tail_size
    return True


cdef bint read_merge(Text* text, uint8_t* spare, MergeText* merge, MergeForm* form) noexcept nogil:
    """Reads a merge. Notes how it is written, if its names are in the text as they are."""
    cdef const uint8_t* data = text.data
    cdef bint is_string = next_byte(text) == c'"'
    cdef size_t first = text.at  # of the entry
    cdef size_t before = form.end  # where the right name of the merge before ends, or 0
    cdef size_t start, middle, right, end
    cdef bint plain
    cdef const uint8_t* space
    if not is_string and not take_byte(text, c"["):
        return False
    plain = read_name(text, spare, &start, &end)
    if end == 0:
        return False
    if is_string:
        space = <const uint8_t*>memchr(data + start, c" ", end - start)
        middle = end if space == NULL else space - data
        right = min(middle + 1, end)
        plain = plain and space != NULL and memchr(data + right, c" ", end - right) == NULL
    else:
        middle = end
        if not take_byte(text, c","):
            return False
        plain = read_name(text, spare, &right, &end) and plain
        if end == 0 or not take_byte(text, c"]"):
            return False
    plain = plain and middle - start <= LONGEST and right - middle <= LONGEST and end - right <= LONGEST
    form.joint_size = 0
    form.end = 0
    if not plain:
        merge[0] = MergeText(<uint32_t>first, 0, 0, 0, True)
        return True
    merge[0] = MergeText(
        <uint32_t>start, <uint8_t>(middle - start), <uint8_t>(right - middle), <uint8_t>(end - right), False)
    if before:
        form.joint, form.joint_size = data + before, start - before
    form.end = end
    form.gap, form.gap_size = data + middle, right - middle
    form.tail, form.tail_size = data + end, text.at - end
    # (in a string of two names, a space ends a name)
    form.least = 0x21 if is_string else 0x20
    return True


cdef bint read_name(Text* text, uint8_t* spare, size_t* start, size_t* end) noexcept nogil:
    """Reads a string. Notes where its content begins and ends in the text; `end` is 0 if there is no string. Returns whether it has
    no escapes."""
    cdef long size
    end[0] = 0
    if not take_byte(text, c'"'):
        return False
    start[0] = text.at
    size = read_string(text, spare)
    if size < 0:
        return False
    end[0] = text.at - 1
    # (an escape has more bytes than the character that it stands for)
    return <size_t>size == end[0] - start[0]
