"""`CanonicalMatcher`: a matcher that also heeds the tokenizer, after a prompt and under a grammar.

A text under a grammar often goes on with another one, the prompt, and the prompt's last token may be one that the tokenizer would
not have made had it known what comes. So the prompt is cut back to the tokens that are its own whatever follows under the
grammar; the rest of its bytes is pending, and the tokens that come first must spell it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from ffgrammar.core.index cimport clipped
from ffgrammar.engine.matcher.bitmask cimport BitmaskRows, rows_at, rows_close, rows_open
from ffgrammar.engine.canonical.masks cimport masks_of
from ffgrammar.engine.canonical.token_history cimport TokenHistory
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.canonical.forced cimport count_tokens, forced_run
from ffgrammar.engine.position.history cimport NO_TOKEN, History, Step, history_last, history_len, history_release
from ffgrammar.engine.canonical.lookahead cimport PENDING, lookahead_of
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.matcher.matcher cimport Drafted
from ffgrammar.engine.position.cursor cimport (
    cursor_rollback, cursor_copy, cursor_revalidate, cursor_free, cursor_push_empty, cursor_take,
)
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, CanonicalSequence
from ffgrammar.tokens.canonical.transitions cimport transitions_from

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import coverings_after, settled_tokens, shared_tokens


cdef list token_ids(Engine engine, object prompt):
    """The ids of a prompt, checked."""
    cdef list found = []
    try:
        for token in prompt:
            engine.trie.token_bytes(token)
            found.append(int(token))
    except TypeError:
        raise TokenizerError(f"prompt: expected str, bytes or token ids, not {type(prompt).__name__}") from None
    return found


def is_text(bytes data):
    """Whether bytes are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


cdef class CanonicalMatcher(Matcher):
    """CanonicalMatcher(engine, canonical, prompt)\n--\n\nA matcher whose tokens are the tokenizer's own. Made by
    `Grammar.matcher`, where its arguments are told.

    Attributes:
        canonical: whether only canonical tokens may come after the prompt, too.
        prompt_tokens: the tokens that the matcher goes on from. Of a prompt given as text they may be fewer than its encoding
            has: what is missing of its bytes is `prompt_rest`.

    As `Matcher`, but for this: a token may come only if some sentence of the grammar goes on so that all tokens since the last
    one that was not canonical are as the tokenizer makes them. Bytes accepted without tokens count as the tokens that they alone
    give. `text_bytes` begins after the prompt.
    """

    def __init__(self, engine, canonical, prompt):
        rules = self.engine.tokenizer.rules("a matcher of canonical tokens")
        self.canonical = canonical
        self.token_history = TokenHistory(rules, self.engine.tokenizer)
        self.lookahead = lookahead_of(self.engine, rules)
        self.masks = masks_of(self.engine, self.lookahead)
        self.consumed = []
        self.prompt_end = b""
        self.prompt_tokens = ()
        if prompt is not None:
            self.set_prompt(prompt)

    cdef int set_prompt(self, object prompt) except -1:
        cdef CanonicalSequence token_history
        cdef tuple before = ()
        cdef list ids
        if isinstance(prompt, str):
            data = prompt.encode("utf-8", "surrogatepass")
        elif isinstance(prompt, (bytes, bytearray, memoryview)):
            data = bytes(prompt)
        else:
            ids = token_ids(self.engine, prompt)
            data = self.text_after_special(ids)
            if data is None:
                # tokens that are not canonical cannot be cut back
                self.prompt_tokens = tuple(ids)
                return self.token_history.begin_after(self.prompt_tokens)
            before = tuple(ids[:len(ids) - len(self.engine.tokenizer.encode(data))])
        settled, size = settled_tokens(self.token_history.rules, data)
        self.keep(before, b"")
        self.keep(settled, b"")
        self.prompt_end = data[size:]
        if self.prompt_end:
            # what any text that goes on leaves of the rest, and then what every sentence does
            token_history = CanonicalSequence(self.token_history.rules)
            token_history.at = self.token_history.start
            self.keep(shared_tokens(coverings_after(token_history, self.prompt_end)), self.prompt_end)
            self.keep(self.pending_tokens(), self.prompt_end)
        return 0

    cdef int keep(self, tokens, bytes rest) except -1:
        """Add tokens to those that the prompt keeps, as far as they lie inside of `rest`, if that is not empty."""
        cdef list kept = []
        cdef Py_ssize_t size
        cdef Py_ssize_t cursor = 0
        for token in tokens:
            size = len(self.engine.trie.token_bytes(token))
            if rest and size > len(rest) - cursor:
                break
            cursor += size
            kept.append(token)
        self.token_history.begin_after(kept)
        self.prompt_tokens = (*self.prompt_tokens, *kept)
        self.prompt_end = rest[cursor:]
        return 0

    cdef list pending_tokens(self):
        cdef Config config
        cdef uint32_t token = 0
        if not self.prompt_end:
            return []
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            self.engine.checked(self.lookahead.enter(self.engine, self.pending_prefix()))
            config = self.config()
            if count_tokens(self.engine, self.lookahead, &config, &self.token_history.start, &token) == 0:
                raise TokenizerError("prompt: no sentence of the grammar goes on where it ends")
            return forced_run(self.engine, self.lookahead, &config, &self.token_history.start, True)
        finally:
            self.engine.release()

    cdef object text_after_special(self, list ids):
        """The text of the tokens after the last special one, if these are the tokenizer's own; else None."""
        cdef object tokenizer = self.engine.tokenizer
        start = len(ids)
        while start and self.engine.trie.token_bytes(ids[start - 1]):
            start -= 1
        data = tokenizer.decode(ids[start:])
        return data if tokenizer.encode(data) == ids[start:] and is_text(data) else None

    @property
    def prompt_rest(self) -> bytes:
        """The bytes of the prompt that no token has spelled yet."""
        return self.prompt_end[self.consumed_bytes():]

    cdef size_t consumed_bytes(self):
        return self.consumed[-1] if self.consumed else 0

    cdef PendingPrefix pending_prefix(self):
        return PendingPrefix(<const uint8_t*>self.prompt_end, <uint32_t>len(self.prompt_end))

    cdef bint is_guided(self):
        return self.canonical or self.consumed_bytes() < <size_t>len(self.prompt_end)

    cdef Config config(self):
        """Where it is; with the lock held, and the place entered."""
        cdef Config config = self.cursor.now
        if self.consumed_bytes() < <size_t>len(self.prompt_end):
            config.row = PENDING
            config.state = <uint32_t>self.consumed_bytes()
        return config

    cdef int where(self, CanonicalState* at) except -1:
        """Where its tokens lead by the tokenizer's rules. If no sentence goes on after the last of them (it was not taken as a
        token here, but came as bytes or in a prompt), it is not held against what follows."""
        cdef History history = self.history()
        cdef bint given
        cdef Config config
        cdef uint32_t token = 0
        cdef const Step* last
        try:
            self.token_history.follow(&history, at)
            last = history_last(&history)
            given = last == NULL or last.token == <uint32_t>NO_TOKEN
        finally:
            history_release(&history)
        if not given or at.last >= <uint32_t>UNCONSTRAINED or self.cursor.terminated:
            return 0
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, &self.cursor))
            self.engine.checked(self.lookahead.enter(self.engine, self.pending_prefix()))
            config = self.config()
            if self.token_history.rules.is_whole(at) and self.engine.checked(self.lookahead.accepting(self.engine, &config)):
                return 0
            if count_tokens(self.engine, self.lookahead, &config, at, &token) == 0:
                at.last = UNCONSTRAINED
        finally:
            self.engine.release()
        return 0

    cdef int take_bytes(self, uint32_t token, const CanonicalState* at, PendingPrefix pending) noexcept:
        """Whether it may come, with the place moved. `at` is after it. With the lock held."""
        cdef Config config
        cdef uint32_t count = self.engine.trie.offsets[token + 1] - self.engine.trie.offsets[token]
        cdef uint32_t skipped = 0
        cdef int status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = self.lookahead.enter(self.engine, pending)
        if status < 0:
            return status
        config = self.config()
        if config.row == PENDING:
            while skipped < count and config.row == PENDING:
                status = self.lookahead.step(
                    self.engine, &config, self.engine.trie.blob[self.engine.trie.offsets[token] + skipped])
                if status <= 0:
                    return status
                skipped += 1
            if config.row == PENDING:
                status = self.lookahead.has_canonical_completion(self.engine, &config, at)
                return cursor_push_empty(self.engine, &self.cursor, token) if status > 0 else status
        status = cursor_take(self.engine, &self.cursor, token, skipped)
        if status > 0:
            status = self.lookahead.has_canonical_completion(self.engine, &self.cursor.now, at)
            if status <= 0:
                cursor_rollback(self.engine, &self.cursor, history_len(&self.cursor.history) - 1)
        return status

    cdef int take_guided(self, uint32_t token) except? -1:
        cdef CanonicalState at
        cdef PendingPrefix pending = self.pending_prefix()
        cdef size_t consumed = self.consumed_bytes()
        cdef int status
        self.where(&at)
        if self.cursor.terminated:
            return 0
        if self.engine.is_eos(token):
            if consumed < pending.count or (self.canonical and not self.token_history.rules.is_whole(&at)):
                return 0
            self.engine.acquire()
            status = cursor_take(self.engine, &self.cursor, token, 0)
            self.engine.release()
            return self.engine.checked(status)
        status = self.token_history.rules.push(&at, token)
        if status > 0:
            self.engine.acquire()
            status = self.take_bytes(token, &at, pending)
            self.engine.release()
        if self.engine.checked(status) and consumed < pending.count:
            self.consumed.append(min(<size_t>pending.count, consumed + len(self.engine.trie.token_bytes(token))))
        return status

    def accept_token(self, token) -> bool:
        """As `Matcher.accept_token`."""
        cdef Py_ssize_t number = clipped(token)
        if not self.is_guided():
            return Matcher.accept_token(self, token)
        if number < 0 or number >= <Py_ssize_t>self.engine.trie.vocab_size:
            raise TokenizerError(f"token id {token} is not in 0..{self.engine.trie.vocab_size - 1}")
        return self.take_guided(<uint32_t>number) != 0

    def accept_tokens(self, ids) -> int:
        """As `Matcher.accept_tokens`."""
        cdef Py_ssize_t accepted = 0
        for token in ids:
            if not self.accept_token(token):
                break
            accepted += 1
        return accepted

    def validate_tokens(self, ids) -> int:
        """As `Matcher.validate_tokens`."""
        return self.fork().accept_tokens(ids)

    def accept_bytes(self, data not None) -> int:
        """As `Matcher.accept_bytes`; what is pending of the prompt comes first. (Where the tokens that the bytes alone give are
        not what the tokenizer makes of any sentence, the last of them is not held against what follows.)"""
        cdef bytes text = bytes(memoryview(data))
        cdef bytes pending = self.prompt_rest
        cdef size_t step
        cdef size_t count = 0
        cdef int status
        cdef Py_ssize_t more = 0
        if not pending or self.cursor.terminated:
            return Matcher.accept_bytes(self, data)
        while count < <size_t>min(len(text), len(pending)) and text[count] == pending[count]:
            count += 1
        if count == 0:
            return 0
        step = self.num_steps
        if count == <size_t>len(pending):
            more = Matcher.accept_bytes(self, text[count:])
        if more == 0:
            self.engine.acquire()
            status = cursor_push_empty(self.engine, &self.cursor, NO_TOKEN)
            self.engine.release()
            self.engine.checked(status)
        self.token_history.consumed[step] = text[:count]
        self.consumed.append(self.consumed_bytes() + count)
        return count + more

    def rollback(self, n: int) -> None:
        """As `Matcher.rollback`."""
        Matcher.rollback(self, n)
        del self.consumed[self.num_steps:]

    def reset(self) -> None:
        """Back to the end of the prompt."""
        Matcher.reset(self)
        self.consumed = []

    def fork(self) -> CanonicalMatcher:
        """As `Matcher.fork`."""
        cdef CanonicalMatcher other = CanonicalMatcher.__new__(CanonicalMatcher, self.engine)
        self.engine.acquire()
        cursor_free(&other.cursor)
        cursor_copy(&self.cursor, &other.cursor)
        self.engine.release()
        other.canonical = self.canonical
        other.prompt_tokens = self.prompt_tokens
        other.prompt_end = self.prompt_end
        other.consumed = list(self.consumed)
        other.lookahead = self.lookahead
        other.masks = self.masks
        other.token_history = self.token_history.copy()
        return other

    def is_accepting(self) -> bool:
        """Whether the text so far is a sentence of the grammar, and an end of text may come: not while bytes of the prompt are
        pending, nor where other tokens would be canonical if the text ended here."""
        cdef CanonicalState at
        if self.prompt_rest:
            return False
        if self.canonical:
            self.where(&at)
            if not self.token_history.rules.is_whole(&at):
                return False
        return Matcher.is_accepting(self)

    def distance(self) -> int:
        """As `Matcher.distance`, from the end of what is there of the prompt."""
        return Matcher.distance(self) + len(self.prompt_rest)

    def forced_bytes(self) -> bytes:
        """As `Matcher.forced_bytes`; what is pending of the prompt comes first."""
        return self.prompt_rest + Matcher.forced_bytes(self)

    cdef int fill_row(self, uint32_t* row, size_t count) except? -1:
        cdef CanonicalState at
        cdef Config config
        cdef bytes successors = None
        cdef list ways
        cdef const uint32_t* beside = NULL
        cdef int status
        if self.cursor.terminated:
            memset(row, 0, count * sizeof(uint32_t))
            return 0
        self.where(&at)
        if at.last < <uint32_t>UNCONSTRAINED and not at.character.need:
            successors = self.token_history.rules.successors().find(at.last)
            beside = <const uint32_t*><const char*>successors
        ways = transitions_from(self.token_history.rules, &at)
        self.engine.acquire()
        status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = self.lookahead.enter(self.engine, self.pending_prefix())
        if status >= 0:
            config = self.config()
            status = self.masks.fill(self.engine, &config, &at, ways, beside, row, count)
        self.engine.release()
        return status

    cdef int fill_rows(self, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count) except? -1:
        cdef CanonicalMatcher ahead = self.fork()
        cdef size_t done = 0
        cdef int status
        while True:
            status = ahead.fill_row(rows + done * count, count)
            if status < 0:
                return status
            if done == token_count or tokens[done] >= self.engine.trie.vocab_size:
                break
            if not ahead.accept_token(tokens[done]):
                break
            done += 1
        memset(rows + (done + 1) * count, 0xFF, (token_count - done) * count * sizeof(uint32_t))
        return <int>done

    def fill_bitmask(self, bitmask, index: int = 0) -> None:
        """As `Matcher.fill_bitmask`."""
        cdef BitmaskRows rows
        cdef int status
        if not self.is_guided():
            Matcher.fill_bitmask(self, bitmask, index)
            return
        rows_open(bitmask, &rows)
        try:
            status = self.fill_row(rows_at(&rows, clipped(index), 1, self.engine.trie.n_words), rows.count)
        finally:
            rows_close(&rows)
        self.engine.checked(status)

    def fill_draft_bitmasks(self, draft_tokens, bitmask, index: int = 0) -> int:
        """As `Matcher.fill_draft_bitmasks`."""
        cdef BitmaskRows rows
        cdef uint32_t* row
        cdef int status
        cdef Drafted drafted = Drafted(draft_tokens, self.engine.trie.vocab_size)
        rows_open(bitmask, &rows)
        try:
            row = rows_at(&rows, clipped(index), drafted.count + 1, self.engine.trie.n_words)
            status = self.fill_rows(drafted.tokens, drafted.count, row, rows.count)
        finally:
            rows_close(&rows)
        return self.engine.checked(status)
