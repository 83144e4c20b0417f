"""`Grammar`: what the compile functions return."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal, overload

from ffgrammar.core.limits import Limits
from ffgrammar.engine.engine import Engine
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.engine.matcher.prompt import CanonicalMatcher
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Grammar"]

# a tuple of six and its key's name
LEXEME_BYTES = 200


class Grammar:
    """A compiled grammar on a vocabulary. Immutable to its users; its matchers share what they learn.

    Made by the compile functions and by `load`.

    Attributes:
        tokenizer: the vocabulary.
        limits: the bounds on its cost.
    """

    __slots__ = ("_engine", "_ir", "limits", "tokenizer")

    def __init__(self, ir: GrammarIR, tokenizer: Tokenizer, limits: Limits) -> None:
        self._ir = ir
        self.tokenizer = tokenizer
        self.limits = limits
        self._engine = Engine(ir, tokenizer, limits)
        # the front-end's notes: no more expressions are asked for
        ir.store.memo.clear()

    @property
    def kind(self) -> str:
        """What it was compiled from: "json-schema", "lark", "regex" or "choice"."""
        return self._ir.kind

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was understood but is not enforced, each with its place."""
        return self._ir.warnings

    @overload
    def matcher(self, *, canonical: Literal[False] = False, prompt: None = None) -> Matcher: ...

    @overload
    def matcher(
        self, *, canonical: bool = False, prompt: str | bytes | Iterable[int] | None = None
    ) -> CanonicalMatcher: ...

    def matcher(self, *, canonical: bool = False, prompt: str | bytes | Iterable[int] | None = None) -> Matcher:
        """A new matcher at the start of a text.

        Args:
            canonical: whether a token may come only if the tokens so far, and it, are as the tokenizer makes them of
                some sentence of the grammar. So every text that is completed has one token sequence, its own.
            prompt: what stands before the text, and is none of the grammar's: its characters (names of special tokens
                are spelled out), or its tokens. The text after the last special token is cut back to the tokens that it
                has whatever follows under the grammar (`prompt_tokens`: what the model is given); the rest of its bytes
                (`prompt_rest`) is spelled by the tokens that come first, which are canonical. Tokens that are not what
                the tokenizer makes of their text are taken as they are.

        Raises:
            TokenizerError: an argument is given and the tokenizer's rules are not known (`Tokenizer.canon`), a token is
                out of range, or no UTF-8 text begins with the prompt.
        """
        if not canonical and prompt is None:
            return Matcher(self._engine)
        return CanonicalMatcher(self._engine, canonical, prompt)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a compiled file for `load`; it is bound to this vocabulary."""
        from ffgrammar.api.compiled import dump

        data = self._engine.paused(lambda: dump(self._ir, self.tokenizer.fingerprint))
        with open(path, "wb") as file:
            file.write(data)

    def stats(self) -> dict[str, Any]:
        """Sizes and counts of what the grammar holds now (its caches grow with use), with the budgets beside them.

        `partition…` and `grammar…` are what its tokenizer keeps for all grammars.
        """
        kept = self.tokenizer.grammars
        return {**self._engine.stats(), **(kept.stats() if kept is not None else {})}

    def held_bytes(self) -> int:
        """What the grammar takes of memory now, but for small change."""
        ir = self._ir
        # productions are held twice: as they were built, and as the engine has them
        plain = LEXEME_BYTES * len(ir.lexemes) + 8 * len(ir.names) + 2 * ir.productions.nbytes
        return plain + int(self._engine.stats()["bytes"])

    def __repr__(self) -> str:
        return f"<ffgrammar.Grammar {self.kind} on {self.tokenizer.name}>"
