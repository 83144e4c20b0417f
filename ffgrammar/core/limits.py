"""All bounds on what a grammar may cost. With them untrusted input ends in a LimitError, not in a hang."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

__all__ = ["Limits", "limits_key"]


@dataclass(frozen=True)
class Limits:
    """Bounds on what one grammar may cost. They are counts, unless the name says bytes.

    The bounds of caches are soft: when one is passed, caches are dropped and refilled as needed, and no answer changes.
    Such a bound raises a LimitError only if a single step needs too many lexer states, or too large a part of
    `cache_bytes`.

    Attributes:
        source_bytes: length of a schema or grammar text; of a schema given as Python objects, about that of its text.
        nesting: depth of nested groups in a regex, of a schema, of a grammar expression.
        expressions: regex expressions of one grammar. On average they may have sixteen members each.
        expression_size: members of one and/or expression.
        dfa_states: lexer states kept at a time (rows of the automaton's table, 1 KB each); a cache. A text that never
            comes back to a state, such as a long string with `maxLength`, may have as many as `cache_bytes` has room
            for.
        emptiness_steps: states explored to decide whether one expression matches anything, or whether one text can
            be completed; fewer where the expressions are large. All searches of one call, or of one compilation,
            are bounded together, too.
        rules: productions of one grammar.
        alternatives: combinations of anyOf, oneOf and the like that one schema multiplies out to.
        row_items: Earley items of one row.
        row_bytes: parser rows kept at a time by one grammar; a cache.
        cache_bytes: rows, lexer states and expressions of one grammar together; a cache.
        mask_bytes: masks kept at a time by one grammar; a cache.
        compile_work: work of one compilation, in units of some 10 to 25 ns; 0 means any.
        mask_work: work of one mask that is not known yet, in units of some 10 to 25 ns; 0 means any.
        budget_steps: nodes of the vocabulary's trie that one search for the fewest tokens of a text may visit. Where
            it is not enough, the number is an upper bound (`Matcher.min_tokens`).
        forced_bytes: length of the longest answer of `Matcher.forced_bytes`.
        seconds: how long one call may take (compiling, a step of a matcher, a mask), give or take some milliseconds; 0
            means any time. The other bounds give the same answer on every machine, and this one does not.
    """

    source_bytes: int = 64 << 20
    nesting: int = 500
    expressions: int = 4_000_000
    expression_size: int = 200_000
    dfa_states: int = 10_000
    emptiness_steps: int = 100_000
    rules: int = 2_000_000
    alternatives: int = 20_000
    row_items: int = 200_000
    row_bytes: int = 128 << 20
    cache_bytes: int = 256 << 20
    mask_bytes: int = 32 << 20
    compile_work: int = 180_000_000
    mask_work: int = 20_000_000
    budget_steps: int = 20_000
    forced_bytes: int = 1 << 20
    seconds: float = 0

    @classmethod
    def public(cls, **changes: Any) -> Limits:
        """Bounds for a server whose users write the grammars.

        They leave room for ordinary grammars: of MaskBench's 2,208 development schemas, one reaches one of these bounds
        and not the default one.

        Args:
            changes: bounds that differ from these, by name: `Limits.public(seconds=0.5)`.

        Raises:
            TypeError: there is no such bound, or a value is of another type.
            ValueError: a value is negative.
        """
        bounds = cls(
            source_bytes=1 << 20,
            nesting=100,
            expressions=500_000,
            expression_size=20_000,
            emptiness_steps=10_000,
            rules=50_000,
            alternatives=2_000,
            row_items=20_000,
            row_bytes=32 << 20,
            cache_bytes=64 << 20,
            mask_bytes=8 << 20,
            compile_work=50_000_000,
            mask_work=15_000_000,
            forced_bytes=1 << 16,
        )
        return replace(bounds, **changes)

    @classmethod
    def trusted(cls) -> Limits:
        """Bounds for grammars of your own, which may take minutes and gigabytes.

        `nesting` is as usual, because the stack of a thread does not grow.
        """
        return cls(
            source_bytes=1 << 30,
            expressions=32_000_000,
            expression_size=2_000_000,
            dfa_states=100_000,
            emptiness_steps=10_000_000,
            rules=20_000_000,
            alternatives=1_000_000,
            row_items=2_000_000,
            row_bytes=1 << 30,
            cache_bytes=4 << 30,
            mask_bytes=256 << 20,
            compile_work=0,
            mask_work=0,
        )

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "seconds":
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    raise TypeError(f"limit seconds must be a number, not {type(value).__name__}")
            elif not isinstance(value, int):
                raise TypeError(f"limit {field.name} must be an int, not {type(value).__name__}")
            if not value >= 0:
                raise ValueError(f"limit {field.name} must not be negative: {value}")
        object.__setattr__(self, "_key", repr([getattr(self, field.name) for field in fields(self)]).encode())


# The values of all fields, as bytes. Caches use them as keys instead of the limits, because bytes are hashed only once,
# and without a Python function.
limits_key: Callable[[Limits], bytes] = attrgetter("_key")
