"""Two kinds of binary heap, with the least element first: (cost, entry) pairs of words in a Vec, and 64-bit keys in an
array."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_push


cdef inline int heap_push(Vec* heap, uint32_t cost, uint32_t entry) noexcept nogil:
    """Add an entry with its cost. Returns OK, or NO_MEMORY, after which the heap is of no use any more."""
    cdef size_t at = heap.len >> 1
    cdef size_t above
    if vec_push(heap, cost) < 0 or vec_push(heap, entry) < 0:
        return NO_MEMORY
    while at > 0:
        above = (at - 1) >> 1
        if heap.data[2 * above] <= cost:
            break
        heap.data[2 * at] = heap.data[2 * above]
        heap.data[2 * at + 1] = heap.data[2 * above + 1]
        at = above
    heap.data[2 * at] = cost
    heap.data[2 * at + 1] = entry
    return OK


cdef inline uint32_t heap_pop(Vec* heap) noexcept nogil:
    """Remove the entry of least cost and return it. The heap must not be empty."""
    cdef uint32_t top = heap.data[1]
    cdef size_t count = (heap.len >> 1) - 1
    cdef uint32_t cost = heap.data[2 * count]
    cdef uint32_t entry = heap.data[2 * count + 1]
    cdef size_t at = 0
    cdef size_t below
    heap.len -= 2
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        if below + 1 < count and heap.data[2 * below + 2] < heap.data[2 * below]:
            below += 1
        if heap.data[2 * below] >= cost:
            break
        heap.data[2 * at] = heap.data[2 * below]
        heap.data[2 * at + 1] = heap.data[2 * below + 1]
        at = below
    if count:
        heap.data[2 * at] = cost
        heap.data[2 * at + 1] = entry
    return top


cdef inline void keys_sift_down(uint64_t* heap, size_t count, size_t at) noexcept nogil:
    """Move the key at index `at` down to where it belongs, in a heap of `count` keys."""
    cdef uint64_t item = heap[at]
    cdef size_t child = 2 * at + 1
    while child < count:
        if child + 1 < count and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= item:
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item


cdef inline void keys_add(uint64_t* heap, size_t* count, uint64_t item) noexcept nogil:
    """Add a key to a heap of `count` keys. The array must have room for it. `count` goes up by one."""
    cdef size_t at = count[0], parent
    count[0] += 1
    while at:
        parent = (at - 1) // 2
        if heap[parent] <= item:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item
