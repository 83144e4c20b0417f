"""A prompt, cut back to the tokens that it has whatever follows."""

from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.position.cursor cimport Cursor

cdef class PromptCut:
    cdef CanonicalPolicy policy
    cdef tuple tokens  # the tokens that stay
    cdef bytes rest    # the bytes of the prompt after these

    # Add tokens to those that stay.
    cdef int begin_after(self, list tokens) except -1

    # Add tokens to those that stay, each as long as it lies inside of `rest`, and take their bytes off its front.
    cdef int keep(self, tokens) except -1

    # Cut the prompt's last pre-token: what any continuation leaves of it, and then what each sentence of the grammar leaves.
    cdef int cut_rest(self, Cursor* cursor) except -1


# Cut a prompt and let `policy` begin after the tokens that stay. `cursor` is at the start of the text.
#
# Raises TokenizerError where the prompt is no text or token ids, or where no sentence of the grammar goes on where it ends.
cdef PromptCut cut_prompt(CanonicalPolicy policy, Cursor* cursor, object prompt)
