"""Where the names of a vocabulary lie in the JSON text of a tokenizer.json, and which ids they have.

Programs write all entries alike, as they do with merges (merge_texts.pyx). So what is between a name and its id, and between an id
and the next name, is mostly the same as in the entry before, and is passed over by a comparison. What differs in any way is read
byte by byte. Names without escapes stay where they are.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.byte_runs cimport name_end
from ffgrammar.core.compare cimport same_bytes
from ffgrammar.core.fresh_pages cimport longer, more_room
from ffgrammar.core.utf8 cimport utf8_is_valid
from ffgrammar.tokens.loaders.json_scanner cimport (
    FOUND, NO_MEMORY, UNUSUAL, ReadStatus, Text, next_byte, read_digits, read_id, read_string, take_byte,
)


cdef struct EntryForm:
    # How the entry before was written.
    size_t end             # where its id ends
    const uint8_t* gap     # what is between its name and its id
    const uint8_t* joint   # what is between its name and the id before it
    size_t gap_size
    size_t joint_size      # 0 if the next entry cannot be compared with it


cdef ReadStatus read_entries(Text* text, Entries* entries) noexcept nogil:
    cdef EntryForm form = EntryForm(0, NULL, NULL, 0, 0)
    cdef long token
    if take_byte(text, c"}"):
        return UNUSUAL
    while True:
        if entries.count == entries.room and not make_room(entries):
            return NO_MEMORY
        token = read_alike(text, &entries.names[entries.count], &form) if form.joint_size else -1
        if token < 0:
            if entries.count and take_byte(text, c"}"):
                return FOUND
            if entries.count and not take_byte(text, c","):
                return UNUSUAL
            token = read_entry(text, entries, &form)
            if token < 0:
                return UNUSUAL
        entries.ids[entries.count] = <uint32_t>token
        entries.count += 1
        if token >= entries.end:
            entries.end = <uint32_t>token + 1


cdef bint make_room(Entries* entries) noexcept nogil:
    """Makes room for more entries. Returns False if there is no memory."""
    cdef uint32_t more = <uint32_t>more_room(entries.room)
    cdef void* items = longer(entries.names, entries.room, more, sizeof(EntryName))
    if items == NULL:
        return False
    entries.names = <EntryName*>items
    items = longer(entries.ids, entries.room, more, sizeof(uint32_t))
    if items == NULL:
        return False
    entries.ids = <uint32_t*>items
    entries.room += more
    return True


cdef long read_alike(Text* text, EntryName* name, EntryForm* form) noexcept nogil:
    """Reads an entry that is written like the one before. Returns its id. Returns -1, and passes over nothing, if it is written in
    another way."""
    cdef const uint8_t* data = text.data
    cdef size_t start = form.end + form.joint_size
    cdef size_t end, at
    cdef int is_unsure
    cdef long token
    if start >= text.size or not same_bytes(data + form.end, form.joint, form.joint_size):
        return -1
    end = name_end(data, start, text.size, 0x20, &is_unsure)
    at = end + form.gap_size
    if end == start or at >= text.size or not same_bytes(data + end, form.gap, form.gap_size):
        return -1
    if is_unsure and not utf8_is_valid(data + start, data + end):
        return -1
    token = read_digits(data, text.size, &at)
    if token < 0:
        return -1
    name[0] = EntryName(<uint32_t>start, <uint32_t>(end - start), False)
    text.at = form.end = at
    return token


cdef long read_entry(Text* text, Entries* entries, EntryForm* form) noexcept nogil:
    """Reads an entry, and notes how it is written. Returns its id, or -1 if this is no entry of the plain case."""
    cdef EntryName* name = &entries.names[entries.count]
    cdef size_t before = form.end
    cdef size_t start, end, gap
    cdef long size, token
    if not take_byte(text, c'"'):
        return -1
    start = text.at
    size = read_string(text, entries.unescaped + entries.unescaped_size)
    end = text.at - 1
    if size <= 0 or not take_byte(text, c":"):
        return -1
    next_byte(text)
    gap = text.at
    token = read_id(text)
    if token < 0:
        return -1
    # (an escape has more bytes than the character that it stands for)
    if <size_t>size == end - start:
        name[0] = EntryName(<uint32_t>start, <uint32_t>size, False)
    else:
        name[0] = EntryName(entries.unescaped_size, <uint32_t>size, True)
        entries.unescaped_size += <uint32_t>size
    form.joint, form.joint_size = text.data + before, start - before if before else 0
    form.gap, form.gap_size = text.data + end, gap - end
    form.end = text.at
    return token
