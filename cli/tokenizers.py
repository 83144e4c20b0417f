"""`ffgrammar tokenizers`: the vocabularies that can be used, and their special tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import EMBEDDED, VocabularyName, VocabularyType, example, json_option

if TYPE_CHECKING:
    from ffgrammar import Tokenizer

__all__ = ["command"]


def _describe(name: str, tokenizer: Tokenizer) -> dict[str, Any]:
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


@click.command("tokenizers", epilog=example("ffgrammar tokenizers cl100k_base"))
@click.argument("name", required=False, metavar="[NAME|PATH]", type=VocabularyType())
@json_option
def command(name: str | None, as_json: bool) -> int:
    """List the vocabularies that can be used, or the special tokens of one.

    Embedded vocabularies need no network. The other lines say which files --tokenizer loads. Given a vocabulary, each
    line has the id and the name of one of its special tokens.
    """
    from .show import write_json, write_lines
    from .sources import load_tokenizer

    if name is not None:
        tokenizer = load_tokenizer(VocabularyName(name))
        if as_json:
            write_json(_describe(name, tokenizer))
        else:
            write_lines(f"{token}\t{special}" for special, token in tokenizer.special_tokens.items())
        return 0
    embedded = [_describe(name, load_tokenizer(VocabularyName(name))) for name in EMBEDDED]
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
