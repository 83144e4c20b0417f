"""Carried items: where some lexemes end and others go on (regex/dfa/threads.pxd), the items that wait for those that go on.

An entry says that a lexeme of a thread goes on with an expression, and that an item waits for it. Threads get new slots by their
contents, so equal positions have equal rows. Two threads with equal contents are one. The contents are the lexemes, their
expressions and the items. For a lexeme that is alone in its group the items do not count, because nothing competes with it: then
the items of both threads are put together, and a text does not add threads for ever.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.threads cimport Threads

cdef struct Entry:
    uint32_t thread    # before: a number of any kind; after carried_settle: 0
    uint32_t symbol    # before: the lexeme; after carried_settle: the lexeme with its new slot
    uint32_t expr
    uint32_t position
    uint32_t link

cdef enum:
    ENTRY_WORDS = 5

# Give the entries in `carried` their slots, sort them, and drop those that are there twice. `order` is scratch. Returns OK,
# NO_MEMORY, or LIMIT_ROW_ITEMS if there are too many threads.
cdef int carried_settle(const Threads* t, Vec* carried, Vec* order) noexcept nogil
