"""The functions of the package: jobs, and jobs over datasets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.corpus.base.arrow import pyarrow
from ffgrammar.corpus.datasets import apply
from ffgrammar.corpus.jobs.check import Check
from ffgrammar.corpus.jobs.forced import Forced
from ffgrammar.corpus.jobs.grammars import RowGrammars
from ffgrammar.corpus.jobs.job import Job
from ffgrammar.corpus.jobs.tokenize import Tokenize
from ffgrammar.corpus.jobs.validate import Validate
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["check", "check_job", "forced", "forced_job", "tokenize", "tokenize_job", "validate", "validate_job"]


def check_job(
    tokenizer: Tokenizer, *, ids: str = "tokens", text: str | None = None, keep: Iterable[str] | None = None
) -> Job:
    """A job that says whether token ids are canonical: what the tokenizer makes of their text.

    Its results are `canonical`; `token_count`; `expected_count`, how many tokens the tokenizer makes of the text;
    `first_divergence`, the index of the first token that it would not have written, and `byte_offset`, where this token
    starts in the text (null in canonical rows); and `error`. The answers are those of `is_canonical`.

    Args:
        tokenizer: the tokenizer.
        ids: the column of token ids: lists of integers.
        text: a column of texts that the ids should spell; None: there is none.
        keep: the columns that go through; None: all of a dataset, and none of files.

    Raises:
        TokenizerError: the tokenizer cannot encode.
        ImportError: pyarrow is not installed.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    pyarrow()
    return Check(tokenizer, ids, text, _kept(keep))


def validate_job(
    grammar: Grammar | None = None,
    *,
    text: str = "text",
    schema: str | None = None,
    tokenizer: Tokenizer | None = None,
    keep: Iterable[str] | None = None,
    **options: Any,
) -> Job:
    """A job that says whether texts are sentences of a grammar, and where they leave it.

    Its results are `valid`; `byte_count`; `offset`, where the text leaves the grammar, in bytes (null in valid rows);
    `ends_early`, whether the text is right so far, but is no sentence; and `error`.

    Args:
        grammar: the grammar of all rows; None if each row has a schema of its own.
        text: the column of texts.
        schema: the column of JSON Schemas, as JSON texts.
        tokenizer: the vocabulary, if there is a column of schemas.
        keep: as for `check_job`.
        options: keyword arguments of `compile_json_schema`, for a column of schemas.

    Raises:
        TypeError: neither a grammar nor a column of schemas is given, or both are, or the column without a tokenizer.
        ImportError: pyarrow is not installed.
    """
    pyarrow()
    return Validate(_grammars(grammar, tokenizer, schema, options), text, _kept(keep))


def forced_job(
    grammar: Grammar | None = None,
    *,
    text: str = "text",
    schema: str | None = None,
    tokenizer: Tokenizer | None = None,
    keep: Iterable[str] | None = None,
    **options: Any,
) -> Job:
    """A job that counts the tokens of texts that were forced. A generation under the grammar would have needed no call
    of the model for them.

    Its results are `valid`; `token_count`; `forced_count`; `offset`, as of `validate_job`; and `error`. In a text that
    leaves the grammar, tokens are counted up to there.

    Args:
        grammar, text, schema, tokenizer, keep, options: as for `validate_job`.

    Raises:
        TypeError, ImportError: as for `validate_job`.
        TokenizerError: the tokenizer's rules are not known (`Tokenizer.canon`).
    """
    pyarrow()
    return Forced(_grammars(grammar, tokenizer, schema, options), text, _kept(keep))


def tokenize_job(tokenizer: Tokenizer, *, text: str = "text", keep: Iterable[str] | None = None) -> Job:
    """A job that encodes texts.

    Its results are `encoded`, which is true; `ids`, lists of integers; `token_count`; `byte_count`; and `error`.

    Args:
        tokenizer: the tokenizer.
        text: the column of texts. The names of special tokens in a text are ordinary text.
        keep: as for `check_job`.

    Raises:
        TokenizerError: the tokenizer cannot encode.
        ImportError: pyarrow is not installed.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    pyarrow()
    return Tokenize(tokenizer, text, _kept(keep))


def check(data: Any, tokenizer: Tokenizer, **options: Any) -> Any:
    """Say of each row of a dataset whether its token ids are canonical.

    Args:
        data: a `ray.data.Dataset`, a Spark `DataFrame`, a `datasets.Dataset` or `IterableDataset`, or a `Table`,
            `RecordBatch`, `RecordBatchReader` or `dataset.Dataset` of pyarrow.
        tokenizer, options: as for `check_job`.

    Returns:
        The same kind of dataset, with columns for the results; for a `pyarrow.dataset.Dataset` a `RecordBatchReader`.

    Raises:
        TypeError: `data` is something else.
        TokenizerError, ImportError: as for `check_job`.
    """
    return apply(check_job(tokenizer, **options), data)


def validate(data: Any, grammar: Grammar | None = None, **options: Any) -> Any:
    """Say of each row of a dataset whether its text is a sentence of a grammar.

    Args:
        data: as for `check`.
        grammar, options: as for `validate_job`.

    Returns:
        As `check`.

    Raises:
        TypeError: `data` is no dataset; or as for `validate_job`.
        ImportError: pyarrow is not installed.
    """
    return apply(validate_job(grammar, **options), data)


def forced(data: Any, grammar: Grammar | None = None, **options: Any) -> Any:
    """Say of each row of a dataset how many tokens of its text were forced.

    Args:
        data: as for `check`.
        grammar, options: as for `forced_job`.

    Returns:
        As `check`.

    Raises:
        TypeError: `data` is no dataset; or as for `forced_job`.
        TokenizerError, ImportError: as for `forced_job`.
    """
    return apply(forced_job(grammar, **options), data)


def tokenize(data: Any, tokenizer: Tokenizer, **options: Any) -> Any:
    """Encode the text of each row of a dataset.

    Args:
        data: as for `check`.
        tokenizer, options: as for `tokenize_job`.

    Returns:
        As `check`.

    Raises:
        TypeError: `data` is no dataset.
        TokenizerError, ImportError: as for `tokenize_job`.
    """
    return apply(tokenize_job(tokenizer, **options), data)


def _grammars(
    grammar: Grammar | None, tokenizer: Tokenizer | None, schema: str | None, options: dict[str, Any]
) -> RowGrammars:
    expect("grammar", grammar, (Grammar, type(None)), "a Grammar")
    if grammar is not None and options:
        raise TypeError(f"options of a column of schemas, but a grammar: {', '.join(options)}")
    return RowGrammars(grammar, tokenizer, schema, options)


def _kept(keep: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if keep is None else tuple(keep)
