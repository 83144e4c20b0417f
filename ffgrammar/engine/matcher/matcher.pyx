"""`Matcher`: one generation under a grammar."""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ffgrammar.core.index cimport clipped
from ffgrammar.core.status cimport OK
from ffgrammar.engine.matcher.bitmask cimport BitmaskRows, rows_at, rows_close, rows_open
from ffgrammar.engine.canonical.token_history cimport TokenHistory
from ffgrammar.engine.canonical.forced cimport common_tokens, forced_bytes, boundary_candidates, forced_run
from ffgrammar.engine.position.history cimport (
    EOS_STEP, MAX_TEXT, NO_TOKEN, History, history_bytes, history_len, history_release, history_share, history_text,
    history_tokens,
)
from ffgrammar.engine.canonical.lookahead cimport Lookahead, PendingPrefix, lookahead_of
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting
from ffgrammar.engine.position.cursor cimport (
    cursor_rollback, cursor_copy, cursor_draft, cursor_revalidate, cursor_fill, cursor_first, cursor_free, cursor_known_mask,
    cursor_read, cursor_take,
)
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_release, mask_unpack
from ffgrammar.engine.recognizer.completability cimport distance

from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules

from ffgrammar.core.errors import MatcherError, TokenizerError


cdef class Drafted:
    """The ids of drafted tokens; those that are no token are NO_TOKEN."""

    def __cinit__(self, tokens, uint32_t vocab_size):
        cdef Py_ssize_t token
        cdef list listed = list(tokens)
        self.count = len(listed)
        self.tokens = <uint32_t*>malloc((self.count or 1) * sizeof(uint32_t))
        if self.tokens == NULL:
            raise MemoryError
        for i, number in enumerate(listed):
            token = clipped(number)
            self.tokens[<size_t>i] = <uint32_t>token if 0 <= token < <Py_ssize_t>vocab_size else <uint32_t>NO_TOKEN

    def __dealloc__(self):
        free(self.tokens)


cdef class Matcher:
    """Matcher(engine)\n--\n\nFollows one text under a grammar. Matchers of one grammar may run in different threads. What one
    does when it is moved and asked by several threads at a time is not defined, except that nothing else is harmed.

    A step is an accepted token, or one call of accept_bytes that accepted something; rollback counts steps.
    """

    def __cinit__(self, Engine engine not None, *_):
        self.engine = engine
        engine.acquire()
        cursor_first(engine, &self.cursor)
        engine.release()

    def __dealloc__(self):
        cursor_free(&self.cursor)

    cdef int take(self, Cursor* cursor, object token) except -1:
        cdef Py_ssize_t number = clipped(token)
        cdef int status
        if number < 0 or number >= <Py_ssize_t>self.engine.trie.vocab_size:
            raise TokenizerError(f"token id {token} is not in 0..{self.engine.trie.vocab_size - 1}")
        self.engine.acquire()
        status = cursor_take(self.engine, cursor, <uint32_t>number, 0)
        self.engine.release()
        return self.engine.checked(status)

    cdef History history(self):
        """What it is now; to be released. Can be read without the lock."""
        cdef History history
        self.engine.acquire()
        history_share(&self.cursor.history, &history)
        self.engine.release()
        return history

    def accept_token(self, token) -> bool:
        """Move by one token; False leaves the matcher as it was.

        Raises:
            TokenizerError: no such token id.
            LimitError: a bound of the grammar was reached.
        """
        return self.take(&self.cursor, token) != 0

    def accept_tokens(self, ids) -> int:
        """Move by tokens up to the first that is not accepted; returns how many were.

        Raises:
            TokenizerError, LimitError: as for accept_token; the tokens before are accepted.
        """
        cdef Py_ssize_t accepted = 0
        for token in ids:
            if not self.take(&self.cursor, token):
                break
            accepted += 1
        return accepted

    def accept_bytes(self, data not None) -> int:
        """Move by bytes up to the first that is not possible; returns how many were accepted (one step, if any).

        Raises:
            MatcherError: the text would be longer than 2 GiB.
            LimitError: a bound of the grammar was reached.
        """
        cdef const uint8_t[::1] view = data
        cdef int status = OK
        if view.shape[0] == 0 or self.cursor.terminated:
            return 0
        self.engine.acquire()
        if <size_t>view.shape[0] <= <size_t>MAX_TEXT - history_bytes(&self.cursor.history):
            status = cursor_read(self.engine, &self.cursor, &view[0], <uint32_t>view.shape[0])
            self.engine.release()
            return self.engine.checked(status)
        self.engine.release()
        raise MatcherError("a text is at most 2 GiB")

    def validate_tokens(self, ids) -> int:
        """How many of the tokens would be accepted one after another; the matcher does not move.

        Raises:
            TokenizerError, LimitError: as for accept_token.
        """
        cdef Cursor ahead
        cdef Py_ssize_t accepted = 0
        self.engine.acquire()
        cursor_copy(&self.cursor, &ahead)
        self.engine.release()
        try:
            for token in ids:
                if not self.take(&ahead, token):
                    break
                accepted += 1
        finally:
            cursor_free(&ahead)
        return accepted

    def rollback(self, n: int) -> None:
        """Take back the last n steps.

        Raises:
            MatcherError: there are fewer.
        """
        cdef Py_ssize_t count = clipped(n)
        cdef size_t steps
        self.engine.acquire()
        steps = history_len(&self.cursor.history)
        if 0 <= count and <size_t>count <= steps:
            cursor_rollback(self.engine, &self.cursor, steps - <size_t>count)
            self.engine.release()
            if self.token_history is not None:
                self.token_history.cut(steps - <size_t>count)
        else:
            self.engine.release()
            raise MatcherError(f"cannot roll back {n} steps: {steps} were made")

    def reset(self) -> None:
        """Back to the empty text."""
        self.engine.acquire()
        cursor_rollback(self.engine, &self.cursor, 0)
        self.engine.release()
        if self.token_history is not None:
            self.token_history.cut(0)

    def fork(self) -> Matcher:
        """An independent matcher at the same place. What was accepted so far is not copied but shared."""
        cdef Matcher other = Matcher.__new__(Matcher, self.engine)
        self.engine.acquire()
        cursor_free(&other.cursor)
        cursor_copy(&self.cursor, &other.cursor)
        self.engine.release()
        if self.token_history is not None:
            other.token_history = self.token_history.copy()
        return other

    @property
    def num_steps(self) -> int:
        """How many steps rollback can take back."""
        cdef size_t steps
        self.engine.acquire()
        steps = history_len(&self.cursor.history)
        self.engine.release()
        return steps

    @property
    def text_bytes(self) -> bytes:
        """The accepted text."""
        cdef History history = self.history()
        try:
            text = PyBytes_FromStringAndSize(NULL, history_bytes(&history))
            history_text(&history, <uint8_t*>PyBytes_AS_STRING(text))
        finally:
            history_release(&history)
        return text

    def tokens(self) -> list:
        """The steps so far: token ids, None where bytes came without a token."""
        cdef History history = self.history()
        cdef size_t count = history_len(&history)
        cdef size_t i
        cdef uint32_t* tokens = <uint32_t*>malloc((count or 1) * sizeof(uint32_t))
        try:
            if tokens == NULL:
                raise MemoryError
            history_tokens(&history, tokens)
            return [
                None if tokens[i] == <uint32_t>NO_TOKEN else tokens[i] & ~<uint32_t>EOS_STEP
                for i in range(count)
            ]
        finally:
            free(tokens)
            history_release(&history)

    def is_accepting(self) -> bool:
        """Whether the text so far is a sentence of the grammar.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        self.engine.acquire()
        status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = recognizer_accepting(&self.engine.recognizer, &self.cursor.now)
        self.engine.release()
        return self.engine.checked(status) != 0

    def distance(self) -> int:
        """About how many bytes are missing for a sentence: 0 for a sentence, else an estimate that takes no account of
        the lexing rule (and is large where only a lexeme's end can tell). Following the least one soon ends
        a text.

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
        self.engine.checked(status)
        return length

    def is_terminated(self) -> bool:
        """Whether an end-of-sequence token was accepted; nothing may follow it."""
        return bool(self.cursor.terminated)

    def fill_bitmask(self, bitmask, index: int = 0) -> None:
        """Write the tokens that may come next into one row. For many matchers: `ffgrammar.fill_bitmask`.

        Args:
            bitmask: int32 [batch, words], C-contiguous, numpy or torch (CPU); words >= ceil(vocab_size / 32). Bit t & 31
                of word t >> 5 is 1 where token t may come next.
            index: the row.

        Raises:
            MatcherError: bitmask has another shape or type.
            LimitError: a bound of the grammar was reached.
        """
        cdef BitmaskRows rows
        cdef StoredMask* mask
        cdef uint32_t* row
        cdef int status = OK
        rows_open(bitmask, &rows)
        try:
            row = rows_at(&rows, clipped(index), 1, self.engine.trie.n_words)
            mask = NULL if self.cursor.terminated else cursor_known_mask(self.engine, &self.cursor)
            if mask != NULL:
                # less work than it would be to let go of the GIL and to get it back
                mask_unpack(mask, self.engine.trie.n_words, row, rows.count)
                mask_release(mask)
            else:
                with nogil:
                    status = cursor_fill(self.engine, &self.cursor, row, rows.count, True)
        finally:
            rows_close(&rows)
        self.engine.checked(status)

    def fill_draft_bitmasks(self, draft_tokens, bitmask, index: int = 0) -> int:
        """Write the masks that speculative decoding needs to verify drafted tokens. The matcher does not move. For many
        matchers: `ffgrammar.fill_draft_bitmasks`.

        Args:
            draft_tokens: k token ids. One that is not of the vocabulary, as -1, is a token that is not allowed.
            bitmask: as for fill_bitmask; at least index + k + 1 rows.
            index: the first row.

        Row index + i becomes the mask before draft token i, which is the one after the tokens before it; row index + k
        the mask after the last. Rows after a token that is not allowed allow everything: nothing there can be kept.

        Returns:
            How many draft tokens are allowed, one after another: the last row that is a mask is index plus that.

        Raises:
            MatcherError: bitmask has another shape or type, or too few rows.
            LimitError: a bound of the grammar was reached.
        """
        cdef BitmaskRows rows
        cdef uint32_t* row
        cdef int status
        cdef Drafted drafted = Drafted(draft_tokens, self.engine.trie.vocab_size)
        rows_open(bitmask, &rows)
        try:
            row = rows_at(&rows, clipped(index), drafted.count + 1, self.engine.trie.n_words)
            with nogil:
                status = cursor_draft(self.engine, &self.cursor, drafted.tokens, drafted.count, row, rows.count)
        finally:
            rows_close(&rows)
        return self.engine.checked(status)

    def allowed_token_ids(self):
        """The ids of the tokens that may come next: int32 array of one dimension, ascending. Raises as fill_bitmask."""
        import numpy

        mask = numpy.empty((1, self.engine.trie.n_words), dtype=numpy.int32)
        self.fill_bitmask(mask)
        bits = numpy.unpackbits(mask.view(numpy.uint8), bitorder="little")
        return numpy.flatnonzero(bits).astype(numpy.int32)

    def forced_bytes(self) -> bytes:
        """The longest byte string that every sentence of the grammar continues with from here.

        Raises:
            LimitError: it is longer than `forced_bytes`.
        """
        cdef Config config
        if self.cursor.terminated:
            return b""
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            config = self.cursor.now
            return forced_bytes(self.engine, &config)
        finally:
            self.engine.release()

    cdef TokenHistory token_history_of(self, CanonicalRules rules):
        """Where its tokens lead by these rules."""
        if self.token_history is None:
            self.token_history = TokenHistory(rules, self.engine.tokenizer)
        return self.token_history

    cdef Config config(self):
        """Where it is; with the lock held, and the place entered."""
        return self.cursor.now

    cdef PendingPrefix pending_prefix(self):
        """What is to come before the text under the grammar begins."""
        return PendingPrefix(NULL, 0)

    def forced_tokens(self) -> list:
        """The tokens that must come, whatever the sentence: canonical after the accepted tokens.

        After tokens that no sentence has, what is forced is what is forced if the last of them is not held against it. Where the
        tokenizer's rules are not known (`Tokenizer.canon`) an encoder has to do: then these are tokens of the forced bytes
        only, and none where they would begin inside the accepted text. Empty where the tokenizer cannot encode.

        Raises:
            LimitError: they are longer than `forced_bytes`, or another bound of the grammar was reached.
        """
        cdef Config config
        cdef CanonicalState at
        cdef Lookahead lookahead
        cdef CanonicalRules rules
        cdef History history
        if self.cursor.terminated or not self.engine.tokenizer.can_encode:
            return []
        rules = self.engine.tokenizer.canon
        if rules is None:
            return self.forced_by_encoding()
        lookahead = lookahead_of(self.engine, rules)
        history = self.history()
        try:
            self.token_history_of(rules).follow(&history, &at)
        finally:
            history_release(&history)
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            self.engine.checked(lookahead.enter(self.engine, self.pending_prefix()))
            config = self.config()
            return forced_run(self.engine, lookahead, &config, &at, False)
        finally:
            self.engine.release()

    cdef list forced_by_encoding(self):
        cdef Config end
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            end = self.cursor.now
            forced = forced_bytes(self.engine, &end)
            if not forced:
                return []
            places = boundary_candidates(self.engine, &end, forced)
        finally:
            self.engine.release()
        return common_tokens(self.engine.tokenizer, self.text_bytes, forced, places)
