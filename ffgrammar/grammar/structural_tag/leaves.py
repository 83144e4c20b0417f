"""The contents of a structural tag that other front-ends read: schemas, regexes and grammars, each as a part."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar import gbnf, json_schema, regex
from ffgrammar.grammar.composition.parts import Part, Whole
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.references import has_references
from ffgrammar.grammar.structural_tag.entries import Entry
from ffgrammar.grammar.structural_tag.raw_strings import raw_string
from ffgrammar.grammar.structural_tag.tokens import Tokens
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["Leaves"]

V = TypeVar("V")

# What a schema is called for references to it.
ROOT = "urn:structural-tag"


class Leaves:
    """Makes the parts. Equal sources are one part, so that each is compiled once.

    A method raises what the front-end of its source raises. Its errors have the JSON pointer of the source.

    Args:
        limits: bounds on the cost of each.
        vocabulary: the fingerprint of the tokenizer's vocabulary.
        tokens: the tokens of the vocabulary.
    """

    def __init__(self, limits: Limits, vocabulary: str, tokens: Tokens) -> None:
        self._limits = limits
        self._tokens = tokens
        self._vocabulary = vocabulary
        # (the store of the whole grammar is the engine's, and these parts outlive its compilation)
        self._store = ExprStore(limits)
        self._known: dict[object, Part] = {}

    def schema(
        self,
        entry: Entry,
        whitespace: str | int = "flexible",
        property_order: str = "schema",
        root: Entry | None = None,
    ) -> Part:
        """The JSON texts of a schema.

        Args:
            entry: the schema.
            whitespace, property_order: as for `json_schema.build`.
            root: a schema that has this one in it, if references may lead elsewhere in it.
        """
        if root is not None and has_references(entry.value):
            key = (_key(root.value), entry.pointer)
            schema: Any = {"$ref": ROOT + "#" + entry.pointer.removeprefix(root.pointer)}
            registry = {ROOT: root.value}
        else:
            key, schema, registry = (_key(entry.value), ""), entry.value, None

        def build() -> GrammarIR:
            return json_schema.build(
                schema,
                self._store,
                self._limits,
                whitespace=whitespace,
                property_order=property_order,
                registry=registry,
            )

        return self._part(entry, (*key, whitespace, property_order), build, root)

    def regex(self, entry: Entry) -> Part:
        """The texts of a regex."""
        entry.text(empty=False)
        return self._pattern(entry, entry.value)

    def character(self) -> Part:
        """Any character."""
        return self._pattern(Entry(None), r"[\s\S]")

    def blank(self, most: int | None) -> Part:
        """White space, at most some characters of it."""
        return self._pattern(Entry(None), _blank(most))

    def raw_string(self, entry: Entry, most: int | None, end: bytes) -> Part:
        """The strings of a schema, written as they are, with at most some white space around, and an end after it."""

        def build() -> GrammarIR:
            return raw_string(entry, self._store, self._limits, _blank(most), end)

        # (its errors have whole pointers)
        return self._part(Entry(None), ("string", _key(entry.value), most, end), build)

    def grammar(self, entry: Entry) -> Part:
        """The texts of a grammar in EBNF."""
        entry.text(empty=False)

        def build() -> GrammarIR:
            return gbnf.build(
                entry.value,
                self._store,
                self._limits,
                dialect="ebnf",
                special_tokens=self._tokens.special,
                end_tokens=self._tokens.eos,
            )

        return self._part(entry, ("ebnf", entry.value), build)

    def _pattern(self, entry: Entry, pattern: str) -> Part:
        def build() -> GrammarIR:
            return regex.build(pattern, self._store, self._limits, dialect="ecma", ignore_case=False, dot_all=False)

        return self._part(entry, ("regex", pattern), build)

    def _part(self, entry: Entry, key: object, build: Callable[[], GrammarIR], root: Entry | None = None) -> Part:
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Whole(_placed(entry, root, build), _at_once, self._vocabulary)
        return known


def _blank(most: int | None) -> str:
    """White space as a regex."""
    return r"[ \n\r\t]*" if most is None else rf"[ \n\r\t]{{0,{most}}}"


def _at_once(work: Callable[[], V]) -> V:
    """What `Whole.paused` is for a grammar that no matcher uses."""
    return work()


def _key(value: Any) -> object:
    """What is equal for equal JSON values. The order of keys counts."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return id(value)


def _placed(entry: Entry, root: Entry | None, build: Callable[[], GrammarIR]) -> GrammarIR:
    """A grammar; an error in it, or a warning about it, gets the place in the structural tag."""
    try:
        grammar = build()
    except GrammarError as error:
        pointer = _pointer(error.pointer or "", entry, root)
        raise type(error)(
            error.message, line=error.line, column=error.column, pointer=pointer, excerpt=error.excerpt
        ) from None
    return replace(grammar, warnings=tuple(_warning(one, entry, root) for one in grammar.warnings))


def _pointer(inner: str, entry: Entry, root: Entry | None) -> str:
    """A pointer into a schema, as one into the structural tag."""
    if root is not None and inner.startswith(ROOT):
        return root.pointer + inner.removeprefix(ROOT + "#")
    return entry.pointer + inner


def _warning(warning: str, entry: Entry, root: Entry | None) -> str:
    place, separator, message = warning.partition(": ")
    if not place.startswith("at ") or not separator:
        return f"at {entry.pointer}: {warning}"
    inner = place.removeprefix("at ").removeprefix("/ (the root)")
    return f"at {_pointer(inner, entry, root)}: {message}"
