"""`ffgrammar tokenizers`: the vocabularies that can be used."""

from __future__ import annotations

from typing import Any

import click

from .options import EMBEDDED, example, json_option

__all__ = ["command"]


def _describe(name: str) -> dict[str, Any]:
    from ffgrammar import Tokenizer

    tokenizer = Tokenizer.from_tiktoken(name)
    return {
        "name": name,
        "vocab_size": tokenizer.vocab_size,
        "eos_token_ids": list(tokenizer.eos_token_ids),
        "special_tokens": tokenizer.special_tokens,
        "fingerprint": tokenizer.fingerprint,
    }


def _loadable() -> list[dict[str, str]]:
    return [
        {
            "file": "*/tokenizer.json",
            "what": "Hugging Face",
            "encodes": "yes; WordPiece, and most models that normalize, by the package tokenizers",
        },
        {"file": "*/tekken.json", "what": "Mistral", "encodes": "yes"},
        {"file": "*/tokenizer.model", "what": "Llama 3 and 4", "encodes": "yes"},
        {
            "file": "*.model",
            "what": "sentencepiece",
            "encodes": "yes; BPE models that normalize, by the package sentencepiece",
        },
        {"file": "rwkv_vocab*.txt", "what": "a word list of RWKV", "encodes": "yes"},
        {"file": "*.gguf", "what": "GGUF", "encodes": "with the pre-tokenizers that are known here"},
        {
            "file": "*.tiktoken",
            "what": "a rank file of tiktoken",
            "encodes": "with --pattern, which the file of an embedded vocabulary does not need",
        },
    ]


@click.command("tokenizers", epilog=example("ffgrammar tokenizers"))
@json_option
def command(as_json: bool) -> int:
    """List the vocabularies that can be used.

    Embedded vocabularies need no network. The other lines say which files --tokenizer loads.
    """
    from .show import write_json, write_lines

    embedded = [_describe(name) for name in EMBEDDED]
    loadable = _loadable()
    if as_json:
        write_json({"embedded": embedded, "loadable": loadable})
        return 0
    write_lines(
        f"{found['name']}\t{found['vocab_size']} ids\tEOS {','.join(map(str, found['eos_token_ids']))}"
        f"\t{found['fingerprint'][:16]}"
        for found in embedded
    )
    write_lines(f"{found['file']}\t{found['what']}\tencodes: {found['encodes']}" for found in loadable)
    return 0
