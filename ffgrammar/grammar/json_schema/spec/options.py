"""What a caller may choose, and the drafts of JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ffgrammar.core.errors import GrammarError

__all__ = ["DRAFTS", "Options", "draft_of", "options_of"]

# The `$schema` of each draft, without its scheme and the trailing '#'.
DRAFTS = {
    "json-schema.org/draft-04/schema": 4,
    "json-schema.org/draft-06/schema": 6,
    "json-schema.org/draft-07/schema": 7,
    "json-schema.org/draft/2019-09/schema": 2019,
    "json-schema.org/draft/2020-12/schema": 2020,
}


def draft_of(uri: str) -> int | None:
    """The draft that a `$schema` names; None: it is not a known draft."""
    return DRAFTS.get(uri.partition("://")[2].rstrip("#"))


MAX_INDENT = 1000


@dataclass(frozen=True)
class Options:
    """How JSON texts are spelled, and what is enforced.

    Attributes:
        whitespace: "flexible": any JSON whitespace wherever RFC 8259 allows it, also before and after the value;
            "compact": none; a number n: as "flexible", but at most n characters in each position.
        formats: "enforce": known formats are enforced; "annotation": they are enforced only where a schema's metaschema
            demands it. Each format that is not enforced leads to a warning.
        property_order: "schema": first the keys that `properties` names, in the schema's order; then all other keys. If
            some of the other keys are required, these keep the order of `required`. "any": keys in any order.
        draft: 4, 6, 7, 2019 or 2020; None: the draft that `$schema` names, or 2020 if there is no `$schema`.
        separators: the text between items, and the text between a key and its value, as in json.dumps: a comma and a
            colon, with or without whitespace around them. The only other whitespace is the line breaks and indents of
            `indent`.
        indent: as in json.dumps: items are on lines of their own. Each line begins with a multiple of this number of
            spaces. `separators` is then (",", ": ") unless it is given.
        integer_spelling: "plain": an integer is spelled with digits only; "any": also with a fraction of zeros or an
            exponent (1.0, 1e2), except in draft 4, where such a number is not an integer.
    """

    whitespace: str | int = "flexible"
    formats: str = "enforce"
    property_order: str = "schema"
    draft: int | None = None
    separators: tuple[str, str] | None = None
    indent: int | None = None
    integer_spelling: str = "plain"

    def __post_init__(self) -> None:
        space = self.whitespace
        if isinstance(space, bool) or not (space in ("flexible", "compact") or (isinstance(space, int) and space >= 0)):
            raise GrammarError(f"whitespace must be 'flexible', 'compact' or a number from 0 up, not {space!r}")
        if self.formats not in ("enforce", "annotation"):
            raise GrammarError(f"formats must be 'enforce' or 'annotation', not {self.formats!r}")
        if self.property_order not in ("schema", "any"):
            raise GrammarError(f"property_order must be 'schema' or 'any', not {self.property_order!r}")
        if self.integer_spelling not in ("plain", "any"):
            raise GrammarError(f"integer_spelling must be 'plain' or 'any', not {self.integer_spelling!r}")
        if self.draft is not None and self.draft not in DRAFTS.values():
            raise GrammarError(f"draft must be one of {sorted(DRAFTS.values())}, not {self.draft!r}")

        if self.is_laid_out:
            self._check_layout()

    def _check_layout(self) -> None:
        if self.whitespace != "flexible":
            raise GrammarError("separators and indent decide where whitespace is: whitespace cannot be set as well")
        if self.indent is not None and (type(self.indent) is not int or not 0 <= self.indent <= MAX_INDENT):
            raise GrammarError(f"indent must be a number from 0 to {MAX_INDENT}, not {self.indent!r}")
        given = self.separators
        if given is not None and not (
            isinstance(given, (tuple, list))
            and len(given) == 2
            and all([type(one) is str and one.strip(" \t\r\n") == mark for one, mark in zip(given, ",:", strict=True)])
        ):
            message = "separators must be a comma and a colon, with or without whitespace around them"
            raise GrammarError(f"{message}, not {given!r}")

    @cached_property
    def is_laid_out(self) -> bool:
        """Whether `separators` or `indent` decide where whitespace is."""
        return self.separators is not None or self.indent is not None

    @cached_property
    def marks(self) -> tuple[str, str]:
        """The text between items, and the text between a key and its value. What `whitespace` allows is not in them."""
        if self.separators is not None:
            return (self.separators[0], self.separators[1])
        return (",", ": ") if self.indent is not None else (",", ":")

    @cached_property
    def family(self) -> str:
        """Lexemes of grammars with equal families are spelled alike (`GrammarIR.family`)."""
        return f"json {self.whitespace!r} {self.separators!r} {self.indent!r}"

    @cached_property
    def compact(self) -> bool:
        """Whether no whitespace is allowed at all."""
        if self.is_laid_out:
            return self.marks == (",", ":") and self.indent is None
        return self.whitespace in ("compact", 0)


def options_of(*chosen: Any) -> Options:
    """The options with these values, in the order of the fields of `Options`. Most schemas have the same options, so
    they are kept.

    Raises:
        GrammarError: an option may not have this value.
    """
    try:
        return _kept(*chosen)
    except TypeError:
        # (a list of separators cannot be looked up)
        return Options(*chosen)


@lru_cache(maxsize=64, typed=True)
def _kept(*chosen: Any) -> Options:
    return Options(*chosen)
