"""xgrammar's logits processor for transformers."""

from __future__ import annotations

import json
from typing import Any

import xgrammar as xgr
from xgrammar.contrib.hf import LogitsProcessor


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    compiled = xgr.GrammarCompiler(info).compile_json_schema(json.dumps(schema), any_whitespace=False)
    return model.generate(**inputs, **options, logits_processor=[LogitsProcessor(compiled)])


def processor(model: Any, tokenizer: Any, schema: Any, rows: int) -> Any:
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    compiled = xgr.GrammarCompiler(info).compile_json_schema(json.dumps(schema), any_whitespace=False)
    return LogitsProcessor([compiled] * rows)
