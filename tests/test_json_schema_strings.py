"""Strings and keys however they are spelled; `pattern`, `format`, length, `enum` and `not` together."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.subschemas import subschema_at
from ffgrammar.grammar.json_schema.strings.finite_keys import MAX_KEYS, finite_keys
from ffgrammar.grammar.json_schema.strings.quoted import quoted_ascii
from ffgrammar.grammar.json_schema.strings.strings import Strings
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer
from sentences import BYTES, is_sentence


@cache
def _grammar(schema: str) -> Any:
    return compile_json_schema(schema, BYTES, whitespace="compact", property_order="any")


def accepts(schema: Any, text: str) -> bool:
    """Whether a JSON text is in the language of a schema."""
    return is_sentence(_grammar(json.dumps(schema)), text)


CHARS = ["a", "b", "A", "0", "/", '"', "\\", "\n", "\x01", "\x7f", "é", "\u2028", "\U0001f600", "\uffff"]
SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@st.composite
def spelled(draw: Callable[..., Any]) -> str:
    """A JSON string in which each character is spelled in any way, valid or (seldom) not."""
    parts = []
    for char in draw(st.lists(st.sampled_from(CHARS), max_size=4)):
        point = ord(char)
        units = [point] if point < 0x10000 else [0xD7C0 + (point >> 10), 0xDC00 + (point & 0x3FF)]
        lower = "".join(f"\\u{unit:04x}" for unit in units)
        ways = [char, char, lower, "".join(f"\\u{unit:04X}" for unit in units), SHORT.get(char, char)]
        parts.append(draw(st.sampled_from([*ways, *ways, *ways, "\\ud83d", "\\ude00", "\\x", "\\u12"])))
    return '"' + "".join(parts) + '"'


def _value(text: str) -> Any:
    """The value of a JSON text; None if it is not JSON, or holds a lone surrogate."""
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return None
    return value


def _is_canonical(text: str) -> bool:
    return json.dumps(json.loads(text), ensure_ascii=False) == re.sub(
        r"\\u00[01][0-9A-F]", lambda m: m[0].lower(), text
    )


CONSTRAINTS: list[tuple[dict[str, Any], Callable[[str], bool]]] = [
    ({"pattern": "a"}, lambda text: "a" in text),
    ({"pattern": r"^[^/]*$"}, lambda text: "/" not in text),
    ({"pattern": r"\n|\u{1F600}"}, lambda text: "\n" in text or "\U0001f600" in text),
    ({"pattern": r"^(?!.*\\)"}, lambda text: "\\" not in re.split("[\n\r\u2028\u2029]", text)[0]),
    ({"pattern": r'(?<=")a'}, lambda text: '"a' in text),
    ({"not": {"pattern": "[aé]"}}, lambda text: not {"a", "é"} & {*text}),
    ({"enum": ["a", "/", "\n\U0001f600", '"', "\x01"]}, lambda text: text in ["a", "/", "\n\U0001f600", '"', "\x01"]),
    ({"not": {"enum": ["a", "\x01", "é"]}}, lambda text: text not in ["a", "\x01", "é"]),
    ({"minLength": 2, "maxLength": 3}, lambda text: 2 <= len(text) <= 3),
    (
        {"pattern": "^.*$", "minLength": 1, "maxLength": 2},
        lambda text: 0 < len(text) < 3 and not {*"\n\u2028"} & {*text},
    ),
    (
        {"format": "json-pointer", "maxLength": 2},
        lambda text: bool(re.fullmatch("(?s)(/[^/~]*)*", text)) and len(text) < 3,
    ),
]


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=lambda one: json.dumps(one[0]))
@given(text=spelled())
def test_a_spelling_never_passes_for_another_string(
    constraint: tuple[dict[str, Any], Callable[[str], bool]], text: str
) -> None:
    schema, obeys = constraint
    value = _value(text)
    accepted = accepts({"type": "string", **schema}, text)
    if value is None:
        assert not accepted
    elif accepted:
        assert obeys(value), text
    elif obeys(value):
        # strings that are constrained are spelled canonically
        assert not _is_canonical(text), text


OBJECT = {
    "properties": {"a": {"type": "null"}, "/": {"type": "null"}, "\n": {"type": "null"}, "é": {"type": "null"}},
    "patternProperties": {"^\U0001f600": {"type": "null"}, "^(?!.*b)A": {"type": "null"}},
    "additionalProperties": {"type": "boolean"},
}
NULL_KEY = re.compile("(?s)\\A(?:[a/\né]\\Z|\U0001f600|A(?!.*b))")


@given(text=spelled(), null=st.booleans())
def test_a_spelling_never_passes_for_another_key(text: str, null: bool) -> None:
    value = _value(text)
    accepted = accepts({"type": "object", **OBJECT}, f"{{{text}:{'null' if null else 'true'}}}")
    if value is None:
        assert not accepted
        return
    expected = null == bool(NULL_KEY.search(value))
    if accepted:
        assert expected, text
    elif expected:
        assert not _is_canonical(text), text


@given(text=spelled())
def test_a_free_string_may_be_spelled_in_any_way(text: str) -> None:
    assert accepts({"type": "string"}, text) == (_value(text) is not None)
    assert accepts({"type": "string", "maxLength": 2}, text) == (_value(text) is not None and len(_value(text)) <= 2)


# Keywords together, against jsonschema

parts = st.fixed_dictionaries(
    {},
    optional={
        "pattern": st.sampled_from(
            ["a", "^a", "b$", "^[ab]*$", "^(?!ab)", "^a(?=b)", r"\bab\b", "^(?:(?!bb).)*$", "c"]
        ),
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 4),
        "enum": st.lists(st.sampled_from(["", "a", "ab", "abc", "bb", 1]), min_size=1, max_size=4, unique=True),
        "const": st.sampled_from(["a", "ab", "b c"]),
    },
)
schemas = st.recursive(
    parts,
    lambda inner: st.one_of(
        inner.map(lambda one: {"not": one}),
        *[
            st.lists(inner, min_size=1, max_size=3).map(lambda many, word=word: {word: many})
            for word in ("oneOf", "anyOf", "allOf")
        ],
        st.tuples(parts, inner).map(lambda two: {**two[0], "not": two[1]}),
        st.tuples(inner, inner).map(lambda two: {"if": two[0], "then": two[1]}),
    ),
    max_leaves=4,
)
VALUES = ["", "a", "b", "ab", "ba", "bb", "abc", "a b", "b c", "abab", "abba", "ab ab", "aaaaa"]


@given(schemas)
def test_keywords_of_strings_together(schema: Any) -> None:
    whole = {"type": "string", **schema}
    expected = {text for text in VALUES if Draft202012Validator(whole).is_valid(text)}
    try:
        found = {text for text in VALUES if accepts(whole, json.dumps(text))}
    except GrammarError as error:
        assert "no value" in str(error) and not expected
        return
    assert found == expected


PIECES = [
    "a",
    "ab",
    "[ab]",
    "é",
    r"\n",
    "[é\U0001f600]",
    "b*",
    "[ab]+",
    "[^b]{0,2}",
    "a{2}",
    "(?:a|b){1,2}",
    "(?:ab)*",
    "a?",
]
TEXTS = ["".join(text) for length in range(5) for text in itertools.product("abé\n", repeat=length)]


@given(
    st.lists(st.sampled_from(PIECES), max_size=4),
    st.sampled_from([("^", "$"), ("^(?:", ")$"), ("^", ""), ("", "")]),
    st.integers(0, 4),
    st.none() | st.integers(0, 5),
)
def test_lengths_of_patterns(pieces: list[str], ends: tuple[str, str], low: int, high: int | None) -> None:
    pattern = "".join([ends[0], *pieces, ends[1]])
    store = ExprStore()
    strings = Strings(store)
    expr = strings.range(low, high, (strings.pattern(pattern, subschema_at(True, None, None, (), 0, 0, {})),))
    compiled = re.compile(pattern.replace("$", r"\Z"))
    for text in TEXTS[::2]:
        expected = low <= len(text) and (high is None or len(text) <= high) and bool(compiled.search(text))
        assert store.matches(expr, json.dumps(text, ensure_ascii=False).encode()) == expected, text


def test_a_length_beside_a_pattern_costs_no_search() -> None:
    tokenizer = Tokenizer.from_tiktoken("cl100k_base")
    schema = {"type": "string", "pattern": r"^(\p{L}|\d)*\p{Lu}(\p{L}){50}$", "maxLength": 120}
    matcher = compile_json_schema(schema, tokenizer, limits=Limits(emptiness_steps=1000)).matcher()
    assert matcher.accept_bytes(b'"Ab') == 3
    assert len(matcher.allowed_token_ids())


def test_formats_with_other_keywords() -> None:
    schema = {"type": "string", "format": "date", "pattern": "^2024", "not": {"const": "2024-01-01"}}
    assert accepts(schema, '"2024-01-02"')
    assert not any(accepts(schema, text) for text in ('"2024-01-01"', '"2023-01-02"', '"2024-13-01"'))
    overlap = {"type": "string", "oneOf": [{"format": "ipv4"}, {"pattern": "^1"}]}
    assert accepts(overlap, '"2.3.4.5"') and accepts(overlap, '"1"') and not accepts(overlap, '"1.2.3.4"')
    listed = {"enum": ["a@b", "no", 5], "format": "email"}
    assert accepts(listed, '"a@b"') and accepts(listed, "5") and not accepts(listed, '"no"')
    with pytest.raises(GrammarError, match="no value"):
        accepts({"type": "string", "format": "uuid", "maxLength": 35}, '""')


@pytest.mark.parametrize("count", [MAX_KEYS, MAX_KEYS + 1, 200])
def test_keys_are_listed_only_if_they_are_few(count: int) -> None:
    store = ExprStore()
    longer = store.union([store.literal(b'"' + b"a" * (number + 1) + b'"') for number in range(count)])
    other = store.union([store.literal(b'"%c%c"' % (97 + number // 20, 97 + number % 20)) for number in range(count)])
    for keys in (longer, other):
        found = finite_keys(store, keys)
        assert found is None if count > MAX_KEYS else found is not None and len(found) == count


@given(st.text(st.sampled_from('aZ 0~!"\\/\x00\n\x1f\x20\x7f\x80é\u2028𝒂'), max_size=6))
def test_ascii_strings_between_quotes(text: str) -> None:
    plain = all("\x20" <= char < "\x7f" and char not in '"\\' for char in text)
    assert quoted_ascii(text) == (json.dumps(text).encode() if plain else None)
