"""An owner frees, and counts, all the tables of a struct, so that a new table is one line.

A struct has an `Owner` beside its tables, and registers each of them once, where it is initialised:

    owner_init(&s.owner)
    own_vec(&s.owner, &s.items)
    own_map(&s.owner, &s.index)
    return owner_status(&s.owner)

After that `owner_free` frees and `owner_bytes` counts them; the tables themselves are used as ever, and know nothing of it. An
owner holds the addresses of the tables, so the struct must not be copied or moved. Where it begins as zeros, as the fields of a
Python object do, it may be freed without having been initialised.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern, intern_bytes, intern_free, intern_init
from ffgrammar.core.map cimport Map, map_bytes, map_free, map_init
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_free, vec_init

cdef enum:
    MAX_OWNED = 24

cdef enum TableKind:
    OWNED_VEC
    OWNED_MAP
    OWNED_INTERN

cdef struct OwnedTable:
    TableKind kind
    void* table

cdef struct Owner:
    OwnedTable tables[MAX_OWNED]
    uint32_t count
    int status  # of all registrations so far


cdef inline void owner_init(Owner* o) noexcept nogil:
    """Make it an owner of nothing."""
    o.count = 0
    o.status = OK


cdef inline int owner_status(const Owner* o) noexcept nogil:
    """OK, or NO_MEMORY if some table could not be initialised. Those that could are freed by owner_free all the same."""
    return o.status


cdef inline bint own(Owner* o, TableKind kind, void* table) noexcept nogil:
    """Register a table; False where there is no room for one more."""
    if o.count == MAX_OWNED:
        o.status = NO_MEMORY
        return False
    o.tables[o.count].kind = kind
    o.tables[o.count].table = table
    o.count += 1
    return True


cdef inline void own_vec(Owner* o, Vec* v) noexcept nogil:
    """Initialise an empty array and register it. See owner_status for failure."""
    vec_init(v)
    own(o, OWNED_VEC, v)


cdef inline void own_map(Owner* o, Map* m) noexcept nogil:
    """Initialise an empty map and register it. See owner_status for failure."""
    if own(o, OWNED_MAP, m) and map_init(m) < 0:
        o.status = NO_MEMORY


cdef inline void own_intern(Owner* o, Intern* t) noexcept nogil:
    """Initialise an empty table of tuples and register it. See owner_status for failure."""
    if own(o, OWNED_INTERN, t) and intern_init(t) < 0:
        o.status = NO_MEMORY


cdef inline void owner_free(Owner* o) noexcept nogil:
    """Free every table. The owner owns nothing afterwards, so a second call does nothing."""
    cdef uint32_t i
    cdef OwnedTable* one
    for i in range(o.count):
        one = &o.tables[i]
        if one.kind == OWNED_VEC:
            vec_free(<Vec*>one.table)
        elif one.kind == OWNED_MAP:
            map_free(<Map*>one.table)
        else:
            intern_free(<Intern*>one.table)
    o.count = 0


cdef inline size_t owner_bytes(const Owner* o) noexcept nogil:
    """How many bytes the tables have allocated."""
    cdef size_t total = 0
    cdef uint32_t i
    cdef const OwnedTable* one
    for i in range(o.count):
        one = &o.tables[i]
        if one.kind == OWNED_VEC:
            total += (<const Vec*>one.table).cap * sizeof(uint32_t)
        elif one.kind == OWNED_MAP:
            total += map_bytes(<const Map*>one.table)
        else:
            total += intern_bytes(<const Intern*>one.table)
    return total
