"""Whether an expression matches anything at all, and how long a match must be.

The lexer asks this of every derivative: a state of which no text is left is dead, and a mask that keeps it alive would
offer tokens that lead nowhere. Unions, concatenations and repeats answer from their parts when they are made. Under
intersections and complements the answer is a search over derivatives, bounded by `Nodes.max_search`; it is remembered for
every expression on the way.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Whether some text matches `e`; exact, also under intersection and complement. Returns 1 or 0; or a negative status:
# LIMIT_EMPTINESS when the search is too long, or what a derivative returns.
cdef int matches_something(Nodes* n, uint32_t e) noexcept nogil

# An estimate of how many bytes are missing to a match of `e`. For an intersection it is the sum over the members and not
# their maximum: the sum falls with every member that is satisfied, where a search by length would try all orders in which
# they can be.
cdef uint32_t min_remaining(const Nodes* n, uint32_t e) noexcept nogil
