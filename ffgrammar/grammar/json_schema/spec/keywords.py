"""The keywords of JSON Schema: one table, with all that is known of a word without reading a schema.

Other modules ask this table: `documents/resources.py` for where subschemas are, `documents/dialects.py` for the words
of a draft and its vocabularies, `normalize/reader.py` and `normalize/negation.py` for the words that they must know,
`normalize/applicators.py` for the words that evaluate properties and items.

To add a keyword:

1. Add a row here.
2. Write the function that applies it to a shape, with `@applies(word)`, and beside it the function that makes its
   opposite, with `@negates(word)`: in `normalize/scalar_keywords.py`, `array_keywords.py`, `object_keywords.py` or
   `applicators.py`. If other keywords can say what the new one says, each of the two functions is one line. A keyword
   `x-even` (an integer, and even) would have the row `Keyword("x-even", ASSERTION)` and these functions:

       def _even(subschemas, subschema, word, value):
           if not isinstance(value, bool):
               raise GrammarError("x-even must be a boolean", pointer=subschema.pointer(word))
           return subschemas.synthesized(subschema, {"type": "integer", "multipleOf": 2}, word) if value else ()

       @applies("x-even")
       def apply_even(context, shape, subschema, word, value, *_):
           return _even(context.subschemas, subschema, word, value)

       @negates("x-even")
       def negate_even(negation, subschema, word, value):
           return [negation.conj(subschema, _even(negation.subschemas, subschema, word, value))]

3. Add an example to `tests/test_json_schema_keywords.py`. That test fails until the row, both functions and an example
   are there.

If the keyword's value has a wrong type, the functions must raise a `GrammarError` with a `pointer`, as `_even` does.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = ["BY_WORD", "EVALUATING", "KEYWORDS", "Holds", "Keyword", "Role", "Vocabulary", "words_holding"]


class Role(Enum):
    """What a keyword does."""

    # it constrains the value: one function applies it, one negates it
    ASSERTION = "assertion"
    # it changes what another keyword beside it asserts, and is read with that one
    COMPANION = "companion"
    # every value obeys it
    ANNOTATION = "annotation"


class Holds(Enum):
    """In what form the value of a keyword holds subschemas."""

    NOTHING = "no subschemas"
    SCHEMA = "one schema"
    LIST = "a list of schemas"
    MAP = "schemas by name"
    SCHEMA_OR_LIST = "one schema, or a list of them"


class Vocabulary(NamedTuple):
    """The vocabularies of a keyword in draft 2019-09 and in draft 2020-12, each by the last part of its URI."""

    in_2019: tuple[str, ...]
    in_2020: tuple[str, ...]


ASSERTION, COMPANION, ANNOTATION = Role.ASSERTION, Role.COMPANION, Role.ANNOTATION

CORE = Vocabulary(("core",), ("core",))
APPLICATOR = Vocabulary(("applicator",), ("applicator",))
# Draft 2019-09 counts `unevaluatedProperties` and `unevaluatedItems` among the applicators.
UNEVALUATED = Vocabulary(("applicator",), ("unevaluated",))
# Of the drafts that have vocabularies, only 2019-09 has `additionalItems`, and only 2020-12 has `prefixItems`.
APPLICATOR_2019 = Vocabulary(("applicator",), ())
APPLICATOR_2020 = Vocabulary((), ("applicator",))
VALIDATION = Vocabulary(("validation",), ("validation",))
FORMAT = Vocabulary(("format",), ("format-annotation", "format-assertion"))
META_DATA = Vocabulary(("meta-data",), ("meta-data",))
CONTENT = Vocabulary(("content",), ("content",))
# the keywords that no vocabulary turns on or off
NONE = Vocabulary((), ())


class Keyword(NamedTuple):
    """One row of the table.

    Attributes:
        word: the keyword.
        role: what it does.
        vocabulary: the vocabularies that turn it on. Only assertions and companions can be turned off, and not those
            of the vocabulary `core`.
        holds: in what form its value holds subschemas.
        evaluates: whether it, or a schema that it applies, evaluates properties or items. `unevaluatedProperties` and
            `unevaluatedItems` do not apply to what is evaluated.
        since: the first draft in which it is known here. A word that does nothing by itself may be known in drafts
            earlier than the one that introduced it.
        until: the last draft in which it is known; None: it is known in all later drafts.
    """

    word: str
    role: Role
    vocabulary: Vocabulary = NONE
    holds: Holds = Holds.NOTHING
    evaluates: bool = False
    since: int = 4
    until: int | None = None


KEYWORDS = (
    # any type
    Keyword("type", ASSERTION, VALIDATION),
    Keyword("enum", ASSERTION, VALIDATION),
    Keyword("const", ASSERTION, VALIDATION, since=6),
    # numbers
    Keyword("minimum", ASSERTION, VALIDATION),
    Keyword("maximum", ASSERTION, VALIDATION),
    Keyword("exclusiveMinimum", ASSERTION, VALIDATION),
    Keyword("exclusiveMaximum", ASSERTION, VALIDATION),
    Keyword("multipleOf", ASSERTION, VALIDATION),
    # strings
    Keyword("minLength", ASSERTION, VALIDATION),
    Keyword("maxLength", ASSERTION, VALIDATION),
    Keyword("pattern", ASSERTION, VALIDATION),
    Keyword("format", ASSERTION, FORMAT),
    # arrays
    Keyword("items", ASSERTION, APPLICATOR, Holds.SCHEMA_OR_LIST, evaluates=True),
    Keyword("prefixItems", ASSERTION, APPLICATOR_2020, Holds.LIST, evaluates=True, since=2020),
    Keyword("additionalItems", COMPANION, APPLICATOR_2019, Holds.SCHEMA),
    Keyword("contains", ASSERTION, APPLICATOR, Holds.SCHEMA, evaluates=True, since=6),
    Keyword("minContains", COMPANION, VALIDATION, since=2019),
    Keyword("maxContains", COMPANION, VALIDATION, since=2019),
    Keyword("minItems", ASSERTION, VALIDATION),
    Keyword("maxItems", ASSERTION, VALIDATION),
    Keyword("uniqueItems", ASSERTION, VALIDATION),
    Keyword("unevaluatedItems", ASSERTION, UNEVALUATED, Holds.SCHEMA, evaluates=True, since=2019),
    # objects
    Keyword("properties", ASSERTION, APPLICATOR, Holds.MAP, evaluates=True),
    Keyword("patternProperties", ASSERTION, APPLICATOR, Holds.MAP, evaluates=True),
    Keyword("additionalProperties", ASSERTION, APPLICATOR, Holds.SCHEMA, evaluates=True),
    Keyword("required", ASSERTION, VALIDATION),
    Keyword("propertyNames", ASSERTION, APPLICATOR, Holds.SCHEMA, since=6),
    Keyword("minProperties", ASSERTION, VALIDATION),
    Keyword("maxProperties", ASSERTION, VALIDATION),
    Keyword("dependentRequired", ASSERTION, VALIDATION, since=2019),
    Keyword("dependentSchemas", ASSERTION, APPLICATOR, Holds.MAP, evaluates=True, since=2019),
    Keyword("dependencies", ASSERTION, NONE, Holds.MAP, evaluates=True),
    Keyword("unevaluatedProperties", ASSERTION, UNEVALUATED, Holds.SCHEMA, evaluates=True, since=2019),
    # schemas put together
    Keyword("allOf", ASSERTION, APPLICATOR, Holds.LIST, evaluates=True),
    Keyword("anyOf", ASSERTION, APPLICATOR, Holds.LIST, evaluates=True),
    Keyword("oneOf", ASSERTION, APPLICATOR, Holds.LIST, evaluates=True),
    Keyword("not", ASSERTION, APPLICATOR, Holds.SCHEMA),
    Keyword("if", ASSERTION, APPLICATOR, Holds.SCHEMA, evaluates=True, since=7),
    Keyword("then", COMPANION, APPLICATOR, Holds.SCHEMA, evaluates=True),
    Keyword("else", COMPANION, APPLICATOR, Holds.SCHEMA, evaluates=True),
    Keyword("$ref", ASSERTION, CORE, evaluates=True),
    Keyword("$dynamicRef", ASSERTION, CORE, evaluates=True, since=2020),
    Keyword("$recursiveRef", ASSERTION, CORE, evaluates=True, since=2019, until=2019),
    # names of schemas, and notes
    Keyword("$schema", ANNOTATION, CORE),
    Keyword("$vocabulary", ANNOTATION, CORE),
    Keyword("id", ANNOTATION),
    Keyword("$id", ANNOTATION, CORE),
    Keyword("$anchor", ANNOTATION, CORE),
    Keyword("$dynamicAnchor", ANNOTATION, CORE),
    Keyword("$recursiveAnchor", ANNOTATION, CORE),
    Keyword("definitions", ANNOTATION, NONE, Holds.MAP),
    Keyword("$defs", ANNOTATION, CORE, Holds.MAP),
    Keyword("$comment", ANNOTATION, CORE),
    Keyword("title", ANNOTATION, META_DATA),
    Keyword("description", ANNOTATION, META_DATA),
    Keyword("default", ANNOTATION, META_DATA),
    Keyword("deprecated", ANNOTATION, META_DATA),
    Keyword("readOnly", ANNOTATION, META_DATA),
    Keyword("writeOnly", ANNOTATION, META_DATA),
    Keyword("example", ANNOTATION),
    Keyword("examples", ANNOTATION, META_DATA),
    Keyword("contentEncoding", ANNOTATION, CONTENT),
    Keyword("contentMediaType", ANNOTATION, CONTENT),
    Keyword("contentSchema", ANNOTATION, CONTENT, Holds.SCHEMA),
)

BY_WORD = {row.word: row for row in KEYWORDS}
EVALUATING = frozenset([row.word for row in KEYWORDS if row.evaluates])


def words_holding(*kinds: Holds) -> frozenset[str]:
    """The keywords that hold their subschemas in one of these forms."""
    return frozenset([row.word for row in KEYWORDS if row.holds in kinds])
