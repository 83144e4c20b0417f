"""The byte with which a shortest completion probably begins, without a look at all 256.

The structure of the lexemes mostly tells it: a literal begins with its first byte, and a sequence with that of its first part. The
byte is only a guess, because distances are estimates and the lexing rule may get in the way. So the caller looks where it leads.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef enum:
    NO_GUESS = 256

# The only byte that a configuration can go on with, as far as a look at its lexeme tells; NO_GUESS if this does not tell.
cdef uint32_t forced_byte(const Recognizer* m, const Config* config) noexcept nogil

# Write the byte, or NO_GUESS, for a configuration that is no sentence, and its estimated distance to one. `exprs` is scratch.
# `pace` becomes by how much the byte lessens the distance, if the guess is right: by one, but the distance of an intersection is
# the sum of those of its members. Returns a status.
cdef int likely_byte(
    Completability* v, Recognizer* m, const Config* config, Vec* exprs, uint32_t* byte, uint32_t* length, uint32_t* pace,
) noexcept nogil
