"""A hash table from names to ids, for names that are looked up by hundred thousands: `names_open`, `names_enter` for each name,
then `names_find`.

Such look-ups wait for memory, and for the processor's wrong guesses. So a slot has the first eight bytes of a name, and says where
the next eight are, which can be fetched ahead. Names of up to 16 bytes are read and compared without a branch that depends on
their length, which the processor could not predict: sixteen bytes are read, and those after the name's end are masked. So wherever
a name lies, SLACK bytes (packed_tokens.pxd) from its start on must be readable.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy

from ffgrammar.core.compare cimport same_bytes
from ffgrammar.core.fresh_pages cimport claim_pages
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.tokens.vocabulary.token_index cimport hash_bytes, mix

cdef extern from *:
    """
    #include <stdint.h>
    static const uint8_t ffgrammar_name_mask[32] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    """
    # 16 bytes that are 255, then 16 that are 0
    const uint8_t[32] NAME_MASK "ffgrammar_name_mask"


cdef struct Name:
    const uint8_t* text
    uint32_t size
    uint64_t[2] start  # its first 16 bytes, with zeros after its end
    uint64_t hash


cdef struct NameSlot:
    uint64_t start      # the name's first eight bytes, with zeros after its end
    uint32_t begin      # where the name begins in the blob
    uint32_t mark       # `size_mark` of the name | its token; 0 if the slot is free


cdef enum:
    MAX_TOKENS = 1 << 24  # every token is below this
    LONG = 255            # names of this many bytes or more have the same mark


cdef struct NameIndex:
    # Open addressing and linear probing.
    NameSlot* slots
    uint32_t mask
    const uint8_t* blob
    const uint32_t* offsets


cdef inline int names_open(NameIndex* index, const uint8_t* blob, const uint32_t* offsets, uint32_t count) noexcept nogil:
    """Make a table that has room for `count` names and is empty. Name i has the bytes blob[offsets[i]:offsets[i + 1]]. Returns OK
    or NO_MEMORY. The owner frees `slots`, which may be NULL."""
    cdef uint32_t slots = 16
    while slots < count + (count >> 1):
        slots *= 2
    index.slots = <NameSlot*>calloc(slots, sizeof(NameSlot))
    if index.slots != NULL:
        claim_pages(index.slots, slots * sizeof(NameSlot))
    index.mask = slots - 1
    index.blob = blob
    index.offsets = offsets
    return NO_MEMORY if index.slots == NULL else OK


cdef inline NameSlot* first_slot(const NameIndex* index, const Name* name) noexcept nogil:
    """The slot where a look-up begins."""
    return &index.slots[<uint32_t>(name.hash >> 8) & index.mask]


cdef inline void read_start(uint64_t* start, const uint8_t* text, uint32_t size) noexcept nogil:
    """Set `start` to the first 16 bytes of a text of `size` bytes, with zeros after its end."""
    cdef uint64_t[2] mask
    memcpy(mask, NAME_MASK + 16 - min(size, <uint32_t>16), 16)
    memcpy(start, text, 16)
    start[0] &= mask[0]
    start[1] &= mask[1]


cdef inline void name_read(Name* name, const uint8_t* text, size_t size) noexcept nogil:
    """Set `name` to the bytes text[:size]."""
    read_start(name.start, text, <uint32_t>size)
    name.text = text
    name.size = <uint32_t>size
    name.hash = mix(mix(mix(name.start[1] ^ size) ^ name.start[0])) if size <= 16 else hash_bytes(text, size)


cdef inline bint name_is_at(const Name* name, const uint8_t* text) noexcept nogil:
    """Whether the bytes of a name are at `text`."""
    cdef uint64_t[2] start
    read_start(start, text, name.size)
    if ((start[0] ^ name.start[0]) | (start[1] ^ name.start[1])) != 0:
        return False
    return name.size <= 16 or same_bytes(text + 16, name.text + 16, name.size - 16)


cdef inline uint32_t size_mark(uint32_t size) noexcept nogil:
    """What a slot has of the size of a name."""
    return min(size, <uint32_t>LONG) << 24


cdef inline bint is_in_slot(const NameIndex* index, const NameSlot* slot, const Name* name) noexcept nogil:
    """Whether a slot that is not free has this name."""
    cdef uint32_t token
    if slot.start != name.start[0] or slot.mark >> 24 != size_mark(name.size) >> 24:
        return False
    if name.size >= <uint32_t>LONG:
        token = slot.mark & (MAX_TOKENS - 1)
        if index.offsets[token + 1] - slot.begin != name.size:
            return False
    return name.size <= 8 or name_is_at(name, index.blob + slot.begin)


cdef inline NameSlot* find_slot(const NameIndex* index, const Name* name) noexcept nogil:
    """The slot of a name, or the free slot where it is to be entered."""
    cdef NameSlot* slot = first_slot(index, name)
    while slot.mark and not is_in_slot(index, slot, name):
        slot = &index.slots[(slot - index.slots + 1) & index.mask]
    return slot


cdef inline int32_t names_find(const NameIndex* index, const Name* name) noexcept nogil:
    """The id of a name, or -1."""
    cdef const NameSlot* slot = find_slot(index, name)
    return <int32_t>(slot.mark & (MAX_TOKENS - 1)) if slot.mark else -1


cdef inline bint names_enter(NameIndex* index, uint32_t token, const Name* name) noexcept nogil:
    """Enter the name of a token, which is not empty. Returns False, and changes nothing, if the name is there."""
    cdef NameSlot* slot = find_slot(index, name)
    if slot.mark:
        return False
    slot[0] = NameSlot(name.start[0], index.offsets[token], size_mark(name.size) | token)
    return True
