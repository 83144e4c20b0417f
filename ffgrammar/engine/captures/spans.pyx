"""Spans share their inner spans, so a text that grows makes few new ones. A span knows by a few bits which rules are inside it, so
that a question for few rules skips the others.
"""

from libc.stdint cimport uint64_t


cdef class Span:
    """A part of a text that a rule derives."""


cdef class Names:
    """A set of names.

    Args:
        numbers: the names.
        count: a number above all names.
    """

    def __cinit__(self, numbers, Py_ssize_t count):
        self.chosen = bytearray(count)
        self.bits = 0
        for name in numbers:
            self.chosen[name] = 1
            self.bits |= name_bit(name)


cdef Span new_span(Py_ssize_t name, Py_ssize_t start, Py_ssize_t end, list parts):
    cdef Span span = Span.__new__(Span)
    cdef Span part
    cdef list inner = []
    cdef uint64_t names = name_bit(name) if name != NO_NAME else 0
    for part in parts:
        names |= part.names
        if part.name == NO_NAME and len(part.inner) == 1:
            inner.append(part.inner[0])
        elif part.names:
            inner.append(part)
    span.name = name
    span.start = start
    span.end = end
    span.inner = tuple(inner)
    span.names = names
    return span


cdef list listed(Span span, Names names):
    cdef const unsigned char* chosen = names.chosen
    cdef list found = []
    cdef list stack = [span]
    cdef Span top, part
    cdef tuple inner
    cdef Py_ssize_t i
    while stack:
        top = <Span>stack.pop()
        if top.name != NO_NAME and chosen[top.name]:
            found.append(top)
        inner = top.inner
        for i in range(len(inner) - 1, -1, -1):
            part = <Span>inner[i]
            if part.names & names.bits:
                stack.append(part)
    return found
