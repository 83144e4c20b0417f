"""Arrays come in by the buffer protocol. A torch tensor does not support it, but its
`numpy()` is an array with the same memory."""

from libc.stdint cimport uint32_t

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer,
)
from ffgrammar.core.errors import MatcherError


cdef int rows_open(object bitmask, BitmaskRows* rows) except -1:
    return open_as(bitmask, rows, PyBUF_WRITABLE, "a writable")


cdef int rows_open_to_read(object bitmask, BitmaskRows* rows) except -1:
    return open_as(bitmask, rows, 0, "a")


cdef int open_as(object bitmask, BitmaskRows* rows, int access, str wanted) except -1:
    cdef Py_buffer* view = &rows.view
    if not PyObject_CheckBuffer(bitmask) and hasattr(bitmask, "data_ptr"):
        try:
            bitmask = bitmask.numpy()
        except (TypeError, RuntimeError) as error:
            raise MatcherError(f"bitmask must be on the CPU: {error}") from None
    if not PyObject_CheckBuffer(bitmask):
        raise TypeError(
            f"bitmask must be an int32 array [batch, words], as allocate_bitmask makes it, not {type(bitmask).__name__}")
    try:
        PyObject_GetBuffer(bitmask, view, access | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    except (BufferError, TypeError, ValueError) as error:
        raise MatcherError(f"bitmask must be {wanted} C-contiguous int32 array [batch, words]: {error}") from None
    if view.ndim != 2 or view.itemsize != 4 or (view.format[0] != c"i" and view.format[0] != c"l"):
        PyBuffer_Release(view)
        raise MatcherError("bitmask must be an int32 array of two dimensions [batch, words]")
    rows.words = <uint32_t*>view.buf
    rows.batch = view.shape[0]
    rows.count = view.shape[1]
    return 0


cdef void rows_close(BitmaskRows* rows) noexcept:
    PyBuffer_Release(&rows.view)


cdef uint32_t* rows_at(const BitmaskRows* rows, Py_ssize_t index, size_t many, uint32_t n_words) except? NULL:
    if index < 0 or <size_t>index >= rows.batch:
        raise MatcherError(f"index {index} is not in 0..{<Py_ssize_t>rows.batch - 1}")
    if many > rows.batch - <size_t>index:
        raise MatcherError(f"{many} rows from {index} on are needed; bitmask has {rows.batch} rows")
    if rows.count < n_words:
        raise MatcherError(f"bitmask has {rows.count} words a row; this vocabulary needs {n_words}")
    return rows.words + <size_t>index * rows.count
