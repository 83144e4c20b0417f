from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.threads cimport Lock
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.masks.compute cimport Masks
from ffgrammar.engine.masks.partition_cache cimport SharedPartitions
from ffgrammar.engine.parser.tables cimport RuleTables
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.regex.expr.store cimport ExprStore
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef class EngineAttachment:
    # What a folder above keeps with an engine, for all matchers of a grammar, derives from it. So the slot has a type, and
    # this file imports nothing from there.
    pass


cdef class Engine:
    cdef Recognizer recognizer
    cdef Completability completability
    cdef Masks masks
    cdef Config first
    cdef bint ready               # False where memory ran out while the caches were dropped: it has to be done again
    cdef uint32_t generation      # counts how often the caches were dropped
    cdef uint32_t base_exprs      # expressions from here on are derivatives
    cdef size_t max_bytes
    cdef size_t fixed_bytes       # what is held when the caches are empty
    cdef size_t needed_bytes      # these four: what is held after a matcher has read its text again
    cdef size_t needed_states
    cdef size_t needed_exprs
    cdef size_t needed_row_bytes
    cdef size_t max_row_bytes
    cdef uint32_t max_states
    cdef uint32_t max_exprs
    cdef Lock lock
    cdef bint has_lock
    cdef Vec eos
    cdef SharedPartitions shared
    cdef readonly RuleTables tables
    cdef readonly ExprStore store
    cdef readonly object tokenizer
    cdef readonly TokenTrie trie
    cdef readonly object limits
    cdef readonly str kind          # of the grammar: "json-schema", "lark", "regex" or "choice"
    cdef EngineAttachment canonical  # None until the tokenizer's rules are needed (canonical/caches.pxd)
    cdef object __weakref__

    # All kernels below run with the lock held.
    cdef int acquire(self) except -1
    cdef void acquire_nogil(self) noexcept nogil
    cdef bint try_acquire(self) noexcept nogil
    cdef void release(self) noexcept nogil
    cdef size_t cached_bytes(self) noexcept nogil
    cdef int trim(self, bint settled) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef bint is_eos(self, uint32_t token) noexcept nogil
    cdef int checked(self, int status) except -1
