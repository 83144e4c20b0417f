"""onnxruntime-genai under a JSON Schema: python examples/servers/onnxruntime_json.py FOLDER

The folder is what onnxruntime_genai.models.builder writes, with the tokenizer.json of the model.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnxruntime_genai as og

import ffgrammar as ff
from ffgrammar.integrations.onnxruntime_genai import generate

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
    tok = ff.Tokenizer.from_file(folder / "tokenizer.json")
    grammar = ff.compile_json_schema(SCHEMA, tok, separators=(", ", ": "))
    model = og.Model(str(folder))
    params = og.GeneratorParams(model)
    params.set_search_options(max_length=200)
    generator = og.Generator(model, params)
    generator.append_tokens(tok.encode("Ada is a painter, 36 years old. As JSON: "))
    # With canonical masks, the tokens that are forced are those that the model would have chosen.
    tokens = list(generate(generator, grammar.matcher(canonical=True)))
    print(tok.decode(tokens[:-1]).decode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
