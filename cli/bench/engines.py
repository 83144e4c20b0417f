"""One adapter for each engine, so that all are driven through the same few calls, from Python, as a server would."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import click
import numpy
from numpy.typing import NDArray

from ..options import VocabularyName
from ..sources import load_tokenizer

if TYPE_CHECKING:
    from ffgrammar import Tokenizer

__all__ = ["ENGINES", "LANGUAGE_ENGINES", "Engine", "LanguageEngine", "Refused", "available"]


class Refused(Exception):
    """The engine does not compile the schema.

    Attributes:
        keyword: the schema keyword that is not supported; if the error names none, another short name of the error.
    """

    def __init__(self, keyword: str, message: str) -> None:
        self.keyword = keyword
        super().__init__(message)


class Engine(Protocol):
    """What the bench needs of an engine.

    The constructor imports packages and prepares the vocabulary in the form that the engine reads. `load` is the
    engine's own work on the vocabulary, and is measured.

    Attributes:
        name, version: of the engine.
        bitmask: one row, which `fill` fills.
    """

    name: str
    version: str
    bitmask: NDArray[numpy.int32]

    def __init__(self, named: VocabularyName) -> None: ...

    def load(self) -> None:
        """Make the engine's tokenizer, ready for use."""

    def encode(self, text: str) -> list[int]:
        """The tokens of a text: the same for all engines."""

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        """A compiled grammar that allows any whitespace, or none if `compact` is true.

        Raises:
            Refused: the engine does not compile the schema.
        """

    def matcher(self, compiled: Any) -> Any:
        """A new matcher at the start of a text."""

    def fill(self, matcher: Any) -> None:
        """Fill the bitmask."""

    def accept(self, matcher: Any, token: int) -> bool:
        """Move the matcher by a token that the mask allows. Returns whether the engine accepted the token."""

    def is_accepting(self, matcher: Any) -> bool:
        """Whether the document may end here."""

    def forced(self, matcher: Any) -> list[int] | None:
        """The tokens that are forced here; None if the engine does not know forced tokens."""


class LanguageEngine(Engine, Protocol):
    """An engine that reads grammars in notations of rules, too."""

    def compile_rules(self, kind: str, grammar: str) -> Any:
        """A compiled grammar of a kind, "lark" or "gbnf", that the engine reads.

        Raises:
            Refused: the engine does not compile the grammar.
        """

    def text(self, tokens: list[int]) -> str:
        """The text of tokens, for people."""


class FFGrammar:
    """ffgrammar through its public names."""

    name = "ffgrammar"

    def __init__(self, named: VocabularyName) -> None:
        from importlib.metadata import PackageNotFoundError, version

        import ffgrammar

        self.ff = ffgrammar
        try:
            self.version = version("ffgrammar")
        except PackageNotFoundError:
            self.version = "(checkout)"
        self.named = named
        # Public names are imported when they are first used. That must not count as work on a vocabulary.
        for name in ffgrammar.__all__:
            getattr(ffgrammar, name)

    def load(self) -> None:
        self.tokenizer = load_tokenizer(self.named)
        # A schema that occurs twice is compiled twice.
        self.tokenizer.grammar_bytes = 0
        self.bitmask = self.ff.allocate_bitmask(1, self.tokenizer.vocab_size)

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text)

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        try:
            whitespace: Any = "compact" if compact else "flexible"
            return self.ff.compile_json_schema(schema, self.tokenizer, whitespace=whitespace)
        except self.ff.FFGrammarError as error:
            raise Refused(_keyword(error), f"{type(error).__name__}: {error}") from error

    def compile_rules(self, kind: str, grammar: str) -> Any:
        compiled = self.ff.compile_gbnf if kind == "gbnf" else self.ff.compile_lark
        try:
            return compiled(grammar, self.tokenizer)
        except self.ff.FFGrammarError as error:
            raise Refused(type(error).__name__, f"{type(error).__name__}: {error}") from error

    def text(self, tokens: list[int]) -> str:
        return self.tokenizer.decode(tokens).decode("utf-8", "replace")

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
    """The last schema keyword in the pointer of an UnsupportedError. If there is none, the error's class."""
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


def _vocabulary(named: VocabularyName) -> Tokenizer:
    """The tokenizer from which a peer's vocabulary is made."""
    tokenizer = load_tokenizer(named)
    if not tokenizer.eos_token_ids:
        raise click.UsageError("the peers need to know which token ends a text: give --eos")
    return tokenizer


class ForLLGuidance:
    """Our vocabulary in the form that llguidance reads. With llguidance's own loaders, masks and times are the same."""

    bos_token_id = None

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.eos_token_id = tokenizer.eos_token_ids[0]
        self.special_token_ids = sorted(tokenizer.special_tokens.values())
        names = {token: name.encode() for name, token in tokenizer.special_tokens.items()}
        self.tokens: Sequence[bytes] = [
            tokenizer.token_bytes(token) or names.get(token, b"") for token in range(tokenizer.vocab_size)
        ]
        self.encode = tokenizer.encode

    def __call__(self, data: bytes) -> list[int]:
        return self.encode(data)


class LLGuidance:
    """llguidance, through the helpers that it documents."""

    name = "llguidance"

    def __init__(self, named: VocabularyName) -> None:
        from importlib.metadata import version

        import llguidance
        import llguidance.numpy

        self.version = version("llguidance")
        self.llguidance = llguidance
        self.fill_next = llguidance.numpy.fill_next_token_bitmask
        ours = _vocabulary(named)
        self.encode = ours.encode
        self.eos = list(ours.eos_token_ids)
        self.vocabulary = llguidance.TokenizerWrapper(ForLLGuidance(ours))

    def load(self) -> None:
        self.tokenizer = self.llguidance.LLTokenizer(self.vocabulary, eos_token=self.eos)
        self.bitmask = self.llguidance.numpy.allocate_token_bitmask(1, self.tokenizer.vocab_size)

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        spelling: Any = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"} if compact else {}
        try:
            grammar = self.llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema), spelling)
        except ValueError as error:
            raise Refused("ValueError", str(error)) from error
        return self._compiled(grammar)

    def compile_rules(self, kind: str, grammar: str) -> Any:
        # By default, llguidance takes nothing that is ignored at the start of a text.
        option = '%llguidance {"allow_initial_skip": true}'
        try:
            return self._compiled(self.llguidance.LLMatcher.grammar_from_lark(f"{grammar}\n{option}\n"))
        except ValueError as error:
            raise Refused("ValueError", str(error)) from error

    def text(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode_str(tokens))

    def _compiled(self, grammar: str) -> Any:
        matcher = self.llguidance.LLMatcher(self.tokenizer, grammar, log_level=0)
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
    """xgrammar. It may take minutes to compile one schema, so it is best run on few schemas."""

    name = "xgrammar"

    def __init__(self, named: VocabularyName) -> None:
        from importlib.metadata import version

        import torch
        import xgrammar

        self.version = version("xgrammar")
        self.xgrammar = xgrammar
        self.from_numpy = torch.from_numpy
        ours = _vocabulary(named)
        self.encode = ours.encode
        self.eos = list(ours.eos_token_ids)
        self.vocabulary = [ours.token_bytes(token) for token in range(ours.vocab_size)]

    def load(self) -> None:
        raw = self.xgrammar.VocabType.RAW
        # (in a whole number of words of the bitmask, no bits beyond the vocabulary are set)
        size = -(-len(self.vocabulary) // 32) * 32
        self.info = self.xgrammar.TokenizerInfo(
            self.vocabulary, vocab_type=raw, vocab_size=size, stop_token_ids=self.eos
        )
        self.compiler = self.xgrammar.GrammarCompiler(self.info, max_threads=1, cache_enabled=False)
        self.bitmask = self.xgrammar.allocate_token_bitmask(1, self.info.vocab_size).numpy()
        self.torch_bitmask = self.from_numpy(self.bitmask)

    def compile(self, schema: Any, *, compact: bool = False) -> Any:
        try:
            spelling = {"any_whitespace": False, "separators": (",", ":")} if compact else {}
            return self.compiler.compile_json_schema(json.dumps(schema), **spelling)
        except RuntimeError as error:
            raise Refused("RuntimeError", str(error)) from error

    def compile_rules(self, kind: str, grammar: str) -> Any:
        try:
            return self.compiler.compile_grammar(grammar)
        except RuntimeError as error:
            raise Refused("RuntimeError", str(error)) from error

    def text(self, tokens: list[int]) -> str:
        return b"".join(self.vocabulary[token] for token in tokens).decode("utf-8", "replace")

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


ENGINES: dict[str, type[Engine]] = {"ffgrammar": FFGrammar, "llguidance": LLGuidance, "xgrammar": XGrammar}
# The engines by the notation that they read.
LANGUAGE_ENGINES: dict[str, dict[str, type[LanguageEngine]]] = {
    "lark": {"ffgrammar": FFGrammar, "llguidance": LLGuidance},
    "gbnf": {"ffgrammar": FFGrammar, "xgrammar": XGrammar},
}


def available(name: str) -> bool:
    """Whether the engine is installed."""
    return find_spec(name) is not None
