"""Free text with tags in it: xgrammar's `TagDispatch` and `TokenTagDispatch`.

Free text goes on to the first place where a tag is complete. There a rule follows, and then free text again, unless the
dispatch ends after its first rule. Free text is any bytes. Where tags are tokens, it may have other special tokens.
"""

from __future__ import annotations

from collections.abc import Mapping

from ffgrammar.grammar.gbnf.macros import Dispatch
from ffgrammar.grammar.gbnf.parts import Excluded, Part, Parts
from ffgrammar.grammar.gbnf.source import Op
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, ExprStore

__all__ = ["dispatch"]


def dispatch(found: Dispatch, offset: int, parts: Parts, values: Mapping[str, Part]) -> Part:
    """The part of a grammar that a dispatch stands for.

    Args:
        found: the dispatch.
        offset: where it stands in the text.
        parts: makes parts.
        values: what the rules stand for.

    Raises:
        UnsupportedError: the id of a tag is not that of a special token.
    """
    # (tags with the same rule have one lexeme)
    triggers: dict[str, list[str | int]] = {}
    for tag in found.tags:
        triggers.setdefault(tag.rule, []).append(tag.trigger)
    openings, free = (_by_token if found.by_token else _by_text)(found, [*triggers.values()], offset, parts)
    if not triggers:
        return free
    builder = parts.builder
    tagged = [
        parts.symbol(parts.sequence([opening, values[rule]])) for opening, rule in zip(openings, triggers, strict=True)
    ]
    either = builder.choice(tagged, parts.name)
    if not found.loop:
        return Part((builder.choice([either, parts.symbol(free)], parts.name),))
    return parts.sequence([Part((builder.star(either, parts.name),)), free])


def _by_token(found: Dispatch, triggers: list[list[str | int]], offset: int, parts: Parts) -> tuple[list[Part], Part]:
    """What stands before each rule, and free text."""
    ids = [tuple(sorted({int(one) for one in group})) for group in triggers]
    others = frozenset([*(one for group in ids for one in group), *map(int, found.excludes)])
    parts.vocabulary.check(others, parts.text, offset)
    free = parts.repeat(Part(None, None, Excluded(others, offset, "any token")), Op("rep", (0, None), offset))
    return [parts.sequence([free, Part((parts.builder.special(group, "a tag"),))]) for group in ids], free


def _by_text(found: Dispatch, triggers: list[list[str | int]], offset: int, parts: Parts) -> tuple[list[Part], Part]:
    """What stands before each rule, with the tag; and free text."""
    store = parts.store
    groups = [[str(one).encode() for one in group] for group in triggers]
    tags = [one for group in groups for one in group]
    excludes = [str(one).encode() for one in found.excludes]
    ends = _ending_in(store, [*tags, *excludes])
    # What goes on after a tag or an excluded text.
    late = store.concat([ends, store.intersect([ANY_BYTES, store.complement(EMPTY)])])

    def ending(one: bytes) -> int:
        # (where two tags are complete, the longer one counts)
        longer = [tag for tag in tags if tag != one and tag.endswith(one)]
        found = _ending_in(store, [one])
        return store.intersect([found, store.complement(_ending_in(store, longer))]) if longer else found

    def opening(group: list[bytes]) -> Part:
        either = store.union([ending(one) for one in group])
        not_here = store.union([late, _ending_in(store, excludes)])
        return parts.expr_part(store.intersect([either, store.complement(not_here)]))

    free = store.intersect([ANY_BYTES, store.complement(store.concat([ends, ANY_BYTES]))])
    return [opening(group) for group in groups], parts.expr_part(free)


def _ending_in(store: ExprStore, texts: list[bytes]) -> int:
    """The expression of the texts that end in one of some texts."""
    return store.concat([ANY_BYTES, store.literals(texts)])
