"""How a matcher moves, goes back, and is copied."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.budget.token_budget cimport TokenBudget
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.matcher.pending_prompt cimport PendingPrompt
from ffgrammar.engine.position.cursor cimport Cursor

cdef class Steps:
    cdef readonly Engine engine
    cdef readonly bint canonical
    cdef readonly tuple prompt_tokens
    cdef Cursor cursor
    cdef PendingPrompt prompt    # None if no bytes of a prompt were left to spell
    cdef CanonicalPolicy policy  # None until canonical tokens matter
    cdef TokenBudget budget      # None if the text may have any number of tokens

    # Whether the cursor alone does not decide what comes next, because there is a budget, the tokens must be canonical, or bytes
    # of the prompt are pending.
    cdef bint is_guided(self) noexcept

    # Whether bytes of the prompt are pending.
    cdef bint awaits_prompt(self) noexcept

    # The pending bytes for the policy; none if there is no prompt.
    cdef PendingPrefix pending(self) noexcept

    # Return a status that is no failure. Otherwise raise the error that it stands for, with the place where the matcher is. The
    # engine's lock must not be held.
    cdef int checked(self, int status) except -1

    # The same LimitError, which says where the matcher is unless it has a place already. The engine's lock must not be held.
    # Methods in which the policy, the budget or the engine may raise a LimitError raise what this returns instead.
    cdef object located(self, error)

    # The text and its special tokens, as a CaptureReader takes them, and whether the text has ended.
    cdef tuple written(self)

    # Move by a token. Returns 1, or 0 if the token is not allowed. Raises TokenizerError and LimitError. Takes the engine's lock.
    cdef int take(self, object token) except -1

    # `take` for a guided matcher; the token is an id of the vocabulary.
    cdef int take_guided(self, uint32_t token) except -1

    # Move by tokens up to the first that is not allowed. Returns how many were taken. Raises as `take`.
    cdef Py_ssize_t take_all(self, object ids) except -1

    # Move by bytes. Returns how many were accepted. Raises MatcherError if the text would be too long, and LimitError.
    cdef Py_ssize_t read(self, const uint8_t* data, Py_ssize_t count) except -1

    # `read` under a budget.
    cdef Py_ssize_t read_within(self, bytes data) except -1

    # `read` while bytes of the prompt are pending.
    cdef Py_ssize_t read_prompt(self, bytes data) except -1

    # Take the prompt and the policy back to the first `steps` steps, where the cursor already is. Returns 0.
    cdef int cut(self, size_t steps) except -1

    # An independent object of the same class at the same point.
    cdef Steps forked(self)

    # An object of the same class at the start of the text, without budget, prompt and policy.
    cdef Steps blank(self)
