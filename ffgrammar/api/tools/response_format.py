"""`compile_response_format`: what OpenAI's APIs and Anthropic's call the format of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ffgrammar.api.compile import composed
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import text
from ffgrammar.api.tools.arguments import Layout, compiled_schema, moved
from ffgrammar.api.tools.strict import strict_warnings
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.names import shown
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["RESPONSE_TYPES", "compile_response_format"]

RESPONSE_TYPES = ("text", "json_object", "json_schema")


def compile_response_format(
    response_format: Mapping[str, Any],
    tokenizer: Tokenizer,
    *,
    whitespace: Literal["flexible", "compact"] | int = 1,
    property_order: Literal["schema", "any"] = "schema",
    limits: Limits | None = None,
) -> Grammar:
    """The answers in a format: `response_format` of OpenAI's chat completions, `text.format` of its responses, or
    `output_format` of Anthropic's messages.

    Args:
        response_format: {"type": "text"}, {"type": "json_object"}, or {"type": "json_schema"} with a schema. If there
            is `strict`, a schema outside the subset that OpenAI's API takes gives warnings.
        tokenizer: the vocabulary.
        whitespace, property_order: as in `compile_json_schema`. White space is bounded, so that no model writes blanks
            for ever.
        limits: bounds on the cost.

    Raises:
        GrammarError: the format or its schema is wrong (`pointer` says where).
        UnsupportedError: the schema cannot be enforced exactly.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    expect("compile_response_format: response_format", response_format, Mapping, "a dict")
    kind = response_format.get("type")
    layout = Layout({"whitespace": whitespace, "property_order": property_order}, limits)
    if kind == "text":
        return composed(text(), tokenizer, limits)
    if kind == "json_object":
        return compiled_schema({"type": "object"}, tokenizer, layout, "")
    if kind is None and "json_schema" in response_format:
        raise GrammarError("there is no 'type'; a format with 'json_schema' has the type 'json_schema'", pointer="")
    if kind != "json_schema":
        raise GrammarError(f"type must be one of {', '.join(RESPONSE_TYPES)}, not {shown(kind)}", pointer="/type")
    schema, pointer, strict = _schema(response_format)
    grammar = compiled_schema(schema, tokenizer, layout, pointer)
    warnings = [moved(warning, pointer) for warning in grammar.warnings]
    if strict:
        warnings += [f"at {pointer}{inner}: {message}" for inner, message in strict_warnings(schema)]
    return grammar._warned(warnings) if warnings else grammar


def _schema(response_format: Mapping[str, Any]) -> tuple[Any, str, bool]:
    """The schema, where it stands, and whether it says `strict`."""
    inner, pointer = response_format, ""
    if "json_schema" in response_format:
        inner, pointer = response_format["json_schema"], "/json_schema"
        if not isinstance(inner, Mapping):
            raise GrammarError("'json_schema' must be an object", pointer=pointer)
    if "schema" not in inner:
        where = "'json_schema'" if pointer else "a format of the type 'json_schema'"
        raise GrammarError(
            f"{where} has no 'schema': it is {{'type': 'json_schema', 'json_schema': {{'schema': {{...}}}}}}, or "
            "{'type': 'json_schema', 'schema': {...}}",
            pointer=pointer,
        )
    return inner["schema"], f"{pointer}/schema", inner.get("strict") is True
