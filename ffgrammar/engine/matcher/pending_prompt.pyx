"""A prompt that was cut back (prompt_cut.pxd) leaves bytes that no token has spelled yet. They stand before the text that the
grammar describes. The matcher's first tokens spell them, and the token that reaches beyond their end begins that text."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix


cdef class PendingPrompt:
    """The pending bytes of a matcher's prompt, and how many have come at each step.

    Args:
        text: the bytes, at least one.
    """

    def __cinit__(self, bytes text not None):
        self.text = text
        self.by_step = []

    cdef PendingPrompt copy(self):
        cdef PendingPrompt other = PendingPrompt(self.text)
        other.consumed = self.consumed
        other.by_step = list(self.by_step)
        return other

    cdef bint is_pending(self) noexcept:
        return self.consumed < <size_t>len(self.text)

    cdef bytes rest(self):
        return self.text[self.consumed:]

    cdef PendingPrefix prefix(self) noexcept:
        return PendingPrefix(<const uint8_t*>self.text, <uint32_t>len(self.text), self.consumed)

    cdef Py_ssize_t common(self, bytes data) noexcept:
        cdef const uint8_t* text = self.text
        cdef const uint8_t* other = data
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t most = min(len(data), len(self.text) - <Py_ssize_t>self.consumed)
        while count < most and other[count] == text[<Py_ssize_t>self.consumed + count]:
            count += 1
        return count

    cdef int push(self, size_t count) except -1:
        self.consumed = <uint32_t>min(<size_t>len(self.text), self.consumed + count)
        self.by_step.append(self.consumed)
        return 0

    cdef int cut(self, size_t steps) except -1:
        del self.by_step[steps:]
        self.consumed = self.by_step[-1] if self.by_step else 0
        return 0
