"""All of MaskBench's development set, text by text: no invalid text is accepted.

It takes some 20 s. A sample would miss errors that only a few schemas show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import FFGrammarError
from ffgrammar_cli.bench.data import load_schemas, spaced
from ffgrammar_cli.bench.order import reorderings
from sentences import BYTES, is_sentence
from thoroughness import QUICK, fewer


@pytest.mark.slow
@pytest.mark.parametrize("order", ["schema", "any"])
def test_dev_set(shared_dir: Path, covered: Callable[[str], None], order: str) -> None:
    seen: Counter[str] = Counter()
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz")[:: 4 if QUICK else 1]:
        try:
            grammar = compile_json_schema(schema.schema, BYTES, property_order=order)
        except FFGrammarError as error:
            # the message names the position and the reason
            assert str(error)
            seen["refused"] += 1
            continue
        verdict = "pass"
        for instance in schema.instances:
            accepted = is_sentence(grammar, spaced(instance.data).encode("utf-8", "surrogatepass"))
            assert instance.valid or not accepted, (schema.id, instance.data)
            if instance.valid and not accepted:
                assert order == "schema", (schema.id, instance.data)
                verdict = "order"
                ordered = reorderings(instance.data, schema.schema)
                assert any(is_sentence(grammar, spaced(one).encode()) for one in ordered), (schema.id, instance.data)
        seen[verdict] += 1
    covered(", ".join([f"{count} {what}" for what, count in seen.most_common()]))
    assert seen["pass"] >= fewer(2120 if QUICK else 2134 if order == "schema" else 2202)
    assert seen["refused"] <= 6
