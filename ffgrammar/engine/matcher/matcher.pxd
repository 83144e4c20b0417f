from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.token_history cimport TokenHistory
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.history cimport History
from ffgrammar.engine.canonical.lookahead cimport PendingPrefix
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.position.cursor cimport Cursor
from ffgrammar.tokens.canonical.rules cimport CanonicalRules

cdef class Drafted:
    cdef uint32_t* tokens
    cdef size_t count

cdef class Matcher:
    cdef readonly Engine engine
    cdef Cursor cursor
    cdef TokenHistory token_history  # made when it is first asked for

    cdef TokenHistory token_history_of(self, CanonicalRules rules)
    cdef Config config(self)
    cdef PendingPrefix pending_prefix(self)
    cdef list forced_by_encoding(self)
    cdef int take(self, Cursor* cursor, object token) except -1
    cdef History history(self)
