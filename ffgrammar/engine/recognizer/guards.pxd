"""Guards: what the text of a lexeme must obey where a parameter has some bits, or lacks them (ir.Guard).

An array with n `contains` of which each may be met three times at most has a lexeme for its items. What must not be met again
depends on the items so far, and is one of 2^n sets. So the expressions of these sets are made when a text needs them.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.recognizer.structs cimport Recognizer

# Write the expression of the lexeme after a dot position, in which the guards of the position are taken into account. Returns a
# status.
cdef int guarded_expr(Recognizer* m, uint32_t lexeme, uint32_t position, uint32_t* expr) noexcept nogil
