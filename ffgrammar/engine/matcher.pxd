from libc.stdint cimport uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.history cimport History
from ffgrammar.engine.place cimport Place
from ffgrammar.tokens.canon cimport Canon, CanonRules

cdef class Drafted:
    cdef uint32_t* tokens
    cdef size_t count

cdef class Matcher:
    cdef readonly Engine engine
    cdef Place place
    # where the tokens so far lead by the tokenizer's rules, as far as that was asked for
    cdef Canon canon
    cdef size_t canon_steps

    cdef int follow(self, CanonRules rules) except -1
    cdef bytes step_bytes(self, History* history, size_t number)
    cdef int take(self, Place* place, object token) except -1
    cdef History history(self)
