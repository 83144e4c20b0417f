"""A `Matcher` follows one text under a grammar: it says which tokens may come next, and moves as they come.

How it moves is in steps.pyx, and what it knows of its text in reading.pyx. Here is what may come next: masks, and tokens that must
come. A mask that is known takes 0.2 to 0.4 us from Python.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.index cimport clipped_argument
from ffgrammar.core.status cimport OK
from ffgrammar.engine.canonical.forced cimport boundary_candidates, common_tokens, forced_bytes
from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_release, mask_unpack
from ffgrammar.engine.matcher.bitmask cimport BitmaskRows, rows_at, rows_close, rows_open
from ffgrammar.engine.matcher.drafted cimport Drafted
from ffgrammar.engine.matcher.steps cimport Steps
from ffgrammar.engine.position.cursor cimport (
    cursor_draft, cursor_fill, cursor_known_mask, cursor_revalidate, cursor_terminated,
)
from ffgrammar.engine.position.history cimport history_piece
from ffgrammar.engine.recognizer.recognizer cimport Config

from ffgrammar.core.errors import LimitError
from ffgrammar.core.whole_imports import import_whole


cdef class Matcher(Reading):
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

    cdef Steps blank(self):
        return Matcher.__new__(Matcher, self.engine)

    cdef int fill_guided(self, uint32_t* row, size_t count) except? -1:
        try:
            if self.budget is not None:
                return self.budget.fill(&self.cursor, row, count)
            return self.policy.fill(&self.cursor, self.pending(), row, count)
        except LimitError as error:
            raise self.located(error)

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
        cdef Matcher ahead = <Matcher>self.forked()
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
        numpy = import_whole("numpy")
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
            raise self.located(error)

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
            raise self.located(error)
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
                    return []  # (more than one token may come)
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


# Another name of `Matcher`, for programs that use it.
CanonicalMatcher = Matcher
