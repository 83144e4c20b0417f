"""xgrammar's logits processor for transformers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import xgrammar as xgr
from xgrammar.contrib.hf import LogitsProcessor

from models.peers.programs import Piece


def generate(model: Any, tokenizer: Any, schema: Any, inputs: Any, options: Any) -> Any:
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    compiled = xgr.GrammarCompiler(info).compile_json_schema(json.dumps(schema), any_whitespace=False)
    return model.generate(**inputs, **options, logits_processor=[LogitsProcessor(compiled)])


def write(model: Any, tokenizer: Any, program: list[Piece]) -> Any:
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    compiler, text, values = xgr.GrammarCompiler(info), "", {}
    for one in program:
        if one.name:
            processor = LogitsProcessor(compiler.compile_regex(one.regex or "|".join(map(re.escape, one.options))))
            inputs = tokenizer(text, return_tensors="pt")
            out = model.generate(
                **inputs, logits_processor=[processor], max_new_tokens=40, do_sample=False, pad_token_id=2
            )
            values[one.name] = tokenizer.decode(out[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        text += values[one.name] if one.name else one.text
    return values, text


def compiler(model: Any, tokenizer: Any) -> Callable[[Any], Any]:
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    made = xgr.GrammarCompiler(info)
    return lambda schema: made.compile_json_schema(json.dumps(schema), any_whitespace=False)


def processor(compiled: list[Any]) -> Any:
    return LogitsProcessor(compiled)
