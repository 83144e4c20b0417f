"""guidance."""

from __future__ import annotations

from typing import Any

import guidance

from models.peers.programs import Piece


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    made = guidance.models.Transformers(model=model, tokenizer=tokenizer, echo=False)
    made += tokenizer.decode(inputs["input_ids"][0])
    made += guidance.json("x", schema=schema, temperature=0, max_tokens=options["max_new_tokens"])
    return made["x"]


def write(model: Any, tokenizer: Any, program: list[Piece]) -> Any:
    made = guidance.models.Transformers(model=model, tokenizer=tokenizer, echo=False)
    for one in program:
        if one.options:
            made += guidance.select(one.options, name=one.name)
        else:
            made += guidance.gen(one.name, regex=one.regex, temperature=0) if one.name else one.text
    return {one.name: made[one.name] for one in program if one.name}, str(made)
