"""The texts by which searches found that something matches.

Many expressions that the lexer asks about differ only in how many characters they still allow, and are completed by the same text.
So the last texts are kept and tried again: short ones before a search begins, and all of them when a search becomes long. A long
search tries them after each expression that it has found.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport ALIVE, K_CAT, Nodes, node, node_kind

cdef enum:
    # The most bytes of a short text. Of each length, the last short text is kept.
    MAX_SHORT_BYTES = 2
    # The most bytes of a text that is kept.
    MAX_TEXT_BYTES = 31

# Keep the text by which a search ended, one byte in each word. A short search leaves only a short text. A long search leaves its
# text and the last bytes of it, in place of the oldest texts of long searches. (If there is no memory, nothing is kept.)
cdef void keep_text(Nodes* n, const uint32_t* bytes, uint32_t length, bint is_of_long_search) noexcept nogil

# Whether a kept text shows that `e` matches something, which is noted then. The first function tries only short texts. Returns 1;
# 0, which says nothing; or a negative status.
cdef int try_short_texts(Nodes* n, uint32_t e) noexcept nogil
cdef int try_texts(Nodes* n, uint32_t e) noexcept nogil


# The part of `e` that decides whether it matches something. The parts before it are known to.
cdef inline uint32_t undecided_rest(const Nodes* n, uint32_t e) noexcept nogil:
    while node_kind(n, e) == K_CAT and n.info.data[node(n, e)[1]] & ALIVE:
        e = node(n, e)[2]
    return e
