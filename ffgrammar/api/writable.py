"""Grammars on vocabularies that cannot write every text.

A tokenizer without a token for each byte, such as most of sentencepiece without byte fallback, has no way to write some
characters. A grammar that needs one of them would lead a text to a place where no token may come. So the characters are
taken out of its lexemes when it is compiled, with a warning; a source all of whose sentences need one is refused.

    tok = Tokenizer.from_tokens([b"a", b"b", b"ab"])
    compile_choice(["ab", "a-b"], tok).warnings       # ("the vocabulary has no token with '-' …",)

Most vocabularies have all bytes, which costs a look at 256 tokens.
"""

from __future__ import annotations

from dataclasses import replace

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.productive import productive, usable_terminals
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["fit"]

# How many lexemes are searched for the characters that a message names.
MOST_LEXEMES = 20


def fit(grammar: GrammarIR, tokenizer: Tokenizer) -> GrammarIR:
    """The grammar of those sentences whose characters the vocabulary can write; the same one if it can write all.

    Raises:
        GrammarError: there is no such sentence.
        UnsupportedError: a lexeme cannot be written in a grammar that counts, or remembers what has occurred.
        LimitError: it could not be decided whether a lexeme can be written.
    """
    known = tokenizer.characters
    if known is None:
        return grammar
    store = grammar.store
    texts = store.repeat(store.literals(sorted(known)), 0, None)
    others = store.complement(texts)
    lexemes: list[Lexeme] = []
    changed: list[Lexeme] = []
    reached = _reached(grammar)
    for number, lexeme in enumerate(grammar.lexemes):
        if (number in reached or lexeme.skip) and not store.is_nothing(store.intersect([lexeme.expr, others])):
            changed.append(lexeme)
            expr = store.intersect([lexeme.expr, texts])
            lexeme = Lexeme(expr, lexeme.name, lexeme.lazy, lexeme.skip, lexeme.check, lexeme.opens)
        lexemes.append(lexeme)
    if not changed:
        return grammar
    fitted = replace(grammar, lexemes=tuple(lexemes))
    usable = usable_terminals(fitted)
    lost = [grammar.lexemes[number] for number in sorted(reached) if not usable[number]]
    where = f"the vocabulary of {tokenizer.name} has no tokens for"
    if not productive(fitted, usable)[grammar.start >> 1]:
        raise GrammarError(f"{where} {_missing(store, known, lost)}: it can write no text of the grammar")
    if lost and grammar.templates:
        message = f"{where} {_missing(store, known, lost)}, in a grammar that counts or remembers what has occurred"
        raise UnsupportedError(message)
    warning = f"{where} {_missing(store, known, changed)}: texts with them are left out"
    return replace(fitted, warnings=(*grammar.warnings, warning))


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


def _missing(store: ExprStore, known: frozenset[bytes], lexemes: list[Lexeme]) -> str:
    """The ASCII characters of lexemes that the vocabulary does not have, and the lexemes, for a message."""
    lexemes = lexemes[:MOST_LEXEMES]
    anything = store.repeat(store.byte_set(bytes(range(256))), 0, None)
    found = []
    for character in map(bytes, zip(range(128), strict=True)):
        with_it = store.concat([anything, store.literal(character), anything])
        if character not in known and any(
            not store.is_nothing(store.intersect([lexeme.expr, with_it])) for lexeme in lexemes
        ):
            found.append(repr(character.decode()))
    names = list(dict.fromkeys(repr(lexeme.name) for lexeme in lexemes if lexeme.name))
    where = f" (in {_some(names, 3)})" if names else ""
    return (_some(found, 8) if found else "some characters") + where


def _some(words: list[str], most: int) -> str:
    more = "" if len(words) <= most else f" and {len(words) - most} more"
    return ", ".join(words[:most]) + more
