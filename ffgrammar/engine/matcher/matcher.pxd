"""The public matcher: a cursor, with a pending prompt and a canonical policy beside it where they are needed."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.budget.token_budget cimport TokenBudget
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.matcher.pending_prompt cimport PendingPrompt
from ffgrammar.engine.position.cursor cimport Cursor

cdef class Drafted:
    cdef uint32_t* tokens  # the ids of the drafted tokens; NO_TOKEN for an id that is not of the vocabulary
    cdef size_t count


cdef class Matcher:
    cdef readonly Engine engine
    cdef readonly bint canonical
    cdef readonly tuple prompt_tokens
    cdef Cursor cursor
    cdef PendingPrompt prompt    # None if no bytes of a prompt were left to spell
    cdef CanonicalPolicy policy  # None until canonical tokens matter
    cdef TokenBudget budget      # None if the text may have any number of tokens
    cdef object capture_reader   # a CaptureReader, or None until captures are asked for

    # Whether the cursor alone does not decide what comes next, because there is a budget, the tokens must be canonical, or bytes
    # of the prompt are pending.
    cdef bint is_guided(self) noexcept

    # Return a status that is no failure. Otherwise raise the error that it stands for, with the place where the matcher is. The
    # engine's lock must not be held.
    cdef int checked(self, int status) except -1

    # Say in a LimitError where the matcher is, unless it has a place. The engine's lock must not be held. Returns 0.
    cdef int locate(self, error) except -1

    # Write the mask of a guided matcher, as cursor_fill (engine/position/cursor.pxd) does for other matchers. Takes the engine's
    # lock.
    # Returns a status.
    cdef int fill_guided(self, uint32_t* row, size_t count) except? -1

    # Write the masks along a draft, as cursor_draft does for others. Takes the engine's lock. Returns how many tokens of the
    # draft are allowed, or a status.
    cdef int draft_guided(self, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count) except? -1

    # Write the mask, whether the matcher is guided or not. Takes the engine's lock if it needs it. Returns a status.
    cdef int fill(self, uint32_t* row, size_t count) except? -1

    # Move by a token. Returns 1, or 0 if the token is not allowed. Raises TokenizerError and LimitError. Takes the engine's lock.
    cdef int take(self, object token) except -1

    # `take` for a guided matcher; the token is an id of the vocabulary.
    cdef int take_guided(self, uint32_t token) except -1

    # Move by tokens up to the first that is not allowed. Returns how many were taken. Raises as `take`.
    cdef Py_ssize_t take_all(self, object ids) except -1

    # An independent matcher at the same point.
    cdef Matcher forked(self)

    # `accept_bytes` under a budget.
    cdef Py_ssize_t read_within(self, bytes data) except -1

    # The longest prefix of tokens that the budget allows.
    cdef list fitting(self, list tokens)

    # Move by bytes. Returns how many were accepted. Raises MatcherError if the text would be too long, and LimitError.
    cdef Py_ssize_t read(self, const uint8_t* data, Py_ssize_t count) except -1

    # The text and its special tokens, as a CaptureReader takes them.
    cdef tuple captured_text(self)

    # For `explain`: why a token is refused although its bytes fit, as (reason, message); None if it is not refused.
    cdef tuple why_not(self, token)

    # `read` while bytes of the prompt are pending.
    cdef Py_ssize_t read_prompt(self, bytes data) except -1

    # The pending bytes for the policy; none if there is no prompt.
    cdef PendingPrefix pending(self) noexcept

    # Take the prompt and the policy back to the first `steps` steps, where the cursor already is. Returns 0.
    cdef int cut(self, size_t steps) except -1

    # Whether the tokens so far, as a whole text, are what the tokenizer makes of it.
    cdef bint is_whole(self) except -1

    # `forced_bytes` of a text that has not ended.
    cdef bytes forced_text(self)

    # The forced tokens that spell bytes.
    cdef list forced_spelling(self)

    # `forced_spelling` if the tokenizer's rules are not known.
    cdef list forced_by_encoding(self)

    # The special token, or the end-of-text token, that is the only token that may come, in a list; [] if there is none.
    cdef list only_special(self)
