"""A grammar with the walk along its text: what is kept between requests."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from threading import Lock
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.play.bounds import SECONDS
from ffgrammar.play.fields import BadRequest, Fields
from ffgrammar.play.walk import Walk
from ffgrammar.tokens.report import is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Sheet", "starts_of", "tokens_of"]

# A code for each status of a token.
CHOSEN, FORCED, REJECTED, AFTER = "c", "f", "r", "a"


class Sheet:
    """A grammar with its walk. One request at a time may use it: take `lock` first.

    Args:
        grammar: the grammar.

    Attributes:
        grammar, lock: see above.
        pictures: kept by railroads.py, which makes them once.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.lock = Lock()
        self.pictures: str | None = None
        self._walk = Walk(grammar)
        self._version = 0

    def text(self, fields: Fields) -> dict[str, Any]:
        """The tokens of a request's text, each with its status.

        If the page has the last answer (field `version`), the answer leaves out what it has: the first `keep` tokens.
        """
        tok = self.grammar.tokenizer
        tokens, given = tokens_of(fields, tok)
        known = fields.number("version", 0, 1 << 53, 0)
        keep = self._walk.follow(tokens, SECONDS)
        # (ids from the page may be any tokens; then a change at the end may change what is canonical before it)
        keep = keep if known and known == self._version and not given else 0
        self._version += 1
        report = _canonical(tok, tokens) if given else None
        walk = self._walk
        codes = "".join(FORCED if one else CHOSEN for one in walk.forced)
        codes += "" if walk.stopped else REJECTED[: len(tokens) - len(codes)]
        return {
            "version": self._version,
            "keep": keep,
            "size": len(tokens),
            "tokens": [(one, tok.visible_token(one)) for one in tokens[keep:]],
            "bytes": [len(tok.token_bytes(one)) for one in tokens[keep:]],
            "codes": codes[keep:].ljust(len(tokens) - keep, AFTER),
            "allowed": walk.allowed[keep:],
            "micros": walk.micros[keep:],
            "accepted": walk.accepted,
            "ends": walk.ends,
            "stopped": walk.stopped,
            "canonical": report,
        }


def tokens_of(fields: Fields, tok: Tokenizer) -> tuple[list[int], bool]:
    """The tokens of a request, and whether their ids were given: field `tokens`, or else those of `text`.

    Raises:
        BadRequest: a field is wrong.
        TokenizerError: the tokenizer cannot encode.
    """
    given = fields.tokens("tokens", tok.vocab_size)
    if given is not None:
        return given, True
    special = "allow" if fields.flag("special") else "text"
    if not tok.can_encode:
        raise BadRequest(f"tokenizer {tok.name!r} cannot encode: give token ids")
    return tok.encode(fields.text("text", ""), special=special), False  # type: ignore[arg-type]


def starts_of(tok: Tokenizer, tokens: list[int]) -> list[int]:
    """Where each token begins, in bytes of the text; and where the last one ends."""
    return list(accumulate((len(tok.decode([one])) for one in tokens), initial=0))


def _canonical(tok: Tokenizer, tokens: list[int]) -> dict[str, Any]:
    """What the tokenizer would write in place of tokens: its tokens, and which of the given ones it would not write."""
    if not tok.can_encode:
        return {"verdict": "unknown", "expected": [], "strange": []}
    report = is_canonical(tok, tokens, complete=False)
    starts = starts_of(tok, list(report.expected))
    own = set(zip(starts, report.expected, strict=False))
    strange = [at for at, one in enumerate(zip(starts_of(tok, tokens), tokens, strict=False)) if one not in own]
    return {
        "verdict": report.verdict,
        "expected": [(one, tok.visible_token(one)) for one in report.expected],
        "strange": strange,
        "settled": report.settled,
        "cuts": [bisect_right(starts, start) - 1 for start in starts_of(tok, tokens)] if strange else [],
    }
