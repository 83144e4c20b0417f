"""The grammar of each row: one for all, or the JSON Schema in a column."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import FFGrammarError
from ffgrammar.core.recent import Recent
from ffgrammar.corpus.base.arrow import SCHEMA, is_text, pyarrow
from ffgrammar.corpus.base.shipped import Shipped
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["RowGrammars"]

# How many schemas of a column are remembered, with their grammars or the reasons why there is none.
MAX_KEPT = 256


class RowGrammars:
    """Either a grammar, or a column of JSON Schemas that are compiled as they come.

    Args:
        grammar: the grammar of all rows; None if each row has its own.
        tokenizer: the vocabulary, if each row has its own.
        column: the column of the schemas. A schema is a JSON text.
        options: keyword arguments of `compile_json_schema`.
    """

    def __init__(
        self,
        grammar: Grammar | None,
        tokenizer: Tokenizer | None = None,
        column: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        if (grammar is None) == (column is None):
            raise TypeError("give a grammar, or the column of the schemas")
        if column is not None and tokenizer is None:
            raise TypeError("a column of schemas needs a tokenizer")
        self.grammar: Shipped[Grammar] | None = None if grammar is None else Shipped(grammar)
        self._tokenizer: Shipped[Tokenizer] | None = None if tokenizer is None else Shipped(tokenizer)
        self.column = column
        self._options = options or {}
        self._compiled: Recent[str, Grammar | str] = Recent(MAX_KEPT)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": Recent(MAX_KEPT)}

    @property
    def tokenizer(self) -> Tokenizer:
        """The vocabulary of all grammars."""
        if self.grammar is not None:
            return self.grammar.value.tokenizer
        assert self._tokenizer is not None
        return self._tokenizer.value

    @property
    def columns(self) -> dict[str, str | None]:
        """The column of schemas, as in `Job.columns`."""
        return {} if self.column is None else {self.column: SCHEMA}

    def describe(self) -> dict[str, Any]:
        """As `Job.describe`."""
        compiled = None
        if self.grammar is not None:
            # (a pickle is not the same in each process, and this is)
            compiled = hashlib.sha256(self.grammar.value._dump()).hexdigest()
        options = {name: repr(value) for name, value in sorted(self._options.items())}
        return {
            "tokenizer": self.tokenizer.fingerprint,
            "grammar": compiled,
            "schemas": self.column,
            "options": options,
        }

    def of_rows(self, batch: Any, errors: dict[int, str]) -> Iterator[tuple[Grammar, Any]]:
        """The grammars of a batch, each with a uint8 array: 0 in the rows that have this grammar and no error. A schema
        that cannot be compiled is an error of its rows."""
        if self.grammar is not None:
            yield self.grammar.value, _mask(batch.num_rows, None, errors)
            return
        rows: dict[str, list[int]] = {}
        for row, schema in enumerate(self._schemas(batch)):
            if row in errors:
                continue
            if schema is None:
                errors[row] = f"{self.column} is null"
                continue
            try:
                text = schema.decode()
            except UnicodeDecodeError as error:
                errors[row] = f"{self.column} is not UTF-8 at byte {error.start}"
            else:
                rows.setdefault(text, []).append(row)
        for text, numbers in rows.items():
            found = self._compile(text)
            if isinstance(found, str):
                errors.update((row, found) for row in numbers)
            else:
                yield found, _mask(batch.num_rows, numbers, errors)

    def _schemas(self, batch: Any) -> list[bytes | None]:
        """The schemas as bytes. (A file's texts need not be UTF-8.)"""
        column = batch.column(self.column)
        if is_text(column.type):
            if pyarrow().types.is_dictionary(column.type):
                column = column.dictionary_decode()
            column = column.cast(pyarrow().large_binary())
        return list(column.to_pylist())

    def _compile(self, schema: str) -> Grammar | str:
        found: Grammar | str | None = self._compiled.get(schema)
        if found is None:
            try:
                found = compile_json_schema(schema, self.tokenizer, **self._options)
            except FFGrammarError as error:
                found = f"{self.column}: {error}"
            self._compiled[schema] = found
        return found


def _mask(count: int, rows: list[int] | None, errors: dict[int, str]) -> Any:
    mask = numpy.ones(count, dtype=numpy.uint8)
    mask[slice(None) if rows is None else rows] = 0
    mask[list(errors)] = 1
    return mask
