"""From which states of a pre-tokenizer's automaton every text can go on."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.pretokenize.table cimport PretokenTable

# Set is_sure[state] to whether a state is sure. The other two arrays are by state * classes + class. A character of the class
# leads from the state to a set of states, and an entry says whether this set is sure. In `sure_ends` the set has only the states
# of the ways in which the pre-token ends before the character, in `sure_next` those of all ways. The arrays must be all 0 before.
# Returns 0. Raises MemoryError, and TokenizerError if too many hypotheses may be open.
cdef int find_sure_states(
    PretokenTable pretokens, uint8_t* is_sure, uint8_t* sure_ends, uint8_t* sure_next) except -1

# Add a state to an ascending list, unless the list has it already. Returns how many states there are. If these are more than
# MAX_HYPOTHESES, the state was not added to the list.
cdef uint32_t insert(uint32_t* states, uint32_t count, uint32_t state) noexcept nogil
