"""Special tokens in rules: `<|im_end|>`, a name, or `<[1,5-9]>`, `<[^1,5-9]>` and `<[*]>`, which are sets of ids.

A special token has no bytes, so no text spells it, and no terminal matches it. Ids of ordinary tokens are refused: such
a token could come as what the set asks for, or as its bytes, and a position in a text has room for one of the two only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.lark.source import Definition, Op
from ffgrammar.grammar.lark.texts import Texts, error_at
from ffgrammar.grammar.names import no_special_token

__all__ = ["declared_ids", "special_ids"]

_RANGE = re.compile(r"\s*([0-9]{1,99})\s*(?:-\s*([0-9]{1,99})\s*)?", re.ASCII)


def special_ids(texts: Texts, op: Op, special_tokens: Mapping[str, int]) -> tuple[int, ...]:
    """The ids, ascending, that a special token in a rule stands for.

    Args:
        texts: where the step is.
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
            raise error_at(texts, op.offset, no_special_token(written, special_tokens))
        return (special_tokens[written],)
    inner = written[2:-2].strip()
    if inner == "*":
        found = special
    elif inner.startswith("^"):
        ranges = _ranges(texts, op, inner[1:])
        found = [number for number in special if not any(lo <= number <= hi for lo, hi in ranges)]
    else:
        ranges = _ranges(texts, op, inner)
        found = [number for number in special if any(lo <= number <= hi for lo, hi in ranges)]
        for lo, hi in ranges:
            _check_special(texts, op, lo, hi, found)
    if not found:
        raise error_at(texts, op.offset, f"{written} stands for no special token of the tokenizer")
    return tuple(found)


def _ranges(texts: Texts, op: Op, inner: str) -> list[tuple[int, int]]:
    """The ranges of ids in a set, both ends included."""
    ranges = []
    for part in inner.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise error_at(
                texts, op.offset, f"{op.argument} is no set of token ids, such as <[1,5-9]> or <[^1]> or <[*]>"
            )
        lo = int(found[1])
        hi = int(found[2] or found[1])
        if hi < lo:
            raise error_at(texts, op.offset, f"the range {lo}-{hi} is empty")
        ranges.append((lo, hi))
    return ranges


def _check_special(texts: Texts, op: Op, lo: int, hi: int, found: list[int]) -> None:
    """Refuse a range that has an id that is not a special token's; `found` are the special ids of the set, sorted."""
    expected = lo
    for number in found:
        if number == expected:
            expected += 1
    if expected <= hi:
        message = f"token {expected} is not a special token: only special tokens can stand in a rule by their ids"
        raise error_at(texts, op.offset, message, UnsupportedError)


def declared_ids(texts: Texts, terminal: Definition, special_tokens: Mapping[str, int]) -> tuple[int, ...]:
    """The id of the special token that a terminal without a body stands for (`%declare`).

    Args:
        texts: where the terminal is.
        terminal: its definition. For `NAME`, the token may be called NAME, <NAME> or <|NAME|>, or the same in lower
            case.
        special_tokens: the ids of the tokenizer's special tokens by name.

    Raises:
        GrammarError: there is no such special token, or there are several.
    """
    name = terminal.name
    forms = [form.format(one) for one in (name, name.lower()) for form in ("{}", "<{}>", "<|{}|>")]
    found = sorted({special_tokens[form] for form in forms if form in special_tokens})
    if len(found) == 1:
        return (found[0],)
    if found:
        message = f"{name} is declared, and several special tokens have this name: name one in the rule, as <name>"
    else:
        message = (
            f"{name} is declared, and nothing provides it: the tokenizer has no special token {name}, <{name.lower()}> "
            f"or <|{name.lower()}|>; define {name}, or write %override {name}: ..."
        )
    raise error_at(texts, terminal.offset, message)
