"""A plan is one completion of a configuration: the bytes, and the special tokens between them, that make the text a sentence.

The plan of a configuration does not depend on how the text came there, nor on what was asked before. And it is *consistent*: what
is left of a plan after its first symbol is the plan of the configuration there. So a matcher that has tokens enough for its plan
can follow it to the end, whatever else it looks at on the way.

The next symbol of a plan is the one after which the estimated distance to a sentence is least, and of several such symbols the
least. Where the lexing rule gets in the way, this can go round in a circle. From such a configuration the plan is the shortest way
to one from which no circle is met; of several ways of one length the first in the order of bytes.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef enum:
    # a symbol from this number on is a special token: SPECIAL plus the offset of its class in `Rules.token_classes`
    SPECIAL = 256
    # the symbol of a sentence
    AT_END = 0xFFFFFFFF

cdef struct Plans:
    Owner owner
    Map index      # configuration -> its number here
    Vec configs    # per number: row and state
    Vec fates      # per number: how its plan was found (plans.pyx)
    Vec symbols    # per number: the first symbol of its plan, or AT_END
    Vec following  # per number: the number after this symbol
    Vec distances  # per number: the estimated distance to a sentence
    Vec path       # scratch
    Vec exprs      # scratch
    Vec queue      # scratch: (number, entry of the queue it came from, symbol)
    Map seen       # scratch

# Returns OK or NO_MEMORY. plans_free may be called after either.
cdef int plans_init(Plans* p) noexcept nogil
cdef void plans_free(Plans* p) noexcept nogil

# Forget everything.
cdef void plans_clear(Plans* p) noexcept nogil

# Bytes of all tables.
cdef size_t plans_bytes(const Plans* p) noexcept nogil

# Write the number of a configuration. Returns OK or NO_MEMORY.
cdef int plans_number(Plans* p, const Config* config, uint32_t* number) noexcept nogil

# Find the first symbol of a configuration's plan, and of all plans that it leads to. Returns 1; 0 if no sentence can be reached;
# or a status.
cdef int plans_find(Plans* p, Completability* v, Recognizer* m, uint32_t number) noexcept nogil


cdef inline Config plans_config(const Plans* p, uint32_t number) noexcept nogil:
    """The configuration of a number."""
    cdef Config config
    config.row = p.configs.data[2 * number]
    config.state = p.configs.data[2 * number + 1]
    return config
