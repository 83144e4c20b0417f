"""Random schemas and values, small enough that values are often valid, and `jsonschema` as the judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, permutations, product
from typing import Any

import jsonschema
from hypothesis import strategies as st

__all__ = ["RECORDS", "is_valid", "jumble", "orders", "schemas", "spelled", "values"]

# Schemas as people write them, flat and recursive, for walks along random tokens.
RECORDS: dict[str, Any] = {
    "orders": {
        "type": "object",
        "properties": {
            "orderId": {"type": "string", "maxLength": 12},
            "orderName": {"type": "string", "pattern": "^[A-Z][a-z]+$"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        },
        "additionalProperties": False,
    },
    "tree": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "v": {"enum": [1, 12, "x", None]},
                    "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
                "required": ["v"],
                "additionalProperties": False,
            }
        },
    },
}

KEYS = ["a", "b", "ab", "c"]
WORDS = ["", "a", "b", "ab", "aab", "\n", "é", "😀", '"', "a b", "aaaa"]
PATTERNS = ["a", "^a", "b$", "^a*$", "^(a|b)+$", "[^a]", "^.$", "^$", "a.*b"]
NUMBERS: list[int | float] = [-11, -2, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 10, 12, 99, 1e-7, 1e300, 10**20]
BOUNDS: list[int | float] = [-2, -0.5, 0, 0.5, 1, 2, 3, 10, 1e-7, 1e30]

scalars = st.one_of(st.none(), st.booleans(), st.sampled_from(NUMBERS), st.sampled_from(WORDS))

values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    ),
    max_leaves=6,
)

keys = st.sampled_from(KEYS)
small = st.integers(min_value=0, max_value=4)
types = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def _schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    keywords = {
        "type": st.one_of(types, st.lists(types, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(values, min_size=1, max_size=4),
        "const": values,
        "minimum": st.sampled_from(BOUNDS),
        "maximum": st.sampled_from(BOUNDS),
        "exclusiveMinimum": st.sampled_from(BOUNDS),
        "exclusiveMaximum": st.sampled_from(BOUNDS),
        "multipleOf": st.sampled_from([1, 2, 5, 10]),
        "minLength": small,
        "maxLength": small,
        "pattern": st.sampled_from(PATTERNS),
        "items": inner,
        "prefixItems": several,
        "minItems": small,
        "maxItems": small,
        "uniqueItems": st.booleans(),
        "properties": st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), inner, max_size=2),
        "additionalProperties": inner,
        "required": st.lists(st.sampled_from(KEYS), max_size=2, unique=True),
        "propertyNames": st.fixed_dictionaries({}, optional={"pattern": st.sampled_from(PATTERNS), "maxLength": small}),
        "minProperties": small,
        "maxProperties": small,
        "anyOf": several,
        "allOf": several,
        "oneOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "contains": inner,
        "minContains": small,
        "maxContains": small,
        "unevaluatedItems": inner,
        "unevaluatedProperties": inner,
        "dependentRequired": st.dictionaries(keys, st.lists(keys, max_size=2), max_size=2),
        "dependentSchemas": st.dictionaries(st.sampled_from(KEYS), inner, max_size=2),
        "$ref": st.sampled_from(["#", "#/$defs/x", "#/$defs/y"]),
    }
    # Few keywords at a time, from groups that act on each other.
    meeting = [
        st.lists(st.sampled_from(words), min_size=1, max_size=4, unique=True).flatmap(
            lambda names: st.fixed_dictionaries({name: keywords[name] for name in names})
        )
        for words in (OF_PROPERTIES, OF_ITEMS)
    ]
    any_words = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: keywords[name] for name in names})
    )
    return st.one_of(any_words, *meeting)


_IN_PLACE = ["allOf", "anyOf", "oneOf", "if", "then", "else", "not", "$ref"]
OF_PROPERTIES = [
    *_IN_PLACE,
    *["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
    *["dependentSchemas", "required"],
]
OF_ITEMS = [
    *_IN_PLACE,
    *["prefixItems", "items", "contains", "minContains", "maxContains", "unevaluatedItems", "maxItems"],
]

_leaf = st.one_of(
    st.booleans(),
    st.just({}),
    st.builds(lambda name: {"type": name}, types),
    st.builds(lambda name: {"$ref": name}, st.sampled_from(["#", "#/$defs/x"])),
)
_inner = st.recursive(_leaf, _schema, max_leaves=5)
schemas = st.builds(
    lambda schema, x, y: {**schema, "$defs": {"x": x, "y": y}} if isinstance(schema, dict) else schema,
    _schema(_inner),
    _inner,
    _inner,
)


def is_valid(schema: Any, value: Any) -> bool | None:
    """Whether the value is valid under draft 2020-12, by jsonschema; None if references lead in a circle."""
    try:
        return bool(jsonschema.Draft202012Validator(schema).is_valid(value))
    except RecursionError:
        return None
    except BaseException as error:
        # If the stack ends inside rpds, which has the maps that jsonschema uses, the error becomes a panic.
        if type(error).__name__ == "PanicException" and "RecursionError" in str(error):
            return None
        raise


def orders(value: Any, limit: int = 500) -> Iterator[Any]:
    """The value with the keys of its objects in every order, but at most `limit` variants."""
    return islice(_orders(value), limit)


def _orders(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for items in product(*[list(islice(_orders(item), 50)) for item in value]):
            yield list(items)
    elif isinstance(value, dict):
        for keys in permutations(value):
            for items in product(*[list(islice(_orders(value[key]), 50)) for key in keys]):
                yield dict(zip(keys, items, strict=True))
    else:
        yield value


def spelled(value: Any, compact: bool = False) -> bytes:
    """The value as json.dumps writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else None).encode()


# Anything at all under the names of keywords: most of it malformed.
KEYWORDS = """$anchor $defs $dynamicRef $id $recursiveRef $ref $schema additionalItems additionalProperties allOf anyOf
const contains dependencies dependentRequired dependentSchemas else enum exclusiveMaximum exclusiveMinimum format id if
items maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum
multipleOf not nullable oneOf pattern patternProperties prefixItems properties propertyNames required then type
unevaluatedItems uniqueItems""".split()
_odd = st.one_of(
    scalars,
    st.floats(),
    st.integers(),
    st.sampled_from(["object", "date", "regex", "#", "#/$defs/x", "#x", "http://a.test/b#/c", "%", "(", "\ud800"]),
)
_jumble = st.recursive(
    _odd,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*KEYWORDS, "a", ""]), inner, max_size=4)
    ),
    max_leaves=15,
)
jumble = st.one_of(_jumble, st.dictionaries(st.sampled_from(KEYWORDS), _jumble, min_size=1, max_size=5))
