"""The partition of a lexer state, made in the cheapest way: kept, made from that of a base, or made by a walk over the vocabulary.

A partition is written to `scratch` and `exits` of the masks' tables.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.tables cimport Masks
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

# Make the partition of a state by a walk over the vocabulary. Returns OK or a status.
cdef int walk_vocabulary(Masks* k, Recognizer* m, uint32_t state) noexcept nogil

# Look for the partition of a state in the table. Returns a PartitionStatus, with the partition if it is KEPT, or a status below
# zero. A partition whose walk is short counts as KEPT only if `even_short` is true.
cdef int find_kept(Masks* k, Recognizer* m, uint32_t state, bint even_short) noexcept nogil

# Make the partition of a state, and keep it (see partitions_keep). Returns KEPT, SHORT, or a status below zero. The partition is in
# `scratch` and `exits` after KEPT and after SHORT.
cdef int walk_and_keep(Masks* k, Recognizer* m, uint32_t state) noexcept nogil

# Find or make the partition of a base, if starting from it pays. Returns KEPT with the partition, or a status below zero. If the
# trie walk that makes the base's partition is short, the walk of the state itself is short, too, and starting from the base does
# not pay. Then the function returns SHORT, without a partition.
cdef int partition_base(Masks* k, Recognizer* m, uint32_t base) noexcept nogil

# Turn the partition of the base, in `scratch` and `exits`, into that of the configuration's state. The parser is asked about the
# exits of the base first. So after the call the exits that both states share are decided, and `exits` has only the other exits of
# the state. Returns OK, UNLIKE, or a status below zero. After UNLIKE, `scratch` and `exits` are empty: making the state's own
# partition takes less.
cdef int patch_from_base(
    Masks* k, Recognizer* m, const Config* config, uint32_t base, Vec* leads, bint* text_dependent,
) noexcept nogil

# Make the partition of a state some of whose lexemes are read beside others. `open` is its open state. Returns a status below zero
# on failure.
cdef int partition_beside(Masks* k, Recognizer* m, uint32_t state, uint32_t open) noexcept nogil

# Make the partition of a configuration's state in the cheapest way. Returns a status below zero on failure.
cdef int partition(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil
