"""What the functions that apply keywords work with, and the table of these functions.

A function that applies a keyword is called with

- context: the `Context` of the build;
- shape: the shape to which it adds the constraint;
- subschema, word, value: where the keyword stands, the keyword, and its value;
- choices: a list, to which it adds a `Choice` if the keyword has alternatives;
- path: the path of the subschema (see shape/choices.py).

It may return numbers of subschemas, as the functions for `$ref` and `allOf` do. These subschemas are applied next,
before the keywords that follow. Most of the functions take `*_` for the arguments that they do not use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ffgrammar.grammar.json_schema.normalize.keyword_values import KeywordValues
from ffgrammar.grammar.json_schema.normalize.negation import Negation
from ffgrammar.grammar.json_schema.normalize.one_key import OneKeys
from ffgrammar.grammar.json_schema.normalize.one_of import OneOfs

__all__ = ["APPLICATIONS", "Context", "applies"]

# By keyword: the function that applies it.
APPLICATIONS: dict[Any, Callable[..., Any]] = {}


def applies(*words: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that applies keywords."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        APPLICATIONS.update(dict.fromkeys(words, function))
        return function

    return register


class Context:
    """What keywords are applied with, in one build.

    Attributes:
        values: the parsed values of keywords.
        subschemas: the subschemas.
        strings: the string expressions of the build.
        negation: the opposites of schemas.
        one_ofs: the branches of every `oneOf`.
        one_keys: the choices that are about one key.
    """

    __slots__ = ("negation", "one_keys", "one_ofs", "strings", "subschemas", "values")

    def __init__(self, values: KeywordValues, negation: Negation, one_ofs: OneOfs) -> None:
        self.values = values
        self.subschemas = values.subschemas
        self.strings = values.strings
        self.negation = negation
        self.one_ofs = one_ofs
        self.one_keys = OneKeys(values.subschemas)
