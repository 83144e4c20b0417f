"""Earley's algorithm, with interned rows: a row says what may follow a text, not where in the text we are.

An item is (dot position, link). A link is (row, nonterminal). When the item's production is complete, other items advance: those
in the link's row that wait for the link's nonterminal. The link ROOT stands for the start symbol at the start of the text. Links
hold row numbers where textbooks have text positions. So two places in a text with equal items have the same row. The step from a
row over a set of lexemes depends on the row and the set alone, and is computed once. A JSON array of 10 numbers and one of 1,000
make the same few rows. Forking a parser is copying the number of a row, and going back is remembering such a number.

The kernel of a row is the items that are not complete and have something before the dot (in the first row: the productions of
the start symbol). The kernel identifies the row, together with whether the row accepts. The predicted items follow from the
kernel.

In a grammar with threads (regex/dfa/threads.pxd) lexemes may go on where others end. The items that wait for them are *carried* to
the new row. Their symbol is the lexeme with its new slot. No link leads to a row with carried items, but to the same row without
them. So the links, and then the rows, do not become more with every place where a lexeme might have ended.

If only one item waits for a nonterminal, and this nonterminal is the last symbol of the item's production, the nonterminal is
predicted with the item's own link: completing the nonterminal completes the item, too. This is Leo's optimisation (1991). It
keeps the number of rows constant under right recursion.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.pulse cimport Pulse
from ffgrammar.engine.parser.rows cimport EarleyRows
from ffgrammar.engine.parser.tables cimport Rules
from ffgrammar.regex.dfa.threads cimport Threads

# Returns OK or NO_MEMORY. earley_free may be called after either, and on a struct of zeros. `lexsets`, `threads` and `pulse` must
# live as long as the rows.
cdef int earley_init(EarleyRows* r, Rules* rules, const Intern* lexsets, const Threads* threads, Pulse* pulse) noexcept nogil
cdef void earley_free(EarleyRows* r) noexcept nogil

# Forget all rows and links. Returns OK or NO_MEMORY.
cdef int earley_clear(EarleyRows* r) noexcept nogil

# Bytes of all tables.
cdef size_t earley_bytes(const EarleyRows* r) noexcept nogil

# Write the row of the empty text; it is row 0 of a cleared table. Returns a status.
cdef int earley_first(EarleyRows* r, uint32_t* row) noexcept nogil

# Go on from `row` by a text that every lexeme of the set `lexset` matches, and write the row after this text to `target`. At
# least one of these lexemes must be allowed in `row`. A skip lexeme leaves the row as it is, but for items that do not allow the
# skip. `lexset` may also be an ending; what goes on is carried. Returns a status: LIMIT_ROW_ITEMS if the row gets too large,
# LIMIT_CACHE if all rows together do.
cdef int earley_scan(EarleyRows* r, uint32_t row, uint32_t lexset, uint32_t* target) noexcept nogil

# Write the row of what follows either of two rows to `target`. Returns a status as earley_scan.
cdef int earley_join(EarleyRows* r, uint32_t one, uint32_t other, uint32_t* target) noexcept nogil
