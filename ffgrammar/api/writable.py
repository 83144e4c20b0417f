"""Grammars on vocabularies that cannot write every text.

Some tokenizers have no token for some characters: those of sentencepiece without byte fallback, and WordPiece. A mask
that leads to such a character leads to a place where no token may come. So these characters are taken out of a
grammar's lexemes when it is compiled, with a warning. A source is refused if nothing is left of it.

    tok = Tokenizer.from_tokens([b"a", b"b", b"ab"], name="few")
    compile_choice(["ab", "a-b"], tok).warnings  # the vocabulary of few has no tokens for '-' (in 'choice'): …

Most vocabularies have a token for each byte, and their grammars stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.derives import usable_terminals
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.productive import productive
from ffgrammar.regex.expr.alphabet import Alphabet
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["UnwritableError", "only_writable"]

# Bytes that are in no character of Unicode: those that UTF-8 does not have, and first bytes of planes that are empty.
# Most texts do not need them, so a warning would only be noise. (SmolLM2, StarCoder and Falcon lack some of them.)
OF_NO_CHARACTER = frozenset([0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)])
# How many characters or bytes, and how many lexemes, a message names.
MOST_FOUND = 8
MOST_LEXEMES = 3


class UnwritableError(GrammarError):
    """A vocabulary can write no sentence of a grammar."""


def only_writable(grammar: GrammarIR, known: frozenset[bytes], name: str) -> GrammarIR:
    """The grammar of those sentences whose characters are in the vocabulary; the same one if all are.

    Args:
        grammar: the grammar.
        known: the bytes and characters that can be written (`Tokenizer.characters`).
        name: the name of the tokenizer, for messages.

    Raises:
        UnwritableError: there is no such sentence.
        UnsupportedError: a lexeme cannot be written, or not as a condition asks, in a grammar that counts or remembers
            what has occurred.
        LimitError: it could not be decided whether some text of a lexeme can be written.
    """
    written = _Written(grammar.store, known)
    reached = _reached(grammar)
    lexemes = list(grammar.lexemes)
    changed = []
    for number, lexeme in enumerate(grammar.lexemes):
        if number in reached or lexeme.skip:
            expr = written.only(lexeme.expr)
            if expr != lexeme.expr:
                lexemes[number] = lexeme.in_store(expr)
                changed.append(number)
    if not changed:
        return grammar
    fitted = replace(grammar, lexemes=tuple(lexemes))
    usable = usable_terminals(fitted)
    lost = [number for number in changed if not usable[number]]
    where = f"the vocabulary of {name} has no tokens for"
    if not productive(fitted, usable)[grammar.start >> 1]:
        raise UnwritableError(f"{where} {_told(grammar, written, lost)}: it can write no text of the grammar")
    counted = [number for number in changed if number in lost or not _keeps_promise(fitted, number)]
    if grammar.templates and counted:
        told = _told(grammar, written, counted)
        raise UnsupportedError(f"{where} {told}, in a grammar that counts or remembers what has occurred")
    worth = [number for number in changed if not written.lacks_no_character(grammar.lexemes[number].expr)]
    if not worth:
        return fitted
    warning = f"{where} {_told(grammar, written, worth)}: texts with them are left out"
    return replace(fitted, warnings=(*grammar.warnings, warning))


class _Written:
    """What can be written in the bytes and characters of a vocabulary."""

    def __init__(self, store: ExprStore, known: frozenset[bytes]) -> None:
        self._store = store
        self._known = sorted(known)
        self._single = frozenset(one[0] for one in known if len(one) == 1)
        self._bytes = self._single.union(*known)
        self._alphabet = Alphabet(store, bytes(self._bytes))

    def missing(self, e: int) -> frozenset[int]:
        """The bytes of an expression's texts that are in no token."""
        return self._alphabet.bytes_in(e) - self._bytes

    def lacks_no_character(self, e: int) -> bool:
        """Whether bytes are missing, and none of them is in a character."""
        missing = self.missing(e)
        return bool(missing) and missing <= OF_NO_CHARACTER

    def only(self, e: int) -> int:
        """The expression of those texts that can be written: the same one if all can."""
        if self._alphabet.bytes_in(e) <= self._single:
            return e
        found = self._alphabet.restrict(e)
        if self._alphabet.bytes_in(found) <= self._single:
            return found
        texts = self._store.repeat(self._store.literals(self._known), 0, None)
        if found == e and self._matches_nothing(self._store.intersect([e, self._store.complement(texts)])):
            return e
        written = self._store.intersect([found, texts])
        # (where it takes too much work to tell whether anything is left, only the bytes go)
        return found if self._matches_nothing(written) is None else written

    def _matches_nothing(self, e: int) -> bool | None:
        """Whether an expression matches nothing. None if this could not be decided."""
        try:
            return self._store.is_nothing(e)
        except LimitError:
            return None


def _reached(grammar: GrammarIR) -> set[int]:
    """The numbers of the terminals that the start symbol leads to."""
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in grammar.productions:
        bodies.setdefault(head, []).append(body)
    for one in grammar.templates:
        again = () if one.again is None else (2 * one.again + 1,)
        bodies.setdefault(one.head, []).append((*one.rhs, *again))
    todo = [grammar.start]
    seen = set(todo)
    while todo:
        for body in bodies.get(todo.pop() >> 1, ()):
            new = set(body) - seen
            seen |= new
            todo.extend(symbol for symbol in new if symbol & 1)
    return {symbol >> 1 for symbol in seen if not symbol & 1}


def _keeps_promise(grammar: GrammarIR, number: int) -> bool:
    """Whether some text of a lexeme meets all conditions of each template that reads it, as `Template.guards` asks."""
    store = grammar.store
    for one in grammar.templates:
        if one.guards and one.last_lexeme() == number:
            sets = [grammar.lexemes[guard.lexeme].expr for guard in one.guards]
            meant = [e if guard.inside else store.complement(e) for e, guard in zip(sets, one.guards, strict=True)]
            if store.is_nothing(store.intersect([grammar.lexemes[number].expr, *meant])):
                return False
    return True


def _told(grammar: GrammarIR, written: _Written, numbers: Iterable[int]) -> str:
    """What lexemes have and the vocabulary does not, and the names of the lexemes, for a message."""
    lexemes = [grammar.lexemes[number] for number in numbers]
    missing = frozenset[int]().union(*(written.missing(lexeme.expr) for lexeme in lexemes))
    found = [repr(chr(byte)) if byte < 128 else f"the byte {byte:#x}" for byte in sorted(missing)]
    names = list(dict.fromkeys(repr(lexeme.name) for lexeme in lexemes if lexeme.name))
    where = f" (in {_some(names, MOST_LEXEMES)})" if names else ""
    return (_some(found, MOST_FOUND) if found else "some characters") + where


def _some(words: list[str], most: int) -> str:
    more = "" if len(words) <= most else f" and {len(words) - most} more"
    return ", ".join(words[:most]) + more
