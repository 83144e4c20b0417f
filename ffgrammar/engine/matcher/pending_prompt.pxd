"""The bytes of a prompt that the first tokens of a matcher must spell."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix

cdef class PendingPrompt:
    cdef bytes text
    cdef uint32_t consumed  # how many bytes of `text` have come
    cdef list by_step       # `consumed` after each step, up to the step with which the last byte has come

    # Whether some of the bytes have not come yet.
    cdef bint is_pending(self) noexcept

    # The bytes that have not come yet.
    cdef bytes rest(self)

    # The struct that the searches of engine/canonical take. It points into `text`.
    cdef PendingPrefix prefix(self) noexcept

    # How many bytes at the start of `data` are the same as the next bytes of the prompt.
    cdef Py_ssize_t common(self, bytes data) noexcept

    # One more step has come, with `count` bytes. Bytes beyond the prompt's end do not count. Call it only while some bytes are
    # pending. Returns 0.
    cdef int push(self, size_t count) except -1

    # Take back all steps but the first `steps`. Returns 0.
    cdef int cut(self, size_t steps) except -1

    # A copy for a fork of the matcher.
    cdef PendingPrompt copy(self)
