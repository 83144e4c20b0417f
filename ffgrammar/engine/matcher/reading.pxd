"""What the text of a matcher is so far: a sentence or not, its captures, and explanations."""

from ffgrammar.engine.matcher.steps cimport Steps

cdef class Reading(Steps):
    cdef object capture_reader  # a CaptureReader, or None until captures are asked for

    # `written`, with a reader of captures for it.
    cdef tuple captured_text(self)

    # Whether the tokens so far, as a whole text, are what the tokenizer makes of it.
    cdef bint is_whole(self) except -1

    # For `explain`: why a token is refused although its bytes fit, as (reason, message); None if it is not refused.
    cdef tuple why_not(self, token)
