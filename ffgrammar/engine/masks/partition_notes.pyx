"""Notes are kept in the table of partitions, under the key of a lexer state and a topic. A long topic is a list of words. It gets a
number together with the key.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from ffgrammar.core.intern cimport intern_add
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport lock_leave, lock_take
from ffgrammar.core.vec cimport Vec, vec_extend, vec_push
from ffgrammar.engine.masks.partition_cache cimport KEPT, NOT_KEPT, KeyCache, Partitions, find_key
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# flag of a name in `notes_at`: it has the number of a long topic
cdef uint64_t LONG_TOPIC = <uint64_t>1 << 63


cdef int partitions_find_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t topic, Vec* words,
) noexcept nogil:
    cdef uint32_t key
    cdef int status
    lock_take(&p.lock)
    status = find_key(p, cache, dfa, state, &key)
    if status > 0:
        status = copy_note(p, <uint64_t>key << 32 | topic, words)
    lock_leave(&p.lock)
    return status


cdef int partitions_find_long_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, const uint32_t* topic, uint32_t size, Vec* words,
) noexcept nogil:
    cdef uint64_t name
    cdef int status
    lock_take(&p.lock)
    status = name_topic(p, cache, dfa, state, topic, size, &name)
    if status > 0:
        status = copy_note(p, name, words)
    lock_leave(&p.lock)
    return status


cdef int name_topic(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, const uint32_t* topic, uint32_t size, uint64_t* name
) noexcept nogil:
    """Find or make the name of a lexer state and a long topic. Returns 1, 0 where the state has no key, or a status."""
    cdef uint32_t key, number
    cdef int status = find_key(p, cache, dfa, state, &key)
    if status <= 0:
        return status
    p.scratch.len = 0
    if (vec_push(&p.scratch, key) < 0 or vec_extend(&p.scratch, topic, size) < 0
            or intern_add(&p.topics, p.scratch.data, p.scratch.len, &number) < 0):
        return NO_MEMORY
    name[0] = LONG_TOPIC | <uint64_t>number
    return 1


cdef int copy_note(const Partitions* p, uint64_t name, Vec* words) noexcept nogil:
    """Append the words of the note that has a name in `notes_at`. Returns KEPT, NOT_KEPT or NO_MEMORY."""
    cdef uint32_t number = map_get(&p.notes_at, name)
    if number == ABSENT:
        return NOT_KEPT
    if vec_extend(words, p.notes[number] + 1, p.notes[number][0]) < 0:
        return NO_MEMORY
    return KEPT


cdef int add_note(Partitions* p, uint64_t name, const uint32_t* words, uint32_t count) noexcept nogil:
    """Keep a note under a name in `notes_at`, unless there is one. Returns OK or NO_MEMORY."""
    cdef uint32_t** more
    cdef uint32_t* note
    if map_get(&p.notes_at, name) != ABSENT:
        return OK
    # (room for a power of two, at least 64)
    if p.note_count >= 64 and p.note_count & (p.note_count - 1) == 0 or p.notes == NULL:
        more = <uint32_t**>realloc(p.notes, max(64, 2 * <size_t>p.note_count) * sizeof(uint32_t*))
        if more == NULL:
            return NO_MEMORY
        p.notes = more
    note = <uint32_t*>malloc((<size_t>count + 1) * sizeof(uint32_t))
    if note == NULL or map_put(&p.notes_at, name, p.note_count) < 0:
        free(note)
        return NO_MEMORY
    note[0] = count
    memcpy(note + 1, words, count * sizeof(uint32_t))
    p.notes[p.note_count] = note
    p.note_count += 1
    p.bytes += (<size_t>count + 1) * sizeof(uint32_t) + sizeof(uint32_t*)
    return OK


cdef int partitions_keep_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t topic, const uint32_t* words, uint32_t count,
) noexcept nogil:
    cdef uint32_t key
    cdef int status
    lock_take(&p.lock)
    status = find_key(p, cache, dfa, state, &key)
    if status > 0 and p.max_bytes:
        status = add_note(p, <uint64_t>key << 32 | topic, words, count)
    lock_leave(&p.lock)
    return status if status < 0 else OK


cdef int partitions_keep_long_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, const uint32_t* topic, uint32_t size, const uint32_t* words,
    uint32_t count,
) noexcept nogil:
    cdef uint64_t name
    cdef int status
    lock_take(&p.lock)
    status = name_topic(p, cache, dfa, state, topic, size, &name)
    if status > 0 and p.max_bytes:
        status = add_note(p, name, words, count)
    lock_leave(&p.lock)
    return status if status < 0 else OK
