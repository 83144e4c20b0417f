"""Which states of a pre-tokenizer's automaton every text can go on from."""

from libc.stdint cimport uint8_t

from ffgrammar.tokens.pretokenize.table cimport PretokenTable

# Set is_sure[state], which is 0, for each state that is sure. Returns 0; raises MemoryError, and TokenizerError where more than
# MAX_HYPOTHESES are open.
cdef int find_sure_states(PretokenTable pretokens, uint8_t* is_sure) except -1
