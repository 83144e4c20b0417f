"""A span of a text, with the spans inside it."""

from libc.stdint cimport uint64_t

cdef enum:
    OPEN = -1     # the end of a span that still grows
    NO_NAME = -1  # the name of a span that is no capture, and only holds others

cdef class Span:
    cdef Py_ssize_t name     # the number of its rule, or NO_NAME
    cdef Py_ssize_t start    # offsets of bytes
    cdef Py_ssize_t end      # or OPEN
    cdef tuple inner         # the captures inside it, as Spans, in the order of the text
    cdef uint64_t names      # which captures there are in it, itself included: the bits `name_bit` of their names
    cdef object capture      # the Capture that was made of it, or None

cdef class Names:
    # A set of names.
    cdef bytearray chosen    # per name: whether it is in the set
    cdef uint64_t bits       # the bits `name_bit` of the names in the set

# The span of a rule and the spans of its parts, in the order of the text. Parts without captures are left out.
cdef Span new_span(Py_ssize_t name, Py_ssize_t start, Py_ssize_t end, list parts)

# The captures in a span, itself included, whose names are in a set, as Spans in the order of their starts. Of two with the same
# start the outer one comes first.
cdef list listed(Span span, Names names)


cdef inline uint64_t name_bit(Py_ssize_t name) noexcept:
    """A bit that stands for a name. Names that are 64 apart share one."""
    return <uint64_t>1 << (name & 63)
