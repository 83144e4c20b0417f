"""What pictures and listings call rules and lexemes."""

from __future__ import annotations

import re

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.core.visible import visible_char
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.show.patterns.characters import Characters
from ffgrammar.grammar.show.patterns.cuts import nodes
from ffgrammar.grammar.show.patterns.regex_text import regex_text
from ffgrammar.grammar.show.patterns.terminals import string_text
from ffgrammar.grammar.show.rules.names import Names
from ffgrammar.regex.syntax.parser import Node

__all__ = ["Labels", "shown"]

# A lexeme with a longer text gets a name.
MAX_LITERAL = 60
# A lexeme without a name of its own is shown by its regular expression, if that is short.
MAX_REGEX = 30


def shown(text: str) -> str:
    """A text whose invisible characters are escapes."""
    return "".join(map(visible_char, text))


class Labels:
    """The labels of a grammar, each for one rule or lexeme.

    Args:
        grammar: the grammar. Expressions are made in its store.

    Attributes:
        trees: by lexeme that is shown by a name, its tree; None if it cannot be written over characters.
    """

    def __init__(self, grammar: GrammarIR) -> None:
        self._grammar = grammar
        self._names = Names(_identifier)
        self._characters = Characters(grammar.store)
        self._rules: dict[int, str] = {}
        self._lexemes: dict[int, str] = {}
        self.trees: dict[int, Node | None] = {}

    def rule(self, number: int) -> str:
        """The name of a rule."""
        found = self._rules.get(number)
        if found is None:
            found = self._rules[number] = self._names.name(self._grammar.names[number], "rule")
        return found

    def lexeme(self, number: int) -> str:
        """A string in quotes or a regular expression, if the lexeme is short; else its name."""
        found = self._lexemes.get(number)
        if found is None:
            found = self._lexemes[number] = self._label(number)
        return found

    def _label(self, number: int) -> str:
        lexeme = self._grammar.lexemes[number]
        if lexeme.tokens:
            return lexeme.name if lexeme.name.startswith("<") else f"<[{','.join(map(str, lexeme.tokens))}]>"
        tree: Node | None
        try:
            tree = self._characters.tree(lexeme.expr)
        except UnsupportedError:
            tree = None
        if tree is not None and tree[0] == "text" and not lexeme.lazy and len(tree[1]) <= MAX_LITERAL:
            return string_text(tree[1])
        if tree is not None and not lexeme.name.isidentifier() and _is_plain(tree):
            text = f"/{regex_text(tree)}/"
            if len(text) <= MAX_REGEX:
                return text
        self.trees[number] = tree
        return self._names.name(lexeme.name.strip('%"/'), "lexeme")


def _is_plain(tree: Node) -> bool:
    """Whether a tree is small, and a regular expression says it."""
    inner = nodes(tree)
    return len(inner) <= MAX_REGEX and not any(node[0] in ("and", "not", "digits") for node in inner)


def _identifier(text: str) -> str:
    found = re.sub(r"\W+", "_", text).strip("_") if not re.fullmatch(r"\w+", text) else text
    return shown(found)
