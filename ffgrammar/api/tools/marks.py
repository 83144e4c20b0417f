"""The pieces of a format as parts of a composition, for one tokenizer."""

from __future__ import annotations

from ffgrammar.api.compile import compile_regex
from ffgrammar.api.parts import Composable, Part, capture, optional, sequence, special_token, text
from ffgrammar.api.tools.format import Mark, Maybe, Pattern, Piece
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Marks"]


class Marks:
    """What stands for a piece in texts of one tokenizer.

    Args:
        tokenizer: the tokenizer.
        format: the name of the format, for messages.
        limits: bounds on what is compiled.
    """

    def __init__(self, tokenizer: Tokenizer, format: str, limits: Limits | None) -> None:
        self._tokenizer = tokenizer
        self._format = format
        self._limits = limits
        self._special = tokenizer.special_tokens

    def is_special(self, mark: Mark) -> bool:
        """Whether a mark is a special token of the tokenizer."""
        return mark.text in self._special

    def ends_text(self, mark: Mark) -> bool:
        """Whether a mark is an end-of-text token of the tokenizer."""
        return self._special.get(mark.text) in self._tokenizer.eos_token_ids

    def has(self, piece: Piece) -> bool:
        """Whether the tokenizer can write a piece as the models of the format do."""
        if isinstance(piece, Mark):
            return self.is_special(piece) or not piece.token or self._is_token(piece.text)
        return True

    def mark(self, mark: Mark) -> Composable:
        """A mark: a special token, or a text.

        Raises:
            GrammarError: the tokenizer must have it, and does not.
        """
        if self.is_special(mark):
            return special_token(mark.text)
        if not self.has(mark):
            raise GrammarError(
                f"the tool format {self._format!r} writes the token {mark.text!r}, which the tokenizer "
                f"{self._tokenizer.name} does not have: load the tokenizer of the model itself, or choose a format "
                "that is written in plain text, such as 'hermes'"
            )
        return mark.text

    def text_before(self, end: Mark, name: str) -> Part:
        """Any text up to a mark, and the mark. The text is captured; if the mark is no special token, with the mark."""
        if self.is_special(end):
            return sequence(capture(name, text(excluding=end.text)), special_token(end.text))
        self.mark(end)
        return capture(name, text(until=end.text))

    def pieces(self, pieces: tuple[Piece, ...]) -> list[Composable]:
        """Pieces, one after another. Texts that stand side by side are one."""
        found: list[Composable] = []
        for piece in pieces:
            made = self._piece(piece)
            if isinstance(made, str) and found and isinstance(found[-1], str):
                found[-1] += made
            elif made is not None:
                found.append(made)
        return found

    def _piece(self, piece: Piece) -> Composable | None:
        if isinstance(piece, Mark):
            return self.mark(piece)
        if isinstance(piece, Pattern):
            return compile_regex(piece.regex, self._tokenizer, limits=self._limits)
        if isinstance(piece, Maybe):
            if not all(self.has(one) for one in piece.pieces):
                return None
            return optional(self.sequence(piece.pieces))
        return piece

    def sequence(self, pieces: tuple[Piece, ...]) -> Part:
        """Pieces as one part."""
        return sequence(*self.pieces(pieces))

    def _is_token(self, text: str) -> bool:
        """Whether an ordinary token has exactly these bytes."""
        return self._tokenizer.trie.id_of(text.encode()) >= 0
