"""Keywords that only the compiler itself writes. No schema from outside can have them, because they are not strings.

The opposite of a schema is a schema again. JSON Schema has no keyword for some opposites, such as a string that does
not match an expression. The keywords of this module say these opposites.
"""

from __future__ import annotations

__all__ = [
    "CONDITION",
    "HOLE",
    "INTERNAL_KEYWORDS",
    "NOT",
    "NOT_MULTIPLE",
    "REPEATED",
    "SOME_ITEM",
    "SOME_KEY",
    "SOME_OF",
    "SOME_UNEVALUATED",
    "TYPES_LEFT",
    "WITHOUT",
    "InternalKeyword",
]


class InternalKeyword:
    """A keyword that equals nothing but itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


# The comment above each keyword says what the keyword's value is, and after the colon what the keyword asks of a JSON
# value. WITHOUT constrains only strings, NOT_MULTIPLE only numbers, SOME_KEY only objects, SOME_ITEM and REPEATED only
# arrays. The compiler writes a `type` beside each of these.

# type bits: the value has one of these types
TYPES_LEFT = InternalKeyword("types")
# an expression: a string whose body (the text between its quotes) does not match it
WITHOUT = InternalKeyword("without")
# a Decimal: a number that is not a multiple of it
NOT_MULTIPLE = InternalKeyword("no multiple")
# (expression of keys, conjunction, conjunction): some key matches the expression and obeys the first conjunction, and
# its value obeys the second
SOME_KEY = InternalKeyword("some key")
# (index, conjunction, least, most): of the items from the index on, least to most obey the conjunction
SOME_ITEM = InternalKeyword("some item")
# (True for properties or False for items, conjunction, conjunction of the schema that has the negated keyword): some
# unevaluated property or item obeys the first conjunction
SOME_UNEVALUATED = InternalKeyword("some unevaluated")
# a list of conjunctions: at least one of them holds
SOME_OF = InternalKeyword("some of")
# the subschema whose `uniqueItems` is negated: two items are equal
REPEATED = InternalKeyword("repeated")
# True: a schema that is not known yet (see emit/links.py)
HOLE = InternalKeyword("hole")
# a conjunction: it does not hold
NOT = InternalKeyword("not")
# a `Condition` (see shape/choices.py): what it says
CONDITION = InternalKeyword("condition")

INTERNAL_KEYWORDS = (
    CONDITION,
    TYPES_LEFT,
    WITHOUT,
    NOT_MULTIPLE,
    SOME_KEY,
    SOME_ITEM,
    SOME_UNEVALUATED,
    SOME_OF,
    REPEATED,
    NOT,
    HOLE,
)
