"""The public matcher: what may come next, and what must."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.matcher.reading cimport Reading

cdef class Matcher(Reading):
    # Write the mask of a guided matcher, as cursor_fill (engine/position/cursor.pxd) does for other matchers. Takes the engine's
    # lock. Returns a status.
    cdef int fill_guided(self, uint32_t* row, size_t count) except? -1

    # Write the masks along a draft, as cursor_draft does for others. Takes the engine's lock. Returns how many tokens of the
    # draft are allowed, or a status.
    cdef int draft_guided(self, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count) except? -1

    # Write the mask, whether the matcher is guided or not. Takes the engine's lock if it needs it. Returns a status.
    cdef int fill(self, uint32_t* row, size_t count) except? -1

    # `forced_bytes` of a text that has not ended.
    cdef bytes forced_text(self)

    # The longest prefix of tokens that the budget allows.
    cdef list fitting(self, list tokens)

    # The forced tokens that spell bytes.
    cdef list forced_spelling(self)

    # `forced_spelling` if the tokenizer's rules are not known.
    cdef list forced_by_encoding(self)

    # The special token, or the end-of-text token, that is the only token that may come, in a list; [] if there is none.
    cdef list only_special(self)
