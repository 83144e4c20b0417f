"""Parts: an automaton for each of several expressions, side by side, and the texts that complete them.

An intersection of ten patterns has very many derivatives, and each of its ten members has a few. A *part* is the expression of one
member. So a text moves ten parts, each by a load from a table, and no derivative of the intersection is made.

Whether the intersection still matches anything is a question about all parts together. A *witness*, a text that was once found to
complete an intersection, often completes others as well. Each part notes the witnesses that it matches as bits. If the parts of an
intersection have a bit in common, it matches something. If they have none, nothing is known.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    NO_PART = 0         # the part of NOTHING. (What is found to match nothing only later keeps its own part.)
    ANY_PART = 1        # the part that matches all texts
    WITNESS_WORDS = 8   # words of bits, one for each witness
    MAX_WITNESSES = 32 * WITNESS_WORDS
    MAX_WITNESS_BYTES = 64
    MAX_PARTS = 40000
    NOT_FILLED = 0xFFFFFFFF  # in `delta`: not computed yet

cdef struct Parts:
    Owner owner
    Nodes* nodes      # not owned
    Map numbers       # expression -> part
    Vec exprs         # per part: its expression
    Vec delta         # 256 words a part: the part after each byte
    Vec read          # per part: how many witnesses it has read
    Vec completed     # WITNESS_WORDS a part: the witnesses that it matches
    Vec witnesses     # the bytes of all witnesses
    Vec ends          # per witness: its end in `witnesses`
    Map ways          # part << 1 | complemented -> the next byte on a way (part_ways.pyx)
    Vec queue         # scratch: the parts that a search for a way has met, each with the index of the one before it and the byte
    Map queued        # scratch: these parts, as keys

# Make a table of parts over the expressions of `nodes`, which must outlive it. Returns OK or NO_MEMORY; free it in both cases, by
# its owner.
cdef int parts_init(Parts* p, Nodes* nodes) noexcept nogil

# Find or add the part of an expression, and write it to `part`. Returns OK, NO_MEMORY, or WIDE if there are too many.
cdef int find_part(Parts* p, uint32_t e, uint32_t* part) noexcept nogil

# Compute the part after a byte, enter it in `delta` for all bytes of its class, and write it to `after`. Returns OK or a status.
cdef int fill_part(Parts* p, uint32_t part, uint32_t byte, uint32_t* after) noexcept nogil

# Have a part read the witnesses that it has not read yet. Returns OK or a status.
cdef int read_witnesses(Parts* p, uint32_t part) noexcept nogil

# Add a witness, if there is room. Returns OK or NO_MEMORY.
cdef int add_witness(Parts* p, const uint32_t* text, uint32_t length) noexcept nogil


cdef inline int step_part(Parts* p, uint32_t part, uint32_t byte, uint32_t* after) noexcept nogil:
    """Write the part after a byte to `after`. Returns OK or a status."""
    after[0] = p.delta.data[(<size_t>part << 8) + byte]
    return fill_part(p, part, byte, after) if after[0] == NOT_FILLED else OK
