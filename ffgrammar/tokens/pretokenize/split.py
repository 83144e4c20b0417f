"""The steps of a pre-tokenizer. They have a file of their own, because a vocabulary is loaded without the automata that
they become."""

from __future__ import annotations

from ffgrammar.core.records import Record

__all__ = ["Split"]


class Split(Record):
    """One step of a pre-tokenizer.

    Attributes:
        pattern: see pattern.py; none where there are `atoms`.
        gaps: whether what lies between matches is a pre-token. If not, the pattern must match every character.
        atoms: texts that are matched in place of a pattern. Of several that begin at the same character the longest
            counts. Each match is one token (an atom), which neither further steps nor merges cut. Only with `gaps`.
        oniguruma: whether the pattern is one of Oniguruma's; if not, it is one of tiktoken's.
    """

    pattern: str
    gaps: bool = False
    atoms: tuple[str, ...] = ()
    oniguruma: bool = False
