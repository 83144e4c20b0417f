"""Items that add nothing to a row, because from others everything follows that follows from them.

An ambiguous rule, such as `e: e "+" e | NUMBER`, gives a row an item for each place where an expression may have begun: a row after
n operators has n items, and no two rows are equal. But what follows from most of these items follows from another one, too. Without
them such texts go round in a few rows.

When a link (links.pxd) is complete, items advance: each has a rest (rests.pxd), and a link of its own. So links are states of a
finite automaton whose letters are rests, and which accepts where the text may end. What may follow a link is told by its
*language*: the words from the link's state to where the automaton accepts. An item adds nothing if the language of its link lies in
that of the links of other items with the same dot position.

Whether it does is found as in the algorithm of Hopcroft and Karp (1971), with pairs of a link and a set of links. A pair is refuted
if the text may end after the link, and after no link of the set. A pair leads by a letter to a link after the first and all links
after the set. The language of a link lies in that of a set if this pair leads to no pair that is refuted.

A row without such an item waits for the same lexemes, since another item has its dot position. The rows after it wait for the same
lexemes, too, with the same guards and skips, since rests have these. Carried items (carried.pxd) are not dropped.
"""

from ffgrammar.engine.parser.rows cimport EarleyRows

# Drop those items of the kernel that is being made that are seen to add nothing. The kernel is sorted, and stays so. Returns OK or
# NO_MEMORY.
cdef int drop_included(EarleyRows* r) noexcept nogil
