"""The state of the tokenizer's rules after the tokens of one matcher."""

from libc.stddef cimport size_t

from ffgrammar.engine.position.history cimport Chunk, History
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules

cdef enum:
    RECENT = 32  # how many states are kept; so RECENT - 1 steps can be taken back without reading the tokens again


cdef struct StepState:
    CanonicalState at
    size_t steps  # `at` is the state after this many steps. The last of them has a token; the steps after them came as bytes


cdef class TokenHistory:
    cdef readonly CanonicalRules rules
    cdef object tokenizer
    cdef CanonicalState start       # before the first step
    cdef StepState now
    # The bytes that came after the last token, up to the step `followed`, and the state after them, if `is_whole`.
    cdef bytes text
    cdef size_t followed
    cdef CanonicalState after_text
    cdef bint is_whole
    cdef size_t read                # how many steps of the history were read
    cdef size_t lowest              # `recent` has the states after `lowest` to `read` steps
    cdef StepState[RECENT] recent   # the state after k steps is at k % RECENT
    cdef dict prompt_bytes          # by step: the bytes of a prompt that the step spelled before its bytes in the history

    # Begin after tokens that stand before the text. The tokens of earlier calls stand before them. Returns 0. Raises MemoryError.
    cdef int begin_after(self, tokens) except -1

    # Write to `at` the state after the steps of a history. Bytes that came without tokens count as the tokens that the
    # tokenizer makes of them alone. Returns 0. Raises MemoryError, and what an encoder raises.
    cdef int follow(self, History* history, CanonicalState* at) except -1

    # Part of `follow`: read the steps of a chunk that were not followed yet, up to step `end`. Returns and raises as `follow`.
    cdef int follow_chunk(self, Chunk* chunk, size_t end) except -1

    # Set `now`, and the bytes that came after it. Returns nothing.
    cdef void set_now(self, const StepState* state, bytes text, size_t followed)

    # Forget all steps. Returns nothing.
    cdef void begin_again(self)

    # Call this when a step with a token was added to the history, and `at` is the state after it. `steps` is how many steps there
    # are now. All steps before it must have been read, and the last of them must have a token. Returns 0.
    cdef int add(self, size_t steps, const CanonicalState* at) except -1

    # Call this when steps of the history were taken back. `steps` are left.
    cdef void cut(self, size_t steps)

    # A copy for a fork of the matcher.
    cdef TokenHistory copy(self)

    # Keep the state after a step. Returns 0.
    cdef int remember(self, size_t step, const StepState* state) except -1

    # Move a state by the tokens that the tokenizer makes of a text. Returns 0. Raises as `follow`.
    cdef int push_text(self, CanonicalState* at, bytes text) except -1
