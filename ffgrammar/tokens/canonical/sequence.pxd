"""A canonical token sequence that grows."""

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState


cdef class CanonicalSequence:
    cdef readonly CanonicalRules rules
    cdef CanonicalState at
