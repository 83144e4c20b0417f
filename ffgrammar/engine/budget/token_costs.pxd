"""How many tokens a configuration needs: the fewest after which the text can be a sentence, end-of-text token not counted.

On a vocabulary whose trie has at most `Limits.budget_steps` nodes, a search over tokens finds the exact number. It looks at all
configurations that one token, two tokens, ... lead to, until one of them is a sentence. Where the search takes more steps than the
limit, and on larger vocabularies, the cost is an upper bound: the fewest tokens that the plan of the configuration (plans.pxd) can
be cut into.

Costs depend on the configuration alone, and are *consistent*: where the cost is c, some token leads to a cost of at most c - 1. So
a text under a budget always comes to its end. That holds for exact costs, and for those of plans. It holds where the two meet,
because the search from a configuration looks at all that the search after one of its tokens looks at. If the first ends within
the limit, so does the second.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.budget.plans cimport Plans
from ffgrammar.engine.budget.state_classes cimport ClassTable
from ffgrammar.engine.engine cimport Engine, EngineAttachment
from ffgrammar.engine.recognizer.recognizer cimport Config

cdef enum:
    # the cost where no sentence can be spelled with tokens
    NEVER = 0xFFFFFFFE

cdef struct Costs:
    Plans plans          # its numbers of configurations are used in all tables here
    Vec cuts             # per number: the tokens of its plan, NEVER, or NOT_FOUND
    Vec costs            # per number: its cost, NEVER, or NOT_FOUND
    Vec exact            # per number: whether its cost is exact
    Vec successors       # lists: (count, steps, the numbers that one token leads to)
    Vec starts           # per number: where its list begins, or NOT_FOUND
    Vec stamps           # per number: the walk that met it last
    Vec marks            # per number: the search that met it last
    Vec level            # scratch: numbers
    uint32_t[256] roots  # by byte: the node of the trie for a token that begins with it, or 0
    uint32_t walks       # how many lists of successors were made
    uint32_t searches    # how many searches there were
    uint32_t max_steps   # of one search, in nodes of the trie


cdef class TokenCosts(EngineAttachment):
    cdef Costs all
    cdef Vec found            # scratch of `exits_after`: (cost, token)
    cdef uint32_t generation  # of the engine, when the tables were filled
    cdef size_t max_bytes
    cdef dict masks           # number -> what budget_masks.pyx keeps
    cdef ClassTable classes
    cdef size_t mask_bytes    # in `masks`

    # The methods run with the engine's lock held. They raise LimitError and MemoryError.

    # Forget what means nothing any more, or takes too much memory. Call this before the other methods.
    cdef int trim(self, Engine engine) except -1

    # Forget `masks` and `classes`.
    cdef void drop_masks(self) noexcept

    # The cost of a configuration. Write whether it is exact; `exact` may be NULL.
    cdef uint32_t cost(self, Engine engine, const Config* config, bint* exact) except? 0xFFFFFFFF

    # Fill `found` with the tokens that leave the lexeme of a configuration, each with the cost after it. `exits` is that of its
    # StateClasses. End-of-text tokens that are not lexemes are left out. Returns 0.
    cdef int exits_after(self, Engine engine, const Config* config, const Vec* exits) except -1


# The costs of an engine, made on the first call. Raises MemoryError.
cdef TokenCosts costs_of(Engine engine)
