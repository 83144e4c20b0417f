"""What the text of a matcher is so far: a sentence or not, its captures, and explanations."""

from ffgrammar.engine.matcher.steps cimport Steps

cdef class Reading(Steps):
    cdef object capture_reader  # a CaptureReader, or None until captures are asked for

    # The text and its special tokens, as a CaptureReader takes them, and whether the text has ended.
    cdef tuple captured_text(self)

    # For `explain`: why a token is refused although its bytes fit, as (reason, message); None if it is not refused.
    cdef tuple why_not(self, token)
