# cython: language_level=3
"""Which words are keywords: by draft, and by the vocabularies that a metaschema turns on."""

from __future__ import annotations

from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.registry import Registry
from ffgrammar.grammar.json_schema.spec.options import draft_of

__all__ = ["Dialect", "Dialects"]


class Dialect(NamedTuple):
    """The language that a schema is written in.

    Attributes:
        draft: 4, 6, 7, 2019 or 2020.
        off: keywords of vocabularies that it does without.
        asserts_formats: whether it has `format` enforced whatever the caller chose.
        refusal: why it cannot be read, if so.
    """

    draft: int
    off: frozenset[str] = frozenset()
    asserts_formats: bool = False
    refusal: str | None = None

    def has(self, word: Any) -> bool:
        """Whether a word, which is a keyword of some draft, is one here."""
        draft = self.draft
        return _SINCE.get(word, 0) <= draft <= _UNTIL.get(word, draft) and word not in self.off


# the first draft in which a word is a keyword, and the last
_SINCE = {
    "const": 6,
    "contains": 6,
    "propertyNames": 6,
    "if": 7,
    "dependentRequired": 2019,
    "dependentSchemas": 2019,
    "minContains": 2019,
    "maxContains": 2019,
    "unevaluatedItems": 2019,
    "unevaluatedProperties": 2019,
    "$recursiveRef": 2019,
    "prefixItems": 2020,
    "$dynamicRef": 2020,
}
_UNTIL = {"$recursiveRef": 2019}

_APPLICATOR = """additionalProperties allOf anyOf contains dependentSchemas else if items not oneOf patternProperties
properties propertyNames then""".split()
_UNEVALUATED = ["unevaluatedItems", "unevaluatedProperties"]
_VALIDATION = """const dependentRequired enum exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength
maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern required type
uniqueItems""".split()
_OTHERS: dict[str, list[str]] = {"core": [], "meta-data": [], "content": []}
# The keywords of the vocabularies that enforce something, by the year in a vocabulary's URI.
_VOCABULARIES: dict[int, dict[str, list[str]]] = {
    2019: {
        "applicator": [*_APPLICATOR, "additionalItems", *_UNEVALUATED],
        "validation": _VALIDATION,
        "format": ["format"],
        **_OTHERS,
    },
    2020: {
        "applicator": [*_APPLICATOR, "prefixItems"],
        "unevaluated": _UNEVALUATED,
        "validation": _VALIDATION,
        "format-annotation": ["format"],
        "format-assertion": ["format"],
        **_OTHERS,
    },
}
_PREFIXES = {
    2019: "https://json-schema.org/draft/2019-09/vocab/",
    2020: "https://json-schema.org/draft/2020-12/vocab/",
}


class Dialects:
    """The dialects that the schemas of one build name by `$schema`."""

    def __init__(self, registry: Registry, draft: int | None) -> None:
        self._registry = registry
        # what the caller chose for schemas that name none that is known
        self._chosen = draft
        self._named: dict[str, Dialect] = {}

    def named(self, uri: str, outer: int = 2020) -> Dialect:
        """The dialect of a `$schema`, outer being the draft around it."""
        found = self._named.get(uri)
        if found is None:
            found = self._named[uri] = self._find(uri, outer, set())
        return found

    def _find(self, uri: str, outer: int, seen: set[str]) -> Dialect:
        draft = draft_of(uri)
        if draft is not None:
            return Dialect(draft)
        seen.add(uri)
        plain = uri.rstrip("#")
        entry = self._registry.get(plain)
        if entry is None and self._chosen is None:
            entry = self._registry.retrieve(plain)
        if entry is None or not isinstance(entry.contents, dict):
            return self._unknown(uri, outer)
        vocabularies = entry.contents.get("$vocabulary")
        above = entry.contents.get("$schema")
        for draft in (2019, 2020):
            if isinstance(vocabularies, dict) and _PREFIXES[draft] + "core" in vocabularies:
                return _of_vocabularies(uri, draft, vocabularies)
        if not isinstance(above, str) or above in seen:
            return self._unknown(uri, outer)
        dialect = self._find(above, outer, seen)
        if dialect.refusal is None and isinstance(vocabularies, dict) and dialect.draft >= 2019:
            return _of_vocabularies(uri, dialect.draft, vocabularies)
        return dialect

    def _unknown(self, uri: str, outer: int) -> Dialect:
        if self._chosen is not None:
            return Dialect(self._chosen)
        return Dialect(
            outer,
            refusal=f"the dialect {uri!r} is not known: use one of the drafts 4, 6, 7, 2019-09, 2020-12, pass draft=, "
            "or put its metaschema in registry=",
        )


def _of_vocabularies(uri: str, draft: int, listed: dict[str, Any]) -> Dialect:
    """The dialect of a metaschema's `$vocabulary`."""
    known = _VOCABULARIES[draft]
    on: set[str] = set()
    asserts = False
    for name, is_needed in listed.items():
        own = name.removeprefix(_PREFIXES[draft]) if isinstance(name, str) else ""
        if own in known:
            on.update(known[own])
            # 2019-09: formats are enforced where the vocabulary is needed; 2020-12 has a vocabulary for either way
            asserts = asserts or own == "format-assertion" or (own == "format" and is_needed is True)
        elif is_needed is not False:
            return Dialect(draft, refusal=f"the dialect {uri!r} needs the vocabulary {name!r}, which is not known")
    off = frozenset(word for words in known.values() for word in words if word not in on)
    return Dialect(draft, off, asserts)
