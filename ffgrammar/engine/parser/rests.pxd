"""Rests: what comes behind a dot.

Two dot positions have the same rest if the same symbols follow, with the same guards (ir.Guard), and the same skips may stand
between them. What may follow such positions differs by their items' links alone.
"""

from ffgrammar.engine.parser.rows cimport EarleyRows

# Number the rests of all positions. Positions that have a number keep it. Returns OK or NO_MEMORY.
cdef int number_rests(EarleyRows* r) noexcept nogil
