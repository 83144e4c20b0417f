"""Whether texts are sentences of a grammar, and where they leave it."""

from __future__ import annotations

from typing import Any

import numpy

from ffgrammar.corpus.base.arrow import TEXT, pyarrow, with_nulls
from ffgrammar.corpus.jobs.grammars import RowGrammars
from ffgrammar.corpus.jobs.job import Histogram, Job, Score, known
from ffgrammar.engine.columns.validate import ACCEPTED, ENDS_EARLY, NONE, validate_column

__all__ = ["Validate"]


class Validate(Job):
    """Validates a column of texts.

    Args:
        grammars: the grammar of each row.
        text: the column of texts.
        keep: as for `Job`.
    """

    name = "validate"
    verdict = "valid"
    sums = ("byte_count",)
    histogram = Histogram("Where the text leaves the grammar, from its start to its end", "offset", "byte_count", False)
    score = Score("bytes after the place where the text leaves the grammar", "byte_count", "offset", False)
    result_names = ("valid", "byte_count", "offset", "ends_early")

    def __init__(self, grammars: RowGrammars, text: str = "text", keep: tuple[str, ...] | None = None) -> None:
        self.grammars, self.text_column, self.keep = grammars, text, keep
        self.columns = {text: TEXT, **grammars.columns}

    def describe(self) -> dict[str, Any]:
        return {"job": self.name, **self.grammars.describe(), "text": self.text_column, "keep": self.keep}

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        pa = pyarrow()
        texts = self.texts(batch, self.text_column, errors)
        verdicts = numpy.full(batch.num_rows, NONE, dtype=numpy.uint8)
        places = numpy.full(batch.num_rows, -1, dtype=numpy.int64)
        for grammar, skipped in self.grammars.of_rows(batch, errors):
            found, offsets, failed = validate_column(grammar._engine, texts.offsets, texts.values, skipped)
            errors.update(failed)
            mine = found != NONE
            verdicts[mine], places[mine] = found[mine], offsets[mine]
        fine = known(batch.num_rows, errors)
        return {
            "valid": with_nulls(verdicts == ACCEPTED, fine, pa.bool_()),
            "byte_count": with_nulls(texts.offsets[1:] - texts.offsets[:-1], fine, pa.int64()),
            "offset": with_nulls(places, fine & (places >= 0), pa.int64()),
            "ends_early": with_nulls(verdicts == ENDS_EARLY, fine, pa.bool_()),
        }
