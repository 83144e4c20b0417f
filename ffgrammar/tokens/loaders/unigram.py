"""Unigram models of a tokenizer.json, of sentencepiece or of a GGUF file: what such a file says, and the encoder.

    encoder = UnigramEncoder(model, other)      # `other` encodes with the package that the model comes from
    encoder.bind_trie(trie)                     # once the vocabulary's trie is made
    encoder.encode(" hello world")

A text is normalized and then encoded by tokens/unigram/best_path.pyx. It is read as the continuation of another text,
so a space at its start stays, and none is put there. If the model joins spaces, a run of spaces becomes one space, and
spaces at the end are removed. A text that the package may normalize in another way is left to the package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.encoders import SentencePieceEncoder, valid_prefix, without_surrogates
from ffgrammar.tokens.loaders.huggingface_encoder import HuggingFaceEncoder
from ffgrammar.tokens.loaders.sentencepiece_model import SPACE
from ffgrammar.tokens.unigram.best_path import BestPath
from ffgrammar.tokens.unigram.charsmap import Charsmap
from ffgrammar.tokens.vocabulary.trie import TokenTrie

if TYPE_CHECKING:
    # (its import would take longer than the loading of a BPE model)
    import numpy as np
    import numpy.typing as npt

__all__ = ["UnigramEncoder", "UnigramModel"]

# How far the score of a character that is no piece is below that of the worst piece
PENALTY = 10.0
SPACES = re.compile(b" +")


class UnigramModel(NamedTuple):
    """What a file says of a unigram model.

    Attributes:
        scores: by id; NaN for a token that no text becomes.
        worst: the lowest score of a piece. The score of a character that is no piece is lower by PENALTY.
        unknown: the token for such characters, if there is one.
        byte_tokens: 256 tokens for the bytes of such characters, if there are any.
        charsmap: the map of characters; None if characters stay as they are.
        applies: whether the whole map is applied here. If not, only line ends and tabs become spaces, and the package
            encodes texts in which other rules apply.
        joins_spaces: whether a run of spaces becomes one space, and spaces at the end of a text are removed.
        single: whether scores are summed with 32 bits.
        by_words: whether each word is encoded for itself.
        cuts: whether no token reaches across the start of a word.
        refused: a pattern: the package encodes the texts in which it is found.
    """

    scores: npt.NDArray[np.float64]
    worst: float
    unknown: int | None
    byte_tokens: list[int] | None
    charsmap: Charsmap | None
    applies: bool
    joins_spaces: bool
    single: bool
    by_words: bool
    cuts: bool
    refused: re.Pattern[str] | None


class UnigramEncoder:
    """Encodes with a unigram model.

    Args:
        model: what the file says.
        other: encodes the texts that are not encoded here; None if nothing can.

    Attributes:
        trie: that of the vocabulary; None before `bind_trie`.
    """

    def __init__(self, model: UnigramModel, other: HuggingFaceEncoder | SentencePieceEncoder | None) -> None:
        self.trie: TokenTrie | None = None
        self._model = model
        self._other = other
        self._path: BestPath | None = None

    def bind_trie(self, trie: TokenTrie) -> None:
        """Take the vocabulary's trie, before anything is encoded."""
        self.trie = trie

    def _best_path(self) -> BestPath:
        if self._path is None:
            # Two threads may both get here; they make equal objects.
            assert self.trie is not None
            model = self._model
            self._path = BestPath(
                self.trie,
                model.scores,
                model.worst - PENALTY,
                model.unknown,
                model.byte_tokens,
                model.single,
                model.by_words,
            )
        return self._path

    def encode(self, data: str | bytes) -> list[int]:
        """The ids of a text. Bytes that are not UTF-8 are read as U+FFFD. But if the model is that of a tokenizer.json,
        `HuggingFaceEncoder` encodes a text that has such bytes."""
        if isinstance(data, str):
            text = without_surrogates(data)
        elif isinstance(self._other, HuggingFaceEncoder) and valid_prefix(data) < len(data):
            return self._encode_other(data)
        else:
            text = data.decode("utf-8", "replace")
        normal = self._normalized(text)
        return self._encode_other(data) if normal is None else self._best_path().encode(normal)

    def _encode_other(self, data: str | bytes) -> list[int]:
        if self._other is None:
            raise TokenizerError("how this model normalizes the text is not known")
        return self._other.encode(data)

    def _normalized(self, text: str) -> bytes | None:
        """The normalized text; None if the package has to encode it."""
        model = self._model
        data = text.encode()
        if model.charsmap is not None and not model.charsmap.is_normal(data):
            data = model.charsmap.apply(data)
            if not model.applies:
                text = text.replace("\n", " ").replace("\t", " ")
                if text.encode() != data or not model.charsmap.is_normal(data):
                    return None
        if model.refused is not None and model.refused.search(text):
            return None
        if not model.joins_spaces:
            return data.replace(SPACE.encode(), b" ")
        if b"  " in data:
            data = SPACES.sub(b" ", data)
        return data.replace(SPACE.encode(), b" ").rstrip(b" ")

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        """Where the words of a text end. None if normalizing changes the text, or if tokens may reach across the start
        of a word."""
        if not self._model.cuts or self._normalized(data.decode("utf-8")) != data:
            return None
        ends = [at for at in range(1, len(data)) if data[at] == 0x20 and data[at - 1] != 0x20]
        return [*ends, len(data)] if data else []
