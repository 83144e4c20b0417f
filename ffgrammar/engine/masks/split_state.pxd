"""Split states: a lexer state whose partition is put together from those of its lexemes.

A token stays inside the lexemes of a state if it stays inside one of them. So the tokens that stay need no walk from the state
itself: they are those that stay in a walk from each lexeme alone. This pays where the lexemes go on in very many combinations:

    a string without "a"
    a string without "b"    | which of them may a text still be? 24 letters make 2^24 states, and each lexeme alone has one
    …

The walk from the state itself is tried first, because it is cheaper where the lexemes are mostly alike or mostly fixed words. It
ends with WIDE after a number of new states, and then the state is split. Tokens that end a lexeme are few, and are read with all
lexemes.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.masks.tables cimport Masks
from ffgrammar.engine.recognizer.recognizer cimport Recognizer
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# How many states a walk from a state may add before it ends with WIDE; 0 (any number) where the state cannot be split.
cdef uint32_t split_room(const Dfa* dfa, uint32_t state) noexcept nogil

# Whether the walk from a state with the same lexemes has ended with WIDE, or with these and at most as many others.
cdef bint is_known_wide(const Masks* k, const Dfa* dfa, uint32_t state) noexcept nogil

# Note that the walk from a state has ended with WIDE. Returns OK or NO_MEMORY.
cdef int note_wide(Masks* k, const Dfa* dfa, uint32_t state) noexcept nogil

# Begin to put a partition together. Returns OK or NO_MEMORY.
cdef int split_begin(Masks* k) noexcept nogil

# Add the partition of one lexeme, which is in `scratch` and `exits`.
cdef void split_add(Masks* k) noexcept nogil

# Turn `scratch` and `exits` into the partition of a state, all of whose lexemes have been added, but for those that are read beside
# others. Returns OK or a status.
cdef int split_end(Masks* k, Recognizer* m, uint32_t state) noexcept nogil
