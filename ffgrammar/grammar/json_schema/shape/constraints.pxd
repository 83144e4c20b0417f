"""The C types of constraints.py. Nearly every schema has a group. (Calling a NamedTuple takes four times as long.)"""

cdef class Group:
    cdef readonly dict named
    cdef readonly tuple patterns
    cdef readonly tuple additional
