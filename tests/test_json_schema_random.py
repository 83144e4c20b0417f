"""Random schemas and values: a text is accepted if and only if jsonschema says that its value is valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.tokens.tokenizer import Tokenizer
from oracle.schemas import is_valid, orders, schemas, spelled, values

BYTES = Tokenizer.from_tokens([bytes([byte]) for byte in range(256)])


def accepts(grammar: Any, text: bytes) -> bool:
    """Whether the text is a sentence of a compiled grammar."""
    matcher = grammar.matcher()
    return bool(matcher.accept_bytes(text) == len(text) and matcher.is_accepting())


@given(schema=schemas, samples=st.lists(values, min_size=1, max_size=12), compact=st.booleans())
@example({"properties": {"a": {"type": "integer"}}, "required": ["b"]}, [{"b": 1, "a": 2}, {"a": 1}, {}, 1], False)
@settings(suppress_health_check=list(HealthCheck))
def test_random_schemas(schema: Any, samples: list[Any], compact: bool) -> None:
    try:
        grammar = compile_json_schema(schema, BYTES, whitespace="compact" if compact else "flexible")
    except UnsupportedError:
        return
    except GrammarError as error:
        if "no value obeys" in str(error):
            for value in samples:
                assert is_valid(schema, value) is not True, (schema, value)
        return
    for value in samples:
        # what is invalid is accepted in no order of its keys, what is valid in one
        accepted = any(accepts(grammar, spelled(order, compact)) for order in orders(value))
        assert is_valid(schema, value) in (accepted, None), (schema, value, accepted)
