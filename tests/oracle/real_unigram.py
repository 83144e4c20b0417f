"""What the reference packages of unigram models make of a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ffgrammar.tokens.loaders.files import TokenizerFile
from ffgrammar.tokens.loaders.gguf import read_fields, read_pieces
from ffgrammar.tokens.loaders.sentencepiece_model import NORMAL, SPACE, UNIGRAM, UNKNOWN, Model, parse_model
from ffgrammar.tokens.unigram.charsmap import Charsmap

__all__ = ["unigram_reference"]

Encode = Callable[[str], list[int]]


def unigram_reference(file: TokenizerFile) -> Encode | None:
    """What the reference package makes of a whole text; None if the model is not unigram. A GGUF file with a unigram
    model is written as a tokenizer.json, for the package `tokenizers`.

    If the model joins spaces, no package can be told to read a text as the continuation of another one. The model puts
    a space before a whole text. So the package gets the text without this space, and ffgrammar the text with it."""
    if file.kind == "gguf":
        return _of_pieces(_pieces(Path(file.path)))
    if file.kind == "huggingface" and json.loads(file.data)["model"].get("type") == "Unigram":
        import tokenizers

        return _without_names(tokenizers.Tokenizer.from_str(file.data.decode()))
    if file.kind == "sentencepiece" and parse_model(Path(file.path), file.data).kind == UNIGRAM:
        import sentencepiece

        processor = sentencepiece.SentencePieceProcessor()
        processor.LoadFromSerializedProto(file.data)
        return lambda text: list(processor.encode(text))
    return None


def _of_pieces(model: Model) -> Encode:
    """The reference of a model that joins spaces."""
    import tokenizers

    config = _as_json(model)
    hf, charsmap = tokenizers.Tokenizer.from_str(json.dumps(config)), Charsmap(model.charsmap)
    # (scores in a JSON text are not read exact to the last bit, so they are given as numbers)
    vocabulary = [tuple(piece) for piece in config["model"]["vocab"]]
    hf.model = tokenizers.models.Unigram(vocabulary, config["model"]["unk_id"])
    return lambda text: list(hf.encode(charsmap.apply(text.encode()).decode()).ids)


def _pieces(path: Path) -> Model:
    """The pieces of a GGUF file with a unigram model."""
    with path.open("rb") as file:
        return read_pieces(read_fields(file), UNIGRAM)


def _as_json(model: Model) -> dict[str, Any]:
    """The tokenizer.json of a unigram model that joins spaces, for texts to which its map of characters has been
    applied. (How this map is applied differs from package to package. llama.cpp does it as sentencepiece does.)"""
    joins = [
        {"type": "Replace", "pattern": {"Regex": " +$(?!\n)"}, "content": ""},
        {"type": "Replace", "pattern": {"Regex": " +"}, "content": " "},
    ]
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": joins},
        "pre_tokenizer": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": next(number for number, piece in enumerate(model.pieces) if piece.kind == UNKNOWN),
            "vocab": [
                [piece.text, piece.score] if piece.kind == NORMAL else [f"\U0010fffe{number}", 0.0]
                for number, piece in enumerate(model.pieces)
            ],
        },
    }


def _without_names(hf: Any) -> Encode:
    """What a tokenizer makes of a text; nothing if the text has the name of a token that the package finds by name."""
    names = {token.content for token in hf.get_added_tokens_decoder().values()}

    def encode(text: str) -> list[int]:
        return [] if any(name in text for name in names) else list(hf.encode(text, add_special_tokens=False).ids)

    return encode
