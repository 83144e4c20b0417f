"""mlx-lm under a JSON Schema: python examples/servers/mlx_json.py FOLDER

The folder has the model (config.json, model.safetensors) and its tokenizer.json.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mlx_lm

import ffgrammar as ff
from ffgrammar.integrations.mlx_lm import GrammarProcessor

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}


def main(folder: Path) -> None:
    model, tokenizer = mlx_lm.load(str(folder))
    grammar = ff.compile_json_schema(SCHEMA, ff.Tokenizer.from_file(folder / "tokenizer.json"), separators=(", ", ": "))
    prompt = "Ada is a painter, 36 years old. As JSON: "
    processors = [GrammarProcessor(grammar)]  # new ones for each text
    print(mlx_lm.generate(model, tokenizer, prompt, max_tokens=60, logits_processors=processors))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
