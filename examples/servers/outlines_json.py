"""Outlines under a JSON Schema: python examples/servers/outlines_json.py MODEL.gguf"""

from __future__ import annotations

import sys
from pathlib import Path

import outlines
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import ffgrammar as ff
from ffgrammar.integrations.outlines import GrammarProcessor

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}


def main(path: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    grammar = ff.compile_json_schema(SCHEMA, ff.Tokenizer.from_file(path), separators=(", ", ": "))
    steered = outlines.from_transformers(model, tokenizer)
    generate = outlines.Generator(steered, processor=GrammarProcessor(grammar, "torch"))
    print(generate("Ada is a painter, 36 years old. As JSON: ", max_new_tokens=60))
    print(*generate.batch(["Ada is 36. As JSON: ", "Bob, 12 years, as JSON: "], max_new_tokens=60), sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
