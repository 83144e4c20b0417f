"""Neighbours: which lexemes may stand next to each other under longest match.

Longest match can make a sentence of the rules impossible. In `start: A A` with `A: /[ax]{2,}/` the first A swallows all that the
second one would need. A search for a completion (completability.pxd) may never find this out, because it meets new rows for ever.
Neighbours find it out without rows. For two lexemes they know whether a text of the first can end where the second begins. For a
nonterminal they know with which lexemes its texts may begin and end, if only neighbours stand side by side. For a configuration
they tell whether the rules still lead to a sentence of neighbours.

This is weaker than longest match: of the lexemes that compete at a place, only the one that ends and the skips are looked at. So
where neighbours say no, nothing can be completed, and where they say yes, the search goes on.

Sets of lexemes are bits (core/bits.pxd). All tables together have at most MAX_WORDS words, and filling them takes a bounded number
of steps. Beyond that nothing is known, and the search is alone.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.tables cimport Rules
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.regex.expr.nodes cimport NOTHING

cdef enum:
    MAX_WORK = 1 << 26  # words that are looked at until the tables are made, or later while one text is searched

cdef struct Neighbours:
    Owner owner
    bint tried        # whether the tables were made, or have turned out to be too large
    bint found        # whether they are there
    uint32_t lexemes  # how many there are
    uint32_t words    # of a set of lexemes
    Vec before        # per lexeme: the lexemes that may come before it; skips that stand between the two are left out
    Vec ends          # per plain nonterminal and lexeme: the last lexemes of its texts that begin with this lexeme
    Vec good          # per link: the lexemes after which a completed item with this link leads to a sentence of neighbours
    Vec sets          # scratch: one set
    Vec scratch       # scratch: another set
    uint64_t work     # how many words were looked at since the tables were made

cdef inline void add_set(uint32_t* to, const uint32_t* words, uint32_t count) noexcept nogil:
    cdef uint32_t i
    for i in range(count):
        to[i] |= words[i]


cdef inline bint meet(const uint32_t* one, const uint32_t* other, uint32_t count) noexcept nogil:
    """Whether two sets have a lexeme in common."""
    cdef uint32_t i
    for i in range(count):
        if one[i] & other[i]:
            return True
    return False


cdef inline bint is_special(const Recognizer* m, uint32_t lexeme) noexcept nogil:
    """Whether a lexeme is a special token. It ends what stands before it, and nothing can go on in it."""
    return m.rules.exprs.data[lexeme] == NOTHING


cdef inline const uint32_t* ends_of(
    const Neighbours* n, const Rules* rules, uint32_t number, uint32_t lexeme,
) noexcept nogil:
    """With which lexemes the texts of a nonterminal may end that begin with a lexeme. An instance may begin and end with
    every lexeme."""
    cdef uint32_t row = number * n.lexemes + lexeme if number < rules.plain else rules.plain * n.lexemes
    return n.ends.data + row * n.words


# Returns a status. neighbours_free may be called whatever the status was.
cdef int neighbours_init(Neighbours* n) noexcept nogil
cdef void neighbours_free(Neighbours* n) noexcept nogil

# Forget what has numbers of links in it.
cdef void neighbours_clear(Neighbours* n) noexcept nogil

# Bytes of all tables.
cdef size_t neighbours_bytes(const Neighbours* n) noexcept nogil

# Whether the rules lead from a configuration to a sentence of neighbours: 1, 0 or NO_MEMORY. 1 may also mean that it would take
# too long to find out.
cdef int leads_on(Neighbours* n, Recognizer* m, const Config* config) noexcept nogil
