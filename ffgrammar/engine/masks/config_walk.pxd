"""The walk over configurations: one pass over the vocabulary trie with lexer and parser together, through a table.

Where lexemes may end anywhere (regex/dfa/threads.pxd), one ends with nearly every byte of a name. Then the segments of
segments.pxd are a byte long, and a mask needs as many of them as the trie has nodes. But a configuration (row, lexer state) and a
byte decide the next configuration. So configurations have numbers and a table of transitions of their own, like the states of the
lexer, and a step that was taken before is one load. Along one text of each grammar in grammars/, lexed this way, the average mask
takes 14 ms in C and 2.9 ms in SQL by this walk, and 22 ms and 12 ms by segments. Inside a comment that may be cut anywhere a mask
takes 0.5 ms by this walk, and 27 ms by segments.

A configuration takes 1 KB of the table. When the table is full it is emptied, also in the middle of a walk.

Rows are plain here: grammars with checks of values do not use this file.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef struct ConfigTable:
    Owner owner
    Map index     # configuration -> its number
    Vec configs   # by number: row, state
    Vec delta     # 256 words a number: for each byte the offset of the next configuration's words, NOT_ALLOWED or NOT_TRIED

# Returns OK or NO_MEMORY. Free it with owner_free in either case.
cdef int config_table_init(ConfigTable* t) noexcept nogil

# Forget everything, and free the memory.
cdef void config_table_clear(ConfigTable* t) noexcept nogil

# Whether a lexeme ends with most characters in a lexer state, as a comment that may end anywhere does. Returns 1, 0 or a status.
cdef int ends_everywhere(Recognizer* m, uint32_t state) noexcept nogil

# Set in `mask` the tokens of the trie that may come in a configuration. Returns OK or a status.
cdef int walk_configs(
    ConfigTable* t, const Vocabulary* v, Completability* c, Recognizer* m, const Config* config, uint32_t* mask,
) noexcept nogil

# The same for the tokens of a tail of `count` words (segment_walk.pxd).
cdef int walk_configs_of_tail(
    ConfigTable* t, const Vocabulary* v, Completability* c, Recognizer* m, const Config* config,
    const uint32_t* tail, uint32_t count, uint32_t* mask,
) noexcept nogil
