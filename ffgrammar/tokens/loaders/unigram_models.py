"""Reads a unigram model from a tokenizer.json, or from the pieces in a model of sentencepiece or in a GGUF file.

    unigram = model_of_pieces(model, name, single=True)     # from a model of sentencepiece
    unigram = model_of_pieces(model, name, single=False)    # from a GGUF file
    unigram = model_of_config(config, steps, name)          # from a tokenizer.json

Both functions return None if the model has something that this module does not support. Then the package that the
model comes from encodes; a GGUF file has no such package. Both functions raise TokenizerError if the map of characters
is damaged; `name` is for messages.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Mapping
from math import nan
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.sentencepiece_model import (
    BYTE,
    NORMAL,
    SPACE,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Model,
    Piece,
)
from ffgrammar.tokens.loaders.unigram import UnigramModel
from ffgrammar.tokens.unigram.charsmap import Charsmap

if TYPE_CHECKING:
    # (its import would take longer than the loading of a BPE model)
    import numpy as np
    import numpy.typing as npt

__all__ = ["NO_RULES", "hide_special", "join_words", "model_of_config", "model_of_pieces"]

NO_RULES = "the model is unigram: which of its tokens can follow others is not known by rule"
# In a piece: a space after another character
INNER_SPACE = re.compile(f"[^{SPACE}]{SPACE}")
# The package `tokenizers` treats two things in a text in its own way: names of tokens for bytes and, if spaces are
# joined, white space other than a space.
BYTE_NAME = "<0x[0-9A-Fa-f]{2}>"
OTHER_SPACES = rf"[^\S ]|{SPACE}"
# A name that no text has in it. `hide_special` gives such names to special tokens and to the unknown token.
HIDDEN = "\U0010fffe\U0010ffff{}\U0010fffe"
# Normalizers that take the place of a pre-tokenizer that cuts at white space. They make one space
# of each run of white space, and remove a run at the end. (They also remove a run before U+2581, because this character
# begins a word by itself.)
JOIN_WORDS: list[dict[str, Any]] = [
    {"type": "Replace", "pattern": {"Regex": rf"\s+(?={SPACE})"}, "content": ""},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    {"type": "Strip", "strip_left": False, "strip_right": True},
]


def model_of_pieces(model: Model, name: str, single: bool) -> UnigramModel | None:
    """The unigram model of a model of sentencepiece.

    Args:
        model: the model.
        name: for messages.
        single: whether texts are encoded as the package `sentencepiece` does it; if not, as llama.cpp does it.
    """
    import numpy as np

    symbols = [piece.text for piece in model.pieces if piece.kind == USER_DEFINED]
    if model.spaces or any(" " in text for text in symbols):
        return None
    unknown = [number for number, piece in enumerate(model.pieces) if piece.kind == UNKNOWN]
    bytes_by_name = {piece.text: number for number, piece in enumerate(model.pieces) if piece.kind == BYTE}
    names = [f"<0x{value:02X}>" for value in range(256)]
    uses_bytes = single and model.byte_fallback
    if uses_bytes and not bytes_by_name.keys() >= set(names):
        return None
    normal = [piece.score for piece in model.pieces if piece.kind == NORMAL]
    scores = np.array([_score(piece, single) for piece in model.pieces], np.float64)
    return UnigramModel(
        scores,
        min(normal, default=0.0),
        unknown[0] if unknown else None,
        [bytes_by_name[name] for name in names] if uses_bytes else None,
        _charsmap(model.charsmap, symbols, name),
        applies=True,
        joins_spaces=model.joins_spaces,
        single=single,
        by_words=False,
        cuts=_cuts([piece.text for piece in model.pieces], scores),
        refused=None if single or not model.joins_spaces else re.compile(SPACE),
    )


def _score(piece: Piece, single: bool) -> float:
    """The score of a piece, NaN for a piece that no text becomes. User-defined pieces are preferred to all others."""
    if piece.kind == USER_DEFINED:
        preferred: float = struct.unpack("f", struct.pack("f", 0.1 * (len(piece.text.encode()) - 1)))[0]
        return preferred if single else 0.0
    return piece.score if piece.kind == NORMAL or (piece.kind == UNUSED and not single) else nan


def _cuts(texts: list[str], scores: npt.NDArray[np.float64]) -> bool:
    """Whether no piece reaches across the start of a word."""
    # (only NaN differs from itself)
    return not any(INNER_SPACE.search(texts[number]) for number, score in enumerate(scores) if score == score)


def model_of_config(
    config: Mapping[str, Any], steps: Mapping[str, list[dict[str, Any]]], name: str
) -> UnigramModel | None:
    """The unigram model of a tokenizer.json.

    Args:
        config: the JSON value, without what puts a space before a text.
        steps: the members of its "normalizer" and "pre_tokenizer".
        name: for messages.
    """
    model = config["model"]
    added = config.get("added_tokens") or []
    texts = [piece for piece, _ in model["vocab"]]
    normalizing = _read_normalizer(steps["normalizer"], name)
    if normalizing is None or any(not token.get("special") for token in added) or any(" " in text for text in texts):
        return None
    charsmap, joins, replaces = normalizing
    match steps["pre_tokenizer"]:
        case [{"type": "Metaspace", **options}] if options.get("replacement", SPACE) == SPACE:
            by_words = bool(options.get("split", True))
        case [] if replaces:
            by_words = False
        case _:
            return None
    import numpy as np

    scores = np.array([score for _, score in model["vocab"]], np.float64)
    worst = float(scores.min())
    numbers = {text: number for number, text in enumerate(texts)}
    names = [f"<0x{value:02X}>" for value in range(256)]
    uses_bytes = bool(model.get("byte_fallback")) and numbers.keys() >= set(names)
    if model.get("byte_fallback") and not uses_bytes:
        return None
    scores[[number for text, number in numbers.items() if re.fullmatch(BYTE_NAME, text)]] = nan
    scores[[numbers[token["content"]] for token in added if token["content"] in numbers]] = nan
    unknown = model.get("unk_id")
    if unknown is not None:
        scores[unknown] = nan
    return UnigramModel(
        scores,
        worst,
        unknown,
        [numbers[name] for name in names] if uses_bytes else None,
        charsmap,
        applies=False,
        joins_spaces=joins,
        single=False,
        by_words=by_words,
        cuts=by_words or _cuts(texts, scores),
        refused=re.compile(f"{BYTE_NAME}|{OTHER_SPACES}" if joins else BYTE_NAME),
    )


def _read_normalizer(steps: list[dict[str, Any]], name: str) -> tuple[Charsmap | None, bool, bool] | None:
    """(the map of characters, whether spaces are joined, whether spaces become U+2581); None if something else happens
    to a text."""
    charsmap = None
    stripped = joined = replaced = False
    for number, step in enumerate(steps):
        match step:
            case {"type": "Precompiled"} if number == 0:
                data = step["precompiled_charsmap"]
                charsmap = _charsmap(base64.b64decode(data), [], name)
            case {"type": "Strip", "strip_left": False, "strip_right": True}:
                stripped = True
            case {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " " | "\u2581"}:
                joined = True
            case {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}:
                replaced = True
            case _ if step in JOIN_WORDS:
                stripped = joined = True
            case _:
                return None
    return (charsmap, joined, replaced) if stripped == joined else None


def _charsmap(data: bytes, symbols: list[str], name: str) -> Charsmap | None:
    try:
        return Charsmap(data, [text.encode() for text in symbols]) if data else None
    except TokenizerError as error:
        raise TokenizerError(f"{name}: {error}") from None


def join_words(config: dict[str, Any]) -> None:
    """Changes a tokenizer.json that cuts a text at white space and then puts a space before each word. The changed one
    reads a text as the continuation of another: the first word has a space before it only if the text has one."""
    config["pre_tokenizer"] = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "never", "split": True}
    normalizer = config.get("normalizer")
    config["normalizer"] = {"type": "Sequence", "normalizers": ([normalizer] if normalizer else []) + JOIN_WORDS}


def hide_special(config: dict[str, Any]) -> None:
    """Changes the tokenizer.json of a unigram model so that the names of special tokens in a text are ordinary text.
    (The model has them as pieces, too.)"""
    added = config.get("added_tokens") or []
    hidden = {token["content"] for token in added if token.get("special")}
    unknown = config["model"].get("unk_id")
    config["added_tokens"] = [token for token in added if token["content"] not in hidden]
    config["model"]["vocab"] = [
        [HIDDEN.format(number) if text in hidden or number == unknown else text, score]
        for number, (text, score) in enumerate(config["model"]["vocab"])
    ]
