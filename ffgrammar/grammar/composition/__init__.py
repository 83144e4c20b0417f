"""Grammars made of grammars. In reading order:

- parts: what a composition consists of; `flatten`, equal parts once.
- joints: what may follow each part, and where two parts could read the same text.
- long_stops: stops that are refused, because they are too long.
- free_texts: free texts as expressions.
- leaves: the leaves of the tree as lexemes and productions; `Family`, lexemes that do not clash.
- open_end: grammars whose last lexeme ends anywhere.
- outline: the parts as the user has laid them out, for captures.
- build: `build`, from parts to a grammar.

The language of a sequence is the concatenation of its parts' languages: a text belongs to it if it can be cut so that
each part's own lexing rule accepts its piece.
"""

from __future__ import annotations

from ffgrammar.grammar.composition.build import build

__all__ = ["build"]
