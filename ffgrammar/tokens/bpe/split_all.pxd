"""The parts of all tokens at once."""

from ffgrammar.tokens.bpe.merges cimport Merges

# Do what `Merges.split` does, for all tokens whose parts are not known yet. Any number of threads may do this at once. Returns 0,
# or -1 if there is no memory.
cdef int split_all(Merges merges) noexcept nogil
