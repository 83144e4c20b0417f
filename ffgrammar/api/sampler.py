"""Random sentences of a compiled grammar: what `Grammar.samples` gives.

A derivation says which lexemes come one after another, and each lexeme gets a random text. A matcher reads them. Where
it does not take the text of a lexeme, because longest match reads the text before it in another way or because values
must differ, another text is drawn. If none fits, the sentence is completed byte by byte: masks are exact, so there is
always a byte that leads on.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ffgrammar.api.steering import Steering, next_bytes
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.engine import Engine
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.sample.derivation import Derivation
from ffgrammar.grammar.sample.lexeme_texts import LexemeTexts
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Sampler"]

# How many sentences are begun until one is completed, and how many texts of a lexeme are tried.
ATTEMPTS = 4
TEXTS = 6
# How many bytes a completion may have.
MAX_COMPLETION = 20_000
# About how many bytes a lexeme has.
LEXEME_BYTES = 4
# How many special tokens a message names.
MAX_NAMES = 3


class Sampler:
    """Draws sentences.

    Args:
        grammar: the grammar, with a store of its own.
        engine: the engine of the grammar.
        tokenizer: of the grammar.
        random: where chance comes from.
        length: about how many bytes a sentence has at most, as far as the grammar allows.
    """

    def __init__(self, grammar: GrammarIR, engine: Engine, tokenizer: Tokenizer, random: Random, length: int) -> None:
        self._grammar = grammar
        self._engine = engine
        self._tokenizer = tokenizer
        self._random = random
        self._length = length
        self._texts = LexemeTexts(grammar.store, random)
        self._derivation = Derivation(grammar, random)
        # How many bytes the sentence has so far.
        self._size = 0
        self._blanks = [text for text in (b" ", b"\n") if self._is_skipped(text)]

    def _is_skipped(self, text: bytes) -> bool:
        return any(one.skip and self._grammar.store.matches(one.expr, text) for one in self._grammar.lexemes)

    def sentences(self) -> Iterator[bytes]:
        """Sentences, without end.

        Raises:
            MatcherError: none was found: each has special tokens, or the search took too long.
            LimitError: a bound of the grammar was reached.
        """
        while True:
            yield self._sentence()

    def _sentence(self) -> bytes:
        needed: set[str] = set()
        for attempt in range(ATTEMPTS):
            matcher = Matcher(self._engine)
            # (after failures, the shortest sentences are tried)
            length = self._length if attempt < ATTEMPTS // 2 else 0
            if self._derivation.is_possible():
                self._derive(matcher, length)
            if matcher.is_accepting() or self._complete(matcher, needed):
                return matcher.text_bytes
        if needed:
            names = ", ".join(sorted(needed)[:MAX_NAMES])
            raise MatcherError(
                f"found no sentence of bytes alone: the grammar asks for special tokens, such as {names}"
            )
        raise MatcherError(f"found no sentence that ends within {MAX_COMPLETION} bytes")

    def _derive(self, matcher: Matcher, length: int) -> None:
        """Read a random derivation, up to the first lexeme of which no text fits."""
        before = b""
        self._size = 0
        for number in self._derivation.lexemes(lambda owed: self._size + LEXEME_BYTES * owed >= length):
            found = self._read(matcher, number, before)
            if found is None:
                return
            before = found
            self._size += len(found)

    def _read(self, matcher: Matcher, number: int, before: bytes) -> bytes | None:
        """Read a text of a lexeme, with a blank before it where that looks well or is needed. Returns what was read."""
        expr = self._grammar.lexemes[number].expr
        for _ in range(TEXTS):
            text = self._texts.text(expr)
            if text is None:
                return None
            for blank in self._between(before, text):
                whole = blank + text
                accepted = matcher.accept_bytes(whole)
                if accepted == len(whole):
                    return whole
                if accepted:
                    matcher.rollback(1)
        return None

    def _between(self, before: bytes, text: bytes) -> list[bytes]:
        """What may stand between two texts: the better first."""
        if not before or not self._blanks:
            return [b"", *self._blanks]
        tight = before[-1:] in b"([{.`<" or text[:1] in b")]},;.:`>"
        if text[:1] == b"(":
            tight = before[-1:].isalnum()
        return [b"", *self._blanks] if tight else [*self._blanks, b""]

    def _complete(self, matcher: Matcher, needed: set[str]) -> bool:
        """Complete a text by bytes that lead to an end. Returns whether that was possible. If special tokens may come
        where no byte may, their names are added to `needed`."""
        steering = Steering()
        for _ in range(MAX_COMPLETION):
            forced = matcher.forced_bytes()
            if matcher.is_accepting():
                return True
            if forced:
                matcher.accept_bytes(forced)
                continue
            allowed = next_bytes(matcher)
            if not allowed:
                needed.update(self._special_tokens(matcher))
                return False
            matcher.accept_bytes(bytes((steering.choose(matcher, allowed),)))
        return False

    def _special_tokens(self, matcher: Matcher) -> list[str]:
        """The names of the special tokens that may come."""
        allowed = set(matcher.allowed_token_ids().tolist())
        return [name for name, token in self._tokenizer.special_tokens.items() if token in allowed]
