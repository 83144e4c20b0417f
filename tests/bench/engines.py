"""One adapter an engine: all are driven through the same few calls, from Python, as a server would."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.data import encoding

__all__ = ["ENGINES", "Engine", "Refused", "available", "make"]


class Refused(Exception):
    """The engine does not compile the schema.

    Attributes:
        keyword: the schema keyword that it does not support, as well as the error tells.
    """

    def __init__(self, keyword: str, message: str) -> None:
        self.keyword = keyword
        super().__init__(message)


class Engine(Protocol):
    """What the bench asks of an engine. The bitmask is the engine's own: one row, filled by `fill`."""

    name: str
    version: str
    bitmask: np.ndarray[Any, np.dtype[np.int32]]

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        """A compiled grammar, by default for any whitespace; raises Refused."""

    def matcher(self, compiled: Any) -> Any:
        """A matcher at the beginning of the grammar."""

    def fill(self, matcher: Any) -> None:
        """Fills the bitmask."""

    def accept(self, matcher: Any, token: int) -> bool:
        """Moves the matcher by a token that the mask allows."""

    def is_accepting(self, matcher: Any) -> bool:
        """Whether the document may end here."""

    def forced(self, matcher: Any) -> list[int] | None:
        """The tokens forced here; None if the engine has none."""


class FFGrammar:
    """ffgrammar through its public names."""

    name = "ffgrammar"

    def __init__(self, tokenizer: str, shared: Path) -> None:
        from importlib.metadata import PackageNotFoundError, version

        import ffgrammar

        self.ff = ffgrammar
        try:
            self.version = version("ffgrammar")
        except PackageNotFoundError:
            self.version = "(checkout)"
        self.tokenizer = ffgrammar.Tokenizer.from_tiktoken(tokenizer)
        self.bitmask = ffgrammar.allocate_bitmask(1, self.tokenizer.vocab_size)

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        try:
            whitespace = "compact" if compact else "flexible"
            return self.ff.compile_json_schema(schema, self.tokenizer, whitespace=whitespace)
        except self.ff.FFGrammarError as error:
            raise Refused(_keyword(error), f"{type(error).__name__}: {error}") from error

    def matcher(self, compiled: Any) -> Any:
        return compiled.matcher()

    def fill(self, matcher: Any) -> None:
        matcher.fill_bitmask(self.bitmask)

    def accept(self, matcher: Any, token: int) -> bool:
        return bool(matcher.accept_token(token))

    def is_accepting(self, matcher: Any) -> bool:
        return bool(matcher.is_accepting())

    def forced(self, matcher: Any) -> list[int] | None:
        return list(matcher.forced_tokens())


def _keyword(error: Exception) -> str:
    """The last schema keyword in the pointer of what is not supported; of other errors their kind."""
    words = [part for part in (getattr(error, "pointer", None) or "").split("/") if part in _KEYWORDS]
    return words[-1] if words and type(error).__name__ == "UnsupportedError" else type(error).__name__


_KEYWORDS = {
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$anchor",
    "$dynamicAnchor",
    "$id",
    "$schema",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
}


class LLGuidance:
    """llguidance, with the helpers that it documents."""

    name = "llguidance"

    def __init__(self, tokenizer: str, shared: Path) -> None:
        from importlib.metadata import version

        import llguidance.numpy
        import llguidance.tiktoken

        self.version = version("llguidance")
        self.LLMatcher = llguidance.LLMatcher
        self.fill_next = llguidance.numpy.fill_next_token_bitmask
        self.tokenizer = llguidance.tiktoken.lltokenizer_from_encoding(encoding(tokenizer, shared))
        self.bitmask = llguidance.numpy.allocate_token_bitmask(1, self.tokenizer.vocab_size)

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        spelling = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"} if compact else {}
        try:
            grammar = self.LLMatcher.grammar_from_json_schema(json.dumps(schema), spelling)
        except ValueError as error:
            raise Refused("ValueError", str(error)) from error
        matcher = self.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            message = matcher.get_error()
            named = re.search(r'Unimplemented keys: \["([^"]+)"', message)
            raise Refused(named.group(1) if named else message.splitlines()[0][:60], message)
        return matcher

    def matcher(self, compiled: Any) -> Any:
        return compiled.deep_copy()

    def fill(self, matcher: Any) -> None:
        self.fill_next(matcher, self.bitmask)

    def accept(self, matcher: Any, token: int) -> bool:
        return bool(matcher.consume_token(token))

    def is_accepting(self, matcher: Any) -> bool:
        return bool(matcher.is_accepting())

    def forced(self, matcher: Any) -> list[int] | None:
        return list(matcher.compute_ff_tokens())


class XGrammar:
    """xgrammar; a schema's compile may take minutes, so give it few schemas."""

    name = "xgrammar"

    def __init__(self, tokenizer: str, shared: Path) -> None:
        from importlib.metadata import version

        import torch
        import xgrammar

        self.version = version("xgrammar")
        self.xgrammar = xgrammar
        reference = encoding(tokenizer, shared)
        vocabulary = [b""] * reference.n_vocab
        for token, rank in reference._mergeable_ranks.items():
            vocabulary[rank] = token
        info = xgrammar.TokenizerInfo(
            vocabulary, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[reference.eot_token]
        )
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.bitmask = xgrammar.allocate_token_bitmask(1, info.vocab_size).numpy()
        self.torch_bitmask = torch.from_numpy(self.bitmask)

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        try:
            spelling = {"any_whitespace": False, "separators": (",", ":")} if compact else {}
            return self.compiler.compile_json_schema(json.dumps(schema), **spelling)
        except RuntimeError as error:
            raise Refused("RuntimeError", str(error)) from error

    def matcher(self, compiled: Any) -> Any:
        return self.xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)

    def fill(self, matcher: Any) -> None:
        matcher.fill_next_token_bitmask(self.torch_bitmask)

    def accept(self, matcher: Any, token: int) -> bool:
        return bool(matcher.accept_token(token))

    def is_accepting(self, matcher: Any) -> bool:
        return bool(matcher.is_terminated())

    def forced(self, matcher: Any) -> list[int] | None:
        return None


ENGINES = {"ffgrammar": FFGrammar, "llguidance": LLGuidance, "xgrammar": XGrammar}
# What must be importable, beside the engine's own package.
_NEEDS = {"ffgrammar": ("ffgrammar",), "llguidance": ("llguidance", "tiktoken"), "xgrammar": ("xgrammar", "tiktoken")}


def available(name: str) -> bool:
    """Whether all that the engine's adapter imports is installed."""
    return all(importlib.util.find_spec(package) is not None for package in _NEEDS[name])


def make(name: str, tokenizer: str, shared: Path) -> Engine:
    """The adapter, with its vocabulary loaded."""
    engine: Engine = ENGINES[name](tokenizer, shared)
    return engine
