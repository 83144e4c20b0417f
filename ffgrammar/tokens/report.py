"""Is a token sequence the one the tokenizer itself would produce?

    report = is_canonical(tok, [15339, 1917])
    report.verdict                # "yes", "no" or "undecided"
    report.first_divergence       # the index of the first token that the tokenizer would not have written

The check is by definition: decode, encode, compare. What needs care is a text that may go on. More text can change the
tokens of its end, so a prefix can be canonical, not canonical, or undecided. Tokens are *settled* if no further text
can change them. Where the tokenizer's rules are known (canonical/rules.pyx) the verdict is exact: it is "no" as soon as
no text begins with these tokens, and the settled tokens are those that all coverings share.

A first look (bpe/pretoken_encoder.pyx) recognizes most canonical sequences in less time than encoding takes. The text
of any other sequence is encoded and compared. That takes some 0.2 us a token longer than encoding alone. For a sequence
that grows, use the check in tracker.pyx: its cost for each token does not grow with the sequence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import shared_tokens
from ffgrammar.tokens.canonical.rules import CanonicalRules
from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.canonical.unsettled import settled_count
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.normal_form import is_normal

__all__ = ["CanonicalityReport", "is_canonical", "settled_bytes"]

# How many pre-tokens at the end of a text can still change if more text follows. One is not enough: o200k_base splits
# "don'" into "don" and "'" but keeps "don't" whole, and splits "中A" into two pre-tokens but keeps "中Ab" whole.
OPEN_PRETOKENS = 2


@dataclass(frozen=True)
class CanonicalityReport:
    """The answer of `is_canonical`.

    Attributes:
        verdict: "yes", "no" or "undecided" (only where more text may follow).
        given: the token ids in question.
        expected: what the tokenizer makes of the same text.
        first_divergence: index of the first token in which `given` and `expected` differ, None if they are equal.
        byte_offset: where in the text's bytes that token starts, None if they are equal.
        settled: how many tokens of `expected` stay the same whatever text follows (all of them if no text may follow).
    """

    verdict: str
    given: tuple[int, ...]
    expected: tuple[int, ...]
    first_divergence: int | None
    byte_offset: int | None
    settled: int

    # Spells the tokens in notebooks; it is no field, and a pickle has none.
    _tokenizer: ClassVar[Tokenizer | None] = None

    def __bool__(self) -> bool:
        return self.verdict == "yes"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tokenizer"}

    def _repr_html_(self) -> str:
        """The tokens side by side, for notebooks."""
        from ffgrammar.tokens.in_notebooks import report_html

        first, tok = self.first_divergence, self._tokenizer
        where = "" if first is None else f"; they differ from token {first} on, at byte {self.byte_offset}"
        about = f"canonical: {self.verdict}{where}; settled: {self.settled} tokens"
        return report_html(about, self.given, self.expected, first, str if tok is None else tok.visible_token)


def is_canonical(
    tok: Tokenizer,
    ids: Iterable[int] | None = None,
    text: str | bytes | None = None,
    complete: bool = True,
) -> CanonicalityReport:
    """Whether `ids` is what the tokenizer makes of their text.

    Special tokens are boundaries: each part between them is checked as a text of its own. With `text`, the ids must
    also spell that text (special tokens by their names). With `text` alone, the ids are those that
    `Tokenizer.encode` makes of it, and the report says how many of them are settled.

    Args:
        tok: the tokenizer; it must be able to encode.
        ids: token ids, or None to take the tokens of `text`.
        text: the text that the ids should spell.
        complete: whether the text ends here. If more text may follow, the verdict is "no" only if no continuation could
            make the ids canonical, and "yes" only if they are canonical with every continuation. Otherwise it is
            "undecided": more text may change the tokens of the end. If the tokenizer's rules are not known (see
            `Tokenizer.canon`), the last two pre-tokens of the text are undecided. If its pre-tokens are not known
            either, all tokens since the last special one are undecided.

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
    if tok.writes(given) and (data is None or _spells(tok, given, data)):
        # (`writes` says yes only if the rules are known)
        settled = len(given) if complete else settled_count(tok.rules("is_canonical"), given)
        verdict = "yes" if settled == len(given) else "undecided"
        return _with(tok, CanonicalityReport(verdict, given, given, None, None, settled))
    expected, settled, lost = _expected(tok, given, complete)
    if data is not None and not _spells(tok, given, data):
        # The tokens spell another text, or the tokenizer changes the text (it may normalize). So encode the given text.
        expected = tok.encode(data)
        settled = len(expected) if complete else _settled_count(tok, expected, settled_bytes(tok, data))
        lost = True
    return _report(tok, given, expected, settled, complete or lost)


def settled_bytes(tok: Tokenizer, text: bytes) -> int:
    """How many bytes at the start of a text are pre-tokens that no further text can change; 0 where that is not known.

    The last two pre-tokens and white space at the end may change, and so may everything from a byte that is not UTF-8.
    """
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        text = text[: error.start]
    ends = tok.pretoken_ends(text)
    if ends is None or len(ends) <= OPEN_PRETOKENS:
        return 0
    starts = [0, *ends[:-1]]
    kept = len(ends)
    while kept and text[starts[kept - 1] : ends[kept - 1]].decode("utf-8").isspace():
        kept -= 1
    kept = min(kept, len(ends) - OPEN_PRETOKENS)
    return ends[kept - 1] if kept > 0 else 0


def _spells(tok: Tokenizer, ids: tuple[int, ...], text: bytes) -> bool:
    decoded = tok.decode(ids)
    return decoded == text or (tok.adds_prefix_space and decoded == b" " + text)


def _expected(tok: Tokenizer, given: tuple[int, ...], complete: bool) -> tuple[list[int], int, bool]:
    """(expected, settled, lost) for the tokens `given`: what the tokenizer makes of their text, with the special tokens
    left as they are; how many tokens of `expected` are settled; and whether it is known that `given` is not canonical,
    whatever text follows."""
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
            if tok.normal_form is not None and not is_normal(tok.normal_form, text.decode("utf-8", "ignore")):
                # a text in the normal form never begins with a text that is not in this form
                lost = True
                text = tok.decode(tail)
            shared = shared_tokens(tok.coverings(text))
            settled += len(shared)
            if tail[: len(shared)] != shared:
                # the text ends inside a character, whose bytes become other tokens once the character is whole
                tail = shared + tok.encode(text[len(tok.decode(shared)) :])
        else:
            lost = tok.canon is not None and _is_lost(tok, tok.canon, part)
            settled += _settled_count(tok, tail, settled_bytes(tok, text))
        expected += tail
    return expected, settled, lost


def begins_text(data: bytes) -> bool:
    """Whether some UTF-8 text begins with these bytes."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(data) and error.reason == "unexpected end of data"
    return True


def _is_lost(tok: Tokenizer, rules: CanonicalRules, ids: list[int]) -> bool:
    """Whether the rules refuse a token before the bytes stop being UTF-8. Then no text begins with these tokens."""
    sequence = CanonicalSequence(rules)
    for count, token in enumerate(ids, 1):
        if not sequence.push(token):
            return begins_text(tok.decode(ids[:count]))
    return False


def _is_begun(rules: CanonicalRules, ids: list[int]) -> bool:
    """Whether some text has these tokens as its first ones."""
    return all(map(CanonicalSequence(rules).push, ids))


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
    return _with(tok, CanonicalityReport(verdict, given, tuple(expected), divergence, offset, settled))


def _with(tok: Tokenizer, report: CanonicalityReport) -> CanonicalityReport:
    """The same report, which knows the tokenizer."""
    object.__setattr__(report, "_tokenizer", tok)
    return report
