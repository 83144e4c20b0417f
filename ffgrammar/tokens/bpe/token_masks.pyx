"""What successors.pyx and predecessors.pyx have in common: each token has a mask of tokens, which is made when it is first asked
for. The masks are kept up to a number of bytes. Any number of threads may ask.

Kept masks are in two dictionaries. A mask that is asked for comes into the first one. If there is no room for another mask, one of
the second dictionary is dropped. When the first one has half of the masks, the second one takes them, to be dropped after those that
it had. So masks that are asked for often are always kept. (Masks are dropped one by one, so that the next mask takes the memory of
the last one that was dropped. When half of them were dropped at once, which gives memory back to the system, canonical masks on
Gemma 2 took 1.04 times as long.)
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_SetObject

from ffgrammar.core.status cimport INTERRUPTED, NO_MEMORY
from ffgrammar.tokens.bpe.merges cimport Merges

from ffgrammar.core.forks import new_lock


cdef class TokenMasks:
    """Masks by token.

    Args:
        merges: the merges of the vocabulary.
        max_bytes: how many bytes of masks are kept. A mask that would exceed this drops masks that were not asked for lately.
    """

    def __cinit__(self, Merges merges not None, size_t max_bytes=16 << 20):
        self.merges = merges
        self.max_bytes = max_bytes
        self.kept = {}
        self.older = {}
        self.lock = new_lock()

    cdef bytes find_any(self, token):
        if not self.merges.trie.token_bytes(token) or self.merges.reached(token) != 1:
            return bytes(sizeof(uint32_t) * (<size_t>self.merges.trie.n_words + 1))
        return self.find(token)

    cdef bytes find(self, uint32_t one):
        cdef size_t size = sizeof(uint32_t) * (<size_t>self.merges.trie.n_words + 1)
        cdef uint32_t* mask
        cdef int status
        found = self.kept.get(one)
        if found is not None:
            return <bytes>found
        found = self.older.get(one)
        if found is not None:
            with self.lock:
                self.keep(one, found)
            return <bytes>found
        found = PyBytes_FromStringAndSize(NULL, size)
        mask = <uint32_t*>PyBytes_AS_STRING(found)
        with self.lock:
            with nogil:
                status = self.write(one, mask)
            if status < 0:
                raise MemoryError
            self.keep(one, found)
        return <bytes>found

    cdef int keep(self, uint32_t one, object mask) except -1:
        cdef size_t most = self.max_bytes // <size_t>len(mask)
        self.older.pop(one, None)
        if 2 * <size_t>len(self.kept) >= most:
            # (another thread may be looking into the dictionaries, so none is replaced; the last item is dropped first)
            before = list(self.older.items())
            self.older.clear()
            self.older.update(reversed(self.kept.items()))
            self.older.update(before)
            self.kept.clear()
        if self.older and <size_t>(len(self.kept) + len(self.older)) >= most:
            self.older.popitem()
        if most:
            self.kept[one] = mask
        return 0

    cdef object find_or_status(self, uint32_t one, int* status):
        try:
            return self.find(one)
        except MemoryError:
            status[0] = NO_MEMORY
        except BaseException as raised:
            # (a lock that is not free is waited for, and the handlers of signals run meanwhile)
            PyErr_SetObject(type(raised), raised)
            status[0] = INTERRUPTED
        return None

    cdef int write(self, uint32_t one, uint32_t* mask) noexcept nogil:
        return NO_MEMORY
