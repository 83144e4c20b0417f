"""Canonicality of a token sequence that grows, after each token, at a cost that does not grow with the text.

    tracker = CanonicalityTracker(tok)
    for token in sampled:
        verdict = tracker.push(token)    # "yes", "no" or "undecided"
    tracker.rollback(2)

Verdicts are those of `is_canonical` with `complete=False`. Three questions give them:

1. Does some text begin with the tokens so far? The rules tell (tokens/canonical/rules.pyx). If none does, the verdict is "no".
2. May other tokens come in the place of the last one if the text goes on? Then the verdict is "undecided". The answer that was
   found last for the same token is tried first, and mostly holds again (tokens/canonical/other_ways.pyx).
3. If no others may, do all coverings of the text begin with the tokens so far? If they do, the verdict is "yes". A search tells
   (tokens/canonical/unsettled.pyx). The search begins after tokens that are known to be settled: those that the last search
   found, or those before the last place where the text is certain to be cut into pre-tokens (tokens/canonical/cuts.pyx).

All that is known after a token is in a struct of 120 bytes, so a rollback only drops structs.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.long cimport PyLong_CheckExact

from ffgrammar.core.utf8 cimport utf8_step
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init
from ffgrammar.tokens.canonical.cuts cimport cuts_begin, cuts_read
from ffgrammar.tokens.canonical.following cimport MAX_AHEAD, can_go_on
from ffgrammar.tokens.canonical.other_ways cimport has_other_way
from ffgrammar.tokens.canonical.rules cimport CanonicalState
from ffgrammar.tokens.canonical.unsettled cimport UnsettledEnd

from operator import index

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.report import is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.normal_form import is_normal, stands_alone, start_of_last_boundary

__all__ = ["CanonicalityTracker"]

cdef enum:
    STEP_WORDS = (sizeof(Step) + 3) // 4
    # When this many tokens are not known to be settled, a search looks for some that are. There is another search each time that
    # the number of these tokens has doubled.
    LONG_END = 16


cdef class CanonicalityTracker:
    """CanonicalityTracker(tok)\n--\n\nWhether the tokens so far are the tokenizer's own, whatever text follows.

    Verdicts are those of `is_canonical` with `complete=False`. A token takes about a microsecond on average. It takes up to some
    hundred microseconds in a situation that is new to the tokenizer. (If no text begins with the tokens so far, and their bytes
    are not UTF-8 or end inside a character, each verdict needs a call of `is_canonical`.) A tracker is for one thread at a time.

    Args:
        tok: the tokenizer; its rules must be known (`Tokenizer.canon`).

    Raises:
        TokenizerError: the tokenizer's rules are not known.
    """

    def __cinit__(self, tok):
        cdef Step step
        vec_init(&self.steps)
        expect("CanonicalityTracker: tok", tok, Tokenizer, "a Tokenizer")
        self.tok = tok
        self.form = tok.normal_form
        self.rules = tok.rules("CanonicalityTracker")
        self.end = UnsettledEnd(self.rules)
        self.rules.begin(&step.at)
        cuts_begin(&step.cuts, 0)
        step.token = step.start = step.settled = 0
        step.found = SETTLED
        if vec_extend(&self.steps, <uint32_t*>&step, STEP_WORDS) < 0:
            raise MemoryError

    def __dealloc__(self):
        vec_free(&self.steps)

    cdef Step* step(self, uint32_t count) noexcept:
        return <Step*>(self.steps.data + <size_t>count * STEP_WORDS)

    cdef uint32_t size(self) noexcept:
        return <uint32_t>(self.steps.len // STEP_WORDS) - 1

    def push(self, token) -> str:
        """Go on with a token. Returns the verdict. Raises TokenizerError if the token is no id of the vocabulary."""
        cdef Step step = self.step(self.size())[0]
        if not (PyLong_CheckExact(token) and 0 <= token < self.rules.trie.vocab_size):
            self.tok.token_bytes(token)
        step.token = token
        if step.found != LOST:
            self.go_on(&step)
        if vec_extend(&self.steps, <uint32_t*>&step, STEP_WORDS) < 0:
            raise MemoryError
        return self.verdict_of(&step)

    cdef int go_on(self, Step* step) except -1:
        cdef CanonicalState before = step.at
        cdef const uint32_t* offsets = self.rules.trie.offsets
        cdef int status
        if offsets[step.token] == offsets[step.token + 1] and self.tok.is_special(step.token):
            return self.separate(step)
        if step.found >= REFUSED:
            self.refuse(step)
            return 0
        status = self.rules.push(&step.at, step.token)
        if status > 0:
            status = can_go_on(self.rules, &step.at, MAX_AHEAD)
        if status < 0:
            raise MemoryError
        if not status or (self.form is not None and not self.keeps_form(step, before.character.need > 0)):
            step.cuts.character = before.character
            self.refuse(step)
            return 0
        cuts_read(self.rules, &step.cuts, step.token, self.size())
        step.settled = max(step.settled, step.cuts.settled)
        step.found = OPEN
        if self.is_settled(step, &before):
            step.found = SETTLED
            step.settled = self.size() + 1
        return 0

    cdef int separate(self, Step* step) except -1:
        # (a text that ends inside a character is not whole by the rules, but its tokens may be the tokenizer's own)
        if step.start < self.size() and not (step.found < LOST and self.rules.is_whole(&step.at)):
            part = self.ids_from(step.start)
            if self.tok.encode(self.tok.decode(part)) != part:
                step.found = LOST
                return 0
        self.rules.begin(&step.at)
        step.start = step.settled = self.size() + 1
        cuts_begin(&step.cuts, step.start)
        step.found = SETTLED
        return 0

    cdef void refuse(self, Step* step) noexcept:
        cdef uint32_t i
        if step.found != NOT_UTF8:
            step.found = REFUSED
            for i in range(self.rules.trie.offsets[step.token], self.rules.trie.offsets[step.token + 1]):
                if not utf8_step(&step.cuts.character, self.rules.trie.blob[i]):
                    step.found = NOT_UTF8
                    break

    cdef str verdict_of(self, const Step* step):
        if step.found == NOT_UTF8 or (step.found == REFUSED and step.cuts.character.need):
            return self.report().verdict
        return "yes" if step.found == SETTLED else "undecided" if step.found == OPEN else "no"

    cdef bint is_settled(self, Step* step, const CanonicalState* before) except -1:
        cdef uint32_t count = self.size() + 1
        cdef uint32_t open = count - step.settled
        cdef int status = has_other_way(self.rules, before, step.token)
        cdef bint settled = False
        if status < 0:
            raise MemoryError
        if not status or (open >= LONG_END and open & (open - 1) == 0):
            self.read_end(step, count)
            settled = not status and self.end.is_only_way(step.token)
            step.settled += self.end.at_least_shared()
        return settled

    cdef int read_end(self, const Step* step, uint32_t count) except -1:
        cdef uint32_t i
        self.end.begin(&self.step(step.settled).at)
        for i in range(step.settled + 1, count):
            self.end.read(self.step(i).token)
        return self.end.read(step.token)

    cdef bint keeps_form(self, const Step* step, bint cut) except -1:
        alone = self.rules.stands_alone.get(step.token)
        if alone is None:
            alone = self.rules.stands_alone[step.token] = stands_alone(self.form, self.tok.token_bytes(step.token))
        return (alone and not cut) or self.end_keeps_form(step)

    cdef bint end_keeps_form(self, const Step* step) except -1:
        cdef uint32_t before = self.size() - step.start
        cdef uint32_t taken = 8
        last = len(self.tok.token_bytes(step.token))
        while True:
            ids = [*self.ids_from(step.start + before - min(before, taken)), step.token]
            # (a character may be cut at either end)
            text = self.tok.decode(ids).decode("utf-8", "ignore")
            boundary = start_of_last_boundary(text[: max(0, len(text) - last - 1)])
            if boundary is not None or taken >= before:
                return is_normal(self.form, text[boundary or 0 :])
            taken *= 4

    cdef list ids_from(self, uint32_t first):
        return [self.step(i + 1).token for i in range(first, self.size())]

    def extend(self, tokens) -> str:
        """Go on with tokens. Returns the verdict after the last."""
        for token in tokens:
            self.push(token)
        return self.verdict

    def rollback(self, n) -> None:
        """Take back the last n tokens. Raises TypeError if n is no integer, and TokenizerError if n is negative or there are
        fewer tokens."""
        n = index(n)
        if not 0 <= n <= self.size():
            raise TokenizerError(f"cannot take back {n} tokens of {self.size()}")
        self.steps.len -= <size_t>n * STEP_WORDS

    @property
    def tokens(self) -> tuple:
        """The tokens so far."""
        return tuple(self.ids_from(0))

    @property
    def verdict(self) -> str:
        """The verdict, as in a `CanonicalityReport`: "yes", "no" or "undecided"."""
        return self.verdict_of(self.step(self.size()))

    @property
    def undecided(self) -> int:
        """How many tokens at the end can still change if more text follows. It means nothing if the verdict is "no"."""
        cdef uint32_t count = self.size()
        cdef Step* step = self.step(count)
        if step.found >= LOST:
            return max(0, count - self.report().settled)
        if step.found == SETTLED:
            return 0
        self.read_end(step, count)
        return count - step.settled - self.end.shared()

    def report(self):
        """The full report: the tokens that the tokenizer itself writes, and where the tokens so far differ from them. It costs as
        much as encoding the whole text."""
        return is_canonical(self.tok, self.ids_from(0), complete=False)
