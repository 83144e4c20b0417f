"""Dialects: which words are keywords, by draft and by the vocabularies that a metaschema turns on."""

from __future__ import annotations

from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.registry import Registry
from ffgrammar.grammar.json_schema.spec.internal_keywords import InternalKeyword
from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD, KEYWORDS, Role
from ffgrammar.grammar.json_schema.spec.options import DRAFTS, draft_of

__all__ = ["DIALECTS", "Dialect", "Dialects"]


class Dialect(NamedTuple):
    """The language that a schema is written in.

    Attributes:
        draft: 4, 6, 7, 2019 or 2020.
        off: the keywords that are turned off, because the dialect does not use their vocabularies.
        asserts_formats: whether the dialect demands that `format` is enforced, whatever the caller chose.
        refusal: why schemas in the dialect cannot be read; None: they can.
    """

    draft: int
    off: frozenset[str] = frozenset()
    asserts_formats: bool = False
    refusal: str | None = None

    def has(self, word: Any) -> bool:
        """Whether this dialect has a word that is a keyword in some draft."""
        draft = self.draft
        return _SINCE.get(word, 0) <= draft <= _UNTIL.get(word, draft) and word not in self.off

    def knows(self, word: Any) -> bool:
        """Whether a word is a keyword of this dialect. Internal keywords are keywords of every dialect."""
        return (word in BY_WORD and self.has(word)) or isinstance(word, InternalKeyword)


# _SINCE: the first draft that has a word, if this draft is later than 4. _UNTIL: the last draft that has a word, if
# later drafts do not have it.
_SINCE = {row.word: row.since for row in KEYWORDS if row.since > 4}
_UNTIL = {row.word: row.until for row in KEYWORDS if row.until is not None}

# The dialect of each draft.
DIALECTS = {draft: Dialect(draft) for draft in DRAFTS.values()}

# The vocabularies of each draft, by the last part of their URIs.
_VOCABULARIES = {
    2019: frozenset([name for row in KEYWORDS for name in row.vocabulary.in_2019]),
    2020: frozenset([name for row in KEYWORDS for name in row.vocabulary.in_2020]),
}
_PREFIXES = {
    2019: "https://json-schema.org/draft/2019-09/vocab/",
    2020: "https://json-schema.org/draft/2020-12/vocab/",
}


class Dialects:
    """The dialects that the schemas of one build name by `$schema`."""

    def __init__(self, registry: Registry, draft: int | None) -> None:
        self._registry = registry
        # the draft that the caller chose for schemas that name no known dialect
        self._chosen = draft
        self._named: dict[str, Dialect] = {}

    def named(self, uri: str, outer: int = 2020) -> Dialect:
        """The dialect that `uri`, the `$schema` of some schema, names.

        `outer` is the draft of the schema that contains that schema or refers to it. An unknown dialect gets the draft
        that the caller chose. If the caller chose none, it gets the draft `outer`, and a refusal.
        """
        found = self._named.get(uri)
        if found is None:
            found = self._named[uri] = self._find(uri, outer, set())
        return found

    def _find(self, uri: str, outer: int, seen: set[str]) -> Dialect:
        draft = draft_of(uri)
        if draft is not None:
            return DIALECTS[draft]
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
    """The dialect that a metaschema with this `$vocabulary` describes."""
    known = _VOCABULARIES[draft]
    used: set[str] = set()
    asserts = False
    for name, is_needed in listed.items():
        own = name.removeprefix(_PREFIXES[draft]) if isinstance(name, str) else ""
        if own in known:
            used.add(own)
            # 2019-09 enforces formats if its vocabulary for them is required; 2020-12 has one vocabulary that enforces
            # formats, and one that does not
            asserts = asserts or own == "format-assertion" or (own == "format" and is_needed is True)
        elif is_needed is not False:
            return Dialect(draft, refusal=f"the dialect {uri!r} needs the vocabulary {name!r}, which is not known")
    return Dialect(draft, _turned_off(draft, used), asserts)


def _turned_off(draft: int, used: set[str]) -> frozenset[str]:
    """The assertions and companions that belong to vocabularies, but to none of those that are used.

    Keywords of the vocabulary `core` are never turned off.
    """
    off = set()
    for row in KEYWORDS:
        names = row.vocabulary.in_2019 if draft == 2019 else row.vocabulary.in_2020
        if names and used.isdisjoint(names) and "core" not in names and row.role is not Role.ANNOTATION:
            off.add(row.word)
    return frozenset(off)
