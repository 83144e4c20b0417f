"""Whether an expression matches anything at all.

The lexer asks this of every derivative. If an expression that matches nothing stayed in a state, masks would offer tokens that
lead nowhere. Most nodes know the answer from their parts when they are made. For an intersection or a complement it may take
a search over derivatives, which `Nodes.max_search` bounds. The answer is noted in the nodes for which the search
has proved it, so it is not sought again.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    # The estimate of the bytes that a match still needs counts this many times as much as the bytes already taken. So a search goes
    # deep where the estimate shrinks, and wide where it stays the same.
    GREATEST_WEIGHT = 4
    SUM_WEIGHT = 2

# Whether `e` matches some text; exact, also with intersections and complements. Returns 1 or 0, or a negative status:
# NO_MEMORY, LIMIT_EMPTINESS when the search is too long, WIDE where `Nodes.work_end` ends it, or what `derivative` returned.
cdef int matches_something(Nodes* n, uint32_t e) noexcept nogil
