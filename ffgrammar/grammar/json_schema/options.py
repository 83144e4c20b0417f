"""What a caller may choose, and the list of warnings that one build collects."""

from __future__ import annotations

from dataclasses import dataclass

from ffgrammar.core.errors import GrammarError

__all__ = ["DRAFTS", "Options", "draft_of"]

# The `$schema` of each draft, without scheme and trailing '#'.
DRAFTS = {
    "json-schema.org/draft-04/schema": 4,
    "json-schema.org/draft-06/schema": 6,
    "json-schema.org/draft-07/schema": 7,
    "json-schema.org/draft/2019-09/schema": 2019,
    "json-schema.org/draft/2020-12/schema": 2020,
}


def draft_of(uri: str) -> int | None:
    """The draft that a `$schema` names, or None when it is not one of the known ones."""
    return DRAFTS.get(uri.partition("://")[2].rstrip("#"))


@dataclass(frozen=True)
class Options:
    """How JSON texts are spelled, and what is enforced.

    Attributes:
        whitespace: "flexible": any JSON whitespace wherever RFC 8259 allows it, also before and after the value;
            "compact": none; a number n: at most n characters in each of these places.
        formats: "enforce": known formats are part of the language; "annotation": none is. What is not enforced is
            warned about.
        property_order: "schema": named properties in the schema's order, then other keys; "any": keys in any order.
        draft: 4, 6, 7, 2019 or 2020; None: what `$schema` says, else 2020.
        integer_spelling: "plain": an integer is spelled with digits only; "any": also with a fraction of zeros or an
            exponent (1.0, 1e2), except in draft 4, where that is no integer.
    """

    whitespace: str | int = "flexible"
    formats: str = "enforce"
    property_order: str = "schema"
    draft: int | None = None
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

    @property
    def compact(self) -> bool:
        """Whether no whitespace is allowed at all."""
        return self.whitespace == "compact" or self.whitespace == 0
