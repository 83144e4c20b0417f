"""All of the dev set, and the official suite, text by text: what is invalid is never accepted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.data import load_schemas, spaced
from bench.order import reorderings
from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import FFGrammarError
from ffgrammar.tokens.tokenizer import Tokenizer
from oracle.schemas import orders, spelled

BYTES = Tokenizer.from_tokens([bytes([byte]) for byte in range(256)])


def accepts(grammar: Any, text: bytes) -> bool:
    """Whether the text is a sentence of a compiled grammar."""
    matcher = grammar.matcher()
    return bool(matcher.accept_bytes(text) == len(text) and matcher.is_accepting())


@pytest.mark.parametrize("order", ["schema", "any"])
def test_dev_set(shared_dir: Path, covered: Callable[[str], None], order: str) -> None:
    seen: Counter[str] = Counter()
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz"):
        try:
            grammar = compile_json_schema(schema.schema, BYTES, property_order=order)
        except FFGrammarError as error:
            # the place and the reason are said
            assert str(error)
            seen["refused"] += 1
            continue
        verdict = "pass"
        for instance in schema.instances:
            accepted = accepts(grammar, spaced(instance.data).encode("utf-8", "surrogatepass"))
            assert instance.valid or not accepted, (schema.id, instance.data)
            if instance.valid and not accepted:
                assert order == "schema", (schema.id, instance.data)
                verdict = "order"
                ordered = reorderings(instance.data, schema.schema)
                assert any(accepts(grammar, spaced(one).encode()) for one in ordered), (schema.id, instance.data)
        seen[verdict] += 1
    covered(", ".join([f"{count} {what}" for what, count in seen.most_common()]))
    assert seen["pass"] >= (2080 if order == "schema" else 2130)
    assert seen["refused"] <= 74


def test_official_suite(shared_dir: Path, covered: Callable[[str], None]) -> None:
    seen: Counter[str] = Counter()
    for path in sorted((shared_dir / "jsonschema-suite" / "draft2020-12").glob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            tests = group["tests"]
            try:
                grammar = compile_json_schema(
                    group["schema"], BYTES, whitespace="compact", formats="annotation", property_order="any"
                )
            except FFGrammarError as error:
                if "no value obeys" not in str(error):
                    seen["refused"] += len(tests)
                    continue
                grammar = None
            for test in tests:
                # in any order of its keys a value is accepted, or in none
                variants = [spelled(order, compact=True) for order in orders(test["data"])]
                found = {grammar is not None and accepts(grammar, text) for text in variants}
                accepted = True in found
                name = (path.name, group["description"], test["description"])
                assert len(found) == 1, name
                assert test["valid"] or not accepted, name
                # an integer is written without a fraction
                assert accepted or not test["valid"] or test["data"] == 1.0, name
                seen["right" if accepted == test["valid"] else "wrong reject"] += 1
    covered(", ".join([f"{count} {what}" for what, count in seen.most_common()]))
    assert seen["right"] >= 920
