"""A lazy DFA: an automaton that builds itself while it is used.

This is the engine's lexer. It follows all lexemes that the parser allows at a place, side by side. A state is a set of (lexeme,
expression) pairs, where the expression is what may still follow in the lexeme. A step by a byte replaces each expression by
its derivative, and drops the lexemes that cannot match any more. The first time a step is taken, its target is computed and
entered in a table.

What it can do:

- It matches intersections, complements and counted repeats like everything else, because they have derivatives.
- It knows dead ends: a state exists only if each of its lexemes can still be matched. So a mask that follows live states
  never offers a token that leads nowhere.
- It says which lexemes a state matches (`dfa_accept`), and whether a lexeme ends in a state without a look at the next byte
  (LAZY) or because no lexeme goes on with the next byte (LEAVE).

What it costs:

- A step whose target is known costs an addition and a load. A step that is taken for the first time costs a derivative for
  each lexeme of the state, and an emptiness search for each derivative with intersections or complements.
- A state takes a row of 256 words, 1 KB. Some patterns need very many states: `^(\\S+\\s+){0,300}\\S+$` under a `maxLength`
  made 84,000 along 450 tokens. Between calls, the engine clears an automaton that has grown beyond its budget
  (`Limits.dfa_states`). States are then built anew where they are needed, and no answer changes. Inside a call the bound is
  `max_states`: for a mask, twice the budget more than there are; for a text that is read, what the cache has room for. A call
  that exceeds it fails with LIMIT_DFA_STATES.

Bytes that no live expression tells apart form a class. A row has a word for each byte, so a step needs no look-up of
the class. `dfa_fill` enters a target for all bytes of the class at once.

A state is the offset of its row in `delta`, so its number is `state >> 8`. A word of `delta` above LAST_STATE is a state with
the flag LAZY, or one of LEAVE, DEAD and UNKNOWN. In a grammar with threads (threads.pxd), a word with the flags LAZY and NO_STATE
has the number of an ending in place of that of a state. The inner loop of a lexer is

    status = dfa_start(dfa, pairs, count, &state)
    for each byte:
        status = dfa_step(dfa, state, byte, &target)
        if target > LAST_STATE: ...     # LEAVE, DEAD, or a state with the flag LAZY
        state = target
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.threads cimport Threads
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    LAST_STATE = 0x7FFFFFFF
    LAZY = 0x80000000      # flag on a state: the lexeme ends here, without a look at the next byte
    LEAVE = 0xFFFFFFFD     # no lexeme goes on with this byte, but the bytes before it match one: that lexeme ends there
    DEAD = 0xFFFFFFFE      # no lexeme goes on with this byte, and the bytes before it match none
    UNKNOWN = 0xFFFFFFFF   # not computed yet
    NO_LEXEMES = 0         # the id of the empty lexeme set
    ALONE = 0xFFFFFFFF     # in `beside`
    NO_STATE = 1           # flag of a word that is no state, but the number of an ending, shifted as that of a state

cdef struct Dfa:
    Owner owner
    Nodes* nodes         # not owned
    Intern states        # (is_start, lexeme, expr, lexeme, expr, ...), sorted by lexeme
    Intern lexsets       # sets of lexemes, each sorted; and endings (threads.pxd)
    Vec delta            # 256 words a state: the target of each byte
    Vec accept           # per state number: the id in `lexsets` of the lexemes that it matches
    Vec lazy             # per lexeme: whether it ends at its first match
    Vec beside           # per lexeme: the lexeme without which it is not read, or ALONE; empty if all are read alone
    Vec work             # states that are being put together; used as a stack
    Threads threads
    uint32_t first_word  # lexemes from this number on match nothing, but no other lexeme ends where one of them can go on
    bint eager           # whether a lexeme ends as soon as no lexeme of its state can go on
    uint32_t max_states
    uint32_t room        # how many states a walk may still add, the last of which ends it with WIDE; 0: any number

# Make an automaton without states over the expressions of `nodes`, which must outlive it; the caller fills `lazy`. Returns
# OK or NO_MEMORY; free it in both cases.
cdef int dfa_init(Dfa* d, Nodes* nodes) noexcept nogil

# Free everything but the expressions.
cdef void dfa_free(Dfa* d) noexcept nogil

# Forget all states and sets of lexemes. The parser's rows refer to these, so they must be forgotten, too. Returns OK.
cdef int dfa_clear(Dfa* d) noexcept nogil

# The bytes that the automaton holds.
cdef size_t dfa_bytes(const Dfa* d) noexcept nogil

# The state before the first byte of a lexeme, written to `state`. `pairs` are `count` words (lexeme, expression, ...), sorted
# by lexeme. Returns OK, NO_MEMORY, LIMIT_DFA_STATES or WIDE.
cdef int dfa_start(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* state) noexcept nogil

# `dfa_start` for a state inside lexemes: the expressions are what may still follow. Such a state and a start state differ even
# if they have the same expressions, because a lexeme cannot end before its first byte is read.
cdef int dfa_inside(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* state) noexcept nogil

# Write to `target` the word of `delta` for a byte after which some lexemes go on; DEAD if there are none. `pairs` is as in
# `dfa_inside`. Returns what `dfa_fill` returns.
cdef int dfa_target(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* target) noexcept nogil

# Compute the target of a byte, enter it in `delta` for all bytes of its class, and write it to `target`. Returns OK, NO_MEMORY,
# LIMIT_DFA_STATES, WIDE, or the negative status of a derivative or an emptiness search. After an error nothing is entered.
cdef int dfa_fill(Dfa* d, uint32_t state, uint32_t byte, uint32_t* target) noexcept nogil


# One step: write the target of a byte to `target`. `state` must come without the flag LAZY. Returns what `dfa_fill` returns.
cdef inline int dfa_step(Dfa* d, uint32_t state, uint32_t byte, uint32_t* target) noexcept nogil:
    target[0] = d.delta.data[state + byte]
    if target[0] == UNKNOWN:
        return dfa_fill(d, state, byte, target)
    return 0


# The id in `lexsets` of the lexemes that a state matches; NO_LEXEMES if it matches none. For a target with the flag LAZY, without
# this flag: of the ending.
cdef inline uint32_t dfa_accept(const Dfa* d, uint32_t state) noexcept nogil:
    return state >> 8 if state & NO_STATE else d.accept.data[state >> 8]
