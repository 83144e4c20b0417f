from libc.stdint cimport uint32_t

from ffgrammar.engine.chain cimport Chain
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.history cimport History
from ffgrammar.engine.lookahead cimport Owed
from ffgrammar.engine.machine cimport Config
from ffgrammar.engine.place cimport Place
from ffgrammar.tokens.canon cimport CanonRules

cdef class Drafted:
    cdef uint32_t* tokens
    cdef size_t count

cdef class Matcher:
    cdef readonly Engine engine
    cdef Place place
    cdef Chain chain  # made when it is first asked for

    cdef Chain chain_of(self, CanonRules rules)
    cdef Config config(self)
    cdef Owed owing(self)
    cdef list forced_by_encoding(self)
    cdef int take(self, Place* place, object token) except -1
    cdef History history(self)
