"""What the formats of a structural tag have in common, and the formats that are made of texts and of other formats.

The function of a format takes its fields, its place, and the sources of leaves and tokens. It returns the formats in
it, with their places, and a function that makes the format's part from their parts. So no function calls itself, and a
tree may be as deep as the limit of nesting says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.composition.parts import Choice, Part, Repeat, SpecialToken
from ffgrammar.grammar.composition.parts import Sequence as PartSequence
from ffgrammar.grammar.structural_tag.entries import Entry, texts
from ffgrammar.grammar.structural_tag.free import EMPTY, choice, free_text, literal, then
from ffgrammar.grammar.structural_tag.leaves import Leaves
from ffgrammar.grammar.structural_tag.tokens import Tokens
from ffgrammar.grammar.structural_tag.xml_styles import xml_parameters
from ffgrammar.regex.expr.store import MAX_REPEAT

__all__ = ["FORMATS", "Fields", "Format", "Pending", "Place", "Sources", "leaf"]

Fields = dict[str, Entry]


@dataclass(frozen=True)
class Place:
    """Where a format stands.

    Attributes:
        ends: the part has one of these at its end; empty: nothing but the format's own texts.
        around: the strings that end the nearest tag around the format. Free text has none of them.
        around_token: the special token that ends this tag, or None.
    """

    ends: tuple[bytes, ...] = ()
    around: tuple[bytes, ...] = ()
    around_token: int | None = None

    def without_ends(self) -> Place:
        """The same place, but the part has only the format's own texts."""
        return replace(self, ends=())


class Sources(NamedTuple):
    """Where leaves and tokens come from."""

    leaves: Leaves
    tokens: Tokens


class Pending(NamedTuple):
    """A format that was read, before the formats in it are.

    Attributes:
        inner: the formats in it, and their places.
        build: makes the format's part from the parts of `inner`.
    """

    inner: Sequence[tuple[Entry, Place]]
    build: Callable[[Sequence[Part]], Part]


class Format(NamedTuple):
    """A format: how it is read, and its keys beside `type`."""

    read: Callable[[Fields, Place, Sources], Pending]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


def leaf(part: Part, place: Place) -> Pending:
    """A format that has no others in it."""
    whole = then(part, place.ends)
    return Pending((), lambda inner: whole)


def _const_string(fields: Fields, place: Place, sources: Sources) -> Pending:
    return leaf(literal(fields["value"].text()), place)


def _json_schema(fields: Fields, place: Place, sources: Sources) -> Pending:
    refused = fields.get("excludes")
    if refused is not None and refused.value != []:
        raise refused.error(
            "texts that strings of a schema must not have cannot be excluded; say it in the schema, with pattern",
            UnsupportedError,
        )
    order = "any" if "any_order" in fields and fields["any_order"].flag() else "schema"
    most = fields.get("max_whitespace_cnt")
    whitespace = "flexible" if most is None else most.number(0, MAX_REPEAT)
    schema = fields["json_schema"]
    if not isinstance(schema.value, (Mapping, bool)):
        raise schema.expected("a schema, which is an object or a boolean,")
    if "style" in fields and fields["style"].value != "json":
        if order == "any":
            raise fields["any_order"].error("XML parameters stand in the schema's order", UnsupportedError)
        return leaf(xml_parameters(schema, fields["style"], sources.leaves, whitespace), place)
    return leaf(sources.leaves.schema(schema, whitespace, order), place)


def _qwen_xml_parameter(fields: Fields, place: Place, sources: Sources) -> Pending:
    """An older name of json_schema with the style qwen_xml."""
    part = xml_parameters(fields["json_schema"], Entry("qwen_xml"), sources.leaves, "flexible")
    return leaf(part, place)


def _regex(fields: Fields, place: Place, sources: Sources) -> Pending:
    return leaf(sources.leaves.regex(fields["pattern"]), place)


def _grammar(fields: Fields, place: Place, sources: Sources) -> Pending:
    return leaf(sources.leaves.grammar(fields["grammar"]), place)


def refuse_max_tokens(fields: Fields) -> None:
    """Refuse a bound on the tokens of a part."""
    if "max_tokens" in fields:
        raise fields["max_tokens"].error(
            "the tokens of a part cannot be counted; max_chars counts the characters of any_text, and the argument "
            "max_tokens of Grammar.matcher the tokens of the whole text",
            UnsupportedError,
        )


def _any_text(fields: Fields, place: Place, sources: Sources) -> Pending:
    refuse_max_tokens(fields)
    most = fields["max_chars"].number(0, MAX_REPEAT) if "max_chars" in fields else None
    part = free_text((*texts(fields, "excludes"), *place.around), place.ends, most)
    return Pending((), lambda inner: part)


def _sequence(fields: Fields, place: Place, sources: Sources) -> Pending:
    """A string that follows an element is the end that this element must have: free text then ends with it."""
    inner: list[tuple[Entry, Place]] = []
    for entry in fields["elements"].items("formats"):
        if inner and entry.kind == "const_string" and not inner[-1][1].ends:
            text = entry.fields("const_string", ("type", "value"))["value"].text()
            inner[-1] = (inner[-1][0], replace(place, ends=(text,)))
        else:
            inner.append((entry, place.without_ends()))
    ends = place.ends
    if not inner[-1][1].ends:
        inner[-1] = (inner[-1][0], place)
        ends = ()
    return Pending(inner, lambda parts: then(PartSequence(tuple(parts)), ends))


def _or(fields: Fields, place: Place, sources: Sources) -> Pending:
    return Pending([(one, place) for one in fields["elements"].items("formats")], choice)


def _optional(fields: Fields, place: Place, sources: Sources) -> Pending:
    return Pending([(fields["content"], place)], lambda parts: Choice((parts[0], then(EMPTY, place.ends))))


def _repeated(fields: Fields, place: Place, sources: Sources, least: int, most: int | None) -> Pending:
    content = fields["content"]
    if content.kind == "exclude_token" and least < 2 and most is None:
        return _tokens(content.fields("exclude_token", ("type",), ("exclude_tokens",)), place, sources, least)

    def build(parts: Sequence[Part]) -> Part:
        return then(Repeat(parts[0], least, most), place.ends)

    return Pending([(content, place.without_ends())], build)


def _plus(fields: Fields, place: Place, sources: Sources) -> Pending:
    return _repeated(fields, place, sources, 1, None)


def _star(fields: Fields, place: Place, sources: Sources) -> Pending:
    return _repeated(fields, place, sources, 0, None)


def _repeat(fields: Fields, place: Place, sources: Sources) -> Pending:
    least = fields["min"].number(0, MAX_REPEAT)
    most = fields["max"].number(-1, MAX_REPEAT)
    if -1 < most < least:
        raise fields["max"].error(f"max is {most}, which is less than min, {least}; -1 stands for no bound")
    return _repeated(fields, place, sources, least, None if most == -1 else most)


def _token(fields: Fields, place: Place, sources: Sources) -> Pending:
    return leaf(SpecialToken((sources.tokens.read(fields["token"]),)), place)


def _exclude_token(fields: Fields, place: Place, sources: Sources) -> Pending:
    raise UnsupportedError(
        "exactly one token of any kind cannot be enforced; any_tokens is any number of them, and so is exclude_token "
        "in star or in plus"
    )


def _any_tokens(fields: Fields, place: Place, sources: Sources) -> Pending:
    refuse_max_tokens(fields)
    return _tokens(fields, place, sources, 0)


def _tokens(fields: Fields, place: Place, sources: Sources, least: int) -> Pending:
    excluded = set(sources.tokens.read_all(fields, "exclude_tokens"))
    if place.around_token is not None:
        excluded.add(place.around_token)
    return leaf(sources.tokens.stretch(excluded, (), sources.leaves.character() if least else None), place)


FORMATS = {
    "const_string": Format(_const_string, ("value",)),
    "json_schema": Format(_json_schema, ("json_schema",), ("style", "any_order", "max_whitespace_cnt", "excludes")),
    "qwen_xml_parameter": Format(_qwen_xml_parameter, ("json_schema",)),
    "regex": Format(_regex, ("pattern",)),
    "grammar": Format(_grammar, ("grammar",)),
    "any_text": Format(_any_text, (), ("excludes", "max_chars", "max_tokens")),
    "sequence": Format(_sequence, ("elements",)),
    "or": Format(_or, ("elements",)),
    "optional": Format(_optional, ("content",)),
    "plus": Format(_plus, ("content",)),
    "star": Format(_star, ("content",)),
    "repeat": Format(_repeat, ("min", "max", "content")),
    "token": Format(_token, ("token",)),
    "exclude_token": Format(_exclude_token, (), ("exclude_tokens",)),
    "any_tokens": Format(_any_tokens, (), ("exclude_tokens", "max_tokens")),
}
