"""A walk over the vocabulary's trie that finds the tokens whose bytes both the grammar and the rules of pre-tokens allow.

A caller sets where the walk begins and calls `walk_next` until it finds no more tokens:

    walk_begin(engine, &walk, states, configs, pending, &nodes_left, &dependent_answers)
    states[0] = ...
    configs[0] = ...
    while walk_next(engine, rules, &walk) == 1:
        ...                         # walk.token; states[walk.depth] and configs[walk.depth] are after it
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.values.trace cimport TraceMark
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    # what walk_next returns when `nodes_left` is used up before the walk ends
    OUT_OF_NODES = 2


cdef struct TokenWalk:
    CanonicalState* states  # the rules' states by depth, with room for the longest token; states[0] is where the walk begins
    Config* configs         # the grammar's configurations by depth, in the same way
    PendingPrefix pending
    TraceMark mark          # of the trace before the walk
    uint32_t node           # the next node
    uint32_t stop           # the walk ends before this node
    uint32_t* nodes_left    # how many nodes the walk may still look at; nested walks may share the count
    size_t* dependent_answers  # goes up by 1 at each answer of the grammar that depends on values in the text
    Config ended            # the last configuration whose lexeme ended before a byte, or one with the row PENDING
    Config after            # the configuration after that lexeme
    uint32_t depth          # of the node of `token`
    uint32_t token          # the token that walk_next has found


# Begin a walk over the whole trie. To walk one subtree, set the walk's `node` and `stop` after this call.
cdef void walk_begin(
    Engine engine, TokenWalk* walk, CanonicalState* states, Config* configs, PendingPrefix pending, uint32_t* nodes_left,
    size_t* dependent_answers,
) noexcept nogil

# Go on to the next token. Returns 1; 0 if there are no more; OUT_OF_NODES; or a status below zero. Call this with the engine's
# lock held. The call may forget the virtual rows of earlier tokens.
cdef int walk_next(Engine engine, CanonicalRules rules, TokenWalk* walk) noexcept nogil
