"""Guards: what the text of a lexeme must obey where a parameter has some bits, or lacks them (ir.Guard).

Take an array with n `contains` of which each may be met three times at most. Its scalars are one lexeme. Which `contains` must not
be met again depends on the items so far, and is one of 2^n sets. So the expression of a set is made when a text needs it.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.recognizer.structs cimport Recognizer

# Write to `expr` what the text of the lexeme after a dot position must match: its expression, and the guards of the position that
# hold for its instance. Returns a status.
cdef int guarded_expr(Recognizer* m, uint32_t lexeme, uint32_t position, uint32_t* expr) noexcept nogil
