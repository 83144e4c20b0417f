# cython: language_level=3, nonecheck=True
"""Subschemas by number, their positions in the schema, and where references lead.

Constraints refer to a subschema by its number, without reading it. A dict is one subschema in each resource and dynamic
scope, no matter by which path it is reached: `{"$ref": "#"}` gives the number of the root again.
"""

from __future__ import annotations

import re
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.core.pointers import escaped, unescaped
from ffgrammar.core.turn import turn
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.dialects import DIALECTS, Dialect, Dialects
from ffgrammar.grammar.json_schema.documents.registry import Entry, Registry
from ffgrammar.grammar.json_schema.documents.resources import RECURSIVE, Document, Resource, resolve
from ffgrammar.grammar.json_schema.documents.scopes import NameNeeded, Scopes
from ffgrammar.grammar.json_schema.documents.text import kind_of

__all__ = ["Subschema", "Subschemas", "subschema_at"]

# the dialect of the schemas that the compiler makes
_MODERN = DIALECTS[2020]
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")


class Subschema:
    """One subschema and its position: `tokens` are the parts of the JSON pointer that lead to it from its parent, or
    from the root of its document if it has no parent."""

    schema: Any
    resource: Resource
    parent: Subschema | None
    tokens: tuple[str, ...]
    depth: int
    scope: int
    # the conjunctions of the subschemas in this resource and scope, by the id() of their schema
    numbers: dict[int, Conj]
    # whether the compiler made this subschema or one around it; it is then read by draft 2020-12
    modern: bool

    @property
    def dialect(self) -> Dialect:
        """The language that it is written in."""
        return _MODERN if self.modern else self.resource.dialect

    @property
    def draft(self) -> int:
        """The draft of its dialect."""
        return self.dialect.draft

    def keywords(self) -> dict[Any, Any]:
        """The keywords that have a meaning: up to draft 7, a `$ref` turns off all keywords beside it."""
        schema: dict[Any, Any] = self.schema
        return {"$ref": schema["$ref"]} if "$ref" in schema and self.draft < 2019 else schema

    def pointer(self, *more: str) -> str:
        """The JSON pointer of this subschema, or of a value below it. If it is not in the caller's schema, the URI of
        its document comes first."""
        parts: list[str] = list(reversed(more))
        subschema = self
        while True:
            parts.extend(reversed(subschema.tokens))
            if subschema.parent is None:
                break
            subschema = subschema.parent
        uri = subschema.resource.document.uri
        pointer = "".join("/" + escaped(part) for part in reversed(parts))
        return f"{uri}#{pointer}" if uri else pointer

    def written_pointer(self) -> str:
        """The pointer, for messages, of this subschema, or of the nearest one around it that was not synthesized."""
        subschema = self
        while subschema.modern and subschema.parent is not None:
            subschema = subschema.parent
        return subschema.pointer() or "the root"


def subschema_at(
    schema: Any,
    resource: Resource,
    parent: Subschema | None,
    tokens: tuple[str, ...],
    depth: int,
    scope: int,
    numbers: dict[int, Conj],
) -> Subschema:
    """A new subschema. (A constructor with these arguments takes three times as long.)"""
    made: Subschema = Subschema.__new__(Subschema)
    made.schema = schema
    made.resource = resource
    made.parent = parent
    made.tokens = tokens
    made.depth = depth
    made.scope = scope
    made.numbers = numbers
    made.modern = parent is not None and parent.modern
    return made


class Subschemas:
    """Numbers the subschemas of one schema and resolves references between them."""

    def __init__(
        self,
        schema: Any,
        limits: Limits,
        draft: int | None,
        registry: Registry,
        names: frozenset[str] = frozenset(),
    ) -> None:
        """names: the dynamic anchors to follow. `follow` raises NameNeeded when it meets another one."""
        self.limits = limits
        self._registry = registry
        self._dialects = Dialects(registry, draft)
        self._scopes = Scopes(names, limits)
        declared = schema.get("$schema") if isinstance(schema, dict) else None
        if draft is None and declared is not None and not isinstance(declared, str):
            raise GrammarError(f"$schema must be a URI, not {kind_of(declared)}", pointer="/$schema")
        dialect = DIALECTS[draft or 2020] if draft or declared is None else self._dialects.named(declared)
        self._main = Document(schema, "", dialect, declared is not None, self._dialects)
        # by URI and dialect. If neither its `$schema` nor the registry gives the dialect of a document, it is read by
        # the dialect of the schema that refers to it, and kept once for each such dialect. Any other document is kept
        # under None.
        self._documents: dict[tuple[str, Dialect | None], Document] = {}
        self._inner: dict[str, Resource | None] | None = None
        # by subschema and word: where the reference leads
        self._followed: dict[tuple[Subschema, str], Conj] = {}
        # by the id() of a resource and by scope: the conjunctions of the schemas there, by the id() of the schema
        self._numbers: dict[tuple[int, int], dict[int, Conj]] = {}
        root = self._main.root
        self.list: list[Subschema] = [subschema_at(False, root, None, (), 0, 0, {})]
        self.start = self._entered(schema, root, (), 0)

    def close(self) -> None:
        """Break the reference cycles of the documents, so that their memory is freed at once. Nothing can be read after
        this."""
        for document in (self._main, *self._documents.values()):
            document.close()

    def child(self, subschema: Subschema, schema: Any, tokens: tuple[str, ...]) -> Conj:
        """The conjunction of a schema inside a subschema; tokens: the parts of the JSON pointer between the two."""
        if schema is True:
            return ()
        numbers = subschema.numbers
        found = numbers.get(id(schema))
        return (
            self._number(schema, numbers, subschema.resource, subschema, tokens, subschema.scope)
            if found is None
            else found
        )

    def synthesized(self, subschema: Subschema, schema: dict[Any, Any], *tokens: str) -> Conj:
        """The conjunction of a schema that the compiler made, in draft 2020-12.

        Args:
            subschema, tokens: the position of the schema in messages: a subschema, and the parts of the JSON pointer
                from there.
            schema: the schema.
        """
        conj = self.child(subschema, schema, tokens)
        for at in conj:
            self.list[at].modern = True
        return conj

    def _entered(self, schema: Any, resource: Resource, tokens: tuple[str, ...], scope: int) -> Conj:
        """The conjunction of a schema that a reference leads to from a scope."""
        scope = self._scopes.enter(scope, resource)
        numbers = self._numbers_of(resource, scope)
        found = numbers.get(id(schema))
        return self._number(schema, numbers, resource, None, tokens, scope) if found is None else found

    def _numbers_of(self, resource: Resource, scope: int) -> dict[int, Conj]:
        key = (id(resource), scope)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = {}
        return found

    def _number(
        self,
        schema: Any,
        numbers: dict[int, Conj],
        resource: Resource,
        parent: Subschema | None,
        tokens: tuple[str, ...],
        scope: int,
    ) -> Conj:
        """The conjunction of a subschema that is not in `numbers` yet."""
        if schema is True:
            return ()
        if schema is False:
            return NEVER
        # Without a parent, the depth is estimated from the JSON pointer. Most levels have two parts there: a keyword,
        # and a name or an index.
        depth = parent.depth + 1 if parent is not None else len(tokens) // 2
        subschema = subschema_at(schema, resource, parent, tokens, depth, scope, numbers)
        if not isinstance(schema, dict):
            raise GrammarError(
                f"a schema must be an object or a boolean, not {kind_of(schema)}", pointer=subschema.pointer()
            )
        if depth > self.limits.nesting:
            at = f"at {subschema.written_pointer()}"
            raise LimitError("nesting", self.limits.nesting, "the schema is nested too deep", at)
        if not schema:
            return ()
        if "$id" in schema or "id" in schema:
            own = resource.document.inside(schema, resource, subschema.tokens)
            if own is not resource:
                subschema.resource = own
                subschema.scope = self._scopes.enter(scope, own)
                subschema.numbers = self._numbers_of(own, subschema.scope)
                found = subschema.numbers.get(id(schema))
                if found is not None:
                    numbers[id(schema)] = found
                    return found
        if subschema.resource.dialect.refusal is not None:
            where = subschema_at(schema, subschema.resource, None, subschema.resource.tokens, 0, 0, {})
            raise UnsupportedError(subschema.resource.dialect.refusal, pointer=where.pointer("$schema"))
        conj = numbers[id(schema)] = (len(self.list),)
        if subschema.numbers is not numbers:
            subschema.numbers[id(schema)] = conj
        self.list.append(subschema)
        if not len(self.list) % 256:
            turn()
        return conj

    # References

    def follow(self, subschema: Subschema, ref: Any, word: str = "$ref") -> Conj:
        """The conjunction that a reference leads to; word is `$ref`, `$dynamicRef` or `$recursiveRef`."""
        key = (subschema, word)
        found = self._followed.get(key)
        if found is None:
            found = self._followed[key] = self._target(subschema, ref, word)
        return found

    def _target(self, subschema: Subschema, ref: Any, word: str) -> Conj:
        if not isinstance(ref, str):
            raise GrammarError(f"{word} must be a URI reference, not {kind_of(ref)}", pointer=subschema.pointer(word))
        if word == "$recursiveRef" and ref != "#":
            raise GrammarError(f"$recursiveRef must be '#', not {ref!r}", pointer=subschema.pointer(word))
        resource = subschema.resource
        uri, fragment = resolve(resource.base, ref)
        if ref.partition("#")[0]:
            resource = self._named(uri, subschema, ref, word)
        if fragment.startswith("/"):
            return self._walk(subschema, ref, word, resource, fragment)
        if not fragment:
            schema, tokens = resource.root, resource.tokens
        else:
            resource.document.named()
            anchor = resource.anchors.get(fragment)
            if anchor is None:
                if fragment in resource.anchors:
                    raise GrammarError(f"two subschemas have the name {ref!r}", pointer=subschema.pointer(word))
                raise GrammarError(f"nothing in this schema has the name {ref!r}", pointer=subschema.pointer(word))
            schema, tokens = anchor
        if word != "$ref":
            name = RECURSIVE if word == "$recursiveRef" else fragment
            resource.document.named()
            anchor = resource.dynamic.get(name)
            if anchor is not None and anchor.schema is schema:
                resource = self._first(subschema, name) or resource
                schema, tokens = resource.dynamic[name]
                if name in resource.anchors and resource.anchors[name] is None:
                    raise GrammarError(f"two subschemas have the name '#{name}'", pointer=subschema.pointer(word))
        return self._entered(schema, resource, tokens, subschema.scope)

    def _first(self, subschema: Subschema, name: str) -> Resource | None:
        if name not in self._scopes.names:
            needed = {name}
            for document in (self._main, *self._documents.values()):
                needed |= document.dynamic_refs
            raise NameNeeded(self._scopes.names | needed)
        return self._scopes.first(subschema.scope, name)

    def _walk(self, subschema: Subschema, ref: str, word: str, resource: Resource, fragment: str) -> Conj:
        at: Any = resource.root
        tokens = resource.tokens
        for part in fragment[1:].split("/"):
            token = unescaped(part)
            if isinstance(at, dict) and token in at:
                at = at[token]
            elif isinstance(at, list) and _is_index(token) and int(token) < len(at):
                at = at[int(token)]
            else:
                raise GrammarError(f"{ref!r} leads nowhere: there is no {token!r}", pointer=subschema.pointer(word))
            tokens = (*tokens, token)
            if isinstance(at, dict):
                resource = resource.document.crossed(at, resource)
        return self._entered(at, resource, tokens, subschema.scope)

    # Resources by URI

    def _named(self, uri: str, subschema: Subschema, ref: str, word: str) -> Resource:
        """The resource of a URI: in the same document, in the caller's schema, or in the registry."""
        for document in (subschema.resource.document, self._main):
            named = document.named()
            if uri in named:
                break
        else:
            named = self._outside(uri, subschema.resource.dialect)
        found = named.get(uri)
        if found is not None:
            return found
        if uri in named:
            raise GrammarError(f"two subschemas have the name {uri!r}", pointer=subschema.pointer(word))
        raise UnsupportedError(
            f"{ref!r} is neither in this schema nor in the registry, and nothing is fetched: pass the schema it names "
            f"in registry=, or put it under {'definitions' if subschema.draft < 2019 else '$defs'} and refer to "
            "it there",
            pointer=subschema.pointer(word),
        )

    def _outside(self, uri: str, dialect: Dialect) -> dict[str, Resource | None]:
        entry = self._registry.get(uri)
        if entry is None:
            inner = self._inner_resources()
            if uri in inner:
                return inner
            entry = self._registry.retrieve(uri)
        return {} if entry is None else {uri: self._root_of(uri, entry, dialect)}

    def _root_of(self, uri: str, entry: Entry, dialect: Dialect) -> Resource:
        """The resource at the root of an entry of the registry."""
        contents = entry.contents
        own = contents.get("$id", contents.get("id")) if isinstance(contents, dict) else None
        if isinstance(own, str) and not _SCHEME.match(own):
            # A registry may also list parts of its documents. The URI of such a part comes from its relative `$id`
            # already, so this `$id` must not be resolved against the URI again.
            part = self._inner_resources().get(uri)
            if part is not None and part.root is contents:
                return part
        return self._document(uri, entry, dialect).root

    def _document(self, uri: str, entry: Entry, dialect: Dialect) -> Document:
        contents = entry.contents
        declared = contents.get("$schema") if isinstance(contents, dict) else None
        key: tuple[str, Dialect | None] = (uri, None)
        if isinstance(declared, str):
            dialect = self._dialects.named(declared, dialect.draft)
        elif entry.draft is not None:
            dialect = Dialect(entry.draft)
        else:
            key = (uri, dialect)
        found = self._documents.get(key)
        if found is None:
            is_declared = isinstance(declared, str) or entry.draft is not None
            found = self._documents[key] = Document(contents, uri, dialect, is_declared, self._dialects)
        return found

    def _inner_resources(self) -> dict[str, Resource | None]:
        """The resources in all documents of the registry, by base URI; None for a URI that two of them have."""
        if self._inner is None:
            self._inner = {}
            for uri in self._registry.uris():
                entry = self._registry.get(uri)
                if entry is None:
                    continue
                for name, resource in self._document(uri, entry, self._main.root.dialect).named().items():
                    known = self._inner.setdefault(name, resource)
                    if known is None or resource is None or known.root is not resource.root:
                        self._inner[name] = None
        return self._inner


def _is_index(token: str) -> bool:
    return token.isdecimal() and token.isascii() and (token == "0" or not token.startswith("0"))
