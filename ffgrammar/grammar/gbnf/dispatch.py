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
    openings, free = _by_token(found, offset, parts) if found.by_token else _by_text(found, parts)
    tagged = [
        parts.symbol(parts.sequence([opening, values[tag.rule]]))
        for opening, tag in zip(openings, found.tags, strict=True)
    ]
    if not tagged:
        return free
    builder = parts.builder
    either = builder.choice(tagged, parts.name)
    if not found.loop:
        return Part((builder.choice([either, parts.symbol(free)], parts.name),))
    return parts.sequence([Part((builder.star(either, parts.name),)), free])


def _by_token(found: Dispatch, offset: int, parts: Parts) -> tuple[list[Part], Part]:
    """What stands before each rule, and free text."""
    vocabulary, text = parts.vocabulary, parts.text
    triggers = [int(tag.trigger) for tag in found.tags]
    excludes = [int(one) for one in found.excludes]
    vocabulary.check([*triggers, *excludes], text, offset)
    others = Excluded(frozenset([*triggers, *excludes]), offset, "any token")
    free = parts.repeat(Part(None, None, others), Op("rep", (0, None), offset))
    openings = [parts.sequence([free, Part((parts.builder.special((one,), f"Token({one})"),))]) for one in triggers]
    return openings, free


def _by_text(found: Dispatch, parts: Parts) -> tuple[list[Part], Part]:
    store = parts.store
    triggers = [str(tag.trigger).encode() for tag in found.tags]
    excludes = [str(one).encode() for one in found.excludes]
    ends = _ending_in(store, [*triggers, *excludes])
    # What goes on after a tag or an excluded text.
    late = store.concat([ends, store.intersect([ANY_BYTES, store.complement(EMPTY)])])
    openings = [
        parts.expr_part(
            store.intersect(
                [
                    store.concat([ANY_BYTES, store.literal(one)]),
                    store.complement(late),
                    store.complement(_ending_in(store, excludes)),
                ]
            )
        )
        for one in triggers
    ]
    free = store.intersect([ANY_BYTES, store.complement(store.concat([ends, ANY_BYTES]))])
    return openings, parts.expr_part(free)


def _ending_in(store: ExprStore, texts: list[bytes]) -> int:
    """The expression of the texts that end in one of some texts."""
    return store.concat([ANY_BYTES, store.literals(texts)])
