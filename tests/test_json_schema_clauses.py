"""Many small choices about the keys of objects: right, without dead ends, and their cost grows with their number."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.emit.clause_members import ClauseMembers
from ffgrammar.grammar.json_schema.normalize import combine
from oracle.schemas import is_valid, orders, spelled
from sentences import BYTES, is_sentence

KEYS = "abcd"
VALUES = [1, 2, "s"]


def _value(random: Random) -> Any:
    return random.choice([{"const": 1}, {"type": "integer"}, {"type": "string"}, {"not": {"const": 1}}, True, True])


def _atom(random: Random) -> dict[str, Any]:
    key = random.choice(KEYS)
    return random.choice(
        [
            {"required": [key]},
            {"required": random.sample(KEYS, 2)},
            {"properties": {key: _value(random)}, "required": [key]},
            {"properties": {key: _value(random)}},
            {"not": {"required": [key]}},
        ]
    )


def _rule(random: Random) -> dict[str, Any]:
    kind = random.randrange(10)
    if kind >= 7:
        one, other = random.sample(KEYS, 2)
        values = {"properties": {one: _value(random), other: _value(random)}, "required": [one, other]}
        return random.choice(
            [
                {"if": {"allOf": [_atom(random), _atom(random)]}, "then": _atom(random)},
                {"not": {"required": random.sample(KEYS, 3)}},
                {"not": values},
            ]
        )
    if kind <= 1:
        return {"dependentRequired": {key: [random.choice(KEYS)] for key in random.sample(KEYS, 2)}}
    if kind <= 3:
        rule = {"if": _atom(random), "then": _atom(random)}
        return {**rule, "else": _atom(random)} if random.random() < 0.3 else rule
    if kind == 4:
        return {"not": {"required": random.sample(KEYS, 2)}}
    if kind == 5:
        return {"anyOf": [_atom(random) for _ in range(random.randrange(2, 4))]}
    return {"oneOf": [{"required": [key]} for key in random.sample(KEYS, random.randrange(2, 4))]}


def _schema(random: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"allOf": [_rule(random) for _ in range(random.randrange(2, 6))]}
    if random.random() < 0.8:
        schema["type"] = "object"
    if random.random() < 0.5:
        schema["properties"] = {key: _value(random) for key in random.sample(KEYS, random.randrange(1, 4))}
    if random.random() < 0.3:
        schema["required"] = random.sample(KEYS, random.randrange(1, 3))
    if random.random() < 0.1:
        schema["propertyNames"] = random.choice([{"pattern": "^[abc]"}, {"not": {"const": "a"}}])
    if random.random() < 0.2:
        schema["additionalProperties"] = random.choice([False, {"type": "integer"}])
    return schema


def _objects() -> Iterator[dict[str, Any]]:
    for count in range(len(KEYS) + 1):
        for keys in itertools.combinations(KEYS, count):
            for values in itertools.product(VALUES, repeat=count):
                yield dict(zip(keys, values, strict=True))


def _beginnings(value: dict[str, Any]) -> Iterator[bytes]:
    """The beginnings of an object's text that end with a property."""
    members = [json.dumps(key) + ":" + json.dumps(one) for key, one in value.items()]
    for count in range(1, len(members) + 1):
        yield ("{" + ",".join(members[:count])).encode()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Two choices become clauses already. The list gets an item for each object that is written with clauses."""
    written: list[int] = []
    write = ClauseMembers.write

    def noted(members: Any, *others: Any) -> Any:
        written.append(1)
        return write(members, *others)

    monkeypatch.setattr(combine, "DEFERRED", 2)
    monkeypatch.setattr(ClauseMembers, "write", noted)
    yield written


@pytest.mark.parametrize("seed", range(50))
def test_random_rules(few: list[int], seed: int) -> None:
    random = Random(seed)
    schema = _schema(random)
    order: Any = random.choice(["any", "schema"])
    try:
        grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", property_order=order)
    except ff.GrammarError as error:
        assert "no value obeys" in str(error), schema
        grammar = None
    alive: set[bytes] = set()
    tried: list[dict[str, Any]] = []
    for value in _objects():
        valid = bool(is_valid(schema, value))
        several = list(orders(value))
        found = [one for one in several if grammar is not None and is_sentence(grammar, spelled(one, True))]
        # in the schema's order, some orders of a value are accepted
        assert len(found) == (len(several) if order == "any" else len(found) or 1) * valid, (schema, value, order)
        tried += several
        for one in found:
            alive.update(_beginnings(one))
    if grammar is None:
        return
    assert is_sentence(grammar, b"5") == is_valid(schema, 5)
    for begun in {begun for one in tried for begun in _beginnings(one)} - alive:
        for ended in (begun + b",", begun + b"}"):
            assert grammar.matcher().accept_bytes(ended) < len(ended), (schema, begun, "a dead end")


def test_random_rules_are_clauses(few: list[int]) -> None:
    for seed in range(40):
        try:
            ff.compile_json_schema(_schema(Random(seed)), BYTES)
        except ff.GrammarError:
            continue
    assert len(few) >= 15


def _conditions(count: int) -> dict[str, Any]:
    rules = [
        {
            "if": {"properties": {f"t{i}": {"const": 1}}, "required": [f"t{i}"]},
            "then": {"properties": {f"p{i}": {"type": "boolean"}}, "required": [f"p{i}"]},
            "else": {"properties": {f"p{i}": {"type": "integer"}}},
        }
        for i in range(count)
    ]
    return {"type": "object", "allOf": rules}


@pytest.mark.parametrize("order", ["schema", "any"])
def test_conditions_on_keys_of_their_own(order: Any) -> None:
    limits = Limits(alternatives=5000)
    grammar = ff.compile_json_schema(_conditions(200), BYTES, whitespace="compact", property_order=order, limits=limits)
    for text in ('{"t3":1,"p3":true}', '{"t3":2,"p3":5}', '{"p7":5,"x":1}', '{"t3":2}', "{}"):
        assert is_sentence(grammar, text)
    for text in ('{"t3":1}', '{"t3":1,"p3":5}', '{"t3":2,"p3":true}', '{"p7":true}', '{"t3":1,"p4":true}'):
        assert not is_sentence(grammar, text)
    assert is_sentence(grammar, '{"p3":true,"t3":1}') == (order == "any")
    # the key that is demanded is the next one, or the order is free
    assert (grammar.matcher().accept_bytes(b'{"t3":1,"t4') == 11) == (order == "any")


@pytest.mark.parametrize(
    "schema",
    [
        {"dependentRequired": {f"k{i}": [f"m{i}"] for i in range(300)}},
        {"dependentRequired": {f"k{i}": [f"k{(i * 7 + 1) % 100}"] for i in range(100)}},
        {
            "properties": {f"k{i}": {} for i in range(60)},
            "dependentRequired": {f"k{i}": [f"k{(i * 7 + 1) % 60}"] for i in range(60)},
        },
        {"allOf": [{"not": {"required": [f"k{i}", f"m{i}"]}} for i in range(300)]},
        {"allOf": [{"oneOf": [{"required": [f"{c}{i}"]} for c in "km"]} for i in range(60)]},
        {"allOf": [{"anyOf": [{"properties": {f"k{i}": {"type": t}}} for t in ("null", "string")]} for i in range(60)]},
        {"allOf": [{"not": {"required": [f"k{i}", f"k{i + 1}", f"k{i + 2}"]}} for i in range(0, 60, 2)]},
        {"allOf": [{"if": {"required": [f"k{i}", f"k{i + 1}"]}, "then": {"required": [f"m{i}"]}} for i in range(60)]},
    ],
    ids=[
        "pairs",
        "a ring",
        "a listed ring",
        "not both",
        "exactly one",
        "one of two types",
        "not all three",
        "two keys",
    ],
)
def test_the_cost_grows_with_the_number(schema: dict[str, Any]) -> None:
    """The product would have more alternatives than the limit allows, and takes more memory than this."""
    grammar = ff.compile_json_schema(
        {"type": "object", **schema}, BYTES, whitespace="compact", limits=Limits(alternatives=5000)
    )
    every = {f"k{i}": 1 for i in range(60)}
    for value in ({}, {"x": 1}, {"k3": "a"}, {"k3": "a", "m3": 1}, every, {**every, "m59": 2}, {"k1": "a", "k8": "a"}):
        assert any(is_sentence(grammar, spelled(one, True)) for one in orders(value, 30)) == is_valid(
            {"type": "object", **schema}, value
        ), value
    assert grammar.stats()["bytes"] < 60 << 20


def test_other_values_are_not_multiplied_out() -> None:
    """Without a `type`, values that are no objects obey all of these, or are told by each condition alone."""
    of_types = [{"anyOf": [{"properties": {f"{c}{i}": {"type": "integer"}}} for c in "abc"]} for i in range(30)]
    rules = [
        {"if": {"properties": {f"t{i}": {"const": 1}}, "required": [f"t{i}"]}, "then": {"required": [f"p{i}"]}}
        for i in range(30)
    ]
    values: list[Any] = [5, "s", "ss", None, [1], {}, {"t1": 1}, {"t1": 1, "p1": 1}, {"t1": 1, "p1": "s", "t2": 1}]
    values += [{"a1": "s", "b1": 1, "c1": "s"}, {"a1": "s", "b1": "s", "c1": "s"}]
    for several in (of_types, rules, [*of_types, {"anyOf": [{"type": "object"}, {"type": "string", "minLength": 2}]}]):
        schema = {"allOf": several}
        grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=2000))
        for value in values:
            assert is_sentence(grammar, spelled(value, True)) == is_valid(schema, value), value


@pytest.mark.parametrize("pattern", ["^kN", "kN$", "^kN$|^[xk]N"])
@pytest.mark.parametrize("more", [{}, {"properties": {"t": {"type": "string"}}}, {"required": ["t"]}])
def test_patterns_for_one_key(pattern: str, more: dict[str, Any]) -> None:
    """40 of them have 2 ** 40 products, most of which no value obeys."""
    tests = [{"properties": {"t": {"pattern": pattern.replace("N", str(i))}}, "required": ["t"]} for i in range(40)]
    rules = [{"if": test, "then": {"required": [f"p{i}"]}} for i, test in enumerate(tests)]
    schema = {"type": "object", "allOf": rules, **more}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", property_order="any")
    keys = {f"p{i}": 1 for i in range(40)}
    values: list[Any] = [{}, {"t": 1}, {"t": 1, **keys}, {"t": "k39", "p39": 1, "p3": 1}, {"p3": 1, "t": "xk3"}, 5]
    values += [
        {"t": text, **others} for text in ("k3", "k12", "x7", "", "ak3", "k3a") for others in ({}, {"p3": 1}, keys)
    ]
    values += [{"t": "k12", "p12": 1}, {"t": "k12", "p12": 1, "p1": 1}, {"t": "x7", "p7": 1}]
    for value in values:
        assert is_sentence(grammar, spelled(value, True)) == is_valid(schema, value), value


def test_what_clauses_cannot_say_is_multiplied_out() -> None:
    """A required key that others exclude: the first key may lead to a dead end, so this is not written with clauses."""
    nots = [{"not": {"required": ["r", f"k{i}"]}} for i in range(8)]
    pairs = {"dependentRequired": {"a": ["b"], "b": ["r"]}}
    grammar = ff.compile_json_schema(
        {"type": "object", "allOf": nots, **pairs}, BYTES, whitespace="compact", property_order="any"
    )
    for text in ('{"a":1,"b":1,"r":1}', '{"k1":1,"k2":1}', '{"r":1}'):
        assert is_sentence(grammar, text)
    for begun in ('{"k1":1,"r":', '{"k1":1,"b":', '{"k1":1,"a":', '{"a":1,"k1":'):
        assert grammar.matcher().accept_bytes(begun.encode()) < len(begun)


def test_samples_and_files(cl100k: ff.Tokenizer, tmp_path: Any) -> None:
    schema = _conditions(12)
    for order in ("schema", "any"):
        grammar = ff.compile_json_schema(schema, cl100k, property_order=order)
        for text in itertools.islice(grammar.samples(1), 50):
            assert is_valid(schema, json.loads(text)), text
        grammar.save(tmp_path / "clauses.ffg")
        loaded = ff.load(tmp_path / "clauses.ffg", cl100k)
        one, other = grammar.matcher(), loaded.matcher()
        for token in cl100k.encode('{"t3": 1, "p3": true, "t5": 2}'):
            assert one.allowed_token_ids().tolist() == other.allowed_token_ids().tolist()
            assert one.accept_token(token) == other.accept_token(token)
        assert "unless bit" in grammar.emit("ir")
