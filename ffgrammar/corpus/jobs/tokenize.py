"""The tokens of texts."""

from __future__ import annotations

from typing import Any

import numpy

from ffgrammar.corpus.base.arrow import TEXT, pyarrow, with_nulls
from ffgrammar.corpus.base.shipped import Shipped
from ffgrammar.corpus.jobs.job import Histogram, Job, Score, known
from ffgrammar.tokens.columns.encode import ColumnEncoder
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Tokenize"]


class Tokenize(Job):
    """Encodes a column of texts.

    Args:
        tokenizer: the tokenizer; it must be able to encode.
        text: the column of texts. The names of special tokens in a text are ordinary text.
        keep: as for `Job`.
    """

    name = "tokenize"
    verdict = "encoded"
    sums = ("token_count", "byte_count")
    histogram = Histogram("Tokens per byte", "token_count", "byte_count", True)
    score = Score("tokens", "token_count", None, True)
    result_names = ("encoded", "ids", "token_count", "byte_count")

    def __init__(self, tokenizer: Tokenizer, text: str = "text", keep: tuple[str, ...] | None = None) -> None:
        self.tokenizer = Shipped(tokenizer)
        self.text_column, self.keep = text, keep
        self.columns = {text: TEXT}
        self._encoder: ColumnEncoder | None = ColumnEncoder(tokenizer)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_encoder": None}

    def describe(self) -> dict[str, Any]:
        fingerprint = self.tokenizer.value.fingerprint
        return {"job": self.name, "tokenizer": fingerprint, "text": self.text_column, "keep": self.keep}

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        pa = pyarrow()
        if self._encoder is None:
            self._encoder = ColumnEncoder(self.tokenizer.value)
        texts = self.texts(batch, self.text_column, errors)
        offsets, ids, failed = self._encoder.rows(*texts)
        errors.update(failed)
        fine = known(batch.num_rows, errors)
        # (offsets of 32 bits, as nearly all readers expect them: a batch has fewer tokens than that)
        narrow = pa.array(offsets.astype("int32"), mask=_nulls(fine))
        return {
            "encoded": with_nulls(fine, fine, pa.bool_()),
            "ids": pa.ListArray.from_arrays(narrow, pa.array(ids)),
            "token_count": with_nulls(offsets[1:] - offsets[:-1], fine, pa.int64()),
            "byte_count": with_nulls(texts.offsets[1:] - texts.offsets[:-1], fine, pa.int64()),
        }


def _nulls(fine: Any) -> Any:
    """What is null among the offsets, so that the rows with an error are."""
    return numpy.append(~fine, False)
