"""The parts of a composition: grammars, texts and special tokens, one after another or as alternatives.

    tool = ff.sequence(ff.special_token("<|tool|>"), ff.compile_json_schema(schema, tok), ff.special_token("<|end|>"))
    grammar = ff.compose(ff.sequence(ff.text(), ff.optional(tool)), tok)

A part is a compiled grammar, a str or bytes (exactly this text), or what the functions of this module return. A text
belongs to a sequence if it can be cut into pieces, one for each part. A token may span several pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.composition import parts as tree
from ffgrammar.grammar.composition.parts import Part
from ffgrammar.regex.expr.store import MAX_REPEAT

__all__ = [
    "Composable",
    "Part",
    "as_part",
    "capture",
    "choice_of",
    "optional",
    "repeat",
    "sequence",
    "special_token",
    "text",
]

Composable: TypeAlias = Part | Grammar | str | bytes


def sequence(*parts: Composable) -> Part:
    """The parts, one after another. Without parts: the empty text.

    Raises:
        GrammarError: a str has half of a surrogate pair.
        TypeError: an argument cannot be a part.
    """
    return tree.Sequence(tuple(as_part(one) for one in parts))


def choice_of(*parts: Composable) -> Part:
    """Any one of the parts.

    Raises:
        GrammarError: there are no parts, or a str has half of a surrogate pair.
        TypeError: an argument cannot be a part.
    """
    if not parts:
        raise GrammarError("choice_of needs at least one part")
    return tree.Choice(tuple(as_part(one) for one in parts))


def optional(part: Composable) -> Part:
    """The part, or nothing.

    Raises:
        GrammarError: a str has half of a surrogate pair.
        TypeError: the argument cannot be a part.
    """
    return tree.Repeat(as_part(part), 0, 1)


def repeat(part: Composable, least: int = 0, most: int | None = None) -> Part:
    """The part, several times, one directly after another.

    Args:
        part: what is repeated.
        least: how often at least.
        most: how often at most; None for no bound.

    Raises:
        GrammarError: the numbers are negative or in the wrong order, or a str has half of a surrogate pair.
        TypeError: an argument is of another type.
    """
    expect("repeat: least", least, int, "an int")
    expect("repeat: most", most, (int, type(None)), "an int or None")
    if least < 0 or (most is not None and most < least):
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise GrammarError(f"repeat: a part cannot come {bounds} times")
    return tree.Repeat(as_part(part), least, most)


def text(
    *,
    until: str | bytes | Iterable[str | bytes] | None = None,
    excluding: str | bytes | Iterable[str | bytes] | None = None,
    max_chars: int | None = None,
) -> Part:
    """Any UTF-8 text.

    Args:
        until: a text, or several. The part then ends with the first place where one of them is complete, and includes
            it. None: the text ends anywhere.
        excluding: a text, or several, which are nowhere in the part, also not where it ends.
        max_chars: how many characters the part may have, without the text of `until` with which it ends. None for no
            bound.

    Raises:
        GrammarError: `until` or `excluding` is an empty text, has none, has half of a surrogate pair, or is not UTF-8;
            or `max_chars` is negative.
        TypeError: an argument is of another type.
    """
    expect("text: max_chars", max_chars, (int, type(None)), "an int or None")
    if max_chars is not None and not 0 <= max_chars <= MAX_REPEAT:
        raise GrammarError(f"text: `max_chars` must be from 0 to {MAX_REPEAT}, not {max_chars}")
    ends = _several("until", until)
    return tree.Text(ends, frozenset((*ends, *_several("excluding", excluding))), max_chars)


def _several(name: str, given: str | bytes | Iterable[str | bytes] | None) -> tuple[bytes, ...]:
    """A text or several, as an argument of `text` gives them."""
    if given is None:
        return ()
    expected = "a str, bytes, or several of these"
    expect(f"text: {name}", given, (str, bytes, Iterable), expected)
    found = (given,) if isinstance(given, (str, bytes)) else tuple(given)
    for one in found:
        expect(f"text: {name}", one, (str, bytes), expected)
    if not found or not all(found):
        raise GrammarError(f"text: `{name}` must not be empty")
    encoded = tuple(_encoded(one) for one in found)
    for one in encoded:
        try:
            one.decode()
        except UnicodeDecodeError:
            raise GrammarError(f"text: `{name}` is {one!r}, which is not UTF-8") from None
    return encoded


def special_token(*tokens: str | int, excluded: bool = False) -> Part:
    """One special token of the tokenizer. No text spells it.

    Args:
        tokens: names or ids; the part is one of these tokens.
        excluded: the part is a special token that is none of these. `special_token(excluded=True)` is any.

    Raises:
        GrammarError: there are no tokens, and `excluded` is False.
        TypeError: a token is neither a str nor an int.
    """
    for token in tokens:
        expect("special_token: a token", token, (str, int), "a name or an id")
    if not tokens and not excluded:
        raise GrammarError("special_token needs a token")
    return tree.SpecialToken(tokens, bool(excluded))


def capture(name: str, part: Composable) -> Part:
    """The part, whose places in a text `Matcher.captures` then gives by a name.

    Several parts may have one name, and a part may stand in several places.

    Raises:
        GrammarError: the name is empty, or a str has half of a surrogate pair.
        TypeError: the name is no str, or `part` cannot be a part.
    """
    expect("capture: name", name, str, "a str")
    if not name:
        raise GrammarError("capture: the name must not be empty")
    _encoded(name)
    return tree.Capture(name, as_part(part))


def as_part(value: Composable) -> Part:
    """What users may give for a part, as a part.

    Raises:
        GrammarError: a str has half of a surrogate pair.
        TypeError: the value cannot be a part.
        UnsupportedError: the value is a composition with captures that was loaded from a file.
    """
    if isinstance(value, Part):
        return value
    if isinstance(value, Grammar) and value._part is not None:
        return value._part
    if isinstance(value, Grammar):
        if value._ir.outline:
            raise UnsupportedError(
                "a composition that was loaded from a file has captures, which would be lost in another composition; "
                "compose its own parts here instead"
            )
        return tree.Whole(value._ir, value._engine.paused, value.tokenizer.fingerprint)
    expect("a part", value, (str, bytes), "a grammar, a str, bytes, or what `sequence` and the like return")
    return tree.Literal(_encoded(value)) if value else tree.Sequence(())


def _encoded(value: str | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise GrammarError("a part cannot have half of a surrogate pair") from None
