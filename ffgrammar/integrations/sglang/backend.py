"""SGLang's grammar backend: compiles requests, and keeps the grammars of the last ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch
from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    GrammarStats,
    InvalidGrammarObject,
    register_vocab_mask_buffer,
)

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.core.recent import Recent
from ffgrammar.integrations.requests import GrammarRequests, RequestKind
from ffgrammar.integrations.sglang.grammar import Masks, SGLangGrammar
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["MAX_RECENT", "SGLangBackend"]

# How many requests' grammars are kept as matchers. Grammars beyond these are kept by bytes (`GrammarRequests`).
MAX_RECENT = 1024


class SGLangBackend(Masks, BaseGrammarBackend):  # type: ignore[misc]
    """Compiles the grammars of requests.

    Args:
        tokenizer: the vocabulary, with as many ids as the model has scores.
        requests: what compiles; None: one with its own defaults.
        layout: options of `compile_json_schema` that say where JSON has white space; if there are none, at most one
            blank may stand at a place.
    """

    is_support_token_filter = True

    def __init__(
        self, tokenizer: Tokenizer, requests: GrammarRequests | None = None, layout: dict[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.requests = requests or GrammarRequests(tokenizer)
        self.cache: Recent[Any, Any] = Recent(MAX_RECENT)  # (SGLang's own cache has no bound)
        self._tokenizer = tokenizer
        self._layout = layout or {}

    def dispatch_json(self, key_string: str) -> BaseGrammarObject:
        """The grammar of a JSON Schema; SGLang's "$$ANY$$" is any JSON value."""
        schema = "true" if key_string == "$$ANY$$" else key_string
        return self._compiled("json", schema, ("json", key_string), **self._layout)

    def dispatch_regex(self, key_string: str) -> BaseGrammarObject:
        """The grammar of a regex."""
        return self._compiled("regex", key_string, ("regex", key_string))

    def dispatch_ebnf(self, key_string: str) -> BaseGrammarObject:
        """The grammar of a text in EBNF, GBNF or Lark."""
        return self._compiled("grammar", key_string, ("ebnf", key_string))

    def dispatch_structural_tag(self, key_string: str) -> BaseGrammarObject:
        """The grammar of a structural tag, in either of its forms."""
        try:
            tag = with_schemas(json.loads(key_string))
        except (ValueError, RecursionError) as error:
            return InvalidGrammarObject(f"the structural tag is not JSON: {error}")
        return self._compiled("structural_tag", tag, ("structural_tag", key_string))

    def compile_framed_grammar(
        self, grammar: BaseGrammarObject, frame: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> BaseGrammarObject | None:
        """A grammar inside what a model writes around its answers, which is a structural tag."""
        if not isinstance(grammar, SGLangGrammar):
            return None
        tag = frame(_as_format(*grammar.key))
        return self._compiled("structural_tag", tag, ("structural_tag", json.dumps(tag)))

    def initialize_vocab_mask_buffer(self, name: str, vocab_size: int, max_rows: int, device: Any) -> torch.Tensor:
        """Masks that are used again for every batch."""
        return register_vocab_mask_buffer(name, self.allocate_vocab_mask(vocab_size, max_rows, device), max_rows)

    def _compiled(self, kind: RequestKind, spec: Any, key: tuple[str, str], **options: Any) -> BaseGrammarObject:
        try:
            matcher = self.requests.compile(kind, spec, **options).matcher()
        except (FFGrammarError, TypeError) as error:
            return InvalidGrammarObject(str(error))
        return SGLangGrammar(matcher, key, GrammarStats(dispatch_type=key[0]))


def with_schemas(tag: Any) -> Any:
    """A structural tag in which schemas that are null or missing are {}: SGLang means any JSON by that."""
    if isinstance(tag, list):
        return [with_schemas(one) for one in tag]
    if not isinstance(tag, dict):
        return tag
    made = {key: value if key in ("schema", "json_schema") else with_schemas(value) for key, value in tag.items()}
    if made.get("type") in ("json_schema", "qwen_xml_parameter") and made.get("json_schema") is None:
        made["json_schema"] = {}
    if "begin" in made and "end" in made and "schema" in made and made["schema"] is None:
        made["schema"] = {}
    return made


def _as_format(kind: str, text: str) -> dict[str, Any]:
    """A request as a format inside a structural tag."""
    if kind == "json":
        return {"type": "json_schema", "json_schema": True if text == "$$ANY$$" else json.loads(text)}
    if kind == "regex":
        return {"type": "regex", "pattern": text}
    if kind == "structural_tag":
        found: dict[str, Any] = with_schemas(json.loads(text))["format"]
        return found
    return {"type": "grammar", "grammar": text}
