"""The C types of resources.py."""

cdef class Resource:
    cdef readonly Document document
    cdef readonly object root
    cdef readonly object base
    cdef readonly tuple tokens
    cdef readonly object dialect
    cdef readonly bint declared
    cdef public bint identified
    cdef readonly dict anchors
    cdef readonly dict dynamic

cdef class Document:
    cdef public Resource root
    cdef readonly object uri
    cdef readonly set dynamic_refs
    cdef object _dialects
    cdef dict _own
    cdef object _named
