"""Reads the vocabulary of a GGUF file. It stands at the beginning of the file, before the model. No package is needed.

A file names its kind of model. For byte-level BPE it also has llama.cpp's name of the pre-tokenizer
(gguf_patterns.py). If this name is not known here, there are masks only.

    read = read_gguf(path)       # a ReadTokenizer
"""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders import wordpiece
from ffgrammar.tokens.loaders.gguf_patterns import cuts_of
from ffgrammar.tokens.loaders.huggingface import read_config
from ffgrammar.tokens.loaders.reading import ReadTokenizer
from ffgrammar.tokens.loaders.sentencepiece import added_token, read_model
from ffgrammar.tokens.loaders.sentencepiece_model import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    SPACE,
    UNIGRAM,
    UNKNOWN,
    USER_DEFINED,
    Model,
    Piece,
)
from ffgrammar.tokens.loaders.unigram import UnigramEncoder
from ffgrammar.tokens.loaders.unigram_models import model_of_pieces
from ffgrammar.tokens.vocabulary.special import unknown_eos

__all__ = ["read_fields", "read_gguf", "read_pieces"]

# Names of pre-tokenizers. A model with one of BY_CHARACTERS works on characters. A model with one of UNREADABLE is not
# read, because its tokens are words without the spaces between them.
BY_CHARACTERS = ("gemma4", "granite-embed-multi-311m", "sarvam-moe")
UNREADABLE = ("whitespace",)
# The longest token of line breaks for which `_makes_lines` tries merges
MAX_LINES = 256
LETTERS = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
# The kinds of values that `struct` reads, with its letter for each. The other kinds are strings and arrays.
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
PREFIX = b"tokenizer.ggml."
# A string of more bytes than this, or an array of more entries, means that the file is damaged.
MAX_LENGTH = 1 << 26


def read_gguf(path: Path, eos_token_ids: Any = None) -> ReadTokenizer:
    """Reads a file.

    Args:
        path: the file.
        eos_token_ids: the ids that end a text; None for the one that the file names.

    Raises:
        TokenizerError: the file cannot be read or is damaged, its vocabulary is of a kind that is not read, or the
            token that ends a text is not known.
    """
    try:
        with path.open("rb") as file:
            found = read_fields(file)
    except OSError as error:
        raise TokenizerError(f"cannot read {path}: {error.strerror}") from None
    except (LookupError, MemoryError, OverflowError, RecursionError, ValueError, struct.error):
        raise TokenizerError(f"{path}: not a GGUF file, or damaged") from None
    if not found.get("tokens"):
        raise TokenizerError(f"{path}: this GGUF file has no vocabulary")
    if found.get("model") not in ("bert", "gemma4", "gpt2", "llama", "t5") or found.get("pre") in UNREADABLE:
        raise TokenizerError(f"{path}: GGUF vocabularies of the kind {found.get('model')!r} are not read")
    if eos_token_ids is None:
        if found["model"] == "bert":
            # (the format spells the field like this)
            found.setdefault("eos_token_id", found.get("seperator_token_id"))
        if found.get("eos_token_id") is None:
            raise unknown_eos(str(path), _control(found))
        eos_token_ids = [found["eos_token_id"]]
    try:
        if len(set(found["tokens"])) < len(found["tokens"]):
            raise TokenizerError(f"{path}: two tokens have the same name")
        if found["model"] == "llama":
            return read_model(read_pieces(found, BPE), str(path), eos_token_ids)
        if found["model"] == "bert":
            return read_model(read_pieces(found, UNIGRAM), str(path), eos_token_ids)._replace(
                reason=wordpiece.NO_RULES, adds_prefix_space=True, strips_first_space=True
            )
        if found["model"] == "t5":
            model = read_pieces(found, UNIGRAM)
            read = read_model(model, str(path), eos_token_ids)
            unigram = model_of_pieces(model, str(path), single=False)
            return read if unigram is None else read._replace(encoder=UnigramEncoder(unigram, None))
        if found["model"] == "gemma4" or found.get("pre") in BY_CHARACTERS:
            return _read_characters(path, found, eos_token_ids)
        return _read_letters(path, found, eos_token_ids)
    except TokenizerError:
        raise
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError):
        raise TokenizerError(f"{path}: a damaged GGUF file: its lists of tokens do not fit together") from None


def _read_letters(path: Path, found: dict[str, Any], eos: Any) -> ReadTokenizer:
    """A model that works on GPT-2's letters."""
    cuts = cuts_of(found.get("pre"))
    config = {
        "model": {
            "type": "BPE",
            "vocab": _vocabulary(found),
            "merges": found.get("merges") or [],
            "ignore_merges": bool(cuts and cuts.whole),
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [*map(_isolated, cuts.patterns if cuts else ()), LETTERS],
        },
        "decoder": LETTERS,
        "added_tokens": _added(found),
    }
    read = read_config(config, str(path), eos)
    if cuts is None:
        return read._replace(rules=None, encoder=None, reason=f"the pre-tokenizer {found['pre']!r} is not read here")
    return read


def _read_characters(path: Path, found: dict[str, Any], eos: Any) -> ReadTokenizer:
    """A model like Gemma 4's: it works on characters, with U+2581 for the space, and cuts at line breaks."""
    # (a merge is written as two tokens with a space between them, and the first token may begin with a space)
    merges = [(merge[: merge.index(" ", 1)], merge[merge.index(" ", 1) + 1 :]) for merge in found["merges"]]
    config = {
        "model": {
            "type": "BPE",
            "vocab": _vocabulary(found),
            "merges": merges,
            "unk_token": found["tokens"][found["unknown_token_id"]] if "unknown_token_id" in found else None,
            "byte_fallback": True,
        },
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
        "pre_tokenizer": _isolated(r"[^\n]+|[\n]+"),
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
                {"type": "ByteFallback"},
            ],
        },
        "added_tokens": _added(found),
    }
    read = read_config(config, str(path), eos)
    if not _makes_lines(found["tokens"], merges):
        reason = "the vocabulary has a token of line breaks that merges do not make"
        return read._replace(rules=None, encoder=None, reason=reason)
    return read


def _makes_lines(tokens: list[str], merges: list[tuple[str, str]]) -> bool:
    """Whether merges make each token that consists of line breaks. llama.cpp takes such a token without merging. A
    token of more than MAX_LINES line breaks counts as not made: no real model has one, and to try it would take time
    that grows with the square of its length."""
    ranks = {
        (len(left), len(right)): rank for rank, (left, right) in enumerate(merges) if not (left + right).strip("\n")
    }
    for count in [len(token) for token in tokens if token and not token.strip("\n")]:
        if count > MAX_LINES:
            return False
        run = [1] * count
        while pairs := [(ranks[pair], at) for at, pair in enumerate(pairwise(run)) if pair in ranks]:
            at = min(pairs)[1]
            run[at : at + 2] = [run[at] + run[at + 1]]
        if len(run) > 1:
            return False
    return True


def _isolated(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def _kinds(found: dict[str, Any]) -> list[int]:
    kinds: list[int] = found.get("token_type") or [NORMAL] * len(found["tokens"])
    return kinds


def _control(found: dict[str, Any]) -> dict[str, int]:
    """The special tokens: id by name. (What the file says of kinds has not been checked.)"""
    kinds = found.get("token_type")
    named = zip(found["tokens"], kinds if isinstance(kinds, list) else (), strict=False)
    return {str(text): number for number, (text, kind) in enumerate(named) if kind == CONTROL}


def _vocabulary(found: dict[str, Any]) -> dict[str, int]:
    return {text: number for number, text in enumerate(found["tokens"])}


def _added(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The special tokens and the user-defined ones, as a tokenizer.json lists them in `added_tokens`."""
    return [
        added_token(number, text, kind != USER_DEFINED)
        for number, (text, kind) in enumerate(zip(found["tokens"], _kinds(found), strict=True))
        if kind in (CONTROL, UNKNOWN, USER_DEFINED)
    ]


def read_pieces(found: dict[str, Any], kind: int) -> Model:
    """The vocabulary of a file, as if it had been read from a model of sentencepiece of this kind: UNIGRAM or BPE."""
    tokens: list[str] = found["tokens"]
    scores: list[float] = found.get("scores") or [0.0] * len(tokens)
    pieces = [Piece(*one) for one in zip(tokens, scores, _kinds(found), strict=True)]
    model = Model(pieces, kind, -1, BYTE in _kinds(found), bool(found.get("add_space_prefix", True)))
    if kind == BPE:
        return model
    charsmap = bytes(one & 0xFF for one in found.get("precompiled_charsmap", ()))
    return model._replace(joins_spaces=bool(found.get("remove_extra_whitespaces", False)), charsmap=charsmap)


def read_fields(file: BinaryIO) -> dict[str, Any]:
    """The fields about the tokenizer. Raises ValueError, LookupError or struct.error where the file is damaged."""
    if file.read(4) != b"GGUF":
        raise ValueError
    version, _, count = struct.unpack("<IQQ", file.read(20))
    if not 2 <= version <= 3:
        raise ValueError
    found: dict[str, Any] = {}
    for _ in range(count):
        name = _read_string(file)
        kind = _read_number(file, "I")
        value = _read_value(file, kind)
        if name.startswith(PREFIX):
            found[name.removeprefix(PREFIX).decode()] = value.decode() if isinstance(value, bytes) else value
    return found


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind == STRING:
        return _read_string(file)
    if kind != ARRAY:
        return _read_number(file, NUMBERS[kind])
    inner, count = struct.unpack("<IQ", file.read(12))
    if count > MAX_LENGTH or inner == ARRAY:
        raise ValueError
    if inner == STRING:
        return [_read_string(file).decode() for _ in range(count)]
    form = struct.Struct(f"<{count}{NUMBERS[inner]}")
    return list(form.unpack(file.read(form.size)))


def _read_string(file: BinaryIO) -> bytes:
    size = _read_number(file, "Q")
    data = file.read(min(size, MAX_LENGTH))
    if len(data) < size:
        raise ValueError
    return data


def _read_number(file: BinaryIO, form: str) -> Any:
    return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))[0]
