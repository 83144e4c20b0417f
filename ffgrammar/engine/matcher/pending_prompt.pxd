"""The bytes of a prompt that the first tokens of a matcher must spell."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix

cdef class PendingPrompt:
    cdef bytes text
    cdef uint32_t consumed  # how many bytes of `text` have come
    cdef list by_step       # the same after each step, up to the step that brought the last of them

    # Whether some of the bytes have not come yet.
    cdef bint is_pending(self) noexcept

    # The bytes that have not come yet.
    cdef bytes rest(self)

    # What the searches of engine/canonical need of it. It points into `text`.
    cdef PendingPrefix prefix(self) noexcept

    # How many of the first bytes of `data` are the next ones of the prompt.
    cdef Py_ssize_t common(self, bytes data) noexcept

    # One more step has come, with `count` bytes; those beyond the prompt's end do not count. Call it only while some are pending.
    cdef int push(self, size_t count) except -1

    # Go back to `steps` steps.
    cdef int cut(self, size_t steps) except -1

    # One for a fork of the matcher.
    cdef PendingPrompt copy(self)
