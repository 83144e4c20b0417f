# cython: language_level=3, nonecheck=True
"""Documents, the resources in them (schemas with a base URI of their own), and the anchors of each resource.

A document is searched for names only when a reference needs one. Most documents are never searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

from ffgrammar.grammar.json_schema.documents.dialects import Dialect, Dialects
from ffgrammar.grammar.json_schema.spec.keywords import Holds, words_holding

__all__ = ["RECURSIVE", "Anchor", "Document", "Resource", "resolve"]

# The name of `$recursiveAnchor`, the one dynamic anchor of draft 2019-09. No other anchor can have this name.
RECURSIVE = "#"

# The keywords that hold subschemas in at least one draft. An `$id` anywhere else names nothing.
_ONE = words_holding(Holds.SCHEMA, Holds.SCHEMA_OR_LIST)
_LISTS = words_holding(Holds.LIST, Holds.SCHEMA_OR_LIST)
_MAPS = words_holding(Holds.MAP)


def resolve(base: str, ref: str) -> tuple[str, str]:
    """The absolute URI of a reference, without a fragment; and the fragment of the reference, decoded."""
    uri, _, fragment = ref.partition("#")
    try:
        return urljoin(base, uri) if uri else base, unquote(fragment)
    except ValueError:
        # `uri` is not a valid URI, so it cannot be resolved, but it can still be compared with others
        return uri, unquote(fragment)


class Anchor(NamedTuple):
    """A subschema that has a name in its resource. `tokens` are the parts of its JSON pointer in the document."""

    schema: Any
    tokens: tuple[str, ...]


class Resource:
    """The root of a document, or a subschema with an `$id`.

    Attributes:
        document: the document that it is in.
        root, base, tokens: the schema, its base URI, and the parts of its JSON pointer in the document.
        dialect: the language that it is written in.
        declared: whether it or a schema around it has a `$schema`, or a `referencing.Registry` gives its draft. If not,
            some spellings of other drafts are read, too.
        anchors: subschemas by name; None for a name that two of them have.
        identified: whether it stands where a subschema may stand, so that references by its `$id` may lead to it.
        dynamic: subschemas by `$dynamicAnchor`; a root with `$recursiveAnchor` has the name RECURSIVE.
    """

    def __init__(
        self,
        document: Document,
        root: Any,
        base: str,
        tokens: tuple[str, ...],
        dialect: Dialect,
        declared: bool,
    ) -> None:
        self.document = document
        self.root = root
        self.base = base
        self.tokens = tokens
        self.dialect = dialect
        self.declared = declared
        self.identified = False
        self.anchors: dict[str, Anchor | None] = {}
        self.dynamic: dict[str, Anchor] = {}

    def name(self, name: str, anchor: Anchor) -> None:
        """Record the name of a subschema."""
        known = self.anchors.setdefault(name, anchor)
        if known is not None and known.schema is not anchor.schema:
            self.anchors[name] = None


class Document:
    """The caller's schema, or a schema from the registry, with all schemas inside it.

    Attributes:
        root: the resource at its root.
        uri: its URI in the registry; "" for the caller's schema.
        dynamic_refs: the names that its `$dynamicRef`s use, and RECURSIVE if it has a `$recursiveRef`; empty until
            `named` has read the document.
    """

    def __init__(self, contents: Any, uri: str, dialect: Dialect, declared: bool, dialects: Dialects) -> None:
        self.uri = uri
        self.dynamic_refs: set[str] = set()
        self._dialects = dialects
        self._own: dict[tuple[int, int], Resource] = {}
        self._named: dict[str, Resource | None] | None = None
        base = uri
        if isinstance(contents, dict):
            own = contents.get(_id_word(dialect))
            # the caller's schema has no other URI, so its `$id` counts even beside a `$ref` in a draft up to 7
            if isinstance(own, str) and not (uri and _is_mere_ref(contents, dialect)):
                base = resolve(uri, own)[0]
        self.root = Resource(self, contents, base, (), dialect, declared)

    def close(self) -> None:
        """Drop the resources, which refer back to the document."""
        self.root = None  # type: ignore[assignment]
        self._own.clear()
        self._named = None

    def inside(self, schema: dict[str, Any], outer: Resource, tokens: tuple[str, ...]) -> Resource:
        """The resource of a subschema that stands in the resource `outer`: a new one, if its `$id` starts one."""
        if schema is outer.root:
            return outer
        found = self._own.get((id(schema), id(outer)))
        if found is not None:
            return found
        dialect, declared = outer.dialect, outer.declared
        named = schema.get("$schema")
        if isinstance(named, str):
            dialect, declared = self._dialects.named(named, dialect.draft), True
        own = schema.get(_id_word(dialect))
        if not isinstance(own, str) or _is_mere_ref(schema, dialect):
            return outer
        base, fragment = resolve(outer.base, own)
        # up to draft 7, an `$id` with a fragment is an anchor
        if not own.partition("#")[0] or (fragment and base == outer.base and dialect.draft < 2019):
            return outer
        found = self._own[id(schema), id(outer)] = Resource(self, schema, base, tokens, dialect, declared)
        return found

    def crossed(self, schema: dict[str, Any], outer: Resource) -> Resource:
        """The resource of a value that a JSON pointer passes through. The value need not be a schema."""
        if isinstance(schema.get("$id"), str) or isinstance(schema.get("id"), str):
            self.named()
            found = self._own.get((id(schema), id(outer)))
            return found if found is not None and found.identified else outer
        return outer

    def named(self) -> dict[str, Resource | None]:
        """The resources by base URI; None for a URI that two of them have. The first call reads the whole document."""
        if self._named is None:
            self._named = {self.root.base: self.root}
            for schema, resource, tokens in self._subschemas():
                if schema is resource.root:
                    resource.identified = True
                    known = self._named.setdefault(resource.base, resource)
                    if known is not None and known.root is not schema:
                        self._named[resource.base] = None
                self._read_names(schema, resource, tokens)
        return self._named

    def _read_names(self, schema: dict[str, Any], resource: Resource, tokens: tuple[str, ...]) -> None:
        draft = resource.dialect.draft
        anchor = Anchor(schema, tokens)
        if draft < 2019:
            own = schema.get(_id_word(resource.dialect))
            if isinstance(own, str) and not _is_mere_ref(schema, resource.dialect):
                fragment = resolve("", own)[1]
                if fragment:
                    resource.name(fragment, anchor)
            return
        name = schema.get("$anchor")
        if isinstance(name, str):
            resource.name(name, anchor)
        if draft == 2019:
            if schema is resource.root and schema.get("$recursiveAnchor") is True:
                resource.dynamic[RECURSIVE] = anchor
            if "$recursiveRef" in schema:
                self.dynamic_refs.add(RECURSIVE)
            return
        name = schema.get("$dynamicAnchor")
        if isinstance(name, str):
            resource.name(name, anchor)
            resource.dynamic.setdefault(name, anchor)
        ref = schema.get("$dynamicRef")
        if isinstance(ref, str):
            self.dynamic_refs.add(resolve("", ref)[1])

    def _subschemas(self) -> Iterator[tuple[dict[str, Any], Resource, tuple[str, ...]]]:
        """Every subschema, with its resource and the parts of its JSON pointer."""
        stack: list[tuple[Any, Resource, tuple[str, ...]]] = [(self.root.root, self.root, ())]
        while stack:
            at, outer, tokens = stack.pop()
            if not isinstance(at, dict):
                continue
            resource = self.inside(at, outer, tokens)
            yield at, resource, tokens
            for word, value in at.items():
                if isinstance(value, dict):
                    if word in _ONE:
                        stack.append((value, resource, (*tokens, word)))
                    elif word in _MAPS:
                        stack.extend([(one, resource, (*tokens, word, str(name))) for name, one in value.items()])
                elif isinstance(value, list) and word in _LISTS:
                    stack.extend([(one, resource, (*tokens, word, str(i))) for i, one in enumerate(value)])


def _id_word(dialect: Dialect) -> str:
    return "id" if dialect.draft == 4 else "$id"


def _is_mere_ref(schema: dict[str, Any], dialect: Dialect) -> bool:
    """Whether a schema has a `$ref` in a draft up to 7, where all keywords beside a `$ref` are ignored."""
    return dialect.draft < 2019 and isinstance(schema.get("$ref"), str)
