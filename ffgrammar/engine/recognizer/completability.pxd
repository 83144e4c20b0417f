"""Completability: whether a text can still be completed to a sentence.

Longest match, the lexing rule (recognizer.pyx), can lose what the parser counts on. In `start: A "x"` with `A: /x+/` the lexeme A
swallows every x, also the one that must come after A. So the recognizer alone accepts texts that lead nowhere. If a front-end
builds its lexemes so that this cannot happen, its grammars are *delimited* (`ir.GrammarIR.delimited`), and nothing is searched.
In other grammars a search for a sentence decides whether a configuration can be completed. Its verdict is kept. Where the front-end
promises that every text that can be read begins a sentence (`ir.GrammarIR.correct_prefix`), there is no search either.

Grammars with checks of values (engine/values) are always delimited. So such a check is never run in a search. All lengths are in
bytes.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.instance_lengths cimport Estimates
from ffgrammar.engine.recognizer.neighbours cimport Neighbours
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.recognizer.separator cimport Separator

cdef struct Completability:
    Owner owner
    bint enabled      # False in a delimited grammar: everything can be completed
    bint assured      # whether everything can be completed in a grammar that is not delimited
    Separator separator  # where it is found, it answers most questions without a search
    Neighbours neighbours  # made in the first long search; they prune it and later ones
    Map known         # configuration -> 1, 0 or UNDECIDED (completability.pyx)
    Estimates estimates
    Vec queue         # of the search: (row, state, index of the entry it came from)
    Vec heap          # (estimate, queue index)
    uint32_t max_search  # how many configurations one search may put on the queue
    size_t max_bytes     # how much the rows may grow in one search

# Returns a status. completability_free may be called whatever the status was.
cdef int completability_init(Completability* v, Recognizer* m, bint enabled, bint assured) noexcept nogil
cdef void completability_free(Completability* v) noexcept nogil

# Forget everything that has numbers of rows or states in it.
cdef void completability_clear(Completability* v) noexcept nogil

# Bytes of all tables.
cdef size_t completability_bytes(const Completability* v) noexcept nogil

# Whether some sentence begins with the text of a configuration: 1, 0 or a status (LIMIT_EMPTINESS where the search gives up).
cdef int completable(Completability* v, Recognizer* m, const Config* config) noexcept nogil

# Move by one byte. Returns 1; 0 if no sentence goes on with this byte; or a status. Unless it returns 1, the configuration
# stays. `text_dependent` is as in recognizer.pxd, and may be NULL.
cdef int step(
    Completability* v, Recognizer* m, Config* config, uint32_t byte, bint* text_dependent,
) noexcept nogil

# Move by a special token that is a lexeme. Returns as `step`.
cdef int token_step(Completability* v, Recognizer* m, Config* config, uint32_t token) noexcept nogil

# Set the bits of the special tokens that may come as lexemes; `bits` may be NULL. Returns 1 if there are any, 0, or a status.
cdef int add_special_tokens(Completability* v, Recognizer* m, const Config* config, uint32_t* bits) noexcept nogil

# Whether the bytes may end here: the text so far is a sentence, or a special token may come as a lexeme. Returns 1, 0 or a
# status.
cdef int bytes_may_end(Completability* v, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil

# Estimate the length of the shortest completion, as if the lexing rule never got in the way, and write it to `length`. It is 0
# for a sentence. Returns a status.
cdef int distance(Completability* v, Recognizer* m, const Config* config, uint32_t* length) noexcept nogil

# `distance`, and the expressions with which such a completion goes on: what may still follow in those lexemes of the state that are
# nearest to a sentence. There are none for a sentence, and where a special token comes next.
cdef int distance_by(
    Completability* v, Recognizer* m, const Config* config, uint32_t* length, Vec* nearest,
) noexcept nogil

# Find the bytes that may follow, and write them to 8 words as a set (core/bits.pxd). Returns how many there are, or a status.
cdef int next_bytes(Completability* v, Recognizer* m, const Config* config, uint32_t* bits) noexcept nogil
