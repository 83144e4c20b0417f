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
from ffgrammar.grammar.ir import GrammarIR, Lexeme
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
    """The grammar without the sentences that have a character or byte that cannot be written; the same one if all can.

    Under longest match, a lexeme without some of its texts would leave them to others. So where longest match may lose
    texts, the lexemes stay as they are, and only the warning says what cannot be written.

    Args:
        grammar: the grammar.
        known: the bytes and characters that can be written (`Tokenizer.characters`).
        name: the name of the tokenizer, for messages.

    Raises:
        UnwritableError: there is no such sentence.
        UnsupportedError: a grammar that counts or remembers what has occurred would lose a lexeme, or the texts of one
            that meet the conditions of a template.
        LimitError: it could not be decided whether some text of a lexeme can be written.
    """
    written = _Written(grammar.store, known)
    reached = _reached(grammar)
    shrunk = {}
    for number, lexeme in enumerate(grammar.lexemes):
        if number in reached or lexeme.skip:
            expr = written.only(lexeme.expr)
            if expr != lexeme.expr:
                shrunk[number] = lexeme.in_store(expr)
    if not shrunk:
        return grammar
    fitted = _with_lexemes(grammar, shrunk)
    usable = usable_terminals(fitted)
    lost = [number for number in shrunk if not usable[number]]
    where = f"the vocabulary of {name} has no tokens for"
    if not productive(fitted, usable)[grammar.start >> 1]:
        raise UnwritableError(f"{where} {_told(grammar, written, lost)}: it can write no text of the grammar")
    if grammar.templates:
        bad = [n for n in shrunk if not _keeps_promise(fitted, n) or (n in lost and not grammar.lexemes[n].skip)]
        if bad:
            told = _told(grammar, written, bad)
            raise UnsupportedError(f"{where} {told}, in a grammar that counts or remembers what has occurred")
    warnings = list(grammar.warnings)
    worth = [number for number in shrunk if not written.lacks_no_character(grammar.lexemes[number].expr)]
    free = {number: lexeme for number, lexeme in shrunk.items() if _may_shrink(grammar, reached, number)}
    out = [number for number in worth if number in free]
    if out:
        more = "; where keys or items must differ or are counted, there may be too few" if grammar.checks else ""
        warnings.append(f"{where} {_told(grammar, written, out)}: texts with them are left out{more}")
    kept = [number for number in worth if number not in free]
    if kept:
        warnings.append(f"{where} {_told(grammar, written, kept)}: a text may come to a place where no token may come")
    return replace(_with_lexemes(grammar, free), warnings=tuple(warnings))


def _with_lexemes(grammar: GrammarIR, changed: dict[int, Lexeme]) -> GrammarIR:
    lexemes = tuple(changed.get(number, lexeme) for number, lexeme in enumerate(grammar.lexemes))
    return replace(grammar, lexemes=lexemes)


def _may_shrink(grammar: GrammarIR, reached: set[int], number: int) -> bool:
    """Whether a lexeme may lose texts without any other lexeme taking text from it, or leaving text to it."""
    lexeme = grammar.lexemes[number]
    if grammar.delimited or lexeme.anywhere or (grammar.groups and grammar.groups[lexeme.group].delimited):
        return True
    rivals = [n for n, one in enumerate(grammar.lexemes) if one.group == lexeme.group and (n in reached or one.skip)]
    return rivals == [number] and not grammar.words


class _Written:
    """What can be written in the bytes and characters of a vocabulary."""

    def __init__(self, store: ExprStore, known: frozenset[bytes]) -> None:
        self._store = store
        self._known = sorted(known)
        self._single = frozenset(one[0] for one in known if len(one) == 1)
        self._bytes = self._single.union(*known)
        self._alphabet = Alphabet(store, bytes(self._bytes))
        self._texts: int | None = None

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
        try:
            texts = self._whole_texts()
            if found == e and self._store.is_nothing(self._store.intersect([e, self._store.complement(texts)])):
                return e
            some = self._store.intersect([found, texts])
            self._store.is_nothing(some)
        except LimitError:
            # (where it takes too much work to tell whether anything is left, only bytes go)
            return found
        return some

    def _whole_texts(self) -> int:
        """The texts of known characters. A lexeme may begin and end inside a character, and so may such a text."""
        if self._texts is None:
            store = self._store
            cuts = [(one, at) for one in self._known for at in range(1, len(one))]
            ends = {one[at:] for one, at in cuts}
            begins = {one[:at] for one, at in cuts}
            inside = {one[at:end] for one, at in cuts for end in range(at + 1, len(one))}
            whole = store.repeat(store.literals(self._known), 0, None)
            some = store.concat([store.literals(sorted({b"", *ends})), whole, store.literals(sorted({b"", *begins}))])
            self._texts = store.union([some, store.literals(sorted(inside))]) if inside else some
        return self._texts


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
