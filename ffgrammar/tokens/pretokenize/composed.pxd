"""The C type of the builder of composed automata. As in automaton.pxd, its methods are called often."""

cdef class _Composer:
    cdef object outer
    cdef object inner
    cdef Py_ssize_t classes
    cdef list states
    cdef dict numbers
    cdef tuple successors(self, Py_ssize_t at, Py_ssize_t character)
    cdef list begin(self, Py_ssize_t to, Py_ssize_t character)
    cdef bint may_end(self, Py_ssize_t within) except -1
    cdef list alive(self, list ways, Py_ssize_t state, Py_ssize_t character)
    cdef add(self, tuple state)
