"""What is found out about a lexer state, without regard to the parser's row, holds for other grammars as well. So it is kept for
all grammars of a tokenizer, as a partition is (engine/masks/partition_cache.pxd), and a copy is kept here.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_free, vec_init
from ffgrammar.engine.masks.partition_cache cimport KEPT
from ffgrammar.engine.masks.partition_notes cimport partitions_find_note, partitions_keep_note


@cython.final
cdef class Notes:
    """The notes on a grammar's lexer states."""

    def __cinit__(self):
        vec_init(&self.words)
        if map_init(&self.found) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.found)
        vec_free(&self.words)

    cdef int clear(self) noexcept nogil:
        map_clear(&self.found)
        # (the memory counts in `bytes`, so it is freed)
        vec_free(&self.words)
        return OK

    cdef size_t bytes(self) noexcept nogil:
        return map_bytes(&self.found) + self.words.cap * sizeof(uint32_t)

    cdef int find(self, Engine engine, uint32_t state, uint32_t topic, uint32_t* offset) noexcept nogil:
        cdef uint64_t key = <uint64_t>topic << 32 | state
        cdef int status
        offset[0] = map_get(&self.found, key)
        if offset[0] != ABSENT:
            return KEPT
        offset[0] = <uint32_t>self.words.len
        status = partitions_find_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, topic, &self.words)
        if status == KEPT and map_put(&self.found, key, offset[0]) < 0:
            return NO_MEMORY
        return status

    cdef int keep(self, Engine engine, uint32_t state, uint32_t topic, size_t base, int status) noexcept nogil:
        if status >= 0:
            status = partitions_keep_note(
                engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, topic, self.words.data + base,
                <uint32_t>(self.words.len - base))
        if status < 0:
            self.words.len = base
            return status
        return map_put(&self.found, <uint64_t>topic << 32 | state, <uint32_t>base)
