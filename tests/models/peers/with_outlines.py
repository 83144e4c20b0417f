"""Outlines. Its processor has one schema for all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import outlines
from outlines.types import JsonSchema, Regex

from models.peers.programs import Piece


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    made = outlines.from_transformers(model, tokenizer)
    return made(tokenizer.decode(inputs["input_ids"][0]), JsonSchema(schema), **options)


def write(model: Any, tokenizer: Any, program: list[Piece]) -> Any:
    made, text, values = outlines.from_transformers(model, tokenizer), "", {}
    for one in program:
        if one.name:
            kind = Literal[one.options] if one.options else Regex(one.regex)
            values[one.name] = made(text, kind, max_new_tokens=40, do_sample=False, pad_token_id=2)
        text += values[one.name] if one.name else one.text
    return values, text


def compiler(model: Any, tokenizer: Any) -> Callable[[Any], Any]:
    made = outlines.from_transformers(model, tokenizer)
    return lambda schema: outlines.Generator(made, JsonSchema(schema))


def processor(compiled: list[Any]) -> Any:
    if any(one is not compiled[0] for one in compiled):
        raise NotImplementedError("one schema for all rows")
    found = compiled[0].logits_processor
    found.reset()
    return found
