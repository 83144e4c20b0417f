"""Subschemas by number, where they are in the schema, and what `$ref` leads to.

A subschema is known by the number of its place, so that constraints can refer to subschemas without reading them. The
same dict in the same resource is one place, however it is reached.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.options import draft_of
from ffgrammar.grammar.json_schema.shape import NEVER, Conj

__all__ = ["Place", "Places", "Resource", "check_names", "kind_of", "read_text"]


def read_text(text: str, limits: Limits) -> Any:
    """The schema of a JSON text, with numbers of any size kept exact."""
    if len(text) > limits.source_bytes:
        raise LimitError("source_bytes", limits.source_bytes, f"the schema has {len(text)} characters")
    try:
        return json.loads(text, parse_float=_decimal, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise GrammarError(f"the schema is not JSON: {error.msg}", line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise LimitError("nesting", limits.nesting, "the schema's JSON is nested too deep to be read") from None
    except ValueError as error:
        raise GrammarError(f"the schema is not JSON: {error}") from None


def _decimal(text: str) -> Decimal:
    """A number with a fraction or an exponent."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the exponent of {text[:40]} is too large") from None


def _integer(text: str) -> int | Decimal:
    """An integer; Python converts no longer ones, but as decimals."""
    return int(text) if len(text) < 1000 else Decimal(text)


class Resource:
    """A schema with a base URI of its own: the root, or a subschema with `$id`."""

    __slots__ = ("anchors", "base", "root", "tokens")

    def __init__(self, root: Any, base: str, tokens: tuple[str, ...]) -> None:
        self.root = root
        self.base = base
        self.tokens = tokens
        self.anchors: dict[str, tuple[Any, tuple[str, ...]]] = {}


class Place:
    """One subschema and the way to it."""

    __slots__ = ("depth", "modern", "parent", "resource", "schema", "tokens")

    def __init__(
        self, schema: Any, resource: Resource, parent: Place | None, tokens: tuple[str, ...], depth: int
    ) -> None:
        self.schema = schema
        self.resource = resource
        self.parent = parent
        self.tokens = tokens
        self.depth = depth
        # whether it was made here, in the words of draft 2020-12
        self.modern: bool = parent is not None and parent.modern

    def pointer(self, *more: str) -> str:
        """The JSON pointer of this place, or of something below it."""
        parts: list[str] = list(reversed(more))
        place: Place | None = self
        while place is not None:
            parts.extend(reversed(place.tokens))
            place = place.parent
        return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in reversed(parts))


class Places:
    """Numbers the subschemas of one schema and resolves references between them."""

    def __init__(self, schema: Any, limits: Limits, draft: int | None) -> None:
        self.limits = limits
        self.draft = draft or self._declared_draft(schema)
        self._id_word = "id" if self.draft == 4 else "$id"
        self.root = Resource(schema, "", ())
        # schemas with a base URI: by that URI (None where two have the same), and by the id() of the dict
        self._resources: dict[str, Resource | None] | None = None
        self._own: dict[int, Resource] = {}
        self._numbers: dict[tuple[int, int], Conj] = {}
        self.list: list[Place] = [Place(False, self.root, None, (), 0)]
        # the root's `$id` changes its base URI, but not what a "#/..." in it means
        if isinstance(schema, dict) and isinstance(schema.get(self._id_word), str):
            self.root.base = urldefrag(schema[self._id_word])[0]
        self.start = self._number(schema, self.root, None, ())

    @staticmethod
    def _declared_draft(schema: Any) -> int:
        uri = schema.get("$schema") if isinstance(schema, dict) else None
        if uri is None:
            return 2020
        if not isinstance(uri, str):
            raise GrammarError(f"$schema is a URI, not {kind_of(uri)}", pointer="/$schema")
        found = draft_of(uri)
        if found is None:
            raise UnsupportedError(
                f"the dialect {uri!r} is not known: use one of the drafts 4, 6, 7, 2019-09, 2020-12, or pass draft=",
                pointer="/$schema",
            )
        return found

    def child(self, place: Place, schema: Any, *tokens: str) -> Conj:
        """The conjunction of one subschema, tokens being the way to it from the place."""
        if schema is True:
            return ()
        return self._number(schema, place.resource, place, tokens)

    def made(self, place: Place, schema: dict[Any, Any], *tokens: str) -> Conj:
        """The conjunction of a schema that stands for something at the place; it is read as draft 2020-12."""
        conj = self._number(schema, place.resource, place, tokens)
        for at in conj:
            self.list[at].modern = True
        return conj

    def _number(self, schema: Any, resource: Resource, parent: Place | None, tokens: tuple[str, ...]) -> Conj:
        key = (id(schema), id(resource))
        found = self._numbers.get(key)
        if found is not None:
            return found
        if schema is True:
            return ()
        if schema is False:
            return NEVER
        # a pointer mostly has two parts for each level: a keyword, and a name or an index
        depth = parent.depth + 1 if parent is not None else len(tokens) // 2
        place = Place(schema, resource, parent, tokens, depth)
        if not isinstance(schema, dict):
            raise GrammarError(f"a schema is an object or a boolean, not {kind_of(schema)}", pointer=place.pointer())
        if depth > self.limits.nesting:
            raise LimitError("nesting", self.limits.nesting, f"the schema is nested too deep at {place.pointer()}")
        if not schema:
            return ()
        if self._id_word in schema and schema is not resource.root:
            own = schema[self._id_word]
            if isinstance(own, str) and not own.startswith("#") and not (self.draft < 2019 and "$ref" in schema):
                place.resource = self._resource_of(schema, resource, own, place.tokens)
        conj = self._numbers[key] = (len(self.list),)
        self.list.append(place)
        return conj

    def _resource_of(self, schema: Any, outer: Resource, own: str, tokens: tuple[str, ...]) -> Resource:
        found = self._own.get(id(schema))
        if found is None:
            found = self._own[id(schema)] = Resource(schema, urldefrag(urljoin(outer.base, own))[0], tokens)
        return found

    # References

    def follow(self, place: Place, ref: Any, word: str = "$ref") -> Conj:
        """The schema that a reference at this place leads to."""
        if not isinstance(ref, str):
            raise GrammarError(f"{word} is a URI reference, not {kind_of(ref)}", pointer=place.pointer(word))
        resource = place.resource
        uri, _, fragment = ref.partition("#")
        if uri:
            base = urldefrag(urljoin(resource.base, uri))[0]
            target = self.resources().get(base)
            if target is None and base in self.resources():
                raise GrammarError(f"two subschemas are called {base!r}", pointer=place.pointer(word))
            if target is None:
                raise UnsupportedError(
                    f"{ref!r} is not in this schema, and nothing is fetched: put the schema it names under "
                    f"{'definitions' if self.draft < 2019 else '$defs'} and refer to it there",
                    pointer=place.pointer(word),
                )
            resource = target
        fragment = unquote(fragment)
        if not fragment:
            return self._number(resource.root, resource, None, resource.tokens)
        if fragment.startswith("/"):
            return self._walk(place, ref, word, resource, fragment)
        self.resources()
        anchored = resource.anchors.get(fragment)
        if anchored is None:
            raise GrammarError(f"nothing is called {ref!r} in this schema", pointer=place.pointer(word))
        return self._number(anchored[0], resource, None, anchored[1])

    def _walk(self, place: Place, ref: str, word: str, resource: Resource, fragment: str) -> Conj:
        at: Any = resource.root
        tokens = [part.replace("~1", "/").replace("~0", "~") for part in fragment[1:].split("/")]
        for token in tokens:
            if isinstance(at, dict) and token in at:
                at = at[token]
            elif isinstance(at, list) and token.isdecimal() and token.isascii() and int(token) < len(at):
                at = at[int(token)]
            else:
                raise GrammarError(f"{ref!r} leads nowhere: there is no {token!r}", pointer=place.pointer(word))
            if isinstance(at, dict) and isinstance(at.get(self._id_word), str):
                # the way passes into another resource, if that is a schema and not, say, a property called $id
                self.resources()
                resource = self._own.get(id(at), resource)
        return self._number(at, resource, None, (*self.root.tokens, *tokens))

    def resources(self) -> dict[str, Resource | None]:
        """Every schema with a base URI, by that URI; found by one walk over the whole schema, when first asked for."""
        if self._resources is None:
            self._resources = {self.root.base: self.root}
            for schema, resource, tokens in self._subschemas():
                for word in ("$anchor", "$dynamicAnchor"):
                    if isinstance(schema.get(word), str):
                        resource.anchors.setdefault(schema[word], (schema, tokens))
                own = schema.get(self._id_word)
                if isinstance(own, str) and own.startswith("#") and self.draft < 2019:
                    resource.anchors.setdefault(own[1:], (schema, tokens))
        return self._resources

    def _subschemas(self) -> Iterator[tuple[dict[str, Any], Resource, tuple[str, ...]]]:
        """Every dict that may be a schema, with its resource. Literal values and the maps of names are not schemas."""
        assert self._resources is not None
        stack: list[tuple[Any, Resource, tuple[str, ...], bool]] = [(self.root.root, self.root, (), True)]
        while stack:
            at, resource, tokens, is_schema = stack.pop()
            if isinstance(at, list):
                stack.extend((value, resource, (*tokens, str(i)), True) for i, value in enumerate(at))
            if not isinstance(at, dict):
                continue
            if is_schema:
                own = at.get(self._id_word)
                if isinstance(own, str) and not own.startswith("#") and at is not self.root.root:
                    resource = self._resource_of(at, resource, own, tokens)
                    known = resource.base in self._resources
                    self._resources[resource.base] = None if known else resource
                yield at, resource, tokens
            for key, value in at.items():
                if is_schema and key in _LITERALS:
                    continue
                stack.append((value, resource, (*tokens, key), not (is_schema and key in _MAPS)))


_LITERALS = frozenset(["const", "default", "enum", "example", "examples"])
_MAPS = frozenset(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"])


def check_names(names: Iterable[Any], pointer: str) -> None:
    """Raise unless all the keys of a dict are strings, as JSON's are."""
    for name in names:
        if not isinstance(name, str):
            raise GrammarError(f"a key is a string, not {name!r:.40}", pointer=pointer)


def kind_of(value: Any) -> str:
    """The JSON type of a Python value, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float, Decimal)):
        return "a number"
    for kind, name in ((str, "a string"), (list, "an array"), (dict, "an object")):
        if isinstance(value, kind):
            return name
    return f"a {type(value).__name__}"
