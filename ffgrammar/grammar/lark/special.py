"""Special tokens in rules: `<|im_end|>`, a name, or `<[1,5-9]>`, `<[^1,5-9]>` and `<[*]>`, which are sets of ids.

A special token has no bytes, so no text spells it, and no terminal matches it. Ids of ordinary tokens are refused: such
a token could come as what the set asks for, or as its bytes, and a position in a text has room for one of the two only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.lark.source import Op, error_at

__all__ = ["special_ids"]

_RANGE = re.compile(r"\s*([0-9]{1,99})\s*(?:-\s*([0-9]{1,99})\s*)?", re.ASCII)


def special_ids(text: str, op: Op, special_tokens: Mapping[str, int]) -> tuple[int, ...]:
    """The ids, ascending, that a special token in a rule stands for.

    Args:
        text: the Lark text.
        op: the step with the special token as it is written.
        special_tokens: the ids of the tokenizer's special tokens by name.

    Raises:
        GrammarError: there is no such special token, or the set of ids is malformed or has no special token.
        UnsupportedError: the set names an id that is not a special token's.
    """
    written = op.argument
    special = sorted(set(special_tokens.values()))
    if not written.startswith("<["):
        if written not in special_tokens:
            raise error_at(text, op.offset, f"the tokenizer has no special token {written}")
        return (special_tokens[written],)
    inner = written[2:-2].strip()
    if inner == "*":
        found = special
    elif inner.startswith("^"):
        ranges = _ranges(text, op, inner[1:])
        found = [number for number in special if not any(lo <= number <= hi for lo, hi in ranges)]
    else:
        ranges = _ranges(text, op, inner)
        found = [number for number in special if any(lo <= number <= hi for lo, hi in ranges)]
        for lo, hi in ranges:
            _check_special(text, op, lo, hi, found)
    if not found:
        raise error_at(text, op.offset, f"{written} stands for no special token of the tokenizer")
    return tuple(found)


def _ranges(text: str, op: Op, inner: str) -> list[tuple[int, int]]:
    """The ranges of ids in a set, both ends included."""
    ranges = []
    for part in inner.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise error_at(
                text, op.offset, f"{op.argument} is no set of token ids, such as <[1,5-9]> or <[^1]> or <[*]>"
            )
        lo = int(found[1])
        hi = int(found[2] or found[1])
        if hi < lo:
            raise error_at(text, op.offset, f"the range {lo}-{hi} is empty")
        ranges.append((lo, hi))
    return ranges


def _check_special(text: str, op: Op, lo: int, hi: int, found: list[int]) -> None:
    """Refuse a range that has an id that is not a special token's; `found` are the special ids of the set, sorted."""
    expected = lo
    for number in found:
        if number == expected:
            expected += 1
    if expected <= hi:
        message = f"token {expected} is not a special token: only special tokens can stand in a rule by their ids"
        raise error_at(text, op.offset, message, UnsupportedError)
