"""Where lexemes may take text from each other, and grammars in which they do not. In reading order:

- follow: which lexemes may follow each lexeme.
- clashes: which lexemes may begin at the same place, and where one of them could take a byte from what follows another.
- shortest: shortest sentences in which one lexeme directly follows another.
- longest: reads a text by longest match, slowly and plainly.
- work: a budget of steps for the report of conflicts.
- conflicts: where longest match loses texts, with examples.
- anywhere: grammars without longest match, in which a lexeme may end wherever it matches.
"""

from __future__ import annotations

from ffgrammar.grammar.lexing.anywhere import end_anywhere
from ffgrammar.grammar.lexing.clashes import first_matches

__all__ = ["end_anywhere", "first_matches"]
