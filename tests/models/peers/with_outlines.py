"""Outlines."""

from __future__ import annotations

from typing import Any

import outlines
from outlines.types import JsonSchema


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    made = outlines.from_transformers(model, tokenizer)
    return made(tokenizer.decode(inputs["input_ids"][0]), JsonSchema(schema), **options)


def processor(model: Any, tokenizer: Any, schema: Any, rows: int) -> Any:
    return outlines.Generator(outlines.from_transformers(model, tokenizer), JsonSchema(schema)).logits_processor
