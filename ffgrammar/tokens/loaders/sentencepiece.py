"""Reads the models of sentencepiece: the `tokenizer.model` of Llama 2, Mistral or T5.

    read = read_sentencepiece(path, data)       # a ReadTokenizer

A model is turned into the JSON value of a tokenizer.json, which huggingface.py reads. One thing differs. In a BPE model
each piece has a score. A step joins two neighbours that together are a piece: first those that become the piece with
the highest score. Where in this piece the two meet does not matter. So all merges to one piece have the same rank.

Unigram models have no rules. Most of them have an encoder here (unigram.py). The package `sentencepiece`
encodes with the others, and with BPE models that have no rules here: those that normalize a text first, say.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ffgrammar.tokens.loaders.encoders import SentencePieceEncoder
from ffgrammar.tokens.loaders.huggingface import read_config
from ffgrammar.tokens.loaders.huggingface_rules import ListedRules
from ffgrammar.tokens.loaders.reading import ReadTokenizer
from ffgrammar.tokens.loaders.sentencepiece_model import (
    BPE,
    CONTROL,
    NORMAL,
    SPACE,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Model,
    Piece,
    parse_model,
)
from ffgrammar.tokens.loaders.unigram import UnigramEncoder
from ffgrammar.tokens.loaders.unigram_models import NO_RULES, model_of_pieces
from ffgrammar.tokens.vocabulary.special import unknown_eos

__all__ = ["added_token", "read_model", "read_sentencepiece"]

# The longest piece of spaces for which `_are_runs` tries merges
MAX_RUN = 64


def read_sentencepiece(path: Path, data: bytes, eos_token_ids: Any = None) -> ReadTokenizer:
    """Reads a model.

    Args:
        path: for messages.
        data: what is in the file.
        eos_token_ids: the ids that end a text; None for the one that the model names.

    Raises:
        TokenizerError: the data are no such model, or one that is neither BPE nor unigram; or the token that ends a
            text is not known.
    """
    model = parse_model(path, data)
    if eos_token_ids is None and not 0 <= model.eos_id < len(model.pieces):
        control = {piece.text: number for number, piece in enumerate(model.pieces) if piece.kind == CONTROL}
        raise unknown_eos(str(path), control)
    read = read_model(model, str(path), [model.eos_id] if eos_token_ids is None else eos_token_ids)
    if read.rules is not None:
        return read
    package = SentencePieceEncoder(data)
    unigram = model_of_pieces(model, str(path), single=True) if model.kind == UNIGRAM else None
    return read._replace(encoder=package if unigram is None else UnigramEncoder(unigram, package))


def read_model(model: Model, name: str, eos_token_ids: Any) -> ReadTokenizer:
    """What a model says. The result has no encoder if the rules are not known. `name` is for messages. Raises
    TokenizerError."""
    reason = _why_no_rules(model)
    ranks: list[int] = []
    merges: list[tuple[str, str]] = []
    if not reason:
        merges, ranks = _merges(model)
    read = read_config(_config(model, merges), name, eos_token_ids)
    read = read._replace(adds_prefix_space=model.adds_space, strips_first_space=model.adds_space)
    if reason or not isinstance(read.rules, ListedRules):
        return read._replace(rules=None, reason=reason or read.reason, encoder=None)
    return read._replace(rules=read.rules._replace(ranks=ranks))


def _why_no_rules(model: Model) -> str:
    """Why a model has no rules here; "" if it has."""
    if model.kind != BPE:
        return NO_RULES
    if model.normalizes:
        return f"the model normalizes a text first ({model.normalizes})"
    if not model.byte_fallback:
        return "the model has no tokens for some characters"
    if any(piece.kind == UNUSED for piece in model.pieces):
        return "the model has unused pieces"
    if any(piece.kind == USER_DEFINED and " " in piece.text for piece in model.pieces):
        # (spaces of a text become SPACE first, so such a user-defined piece is never found)
        return "a user-defined piece has a space in it"
    scores = Counter(piece.score for piece in model.pieces if piece.kind == NORMAL and len(piece.text) > 1)
    tied = [piece for piece in model.pieces if piece.kind == NORMAL and scores[piece.score] > 1]
    if tied and not _are_runs(tied, min(scores)):
        return "two pieces have the same score"
    normal = {piece.text for piece in model.pieces if piece.kind == NORMAL}
    if not {letter for text in normal for letter in text} <= normal:
        return "a piece has a character that is no piece"
    return ""


def _are_runs(tied: list[Piece], least: float) -> bool:
    """Whether the `tied` pieces, each of which shares its score with another piece, are runs of spaces, and merging
    them in the order of ids makes what sentencepiece makes.

    They must merge after all other pieces, so none of their scores may be above `least`, the lowest score of a piece
    of two or more characters. Of merges with equal scores, sentencepiece makes the leftmost first. Ranks here are in
    the order of ids, so all merges to one length come before those to the next. For models like Llama 2's both orders
    make the same pieces of a run. That is tried for all runs of up to four times the longest piece. If a piece has more
    than MAX_RUN spaces, the answer is no: to try that would take time that grows with the third power of this number.
    """
    if any(set(piece.text) != {SPACE} or piece.score > least for piece in tied):
        return False
    sizes = {len(piece.text) for piece in tied} | {1}
    if max(sizes) > MAX_RUN:
        return False
    order = [len(piece.text) for piece in tied]
    for count in range(1, 4 * max(sizes) + 1):
        by_rank = [1] * count
        for size in order:
            _join(by_rank, {size})
        from_left = [1] * count
        while _join(from_left, sizes, 1):
            pass
        if by_rank != from_left:
            return False
    return True


def _join(run: list[int], sizes: set[int], most: int | None = None) -> int:
    """Joins neighbours in `run` whose sum is one of `sizes`, from the left, up to `most` times. Returns how often."""
    joined = at = 0
    while at + 1 < len(run) and joined != most:
        if run[at] + run[at + 1] in sizes:
            run[at : at + 2] = [run[at] + run[at + 1]]
            joined += 1
        at += 1
    return joined


def added_token(number: int, text: str, special: bool) -> dict[str, Any]:
    """An entry of a tokenizer.json's `added_tokens`."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": text, "special": special, **flags}


def _merges(model: Model) -> tuple[list[tuple[str, str]], list[int]]:
    """(all pairs of pieces that together are a piece, those for the piece with the best score first; the rank of each
    pair)."""
    normal = sorted((piece for piece in model.pieces if piece.kind == NORMAL), key=lambda piece: -piece.score)
    texts = {piece.text for piece in normal}
    merges: list[tuple[str, str]] = []
    ranks: list[int] = []
    for rank, piece in enumerate(normal):
        for at in range(1, len(piece.text)):
            left, right = piece.text[:at], piece.text[at:]
            if left in texts and right in texts:
                merges.append((left, right))
                ranks.append(rank)
    return merges, ranks


def _config(model: Model, merges: list[tuple[str, str]]) -> dict[str, Any]:
    """The value of a tokenizer.json."""
    numbers = {piece.text: number for number, piece in enumerate(model.pieces)}
    added = [
        added_token(number, piece.text, piece.kind in (CONTROL, UNKNOWN))
        for number, piece in enumerate(model.pieces)
        if piece.kind in (CONTROL, UNKNOWN, USER_DEFINED)
    ]
    unknown = [piece.text for piece in model.pieces if piece.kind == UNKNOWN]
    space = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    return {
        "model": {
            "type": "BPE",
            "vocab": numbers,
            "merges": merges,
            "unk_token": unknown[0] if unknown else None,
            "byte_fallback": model.byte_fallback,
        },
        "normalizer": space,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
                *([{"type": "ByteFallback"}] if model.byte_fallback else []),
            ],
        },
        "added_tokens": added,
    }
