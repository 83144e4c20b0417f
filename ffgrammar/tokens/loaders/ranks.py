"""Rank files: tokens and their ranks. Merges make the token of the lowest rank first.

tiktoken's files (and Llama's tokenizer.model from version 3 on) have a line for each token: the token in base64, and
its rank. Mistral's tekken.json also has the pattern that cuts a text, and says how many special tokens there are. These
have the first ids.

    read = read_rank_file(Path("tokenizer.model"), data, pattern=None)
    read.tokens[42], read.special_tokens, read.pattern

Files of tiktoken's kind say neither how a text is cut nor what the special tokens are. If the checksum is that of a
known model's file, the pattern and the special tokens are known.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.embedded import ENCODINGS, O200K_PATTERN
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE

__all__ = ["RankedTokens", "read_rank_file", "read_tekken"]

LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class RankedTokens(NamedTuple):
    """What a rank file says.

    Attributes:
        tokens: bytes by id, None where an id has none.
        special_tokens: id by name.
        eos: names of the tokens that end a text; () where they are not known.
        pattern: how a text is cut; None where that is not known.
        embedded: the name of the embedded encoding that this is, or None.
    """

    tokens: list[bytes | None]
    special_tokens: dict[str, int]
    eos: tuple[str, ...]
    pattern: str | None
    embedded: str | None = None


class KnownFile(NamedTuple):
    """What a published rank file does not say itself. `special` gives the names of its special tokens, in order."""

    pattern: str
    special: Callable[[], list[str]]
    eos: tuple[str, ...]


def _reserved(prefix: str, first: int, after: int) -> list[str]:
    return [f"<|{prefix}reserved_special_token_{number}|>" for number in range(first, after)]


def _llama3() -> list[str]:
    names = "begin_of_text end_of_text reserved_special_token_0 reserved_special_token_1 finetune_right_pad_id step_id "
    names += "start_header_id end_header_id eom_id eot_id python_tag image"
    return [f"<|{name}|>" for name in names.split()] + _reserved("", 2, 246)


def _llama4() -> list[str]:
    def names(text: str) -> list[str]:
        return [f"<|{name}|>" for name in text.split()]

    found = [
        *names("begin_of_text end_of_text fim_prefix fim_middle fim_suffix header_start header_end eom eot step"),
        *_reserved("text_post_train_", 0, 6),
        *names("python_start python_end finetune_right_pad"),
        *_reserved("text_post_train_", 8, 69),
        *names("image_start image_end"),
        *_reserved("vision_", 0, 2),
        *names("tile_x_separator tile_y_separator"),
        *_reserved("vision_", 2, 6),
        *names("image vision_reserved_special_token_6 patch"),
        *_reserved("vision_", 7, 1048),
        *_reserved("reasoning_", 0, 8),
        *names("reasoning_thinking_start reasoning_thinking_end"),
    ]
    return found + _reserved("", 0, 2048 - len(found))


# By the SHA-256 checksum of the file.
KNOWN_FILES = {
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": KnownFile(
        LLAMA3_PATTERN, _llama3, ("<|end_of_text|>", "<|eom_id|>", "<|eot_id|>")
    ),
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed": KnownFile(
        O200K_PATTERN, _llama4, ("<|end_of_text|>", "<|eom|>", "<|eot|>")
    ),
}


def read_rank_file(path: Path, data: bytes, pattern: str | None) -> RankedTokens:
    """Reads a rank file.

    Args:
        path: for messages.
        data: what is in the file.
        pattern: how the tokenizer cuts a text, if the caller knows.

    Raises:
        TokenizerError: a line is not a token and a rank, there are no tokens, or a rank is out of range or there twice.
            Or there is no pattern, and the file is named like an embedded encoding but has other content.
    """
    checksum = hashlib.sha256(data).hexdigest()
    if pattern is None:
        for name, encoding in ENCODINGS.items():
            if encoding.sha256 == checksum:
                return RankedTokens([], {}, (), encoding.pattern, name)
        if path.stem in ENCODINGS:
            raise TokenizerError(f"{path}: this is not {path.stem}; give pattern=, which says how it cuts a text")
    tokens = _ranks(path, data)
    known = KNOWN_FILES.get(checksum)
    if known is None:
        return RankedTokens(tokens, {}, (), pattern)
    special_tokens = {name: len(tokens) + number for number, name in enumerate(known.special())}
    return RankedTokens(tokens, special_tokens, known.eos, pattern or known.pattern)


def _ranks(path: Path, data: bytes) -> list[bytes | None]:
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), 1):
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            raise TokenizerError(f"{path}, line {number}: not a token in base64 and a rank") from None
    return _by_rank(path, ranks)


def _by_rank(path: Path, ranks: dict[bytes, int]) -> list[bytes | None]:
    if not ranks:
        raise TokenizerError(f"{path}: no tokens")
    most = max(ranks.values())
    if min(ranks.values()) < 0 or most >= MAX_VOCAB_SIZE:
        raise TokenizerError(f"{path}: ranks must be from 0 to {MAX_VOCAB_SIZE - 1}")
    if len(set(ranks.values())) < len(ranks):
        raise TokenizerError(f"{path}: two tokens have the same rank")
    tokens: list[bytes | None] = [None] * (1 + most)
    for token, rank in ranks.items():
        tokens[rank] = token
    return tokens


# The names of tekken's special tokens where the file does not list them.
TEKKEN_SPECIAL = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CALLS] "
    "[IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]"
).split()


def read_tekken(path: Path, data: bytes) -> RankedTokens:
    """Reads a tekken.json. Special tokens have the first ids. The token of rank 0 has the next id, and so on.

    Raises:
        TokenizerError: it is damaged.
    """
    try:
        return _tekken(path, json.loads(data))
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise TokenizerError(f"{path}: not a tekken.json: {type(error).__name__}: {error}") from error


def _tekken(path: Path, value: dict[str, Any]) -> RankedTokens:
    config = value["config"]
    count, size = config["default_num_special_tokens"], config["default_vocab_size"]
    if not 0 <= count <= size <= MAX_VOCAB_SIZE:
        raise TokenizerError(f"{path}: it has {size} ids, of which {count} are special tokens")
    pattern = config["pattern"]
    if not isinstance(pattern, str):
        raise TokenizerError(f"{path}: its pattern is not a string")
    listed = value.get("special_tokens")
    names = TEKKEN_SPECIAL if listed is None else [one["token_str"] for one in listed]
    special_tokens = {name: number for number, name in enumerate(names[:count])}
    special_tokens |= {f"<SPECIAL_{number}>": number for number in range(len(names), count)}
    if len(special_tokens) != count:
        raise TokenizerError(f"{path}: two special tokens have the same name")
    ranks = {base64.b64decode(one["token_bytes"]): one["rank"] for one in value["vocab"] if one["rank"] < size - count}
    tokens: list[bytes | None] = [None] * count
    eos = ("</s>",) if "</s>" in special_tokens else ()
    return RankedTokens([*tokens, *_by_rank(path, ranks)], special_tokens, eos, pattern)
