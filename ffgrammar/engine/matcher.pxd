from libc.stdint cimport uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.history cimport History
from ffgrammar.engine.place cimport Place

cdef class Drafted:
    cdef uint32_t* tokens
    cdef size_t count

cdef class Matcher:
    cdef readonly Engine engine
    cdef Place place

    cdef int take(self, Place* place, object token) except -1
    cdef History history(self)
