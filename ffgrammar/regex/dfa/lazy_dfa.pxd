"""A lazily filled automaton over sets of (lexeme, expression): the lexer's states.

A state is an offset into `delta`, 256 words a state, so that a step is one addition and one load. Words of `delta` that
are not states are above LAST_STATE.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    LAST_STATE = 0x7FFFFFFF
    LAZY = 0x80000000      # flag: the target ends its lexeme at once
    LEAVE = 0xFFFFFFFD     # no lexeme goes on, but some match what was read: the lexeme ends before this byte
    DEAD = 0xFFFFFFFE
    UNKNOWN = 0xFFFFFFFF   # not computed yet
    NO_LEXEMES = 0         # id of the empty lexeme set

cdef struct Dfa:
    Nodes* nodes
    Intern states        # (is_start, lexeme, expr, lexeme, expr, ...), by lexeme
    Intern lexsets       # sorted lexemes
    Vec delta
    Vec accept           # per state number: lexeme set it matches
    Vec lazy             # per lexeme: whether it ends at its first match
    Vec work
    bint eager           # every lexeme ends as soon as nothing can follow in it
    uint32_t max_states

cdef int dfa_init(Dfa* d, Nodes* nodes) noexcept nogil
cdef void dfa_free(Dfa* d) noexcept nogil
cdef int dfa_clear(Dfa* d) noexcept nogil
cdef size_t dfa_bytes(const Dfa* d) noexcept nogil

# The start state for `count` words of (lexeme, expression) pairs, sorted by lexeme.
cdef int dfa_start(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* state) noexcept nogil

# The state inside lexemes of which these expressions may follow.
cdef int dfa_inside(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* state) noexcept nogil

# Compute delta[state + byte] (and that of all bytes of its class), and return it through `target`.
cdef int dfa_fill(Dfa* d, uint32_t state, uint32_t byte, uint32_t* target) noexcept nogil


cdef inline int dfa_step(Dfa* d, uint32_t state, uint32_t byte, uint32_t* target) noexcept nogil:
    target[0] = d.delta.data[state + byte]
    if target[0] == UNKNOWN:
        return dfa_fill(d, state, byte, target)
    return 0


cdef inline uint32_t dfa_accept(const Dfa* d, uint32_t state) noexcept nogil:
    return d.accept.data[state >> 8]
