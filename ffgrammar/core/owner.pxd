"""An owner frees all the tables of a struct and counts their memory, so that adding a table to the struct takes one more line.

A struct has an `Owner` beside its tables. Where the struct is initialised, each table is registered once:

    owner_init(&s.owner)
    own_vec(&s.owner, &s.items)
    own_map(&s.owner, &s.index)
    return owner_status(&s.owner)

After that `owner_free` frees the tables and `owner_bytes` counts their memory. The tables themselves are used as if there were
no owner. An owner holds the addresses of the tables, so the struct must not be copied or moved. If the memory of the owner
begins as zeros, as the fields of a Python object do, `owner_free` may be called on it even if `owner_init` never was.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern, intern_bytes, intern_free, intern_init
from ffgrammar.core.map cimport Map, map_bytes, map_free, map_init
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_free, vec_init

cdef enum:
    # how many tables of each kind one owner can register
    MAX_VECS = 28
    MAX_MAPS = 8
    MAX_INTERNS = 8

cdef struct Owner:
    # One list for each kind, so that counting needs no branch for each table. (Counting an engine's tables takes some 20 ns
    # less than with one mixed list.)
    Vec* vecs[MAX_VECS]
    Map* maps[MAX_MAPS]
    Intern* interns[MAX_INTERNS]
    uint32_t vec_count
    uint32_t map_count
    uint32_t intern_count
    int status  # of all registrations so far


cdef inline void owner_init(Owner* o) noexcept nogil:
    """Make an owner that owns nothing yet."""
    o.vec_count = o.map_count = o.intern_count = 0
    o.status = OK


cdef inline int owner_status(const Owner* o) noexcept nogil:
    """OK, or NO_MEMORY if some table could not be initialised, or if the owner had no room to register it. owner_free frees the
    registered tables all the same."""
    return o.status


cdef inline void own_vec(Owner* o, Vec* v) noexcept nogil:
    """Initialise an empty array and register it. See owner_status for failure."""
    vec_init(v)
    if o.vec_count == MAX_VECS:
        o.status = NO_MEMORY
        return
    o.vecs[o.vec_count] = v
    o.vec_count += 1


cdef inline void own_map(Owner* o, Map* m) noexcept nogil:
    """Initialise an empty map and register it. See owner_status for failure."""
    if o.map_count == MAX_MAPS:
        o.status = NO_MEMORY
        return
    o.maps[o.map_count] = m
    o.map_count += 1
    if map_init(m) < 0:
        o.status = NO_MEMORY


cdef inline void own_intern(Owner* o, Intern* t) noexcept nogil:
    """Initialise an empty table of tuples and register it. See owner_status for failure."""
    if o.intern_count == MAX_INTERNS:
        o.status = NO_MEMORY
        return
    o.interns[o.intern_count] = t
    o.intern_count += 1
    if intern_init(t) < 0:
        o.status = NO_MEMORY


cdef inline void owner_free(Owner* o) noexcept nogil:
    """Free every table. The owner owns nothing afterwards, so a second call does nothing."""
    cdef uint32_t i
    for i in range(o.vec_count):
        vec_free(o.vecs[i])
    for i in range(o.map_count):
        map_free(o.maps[i])
    for i in range(o.intern_count):
        intern_free(o.interns[i])
    o.vec_count = o.map_count = o.intern_count = 0


cdef inline size_t owner_bytes(const Owner* o) noexcept nogil:
    """How many bytes the tables have allocated."""
    cdef size_t words = 0
    cdef size_t total = 0
    cdef uint32_t i
    for i in range(o.vec_count):
        words += o.vecs[i].cap
    for i in range(o.map_count):
        total += map_bytes(o.maps[i])
    for i in range(o.intern_count):
        total += intern_bytes(o.interns[i])
    return total + words * sizeof(uint32_t)
