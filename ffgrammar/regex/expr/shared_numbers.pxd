"""Numbers of expressions that mean the same in every store: two expressions that were built in the same way get the same number."""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.expr.nodes cimport Nodes

# Find or make an expression's number, and write it to `out`. Returns 1; 0 if the expression is too large; or a status.
#
#   shared   the numbered expressions: (kind, then the bytes of a literal, or the numbers of the parts and plain numbers)
#   scratch  for one such tuple
#   exprs    the numbers of this store's expressions, as far as they were asked for
cdef int shared_expression(
    Intern* shared, Vec* scratch, Map* exprs, Nodes* n, uint32_t e, uint32_t* out,
) noexcept nogil
