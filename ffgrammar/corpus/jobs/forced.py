"""How many tokens of texts were forced: a generation under the grammar would have needed no call of the model for
them."""

from __future__ import annotations

from typing import Any

import numpy

from ffgrammar.corpus.base.arrow import TEXT, pyarrow, with_nulls
from ffgrammar.corpus.jobs.grammars import RowGrammars
from ffgrammar.corpus.jobs.job import Histogram, Job, Score, known
from ffgrammar.engine.columns.forced import forced_column
from ffgrammar.engine.columns.validate import ACCEPTED, NONE
from ffgrammar.tokens.columns.encode import ColumnEncoder

__all__ = ["Forced"]


class Forced(Job):
    """Counts the forced tokens of a column of texts.

    Args:
        grammars: the grammar of each row.
        text: the column of texts. A text is spelled by the tokens that the tokenizer makes of it.
        keep: as for `Job`.

    Raises:
        TokenizerError: the tokenizer's rules are not known (`Tokenizer.canon`).
    """

    name = "forced"
    verdict = "valid"
    sums = ("token_count", "forced_count")
    histogram = Histogram("The share of forced tokens", "forced_count", "token_count", True)
    score = Score("tokens that were not forced", "token_count", "forced_count", True)
    result_names = ("valid", "token_count", "forced_count", "offset")

    def __init__(self, grammars: RowGrammars, text: str = "text", keep: tuple[str, ...] | None = None) -> None:
        self.grammars, self.text_column, self.keep = grammars, text, keep
        self.columns = {text: TEXT, **grammars.columns}
        grammars.tokenizer.rules("forced tokens of a corpus")
        self._encoder: ColumnEncoder | None = ColumnEncoder(grammars.tokenizer)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_encoder": None}

    def describe(self) -> dict[str, Any]:
        return {"job": self.name, **self.grammars.describe(), "text": self.text_column, "keep": self.keep}

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        pa = pyarrow()
        if self._encoder is None:
            self._encoder = ColumnEncoder(self.grammars.tokenizer)
        offsets, ids, not_encoded = self._encoder.rows(*self.texts(batch, self.text_column, errors))
        errors.update(not_encoded)
        rules = self.grammars.tokenizer.rules("forced tokens of a corpus")
        verdicts = numpy.full(batch.num_rows, NONE, dtype=numpy.uint8)
        places = numpy.full(batch.num_rows, -1, dtype=numpy.int64)
        forced = numpy.zeros(batch.num_rows, dtype=numpy.int64)
        for grammar, skipped in self.grammars.of_rows(batch, errors):
            found, left, many, failed = forced_column(grammar._engine, rules, offsets, ids, skipped)
            errors.update(failed)
            mine = found != NONE
            verdicts[mine], places[mine], forced[mine] = found[mine], left[mine], many[mine]
        fine = known(batch.num_rows, errors)
        return {
            "valid": with_nulls(verdicts == ACCEPTED, fine, pa.bool_()),
            "token_count": with_nulls(offsets[1:] - offsets[:-1], fine, pa.int64()),
            "forced_count": with_nulls(forced, fine, pa.int64()),
            "offset": with_nulls(places, fine & (places >= 0), pa.int64()),
        }
