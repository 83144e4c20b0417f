"""A `Matcher` follows one text under a grammar: it says which tokens may come next, and moves as they come.

It is a cursor (engine/position) with three optional parts beside it. A `TokenBudget` (engine/budget) lets only as many tokens come
as were asked for. A `PendingPrompt` holds the bytes of a prompt that the first tokens must spell; a `CanonicalPolicy`
(engine/canonical) lets only the tokenizer's own tokens come. A matcher without these parts asks its cursor alone: a mask that is
known takes 0.2 to 0.4 us from Python, and an accepted token 0.1 to 0.2 us.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.index cimport clipped, clipped_argument
from ffgrammar.core.pulse cimport has_ended
from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport Vec, vec_free, vec_init
from ffgrammar.engine.budget.token_budget cimport TokenBudget, fewest_tokens
from ffgrammar.engine.canonical.forced cimport boundary_candidates, common_tokens, forced_bytes
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.matcher.bitmask cimport BitmaskRows, rows_at, rows_close, rows_open
from ffgrammar.engine.matcher.pending_prompt cimport PendingPrompt
from ffgrammar.engine.matcher.prompt_cut cimport PromptCut, cut_prompt
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_release, mask_unpack
from ffgrammar.engine.position.cursor cimport (
    Cursor, cursor_copy, cursor_draft, cursor_fill, cursor_first, cursor_free, cursor_known_mask, cursor_push_empty, cursor_read,
    cursor_revalidate, cursor_rollback, cursor_snapshot, cursor_take, cursor_terminated,
)
from ffgrammar.engine.position.history cimport (
    MAX_TEXT, NO_TOKEN, STEP_FLAGS, History, history_bytes, history_len, history_piece, history_release, history_special,
    history_text, history_tokens,
)
from ffgrammar.engine.recognizer.completability cimport distance
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import LimitError, MatcherError, TokenizerError, UnsupportedError
from ffgrammar.engine.budget.fewest_tokens import FewestTokens


cdef class Drafted:
    """The ids of drafted tokens.

    Args:
        tokens: the ids; those that are not of the vocabulary become NO_TOKEN.
        vocab_size: how many ids there are.
    """

    def __cinit__(self, tokens, uint32_t vocab_size):
        cdef Py_ssize_t token
        cdef list listed = list(tokens)
        self.count = len(listed)
        self.tokens = <uint32_t*>malloc((self.count or 1) * sizeof(uint32_t))
        if self.tokens == NULL:
            raise MemoryError
        for i, number in enumerate(listed):
            token = clipped_argument("a token id", number)
            self.tokens[<size_t>i] = <uint32_t>token if 0 <= token < <Py_ssize_t>vocab_size else <uint32_t>NO_TOKEN

    def __dealloc__(self):
        free(self.tokens)


cdef class Matcher:
    """Matcher(engine, canonical=False, prompt=None, max_tokens=None)\n--\n\nFollows one text under a grammar.

    `Grammar.matcher` makes one, and explains `canonical`, `prompt` and `max_tokens`.

    A step is an accepted token, or one call of `accept_bytes` that accepted something; `rollback` counts steps.

    Matchers of one grammar may run in different threads. One matcher is for one thread at a time: if several threads move it,
    its answers are not defined, but nothing else is harmed.

    Attributes:
        canonical: whether only canonical tokens may come. A token is then allowed only if the tokens so far, this token and
            perhaps further ones are together what the tokenizer makes of some sentence of the grammar. Bytes accepted
            without tokens count as the tokens that the tokenizer makes of them alone. If no sentence goes on canonically
            after these tokens, or after those of a prompt, the next token need not fit the last of them. Only this one boundary
            may be non-canonical: the tokens that follow it are canonical among themselves.
        prompt_tokens: the ids of the tokens that the text goes on from; () without a prompt. They may spell fewer bytes than
            the prompt has; `prompt_rest` is what is missing.
    """

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
                known = "needs" if fewest.is_exact else "is known to need no more than"
                count = "1 token" if fewest.tokens == 1 else f"{fewest.tokens} tokens"
                raise MatcherError(f"max_tokens={max_tokens} is too few: the shortest text {known} {count}")
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
        return self.budget is not None or self.canonical or (self.prompt is not None and self.prompt.is_pending())

    cdef PendingPrefix pending(self) noexcept:
        return PendingPrefix(NULL, 0, 0) if self.prompt is None else self.prompt.prefix()

    @property
    def prompt_rest(self) -> bytes:
        """The bytes of the prompt that are still pending: neither tokens nor `accept_bytes` have spelled them yet. b"" without a
        prompt."""
        return b"" if self.prompt is None else self.prompt.rest()

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
            self.locate(error)
            raise

    cdef int locate(self, error) except -1:
        if error.where:
            return 0
        from ffgrammar.engine.explain.limit_place import limit_place

        cdef Cursor* cursor = &self.cursor
        text, special, _ = self.captured_text()
        error.locate(limit_place(self.engine, text, special, cursor.generation, cursor.now.row, cursor.now.state))
        return 0

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
        if self.prompt is not None and self.prompt.is_pending():
            raise UnsupportedError("tokens cannot be counted while bytes of a prompt are pending")
        try:
            return fewest_tokens(self.engine, &self.cursor)
        except LimitError as error:
            self.locate(error)
            raise

    cdef int take_guided(self, uint32_t token) except -1:
        cdef int taken
        try:
            if self.budget is not None:
                return self.budget.take(&self.cursor, token)
            taken = self.policy.take(&self.cursor, self.pending(), token)
        except LimitError as error:
            self.locate(error)
            raise
        if taken and self.prompt is not None and self.prompt.is_pending():
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
        if self.prompt is not None and self.prompt.is_pending():
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
        cdef Matcher probe
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

    def validate_tokens(self, ids) -> int:
        """How many of the tokens would be accepted one after another; the matcher does not move.

        Raises:
            TokenizerError, LimitError: as for `accept_token`.
        """
        return self.forked().take_all(ids)

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

    cdef Matcher forked(self):
        cdef Matcher other = Matcher.__new__(Matcher, self.engine)
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
        if self.capture_reader is not None:
            other.capture_reader = self.capture_reader.copy()
        return other

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

    def __repr__(self) -> str:
        cdef size_t steps
        cdef uint32_t size
        self.engine.acquire()
        steps = history_len(&self.cursor.history)
        size = history_bytes(&self.cursor.history)
        self.engine.release()
        kind = f"canonical {self.engine.kind}" if self.canonical else self.engine.kind
        if cursor_terminated(&self.cursor):
            state = "terminated"
        elif self.prompt_rest:
            state = f"{len(self.prompt_rest)} bytes of the prompt pending"
        else:
            try:
                state = "accepting" if self.is_accepting() else "not accepting"
            except LimitError:
                state = "at a limit"
        return f"<ffgrammar.Matcher {kind} on {self.engine.tokenizer.name}: {steps} steps, {size} bytes, {state}>"

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
        cdef History history
        cursor_snapshot(self.engine, &self.cursor, &history)
        try:
            text = PyBytes_FromStringAndSize(NULL, history_bytes(&history))
            history_text(&history, <uint8_t*>PyBytes_AS_STRING(text))
        finally:
            history_release(&history)
        return text

    def tokens(self) -> list:
        """The steps so far: for each its token id, or None if it was bytes without a token."""
        cdef History history
        cdef size_t count, i
        cdef uint32_t* tokens = NULL
        cursor_snapshot(self.engine, &self.cursor, &history)
        count = history_len(&history)
        try:
            tokens = <uint32_t*>malloc((count or 1) * sizeof(uint32_t))
            if tokens == NULL:
                raise MemoryError
            history_tokens(&history, tokens)
            return [
                None if tokens[i] == <uint32_t>NO_TOKEN else tokens[i] & ~<uint32_t>STEP_FLAGS
                for i in range(count)
            ]
        finally:
            free(tokens)
            history_release(&history)

    cdef tuple captured_text(self):
        cdef History history
        cdef Vec pairs
        if self.capture_reader is None:
            from ffgrammar.engine.captures.reader import CaptureReader

            self.capture_reader = CaptureReader(self.engine)
        cursor_snapshot(self.engine, &self.cursor, &history)
        vec_init(&pairs)
        try:
            text = PyBytes_FromStringAndSize(NULL, history_bytes(&history))
            history_text(&history, <uint8_t*>PyBytes_AS_STRING(text))
            if self.engine.tables.rules.token_classes.len and history_special(&history, &pairs) < 0:
                raise MemoryError
            special = [(pairs.data[i + 1], pairs.data[i]) for i in range(0, pairs.len, 2)]
        finally:
            vec_free(&pairs)
            history_release(&history)
        return text, special[::-1], cursor_terminated(&self.cursor)

    def captures(self, names=None) -> list:
        """What the rules of a Lark grammar derive in the text so far, what the named parts of a composition read, or the values
        of a JSON text, as a list of `Capture`.

        The list is in the order of `Capture.start`; of two captures with the same start, the outer one comes first. A capture
        grows (`Capture.end` is None) until the text that came decides where it ends; an end-of-text token decides it, too. A rule
        or a part that takes no text is no capture. If a text has several parses, the captures are those of one of them: for each
        rule the first of its productions that fits, and in a production each symbol as long as possible, from left to right. In a
        composition it is the first alternative that fits, and each part or round as long as possible.

        Nothing is tracked before the first call. A call costs what the text has gained since the last one, and one pass over the
        captures.

        Args:
            names: the names of rules; for a composition, names that `ffgrammar.capture` has given; for a JSON Schema, JSON
                pointers into the text, where `*` stands for any key and any index. None for all of them.

        Raises:
            MatcherError: there is no rule or no part of a name, or a name is not a JSON pointer.
            LimitError: a bound of the grammar was reached.
            TypeError: `names` is a single str.
        """
        text, special, ended = self.captured_text()
        return self.capture_reader.captures(text, special, ended, names)

    def capture_events(self, names=None) -> list:
        """How `captures` have changed since the last call with these names, or since the start of the text, as a list of
        `CaptureEvent`.

        First come captures that are withdrawn: by a rollback, or because the text went on in a way that another parse fits. Then
        come those that were opened, and then those that were closed, inner ones first. A capture that was opened and closed
        since the last call has both events. A fork goes on from what its original has reported.

        Args:
            names: as for `captures`.

        Raises:
            MatcherError, LimitError, TypeError: as for `captures`.
        """
        text, special, ended = self.captured_text()
        return self.capture_reader.events(text, special, ended, names)

    def explain(self, data not None=b"", token=None) -> Explanation:
        """What is open here, what is being read and what may follow; and why some bytes or a token may not come.

        The matcher does not move. An explanation reads the text once more, so it costs what accepting the text's bytes costs, and
        some milliseconds. It is about the grammar: a matcher of canonical tokens, or with `max_tokens`, may allow fewer bytes. But
        if a token is asked about, the explanation also says which of these parts of the matcher refuses it.

        Args:
            data: bytes that are tried here. The explanation is of the place after those that fit, and says why the next one is
                refused.
            token: the id of a token, in place of `data`. For an ordinary token its bytes are tried.

        Raises:
            TypeError: `data` is not a bytes-like object, or the token id is no int.
            ValueError: both `data` and `token` are given.
            TokenizerError: there is no such token id.
            LimitError: a bound of the grammar was reached.
        """
        from ffgrammar.engine.explain.explainer import Question, explain

        cdef Matcher plain = Matcher.__new__(Matcher, self.engine)
        cdef bytes more = data if type(data) is bytes else byte_string(data)
        if token is not None:
            if more:
                raise ValueError("explain: give bytes or a token, not both")
            otherwise = self.why_not(token)
            more = self.engine.tokenizer.token_bytes(token)
        else:
            otherwise = ("ended", "the text has ended") if cursor_terminated(&self.cursor) else None
        text, special, ended = self.captured_text()
        self.engine.acquire()
        cursor_free(&plain.cursor)
        cursor_copy(&self.cursor, &plain.cursor)
        self.engine.release()
        plain.capture_reader = self.capture_reader.copy()
        plain.accept_bytes(more)
        question = Question(b"" if ended else more, token, otherwise)
        may_end = plain.is_accepting() and (self.prompt is None or not self.prompt.is_pending())
        return explain(self.engine, text, special, question, plain.captures(), may_end)

    def _repr_html_(self) -> str:
        """Where the matcher is, for notebooks: what `explain` says."""
        return self.explain()._repr_html_()

    cdef tuple why_not(self, token):
        """Why a token is refused although its bytes fit: a reason and a message. None if it is not refused."""
        cdef Py_ssize_t number
        if self.forked().take(token):
            return None
        number = token
        if cursor_terminated(&self.cursor):
            return "ended", "the text has ended"
        if not self.engine.tokenizer.token_bytes(number):
            if self.engine.is_eos(<uint32_t>number):
                return "special token", "the text is no sentence yet, so it may not end"
            return "special token", "no rule of the grammar waits for this special token"
        if self.prompt is not None and self.prompt.is_pending():
            return "prompt", f"the bytes of the prompt that are pending come first: {self.prompt_rest!r}"
        if self.budget is not None:
            return "budget", f"too few of the {self.tokens_left} tokens that are left would remain to complete the text"
        return "canonical", "its bytes fit, but the tokenizer would spell the text with other tokens"

    def is_accepting(self) -> bool:
        """Whether the text so far is a sentence of the grammar, so that an end-of-text token may come. It stays True after an
        end-of-text token was accepted.

        It is False while bytes of the prompt are pending. If tokens must be canonical, it is also False if the tokenizer would
        make other tokens of a text that ends here.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        if self.prompt is not None and self.prompt.is_pending():
            return False
        if self.canonical and not self.is_whole():
            return False
        self.engine.acquire()
        status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = recognizer_accepting(&self.engine.recognizer, &self.cursor.now, NULL)
        self.engine.release()
        return self.checked(status) != 0

    cdef bint is_whole(self) except -1:
        try:
            return self.policy.is_whole(&self.cursor)
        except LimitError as error:
            self.locate(error)
            raise

    def distance(self) -> int:
        """About how many bytes are missing until the text is a sentence; 0 if it is one.

        This is an estimate. It takes no account of the lexing rule, and can be much too large inside a lexeme that must match
        several expressions at once. If you always take the token after which the distance is
        least, the text soon ends. Pending bytes of a prompt count.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        cdef uint32_t length = 0
        self.engine.acquire()
        status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = distance(&self.engine.completability, &self.engine.recognizer, &self.cursor.now, &length)
        self.engine.release()
        self.checked(status)
        return <Py_ssize_t>length + len(self.prompt_rest)

    def is_terminated(self) -> bool:
        """Whether an end-of-text token was accepted. Nothing may follow it: no token is accepted, the mask is all zeros, and
        nothing is forced. `rollback` and `reset` go back to before it."""
        return cursor_terminated(&self.cursor)

    cdef int fill_guided(self, uint32_t* row, size_t count) except? -1:
        try:
            if self.budget is not None:
                return self.budget.fill(&self.cursor, row, count)
            return self.policy.fill(&self.cursor, self.pending(), row, count)
        except LimitError as error:
            self.locate(error)
            raise

    cdef int fill(self, uint32_t* row, size_t count) except? -1:
        cdef StoredMask* mask
        cdef int status
        if self.is_guided():
            return self.fill_guided(row, count)
        mask = NULL if cursor_terminated(&self.cursor) else cursor_known_mask(self.engine, &self.cursor)
        if mask != NULL:
            # a copy takes less time than releasing the GIL and taking it again
            mask_unpack(mask, self.engine.trie.n_words, row, count)
            mask_release(mask)
            return OK
        with nogil:
            status = cursor_fill(self.engine, &self.cursor, row, count, True)
        return status

    def fill_bitmask(self, bitmask, index: int = 0) -> None:
        """Write the tokens that may come next into one row. For many matchers: `ffgrammar.fill_bitmask`.

        An end-of-text token may come where the text so far is a sentence. The row of a terminated matcher is all zeros.

        Args:
            bitmask: int32 [batch, words], C-contiguous, numpy or torch (CPU); words >= ceil(vocab_size / 32). Bit t & 31
                of word t >> 5 is 1 where token t may come next.
            index: the row.

        Raises:
            TypeError: bitmask is no array, or index is no int.
            MatcherError: bitmask has another shape or type, or no such row.
            LimitError: a bound of the grammar was reached.
        """
        cdef BitmaskRows rows
        cdef int status
        rows_open(bitmask, &rows)
        try:
            status = self.fill(rows_at(&rows, clipped_argument("index", index), 1, self.engine.trie.n_words), rows.count)
        finally:
            rows_close(&rows)
        self.checked(status)

    cdef int draft_guided(self, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count) except? -1:
        cdef Matcher ahead = self.forked()
        cdef size_t done = 0
        cdef int status
        while True:
            status = ahead.fill(rows + done * count, count)
            if status < 0:
                return status
            if done == token_count or tokens[done] >= self.engine.trie.vocab_size or not ahead.take(tokens[done]):
                break
            done += 1
        memset(rows + (done + 1) * count, 0xFF, (token_count - done) * count * sizeof(uint32_t))
        return <int>done

    def fill_draft_bitmasks(self, draft_tokens, bitmask, index: int = 0) -> int:
        """Write the masks that speculative decoding needs to verify drafted tokens. The matcher does not move. For many
        matchers: `ffgrammar.fill_draft_bitmasks`.

        Row index + i becomes the mask before draft token i, counted from 0. Row index + k becomes the mask after the last of
        the k tokens. Rows after the first token that is not allowed become all ones: no token drafted there can be kept.

        Args:
            draft_tokens: k token ids. An id that is not of the vocabulary, such as -1, counts as a token that is not allowed.
            bitmask: as for `fill_bitmask`; at least index + k + 1 rows.
            index: the first row.

        Returns:
            How many draft tokens are allowed, one after another. The last row that is a mask is index plus this number.

        Raises:
            TypeError: bitmask is no array, or a token id or index is no int.
            MatcherError: bitmask has another shape or type, or too few rows.
            LimitError: a bound of the grammar was reached.
        """
        cdef BitmaskRows rows
        cdef uint32_t* row
        cdef int status
        cdef Drafted drafted = Drafted(draft_tokens, self.engine.trie.vocab_size)
        rows_open(bitmask, &rows)
        try:
            row = rows_at(&rows, clipped_argument("index", index), drafted.count + 1, self.engine.trie.n_words)
            if self.is_guided():
                status = self.draft_guided(drafted.tokens, drafted.count, row, rows.count)
            else:
                with nogil:
                    status = cursor_draft(self.engine, &self.cursor, drafted.tokens, drafted.count, row, rows.count)
        finally:
            rows_close(&rows)
        return self.checked(status)

    def allowed_token_ids(self):
        """The ids of the tokens that may come next: int32 array of one dimension, ascending. Raises as `fill_bitmask`."""
        import numpy

        mask = numpy.empty((1, self.engine.trie.n_words), dtype=numpy.int32)
        self.fill_bitmask(mask)
        bits = numpy.unpackbits(mask.view(numpy.uint8), bitorder="little")
        return numpy.flatnonzero(bits).astype(numpy.int32)

    def forced_bytes(self) -> bytes:
        """The longest byte string that every sentence of the grammar continues with from here, before any special token. Pending
        bytes of a prompt come first.

        Raises:
            LimitError: the string is longer than the limit `forced_bytes`, or another bound of the grammar was reached.
        """
        if cursor_terminated(&self.cursor):
            return b""
        try:
            return self.forced_text()
        except LimitError as error:
            self.locate(error)
            raise

    cdef bytes forced_text(self):
        cdef Config config
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            config = self.cursor.now
            return self.prompt_rest + forced_bytes(self.engine, &config)
        finally:
            self.engine.release()

    def forced_tokens(self) -> list:
        """The ids of the tokens that must come, whatever the sentence. They are canonical after the accepted tokens.

        If a special token or an end-of-text token is the only token that may come, it is the only forced token. Tokens that
        spell bytes and a special token after them are forced one after the other, by two calls.

        If no sentence goes on canonically after the last accepted token, the first forced token need not fit this token; the
        forced tokens are still canonical among themselves. If the tokenizer's rules are not known (`Tokenizer.canon` is None), an
        encoder stands in for them. Then the forced tokens lie wholly within `forced_bytes()`. The list is empty if one of the
        encoder's tokens begins inside the accepted text and ends inside the forced bytes. If the tokenizer cannot encode, the
        list is empty, too.

        Under `max_tokens` the list ends before the first token after which too few tokens would be left.

        Raises:
            LimitError: they are longer than the limit `forced_bytes`, or another bound of the grammar was reached.
        """
        if cursor_terminated(&self.cursor):
            return []
        try:
            found = self.forced_spelling()
        except LimitError as error:
            self.locate(error)
            raise
        return (found if self.budget is None else self.fitting(found)) or self.only_special()

    cdef list fitting(self, list tokens):
        return tokens[:self.forked().take_all(tokens)]

    cdef list only_special(self):
        cdef size_t words = self.engine.trie.n_words
        cdef uint32_t* row
        cdef uint32_t i
        cdef list found = []
        if not self.engine.tables.rules.token_classes.len and not self.is_accepting():
            return found
        row = <uint32_t*>malloc(words * sizeof(uint32_t))
        if row == NULL:
            raise MemoryError
        try:
            self.checked(self.fill(row, words))
            for i in range(words):
                if row[i] & (row[i] - 1) or (row[i] and found):
                    return []
                if row[i]:
                    found.append(i << 5 | lowest_bit(row[i]))
        finally:
            free(row)
        return [token for token in found if self.engine.trie.offsets[token] == self.engine.trie.offsets[token + 1]]

    cdef list forced_spelling(self):
        if not self.engine.tokenizer.can_encode:
            return []
        if self.policy is None:
            rules = self.engine.tokenizer.canon
            if rules is None:
                return self.forced_by_encoding()
            self.policy = CanonicalPolicy(self.engine, rules)
        return self.policy.forced_tokens(&self.cursor, self.pending())

    cdef list forced_by_encoding(self):
        cdef Config end
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            end = self.cursor.now
            piece = history_piece(&self.cursor.history)
            forced = forced_bytes(self.engine, &end)
            if not forced:
                return []
            starts = boundary_candidates(self.engine, &end, forced)
        finally:
            self.engine.release()
        return common_tokens(self.engine.tokenizer, self.text_bytes[piece:], forced, starts)


cdef bytes byte_string(data):
    """The bytes of a bytes-like object."""
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"data must be bytes or another bytes-like object, not {type(data).__name__}") from None
    if view.itemsize != 1:
        raise ValueError(f"data must be made of bytes, not of elements of {view.itemsize} bytes")
    return bytes(view)


# Another name of `Matcher`, for programs that use it.
CanonicalMatcher = Matcher
