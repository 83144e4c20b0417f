"""The C types of members.py."""

cdef class Members:
    cdef readonly list items
    cdef readonly list others
    cdef readonly list kinds
    cdef readonly object wanted
    cdef readonly object least
    cdef readonly object most
