"""ffgrammar's programs."""

from __future__ import annotations

from typing import Any

from ffgrammar import lm
from models.peers.programs import Piece


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    made = lm.Model.from_transformers(model, tokenizer).state(tokenizer.decode(inputs["input_ids"][0]))
    made += lm.gen("x", json=schema, temperature=0, max_tokens=options["max_new_tokens"])
    return made["x"]


def write(model: Any, tokenizer: Any, program: list[Piece]) -> Any:
    made = lm.Model.from_transformers(model, tokenizer).state()
    for one in program:
        if one.options:
            made += lm.select(one.name, one.options, temperature=0)
        else:
            made += lm.gen(one.name, regex=one.regex, temperature=0) if one.name else one.text
    return {name: made[name] for name in made}, made.text
