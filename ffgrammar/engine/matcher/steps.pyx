"""The steps of a text: how a matcher moves, goes back, and is copied.

The position is a cursor (engine/position). Three optional parts stand beside it. A `TokenBudget` (engine/budget) lets only as many
tokens come as were asked for. A `PendingPrompt` holds the bytes of a prompt that the first tokens must spell; a `CanonicalPolicy`
(engine/canonical) lets only the tokenizer's own tokens come. A text without these parts asks its cursor alone: an accepted token
takes 0.1 to 0.2 us from Python.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.index cimport clipped, clipped_argument
from ffgrammar.core.pulse cimport has_ended
from ffgrammar.engine.budget.token_budget cimport TokenBudget, fewest_tokens
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.matcher.pending_prompt cimport PendingPrompt
from ffgrammar.engine.matcher.prompt_cut cimport PromptCut, cut_prompt
from ffgrammar.engine.position.cursor cimport (
    cursor_copy, cursor_first, cursor_free, cursor_push_empty, cursor_read, cursor_rollback, cursor_take, cursor_terminated,
)
from ffgrammar.engine.position.history cimport MAX_TEXT, NO_TOKEN, history_bytes, history_len
from ffgrammar.engine.position.written cimport written_bytes, written_text, written_tokens

from ffgrammar.core.arguments import byte_string, expect
from ffgrammar.core.errors import LimitError, MatcherError, TokenizerError, UnsupportedError
from ffgrammar.core.whole_imports import import_whole
from ffgrammar.engine.budget.fewest_tokens import FewestTokens


cdef class Steps:
    def __cinit__(self, Engine engine not None, *_):
        self.engine = engine
        self.prompt_tokens = ()
        engine.acquire()
        cursor_first(engine, &self.cursor)
        engine.release()

    def __init__(self, engine, canonical=False, prompt=None, max_tokens=None):
        cdef PromptCut cut
        if max_tokens is not None:
            expect("matcher: max_tokens", max_tokens, int, "an int or None")
            if canonical or prompt is not None:
                what = "canonical tokens" if canonical else "a prompt"
                raise UnsupportedError(f"a matcher cannot have both max_tokens and {what}")
            self.budget = TokenBudget(self.engine, clipped(max_tokens))
            fewest = fewest_tokens(self.engine, &self.cursor)
            if self.budget.max_tokens < fewest.tokens:
                known = "the shortest text" if fewest.is_exact else "the shortest text that was found"
                count = "1 token" if fewest.tokens == 1 else f"{fewest.tokens} tokens"
                raise MatcherError(f"max_tokens={max_tokens} is too few: {known} needs {count}")
        if not canonical and prompt is None:
            return
        if self.engine.tables.rules.token_classes.len and self.engine.tokenizer.normal_form is not None:
            # After a special token, a search takes it that a sentence can be spelled with canonical tokens. It cannot if the
            # sentence is not in the normal form.
            what = "canonical tokens" if canonical else "a prompt"
            raise UnsupportedError(f"a grammar whose rules have special tokens cannot have {what} on a tokenizer that normalizes")
        self.canonical = canonical
        self.policy = CanonicalPolicy(self.engine, self.engine.tokenizer.rules("a matcher of canonical tokens"))
        if prompt is not None:
            cut = cut_prompt(self.policy, &self.cursor, prompt)
            self.prompt_tokens = cut.tokens
            if cut.rest:
                self.prompt = PendingPrompt(cut.rest)

    def __dealloc__(self):
        cursor_free(&self.cursor)

    cdef bint is_guided(self) noexcept:
        return self.budget is not None or self.canonical or self.awaits_prompt()

    cdef bint awaits_prompt(self) noexcept:
        return self.prompt is not None and self.prompt.is_pending()

    cdef PendingPrefix pending(self) noexcept:
        return PendingPrefix(NULL, 0, 0) if self.prompt is None else self.prompt.prefix()

    @property
    def prompt_rest(self) -> bytes:
        """The bytes of the prompt that are still pending: neither tokens nor `accept_bytes` have spelled them yet. b"" without a
        prompt."""
        return b"" if self.prompt is None else self.prompt.rest()

    @property
    def max_tokens(self) -> int | None:
        """How many tokens the text may have, end-of-text token not counted; None if there is no such bound."""
        return None if self.budget is None else self.budget.max_tokens

    @property
    def tokens_left(self) -> int | None:
        """How many of `max_tokens` may still come; None if there is no such bound."""
        cdef Py_ssize_t left
        if self.budget is None:
            return None
        self.engine.acquire()
        left = self.budget.left(&self.cursor)
        self.engine.release()
        return left

    def min_tokens(self) -> FewestTokens:
        """How many further tokens complete the text, end-of-text token not counted, and whether this is the exact number. It is
        0 for a sentence.

        The tokens need not be canonical. A matcher need not have a budget. The number is exact on a small vocabulary, if a
        search within the limit `budget_steps` finds it. Otherwise it is an upper bound: the fewest tokens that spell one short
        completion.

        Raises:
            UnsupportedError: the grammar compares items or keys of the text, or bytes of a prompt are pending.
            MatcherError: no tokens spell a completion.
            LimitError: a bound of the grammar was reached.
        """
        if self.awaits_prompt():
            raise UnsupportedError("tokens cannot be counted while bytes of a prompt are pending")
        try:
            return fewest_tokens(self.engine, &self.cursor)
        except LimitError as error:
            raise self.located(error)

    cdef int take(self, object token) except -1:
        cdef Py_ssize_t number = clipped_argument("a token id", token)
        cdef int status
        if number < 0 or number >= <Py_ssize_t>self.engine.trie.vocab_size:
            raise TokenizerError(f"token id {token} is not in 0..{self.engine.trie.vocab_size - 1}")
        if self.is_guided():
            return self.take_guided(<uint32_t>number)
        self.engine.acquire()
        status = cursor_take(self.engine, &self.cursor, <uint32_t>number, 0)
        self.engine.release()
        return self.checked(status)

    cdef int checked(self, int status) except -1:
        if status >= 0 and not has_ended(&self.engine.store.nodes.pulse):
            return status
        try:
            return self.engine.checked(status)
        except LimitError as error:
            raise self.located(error)

    cdef object located(self, error):
        cdef Cursor* cursor = &self.cursor
        if not error.where:
            limit_place = import_whole("ffgrammar.engine.explain.limit_place").limit_place
            text, special, _ = self.written()
            error.locate(limit_place(self.engine, text, special, cursor.generation, cursor.now.row, cursor.now.state))
        return error

    cdef tuple written(self):
        text, special = written_text(self.engine, &self.cursor)
        return text, special, cursor_terminated(&self.cursor)

    cdef int take_guided(self, uint32_t token) except -1:
        cdef int taken
        try:
            if self.budget is not None:
                return self.budget.take(&self.cursor, token)
            taken = self.policy.take(&self.cursor, self.pending(), token)
        except LimitError as error:
            raise self.located(error)
        if taken and self.awaits_prompt():
            self.prompt.push(self.engine.trie.offsets[token + 1] - self.engine.trie.offsets[token])
        return taken

    def accept_token(self, token) -> bool:
        """Move by one token. Returns False, and does not move, if the token may not come, or if the tokens that are left would
        not suffice after it.

        Raises:
            TypeError: the token id is no int.
            TokenizerError: there is no such token id.
            LimitError: a bound of the grammar was reached.
        """
        return self.take(token) != 0

    def accept_tokens(self, ids) -> int:
        """Move by tokens up to the first that is not accepted; returns how many were accepted.

        Raises:
            TypeError, TokenizerError, LimitError: as for `accept_token`; the tokens before the one that raises are accepted.
        """
        return self.take_all(ids)

    cdef Py_ssize_t take_all(self, object ids) except -1:
        cdef Py_ssize_t accepted = 0
        for token in ids:
            if not self.take(token):
                break
            accepted += 1
        return accepted

    def validate_tokens(self, ids) -> int:
        """How many of the tokens would be accepted one after another; the matcher does not move.

        Raises:
            TokenizerError, LimitError: as for `accept_token`.
        """
        return self.forked().take_all(ids)

    def accept_bytes(self, data not None) -> int:
        """Move by bytes up to the first that is not possible. Returns how many were accepted; together they are one step.

        While bytes of a prompt are pending, `data` must spell these bytes first. In a canonical matcher, the bytes count as the
        tokens that the tokenizer makes of them alone. If no sentence goes on canonically after these tokens, the next token need
        not fit the last of them, and the tokens from this next one on are canonical among themselves.

        Under `max_tokens`, bytes count as no token. They are accepted up to the last byte after which the tokens that are left
        suffice.

        Raises:
            TypeError: data is not a bytes-like object.
            ValueError: the elements of data are longer than a byte.
            MatcherError: the text would be longer than 2 GiB.
            LimitError: a bound of the grammar was reached.
        """
        cdef bytes text = data if type(data) is bytes else byte_string(data)
        if not text or cursor_terminated(&self.cursor):
            return 0
        if self.awaits_prompt():
            return self.read_prompt(text)
        if self.budget is not None:
            return self.read_within(text)
        return self.read(text, len(text))

    cdef Py_ssize_t read_within(self, bytes data) except -1:
        cdef const uint8_t* text = data
        cdef Py_ssize_t count = self.read(text, len(data))
        cdef Py_ssize_t suffices = 0
        cdef Py_ssize_t i
        cdef bint fits = False
        cdef Steps probe
        if count == 0:
            return 0
        try:
            fits = self.budget.note_bytes(&self.cursor)
        finally:
            if not fits:
                self.rollback(1)
        if fits:
            return count
        # the tokens may suffice after fewer bytes, and again after more
        probe = self.forked()
        for i in range(count - 1):
            probe.read(text + i, 1)
            if probe.budget.note_bytes(&probe.cursor):
                suffices = i + 1
        if suffices:
            self.read(text, suffices)
            self.budget.note_bytes(&self.cursor)
        return suffices

    cdef Py_ssize_t read(self, const uint8_t* data, Py_ssize_t count) except -1:
        cdef int status
        self.engine.acquire()
        if <size_t>count <= <size_t>MAX_TEXT - history_bytes(&self.cursor.history):
            status = cursor_read(self.engine, &self.cursor, data, <uint32_t>count)
            self.engine.release()
            return self.checked(status)
        self.engine.release()
        raise MatcherError("a text is at most 2 GiB")

    cdef Py_ssize_t read_prompt(self, bytes data) except -1:
        cdef const uint8_t* text = data
        cdef size_t step = self.num_steps
        cdef Py_ssize_t count = self.prompt.common(data)
        cdef Py_ssize_t more = 0
        cdef int status
        if count == 0:
            return 0
        if count == len(self.prompt.rest()) and count < len(data):
            more = self.read(text + count, len(data) - count)
        if more == 0:
            self.engine.acquire()
            status = cursor_push_empty(self.engine, &self.cursor, NO_TOKEN)
            self.engine.release()
            self.checked(status)
        self.policy.tokens.prompt_bytes[step] = data[:count]
        self.prompt.push(count)
        return count + more

    def rollback(self, n: int) -> None:
        """Take back the last n steps.

        Raises:
            MatcherError: there are fewer steps, or n is negative.
        """
        cdef Py_ssize_t count = clipped_argument("n", n)
        cdef size_t steps
        self.engine.acquire()
        steps = history_len(&self.cursor.history)
        if 0 <= count and <size_t>count <= steps:
            cursor_rollback(self.engine, &self.cursor, steps - <size_t>count)
            self.engine.release()
            self.cut(steps - <size_t>count)
        else:
            self.engine.release()
            raise MatcherError(f"cannot roll back {n} steps: {steps} were made")

    def reset(self) -> None:
        """Go back to the empty text. If there is a prompt, this is the position after the prompt's tokens."""
        self.engine.acquire()
        cursor_rollback(self.engine, &self.cursor, 0)
        self.engine.release()
        self.cut(0)

    cdef int cut(self, size_t steps) except -1:
        if self.budget is not None:
            self.budget.cut(steps)
        if self.policy is not None:
            self.policy.tokens.cut(steps)
        if self.prompt is not None:
            self.prompt.cut(steps)
        return 0

    def fork(self) -> Matcher:
        """An independent matcher at the same point. Both share the text that was accepted so far; it is not copied."""
        return self.forked()

    cdef Steps forked(self):
        cdef Steps other = self.blank()
        self.engine.acquire()
        cursor_free(&other.cursor)
        cursor_copy(&self.cursor, &other.cursor)
        self.engine.release()
        other.canonical = self.canonical
        other.prompt_tokens = self.prompt_tokens
        if self.budget is not None:
            other.budget = self.budget.copy()
        if self.policy is not None:
            other.policy = self.policy.copy()
        if self.prompt is not None:
            other.prompt = self.prompt.copy()
        return other

    cdef Steps blank(self):
        return Steps.__new__(Steps, self.engine)

    def __copy__(self) -> Matcher:
        return self.forked()

    def __deepcopy__(self, memo) -> Matcher:
        # the grammar is shared: it does not change, and its caches serve all matchers
        return self.forked()

    def __reduce__(self):
        raise TypeError(
            "a Matcher cannot be pickled: pickle its grammar, keep tokens(), and give them to accept_tokens of a new matcher of "
            "the grammar"
        )

    @property
    def num_steps(self) -> int:
        """How many steps `rollback` can take back."""
        cdef size_t steps
        self.engine.acquire()
        steps = history_len(&self.cursor.history)
        self.engine.release()
        return steps

    @property
    def text_bytes(self) -> bytes:
        """The accepted text. It begins after the prompt."""
        return written_bytes(self.engine, &self.cursor)

    def tokens(self) -> list:
        """The steps so far: for each its token id, or None if it was bytes without a token."""
        return written_tokens(self.engine, &self.cursor)

    def is_terminated(self) -> bool:
        """Whether an end-of-text token was accepted. Nothing may follow it: no token is accepted, the mask is all zeros, and
        nothing is forced. `rollback` and `reset` go back to before it."""
        return cursor_terminated(&self.cursor)
