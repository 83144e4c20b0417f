"""The masks of a batch whose rows are known by their token histories alone.

Libraries that run models hand a batch's token ids to a callback, and do not say what has happened to its rows: beam
search puts them in another order and copies some, speculation takes tokens back, rows leave the batch. A `BatchState`
finds out. For each row it looks for the row of the last call whose tokens agree for longest, and moves that row's
matcher: it forks the matcher if several rows want it, takes back what differs, and accepts what is new.

All tokens are compared in every call, so the answers depend on the histories alone. A comparison is one pass over
memory, and takes microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.api.bitmask import allocate_bitmask, bitmask_of
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError, TokenizerError
from ffgrammar.core.prefixes import common_size
from ffgrammar.engine.matcher.batch import fill_bitmask
from ffgrammar.engine.matcher.matcher import Matcher

__all__ = ["BatchState"]


class _Row:
    """A row of the batch.

    Attributes:
        source: the number of the row's grammar.
        matcher: its matcher; None without a grammar.
        history: the tokens of its text.
        accepted: how many of these the matcher has accepted. They are fewer than all if the text has ended, or if a
            token was refused.
    """

    __slots__ = ("accepted", "history", "matcher", "source")

    def __init__(self, source: int, matcher: Matcher | None, history: list[int], accepted: int) -> None:
        self.source = source
        self.matcher = matcher
        self.history = history
        self.accepted = accepted

    def fork(self) -> _Row:
        matcher = None if self.matcher is None else self.matcher.fork()
        return _Row(self.source, matcher, self.history.copy(), self.accepted)

    def cut(self, length: int) -> None:
        """Take back all tokens but the first `length`."""
        if self.accepted > length:
            if self.matcher is not None:
                self.matcher.rollback(self.accepted - length)
            self.accepted = length
        del self.history[length:]

    def extend(self, tokens: list[int]) -> None:
        """Move along further tokens, up to the end of the text or to the first that is refused."""
        is_current = self.accepted == len(self.history)
        self.history += tokens
        if self.matcher is None:
            self.accepted = len(self.history)
        elif is_current:
            for token in tokens:
                if not self._accept(token):
                    break
                self.accepted += 1

    def _accept(self, token: int) -> bool:
        assert self.matcher is not None
        try:
            return not self.matcher.is_terminated() and self.matcher.accept_token(token)
        except TokenizerError:  # there is no such token
            return False

    def has_refused(self) -> bool:
        return self.accepted < len(self.history) and self.matcher is not None and not self.matcher.is_terminated()


class BatchState:
    """The masks of a batch whose rows are known by their token histories.

    One state serves one batch from its start to its end. A step in which each row gets one token takes a few
    microseconds a row, and the time of the masks.

    Args:
        grammars: for each text its grammar; a matcher at the place where the text begins (it is not moved); or None for
            a text that is not constrained.
        vocab_size: how many ids the model has, if it pads its vocabulary. If not given, this is the largest vocabulary
            of the grammars.
        drafts: whether histories may have tokens that the grammar refuses, as drafted tokens of speculative decoding
            may. The mask of such a row is all ones, since none of its next tokens can be kept. If not set, such a row
            is an error.

    Raises:
        TypeError: the grammars are no list, or one is of another type.

    Attributes:
        bitmask: the masks of the last call, int32 [rows, words]. The next call writes to it again if it has as many
            rows.
    """

    def __init__(
        self, grammars: Iterable[Grammar | Matcher | None], vocab_size: int | None = None, *, drafts: bool = False
    ) -> None:
        if isinstance(grammars, (Grammar, Matcher)) or not isinstance(grammars, Iterable):
            raise TypeError(
                f"grammars must be a list of a Grammar, a Matcher or None for each text, not {type(grammars).__name__}"
            )
        self._starts: list[Matcher | None] = [
            grammar.matcher() if isinstance(grammar, Grammar) else grammar for grammar in grammars
        ]
        for number, start in enumerate(self._starts):
            if start is not None and not isinstance(start, Matcher):
                raise TypeError(f"grammar {number} must be a Grammar, a Matcher or None, not {type(start).__name__}")
        tokenizers = [None if start is None else start.engine.tokenizer for start in self._starts]
        if vocab_size is None:
            vocab_size = max((tok.vocab_size for tok in tokenizers if tok is not None), default=0)
        self._vocab_size = vocab_size
        for number, tok in enumerate(tokenizers):
            if tok is not None and tok.vocab_size > vocab_size:
                raise MatcherError(f"vocab_size {vocab_size}: grammar {number} has {tok.vocab_size} token ids")
        # For a text that has ended: a mask of its end-of-text tokens.
        self._end_masks = [bitmask_of(() if tok is None else tok.eos_token_ids, vocab_size) for tok in tokenizers]
        self._drafts = drafts
        self._rows: list[_Row] = []
        self._array: NDArray[Any] | None = None
        self.bitmask = allocate_bitmask(0, vocab_size)

    @property
    def matchers(self) -> list[Matcher | None]:
        """The matcher of each row of the last call; None for a row without a grammar. They belong to the state."""
        return [row.matcher for row in self._rows]

    def __call__(
        self,
        histories: Sequence[Sequence[int]] | NDArray[Any],
        starts: int | Sequence[int] = 0,
        sources: Sequence[int] | None = None,
    ) -> NDArray[np.int32]:
        """The mask of each row: which tokens may come after its history.

        The mask of a text that has ended has its end-of-text tokens; what the history has after the first one does not
        count. The mask of a row without a grammar is all ones.

        Args:
            histories: the token ids of each row: lists, or integers [rows, columns].
            starts: how many of the first ids are the prompt (with the padding on its left): a number for all rows, or
                one for each row.
            sources: for each row the number of its grammar. If not given, the rows are shared out evenly: of n rows for
                m grammars, the first n / m are those of the first grammar.

        Returns:
            int32 [rows, words]: `bitmask`.

        Raises:
            MatcherError: the grammar refuses a token of a history, and `drafts` is not set; the rows cannot be shared
                out evenly; there is no grammar of a number; or a history is shorter than its prompt. The message names
                the row.
            LimitError: a bound of a grammar was reached.
        """
        sources = self._checked_sources(len(histories), sources)
        rows, array = self._rows, self._array
        # If this call fails, rows may have moved already. Then the next call begins anew.
        self._rows, self._array = [], None
        if isinstance(histories, np.ndarray) and isinstance(starts, int):
            if histories.ndim != 2 or not 0 <= starts <= histories.shape[1]:
                shape = list(histories.shape)
                raise MatcherError(f"histories must be [rows, columns] and starts 0..columns, not {shape} and {starts}")
            texts = histories[:, starts:]
            if not self._extend_all(rows, array, texts, sources):
                rows = self._follow(rows, texts.tolist(), sources)
            array = texts.copy()
        else:
            rows, array = self._follow(rows, self._texts(histories, starts), sources), None
        if not self._drafts:
            self._check(rows, starts)
        self._fill(rows)
        self._rows, self._array = rows, array
        return self.bitmask

    def _checked_sources(self, count: int, sources: Sequence[int] | None) -> Sequence[int]:
        if sources is None:
            each, left = divmod(count, len(self._starts) or 1)
            if left or (count and not self._starts):
                raise MatcherError(f"{count} rows cannot be shared out evenly among {len(self._starts)} grammars")
            return [number for number in range(len(self._starts)) for _ in range(each)]
        if len(sources) != count:
            raise MatcherError(f"{len(sources)} sources for {count} rows")
        for number, source in enumerate(sources):
            if not 0 <= source < len(self._starts):
                raise MatcherError(f"row {number}: grammar {source} is not in 0..{len(self._starts) - 1}")
        return sources

    def _texts(self, histories: Sequence[Sequence[int]] | NDArray[Any], starts: int | Sequence[int]) -> list[list[int]]:
        each = [starts] * len(histories) if isinstance(starts, int) else starts
        if len(each) != len(histories):
            raise MatcherError(f"{len(each)} starts for {len(histories)} rows")
        texts = []
        for number, (history, start) in enumerate(zip(histories, each, strict=True)):
            if not 0 <= start <= len(history):
                raise MatcherError(f"row {number}: the prompt has {start} tokens, and the history {len(history)}")
            text = history[start:]
            texts.append(text.tolist() if hasattr(text, "tolist") else list(text))
        return texts

    def _extend_all(
        self, rows: list[_Row], array: NDArray[Any] | None, texts: NDArray[Any], sources: Sequence[int]
    ) -> bool:
        """Move all rows at once, if each goes on from the same row of the last call. Returns whether that was so."""
        if array is None or len(array) != len(texts) or not np.array_equal(texts[:, : array.shape[1]], array):
            return False
        if any([row.source != source for row, source in zip(rows, sources, strict=True)]):
            return False
        for row, tokens in zip(rows, texts[:, array.shape[1] :].tolist(), strict=True):
            row.extend(tokens)
        return True

    def _follow(self, rows: list[_Row], texts: list[list[int]], sources: Sequence[int]) -> list[_Row]:
        """The rows of a batch, made from those of the last call."""
        by_source: dict[int, list[_Row]] = {}
        row: _Row | None
        for old in rows:
            by_source.setdefault(old.source, []).append(old)
        chosen: list[_Row | None] = []
        shared: list[int] = []
        for number, (text, source) in enumerate(zip(texts, sources, strict=True)):
            own = rows[number] if number < len(rows) and rows[number].source == source else None
            row, length = _longest(own, by_source.get(source, []), text)
            chosen.append(row)
            shared.append(length)
        last = {id(row): number for number, row in enumerate(chosen)}
        # Copies are made before anything moves.
        found = []
        for number, (row, source) in enumerate(zip(chosen, sources, strict=True)):
            if row is None:
                start = self._starts[source]
                found.append(_Row(source, None if start is None else start.fork(), [], 0))
            else:
                found.append(row if last[id(row)] == number else row.fork())
        for new, text, length in zip(found, texts, shared, strict=True):
            new.cut(length)
            new.extend(text[length:])
        return found

    def _check(self, rows: list[_Row], starts: int | Sequence[int]) -> None:
        for number, row in enumerate(rows):
            if row.has_refused():
                place = (starts if isinstance(starts, int) else starts[number]) + row.accepted
                raise MatcherError(
                    f"row {number}: the grammar does not allow the token {row.history[row.accepted]} at place {place} "
                    f"of the history, after {row.accepted} tokens of the text"
                )

    def _fill(self, rows: list[_Row]) -> None:
        if len(self.bitmask) != len(rows):
            self.bitmask = allocate_bitmask(len(rows), self._vocab_size)
        matchers, indices = [], []
        for number, row in enumerate(rows):
            if row.matcher is None or row.has_refused():
                self.bitmask[number] = -1
            elif row.matcher.is_terminated():
                self.bitmask[number] = self._end_masks[row.source]
            else:
                matchers.append(row.matcher)
                indices.append(number)
        fill_bitmask(matchers, self.bitmask, indices)


def _longest(own: _Row | None, rows: list[_Row], text: list[int]) -> tuple[_Row | None, int]:
    """The row whose history agrees with a text for longest, and for how many tokens. The row at the same place in the
    last batch, `own`, is looked at first: nearly always the text goes on from it. None if not even the first token
    agrees and there is nothing to go on from."""
    best, length = None, -1
    if own is not None:
        best, length = own, common_size(own.history, text)
        if length == len(own.history):
            return best, length
    for row in rows:
        if row is not own and (shared := common_size(row.history, text)) > length:
            best, length = row, shared
    return (best, length) if length > 0 else (None, 0)
