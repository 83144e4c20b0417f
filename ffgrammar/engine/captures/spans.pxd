"""A span of a text, with the spans inside it."""

cdef enum:
    OPEN = -1     # the end of a span that still grows
    NO_NAME = -1  # the name of a span that is no capture, and only holds others

cdef class Span:
    cdef readonly Py_ssize_t name   # the number of its rule, or NO_NAME
    cdef readonly Py_ssize_t start  # offsets of bytes
    cdef readonly Py_ssize_t end    # or OPEN
    cdef tuple inner                # the captures inside it, as Spans, in the order of the text
    cdef readonly object capture    # the Capture that was made of it, or None

# The span of a rule and the spans of its parts, in the order of the text. Parts without captures are left out.
cdef Span new_span(Py_ssize_t name, Py_ssize_t start, Py_ssize_t end, list parts)

# The captures in a span and below it whose names are in a set, as Spans in the order of their starts. The outer one of two with
# the same start comes first.
cdef list listed(Span span, set names)
