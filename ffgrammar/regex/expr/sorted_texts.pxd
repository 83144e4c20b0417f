"""Byte strings in order.

Python sorts a list without a pause: a second for two million strings. So a long list is sorted here: from the bottom up, by
merging (Knuth, The Art of Computer Programming, volume 3, 5.2.4), without the GIL, and with the beats of a pulse.
"""

from ffgrammar.regex.expr.nodes cimport Nodes

# Append the byte strings of `texts` to the empty list `found`, in order, each once. Returns OK, or a status of the pulse, and then
# `found` has some of them. Raises MemoryError, and TypeError where a long list has something
# else.
cdef int sort_texts(Nodes* n, list texts, list found) except 1
