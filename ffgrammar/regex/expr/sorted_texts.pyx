from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport OK

cdef enum:
    FEW_TEXTS = 2048  # Python sorts as many in a millisecond


cdef struct Text:
    const uint8_t* start
    Py_ssize_t length
    Py_ssize_t index     # in the list that is sorted


cdef int sort_texts(Nodes* n, list texts, list found) except 1:
    cdef Py_ssize_t count = len(texts)
    cdef Text* rows
    cdef Text* result = NULL
    cdef int status
    if count <= FEW_TEXTS:
        found.extend(sorted(set(texts)))
        return OK
    rows = <Text*>malloc(2 * count * sizeof(Text))
    if rows == NULL:
        raise MemoryError
    try:
        status = read(n, texts, rows)
        if status == OK:
            with nogil:
                status = merge_all(n, rows, count, &result)
        if status == OK:
            status = write(n, texts, result, found)
        return status
    finally:
        free(rows)


cdef int read(Nodes* n, list texts, Text* rows) except 1:
    cdef Py_ssize_t i
    cdef bytes text
    cdef int status = OK
    for i in range(len(texts)):
        text = <bytes?>texts[i]
        rows[i] = Text(<const uint8_t*>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text), i)
        status = pulse(&n.pulse, 1)
        if status < 0:
            break
    return status


cdef int write(Nodes* n, list texts, const Text* rows, list found) except 1:
    cdef Py_ssize_t i
    cdef int status = OK
    for i in range(len(texts)):
        if i == 0 or compare(&rows[i - 1], &rows[i]) != 0:
            found.append(texts[rows[i].index])
        status = pulse(&n.pulse, 4)
        if status < 0:
            break
    return status


cdef int merge_all(Nodes* n, Text* rows, Py_ssize_t count, Text** result) noexcept nogil:
    """Sort the first half of `rows`; the second half is room for as many. `result` is the half that is sorted in the end."""
    cdef Text* source = rows
    cdef Text* target = rows + count
    cdef Py_ssize_t width = 1
    cdef Py_ssize_t start
    cdef int status
    while width < count:
        start = 0
        while start < count:
            status = merge(n, source, start, min(start + width, count), min(start + 2 * width, count), target)
            if status < 0:
                return status
            start += 2 * width
        source, target = target, source
        width *= 2
    result[0] = source
    return OK


cdef int merge(
    Nodes* n, const Text* source, Py_ssize_t start, Py_ssize_t middle, Py_ssize_t end, Text* target
) noexcept nogil:
    """Merge two sorted runs that lie side by side. Returns OK or a status of the pulse."""
    cdef Py_ssize_t left = start
    cdef Py_ssize_t right = middle
    cdef Py_ssize_t at
    cdef int status
    for at in range(start, end):
        if left < middle and (right == end or compare(&source[left], &source[right]) <= 0):
            target[at] = source[left]
            left += 1
        else:
            target[at] = source[right]
            right += 1
        status = pulse(&n.pulse, 2)
        if status < 0:
            return status
    return OK


cdef inline int compare(const Text* a, const Text* b) noexcept nogil:
    """Compare two texts. Returns a number below, equal to or above 0."""
    cdef int order = memcmp(a.start, b.start, min(a.length, b.length))
    return order if order else (a.length > b.length) - (a.length < b.length)
