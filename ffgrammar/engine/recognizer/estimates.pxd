"""How many bytes a sentence still needs, as if the lexing rule never got in the way. It guides searches, and is the distance that a
matcher tells.

The lengths of the rules are measured once (`estimates_measure`), and those of the parser's links as they come.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.instance_lengths cimport Estimates
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

# Make empty estimates, whose memory `owner` frees and counts. owner_status says whether there was memory.
cdef void estimates_init(Estimates* e, Owner* owner) noexcept nogil

# Forget everything that has numbers of rows in it.
cdef void estimates_clear(Estimates* e) noexcept nogil

# Measure the rules: fill `rest`, `lengths` and `instances`. Call it once, before `estimate`. Returns a status.
cdef int estimates_measure(Estimates* e, Recognizer* m) noexcept nogil

# Estimate the length of a completion, and write it to `cost`. Write the expressions with which such a completion goes on to
# `nearest`, unless it is NULL; none where a special token comes next. No skip lexeme begins such a completion. Returns a status.
cdef int estimate(Estimates* e, Recognizer* m, const Config* config, uint32_t* cost, Vec* nearest) noexcept nogil
