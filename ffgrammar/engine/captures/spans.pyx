"""Spans share their inner spans, so a text that grows makes few new ones."""


cdef class Span:
    """A part of a text that a rule derives."""


cdef Span new_span(Py_ssize_t name, Py_ssize_t start, Py_ssize_t end, list parts):
    cdef Span span = Span.__new__(Span)
    cdef Span part
    cdef list inner = []
    for part in parts:
        if part.name != NO_NAME:
            inner.append(part)
        elif len(part.inner) == 1:
            inner.append(part.inner[0])
        elif part.inner:
            inner.append(part)
    span.name = name
    span.start = start
    span.end = end
    span.inner = tuple(inner)
    return span


cdef list listed(Span span, set names):
    cdef list found = []
    cdef list stack = [span]
    cdef Span top
    while stack:
        top = stack.pop()
        if top.name in names:
            found.append(top)
        stack.extend(reversed(top.inner))
    return found
