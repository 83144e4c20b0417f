"""Room for arrays as large as the vocabulary."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint64_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.canonical.rules cimport CanonicalRules


@cython.final
cdef class Room:
    cdef uint64_t number   # no other room of the tokenizer ever has the same number
    cdef size_t user       # the address of the Leads that used the room last
    # Of leads.pyx. They are about the place that `user` looked at last in this room.
    cdef Vec plain         # the grammar's own mask
    cdef Vec has_lead      # a mask: the same tokens as in `tokens`
    cdef Vec tokens        # the tokens of the plain mask that have leads, each once
    # Of parts.pyx. These are masks with a spare word, in whole blocks.
    cdef Vec buffer        # all zero between calls
    cdef Vec part          # like `buffer`, for one part
    cdef Vec allowed       # the grammar's own mask
    cdef Vec scratch       # for table_pack
    # Of masks.pyx.
    cdef Vec is_dead       # for each part of a sieve, a mask of its dead ends
    cdef Vec marked        # the indices of the words of `is_dead` that are not 0


# A room that nobody uses, or a new one. Raises MemoryError.
cdef Room take_room(CanonicalRules rules)

# Give a room back. It is dropped if there is no memory, or if many are in no use.
cdef void give_room(CanonicalRules rules, Room room) noexcept
