"""What a prompt's argument is read as: a text, or token ids.

read_prompt(tok, "Hi <|endoftext|>", "allow", 2)        # [13347, 220, 100257]
read_prompt(tok, bytearray(b"Hi"), None, 2)             # b"Hi"
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.special import Special

__all__ = ["read_prompt"]


def read_prompt(
    tok: Tokenizer, prompt: str | bytes | Iterable[int], special: Special | None, stacklevel: int
) -> str | bytes | Iterable[int]:
    """The prompt; token ids in place of a text whose special tokens count.

    Args:
        tok: the tokenizer.
        prompt, special: as for `Grammar.matcher`.
        stacklevel: which caller a warning is about; 1 is the caller of this function.

    Raises:
        TokenizerError: the prompt is a text, and `special` is another str or the text cannot be encoded.
    """
    if isinstance(prompt, bytearray | memoryview):
        prompt = bytes(prompt)
    if not isinstance(prompt, str | bytes):
        return prompt
    if special == "allow":
        return tok.encode(prompt, special="allow")
    if special not in (None, "text"):
        raise TokenizerError(f"special must be 'text' or 'allow', not {special!r}")
    name = None if special == "text" else tok.special_names.first(prompt)
    if name is not None:
        warnings.warn(
            f"the prompt has {name!r}, which is spelled out as ordinary text; special='allow' makes it the special "
            "token, special='text' leaves it without this warning",
            stacklevel=stacklevel + 1,
        )
    return prompt
