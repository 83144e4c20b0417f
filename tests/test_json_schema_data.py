"""All of the dev set, text by text: what is invalid is never accepted."""

from __future__ import annotations

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
