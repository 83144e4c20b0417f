"""Names of tokens by id, and ids by name."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.tokens.loaders.name_index cimport NameIndex
from ffgrammar.tokens.vocabulary.packed_tokens cimport PackedTokens


@cython.final
cdef class NameTable:
    cdef readonly PackedTokens names  # UTF-8 by id
    cdef uint32_t* listed             # the ids in the order of the file
    cdef uint32_t count               # how many names there are
    cdef NameIndex index
    cdef set others                   # the ids of names that are not in GPT-2's letters; None before these are looked for

    # Take over `names` and `listed`. All listed ids have a name. The table frees `listed`, which malloc made, even if `fill`
    # raises an error. Returns 1, or 0 if two names are equal or an id is too high.
    cdef bint fill(self, PackedTokens names, uint32_t* listed, uint32_t count) except -1

    # Part of `fill`: fill `index`. Returns False if two names are equal.
    cdef bint enter_all(self) noexcept nogil

    # The id of a name, or -1.
    cdef long id_of(self, name) except? -2
