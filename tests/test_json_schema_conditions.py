"""Many choices on one key: right, and their cost grows with their number."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from oracle.schemas import is_valid, orders, spelled
from sentences import BYTES, is_sentence

STRINGS = ["a", "b", "c", "d"]
VALUES: list[Any] = [*STRINGS, 1, 0, True, None, ["a"]]
DOCUMENTS: list[Any] = [
    {},
    {"x": 1},
    {"y": "s"},
    {"z": 1, "w": 2},
    {"t": "a", "z": 1},
    {"w": 1, "t": "b"},
    5,
    "a",
    ["a"],
]
DOCUMENTS += [list(items) for size in range(4) for items in itertools.product(range(3), repeat=size)]
DOCUMENTS += ["".join(chars) for size in range(5) for chars in itertools.product("abc", repeat=size)]
DOCUMENTS += [
    {key: value for key, value in zip("txy", (t, x, y), strict=True) if value != "none"}
    for t, x, y in itertools.product(VALUES, ("none", 1, "s"), ("none", 2))
]


def _condition(random: Random) -> dict[str, Any]:
    listed: list[Any] = random.sample(STRINGS, random.randrange(1, 3))
    if random.random() < 0.4:
        listed = random.sample([*STRINGS, 0, 1, 2.0, 1.5, True, False, None], random.randrange(1, 4))
    value: dict[str, Any] = {"const": listed[0]} if random.random() < 0.5 else {"enum": listed}
    when: dict[str, Any] = {"properties": {"t": value}}
    kind = random.random()
    if kind < 0.5:
        when["required"] = ["t"]
    if random.random() < 0.3:
        when["type"] = "object"
    if random.random() < 0.2:
        value["type"] = random.choice(["string", "string", "integer", "number", "boolean"])
    if random.random() < 0.1:
        value["enum"] = ["a", 1]
    if random.random() < 0.1:
        value["pattern"] = random.choice(["^a$", "^(a|b)$", "^(b|d)$"])
    if random.random() < 0.1:
        when["title"] = "a condition"
    if random.random() < 0.1:
        when = {"properties": {"x": {"type": "integer"}}, "required": ["x"]}
    elif random.random() < 0.3:
        # (about two keys)
        when["properties"]["x"] = random.choice([{"const": 1}, {"enum": [1, "s"]}, {"type": "integer"}, False, True])
        when.setdefault("required", []).extend(random.choice([["x"], [], ["y"]]))
    outcomes: list[Any] = [
        {"required": ["x"]},
        {"properties": {"x": {"type": "integer"}}},
        {"properties": {"y": False}},
        {"type": "object"},
        {"not": {"required": ["y"]}},
        {"properties": {"t": {"enum": ["a", "b", 1]}}},
        False,
    ]
    made: dict[str, Any] = {"if": when}
    if random.random() < 0.8:
        made["then"] = random.choice(outcomes[:-1])
    if random.random() < 0.5:
        made["else"] = random.choice(outcomes)
    return made


def _schema(random: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"allOf": [_condition(random) for _ in range(random.randrange(3, 7))]}
    if random.random() < 0.5:
        schema["type"] = "object"
    if random.random() < 0.5:
        schema["properties"] = {"t": {"enum": random.sample(VALUES, 4)}}
    if random.random() < 0.3:
        schema["required"] = ["t"]
    if random.random() < 0.3:
        schema["unevaluatedProperties"] = random.choice([False, False, {"type": "integer"}, {"enum": [1, "s"]}])
        schema.setdefault("properties", {}).update({"t": {}, "x": True})
    return schema


def _chain(random: Random) -> dict[str, Any]:
    """Conditions each of which counts only if no earlier one holds."""
    schema: dict[str, Any] = random.choice([True, False, {"required": ["y"]}, {"properties": {"t": {"const": "d"}}}])
    for _ in range(random.randrange(3, 7)):
        schema = {**_condition(random), "else": schema}
        if random.random() < 0.1:
            schema["properties"] = {"y": {"type": "string"}}
        if random.random() < 0.1:
            schema["description"] = "a link"
    kind = random.random()
    if kind < 0.2:
        return {"not": schema}
    if kind < 0.4:
        return {"allOf": [schema, _condition(random)], "properties": {"t": {"enum": random.sample(VALUES, 4)}}}
    if kind < 0.5:
        return {"allOf": [schema], "unevaluatedProperties": False}
    return {**schema, "required": ["t"]} if kind < 0.6 else schema


def _dependencies(random: Random) -> dict[str, Any]:
    """Keys that need others, or values of others."""

    def needed() -> Any:
        value = random.choice([{"enum": random.sample(STRINGS, 2)}, {"const": random.choice(STRINGS)}])
        return random.choice([{"properties": {"t": value}}, {"properties": {"t": value}, "required": ["t"]}, False])

    keys = ["x", "y", "z", "t", "w"]
    schema: dict[str, Any] = {"dependentSchemas": {key: needed() for key in random.sample(keys, 4)}}
    if random.random() < 0.3:
        schema["dependentRequired"] = {random.choice(keys): [random.choice(keys)]}
    if random.random() < 0.3:
        schema["properties"] = {"t": {"enum": random.sample(VALUES, 4)}}
    return schema


def _one_outcome(random: Random) -> dict[str, Any]:
    """Conditions on several keys, most of which demand the same."""
    outcomes = random.choices(
        [
            {"required": ["x"]},
            {"properties": {"y": False}},
            {"properties": {"x": {"type": "integer"}}},
            {"minItems": 2},
        ],
        k=2,
    )

    def condition() -> dict[str, Any]:
        key = random.choice(["t", "x", "y", "z", "w"])
        when = random.choice([{"required": [key]}, {"properties": {key: {"type": "integer"}}}, {"items": {"const": 1}}])
        word = random.choice(["then", "then", "then", "else"])
        return {"if": when, word: random.choice([*outcomes, outcomes[0]])}

    schema: dict[str, Any] = {"allOf": [condition() for _ in range(random.randrange(3, 7))]}
    if random.random() < 0.5:
        needed = random.choice([["x"], ["x", "t"], ["w"]])
        schema["dependentRequired"] = dict.fromkeys(random.sample(["t", "y", "z", "w"], 3), needed)
    if random.random() < 0.3:
        schema["dependentSchemas"] = dict.fromkeys(random.sample(["t", "y", "z", "w"], 3), outcomes[0])
    if random.random() < 0.2:
        schema["unevaluatedProperties"] = {"type": "integer"}
    if random.random() < 0.2:
        schema = {"not": schema}
    return schema


def _array(random: Random) -> dict[str, Any]:
    """Listed arrays, and arrays with other items."""
    listed = [[random.randrange(3) for _ in range(random.randrange(3))] for _ in range(4)]
    others: list[Any] = [{"minItems": random.randrange(3)}, {"items": {"minimum": 1}}, {"prefixItems": [{"const": 1}]}]
    branches = [{"enum": random.sample(listed, 2)} for _ in range(2)] + random.sample(others, 1)
    return {"type": "array", "oneOf": branches} if random.random() < 0.5 else {"items": {}, "not": {"anyOf": branches}}


def _contains(random: Random) -> dict[str, Any]:
    """Arrays whose items are counted, often by several schemas that say the same; and ranges that are left out."""

    def one() -> dict[str, Any]:
        if random.random() < 0.2:
            return {
                "items": {"allOf": [{"not": {"minimum": low, "maximum": low}} for low in random.sample(range(3), 2)]}
            }
        made: dict[str, Any] = {"contains": random.choice([{"const": 1}, {"const": 2}, {"minimum": 1}])}
        if random.random() < 0.6:
            made["minContains"] = random.randrange(3)
        if random.random() < 0.5:
            made["maxContains"] = random.randrange(3)
        return {"not": made} if random.random() < 0.2 else made

    word = random.choice(["allOf", "anyOf", "oneOf", "oneOf"])
    return {"type": "array", word: [one() for _ in range(random.randrange(2, 5))]}


def _branch(random: Random) -> dict[str, Any]:
    """A schema for objects of one kind."""
    listed = random.sample(STRINGS, random.choice([1, 1, 2]))
    branch: dict[str, Any] = {"properties": {"t": random.choice([{"enum": listed}, {"const": listed[0]}])}}
    if random.random() < 0.7:
        branch["type"] = "object"
    branch["required"] = random.choice([[], ["t"], ["t"], ["t", "x"], ["x"]])
    if random.random() < 0.4:
        branch["properties"]["x"] = random.choice([{"type": "integer"}, {"type": "string"}, False])
    if random.random() < 0.2:
        branch["additionalProperties"] = False
    if random.random() < 0.1:
        del branch["properties"]["t"]
    return branch


def _one_of(random: Random) -> dict[str, Any]:
    """Branches that may overlap, told apart in several ways."""
    branches = [_branch(random) for _ in range(random.randrange(3, 6))]
    schema: dict[str, Any] = {"definitions": {f"b{index}": branch for index, branch in enumerate(branches)}}
    named = [{"$ref": f"#/definitions/b{index}"} for index in range(len(branches))]
    several = random.choice([branches, named, [*branches[:2], *named[2:]]])
    kind = random.choice(["oneOf", "oneOf", "not anyOf", "none"])
    if kind == "oneOf":
        schema["oneOf"] = several
    elif kind == "not anyOf":
        schema["not"] = {"anyOf": several}
    else:
        schema["allOf"] = [{"not": one} for one in several]
    if random.random() < 0.5:
        schema["type"] = "object"
    return schema


def _strings(random: Random) -> dict[str, Any]:
    """Choices about strings, and about values of other types beside them."""

    def one() -> dict[str, Any]:
        made: dict[str, Any] = random.choice(
            [
                *[{"pattern": pattern} for pattern in ("a", "b", "^a", "b$", "aa", "^(..)*$", "[ac]b")],
                *[{"minLength": 2}, {"maxLength": 2}, {"pattern": "c", "maxLength": 2}, {"minimum": 3}],
                *[{"const": "ab"}, {"enum": ["a", "bb", 1, None]}, {"type": ["string", "null"]}, {"format": "x"}],
                *[{"type": "string", "pattern": "a"}, {"type": "integer", "pattern": "b"}, {"required": ["x"]}],
            ]
        )
        return {"not": made} if random.random() < 0.2 else made

    def choice() -> dict[str, Any]:
        kind = random.random()
        if kind < 0.4:
            return {"anyOf": [one() for _ in range(random.randrange(2, 4))]}
        if kind < 0.6:
            return {"oneOf": [one(), one()]}
        if kind < 0.8:
            return {"if": one(), "then": one(), **({"else": one()} if random.random() < 0.5 else {})}
        return {"not": {**one(), **one()}}

    schema: dict[str, Any] = {"allOf": [choice() for _ in range(random.randrange(3, 7))]}
    if random.random() < 0.4:
        schema["type"] = random.choice(["string", ["string", "integer"], ["string", "object"]])
    if random.random() < 0.3:
        schema.update(random.choice([{"pattern": "a|b"}, {"minLength": 1}, {"enum": ["ab", "a", "bb", "cab", 1, 5]}]))
    if random.random() < 0.1:
        schema["unevaluatedProperties"] = False
    return {"not": schema} if random.random() < 0.1 else schema


def _closed(random: Random) -> dict[str, Any]:
    """Objects that allow few keys, one of which must be there so that other branches do not match."""
    branches = []
    for _ in range(random.randrange(3, 8)):
        values = [True, {"type": "integer"}, {"type": "string"}, {"enum": random.sample(STRINGS, 2)}, False]
        keys = random.sample(["x", "y", "z", "t", "w"], random.choice([1, 1, 2, 3]))
        branch: dict[str, Any] = {"properties": {key: random.choice(values) for key in keys}}
        if random.random() < 0.9:
            branch["additionalProperties"] = False
        if random.random() < 0.3:
            branch["required"] = random.sample(keys, 1)
        if random.random() < 0.2:
            branch["patternProperties"] = {"[w-x]": {"type": "integer"}}
        branches.append(branch)
    return random.choice([{"oneOf": branches}, {"type": "object", "not": {"anyOf": branches[:4]}}])


def _evaluated(random: Random) -> dict[str, Any]:
    """Many branches that may hold together, each of which evaluates keys."""
    branches = []
    for number in range(random.randrange(5, 10)):
        properties: dict[str, Any] = {}
        if random.random() < 0.7:
            properties["t"] = {"enum": random.sample([*STRINGS, 1, True], random.randrange(1, 3))}
        if random.random() < 0.8:
            properties[random.choice("xyzw")] = random.choice([True, {"type": "integer"}, {"const": "s"}, False])
        branch: dict[str, Any] = {"properties": properties}
        if random.random() < 0.5:
            branch["required"] = random.sample(["t", "x", "y"], 1)
        if random.random() < 0.3:
            branch["type"] = "object"
        branches.append({"anyOf": [branch, {"required": ["z"]}]} if number == 3 else branch)
    schema: dict[str, Any] = {"anyOf": branches}
    schema["unevaluatedProperties"] = random.choice([False, False, {"type": "integer"}, {"const": "s"}])
    if random.random() < 0.3:
        schema["properties"] = {"t": {"type": "string"}}
    return {"not": schema, "type": "object"} if random.random() < 0.25 else schema


def _one_key(random: Random) -> dict[str, Any]:
    """Choices whose branches are about the value of one key."""

    def choice() -> dict[str, Any]:
        name = random.choice("tx")
        branches = []
        demands: dict[str, Any] = random.choice([{}, {"required": [name]}, {"type": "object"}])
        for _ in range(random.randrange(2, 4)):
            value: Any = random.choice(
                [
                    True,
                    False,
                    {"type": "integer"},
                    {"pattern": "a"},
                    {"pattern": "b$"},
                    {"enum": ["a", 1]},
                    {"const": "s"},
                ]
            )
            branch = {"properties": {name if random.random() < 0.95 else "y": value}, **demands}
            branches.append({**branch, "title": "a branch"} if random.random() < 0.1 else branch)
        made = {random.choice(["anyOf", "oneOf"]): branches}
        return {"not": made} if random.random() < 0.15 else made

    schema: dict[str, Any] = {"allOf": [choice() for _ in range(random.randrange(1, 5))]}
    if random.random() < 0.2:
        schema["unevaluatedProperties"] = False
    if random.random() < 0.4:
        schema["type"] = "object"
    return schema


@pytest.mark.parametrize(
    "make",
    [_schema, _chain, _one_of, _dependencies, _array, _closed, _one_outcome, _contains, _strings, _evaluated, _one_key],
    ids=[
        "if",
        "chain",
        "oneOf",
        "dependencies",
        "arrays",
        "closed",
        "one outcome",
        "contains",
        "strings",
        "evaluated",
        "one key",
    ],
)
@pytest.mark.parametrize("seed", range(80))
def test_random_choices(seed: int, make: Callable[[Random], dict[str, Any]]) -> None:
    schema = make(Random(seed))
    limits = Limits(alternatives=5000)
    try:
        grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", property_order="any", limits=limits)
    except ff.GrammarError as error:
        assert "no value obeys" in str(error), schema
        grammar = None
    for value in DOCUMENTS:
        accepted = grammar is not None and any(is_sentence(grammar, spelled(one, True)) for one in orders(value))
        assert accepted == is_valid(schema, value), (schema, value)


def test_the_cost_grows_with_the_number() -> None:
    """The product of all conditions would have far more alternatives than the limit allows."""

    def of_kind(number: int) -> dict[str, Any]:
        when = {"properties": {"kind": {"const": f"k{number}"}}, "required": ["kind"]}
        return {"if": when, "then": {"required": [f"p{number}"]}, "else": {"properties": {f"p{number}": False}}}

    schema = {
        "type": "object",
        "properties": {"kind": {"enum": [f"k{number}" for number in range(200)]}},
        "required": ["kind"],
        "allOf": [of_kind(number) for number in range(200)],
    }
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=1000))
    assert is_sentence(grammar, b'{"kind":"k150","p150":1}')
    assert not is_sentence(grammar, b'{"kind":"k150","p151":1}')


def test_a_pattern_beside_listed_values_says_nothing_of_numbers() -> None:
    def of_pair(number: int) -> dict[str, Any]:
        value = {"enum": [number, f"v{number}", f"w{number}"], "pattern": f"^v{number}$"}
        return {"if": {"properties": {"t": value}, "required": ["t"]}, "then": {"required": ["x"]}}

    grammar = ff.compile_json_schema({"allOf": [of_pair(number) for number in range(4)]}, BYTES, whitespace="compact")
    assert is_sentence(grammar, b'{"t":"w2"}') and is_sentence(grammar, b'{"t":2,"x":1}')
    assert not is_sentence(grammar, b'{"t":"v2"}') and not is_sentence(grammar, b'{"t":2}')


def test_the_cost_grows_with_the_number_of_conditions_on_two_keys() -> None:
    def of_pair(number: int) -> dict[str, Any]:
        when = {"properties": {"os": {"const": number % 20}, "cpu": {"const": number}}, "required": ["os", "cpu"]}
        return {"if": when, "then": {"required": [f"p{number}"]}}

    schema = {"type": "object", "allOf": [of_pair(number) for number in range(200)]}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=3000))
    assert is_sentence(grammar, b'{"os":7,"cpu":27,"p27":1}')
    assert is_sentence(grammar, b'{"os":7,"cpu":28}')
    assert not is_sentence(grammar, b'{"os":7,"cpu":27,"p28":1}')


def test_what_conditions_evaluate_does_not_multiply() -> None:
    def of_kind(number: int) -> dict[str, Any]:
        when = {"properties": {"kind": {"const": f"k{number}"}}}
        return {"if": when, "then": {"properties": {f"p{number}": {"type": "integer"}}}}

    schema = {"type": "object", "allOf": [of_kind(number) for number in range(200)], "unevaluatedProperties": False}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=1000))
    assert is_sentence(grammar, b'{"kind":"k150","p150":1}')
    assert not is_sentence(grammar, b'{"kind":"k150","p151":1}')
    assert not is_sentence(grammar, b'{"kind":"k150","q":1}')
    # no condition holds, so none evaluates `kind`
    assert not is_sentence(grammar, b'{"kind":"none"}')


def test_many_branches_that_evaluate_keys() -> None:
    """Any set of them might hold, but for their tags."""

    def of_kind(number: int) -> dict[str, Any]:
        properties = {"kind": {"const": f"k{number}"}, f"p{number}": {"type": "integer"}}
        return {"type": "object", "properties": properties, "required": ["kind"]}

    schema = {"anyOf": [of_kind(number) for number in range(100)], "unevaluatedProperties": False}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits.public())
    assert is_sentence(grammar, b'{"kind":"k50","p50":1}')
    assert not is_sentence(grammar, b'{"kind":"k50","p51":1}')
    assert not is_sentence(grammar, b'{"kind":"k100"}')


def test_choices_on_one_key_are_met_in_its_value() -> None:
    def one_of_three(number: int) -> dict[str, Any]:
        return {"anyOf": [{"properties": {"k": {"pattern": f"<{number}{letter}>"}}} for letter in "abc"]}

    schema = {"type": "object", "required": ["k"], "allOf": [one_of_three(number) for number in range(12)]}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=1000))
    text = "".join([f"<{number}{'abc'[number % 3]}>" for number in range(12)])
    assert is_sentence(grammar, f'{{"k":"{text}"}}'.encode())
    assert not is_sentence(grammar, f'{{"k":"{text[:-4]}"}}'.encode())


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_keys_that_branches_name_come_last(word: str) -> None:
    branches = [{"properties": {"a": {"type": kind}}, "required": ["a"]} for kind in ("integer", "string")]
    grammar = ff.compile_json_schema({word: branches, "properties": {"b": {}}}, BYTES, whitespace="compact")
    assert is_sentence(grammar, b'{"b":1,"a":1}')
    assert not is_sentence(grammar, b'{"a":1,"b":1}')


def test_a_chain_is_one_choice() -> None:
    chain: Any = {"required": ["rest"]}
    for number in reversed(range(300)):
        when = {"properties": {"kind": {"enum": [number, number + 1]}}, "required": ["kind"]}
        chain = {"if": when, "then": {"required": [f"p{number}"]}, "else": chain}
    schema = {"type": "object", **chain}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=1000))
    assert is_sentence(grammar, b'{"kind":150,"p149":1}')
    assert not is_sentence(grammar, b'{"kind":150,"p150":1}')
    assert is_sentence(grammar, b'{"kind":301,"rest":1}')
    assert is_sentence(grammar, b'{"rest":1}')
    assert not is_sentence(grammar, b'{"p0":1}')


def test_lengths_are_met_by_arithmetic() -> None:
    """Beside such patterns, the lengths that may not be would take too many states."""
    letters = "abcdefgh"
    patterns = [{"pattern": f"^[^{one}]*({one}[^{one}]*){{{n}}}$"} for n, one in enumerate(letters, 9)]
    patterns += [{"not": {"pattern": f"[{one}0-9].{{8}}{one}"}} for one in letters]
    left_out = [{"not": {"minLength": low, "maxLength": high}} for low, high in ((34, 153), (57, 291), (52, 295))]
    schema = {"type": "string", "minLength": 58, "maxLength": 101, "allOf": [*patterns, *left_out]}
    with pytest.raises(ff.GrammarError, match="no value obeys"):
        ff.compile_json_schema(schema, BYTES)


def test_ranges_of_lengths() -> None:
    """Texts may be spelled in every way where only their lengths count."""
    left_out = [{"not": {"minLength": low, "maxLength": low}} for low in range(1, 80, 2)]
    for more in ({}, {"pattern": "a"}, {"enum": ["a" * count for count in range(9)]}):
        schema = {"type": ["string", "integer"], "maxLength": 60, "allOf": left_out, **more}
        grammar = ff.compile_json_schema(schema, BYTES)
        for count in (0, 1, 2, 5, 6, 59, 60, 61, 62):
            assert is_sentence(grammar, json.dumps("a" * count)) == is_valid(schema, "a" * count)
        assert is_sentence(grammar, r'"\u0061a"') == (not more)


@pytest.mark.parametrize(
    "schema",
    [
        {"dependentRequired": {f"k{number}": ["z"] for number in range(100)}},
        {"dependentSchemas": {f"k{number}": {"required": ["z"]} for number in range(100)}},
        {"allOf": [{"if": {"required": [f"k{number}"]}, "then": {"required": ["z"]}} for number in range(100)]},
    ],
    ids=["dependentRequired", "dependentSchemas", "if"],
)
def test_conditions_that_demand_the_same_are_one(schema: dict[str, Any]) -> None:
    grammar = ff.compile_json_schema(
        {"type": "object", **schema}, BYTES, whitespace="compact", limits=Limits(alternatives=100)
    )
    for value in ({"k3": 1}, {"k3": 1, "z": 1}, {"z": 1}, {}, {"k": 1}, {"k99": 1, "k2": 1}):
        assert any(is_sentence(grammar, spelled(one, True)) for one in orders(value)) == is_valid(schema, value), value


def test_a_key_may_meet_what_few_keys_and_what_any_key_must() -> None:
    integers = {"type": "integer"}
    branches = [{"additionalProperties": integers}, {"patternProperties": {"^[xy]$": integers}}]
    for order in (branches, branches[::-1]):
        schema = {"type": "object", "not": {"anyOf": order}}
        grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact")
        for value in ({"x": "a"}, {"t": 1, "x": "a"}, {"t": "a"}, {"t": "a", "y": "a"}, {"x": 1}, {}):
            assert is_sentence(grammar, spelled(value, True)) == is_valid(schema, value), value


def test_what_all_branches_share_is_not_denied() -> None:
    """Each branch must break the others. What it shares with them it cannot break, whatever that says."""
    base = {
        "type": "object",
        "properties": {f"b{number}": {"type": ["string", "integer"], "minLength": 2} for number in range(30)},
        "required": ["b1", "b2"],
    }
    branches = [{"allOf": [{"$ref": "#/$defs/base"}, {"required": [f"k{number}"]}]} for number in range(8)]
    schema = {"$defs": {"base": base}, "oneOf": branches}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact", limits=Limits(alternatives=1000))
    assert is_sentence(grammar, b'{"b1":"xx","b2":2,"k3":1}')
    assert not is_sentence(grammar, b'{"b1":"xx","b2":2,"k3":1,"k4":1}')
    assert not is_sentence(grammar, b'{"b1":"xx","b2":2}')


def test_work_on_conditions_that_stay_open_is_counted() -> None:
    """Each alternative is compared with each condition that was not decided. (It took 14 s.)"""

    def one(number: int) -> dict[str, Any]:
        keys = ["t", "u"] if number % 9 else ["v", "u"]
        when = {"properties": {key: {"pattern": f"^k{number}$"} for key in keys}, "required": keys}
        then = [{"required": [f"p{number}"]}, {"properties": {"w": {"enum": [number, number + 1]}}}][number % 2]
        return {"if": when, "else" if number % 3 == 2 else "then": then}

    schema = {"allOf": [one(number) for number in range(100)], "unevaluatedProperties": {"type": "integer"}}
    with pytest.raises(ff.LimitError, match="compile_work"):
        ff.compile_json_schema(schema, BYTES, limits=Limits(compile_work=40_000_000))


@pytest.mark.timing
def test_kinds_of_values_with_many_shapes_are_told_apart_soon() -> None:
    """Of some pairs of values each has hundreds of shapes. (To compare all with all took 17 s.)"""

    def one_of(number: int) -> dict[str, Any]:
        divisors = (3 * number + 1, 3 * number + 2)
        return {"oneOf": [{"properties": {key: {"multipleOf": divisor} for key in "tu"}} for divisor in divisors]}

    begun = time.process_time()
    with pytest.raises(ff.LimitError):
        ff.compile_json_schema({"allOf": [one_of(number) for number in range(9)]}, BYTES, property_order="any")
    assert time.process_time() - begun < 9
