"""Schemas from outside: those the caller passes in, and the metaschemas of the drafts.

Nothing is fetched here, unless the caller's `referencing.Registry` has a `retrieve` function that fetches.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.text import kind_of, read_text

__all__ = ["Entry", "Registry"]

METASCHEMAS = os.path.join(os.path.dirname(__file__), "data", "metaschemas.json")


class Entry(NamedTuple):
    """A schema from outside, and the draft to read it by if it has no `$schema` (None: unknown)."""

    contents: Any
    draft: int | None


class Registry:
    """What the caller passed as `registry=`: a `referencing.Registry`, or a mapping from URIs to schemas.

    Subschemas are recognised by the identity of their objects, so the same URI must always give the same object.
    """

    def __init__(self, given: Any, limits: Limits) -> None:
        self._limits = limits
        # a `referencing.Registry` is recognised by its API: the package is imported only when it is in use
        self._full: Any = given if given is not None and hasattr(given, "get_or_retrieve") else None
        self._plain: dict[str, Any] = {}
        if self._full is None and given is not None:
            if not isinstance(given, Mapping):
                raise GrammarError(
                    f"registry must be a referencing.Registry or a mapping from URIs, not {kind_of(given)}"
                )
            self._plain = {str(uri).rstrip("#"): schema for uri, schema in given.items()}
        self._found: dict[str, Entry | None] = {}
        self._metaschemas: dict[str, Any] | None = None

    def uris(self) -> Iterable[str]:
        """The URIs in the caller's registry."""
        return [*self._plain] if self._full is None else [*self._full]

    def get(self, uri: str) -> Entry | None:
        """The schema of a URI that the caller's registry lists, that `retrieve` has found before, or that names the
        metaschema of a draft; None for any other URI."""
        if uri not in self._found:
            self._found[uri] = self._listed(uri) or self._known(uri)
        return self._found[uri]

    def _listed(self, uri: str) -> Entry | None:
        if self._full is not None:
            try:
                return _entry(self._full[uri])
            except KeyError:
                return None
        if uri not in self._plain:
            return None
        schema = self._plain[uri]
        if isinstance(schema, str):
            try:
                schema = read_text(schema, self._limits)
            except GrammarError as error:
                raise GrammarError(f"{uri}: {error.message}", line=error.line, column=error.column) from None
        return Entry(schema, None)

    def _known(self, uri: str) -> Entry | None:
        if "json-schema.org/" not in uri:
            return None
        if self._metaschemas is None:
            with open(METASCHEMAS, encoding="utf-8") as file:
                self._metaschemas = json.load(file)
        return Entry(self._metaschemas[uri], None) if uri in self._metaschemas else None

    def retrieve(self, uri: str) -> Entry | None:
        """The schema that the `retrieve` function of the caller's `referencing.Registry` gives for a URI that the
        registry does not list; None: there is no such function, or no such schema.

        Raises:
            UnsupportedError: the function failed.
        """
        if self._full is None:
            return None
        try:
            found = self._found[uri] = _entry(self._full.get_or_retrieve(uri).value)
        except Exception as error:
            # the caller's `retrieve` may raise anything; a registry without one raises a KeyError without a cause
            if isinstance(error, KeyError) and error.__cause__ is None:
                return None
            raise UnsupportedError(f"{uri!r} could not be retrieved: {error.__cause__ or error!r}") from error
        return found


def _entry(resource: Any) -> Entry:
    """The contents of a `referencing.Resource`, and the draft of its specification."""
    from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012

    contents = resource.contents
    for draft, specification in ((4, DRAFT4), (6, DRAFT6), (7, DRAFT7), (2019, DRAFT201909), (2020, DRAFT202012)):
        if specification.create_resource(contents) == resource:
            return Entry(contents, draft)
    return Entry(contents, None)
