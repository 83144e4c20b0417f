"""Prediction: the items of a new row that follow from its kernel."""

from libc.stdint cimport uint32_t

from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.parser.rows cimport EarleyRows

# Find the items of the row whose kernel is in `kernel`, and write them to `found`. Returns a status.
cdef int predict(EarleyRows* r, uint32_t row) noexcept nogil


cdef inline int add_item(EarleyRows* r, uint32_t symbol, uint32_t position, uint32_t link) noexcept nogil:
    """Add an item to `found`. Returns OK or NO_MEMORY."""
    if vec_push(&r.found, symbol) < 0 or vec_push(&r.found, position) < 0:
        return NO_MEMORY
    return vec_push(&r.found, link)
