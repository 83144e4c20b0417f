"""What successors.pyx and predecessors.pyx have in common: each token has a mask of tokens, which is made when it is first asked
for. The masks are kept up to a number of bytes. Any number of threads may ask.

Kept masks are in two dictionaries, in the order in which they came there. A mask that is asked for comes into the first one. When
this one has half of the masks, the second one takes them. If there is no room for another mask, the first of the second dictionary
is dropped. So masks that are asked for often are always kept. (The next mask takes the memory of the one that was dropped. When
half of the masks were dropped at once, which gives memory back to the system, canonical masks on Gemma 2 took 1.04 times as long.)
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
        with self.lock:
            # (another thread may have made the mask)
            found = self.kept.get(one) or self.older.pop(one, None)
            if found is None:
                self.make_room(size)
                found = PyBytes_FromStringAndSize(NULL, size)
                mask = <uint32_t*>PyBytes_AS_STRING(found)
                with nogil:
                    status = self.write(one, mask)
                if status < 0:
                    raise MemoryError
            self.keep(one, found)
        return <bytes>found

    cdef int make_room(self, size_t size) except -1:
        if self.older and size * <size_t>(len(self.kept) + len(self.older) + 1) > self.max_bytes:
            del self.older[next(iter(self.older))]
        return 0

    cdef int keep(self, uint32_t one, object mask) except -1:
        cdef size_t size = <size_t>len(mask)
        if size <= self.max_bytes:
            self.kept[one] = mask
        if 2 * size * <size_t>len(self.kept) >= self.max_bytes:
            # (another thread may be looking into the dictionaries, so none is replaced)
            self.older.update(self.kept)
            self.kept.clear()
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
