"""Quotations in rules and terminals: `%regex {"substring_words": "..."}` is any piece of a text, also the empty one.

The pieces consist of whole chunks of the text. Its suffix automaton over chunks has at most two states a chunk, so the
expression grows linearly with the text. (A. Blumer et al., "The smallest automaton recognizing the subwords of a text",
1985.)
"""

from __future__ import annotations

import json
import re

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.source import Op
from ffgrammar.grammar.lark.texts import Texts, error_at
from ffgrammar.grammar.source_text import check_source_text
from ffgrammar.regex.expr.store import EMPTY, ExprStore

__all__ = ["substrings"]

_WORDS = re.compile(r"\w+|\s+|[^\w\s]+")
_FORMS = "substring_words or substring_chars with a text, or substring_chunks with a list of texts"


def substrings(texts: Texts, op: Op, store: ExprStore, limits: Limits) -> int:
    """The expression of the pieces of a text.

    Args:
        texts: where the step is.
        op: the step with the JSON object as it is written.
        store: where the expression is made.
        limits: `source_bytes` bounds the length of the chunks together.

    Raises:
        GrammarError: the object is malformed.
        UnsupportedError: it has other keys.
        LimitError: a bound was reached.
    """
    chunks = _chunks(texts, op)
    check_source_text("".join(chunks), "the text of %regex", limits)
    return _expression([chunk.encode() for chunk in chunks if chunk], store)


def _chunks(texts: Texts, op: Op) -> list[str]:
    def wrong(message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
        return error_at(texts, op.offset, message, kind)

    try:
        found = json.loads(op.argument)
    except (ValueError, RecursionError) as error:
        raise wrong(f"this is not JSON: {error}") from None
    if len(found) != 1:
        raise wrong(f"%regex has one key: {_FORMS}")
    ((key, value),) = found.items()
    if key not in ("substring_words", "substring_chars", "substring_chunks"):
        raise wrong(f"%regex has no {json.dumps(key)}; it has {_FORMS}", UnsupportedError)
    chunks = value if isinstance(value, list) else [value]
    if isinstance(value, list) != (key == "substring_chunks") or not all(isinstance(chunk, str) for chunk in chunks):
        raise wrong(f"%regex has {_FORMS}")
    if any("\ud800" <= char <= "\udfff" for chunk in chunks for char in chunk):
        raise wrong("a text cannot have half of a surrogate pair")
    if key == "substring_chunks":
        return chunks
    return list(value) if key == "substring_chars" else _WORDS.findall(value)


class _State:
    """A state of the suffix automaton: pieces of the text after which the same can follow.

    Attributes:
        length: how many chunks the longest of the pieces has.
        link: the state of the longest suffix of these pieces after which more can follow; None for the start.
        next: the states by the chunk that leads to them.
    """

    def __init__(self, length: int, link: _State | None, following: dict[bytes, _State]) -> None:
        self.length = length
        self.link = link
        self.next = following


def _automaton(chunks: list[bytes]) -> list[_State]:
    """The states of the suffix automaton; the first is its start."""
    states = [_State(0, None, {})]
    last = states[0]
    for chunk in chunks:
        made = _State(last.length + 1, states[0], {})
        states.append(made)
        at: _State | None = last
        while at is not None and chunk not in at.next:
            at.next[chunk] = made
            at = at.link
        if at is not None:
            target = at.next[chunk]
            if target.length != at.length + 1:
                target = _split(at, chunk, target)
                states.append(target)
            made.link = target
        last = made
    return states


def _split(at: _State, chunk: bytes, whole: _State) -> _State:
    """The part of a state that comes after `at` and its suffixes, as a state of its own."""
    part = _State(at.length + 1, whole.link, dict(whole.next))
    whole.link = part
    before: _State | None = at
    while before is not None and before.next.get(chunk) is whole:
        before.next[chunk] = part
        before = before.link
    return part


def _expression(chunks: list[bytes], store: ExprStore) -> int:
    states = _automaton(chunks)
    exprs: dict[_State, int] = {}
    # (what a chunk leads to is longer, and has its expression already)
    for state in sorted(states, key=lambda one: -one.length):
        members = [store.concat([store.literal(chunk), exprs[target]]) for chunk, target in state.next.items()]
        exprs[state] = store.union([EMPTY, *members])
    return exprs[states[0]]
