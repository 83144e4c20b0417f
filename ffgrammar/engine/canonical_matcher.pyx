"""`CanonicalMatcher`: a matcher that also heeds the tokenizer, after a prompt and under a grammar.

A text under a grammar often goes on with another one, the prompt, and the prompt's last token may be one that the tokenizer would
not have made had it known what comes. So the prompt is cut back to the tokens that are its own whatever follows under the
grammar; the rest of its bytes is owed, and the tokens that come first must spell it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from ffgrammar.core.index cimport clipped
from ffgrammar.engine.bitmask cimport Rows, rows_at, rows_close, rows_open
from ffgrammar.engine.canonical cimport masks_of
from ffgrammar.engine.chain cimport Chain
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.forced cimport count_tokens, sole_tokens
from ffgrammar.engine.history cimport NO_TOKEN, History, Step, history_last, history_len, history_release
from ffgrammar.engine.lookahead cimport OWED, lookahead_of
from ffgrammar.engine.machine cimport Config
from ffgrammar.engine.matcher cimport Drafted
from ffgrammar.engine.place cimport place_back, place_copy, place_enter, place_free, place_stay, place_take
from ffgrammar.tokens.canon cimport ANY, CanonChain
from ffgrammar.tokens.ways cimport ways_from

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.coverings import coverings_after, settled_tokens, shared_tokens


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
    """A matcher whose tokens are the tokenizer's own. Made by `Grammar.matcher`, where its arguments are told.

    Attributes:
        canonical: whether only canonical tokens may come after the prompt, too.
        prompt_tokens: the tokens that the matcher goes on from. Of a prompt given as text they may be fewer than its encoding
            has: what is missing of its bytes is `prompt_rest`.

    As `Matcher`, but for this: a token may come only if some sentence of the grammar goes on so that all tokens since the last one
    that was not canonical are as the tokenizer makes them. Bytes accepted without tokens count as the tokens that they
    alone give. `text_bytes` begins after the prompt.
    """

    def __init__(self, engine, canonical, prompt):
        rules = self.engine.tokenizer.rules("a matcher of canonical tokens")
        self.canonical = canonical
        self.chain = Chain(rules, self.engine.tokenizer)
        self.lookahead = lookahead_of(self.engine, rules)
        self.masks = masks_of(self.engine, self.lookahead)
        self.paid = []
        self.prompt_end = b""
        self.prompt_tokens = ()
        if prompt is not None:
            self.set_prompt(prompt)

    cdef int set_prompt(self, object prompt) except -1:
        cdef CanonChain chain
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
                return self.chain.begin_after(self.prompt_tokens)
            before = tuple(ids[:len(ids) - len(self.engine.tokenizer.encode(data))])
        settled, size = settled_tokens(self.chain.rules, data)
        self.keep(before, b"")
        self.keep(settled, b"")
        self.prompt_end = data[size:]
        if self.prompt_end:
            # what any text that goes on leaves of the rest, and then what every sentence does
            chain = CanonChain(self.chain.rules)
            chain.at = self.chain.start
            self.keep(shared_tokens(coverings_after(chain, self.prompt_end)), self.prompt_end)
            self.keep(self.owed_tokens(), self.prompt_end)
        return 0

    cdef int keep(self, tokens, bytes rest) except -1:
        """Add tokens to those that the prompt keeps, as far as they lie inside of `rest`, if that is not empty."""
        cdef list kept = []
        cdef Py_ssize_t size
        cdef Py_ssize_t place = 0
        for token in tokens:
            size = len(self.engine.trie.token_bytes(token))
            if rest and size > len(rest) - place:
                break
            place += size
            kept.append(token)
        self.chain.begin_after(kept)
        self.prompt_tokens = (*self.prompt_tokens, *kept)
        self.prompt_end = rest[place:]
        return 0

    cdef list owed_tokens(self):
        cdef Config config
        cdef uint32_t token = 0
        if not self.prompt_end:
            return []
        self.engine.acquire()
        try:
            self.engine.checked(place_enter(self.engine, &self.place))
            self.engine.checked(self.lookahead.enter(self.engine, self.owing()))
            config = self.config()
            if count_tokens(self.engine, self.lookahead, &config, &self.chain.start, &token) == 0:
                raise TokenizerError("prompt: no sentence of the grammar goes on where it ends")
            return sole_tokens(self.engine, self.lookahead, &config, &self.chain.start, True)
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
        return self.prompt_end[self.paid_bytes():]

    cdef size_t paid_bytes(self):
        return self.paid[-1] if self.paid else 0

    cdef Owed owing(self):
        return Owed(<const uint8_t*>self.prompt_end, <uint32_t>len(self.prompt_end))

    cdef bint is_guided(self):
        return self.canonical or self.paid_bytes() < <size_t>len(self.prompt_end)

    cdef Config config(self):
        """Where it is; with the lock held, and the place entered."""
        cdef Config config = self.place.now
        if self.paid_bytes() < <size_t>len(self.prompt_end):
            config.row = OWED
            config.state = <uint32_t>self.paid_bytes()
        return config

    cdef int where(self, Canon* at) except -1:
        """Where its tokens lead by the tokenizer's rules. If no sentence goes on after the last of them (it was not taken as a
        token here, but came as bytes or in a prompt), it is not held against what follows."""
        cdef History history = self.history()
        cdef bint given
        cdef Config config
        cdef uint32_t token = 0
        cdef const Step* last
        try:
            self.chain.follow(&history, at)
            last = history_last(&history)
            given = last == NULL or last.token == <uint32_t>NO_TOKEN
        finally:
            history_release(&history)
        if not given or at.last >= <uint32_t>ANY or self.place.terminated:
            return 0
        self.engine.acquire()
        try:
            self.engine.checked(place_enter(self.engine, &self.place))
            self.engine.checked(self.lookahead.enter(self.engine, self.owing()))
            config = self.config()
            if self.chain.rules.is_whole(at) and self.engine.checked(self.lookahead.accepting(self.engine, &config)):
                return 0
            if count_tokens(self.engine, self.lookahead, &config, at, &token) == 0:
                at.last = ANY
        finally:
            self.engine.release()
        return 0

    cdef int take_bytes(self, uint32_t token, const Canon* at, Owed owed) noexcept:
        """Whether it may come, with the place moved. `at` is after it. With the lock held."""
        cdef Config config
        cdef uint32_t count = self.engine.trie.offsets[token + 1] - self.engine.trie.offsets[token]
        cdef uint32_t skipped = 0
        cdef int status = place_enter(self.engine, &self.place)
        if status >= 0:
            status = self.lookahead.enter(self.engine, owed)
        if status < 0:
            return status
        config = self.config()
        if config.row == OWED:
            while skipped < count and config.row == OWED:
                status = self.lookahead.step(
                    self.engine, &config, self.engine.trie.blob[self.engine.trie.offsets[token] + skipped])
                if status <= 0:
                    return status
                skipped += 1
            if config.row == OWED:
                status = self.lookahead.leads_on(self.engine, &config, at)
                return place_stay(self.engine, &self.place, token) if status > 0 else status
        status = place_take(self.engine, &self.place, token, skipped)
        if status > 0:
            status = self.lookahead.leads_on(self.engine, &self.place.now, at)
            if status <= 0:
                place_back(self.engine, &self.place, history_len(&self.place.history) - 1)
        return status

    cdef int take_guided(self, uint32_t token) except? -1:
        cdef Canon at
        cdef Owed owed = self.owing()
        cdef size_t paid = self.paid_bytes()
        cdef int status
        self.where(&at)
        if self.place.terminated:
            return 0
        if self.engine.is_eos(token):
            if paid < owed.count or (self.canonical and not self.chain.rules.is_whole(&at)):
                return 0
            self.engine.acquire()
            status = place_take(self.engine, &self.place, token, 0)
            self.engine.release()
            return self.engine.checked(status)
        status = self.chain.rules.push(&at, token)
        if status > 0:
            self.engine.acquire()
            status = self.take_bytes(token, &at, owed)
            self.engine.release()
        if self.engine.checked(status) and paid < owed.count:
            self.paid.append(min(<size_t>owed.count, paid + len(self.engine.trie.token_bytes(token))))
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
        """As `Matcher.accept_bytes`; what is owed of the prompt comes first. (Where the tokens that the bytes alone give are not
        what the tokenizer makes of any sentence, the last of them is not held against what follows.)"""
        cdef bytes text = bytes(memoryview(data))
        cdef bytes owed = self.prompt_rest
        cdef size_t step
        cdef size_t count = 0
        cdef int status
        cdef Py_ssize_t more = 0
        if not owed or self.place.terminated:
            return Matcher.accept_bytes(self, data)
        while count < <size_t>min(len(text), len(owed)) and text[count] == owed[count]:
            count += 1
        if count == 0:
            return 0
        step = self.num_steps
        if count == <size_t>len(owed):
            more = Matcher.accept_bytes(self, text[count:])
        if more == 0:
            self.engine.acquire()
            status = place_stay(self.engine, &self.place, NO_TOKEN)
            self.engine.release()
            self.engine.checked(status)
        self.chain.paid[step] = text[:count]
        self.paid.append(self.paid_bytes() + count)
        return count + more

    def rollback(self, n: int) -> None:
        """As `Matcher.rollback`."""
        Matcher.rollback(self, n)
        del self.paid[self.num_steps:]

    def reset(self) -> None:
        """Back to the end of the prompt."""
        Matcher.reset(self)
        self.paid = []

    def fork(self) -> CanonicalMatcher:
        """As `Matcher.fork`."""
        cdef CanonicalMatcher other = CanonicalMatcher.__new__(CanonicalMatcher, self.engine)
        self.engine.acquire()
        place_free(&other.place)
        place_copy(&self.place, &other.place)
        self.engine.release()
        other.canonical = self.canonical
        other.prompt_tokens = self.prompt_tokens
        other.prompt_end = self.prompt_end
        other.paid = list(self.paid)
        other.lookahead = self.lookahead
        other.masks = self.masks
        other.chain = self.chain.copy()
        return other

    def is_accepting(self) -> bool:
        """Whether the text so far is a sentence of the grammar, and an end of text may come: not while bytes of the prompt are
        owed, nor where other tokens would be canonical if the text ended here."""
        cdef Canon at
        if self.prompt_rest:
            return False
        if self.canonical:
            self.where(&at)
            if not self.chain.rules.is_whole(&at):
                return False
        return Matcher.is_accepting(self)

    def distance(self) -> int:
        """As `Matcher.distance`, from the end of what is there of the prompt."""
        return Matcher.distance(self) + len(self.prompt_rest)

    def forced_bytes(self) -> bytes:
        """As `Matcher.forced_bytes`; what is owed of the prompt comes first."""
        return self.prompt_rest + Matcher.forced_bytes(self)

    cdef int fill_row(self, uint32_t* row, size_t count) except? -1:
        cdef Canon at
        cdef Config config
        cdef bytes successors = None
        cdef list ways
        cdef const uint32_t* beside = NULL
        cdef int status
        if self.place.terminated:
            memset(row, 0, count * sizeof(uint32_t))
            return 0
        self.where(&at)
        if at.last < <uint32_t>ANY and not at.character.need:
            successors = self.chain.rules.successors().find(at.last)
            beside = <const uint32_t*><const char*>successors
        ways = ways_from(self.chain.rules, &at)
        self.engine.acquire()
        status = place_enter(self.engine, &self.place)
        if status >= 0:
            status = self.lookahead.enter(self.engine, self.owing())
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
        cdef Rows rows
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
        cdef Rows rows
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
