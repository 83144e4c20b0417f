"""SmolLM2's tokenizer as ffgrammar reads it from the GGUF file, beside transformers and llama.cpp; and tokenizers of
transformers and mistral-common that have no tokenizer.json."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import mistral_common
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from transformers import SiglipTokenizer

import ffgrammar as ff

TEXTS = [
    "Hello, world! It's 2024, isn't it?",
    "  two  spaces\n\n\tand tabs \r\n end ",
    '{"name": "get_weather", "arguments": {"city": "Zürich", "days": 12345}}',
    "def f(x):\n    return x ** 2  # ½ ≠ ²\n",
    "日本語のテキスト、Ελληνικά, кириллица, עברית, 🤖🏳️‍🌈",
    "don't we'll I'VE 3.14159 1e-10 007",
]
# Control characters whose bytes are no token of the model, and others.
CHARACTERS = "aZ9 .,'\"{}\n\t\x04\x06\x13\x1d\x01éßж中🤖½٣"
MISSING = {0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xF1, 0xF2}


def _texts() -> list[str]:
    choose = random.Random(5)
    mixed = ["".join(choose.choices(CHARACTERS, k=choose.randrange(1, 30))) for _ in range(500)]
    return [*TEXTS, *mixed]


def test_the_rules_are_known_although_bytes_have_no_token(tok: ff.Tokenizer) -> None:
    single = {token[0] for token in map(tok.token_bytes, range(tok.vocab_size)) if len(token) == 1}
    assert not single & MISSING and set(range(0x20, 0x7F)) < single
    assert tok.canon is not None and tok.canon_reason is None
    matcher = ff.compile_json_schema({"const": {"city": "Paris"}}, tok, separators=(", ", ": ")).matcher()
    assert tok.decode(matcher.forced_tokens()) == b'{"city": "Paris"}'
    # healing, and coverings of a prompt
    healed = ff.compile_choice(["rld"], tok).matcher(prompt="Hello wo")
    assert healed.prompt_rest == b" wo" and tok.decode(healed.forced_tokens()) == b" world"
    assert sum(covering.count for covering in tok.coverings("userNa")) > 1000


def test_encoding_equals_transformers(tok: ff.Tokenizer, hf_tokenizer: Any) -> None:
    assert tok.vocab_size == len(hf_tokenizer)
    for text in _texts():
        wanted = hf_tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tok.encode(text) == wanted, text
        # (where a byte was left out, the tokens spell another text)
        assert not MISSING.isdisjoint(text.encode()) or ff.is_canonical(tok, wanted), text


def test_encoding_equals_llama_cpp(tok: ff.Tokenizer, llama: Any) -> None:
    # (what llama.cpp makes of bytes without a token is a matter of its own)
    for text in (text for text in _texts() if MISSING.isdisjoint(text.encode())):
        wanted = llama.tokenize(text.encode(), add_bos=False, special=False)
        assert tok.encode(text) == wanted, text
        assert b"".join(map(tok.token_bytes, wanted)) == llama.detokenize(wanted), text


def test_tokenizers_without_a_tokenizer_json() -> None:
    data = Path(mistral_common.__file__).parent / "data"
    model = str(data / "mistral_instruct_tokenizer_240323.model.v3")
    for path in (str(data / "tekken_240911.json"), model):
        theirs = MistralTokenizer.from_file(path)
        meant = ff.Tokenizer.from_file(path).fingerprint
        for one in (theirs, theirs.instruct_tokenizer.tokenizer):
            assert ff.Tokenizer.from_huggingface(one).fingerprint == meant
    # transformers runs this one in Python
    slow = SiglipTokenizer(model)
    assert not hasattr(slow, "backend_tokenizer")
    read = ff.Tokenizer.from_huggingface(slow)
    assert read.eos_token_ids == (slow.eos_token_id,) and read.vocab_size == len(slow)
    assert ff.Tokenizer.from_huggingface(slow, eos_token_ids=[3]).eos_token_ids == (3,)
