"""What xgrammar's EBNF writes like calls: `Token`, `ExcludeToken`, `TagDispatch` and `TokenTagDispatch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.gbnf.source import TokenSet, error_at

__all__ = ["MACROS", "Argument", "Dispatch", "Tag", "macro"]

MACROS = ("Token", "ExcludeToken", "TagDispatch", "TokenTagDispatch", "Regex")
_OPTIONS = ("loop_after_dispatch", "excludes")


class Argument(NamedTuple):
    """An argument of a macro.

    Attributes:
        kind: "string", "number", "name" or "tuple".
        value: a str, an int, a str, or a list of arguments.
        offset: where it stands in the text.
        named: the name before its `=`, or "".
    """

    kind: str
    value: Any
    offset: int
    named: str = ""


class Tag(NamedTuple):
    """What begins a rule in free text: a string or the id of a token; and the name of the rule."""

    trigger: str | int
    rule: str
    offset: int


class Dispatch(NamedTuple):
    """Free text with tags.

    Attributes:
        tags: the tags. Their triggers are all strings, or all ids.
        by_token: whether they are ids.
        loop: whether free text goes on after a rule.
        excludes: strings or ids that free text does not have.
    """

    tags: tuple[Tag, ...]
    by_token: bool
    loop: bool
    excludes: tuple[str | int, ...]


def macro(text: str, name: str, offset: int, arguments: Sequence[Argument]) -> TokenSet | Dispatch:
    """What a macro stands for.

    Args:
        text: the whole grammar, for errors.
        name: one of MACROS.
        offset: where the macro stands in the text.
        arguments: its arguments.

    Raises:
        GrammarError: an argument is wrong.
        UnsupportedError: the macro is not supported.
    """
    if name == "Regex":
        message = "Regex is not supported inside of EBNF: write the pattern with classes, groups and repeats"
        raise error_at(text, offset, message, UnsupportedError)
    if name in ("Token", "ExcludeToken"):
        if not arguments or any(one.named or one.kind != "number" for one in arguments):
            raise error_at(text, offset, f"{name} takes the ids of tokens, as in {name}(5, 6)")
        ids = tuple(sorted({one.value for one in arguments}))
        written = f"{name}({', '.join(map(str, ids))})"
        return TokenSet(written, None, ids, name == "ExcludeToken")
    return _dispatch(text, name, offset, arguments)


def _dispatch(text: str, name: str, offset: int, arguments: Sequence[Argument]) -> Dispatch:
    by_token = name == "TokenTagDispatch"
    kind, example = ("number", "5") if by_token else ("string", '"<tag>"')
    tags = []
    loop = True
    excludes: tuple[str | int, ...] = ()
    for one in arguments:
        if one.named and one.named not in _OPTIONS:
            raise error_at(text, one.offset, f"{name} has no option {one.named}; it has {' and '.join(_OPTIONS)}")
        if one.named == "loop_after_dispatch":
            if one.kind != "name" or one.value not in ("true", "false"):
                raise error_at(text, one.offset, "loop_after_dispatch is true or false")
            loop = one.value == "true"
        elif one.named == "excludes":
            if one.kind != "tuple" or any(part.kind != kind or part.value == "" for part in one.value):
                raise error_at(text, one.offset, f"excludes is a list such as ({example},)")
            excludes = tuple(part.value for part in one.value)
        else:
            parts = one.value if one.kind == "tuple" else []
            if [part.kind for part in parts] != [kind, "name"] or parts[0].value == "":
                raise error_at(text, one.offset, f"{name} takes pairs such as ({example}, rule)")
            tags.append(Tag(parts[0].value, parts[1].value, parts[1].offset))
    for tag in tags:
        for other in excludes:
            if tag.trigger == other or (isinstance(other, str) and str(tag.trigger).startswith(other)):
                raise error_at(text, offset, f"{tag.trigger!r} can never come, because {other!r} is excluded")
    return Dispatch(tuple(tags), by_token, loop, excludes)
