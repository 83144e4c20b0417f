"""The bytes of WordPiece tokens (BERT's).

A token whose name begins with `##` continues a word. Any other token begins one. The decoder of such a model puts a
space before each token that begins a word. It then takes away the spaces before a few marks (`cleanup`). So the bytes
of a token inside a text are:

    to_bytes = token_bytes(prefix="##", cleanup=True)
    to_bytes("fox"), to_bytes("##es"), to_bytes(".")     # b" fox", b"es", b"."

At the start of a whole text the decoder leaves the first space out, as Llama 2's decoder does
(`Tokenizer.strips_first_space`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ffgrammar.core.errors import TokenizerError

__all__ = ["EOS_NAME", "NO_RULES", "token_bytes", "wordpiece_bytes"]

NO_RULES = "the model is WordPiece, not BPE"
# The token that ends a text, in models that have none of the usual names for it
EOS_NAME = "[SEP]"
# What `cleanup` replaces, and what it puts in its place
CLEAN = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
]


def token_bytes(prefix: str, cleanup: bool) -> Callable[[str], bytes]:
    """The function that gives a token's bytes inside a text.

    Args:
        prefix: what the name of a token begins with if it continues a word.
        cleanup: whether the decoder replaces as in CLEAN.
    """

    def to_bytes(text: str) -> bytes:
        text = text.removeprefix(prefix) if text.startswith(prefix) else f" {text}"
        for old, new in CLEAN if cleanup else ():
            text = text.replace(old, new)
        return text.encode("utf-8", "surrogatepass")

    return to_bytes


def wordpiece_bytes(model: dict[str, Any], steps: list[dict[str, Any]], name: str) -> Callable[[str], bytes]:
    """What `token_bytes` returns for a tokenizer.json: the function that gives a token's bytes. `model` is the file's
    model, and `steps` are the members of its decoder. Raises TokenizerError if these do not fit together; `name` is for
    the message."""
    if [step["type"] for step in steps] != ["WordPiece"]:
        raise TokenizerError(
            f"{name}: a WordPiece model without a WordPiece decoder is not supported; use Tokenizer.from_tokens"
        )
    prefix = steps[0].get("prefix", "##")
    if not prefix or model.get("continuing_subword_prefix", "##") != prefix:
        raise TokenizerError(
            f"{name}: the prefix of tokens that continue a word is empty, or not the same in model and decoder"
        )
    return token_bytes(prefix, bool(steps[0].get("cleanup", True)))
