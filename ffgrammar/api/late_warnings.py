"""Warnings about grammars that take time to find. They are looked for only when somebody asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["lark_conflicts", "lark_warnings", "rule_warnings"]

# A name that rules may have as it is. Of any other special token they have the id.
_BRACKETED = re.compile(r"<[^<>\[\]\s]+>")


def lark_conflicts(text: str, options: dict[str, Any], bounds: Limits) -> list[GrammarError]:
    """Where longest match loses texts of a Lark grammar."""
    from ffgrammar.grammar.lark.conflict_report import conflict_report

    return conflict_report(text, bounds, **options)


def lark_warnings(
    text: str,
    tokenizer: Tokenizer,
    options: dict[str, Any],
    conflicts: Callable[[Limits], list[GrammarError]] | None,
    bounds: Limits,
) -> list[str]:
    """Where longest match loses texts, and which strings have the names of special tokens."""
    from ffgrammar.grammar.lark.strings import strings_of

    strings = partial(strings_of, text, bounds, options["files"], options["grammars"])
    lost = [] if conflicts is None else [f"{one.place()}: {one.message}" for one in conflicts(bounds)]
    return [*lost, *_names_in_strings(tokenizer, text, strings)]


def rule_warnings(text: str, tokenizer: Tokenizer, dialect: str, bounds: Limits) -> list[str]:
    """Which strings of a grammar in GBNF or EBNF have the names of special tokens."""
    from ffgrammar.grammar.gbnf.strings import strings_of

    token = "<[{}]>" if dialect == "gbnf" else "Token({})"
    return _names_in_strings(tokenizer, text, partial(strings_of, text, dialect, bounds), token)


def _names_in_strings(
    tok: Tokenizer, text: str, strings: Callable[[], Iterable[tuple[str, str]]], token: str = "<[{}]>"
) -> list[str]:
    """Warnings about strings of a grammar that have the name of a special token, one for each name.

    Args:
        tok: the tokenizer.
        text: the grammar. If no such name is in it, its strings are not looked at.
        strings: gives the strings of the grammar, each with its place in words before it.
        token: how a rule has a special token by its id.
    """
    if tok.special_names.first(text) is None:
        return []
    found: dict[str, str] = {}
    for place, string in strings():
        name = tok.special_names.first(string)
        if name is not None and name not in found:
            by_name = token.startswith("<") and _BRACKETED.fullmatch(name)
            written = name if by_name else token.format(tok.special_tokens[name])
            found[name] = (
                f"{place}: the string has {name!r}, which is spelled out as ordinary text; "
                f"{written} without quotes is the special token"
            )
    return list(found.values())
