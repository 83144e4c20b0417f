"""Token ids of a row, and the text that they spell."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    WIDE = 16  # tokens of up to this many bytes are copied by one copy of this size


cdef int reserve(Bytes* text, size_t more) noexcept nogil:
    cdef size_t room
    cdef uint8_t* data
    if more <= text.room - text.count:
        return 0
    room = 2 * text.room + more + 64
    data = <uint8_t*>realloc(text.data, room)
    if data == NULL:
        return -1
    text.data = data
    text.room = room
    return 0


cdef int add_tokens(TokenTrie trie, const uint32_t* ids, size_t count, Bytes* text) noexcept nogil:
    cdef const uint32_t* offsets = trie.offsets
    cdef const uint8_t* blob = trie.blob
    # (a wide copy must not read beyond the end of the blob)
    cdef uint32_t last = offsets[trie.vocab_size] - WIDE if offsets[trie.vocab_size] >= <uint32_t>WIDE else 0
    cdef uint32_t start, size
    cdef size_t total = 0
    cdef uint8_t* at
    cdef size_t i
    for i in range(count):
        total += offsets[ids[i] + 1] - offsets[ids[i]]
    if reserve(text, total + WIDE) < 0:
        return -1
    at = text.data + text.count
    for i in range(count):
        start = offsets[ids[i]]
        size = offsets[ids[i] + 1] - start
        if size <= <uint32_t>WIDE and start < last:
            memcpy(at, blob + start, WIDE)
        else:
            memcpy(at, blob + start, size)
        at += size
    text.count += total
    return 0


cdef size_t valid_prefix(const uint8_t* text, size_t count, bint* ascii) noexcept nogil:
    cdef Utf8 character
    cdef uint64_t word
    cdef size_t at = 0, start = 0
    character.need = 0
    ascii[0] = True
    while at < count:
        if character.need == 0:
            while count - at >= 8:
                memcpy(&word, text + at, 8)
                if word & <uint64_t>0x8080808080808080:
                    break
                at += 8
            start = at
            if at == count:
                break
        if text[at] >= 0x80:
            ascii[0] = False
        if not utf8_step(&character, text[at]):
            return start
        at += 1
    return start if character.need else count
