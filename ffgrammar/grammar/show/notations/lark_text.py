"""A grammar in Lark's notation.

The text compiles back to the same language. Lexemes that are a fixed text stand in the rules, and all others become
terminals. A terminal is a regular expression, or several with `&` and `~` between them.
"""

from __future__ import annotations

import json
import re

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.show.patterns.characters import Characters, alt, rep
from ffgrammar.grammar.show.patterns.cuts import Cuts, nodes
from ffgrammar.grammar.show.patterns.lexemes import check_sayable, refusal, tree_of
from ffgrammar.grammar.show.patterns.terminals import TerminalText, lark_repeat, string_text
from ffgrammar.grammar.show.patterns.written import Notation
from ffgrammar.grammar.show.rules.instances import without_parameters
from ffgrammar.grammar.show.rules.names import Names, lower_name, upper_name
from ffgrammar.grammar.show.rules.rules import BLANK, TOP, Rules
from ffgrammar.regex.syntax.parser import Node

__all__ = ["lark_text"]

LARK = "Lark's notation"


def lark_text(grammar: GrammarIR) -> str:
    """The text of a grammar.

    Args:
        grammar: the grammar. Expressions are made in its store.

    Raises:
        UnsupportedError: the grammar has something that the notation cannot say.
        LimitError: a bound of the grammar was reached.
    """
    check_sayable(grammar, LARK)
    _check_lexing(grammar)
    return _Writer(without_parameters(grammar, LARK)).text()


def _check_lexing(grammar: GrammarIR) -> None:
    """Refuse grammars whose lexemes do not all compete for the longest match."""
    groups = {lexeme.group for lexeme in grammar.lexemes}
    for number, lexeme in enumerate(grammar.lexemes):
        if lexeme.anywhere and grammar.kind != "composition":
            raise refusal(
                LARK,
                lexeme,
                number,
                "it may end at any of its matches; compile the grammar without lexing='any', or emit it as gbnf",
            )
    anywhere = any(lexeme.anywhere for lexeme in grammar.lexemes)
    if anywhere or (len(groups) > 1 and not grammar.apart):
        raise UnsupportedError(
            f"{LARK} cannot say which lexemes compete for the longest match: this grammar is made of parts, or has "
            "schemas; write out each part by itself"
        )


class _Writer:
    def __init__(self, grammar: GrammarIR) -> None:
        self.grammar = grammar
        self.rules = Rules(grammar)
        self.characters = Characters(grammar.store)
        self.names = Names(lower_name, "start", "blank")
        self.terminal_names = Names(upper_name)
        # The text of each lexeme in rules; and those that are terminals, with their trees.
        self.leaves: dict[int, str] = {}
        self.terminals: dict[int, Node] = {}
        self.rule_names: dict[int, str] = {}
        self.skips = [number for number, lexeme in enumerate(grammar.lexemes) if lexeme.skip]

    def text(self) -> str:
        explicit = self.grammar.single_skip and bool(self.skips)
        bodies = self.rules.spaced() if explicit else self.rules.bodies
        for i, head in enumerate(bodies):
            self.rule_names[head] = self.names.name(self.grammar.names[head], "rule") if i else "start"
        rules = Notation(self._leaf, lark_repeat)
        lines = []
        for head, body in bodies.items():
            if head != TOP:
                lines += _named(self.rule_names[head], self.grammar.names[head])
            lines.append(rules.lines(f"{self.rule_names[head]}:", body))
        if explicit:
            blank = alt([("lexeme", number) for number in self.skips])
            lines.append(rules.lines("blank:", rep(blank, 0, 1)))
        ignored = [] if explicit else [f"%ignore {self._terminal(number)}" for number in self.skips]
        return "\n".join([*lines, *self._definitions(), *ignored]) + "\n"

    def _leaf(self, node: Node) -> str | None:
        """The text of a leaf of a rule."""
        if node == BLANK:
            return "blank"
        if node[0] == "rule":
            return self.rule_names[node[1]]
        if node[0] == "empty":
            return ""
        return self._lexeme(node[1]) if node[0] == "lexeme" else None

    def _lexeme(self, number: int) -> str:
        found = self.leaves.get(number)
        if found is None:
            lexeme = self.grammar.lexemes[number]
            if lexeme.tokens:
                found = f"<[{','.join(map(str, lexeme.tokens))}]>"
            else:
                tree = tree_of(LARK, self.grammar, self.characters, number)
                plain = tree[0] == "text" and not lexeme.lazy
                found = string_text(tree[1]) if plain else self._terminal(number)
            self.leaves[number] = found
        return found

    def _terminal(self, number: int) -> str:
        """The name of the terminal of a lexeme."""
        lexeme = self.grammar.lexemes[number]
        tree = self.terminals[number] = tree_of(LARK, self.grammar, self.characters, number)
        if any(node[0] == "digits" for node in nodes(tree)):
            raise refusal(LARK, lexeme, number, "it asks for multiples of a number")
        found = self.leaves[number] = self.terminal_names.name(_wanted(lexeme), "TERMINAL")
        return found

    def _definitions(self) -> list[str]:
        """The definitions of the terminals."""
        cuts = Cuts(self.terminals.values())
        parts = [self.terminal_names.name("PART", "PART") for _ in cuts.parts]
        written = TerminalText(cuts, parts)
        lines = []
        for number, tree in self.terminals.items():
            lexeme = self.grammar.lexemes[number]
            name = self.leaves[number]
            lines += _named(name, lexeme.name)
            lines.append(f"{name}{'[lazy]' if lexeme.lazy else ''}: {written.text(tree)}")
        for name, tree in zip(parts, cuts.parts, strict=True):
            lines.append(f"{name}: {written.text(tree, True)}")
        return lines


def _wanted(lexeme: Lexeme) -> str:
    """A name for the terminal of a lexeme, from its name in messages."""
    name = lexeme.name
    if re.fullmatch(r"\w+", name) or name.startswith("%"):
        return name.lstrip("%")
    return re.sub(r"\W+", "_", name).strip("_") if name.startswith('"') else ""


def _named(name: str, original: str) -> list[str]:
    """A comment with the original name, where it says more."""
    plain = re.sub(r"_[0-9]+$", "", name)
    if not original or original.lower() in (name.lower(), plain.lower()) or not re.fullmatch(r"\w.*", original):
        return []
    return [f"// {json.dumps(original)}"]
