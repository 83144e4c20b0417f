"""Followers: which lexemes the rules allow right after each lexeme, as FOLLOW sets are defined for LL parsers.

They ask the rules only, and not the lexer: skips between two lexemes do not count. A skip is followed by what it may stand before.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.tables cimport Rules

cdef struct Followers:
    Owner owner
    uint32_t words   # of a set of lexemes
    Vec follow       # per lexeme: the set of those that may follow it
    Vec tight        # per lexeme: whether there is a place where it may stand and no skip may follow it
    # scratch, down to `rest`
    Vec first        # per nonterminal: the lexemes with which its texts begin
    Vec after        # per nonterminal: the lexemes that may follow it
    Vec ends_tight   # per nonterminal: whether it may stand where no skip may follow
    Vec rest         # one set

# Returns OK or NO_MEMORY; free with owner_free in either case.
cdef int followers_init(Followers* f) noexcept nogil

# Find the followers in a grammar. Returns OK or NO_MEMORY.
cdef int followers_find(Followers* f, const Rules* rules) noexcept nogil

# Free what is needed only while the followers are found, and the followers themselves.
cdef void followers_trim(Followers* f) noexcept nogil


cdef inline const uint32_t* followers_of(const Followers* f, uint32_t lexeme) noexcept nogil:
    return f.follow.data + lexeme * f.words
