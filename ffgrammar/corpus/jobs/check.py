"""Whether token ids are canonical: what the tokenizer makes of their text."""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.corpus.base.arrow import IDS, TEXT, Column, pyarrow, with_nulls
from ffgrammar.corpus.base.shipped import Shipped
from ffgrammar.corpus.jobs.job import Histogram, Job, Score, known
from ffgrammar.tokens.columns.check import ASK, BAD_ID, NO, YES, ColumnCheck
from ffgrammar.tokens.report import CanonicalityReport, is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Check"]


class Check(Job):
    """Checks a column of token ids.

    Args:
        tokenizer: the tokenizer; it must be able to encode.
        ids: the column of token ids.
        text: a column of the texts that the ids should spell; None: there is none.
        keep: as for `Job`.
    """

    name = "check"
    verdict = "canonical"
    sums = ("token_count", "expected_count")
    histogram = Histogram(
        "Where the first divergence is, from the start of the row to its end", "first_divergence", "token_count", False
    )
    score = Score("tokens more or fewer than the tokenizer makes", "token_count", "expected_count", False)
    result_names = ("canonical", "token_count", "expected_count", "first_divergence", "byte_offset")

    def __init__(
        self, tokenizer: Tokenizer, ids: str = "tokens", text: str | None = None, keep: tuple[str, ...] | None = None
    ) -> None:
        self.tokenizer = Shipped(tokenizer)
        self.id_column, self.text_column, self.keep = ids, text, keep
        self.columns = {ids: IDS} if text is None else {ids: IDS, text: TEXT}
        self._check: ColumnCheck | None = ColumnCheck(tokenizer)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_check": None}

    def describe(self) -> dict[str, Any]:
        return {
            "job": self.name,
            "tokenizer": self.tokenizer.value.fingerprint,
            "ids": self.id_column,
            "text": self.text_column,
            "keep": self.keep,
        }

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        pa = pyarrow()
        if self._check is None:
            self._check = ColumnCheck(self.tokenizer.value)
        texts = None if self.text_column is None else self.texts(batch, self.text_column, errors)
        rows = self.ids(batch, self.id_column, errors)
        verdicts, divergences, byte_offsets, expected = self._check.rows(*rows)
        for row in (verdicts == BAD_ID).nonzero()[0].tolist():
            at = int(divergences[row])
            errors[row] = f"token {at}: id {rows.values[rows.offsets[row] + at]} is not in the vocabulary"
        asked = verdicts == ASK
        if texts is not None:
            unknown = (verdicts > NO).astype("uint8")
            spelled = self._check.spelled(rows.offsets, rows.values, unknown, texts.offsets, texts.values)
            asked |= (verdicts <= NO) & ~spelled
        for row in asked.nonzero()[0].tolist():
            try:
                report = self._ask(rows, texts, row)
            except TokenizerError as error:
                errors[row] = str(error)
                continue
            verdicts[row] = YES if report else NO
            divergences[row] = -1 if report.first_divergence is None else report.first_divergence
            byte_offsets[row] = -1 if report.byte_offset is None else report.byte_offset
            expected[row] = len(report.expected)
        fine = known(batch.num_rows, errors)
        counts = rows.offsets[1:] - rows.offsets[:-1]
        return {
            "canonical": with_nulls(verdicts == YES, fine, pa.bool_()),
            "token_count": with_nulls(counts, fine, pa.int64()),
            "expected_count": with_nulls(expected, fine, pa.int64()),
            "first_divergence": with_nulls(divergences, fine & (divergences >= 0), pa.int64()),
            "byte_offset": with_nulls(byte_offsets, fine & (byte_offsets >= 0), pa.int64()),
        }

    def _ask(self, rows: Column, texts: Column | None, row: int) -> CanonicalityReport:
        ids = rows.values[rows.offsets[row] : rows.offsets[row + 1]].tolist()
        text = None if texts is None else texts.values[texts.offsets[row] : texts.offsets[row + 1]].tobytes()
        return is_canonical(self.tokenizer.value, ids, text=text)
