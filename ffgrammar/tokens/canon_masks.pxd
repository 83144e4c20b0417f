"""Masks of what may canonically follow."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canon cimport Canon, CanonRules
from ffgrammar.tokens.successors cimport Successors


cdef class CanonMasks:
    cdef readonly CanonRules rules
    cdef Successors successors
    cdef dict one_way   # (state of the automaton, whether the piece ends) -> mask
    cdef dict kept
    cdef readonly size_t max_bytes

    # The mask of a state: n_words little-endian words, and one more. End of text is not in it.
    cdef bytes find(self, const Canon* at)
    cdef bytes one_way_mask(self, uint32_t guess, bint ends)
    cdef bytes walk(self, const Canon* at)
