"""The Python blocks of docs/generation.md, one after another, with the real model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import torch

import ffgrammar as ff

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "generation.md"


def test_the_blocks_run(model: Any, llama: Any, tok: ff.Tokenizer) -> None:
    prompt = "A colour as JSON: "
    ids = torch.tensor([tok.encode(prompt)])
    names: dict[str, Any] = {
        "ff": ff,
        "tok": tok,
        "model": model,
        "llm": llama,
        "prompt": prompt,
        "schema": {"enum": [{"colour": "red"}, {"colour": "blue"}]},
        "inputs": {"input_ids": ids, "attention_mask": torch.ones_like(ids)},
    }
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    texts = []
    try:
        for block in blocks:
            names.pop("out", None)
            exec(block, names)
            if "out" in names:
                texts.append(tok.decode(names["out"][0, ids.shape[1] : -1].tolist()))
    finally:
        llama.draft_model = None
    texts.append(names["found"]["choices"][0]["text"])
    texts.append(tok.decode(names["result"].generated_tokens[:-1]))
    assert len(texts) == 4 and all(json.loads(text)["colour"] in {"red", "blue"} for text in texts)
