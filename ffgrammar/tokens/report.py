"""Is a token sequence the one the tokenizer itself would produce?

The check is by definition: decode, encode, compare. What needs care is a text that may go on. More text can change the
tokens of its end, so a prefix can be canonical, not canonical, or undecided.
By the tokenizer's rules (canonical/rules.pyx),
where they are known, that is exact: tokens are lost when no text has them, and settled are those that all coverings
share.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import shared_tokens
from ffgrammar.tokens.canonical.rules import CanonicalRules, CanonicalSequence
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["CanonicalityReport", "begins_text", "is_canonical", "settled_bytes"]

# Pieces at the end of a text that more text can still change. One is not enough: o200k_base splits "don'" into "don"
# and "'" but keeps "don't" whole, and "中A" into two pre-tokens but keeps "中Ab" whole.
OPEN_PIECES = 2


@dataclass(frozen=True)
class CanonicalityReport:
    """The answer of `is_canonical`.

    Attributes:
        verdict: "yes", "no" or "undecided" (only where more text may follow).
        given: the token ids in question.
        expected: what the tokenizer makes of the same text.
        first_divergence: index of the first token in which the two differ, None where they do not.
        byte_offset: where in the text's bytes that token starts, None where they do not differ.
        settled: how many tokens of `expected` no further text can change (all of them where none may follow).
    """

    verdict: str
    given: tuple[int, ...]
    expected: tuple[int, ...]
    first_divergence: int | None
    byte_offset: int | None
    settled: int

    def __bool__(self) -> bool:
        return self.verdict == "yes"


def is_canonical(
    tok: Tokenizer,
    ids: Iterable[int] | None = None,
    text: str | bytes | None = None,
    complete: bool = True,
) -> CanonicalityReport:
    """Whether `ids` is what the tokenizer makes of their text.

    Special tokens are boundaries: what stands between them is checked part by part. With `text`, the ids must also
    spell that text (special tokens by their names). With `text` alone, its own tokens are checked: do they give the
    text back?

    Args:
        tok: the tokenizer; it must be able to encode.
        ids: token ids, or None to take the tokens of `text`.
        text: the text that the ids should spell.
        complete: False says that more text may follow. Then the verdict is "no" only if no continuation could make the
            ids canonical, "yes" only if none could make them anything else, and otherwise "undecided": the tokens of
            the end, which more text may change, decide nothing. For a tokenizer whose rules are not known (see
            `Tokenizer.canon`) its last pre-tokens are undecided, and without pre-tokens all since the last special
            token.

    Raises:
        TokenizerError: neither ids nor text is given, an id is out of range, or the tokenizer cannot encode.
    """
    expect("is_canonical: tok", tok, Tokenizer, "a Tokenizer")
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if ids is not None:
        given = tuple(ids)
    elif text is not None:
        given = tuple(tok.encode(text))
    else:
        raise TokenizerError("is_canonical: give ids, text or both")
    expected, settled, lost = _expected(tok, given, complete)
    if data is not None and not _spells(tok, given, data):
        # Another text, or one that the tokenizer changes (it may normalize): what it makes of the text given counts.
        expected = tok.encode(data)
        settled = len(expected) if complete else _settled_count(tok, expected, settled_bytes(tok, data))
        lost = True
    return _report(tok, given, expected, settled, complete or lost)


def settled_bytes(tok: Tokenizer, text: bytes) -> int:
    """How many bytes at the start of a text are pre-tokens that no further text can change; 0 where that is not known.

    The last two pre-tokens and white space at the end are open, and so is everything from a byte that is not UTF-8.
    """
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        text = text[: error.start]
    ends = tok.piece_ends(text)
    if ends is None or len(ends) <= OPEN_PIECES:
        return 0
    starts = [0, *ends[:-1]]
    kept = len(ends)
    while kept and text[starts[kept - 1] : ends[kept - 1]].decode("utf-8").isspace():
        kept -= 1
    kept = min(kept, len(ends) - OPEN_PIECES)
    return ends[kept - 1] if kept > 0 else 0


def _spells(tok: Tokenizer, ids: tuple[int, ...], text: bytes) -> bool:
    decoded = tok.decode(ids)
    return decoded == text or (tok.adds_prefix_space and decoded == b" " + text)


def _expected(tok: Tokenizer, given: tuple[int, ...], complete: bool) -> tuple[list[int], int, bool]:
    """What the tokenizer makes of the text of `given` (special tokens stay), how many tokens of it are settled, and
    whether it is known that no text that goes on has the tokens given."""
    expected: list[int] = []
    part: list[int] = []
    for token in given:
        if tok.is_special(token):
            expected += tok.encode(tok.decode(part)) if part else []
            expected.append(token)
            part = []
        else:
            part.append(token)
    settled = len(expected)
    lost = False
    if part:
        text = tok.decode(part)
        tail = tok.encode(text)
        if complete:
            settled += len(tail)
        elif tok.canon is not None and begins_text(text):
            lost = not _is_begun(tok.canon, part)
            shared = shared_tokens(tok.coverings(text))
            settled += len(shared)
            if tail[: len(shared)] != shared:
                # the text ends inside a character, which is encoded otherwise when it is whole
                tail = shared + tok.encode(text[len(tok.decode(shared)) :])
        else:
            lost = tok.canon is not None and _is_lost(tok, tok.canon, part)
            settled += _settled_count(tok, tail, settled_bytes(tok, text))
        expected += tail
    return expected, settled, lost


def begins_text(data: bytes) -> bool:
    """Whether some UTF-8 text begins so."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(data) and error.reason == "unexpected end of data"
    return True


def _is_lost(tok: Tokenizer, rules: CanonicalRules, ids: list[int]) -> bool:
    """Whether tokens before the first bytes that are not UTF-8 are those of no text."""
    chain = CanonicalSequence(rules)
    for count, token in enumerate(ids, 1):
        if not chain.push(token):
            return begins_text(tok.decode(ids[:count]))
    return False


def _is_begun(rules: CanonicalRules, ids: list[int]) -> bool:
    """Whether some text has these as its first tokens."""
    chain = CanonicalSequence(rules)
    return all(map(chain.push, ids))


def _settled_count(tok: Tokenizer, ids: list[int], count: int) -> int:
    """How many tokens lie in the first `count` bytes."""
    end = 0
    for index, token in enumerate(ids):
        end += len(tok.decode([token]))
        if end > count:
            return index
    return len(ids)


def _report(
    tok: Tokenizer, given: tuple[int, ...], expected: list[int], settled: int, complete: bool
) -> CanonicalityReport:
    divergence = offset = None
    shorter = min(len(given), len(expected))
    if given != tuple(expected):
        divergence = next((i for i in range(shorter) if given[i] != expected[i]), shorter)
        offset = len(tok.decode(given[:divergence]))
    if divergence is None and settled == len(expected):
        verdict = "yes"
    elif divergence is not None and (complete or divergence < settled):
        verdict = "no"
    else:
        verdict = "undecided"
    return CanonicalityReport(verdict, given, tuple(expected), divergence, offset, settled)
