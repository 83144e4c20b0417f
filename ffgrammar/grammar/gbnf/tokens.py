"""From the notation of tokens to their ids, and any token but some.

A special token is a unit of the grammar by itself. Ids of ordinary tokens are refused: such a token could come as
what the rule asks for, or as its bytes, and a position in a text has room for one of the two only.

*Any token but some* is any special token but some, or any ordinary token, which has any bytes. How long it is
depends on the vocabulary, so one alone is refused. Any number of them is any bytes with special tokens in between.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.gbnf.source import TokenSet, error_at
from ffgrammar.grammar.names import no_special_token

__all__ = ["Vocabulary"]


class Vocabulary:
    """What a grammar needs to know of the tokenizer.

    Args:
        special: the ids of its special tokens by name.
        ends: the ids that end a text.
    """

    def __init__(self, special: Mapping[str, int], ends: Collection[int]) -> None:
        self.special = special
        self.ids = sorted(set(special.values()))
        self.ends = set(ends)

    def ids_of(self, tokens: TokenSet, text: str, offset: int) -> tuple[int, ...]:
        """The ids of tokens as they are written.

        Raises:
            GrammarError: there is no such special token.
            UnsupportedError: an id is not that of a special token, and the tokens are not negated.
        """
        if tokens.name is not None:
            if tokens.name not in self.special:
                message = no_special_token(tokens.name, self.special)
                message += f'; if it is ordinary text of the model, write it as a string, "{tokens.name}"'
                raise error_at(text, offset, message)
            return (self.special[tokens.name],)
        self.check(tokens.ids, text, offset, tokens.negated)
        return tokens.ids

    def check(self, ids: Collection[int], text: str, offset: int, excluded: bool = False) -> None:
        """Refuse ids of tokens that are not special.

        Raises:
            UnsupportedError: there is one.
        """
        for one in ids:
            if one not in self.ids:
                what = "excluded" if excluded else "asked for by their ids"
                message = (
                    f"token {one} is not a special token: only special tokens can be {what}; write its text instead"
                )
                raise error_at(text, offset, message, UnsupportedError)

    def others(self, ids: Collection[int]) -> tuple[int, ...]:
        """The special tokens but some, and but those that end a text."""
        return tuple(one for one in self.ids if one not in ids and one not in self.ends)
