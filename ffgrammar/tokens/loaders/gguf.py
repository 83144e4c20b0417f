"""Reads the vocabulary of a GGUF file, which stands at its beginning, before the model. No package is needed.

A file names its kind of model. For byte-level BPE it also has llama.cpp's name of the pre-tokenizer. `NAMES` below has
the names that are known here. A model with another one has masks only.

    read = read_gguf(path)       # a ReadTokenizer
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders import wordpiece
from ffgrammar.tokens.loaders.huggingface import ReadTokenizer, read_config
from ffgrammar.tokens.loaders.huggingface_splits import GPT2
from ffgrammar.tokens.loaders.sentencepiece import added_token, read_model
from ffgrammar.tokens.loaders.sentencepiece_model import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    USER_DEFINED,
    Model,
    Piece,
)
from ffgrammar.tokens.loaders.unigram import UnigramEncoder
from ffgrammar.tokens.loaders.unigram_models import model_of_pieces

__all__ = ["read_fields", "read_gguf", "read_pieces"]

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = [rf"{CONTRACTIONS}|{WORDS}|\p{{N}}{{1,3}}|{REST}"]
QWEN2 = [rf"{CONTRACTIONS}|{WORDS}|\p{{N}}|{REST}"]
DIGITS = [r"\p{N}", GPT2]
MARKED = r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+"
QWEN35 = [rf"{CONTRACTIONS}|{MARKED}|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"]
# Names in a file, and the patterns that they mean, one after another
NAMES = [
    (("gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion"), [GPT2]),
    (("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"), DIGITS),
    (("llama3", "llama-v3", "llama-bpe", "falcon3", "dbrx", "smaug-bpe", "chatglm-bpe", "glm4"), LLAMA3),
    (("qwen2", "stablelm2", "hunyuan", "deepseek-r1-qwen", "megrez"), QWEN2),
    (("qwen35",), QWEN35),
]
PATTERNS = {name: patterns for names, patterns in NAMES for name in names}
# The names of those that look for a whole pre-token among the tokens first
WHOLE = ("llama3", "llama-v3", "llama-bpe", "falcon3")
LETTERS = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
# The kinds of values that `struct` reads, and its letter for each. The other kinds are strings and arrays.
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
        TokenizerError: the file cannot be read or is damaged, or its vocabulary is of a kind that is not read.
    """
    try:
        with path.open("rb") as file:
            found = read_fields(file)
    except OSError as error:
        raise TokenizerError(f"cannot read {path}: {error.strerror}") from None
    except (MemoryError, OverflowError, RecursionError, UnicodeDecodeError, ValueError, struct.error):
        raise TokenizerError(f"{path}: not a GGUF file, or damaged") from None
    if not found.get("tokens"):
        raise TokenizerError(f"{path}: this GGUF file has no vocabulary")
    if found.get("model") not in ("bert", "gpt2", "llama", "t5"):
        raise TokenizerError(f"{path}: GGUF vocabularies of the kind {found.get('model')!r} are not read")
    if eos_token_ids is None:
        if found["model"] == "bert":
            # (this is the name that the field has)
            found.setdefault("eos_token_id", found.get("seperator_token_id"))
        if found.get("eos_token_id") is None:
            raise TokenizerError(f"{path}: which token ends a text is not known; give eos_token_ids=")
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
        return _read_letters(path, found, eos_token_ids)
    except TokenizerError:
        raise
    except (AttributeError, TypeError, ValueError):
        raise TokenizerError(f"{path}: a damaged GGUF file: its lists of tokens do not fit together") from None


def _read_letters(path: Path, found: dict[str, Any], eos: Any) -> ReadTokenizer:
    """A model on GPT-2's letters."""
    tokens: list[str] = found["tokens"]
    kinds: list[int] = found.get("token_type") or [NORMAL] * len(tokens)
    pre = found.get("pre")
    added = [
        added_token(number, text, kind != USER_DEFINED)
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in (CONTROL, UNKNOWN, USER_DEFINED)
    ]
    steps = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in PATTERNS.get(pre or "", [GPT2])
    ]
    vocabulary = {text: number for number, text in enumerate(tokens)}
    config = {
        "model": {
            "type": "BPE",
            "vocab": vocabulary,
            "merges": found.get("merges") or [],
            "ignore_merges": pre in WHOLE,
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [*steps, LETTERS],
        },
        "decoder": LETTERS,
        "added_tokens": added,
    }
    read = read_config(config, str(path), eos)
    if pre not in PATTERNS:
        reason = f"the pre-tokenizer {pre!r} is not read here" if pre else "the file does not say how a text is cut"
        return read._replace(rules=None, encoder=None, reason=reason)
    return read


def read_pieces(found: dict[str, Any], kind: int) -> Model:
    """The vocabulary of a file, as if it had been read from a model of sentencepiece."""
    tokens: list[str] = found["tokens"]
    kinds: list[int] = found.get("token_type") or [NORMAL] * len(tokens)
    scores: list[float] = found.get("scores") or [0.0] * len(tokens)
    pieces = [Piece(*one) for one in zip(tokens, scores, kinds, strict=True)]
    model = Model(pieces, kind, -1, BYTE in kinds, bool(found.get("add_space_prefix", True)))
    if kind == BPE:
        return model
    charsmap = bytes(one & 0xFF for one in found.get("precompiled_charsmap", ()))
    return model._replace(joins_spaces=bool(found.get("remove_extra_whitespaces", False)), charsmap=charsmap)


def read_fields(file: BinaryIO) -> dict[str, Any]:
    """The fields about the tokenizer. Raises ValueError or struct.error where the file is damaged."""
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
        return _read_number(file, NUMBERS.get(kind, "?"))
    inner, count = struct.unpack("<IQ", file.read(12))
    if count > MAX_LENGTH or inner == ARRAY:
        raise ValueError
    if inner == STRING:
        return [_read_string(file).decode() for _ in range(count)]
    form = struct.Struct(f"<{count}{NUMBERS.get(inner, '?')}")
    return list(form.unpack(file.read(form.size)))


def _read_string(file: BinaryIO) -> bytes:
    size = _read_number(file, "Q")
    data = file.read(min(size, MAX_LENGTH))
    if len(data) < size:
        raise ValueError
    return data


def _read_number(file: BinaryIO, form: str) -> Any:
    return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))[0]
