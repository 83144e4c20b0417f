"""How many bytes the instances of parametric nonterminals still need, as part of the estimates.

The end of an instance may need bits of the parameter, and a first counter that has reached a bound. The estimate is the sum of
these lengths: that of the end, those of the shortest right-hand sides that set the missing bits, and those of further short
right-hand sides, if the counter is still below its bound.

What a family (the instances of one nonterminal) needs is worked out once. So the length of an instance takes a step for each
missing bit. It is kept, because along a text each row of an array with n `contains` has up to n new instances.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Recognizer
from ffgrammar.regex.expr.nodes cimport NOTHING

cdef struct Estimates:
    Vec rest          # per dot position: an estimate of the least length of what follows in its production; empty until measured
    Vec lengths       # per plain nonterminal: an estimate of the least length of its texts
    Vec instances     # like `lengths`, for instances
    Vec lacking       # per instance: how many of the shortest productions its length counts (instance_lengths.pxd)
    size_t kept_instances  # how many instances plain productions name; texts add the others
    Vec families      # per nonterminal below `plain`: where in `needs` a family begins (instance_lengths.pyx)
    Vec needs
    size_t kept_rest  # how many entries of `rest` are of productions made with the grammar
    Vec link_costs    # per link: an estimate of the least length of what follows a complete item with this link
    Vec tables        # used while the rules are measured
    Vec heap          # used while the rules are measured: (length, production)

cdef inline uint32_t lexeme_length(const Recognizer* m, uint32_t lexeme) noexcept nogil:
    """The length of the shortest text of a lexeme. A special token counts as one byte."""
    cdef uint32_t expr = m.rules.exprs.data[lexeme]
    return 1 if expr == NOTHING else m.nodes.shortest.data[expr]


# Work out what the families need, from the lengths of the plain nonterminals and of the instances that plain productions name.
# Returns OK or NO_MEMORY.
cdef int measure_families(Estimates* e, const Recognizer* m) noexcept nogil

# An estimate of the least length of the texts of an instance. Writes to `lacking` how many productions it takes beside those that
# set the missing bits.
cdef uint32_t instance_length(const Estimates* e, const Recognizer* m, uint32_t number, uint32_t* lacking) noexcept nogil

# Extend `rest` to the productions of instances that it does not have yet. Returns OK or NO_MEMORY.
cdef int measure_instances(Estimates* e, const Recognizer* m) noexcept nogil
