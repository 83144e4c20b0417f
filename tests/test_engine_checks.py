"""Checks: what productions cannot say of an array or an object is looked up in its text. They are compared with plain
Python, and with the matcher itself byte by byte."""

from __future__ import annotations

import json
import random
import threading
from decimal import Decimal
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.api.compiled_file import dump
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.masks import ByteTree, brute_force_mask
from sentences import BYTES, is_sentence

PIECES = [
    *[bytes([byte]) for byte in range(0x20, 0x7F)],
    *[b'"a"', b'","', b'",', b'"]', b'"],', b'["', b'",1', b'"a","b', b'a","a"', b'"a"]', b"\\u0061", b'\\u0061"'],
    *[
        b"1,",
        b"1]",
        b",1",
        b"1,1",
        b"11",
        b"1.0",
        b"e1",
        b"0e",
        b"true",
        b"true,",
        b"e,",
        b"null",
        b" ]",
        b" ,",
        b"],[",
    ],
    *[b'{"a":', b'"}', b'"},{', b'":1}', b"1},", b"1}]", b"[[", b"]]", b"},", b'{"a":1}', b",{", b"\n", b"\xc3\xa9"],
    *[bytes([byte]) for byte in (*range(10), *range(11, 0x20), *range(0x7F, 256))],
]
EOS = len(PIECES)
TREE = ByteTree(enumerate(PIECES))
SOME = {"type": "array", "uniqueItems": True}
SCHEMAS: dict[str, dict[str, Any]] = {
    "anything": SOME,
    "strings": {**SOME, "items": {"type": "string"}},
    "numbers": {**SOME, "items": {"type": "number"}},
    "integers from 0": {**SOME, "items": {"type": "integer", "minimum": 0}},
    "scalars": {**SOME, "items": {"type": ["string", "integer", "boolean", "null"]}},
    "some values": {**SOME, "items": {"enum": ["a", "ab", 1, 11, True, None]}, "minItems": 2},
    "short strings": {**SOME, "items": {"type": "string", "maxLength": 2}, "maxItems": 3},
    "objects": {
        **SOME,
        "items": {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False},
    },
    "nested": {**SOME, "items": {**SOME, "items": {"type": ["integer", "string"]}}},
    "a plain one beside": {"anyOf": [{**SOME, "items": {"type": "string"}}, {"items": {"type": "integer"}}]},
    "first ones": {**SOME, "prefixItems": [{"type": "string"}, {"enum": ["a", 1]}], "maxItems": 4},
    "one that is asked for": {**SOME, "contains": {"const": "a"}},
    "below others": {"type": "object", "additionalProperties": {**SOME, "items": {"type": ["string", "object"]}}},
    "some two are equal": {"type": "array", "not": {"uniqueItems": True}},
    "all differ or two numbers": {"oneOf": [SOME, {"type": "array", "items": {"type": "number"}, "maxItems": 2}]},
}

scalars = st.sampled_from([None, True, False, 0, 1, 11, 1.0, 1.5, -1, "", "a", "ab", "1", "a\nb", "é", "\U0001f600"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "1"]), inner, max_size=2),
    max_leaves=5,
)
arrays = st.lists(values, max_size=5) | st.lists(scalars, max_size=6) | st.lists(st.lists(scalars), max_size=4)


@pytest.fixture(scope="module")
def toy() -> ff.Tokenizer:
    return ff.Tokenizer.from_tokens([*PIECES, b"<eos>"], eos_token_id=EOS)


GRAMMARS: dict[str, Any] = {}


def grammar_of(name: str) -> Any:
    if name not in GRAMMARS:
        GRAMMARS[name] = ff.compile_json_schema(SCHEMAS[name], BYTES, property_order="any")
    return GRAMMARS[name]


@pytest.mark.parametrize("name", SCHEMAS)
@given(value=arrays | st.dictionaries(st.sampled_from(["a", "b"]), arrays), spelling=st.integers(0, 7))
def test_verdicts(name: str, value: Any, spelling: int) -> None:
    separators = (",", ":") if spelling & 1 else (", ", " : ")
    text = json.dumps(value, ensure_ascii=bool(spelling & 2), sort_keys=bool(spelling & 4), separators=separators)
    if spelling & 2 and "\\u" in text and name in ("short strings", "some values", "below others"):
        return  # escapes are accepted only where a schema allows any string
    try:
        jsonschema.Draft202012Validator(SCHEMAS[name]).validate(value)
        valid = True
    except jsonschema.ValidationError:
        valid = False
    if valid and "\\u" in text:
        return  # keys have one spelling
    assert is_sentence(grammar_of(name), text.encode()) == valid, text


PAIRS: list[tuple[str, str, bool]] = [
    ("1", "1.0", True),
    ("1", "1e0", True),
    ("100", "1e2", True),
    ("100", "1E+02", True),
    ("0.001", "1e-3", True),
    ("-0.0010", "-0.1e-2", True),
    ("0", "-0", True),
    ("0.5", "-0.5", False),
    ("0", "false", False),
    ("1", "true", False),
    ("1", '"1"', False),
    ("null", "false", False),
    ("9007199254740993", "9007199254740992", False),
    ("0.1", "0.1000000000000000000000001", False),
    ("1e400", "10e399", True),
    ("1e400", "1e401", False),
    ("1e99999999999999999", "10e99999999999999998", True),
    ("1e100000000000000000", "10e99999999999999999", True),
    ("1e100000000000000000", "0.1e100000000000000001", True),
    ("1e-100000000000000000", "0.1e-99999999999999999", True),
    ("1e-100000000000000000", "10e-100000000000000001", True),
    ("1e999999999999999999999999999999", "0.01e1000000000000000000000000000001", True),
    ("1e999999999999999999999999999999", "0.01e1000000000000000000000000000000", False),
    ("1e100000000000000000000", "1e000100000000000000000000", True),
    ("1e100000000000000000000", "1e-100000000000000000000", False),
    ('"a"', '"\\u0061"', True),
    ('"/"', '"\\/"', True),
    ('"\\n\\t\\r\\b\\f\\"\\\\"', '"\\u000a\\u0009\\u000D\\u0008\\u000c\\u0022\\u005c"', True),
    ('"é"', '"\\u00e9"', True),
    ('"\U0001f600"', '"\\ud83d\\uDE00"', True),
    ('"\U0001f600"', '"\\ud83d\\ude01"', False),
    ('"\\u0000"', '""', False),
    ('"\\u0000\\u0000"', '"\\u0000"', False),
    ('""', '" "', False),
    ("[]", "{}", False),
    ("[ ]", "[]", True),
    ("[1,[2.0]]", "[1.0 , [2]]", True),
    ("[1,2]", "[2,1]", False),
    ("[[1],2]", "[[1,2]]", False),
    ('{"a":1,"b":[2]}', '{"b":[2],"a":1.0}', True),
    ('{"a":1,"a":2}', '{"a":2}', True),
    ('{"a":1,"a":2}', '{"a":1}', False),
    ('{"a":{}}', '{"a":[]}', False),
    ('{"a":"b"}', '["a","b"]', False),
    ('{"a":1,"b":2}', '{"a":2,"b":1}', False),
    ('{"a":1}', '{"a":1,"b":1}', False),
]


@pytest.mark.parametrize(("first", "second", "equal"), PAIRS)
def test_equality(first: str, second: str, equal: bool) -> None:
    # inside of an array the spelling of zero is not restricted
    for one, other in ((first, second), (second, first)):
        for wrap in ("[%s,%s]", "[ [%s] , [%s] ]", '[{"k":%s},{"k":%s}]', "[0.25,%s,[[[]]],%s]"):
            text = (wrap % (one, other)).encode()
            assert is_sentence(grammar_of("anything"), text) != equal, text
            assert is_sentence(grammar_of("some two are equal"), text) == equal, text


@given(st.lists(st.tuples(st.integers(-12, 12), st.integers(-3, 3), st.integers(0, 2)), min_size=2, max_size=5))
def test_decimals(parts: list[tuple[int, int, int]]) -> None:
    texts = [f"{number}{'.' + '0' * zeros if zeros else ''}e{power}" for number, power, zeros in parts]
    distinct = len({Decimal(text) for text in texts}) == len(texts)
    assert is_sentence(grammar_of("anything"), ("[[" + "],[".join(texts) + "]]").encode()) == distinct


def test_deep_items_do_not_recurse() -> None:
    deep = b"[" * 20_000 + b"]" * 20_000
    assert is_sentence(grammar_of("anything"), b"[" + deep + b",[" + deep + b"]]")
    assert not is_sentence(grammar_of("anything"), b"[" + deep + b"," + deep + b"]")


DOCUMENTS = {
    "anything": [b'["a",{"a":1},{"a": 11},[],[[]],true,1.0,"\\u0061b"]'],
    "strings": [b'["a", "ab","b","","\\u0061a"]'],
    "numbers": [b"[1,11,0,0.5,1e5]"],
    "integers from 0": [b"[0,1,11 ,10]"],
    "scalars": [b'[true,"a",1,null,11,false]'],
    "some values": [b'["a",1,"ab",11,true,null]'],
    "short strings": [b'["a","ab",""]'],
    "objects": [b'[{"a":"a"},{"a":"ab"}, {"a":[{"a":1}]}]'],
    "nested": [b'[[1,11],[1],["a",1],[]]'],
    "a plain one beside": [b'["a","ab"]', b"[1,1]"],
    "first ones": [b'["b","a",true,[1]]'],
    "one that is asked for": [b'[1,11,"a","ab"]'],
    "below others": [b'{"a":["a",{},{"a":1}],"b":["a"]}'],
    "some two are equal": [b'["a","ab",{"a":1},"a",1]'],
    "all differ or two numbers": [b"[1,1]", b'["a",1,2]'],
}


@pytest.mark.parametrize("cache_bytes", [Limits().cache_bytes, 3_000], ids=["kept", "dropped"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_masks_are_what_bytes_say(toy: ff.Tokenizer, name: str, cache_bytes: int) -> None:
    options: dict[str, Any] = {"property_order": "any", "limits": Limits(cache_bytes=cache_bytes)}
    grammar = ff.compile_json_schema(SCHEMAS[name], toy, **options)
    fresh = ff.compile_json_schema(SCHEMAS[name], toy, property_order="any")
    for text in DOCUMENTS[name]:
        matcher = grammar.matcher()
        for place in range(len(text) + 1):
            expected = fresh.matcher()
            assert expected.accept_bytes(text[:place]) == place
            allowed = set(matcher.allowed_token_ids().tolist())
            assert allowed == brute_force_mask(expected, TREE, [EOS]), text[:place]
            # asked again, and after going another way
            other = matcher.fork()
            other.accept_token(random.Random(place).choice(sorted(allowed)))
            other.allowed_token_ids()
            assert set(matcher.allowed_token_ids().tolist()) == allowed
            if place < len(text):
                assert matcher.accept_bytes(text[place : place + 1])
        assert matcher.is_accepting()


LONG = b"a\\u0061\\ud83d\\ude00\\n" * 70


@pytest.mark.parametrize(
    "ending", [b"", b"a", b"\\", b"\\u00", b"\\u0061", b"\\ud83d", b"\\ud83d\\ude", b"\\n", b"\xf0\x9f\x98\x80"]
)
def test_long_strings(toy: ff.Tokenizer, ending: bytes) -> None:
    # the complete items begin like the last one, which is not complete, and differ from it in a few bytes
    known = [b'"%b"' % (LONG + more) for more in (b"", b"a", b"aa", b"a\n"[:1] + b"1", b"\\ud83d\\ude00")]
    for wrap, unwrap in ((b"%b", b""), (b'{"a":%b}', b'{"a":')):
        grammar = ff.compile_json_schema(SOME, toy)
        matcher = grammar.matcher()
        text = b"[" + b",".join([wrap % one for one in known]) + b"," + unwrap + b'"' + LONG + ending
        assert matcher.accept_bytes(text) == len(text)
        found = set(matcher.allowed_token_ids().tolist())
        assert found == brute_force_mask(matcher, TREE, [EOS])
        assert unwrap or ending not in (b"", b"a") or PIECES.index(b'"') not in found
        assert unwrap or ending != b"\\n" or PIECES.index(b'"') in found


@pytest.mark.parametrize("size", [250, 255, 256, 300, 700])
def test_tokens_that_end_a_long_string_and_have_another(size: int) -> None:
    long = b"a" * size
    pieces = [
        *(bytes([byte]) for byte in range(256)),
        *[b'","' + long + more + end for more in (b"", b"b") for end in (b'"', b'"]', b'","')],
    ]
    grammar = ff.compile_json_schema({"type": "array", "uniqueItems": True}, ff.Tokenizer.from_tokens(pieces))
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b'["' + long) == size + 2
    found = set(matcher.allowed_token_ids().tolist())
    assert found == brute_force_mask(matcher, ByteTree(enumerate(pieces)), [])
    assert {pieces.index(piece) for piece in pieces if long + b"b" in piece} <= found


@pytest.mark.parametrize("size", [*range(50, 150, 7), 200, 300, 1000])
def test_items_longer_than_what_was_read_before(cl100k: ff.Tokenizer, size: int) -> None:
    """The grammar has read nothing yet, so the memory that it reads items into grows on the way."""
    kept, cl100k.grammar_bytes = cl100k.grammar_bytes, 0
    try:
        grammar = ff.compile_json_schema({"type": "array", "uniqueItems": True}, cl100k)
    finally:
        cl100k.grammar_bytes = kept
    for one, other in ((b'"%b"' % (b"x" * size), b'"%b"' % (b"x" * (size - 1))), (b"7" * size, b"7" * (size + 1))):
        for text in (b"[%b,%b]" % (one, other), b'[{"a": [%b]}, {"a": [%b]}]' % (other, one)):
            assert grammar.matcher().accept_bytes(text) == len(text)
        assert grammar.matcher().accept_bytes(b"[%b,%b]" % (one, one)) < 2 * len(one) + 3


def test_an_item_that_repeats_another_cannot_end(toy: ff.Tokenizer) -> None:
    def next_pieces(name: str, text: bytes) -> set[bytes]:
        matcher = ff.compile_json_schema(SCHEMAS[name], toy, property_order="any").matcher()
        assert matcher.accept_bytes(text) == len(text)
        return {PIECES[token] for token in matcher.allowed_token_ids() if token != EOS}

    after = next_pieces("strings", b'["a","a')
    assert not [piece for piece in after if piece.startswith(b'"')] and b"b" in after
    assert b'\\u0061"' in after and b'\\u0061"' not in next_pieces("strings", b'["aa","a')
    after = next_pieces("numbers", b"[1,1")
    assert {b",", b"]", b" ", b"\n"}.isdisjoint(after) and {b"1", b".", b"e1"} <= after
    assert b"0e" not in next_pieces("numbers", b"[0,")
    assert b"-" not in next_pieces("integers from 0", b"[0,")
    # an item may have parts that must be closed before it: the mask looks beyond their end, to the end of the item
    after = next_pieces("objects", b'[{"a":"a"},{"a":"a')
    assert not [piece for piece in after if piece.startswith(b'"')] and b"b" in after
    after = next_pieces("nested", b"[[1],[1")
    assert not [piece for piece in after if piece.lstrip().startswith(b"]")] and b"," in after


SPEAKERS = ["anything", "strings", "numbers", "integers from 0", "scalars", "some values", "nested", "below others"]


@pytest.mark.parametrize("name", SPEAKERS)
def test_random_walks_reach_a_document(toy: ff.Tokenizer, name: str) -> None:
    grammar = ff.compile_json_schema(SCHEMAS[name], toy, property_order="any")
    assert grammar.warnings == ()
    validator = jsonschema.Draft202012Validator(SCHEMAS[name])
    choose = random.Random(3)
    # without weights, a token that ends a string or the text would rarely be drawn: too many others are allowed
    usual = {PIECES.index(bytes([byte])): 8 for byte in b'a1,"]}['}
    closing = {PIECES.index(bytes([byte])): 200 for byte in b'"]}'}
    for _ in range(60):
        matcher = grammar.matcher()
        for step in range(400):
            allowed = matcher.allowed_token_ids().tolist()
            assert allowed, matcher.text_bytes
            weights = [(usual if step < 40 else closing).get(token, 1 if token < 95 else 3) for token in allowed]
            if step >= 40 and EOS in allowed:
                break
            token = choose.choices(allowed, weights)[0]
            assert matcher.accept_token(token)
            if token == EOS:
                break
        else:
            raise AssertionError(matcher.text_bytes)
        validator.validate(json.loads(matcher.text_bytes))


@pytest.mark.parametrize("name", ["short strings", "first ones", "one that is asked for"])
def test_dead_ends_are_warned_about(toy: ff.Tokenizer, name: str) -> None:
    (warning,) = ff.compile_json_schema(SCHEMAS[name], toy).warnings
    assert warning.startswith("at /uniqueItems: ")


@pytest.mark.parametrize("cache_bytes", [Limits().cache_bytes, 3_000], ids=["kept", "dropped"])
@pytest.mark.parametrize("name", ["anything", "nested", "below others", "some two are equal"])
def test_any_history(toy: ff.Tokenizer, name: str, cache_bytes: int) -> None:
    options: dict[str, Any] = {"property_order": "any", "limits": Limits(cache_bytes=cache_bytes)}
    grammar = ff.compile_json_schema(SCHEMAS[name], toy, **options)
    fresh = ff.compile_json_schema(SCHEMAS[name], toy, property_order="any")
    choose = random.Random(5)
    matchers: list[tuple[Any, list[int]]] = [(grammar.matcher(), [])]
    compared = 0
    for _ in range(1500):
        matcher, history = choose.choice(matchers)
        kind = choose.choice(["token"] * 6 + ["rollback", "fork", "reset", "validate", "ask", "ask"])
        allowed = matcher.allowed_token_ids().tolist()
        if kind == "token" and allowed and len(history) < 60:
            token = choose.choice(allowed)
            assert matcher.accept_token(token)
            history.append(token)
        elif kind == "rollback":
            count = choose.randint(0, min(6, len(history)))
            matcher.rollback(count)
            del history[len(history) - count :]
        elif kind == "fork" and len(matchers) < 6:
            matchers.append((matcher.fork(), list(history)))
        elif kind == "reset" and choose.random() < 0.1:
            matcher.reset()
            history.clear()
        elif kind == "validate":
            tokens = choose.choices(range(EOS), k=3)
            assert matcher.validate_tokens(tokens) == _replayed(fresh, history).accept_tokens(tokens)
        elif kind == "ask":
            expected = _replayed(fresh, history)
            assert matcher.allowed_token_ids().tolist() == expected.allowed_token_ids().tolist()
            assert matcher.is_accepting() == expected.is_accepting()
            assert matcher.distance() == expected.distance()
            if not matcher.is_terminated():
                assert matcher.forced_bytes() == expected.forced_bytes()
            compared += 1
    assert compared > 100
    assert cache_bytes > 3_000 or grammar.stats()["cache_drops"] > 10


def _replayed(grammar: Any, history: list[int]) -> Any:
    matcher = grammar.matcher()
    assert matcher.accept_tokens(history) == len(history)
    return matcher


def test_compiled_files(toy: ff.Tokenizer) -> None:
    for name, schema in SCHEMAS.items():
        ir = build(schema, ExprStore(), property_order="any")
        again = ff.load(dump(ir, toy.fingerprint), toy)
        assert again.warnings == ir.warnings
        for text in DOCUMENTS[name]:
            assert is_sentence(again, text)
        assert not is_sentence(again, b'["a","ab","a"]') or name == "some two are equal"


def test_threads(toy: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(SOME, toy, limits=Limits(cache_bytes=100_000))
    wrong: list[str] = []

    def run(number: int) -> None:
        choose = random.Random(number)
        for _ in range(40):
            items = [choose.randrange(40) for _ in range(8)]
            matcher = grammar.matcher()
            text = json.dumps(items).encode()
            for place in range(len(text)):
                matcher.allowed_token_ids()
                if not matcher.accept_bytes(text[place : place + 1]):
                    break
            if matcher.is_accepting() != (len(set(items)) == len(items)):
                wrong.append(text.decode())

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_of_an_array_is_kept_behind_it(cl100k: ff.Tokenizer) -> None:
    schema = {"type": "array", "items": {**SOME, "items": {"type": "string"}}}
    grammar = ff.compile_json_schema(schema, cl100k)
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b'[["a","b"],["a","c"],["a')
    misses = grammar.stats()["mask_misses"]
    plain = grammar.matcher()
    for text in (b"[", b'["x","y"],', b'["x"],'):
        assert plain.accept_bytes(text) == len(text)
        before = plain.allowed_token_ids().tolist()
    misses = grammar.stats()["mask_misses"]
    assert plain.accept_bytes(b'["z"],') == 6
    assert plain.allowed_token_ids().tolist() == before
    assert grammar.stats()["mask_misses"] == misses


def test_masks_that_ask_nothing_are_kept(cl100k: ff.Tokenizer) -> None:
    items = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]}
    grammar = ff.compile_json_schema({**SOME, "items": items}, cl100k)
    matcher = grammar.matcher()
    misses = []
    for number in range(4):
        # after the first value of an object its end is still far, so the mask does not depend on the other items
        assert matcher.accept_bytes(b'%s{"a":"x' % (b",", b"[")[number == 0])
        matcher.allowed_token_ids()
        misses.append(grammar.stats()["mask_misses"])
        assert matcher.accept_bytes(b'","b":"%d"}' % number)
    assert misses[-1] == misses[0]


LAYOUTS: list[dict[str, Any]] = [
    {},
    {"whitespace": "compact"},
    {"whitespace": 1},
    {"separators": (" , ", " : ")},
    {"indent": 0},
    {"indent": 1, "separators": (" ,", ":")},
]
LAID_OUT: list[tuple[dict[str, Any], Any]] = [
    (SOME, ["a", "ab", [1], 11, {}]),
    (SCHEMAS["nested"], [[1, 11], [1], ["a", 1]]),
    (SCHEMAS["some two are equal"], ["a", 1, "a"]),
    ({"type": "object", "minProperties": 3}, {"a": 1, "": "a", "1": 1}),
    ({"type": "object", "not": {"patternProperties": {"^a": {"type": "integer"}}}}, {"a": 1, "1": [], "ab": ""}),
    ({"anyOf": [{"minProperties": 2}, {"patternProperties": {"^b": False}}]}, {"a": 1, "b": {"a": 1}}),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("order", ["schema", "any"])
def test_checks_come_before_what_is_between(toy: ff.Tokenizer, layout: dict[str, Any], order: str) -> None:
    for schema, value in LAID_OUT:
        grammar = ff.compile_json_schema(schema, toy, property_order=order, **layout)
        assert not grammar.warnings
        compact = {} if layout.get("indent") is not None or "separators" in layout else {"separators": (",", ":")}
        text = json.dumps(
            value, **{**compact, **{key: layout[key] for key in ("indent", "separators") if key in layout}}
        )
        matcher = grammar.matcher()
        for byte in text.encode():
            allowed = matcher.allowed_token_ids().tolist()
            assert set(allowed) == brute_force_mask(matcher, TREE, [EOS])
            for token in allowed:
                other = matcher.fork()
                assert other.accept_token(token)
                # spaces alone lead nowhere: after some of them, something else must be allowed
                while not other.is_accepting() and token != EOS:
                    following = [PIECES[t] for t in other.allowed_token_ids() if PIECES[t].strip(b" ")]
                    if following or not other.accept_bytes(b" "):
                        break
                    assert len(other.text_bytes) < len(text) + 10, other.text_bytes
                assert token == EOS or other.is_accepting() or following, other.text_bytes
            assert matcher.accept_bytes(bytes([byte])), (schema, text, matcher.text_bytes)
        assert matcher.is_accepting()


def test_what_is_forced_for_ever_is_given_in_parts() -> None:
    """Every multiple of 7 that begins so equals the first item. So only zeros may follow, and the item cannot end."""
    schema = {"type": "array", "items": {"multipleOf": 7, "minimum": 3}, "uniqueItems": True}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact")
    assert grammar.warnings
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b"[111111,111111.") == 15
    forced = matcher.forced_bytes()
    assert 0 < len(forced) < 2000 and set(forced) == {ord("0")}
