"""Which productions a grammar's tables have: those that some text can complete. The others would let the lexer read lexemes that
lead nowhere.

Everywhere here `alive` says for each nonterminal, and `usable` for each lexeme, whether it derives some text.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.grammar.productions cimport Productions

# Sort by nonterminal the productions that some text can complete. `names` is the number of nonterminals. Those of nonterminal n are
# the entries of `order` from `first[n]` up to, and without, `first[n + 1]`. Returns 0, or -1 if there is no memory.
cdef int sort_by_head(
    Productions productions, uint32_t names, const char* alive, const char* usable, Vec* order, Vec* first,
) noexcept nogil

# Whether every symbol in the body of a template derives some text.
cdef bint completes(tuple body, bytearray alive, bytearray usable)

# Per nonterminal of the grammar, whether it derives the empty text. A parametric nonterminal stands for its instance of parameter
# zero. The keys of `optional` are the lexemes that may be empty and are no skips.
cdef bytearray nullable_nonterminals(grammar, dict optional)
