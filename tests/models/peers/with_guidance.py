"""guidance."""

from __future__ import annotations

from typing import Any

import guidance


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    made = guidance.models.Transformers(model=model, tokenizer=tokenizer, echo=False)
    made += tokenizer.decode(inputs["input_ids"][0])
    made += guidance.json("x", schema=schema, temperature=0, max_tokens=options["max_new_tokens"])
    return made["x"]
