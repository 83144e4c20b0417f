"""From which states of a pre-tokenizer's automaton every text can go on."""

from libc.stdint cimport uint8_t

from ffgrammar.tokens.pretokenize.table cimport PretokenTable

# Set is_sure[state] to 1 for each state that is sure. All entries must be 0 before. Returns 0; raises MemoryError, and
# TokenizerError if more than MAX_HYPOTHESES hypotheses may be open at a time.
cdef int find_sure_states(PretokenTable pretokens, uint8_t* is_sure) except -1
