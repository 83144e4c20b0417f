"""A growable array of token ids, which every encoder appends to, and the status codes of encoding."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport realloc


cdef enum BpeStatus:
    # A function that returns a number of tokens returns one of the negative codes instead if it fails.
    BPE_OK = 0
    BPE_NO_MEMORY = -1
    BPE_NO_BYTE = -2  # a byte of the text has no token of its own, or the text is not UTF-8 where it must be
    BPE_INTERRUPTED = -3  # a signal handler has raised, and its exception is set (core/signals.pxd)

cdef enum:
    # A long text is asked for signals after so many pre-tokens, or so many steps in one pre-token. This is a power of two.
    ASK_EVERY = 65536


cdef struct Ids:
    # Begins as Ids(NULL, 0, 0). Whoever made it frees `items`.
    uint32_t* items
    size_t count
    size_t room


cdef inline BpeStatus ids_reserve(Ids* ids, size_t more) noexcept nogil:
    """Make room for `more` further ids. Returns BPE_OK or BPE_NO_MEMORY."""
    cdef size_t room
    cdef uint32_t* items
    if more > ids.room - ids.count:
        room = 2 * ids.room + more + 64
        items = <uint32_t*>realloc(ids.items, room * sizeof(uint32_t))
        if items == NULL:
            return BPE_NO_MEMORY
        ids.items = items
        ids.room = room
    return BPE_OK


cdef inline BpeStatus ids_push(Ids* ids, uint32_t token) noexcept nogil:
    """Append one id. Returns BPE_OK or BPE_NO_MEMORY."""
    if ids.count == ids.room and ids_reserve(ids, 1) != BPE_OK:
        return BPE_NO_MEMORY
    ids.items[ids.count] = token
    ids.count += 1
    return BPE_OK
