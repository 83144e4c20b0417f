"""A grammar allows any tokens that spell a sentence. But a language model was trained on the tokenizer's own tokens of each
text, and other tokens lead the model astray. So `CanonicalPolicy` lets a token come only if the tokens so far, this
one and perhaps further ones are together what the tokenizer makes of some sentence.

A matcher has a policy if canonical tokens are asked for, if a prompt is to be healed (its pending bytes are spelled by
canonical tokens), or if forced tokens are asked for. The policy keeps the matcher's token history. The searches and masks that
it uses are shared by all matchers of the grammar (caches.pxd).
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.pulse cimport work_done
from ffgrammar.core.status cimport OK
from ffgrammar.engine.canonical.caches cimport caches_of
from ffgrammar.engine.canonical.forced cimport count_tokens, forced_run
from ffgrammar.engine.canonical.pending_prefix cimport PENDING, PendingPrefix, search_start
from ffgrammar.engine.canonical.masks cimport CanonicalMasks
from ffgrammar.engine.canonical.room cimport Room, give_room, take_room
from ffgrammar.engine.canonical.token_history cimport TokenHistory
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.compute cimport begin_work, end_work
from ffgrammar.engine.position.cursor cimport (
    Cursor, cursor_push_empty, cursor_revalidate, cursor_rollback, cursor_snapshot, cursor_take,
    cursor_terminated,
)
from ffgrammar.engine.position.history cimport NO_TOKEN, History, Step, history_last, history_len, history_release
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport FIRST, UNCONSTRAINED, CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sieve cimport Sieve, sieve_after


cdef class CanonicalPolicy:
    """Decides for one matcher which tokens are the tokenizer's own.

    Args:
        engine: the matcher's engine.
        rules: the rules of its tokenizer.
        tokens: the history of the tokens so far. If it is not given, there are no tokens yet.
    """

    def __cinit__(self, Engine engine not None, CanonicalRules rules not None, TokenHistory tokens=None):
        self.engine = engine
        self.rules = rules
        self.caches = caches_of(engine, rules)
        self.lookahead = self.caches.lookahead
        self.tokens = TokenHistory(rules, engine.tokenizer) if tokens is None else tokens

    cdef CanonicalPolicy copy(self):
        return CanonicalPolicy(self.engine, self.rules, self.tokens.copy())

    cdef int enter(self, Cursor* cursor, PendingPrefix pending, Config* config) noexcept nogil:
        cdef int status = cursor_revalidate(self.engine, cursor)
        if status >= 0:
            status = self.lookahead.enter(self.engine, pending)
        if status >= 0:
            config[0] = search_start(&pending, &cursor.now)
        return status

    cdef int begin(self, Cursor* cursor, PendingPrefix pending, Config* config) noexcept nogil:
        # (reading the text again is no part of the work that is bounded)
        cdef int status = self.enter(cursor, pending, config)
        self.before = begin_work(&self.engine.masks, &self.engine.recognizer, self.spent)
        self.began = work_done(&self.engine.recognizer.nodes.pulse)
        return status

    cdef void leave(self) noexcept nogil:
        self.spent += work_done(&self.engine.recognizer.nodes.pulse) - self.began
        end_work(&self.engine.recognizer, &self.before)
        self.engine.release()

    cdef int follow(self, Cursor* cursor, CanonicalState* at, bint* given) except -1:
        """`given` becomes True if no policy has judged the last token: it stands before the text, or an encoder made it of
        bytes."""
        cdef History history
        cdef const Step* last
        cursor_snapshot(self.engine, cursor, &history)
        try:
            self.tokens.follow(&history, at)
            last = history_last(&history)
            given[0] = last == NULL or last.token == <uint32_t>NO_TOKEN
        finally:
            history_release(&history)
        return 0

    cdef int find_state(self, Cursor* cursor, PendingPrefix pending, CanonicalState* at) except -1:
        """If this policy took the last token, some sentence goes on after it. If the last token came as bytes or in a prompt,
        there may be no such sentence. Then the next token need not fit the last one."""
        cdef Config config
        cdef uint32_t token = 0
        cdef bint given
        self.follow(cursor, at, &given)
        if not given or at.last >= <uint32_t>UNCONSTRAINED or cursor_terminated(cursor):
            return 0
        self.engine.acquire()
        try:
            self.engine.checked(self.begin(cursor, pending, &config))
            if self.rules.is_whole(at) and self.engine.checked(self.lookahead.steps.accepting(self.engine, &config)):
                return 0
            if self.engine.checked(count_tokens(self.engine, self.lookahead, &config, at, &token)) == 0:
                at.last = UNCONSTRAINED
        finally:
            self.leave()
        return 0

    cdef int take(self, Cursor* cursor, PendingPrefix pending, uint32_t token) except -1:
        cdef CanonicalState at, before
        cdef size_t steps
        cdef bint is_known
        cdef int status
        self.spent = 0
        self.rules.trie.need_index()
        self.engine.acquire()
        steps = history_len(&cursor.history)
        self.engine.release()
        self.find_state(cursor, pending, &at)
        # (not where the last steps came as bytes, or where find_state wrote another state than that of the history)
        is_known = self.tokens.now.steps == steps and self.tokens.now.at.last == at.last
        if cursor_terminated(cursor):
            return 0
        if self.engine.trie.offsets[token] == self.engine.trie.offsets[token + 1]:
            # (special tokens end a piece of text, as the end of the text does)
            if pending.consumed < pending.count or not self.rules.is_whole(&at):
                return 0
            self.engine.acquire()
            status = cursor_take(self.engine, cursor, token, 0)
            self.engine.release()
            return self.engine.checked(status)
        before = at
        status = self.rules.push(&at, token)
        if status > 0:
            self.engine.acquire()
            status = self.take_bytes(cursor, pending, token, &before, &at)
            self.leave()
        if status > 0 and is_known:
            self.tokens.add(steps + 1, &at)
        return self.engine.checked(status)

    cdef int take_bytes(
        self, Cursor* cursor, PendingPrefix pending, uint32_t token, const CanonicalState* before, const CanonicalState* at
    ) noexcept nogil:
        cdef bint is_in_mask
        cdef Config config
        cdef uint32_t start = self.engine.trie.offsets[token]
        cdef uint32_t count = self.engine.trie.offsets[token + 1] - start
        cdef uint32_t skipped = 0
        cdef int status = self.begin(cursor, pending, &config)
        if status < 0:
            return status
        while skipped < count and config.row == PENDING:
            status = self.lookahead.steps.step(self.engine, &config, self.engine.trie.blob[start + skipped])
            if status <= 0:
                return status
            skipped += 1
        if config.row == PENDING:
            # the whole token lies inside the prompt
            status = self.lookahead.has_canonical_completion(self.engine, &config, at)
            return cursor_push_empty(self.engine, cursor, token) if status > 0 else status
        is_in_mask = (skipped == 0 and self.caches.made_masks is not None
                      and self.caches.made_masks.is_no_loss(self.engine, &config, before, token))
        status = cursor_take(self.engine, cursor, token, skipped)
        if status > 0 and not is_in_mask:
            status = self.lookahead.has_canonical_completion(self.engine, &cursor.now, at)
            if status <= 0:
                cursor_rollback(self.engine, cursor, history_len(&cursor.history) - 1)
        return status

    cdef int fill(self, Cursor* cursor, PendingPrefix pending, uint32_t* row, size_t count) except? -1:
        cdef CanonicalState at
        cdef Config config
        cdef CanonicalMasks masks
        cdef Sieve sieve = None
        cdef Room room
        cdef int status
        if cursor_terminated(cursor):
            memset(row, 0, count * sizeof(uint32_t))
            return OK
        self.spent = 0
        self.find_state(cursor, pending, &at)
        masks = self.caches.masks(self.engine)
        if not at.character.need and not (
                at.last == <uint32_t>FIRST and self.begins_with_few(masks, cursor, pending)):
            sieve = sieve_after(self.rules, &at)
        room = take_room(self.rules)
        self.engine.acquire()
        status = self.begin(cursor, pending, &config)
        if status >= 0:
            status = masks.fill(self.engine, &config, &at, sieve, room, row, count)
        self.leave()
        give_room(self.rules, room)
        return status

    cdef bint begins_with_few(self, CanonicalMasks masks, Cursor* cursor, PendingPrefix pending) except? True:
        cdef Config config
        cdef int status
        self.engine.acquire()
        status = self.begin(cursor, pending, &config)
        if status >= 0:
            status = masks.begins_with_few(self.engine, &config)
        self.leave()
        return self.engine.checked(status)

    cdef bint is_whole(self, Cursor* cursor) except? True:
        cdef CanonicalState at
        self.spent = 0
        self.find_state(cursor, PendingPrefix(NULL, 0, 0), &at)
        return self.rules.is_whole(&at)

    cdef list forced_tokens(self, Cursor* cursor, PendingPrefix pending):
        cdef CanonicalState at
        cdef Config config
        cdef bint given
        self.follow(cursor, &at, &given)
        self.engine.acquire()
        try:
            self.engine.checked(self.enter(cursor, pending, &config))
            # (each token has a bound of its own)
            return forced_run(self.engine, self.lookahead, &config, &at, False)
        finally:
            self.engine.release()
