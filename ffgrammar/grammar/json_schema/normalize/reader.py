# cython: language_level=3, nonecheck=True
"""Reading schemas, and applying their keywords to a shape.

`Reader.apply` walks a schema, and the schemas that apply to the same value (`allOf`, `$ref`), in the order of the text.
It collects alternatives as choices, which combine.py multiplies out. An unknown word is ignored, and gives a warning
unless it begins with `x-`.

The functions that apply keywords are in scalar_keywords.py, array_keywords.py, object_keywords.py, applicators.py and
internal.py; importing those modules registers the functions.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.documents.dialects import Dialect
from ffgrammar.grammar.json_schema.documents.resources import Resource
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize import (  # noqa: F401
    applicators,
    array_keywords,
    internal,
    object_keywords,
    scalar_keywords,
)
from ffgrammar.grammar.json_schema.normalize.context import APPLICATIONS, Context
from ffgrammar.grammar.json_schema.normalize.literals import check_names
from ffgrammar.grammar.json_schema.normalize.unevaluated import OWNER_WORDS
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ALL, TYPES
from ffgrammar.grammar.json_schema.spec.diagnostics import Warnings
from ffgrammar.grammar.json_schema.spec.internal_keywords import INTERNAL_KEYWORDS, TYPES_LEFT
from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD, KEYWORDS, Role
from ffgrammar.grammar.names import MAX_LETTERS, did_you_mean

__all__ = ["Reader"]

# For how many unknown words of a schema the keyword is looked for that may be meant. This takes longer than all else
# that is done with such a word.
MAX_COMPARED = 50
# How much like a keyword a word must be to be a misspelling of it. `nullable` and `enumNames` are none.
LIKENESS = 0.75

# what a look-up in a table gives for a word that is not a keyword
_UNKNOWN = object()


class Reader:
    """Reads the schemas of one build."""

    def __init__(self, context: Context, warnings: Warnings) -> None:
        self._context = context
        self._subschemas = context.subschemas
        self._warnings = warnings
        self._tables: dict[Resource, dict[Any, Any]] = {}
        # the words that are not keywords, and have been met before
        self._annotations: set[str] = set()

    def apply(self, shape: Shape, conj: Conj, path: EvaluationPath, choices: list[Choice]) -> set[Any]:
        """Apply the schemas of a conjunction to a shape, and append their alternatives to `choices`.

        `path` is that of the subschema which leads to the conjunction; () if there is none.

        Returns:
            The numbers of the subschemas that were applied (and other things, which are not numbers).

        Raises:
            GrammarError: a schema is malformed, or references lead in a circle.
            UnsupportedError: a keyword cannot be enforced exactly, or a reference leads to a schema that is not known.
            LimitError: too many schemas are nested, there are too many alternatives, or a keyword's value is too large.
            NameNeeded: the schema must be read again, keeping track of the name of a dynamic reference (see
                documents/scopes.py).
        """
        subschemas = self._subschemas.list
        context = self._context
        # a subschema is read once for each set of owners that it evaluates for (see unevaluated.py)
        done: set[Any] = set()
        # What is still to be read. For a subschema that is not begun: (its number, the path of the subschema that leads
        # to it, None). For a subschema that is begun: (its number, its own path, the keywords that are left).
        stack: list[tuple[int, EvaluationPath, Any]] = [(at, path, None) for at in reversed(conj)]
        while stack:
            at, path, rest = stack.pop()
            if not at:
                shape.types = 0
                return done
            subschema = subschemas[at]
            if rest is None:
                if path:
                    self._refuse_circle(at, path)
                key = (at, path[2]) if path and path[2] else at
                if key in done:
                    continue
                done.add(key)
                path = (at, path, self._owners(subschema, at, path))
                rest = iter(subschema.keywords().items())
            table = self._table(subschema)
            for word, value in rest:
                apply = table.get(word, _UNKNOWN)
                if apply is None:
                    continue
                if apply is _UNKNOWN:
                    self._unknown(subschema, word)
                    continue
                more = apply(context, shape, subschema, word, value, choices, path)
                if more:
                    stack.append((at, path, rest))
                    stack.extend([(inner, path, None) for inner in reversed(more)])
                    break
        return done

    def _owners(self, subschema: Subschema, at: int, path: EvaluationPath) -> tuple[int, ...]:
        """The owners (see unevaluated.py) for which a subschema evaluates: those of `path`, and the subschema itself if
        it is an owner.

        A synthesized schema evaluates for none.
        """
        if subschema.modern:
            return ()
        owners: tuple[int, ...] = path[2] if path else ()
        for word in OWNER_WORDS:
            if word in subschema.schema:
                return (*owners, at)
        return owners

    def _refuse_circle(self, at: int, path: EvaluationPath) -> None:
        depth = 0
        limit = self._subschemas.limits.nesting
        while path:
            depth += 1
            if path[0] == at:
                raise GrammarError(
                    "the references here lead in a circle: none of them ever reaches a part of the value",
                    pointer=self._subschemas.list[at].pointer(),
                )
            path = path[1]
        if depth > limit:
            where = self._subschemas.list[at].pointer()
            raise LimitError("nesting", limit, "schemas that apply to one value are nested too deep", f"at {where}")

    def plain_type(self, conj: Conj) -> str | None:
        """The name of a type, if a conjunction demands this type and nothing else; else None."""
        if len(conj) != 1:
            return None
        subschema = self._subschemas.list[conj[0]]
        name = subschema.schema.get("type") if conj[0] else None
        if type(name) is not str or name not in TYPES:
            return None
        table = self._table(subschema)
        for word in subschema.schema:
            # if a word is not in the table, the schema has to be read in full, so that there is a warning
            if word != "type" and table.get(word, _UNKNOWN) is not None:
                return None
        return name if "type" in table else None

    def types_of(self, at: int) -> int:
        """The types that `type` (or TYPES_LEFT) allows in a subschema, whatever else the subschema says."""
        if not at:
            return 0
        subschema = self._subschemas.list[at]
        schema = subschema.keywords()
        if TYPES_LEFT in schema:
            return int(schema[TYPES_LEFT])
        if "type" in schema and "type" in self._table(subschema):
            return self._context.values.types(subschema, "type", schema["type"])
        return ALL

    def _table(self, subschema: Subschema) -> dict[Any, Any]:
        """The keywords of a subschema's dialect, with the functions that apply them."""
        if subschema.modern:
            return _MODERN_TABLE
        found = self._tables.get(subschema.resource)
        if found is None:
            found = self._tables[subschema.resource] = _table_of(subschema.resource.dialect)
        return found

    def _unknown(self, subschema: Subschema, word: Any) -> None:
        """Warn about a word that is not a keyword, once: a large schema may repeat such a word thousands of times."""
        if word in self._annotations:
            return
        check_names((word,), subschema)
        self._annotations.add(word)
        if word.startswith("x-"):
            return
        if word in BY_WORD:
            what = "vocabularies" if word in subschema.dialect.off else "draft"
            message = f"{word} is not a keyword of this schema's {what}: ignored"
        else:
            message = f"{word!r} is not a keyword of JSON Schema: ignored"
            if word == "schema" and isinstance(subschema.schema[word], dict):
                # (as in a response format, where it stands beside a name)
                message += "; if the schema that it holds is meant, compile that one"
            elif len(self._annotations) <= MAX_COMPARED:
                message += _meant(word[:MAX_LETTERS])
        self._warnings.once(subschema, word, message)


# (in a program that compiles many schemas, most unknown words are the same few)
@lru_cache(256)
def _meant(word: str) -> str:
    """The end of a warning about an unknown word: the keyword of which it may be a misspelling."""
    return did_you_mean(word, BY_WORD, LIKENESS)


@cache
def _table_of(dialect: Dialect) -> dict[Any, Any]:
    """By keyword of a dialect: the function that applies it, or None if the keyword says nothing by itself."""
    words = {row.word: row.role is Role.ASSERTION for row in KEYWORDS if dialect.has(row.word)}
    asserted = {word: APPLICATIONS.get(word, _not_written) if asserts else None for word, asserts in words.items()}
    return {**asserted, **{word: APPLICATIONS[word] for word in INTERNAL_KEYWORDS}}


def _not_written(context: Context, shape: Shape, subschema: Subschema, word: str, *_: Any) -> None:
    """Refuse a keyword of KEYWORDS that no function applies."""
    raise UnsupportedError(f"{word} is not supported", pointer=subschema.pointer(word))


_MODERN_TABLE = _table_of(Dialect(2020))
