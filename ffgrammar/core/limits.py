"""Every bound in one place, so that untrusted input ends in a LimitError and not in a hang."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Bounds on what one grammar may cost. Sizes are counts unless the name says bytes.

    Attributes:
        source_bytes: length of a schema or grammar text.
        nesting: depth of nested groups in a regex, of a schema, of a grammar expression.
        expressions: regex expressions of one grammar; sixteen members count as one.
        expression_size: members of one and/or expression.
        dfa_states: lexer states (rows of the automaton's table, 1 KB each) kept at a time; over it the table is dropped
            and refilled.
        emptiness_steps: states explored to decide whether one expression matches anything, or one text can be
            completed; fewer where the expressions are large.
        rules: productions of one grammar.
        alternatives: combinations of anyOf, oneOf, ... that one schema multiplies out to.
        row_items: Earley items of one row.
        row_bytes: parser rows kept at a time by one grammar; over it they are dropped and recomputed.
        cache_bytes: rows, lexer states and expressions together, likewise.
        mask_bytes: masks kept at a time by one grammar; over it they are dropped, and found again when asked for.
        forced_bytes: longest answer of forced_bytes.
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
    forced_bytes: int = 1 << 20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int):
                raise TypeError(f"limit {field.name} must be an int, not {type(value).__name__}")
            if value < 0:
                raise ValueError(f"limit {field.name} must not be negative: {value}")
