"""Random schemas and values: a text is accepted if and only if jsonschema says that its value is valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import FFGrammarError, GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.schemas import is_valid, jumble, orders, schemas, spelled, values
from sentences import BYTES, is_sentence


@settings(suppress_health_check=list(HealthCheck))
@given(
    schema=schemas,
    samples=st.lists(values, min_size=1, max_size=12),
    compact=st.booleans(),
    order=st.sampled_from(["schema", "any"]),
)
@example({"properties": {"a": {"type": "integer"}}, "required": ["b"]}, [{"b": 1, "a": 2}, {}, 1], False, "schema")
@example({"properties": {"a": {"type": "integer"}}, "required": ["b"]}, [{"b": 1, "a": 2}, {}, 1], False, "any")
def check(schema: Any, samples: list[Any], compact: bool, order: str) -> None:
    """One schema and some values; the results are counted in `seen`."""
    whitespace = "compact" if compact else "flexible"
    try:
        grammar = compile_json_schema(schema, BYTES, whitespace=whitespace, property_order=order)
    except UnsupportedError:
        seen["refused"] += 1
        return
    except GrammarError as error:
        if "no value obeys" in str(error):
            seen["unsatisfiable"] += 1
            for value in samples:
                assert is_valid(schema, value) is not True, (schema, value)
        else:
            seen["malformed"] += 1
        return
    seen["built"] += 1
    for value in samples:
        # an invalid value is rejected in every order of its keys, a valid one accepted in some order, or in all
        found = {is_sentence(grammar, spelled(ordered, compact)) for ordered in orders(value)}
        assert order == "schema" or len(found) == 1, (schema, value)
        accepted = True in found
        assert is_valid(schema, value) in (accepted, None), (schema, value, accepted)
        seen["valid values" if accepted else "invalid values"] += 1


seen: Counter[str] = Counter()


def test_random_schemas(covered: Callable[[str], None]) -> None:
    seen.clear()
    check()
    assert seen["valid values"] and seen["invalid values"]
    covered(", ".join([f"{count} {what}" for what, count in seen.most_common()]))


@settings(suppress_health_check=list(HealthCheck))
@given(schema=jumble, draft=st.sampled_from([None, 4, 7, 2019, 2020]))
@example({"not": {"required": "a"}}, None)
@example({"not": {"format": []}}, None)
@example({"not": {"dependencies": [1]}}, 7)
def test_anything_is_built_or_refused(schema: Any, draft: int | None) -> None:
    try:
        build(schema, ExprStore(), Limits(alternatives=500, emptiness_steps=2000), draft=draft)
    except FFGrammarError as error:
        assert str(error)
