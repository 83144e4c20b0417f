"""The front-end for structural tags: the JSON form in which xgrammar and vLLM say how free text, tags and schemas
follow one another. `part` makes a part of a composition of one, and `build` its grammar.

    {"type": "structural_tag", "format": {"type": "sequence", "elements": [
        {"type": "tag", "begin": "<think>", "content": {"type": "any_text"}, "end": "</think>"},
        {"type": "triggered_tags", "triggers": ["<function="], "tags": [...]}]}}

The files, in reading order:

- entries: values with their places, and checks of their types.
- free: free text, and what ends it.
- contained: which texts contain others of a list.
- tokens: special tokens, and stretches of any tokens.
- raw_strings: strings without quotes and escapes.
- leaves: schemas, regexes and grammars in a tag.
- xml_styles: objects as XML parameters.
- formats: what formats have in common, and the simple ones.
- tagging: those with tags.
- reader: the whole tree, in both forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

# (the whole package before one of its files: two threads that import the two first would wait for each other)
import ffgrammar.grammar.json_schema  # noqa: F401
from ffgrammar.core.limits import Limits
from ffgrammar.grammar import composition
from ffgrammar.grammar.composition.parts import Part
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.structural_tag.formats import Sources
from ffgrammar.grammar.structural_tag.leaves import Leaves
from ffgrammar.grammar.structural_tag.reader import read
from ffgrammar.grammar.structural_tag.tokens import Tokens
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["Tokens", "build", "part"]


def part(tag: object, limits: Limits, tokens: Tokens, vocabulary: str) -> Part:
    """The part of a composition that a structural tag describes.

    Args:
        tag: a structural tag as JSON has it, or its JSON text.
        limits: bounds on its size and depth, and on the cost of each schema, regex and grammar in it.
        tokens: the tokens of the vocabulary.
        vocabulary: the vocabulary's fingerprint.

    Raises:
        GrammarError: it is malformed (`pointer` says where).
        UnsupportedError: something in it cannot be enforced exactly.
        LimitError: it is too large or too deep.
    """
    return read(tag, Sources(Leaves(limits, vocabulary, tokens), tokens), limits)


def build(
    root: Part,
    store: ExprStore,
    limits: Limits,
    *,
    special_tokens: Mapping[str, int] | None = None,
    vocabulary: str = "",
) -> GrammarIR:
    """The grammar of a structural tag.

    Args:
        root: what `part` has made of it.
        store, limits, special_tokens, vocabulary: as for `composition.build`, which also says what is raised.
    """
    known = special_tokens or {}
    grammar = composition.build(root, store, limits, special_tokens=known, vocabulary=vocabulary)
    return replace(grammar, kind="structural-tag")
