"""A prompt that is cut back to those of its tokens that are the same whatever follows."""

from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.position.cursor cimport Cursor

cdef class PromptCut:
    cdef CanonicalPolicy policy
    cdef tuple tokens  # the tokens that stay
    cdef bytes rest    # the bytes of the prompt after these tokens

    # Add tokens to those that stay. Returns 0.
    cdef int begin_after(self, list tokens) except -1

    # Add `tokens` to those that stay, and take their bytes off the front of `rest`. If the last of `tokens` reaches beyond the
    # end of `rest`, it is left out. Returns 0.
    cdef int keep(self, tokens) except -1

    # Cut `rest`. First keep those of its tokens that are the same whatever text follows. Then keep those that are the same
    # whatever sentence of the grammar follows. Returns 0.
    cdef int cut_rest(self, Cursor* cursor) except -1


# Cut a prompt and let `policy` begin after the tokens that stay. `cursor` is at the start of the text.
#
# Raises TokenizerError if the prompt is neither text nor token ids, or if no sentence of the grammar can follow it.
cdef PromptCut cut_prompt(CanonicalPolicy policy, Cursor* cursor, object prompt)
