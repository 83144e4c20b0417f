"""ffgrammar's generation loop, in which forced tokens take no passes of their own."""

from __future__ import annotations

from typing import Any

import ffgrammar as ff
from ffgrammar.integrations.transformers import GrammarGenerate


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    tok = ff.Tokenizer.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    grammar = ff.compile_json_schema(schema, tok, separators=(", ", ": "))
    return model.generate(**inputs, **options, custom_generate=GrammarGenerate(grammar))
