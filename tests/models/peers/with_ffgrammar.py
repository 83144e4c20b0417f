"""ffgrammar's logits processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ffgrammar as ff
from ffgrammar.integrations.transformers import GrammarLogitsProcessor


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    tok = ff.Tokenizer.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    grammar = ff.compile_json_schema(schema, tok, separators=(", ", ": "))
    return model.generate(**inputs, **options, logits_processor=[GrammarLogitsProcessor(grammar)])


def compiler(model: Any, tokenizer: Any) -> Callable[[Any], Any]:
    tok = ff.Tokenizer.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    return lambda schema: ff.compile_json_schema(schema, tok, separators=(", ", ": "))


def processor(compiled: list[Any]) -> Any:
    return GrammarLogitsProcessor(compiled)
