"""What may and what must come at a place in a text."""

from __future__ import annotations

from typing import Any

from ffgrammar.draw.text import visible
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.play.bounds import MAX_LISTED
from ffgrammar.play.coverings import coverings_answer
from ffgrammar.play.masks import ids_of, mask_of
from ffgrammar.play.railroads import live_parts
from ffgrammar.play.shown import shown_tokens
from ffgrammar.play.spot import Spot

__all__ = ["gap_answer"]


def gap_answer(spot: Spot) -> dict[str, Any]:
    """What the page shows of a place.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    tok = spot.grammar.tokenizer
    explanation = spot.matcher.explain()
    return {
        "at": len(spot.tokens),
        "inside": len(spot.inside),
        "offset": len(spot.text),
        "explanation": explanation.as_json(),
        "said": str(explanation),
        "ends": spot.matcher.is_accepting() or spot.matcher.is_terminated(),
        "forced": _forced(spot),
        "masks": _masks(spot),
        "coverings": coverings_answer(tok, spot.text),
        "live": live_parts(spot),
    }


def _forced(spot: Spot) -> dict[str, Any]:
    """What must come: bytes, the tokens that are certain, and the bytes that are held back."""
    tok = spot.grammar.tokenizer
    data = spot.matcher.forced_bytes()
    tokens = spot.matcher.forced_tokens()
    held = data[len(tok.decode(tokens)) :]
    return {
        "bytes": visible(data),
        "size": len(data),
        "tokens": shown_tokens(tok, tokens),
        "held": visible(held),
        "why": _why_held(spot, tokens, held),
    }


def _why_held(spot: Spot, tokens: list[int], held: bytes) -> str:
    """Why bytes that must come are not tokens yet."""
    tok = spot.grammar.tokenizer
    if not held:
        return ""
    if tok.canon is None:
        return f"how the tokenizer cuts and merges is not known: {tok.canon_reason}"
    ahead = spot.matcher.fork()
    ahead.accept_tokens(tokens)
    may_come = [tok.token_bytes(one) for one in ids_of(mask_of(ahead, tok.vocab_size))]
    longer = [one for one in may_come if one.startswith(held) and len(one) > len(held)]
    inside = [one for one in may_come if held.startswith(one)]
    examples = ", ".join(f"\u201c{visible(one)}\u201d" for one in sorted(longer, key=len)[:4])
    if longer:
        return f"their token depends on what follows: {len(longer)} tokens begin with these bytes, such as {examples}"
    return f"their tokens depend on what follows: {len(inside)} tokens spell a part of them, and later text decides"


def _masks(spot: Spot) -> dict[str, Any]:
    """The tokens that may come, beside those that the tokenizer itself would write."""
    tok = spot.grammar.tokenizer
    plain = mask_of(spot.matcher, tok.vocab_size)
    canonical, why = spot.canonical()
    found: dict[str, Any] = {"plain": plain.bit_count(), "ends": _ends(tok.eos_token_ids, plain), "why": why}
    if canonical is not None:
        found |= _beside(spot, plain, canonical)
    return found


def _beside(spot: Spot, plain: int, canonical: Matcher) -> dict[str, Any]:
    tok = spot.grammar.tokenizer
    own = mask_of(canonical, tok.vocab_size)
    only = plain & ~own
    return {
        "canonical": own.bit_count(),
        "only": only.bit_count(),
        "own": shown_tokens(tok, ids_of(own, MAX_LISTED)),
        "others": shown_tokens(tok, ids_of(only, MAX_LISTED)),
    }


def _ends(eos: tuple[int, ...], allowed: int) -> bool:
    """Whether an end-of-text token may come."""
    return any(allowed >> one & 1 for one in eos)
