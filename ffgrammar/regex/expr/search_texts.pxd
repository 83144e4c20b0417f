"""The texts by which searches found that something matches.

Many expressions that the lexer asks about differ only in how many characters they still allow, and are completed by the same text.
So the last texts are tried again: short ones before a search begins, and all of them when it becomes long, also after its first
steps.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport ALIVE, K_CAT, Nodes, node, node_kind

cdef enum:
    # A text is short if it has at most so many bytes. Of each length one short text is kept.
    MAX_SHORT_BYTES = 2
    # Longer texts are not kept.
    MAX_TEXT_BYTES = 31

# Keep the text by which a search ended, or part of it: of a short search a short text, of a long one the text and its end. The
# oldest others give way. `bytes` has one byte in each word. (Without memory nothing is kept.)
cdef void keep_text(Nodes* n, const uint32_t* bytes, uint32_t length, bint is_of_long_search) noexcept nogil

# Whether a kept text shows that `e` matches something; this is noted. The first function tries only the short ones. Returns 1, 0
# (which says nothing), or what `derivative` returned.
cdef int try_short_texts(Nodes* n, uint32_t e) noexcept nogil
cdef int try_texts(Nodes* n, uint32_t e) noexcept nogil


# What is left of `e` to be looked at: what begins with something that has a match has a match itself if the rest has one.
cdef inline uint32_t doubtful_rest(const Nodes* n, uint32_t e) noexcept nogil:
    while node_kind(n, e) == K_CAT and n.info.data[node(n, e)[1]] & ALIVE:
        e = node(n, e)[2]
    return e
