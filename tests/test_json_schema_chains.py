"""Several recursive subschemas that hand the same property on, side by side: nested objects, against the definition."""

from __future__ import annotations

import json
import random
from math import prod
from typing import Any

import jsonschema
import pytest

import ffgrammar as ff
from ffgrammar.grammar import json_schema
from ffgrammar.grammar.json_schema.emit.chains import Chains
from ffgrammar.grammar.json_schema.emit.emitter import Emitter
from thoroughness import QUICK, fewer

SEED, SCHEMAS = 7, 60
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)


def _cycles(lengths: tuple[int, ...], required: Any) -> dict[str, Any]:
    """A chain of each length; `required` takes the length and the place there."""
    schemas: dict[str, Any] = {}
    for length in lengths:
        for at in range(length):
            following = {"$ref": f"#/$defs/{length}_{(at + 1) % length}"}
            more = {"required": ["n"]} if required(length, at) else {}
            schemas[f"{length}_{at}"] = {"type": "object", "properties": {"n": following}, **more}
    return {"allOf": [{"$ref": f"#/$defs/{length}_0"} for length in lengths], "$defs": schemas}


class _Chains:
    """Random chains: each leads to a cycle, and a subschema may require the property, or close its object."""

    def __init__(self, rng: random.Random) -> None:
        self.next: list[int] = []
        self.required: list[bool] = []
        self.closed: list[bool] = []
        self.starts: list[int] = []
        often, closed = rng.choice((0.1, 0.5, 0.9)), rng.choice((0.0, 0.2))
        for _ in range(rng.randrange(2, 5)):
            begin, length = len(self.next), rng.randrange(1, 9)
            self.starts.append(begin)
            self.next += [*range(begin + 1, begin + length), rng.randrange(begin, begin + length)]
            self.required += [rng.random() < often for _ in range(length)]
            self.closed += [rng.random() < closed for _ in range(length)]

    def schema(self) -> dict[str, Any]:
        made = {}
        for at, following in enumerate(self.next):
            one = made[f"s{at}"] = {"type": "object", "properties": {"n": {"$ref": f"#/$defs/s{following}"}}}
            if self.required[at]:
                one["required"] = ["n"]
            if self.closed[at]:
                one["additionalProperties"] = False
        return {"allOf": [{"$ref": f"#/$defs/s{at}"} for at in self.starts], "$defs": made}

    def obeyed(self, levels: list[bool]) -> bool:
        """Whether objects in each other obey; for each, from the outermost, whether it has another key."""
        places = self.starts
        for number, has_other in enumerate(levels):
            if has_other and any(self.closed[at] for at in places):
                return False
            if number == len(levels) - 1 and any(self.required[at] for at in places):
                return False
            places = [self.next[at] for at in places]
        return True


def _text(levels: list[bool], first: bool) -> bytes:
    """Objects in each other; another key comes before the next object or after it."""
    text = ""
    for number, has_other in enumerate(reversed(levels)):
        members = [] if number == 0 else ['"n":' + text]
        if has_other:
            members.insert(0 if first else len(members), '"x":[1]')
        text = "{" + ",".join(members) + "}"
    return text.encode()


@pytest.mark.parametrize("order", ["schema", "any"])
def test_random_chains(cl100k: ff.Tokenizer, order: str) -> None:
    rng = random.Random(16)
    outcomes = {False: 0, True: 0}
    for _ in range(fewer(40)):
        chains = _Chains(rng)
        try:
            grammar = ff.compile_json_schema(chains.schema(), cl100k, property_order=order)
        except ff.GrammarError:
            assert not any(chains.obeyed([False] * depth) for depth in range(1, 1000))
            continue
        for depth in [*range(1, 12), *rng.sample(range(12, 400), 40)]:
            levels = [rng.random() < 0.02 for _ in range(depth)]
            text = _text(levels, order == "any" and rng.random() < 0.5)
            matcher = grammar.matcher()
            accepted = matcher.accept_bytes(text) == len(text) and matcher.is_accepting()
            assert accepted == chains.obeyed(levels), (chains.schema(), text)
            outcomes[accepted] += 1
    assert min(outcomes.values()) > (8 if QUICK else 200)


def test_a_cycle_that_is_longer_than_any_text(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(_cycles(PRIMES, lambda _, at: at), cl100k)
    assert grammar.stats()["productions"] < 500
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b'{"n":' * 1000) == 5000
    assert matcher.accept_bytes(b"{}") == 1


def test_the_innermost_object_is_where_all_cycles_begin(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(_cycles(PRIMES[:5], lambda _, at: at), cl100k)
    text = b'{"n":' * 2310
    for levels, ends in ((0, True), (1, False), (2309, False), (2310, True)):
        matcher = grammar.matcher()
        assert matcher.accept_bytes(text[: 5 * levels]) == 5 * levels
        assert matcher.accept_bytes(b"{}") == 1 + ends


def test_a_cycle_without_an_end_has_no_value(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match="no value obeys"):
        ff.compile_json_schema(_cycles(PRIMES[:7], lambda length, at: at or length == 5), cl100k)


def test_too_long_a_cycle_is_refused(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.LimitError, match=r"come back only after \d+ levels at #?/\$defs") as caught:
        ff.compile_json_schema(_cycles((*PRIMES, 23), lambda _, at: at), cl100k)
    assert caught.value.limit == "alternatives"


class _Deep(Emitter):
    """Takes each conjunction for one that is nested deep, so that chains are looked for at once."""

    def symbol(self, conj: Any, depth: int) -> int:
        return super().symbol(conj, depth + 41)


def _step(rng: random.Random, following: Any, inner: list[Any]) -> dict[str, Any]:
    """A schema in which `following` applies to some parts of a value, in one of many ways; `inner`: ways to say it."""
    next = rng.choice([following, *[rng.choice(inner)(following)] * 2])
    needed = {"required": ["n"]} if rng.random() < 0.5 else {}
    kind = rng.randrange(12)
    if kind == 0:
        return {"type": "array", "items": next, "minItems": rng.randrange(2), "maxItems": rng.randrange(1, 3)}
    if kind == 1:
        return {
            "type": "array",
            "prefixItems": [next],
            "minItems": rng.randrange(2),
            "items": rng.choice([False, {"type": "integer"}]),
        }
    if kind == 2:
        return {"type": "object", "additionalProperties": next, "minProperties": rng.randrange(2)}
    if kind == 3:
        return {"type": "object", "patternProperties": {"^n": next}, **needed}
    if kind == 4:
        return {
            "anyOf": [
                {"type": "object", "properties": {"n": next}, **needed},
                {"type": rng.choice(["integer", "string", "object"])},
            ]
        }
    if kind == 5:
        return {"type": "object", "if": {"required": ["m"]}, "then": {"properties": {"n": next}}, **needed}
    if kind == 6:
        return {"type": "object", "dependentSchemas": {"m": {"properties": {"n": next}}}, **needed}
    if kind == 7:
        return {"type": "object", "properties": {"n": next}, "additionalProperties": False, **needed}
    if kind == 8:
        return {"type": ["object", "integer"], "properties": {"n": next, "m": next}, **needed}
    if kind == 9:
        return {
            "type": "object",
            "properties": {"n": next},
            "unevaluatedProperties": rng.choice([False, {"type": "integer"}]),
            **needed,
        }
    if kind == 10:
        return {"oneOf": [{"type": "object", "properties": {"n": next}, **needed}, {"type": "integer", "minimum": 1}]}
    return {"type": "object", "properties": {"n": next, "m": {"type": "integer"}}, **needed}


def _mixture(rng: random.Random) -> dict[str, Any]:
    """Some cycles side by side, most of one way."""
    inner = [
        lambda one: {"anyOf": [one, {"type": "null"}]},
        lambda one: {"oneOf": [{"type": "null"}, one]},
        lambda one: {"allOf": [{"allOf": [one]}]},
        lambda one: {"title": "x", **one},
        lambda one: {"allOf": [one], "maxProperties": 1},
    ][: rng.choice([1, 3, 5])]
    schemas: dict[str, Any] = {}
    lengths = rng.choices(range(1, 5), k=rng.randrange(2, 4))
    seed = rng.random()
    for number, length in enumerate(lengths):
        for at in range(length):
            way = random.Random(seed) if rng.random() < 0.8 else rng
            schemas[f"{number}_{at}"] = _step(way, {"$ref": f"#/$defs/{number}_{(at + 1) % length}"}, inner)
            if rng.random() < 0.5:
                schemas[f"{number}_{at}"].pop("required", None)
    return {"allOf": [{"$ref": f"#/$defs/{number}_0"} for number in range(len(lengths))], "$defs": schemas}


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(10 if depth else 3)
    if kind < 3:
        return rng.choice([0, 1, None, "s", {}, []])
    if kind < 5:
        return [_value(rng, depth - 1) for _ in range(rng.choice([1, 1, 2]))]
    keys = rng.choice([["n"], ["n"], ["n"], ["m"], ["n", "m"], ["m", "n"], ["n", "x"], ["x"], ["nn"]])
    return {key: _value(rng, depth - 1) if key == "n" or rng.random() < 0.3 else rng.choice([1, {}]) for key in keys}


def _has_two_keys(value: Any) -> bool:
    if isinstance(value, dict):
        return len(value) > 1 or any([_has_two_keys(one) for one in value.values()])
    return isinstance(value, list) and any([_has_two_keys(one) for one in value])


@pytest.mark.parametrize("order", ["any", "schema"])
def test_random_mixtures(cl100k: ff.Tokenizer, order: str, monkeypatch: pytest.MonkeyPatch, covered: Any) -> None:
    monkeypatch.setattr(json_schema, "Emitter", _Deep)
    made = []
    symbol = Chains.symbol
    monkeypatch.setattr(Chains, "symbol", lambda self, conj: made.append(symbol(self, conj)) or made[-1])
    rng = random.Random(SEED)
    outcomes = {False: 0, True: 0}
    for _ in range(SCHEMAS):
        schema = _mixture(rng)
        judge = jsonschema.Draft202012Validator(schema)
        values = [_value(rng, rng.randrange(7)) for _ in range(60)]
        try:
            grammar = ff.compile_json_schema(schema, cl100k, property_order=order)
        except ff.GrammarError:
            assert not any(judge.is_valid(value) for value in values), schema
            continue
        for value in values:
            text = json.dumps(value).encode()
            matcher = grammar.matcher()
            accepted = matcher.accept_bytes(text) == len(text) and matcher.is_accepting()
            valid = judge.is_valid(value)
            # (which order the keys have in a conjunction is not said)
            assert accepted == valid or (order == "schema" and valid and _has_two_keys(value)), (schema, value)
            outcomes[accepted] += 1
    covered(f"{outcomes[True]} accepted, {outcomes[False]} rejected, {sum([one is not None for one in made])} chains")
    assert min(outcomes.values()) > 100 and any([one is not None for one in made])


def test_levels_that_may_end_in_null(cl100k: ff.Tokenizer) -> None:
    """A run of levels, each of which has texts without a next level."""
    schema = _cycles(PRIMES[:5], lambda _, at: at)
    for one in schema["$defs"].values():
        one["properties"]["n"] = {"anyOf": [one["properties"]["n"], {"type": "null"}]}
    grammar = ff.compile_json_schema(schema, cl100k)
    assert grammar.stats()["productions"] < 500
    text = b'{"n":' * 2311
    for levels in (1, 2, 41, 45, 100, 1234, 2309, 2310, 2311):
        matcher = grammar.matcher()
        assert matcher.accept_bytes(text[: 5 * levels]) == 5 * levels
        other = matcher.fork()
        assert matcher.accept_bytes(b"null" + b"}" * levels) == 4 + levels and matcher.is_accepting()
        assert other.accept_bytes(b"{}") == 1 + (levels == 2310)


def test_branches_at_each_level_are_refused(cl100k: ff.Tokenizer) -> None:
    """With two next levels in one level, each level would need productions of its own."""
    schema = _cycles(PRIMES[:7], lambda _, at: at)
    for one in schema["$defs"].values():
        one["properties"]["m"] = one["properties"]["n"]
    with pytest.raises(ff.LimitError, match=r"come back only after 510510 levels at #?/") as caught:
        ff.compile_json_schema(schema, cl100k)
    assert caught.value.limit == "alternatives"


def test_steps_through_a_long_text_of_levels_count_as_work(
    cl100k: ff.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the call can end between any two of them. Each step is through the levels once or twice."""
    counted: list[int] = []
    count = Chains._count

    def noted(self: Chains, size: int) -> None:
        counted.append(size)
        count(self, size)

    monkeypatch.setattr(Chains, "_count", noted)
    lengths = (2, 3, 5, 7, 11, 13, 17)
    schema = _cycles(lengths, lambda length, at: at > 0)
    ff.compile_json_schema(schema, cl100k, limits=ff.Limits())
    levels = prod(lengths)
    assert max(counted) <= 2 * levels
    # One for each cycle, and one for each of what is done with all of them.
    assert counted.count(levels) >= len(lengths)
    assert sum(counted) >= (len(lengths) + 5) * levels
