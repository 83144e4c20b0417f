"""A grammar in GBNF, the notation of llama.cpp.

GBNF has no lexer: a text is a sentence if its characters can be derived in any way. So a grammar can be said only if
longest match loses nothing. What may be skipped is written out after each lexeme. A lexeme that is an intersection or
a complement becomes a rule for each state of its automaton.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.core.visible import visible_char
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexing.clashes import Clashes, first_matches
from ffgrammar.grammar.lexing.work import TooMuchWorkError, Work
from ffgrammar.grammar.show.patterns.characters import Characters, alt, rep
from ffgrammar.grammar.show.patterns.cuts import Cuts, nodes
from ffgrammar.grammar.show.patterns.lexemes import check_sayable, lexeme_label, refusal, tree_of
from ffgrammar.grammar.show.patterns.regex_text import counts, ranges_text
from ffgrammar.grammar.show.patterns.state_rules import StateRules
from ffgrammar.grammar.show.patterns.written import Notation
from ffgrammar.grammar.show.rules.instances import without_parameters
from ffgrammar.grammar.show.rules.names import Names, dashed_name
from ffgrammar.grammar.show.rules.rules import BLANK, Rules
from ffgrammar.regex.expr.store import NOTHING
from ffgrammar.regex.syntax.charset import ANY, Charset, contains, difference, from_ranges, negate
from ffgrammar.regex.syntax.parser import Node

__all__ = ["gbnf_text"]

GBNF = "GBNF"
# A search for clashes may take this many steps, of about a microsecond.
MAX_WORK = 5_000_000


def gbnf_text(grammar: GrammarIR) -> str:
    """The text of a grammar.

    Args:
        grammar: the grammar. Expressions are made in its store.

    Raises:
        UnsupportedError: the grammar has something that the notation cannot say.
        LimitError: a bound of the grammar was reached.
    """
    check_sayable(grammar, GBNF)
    skips = [number for number, lexeme in enumerate(grammar.lexemes) if lexeme.skip]
    if not grammar.delimited and not grammar.correct_prefix:
        _check_lexing(grammar, skips)
    return _Writer(without_parameters(grammar, GBNF), skips).text()


def _check_lexing(grammar: GrammarIR, skips: Sequence[int]) -> None:
    """Refuse grammars in which longest match may lose texts."""
    store = grammar.store
    if len({lexeme.group for lexeme in grammar.lexemes}) > 1:
        raise UnsupportedError(f"{GBNF} has no lexer, and this grammar is made of parts with lexers of their own")
    skip = None
    if skips:
        # (what is skipped may be lazy, too)
        exprs = [first_matches(store, one.expr) if one.lazy else one.expr for one in grammar.lexemes if one.skip]
        skip = store.union(exprs)
        if not grammar.single_skip:
            skip = store.repeat(skip, 1, None)
    # (what is skipped counts as one lexeme, and not once more by itself)
    lexemes = [one.in_store(NOTHING) if one.skip else one for one in grammar.lexemes]
    try:
        clashes = Clashes(replace(grammar, lexemes=tuple(lexemes)), skip, Work(MAX_WORK))
        found = next(clashes.pairs(), None)
    except TooMuchWorkError:
        raise UnsupportedError(
            f"{GBNF} has no lexer, and the grammar is too large to tell whether it needs one"
        ) from None
    if found is not None:
        names = [
            "what is skipped" if number == len(grammar.lexemes) else lexeme_label(grammar.lexemes[number], number)
            for number in found
        ]
        raise UnsupportedError(
            f"{GBNF} has no lexer: where {names[0]} ends, longest match may go on with {names[1]} instead; "
            "compile the grammar with lexing='any', which has no longest match"
        )


class _Writer:
    def __init__(self, grammar: GrammarIR, skips: Sequence[int]) -> None:
        self.grammar = grammar
        self.skips = skips
        self.rules = Rules(grammar)
        self.characters = Characters(grammar.store)
        self.states = StateRules(self.characters)
        self.names = Names(dashed_name, "root", "blank")
        self.rule_names: dict[int, str] = {}
        self.trees: dict[int, Node] = {}
        self.named: dict[int, str] = {}
        self.state_names: list[str] = []
        self.part_names: list[str] = []
        self.cuts = Cuts([])
        # The part that is being defined, which is written out.
        self.whole: Node | None = None

    def text(self) -> str:
        grammar = self.grammar
        bodies = self.rules.spaced() if self.skips else self.rules.bodies
        for i, head in enumerate(bodies):
            self.rule_names[head] = self.names.name(grammar.names[head], "rule") if i else "root"
        blank = self._blank() if self.skips else None
        self._find_trees(bodies.values())
        trees = [*self.trees.values(), *([blank] if blank is not None else []), *self.states.bodies]
        self.cuts = Cuts(trees)
        self.part_names = [self.names.name("part", "part") for _ in self.cuts.parts]
        self.state_names = [self.names.name("state", "state") for _ in self.states.bodies]
        notation = Notation(self._leaf, _repeat)
        lines = [notation.lines(f"{self.rule_names[head]} ::=", body) for head, body in bodies.items()]
        if blank is not None:
            lines.append(notation.lines("blank ::=", blank))
        lines += [notation.lines(f"{name} ::=", self.trees[number]) for number, name in self.named.items()]
        for name, body in zip(self.state_names, self.states.bodies, strict=True):
            lines.append(notation.lines(f"{name} ::=", body))
        for name, part in zip(self.part_names, self.cuts.parts, strict=True):
            self.whole = part
            lines.append(notation.lines(f"{name} ::=", part))
        return "\n".join(lines) + "\n"

    def _blank(self) -> Node:
        """What may be skipped at one place."""
        members = [self._tree(number) for number in self.skips]
        if self.grammar.single_skip:
            return rep(alt(members), 0, 1)
        # (in a repeat, one or more of a node are one of it)
        inner = [one[1] if one[0] == "rep" and one[2:] == (1, None) else one for one in members]
        return rep(alt(inner), 0, None)

    def _find_trees(self, bodies: Iterable[Node]) -> None:
        """Find the trees of the lexemes that are used, and name those that are not a fixed text."""
        for body in bodies:
            for node in nodes(body):
                if node[0] == "lexeme" and node[1] not in self.trees and not self.grammar.lexemes[node[1]].tokens:
                    number = node[1]
                    tree = self.trees[number] = self._tree(number)
                    if tree[0] not in ("text", "set"):
                        wanted = self.grammar.lexemes[number].name.lower()
                        self.named[number] = self.names.name(wanted, "lexeme")

    def _tree(self, number: int) -> Node:
        """The tree of a lexeme without operators."""
        lexeme = self.grammar.lexemes[number]
        expr = first_matches(self.grammar.store, lexeme.expr) if lexeme.lazy else lexeme.expr
        if not lexeme.lazy:
            tree = tree_of(GBNF, self.grammar, self.characters, number)
            if not any(node[0] in ("and", "not", "digits") for node in nodes(tree)):
                return tree
        try:
            return ("state", self.states.rule(expr))
        except UnsupportedError as error:
            raise refusal(GBNF, lexeme, number, error.message) from None

    def _leaf(self, node: Node) -> str | None:
        kind = node[0]
        if node == BLANK:
            return "blank" if self.skips else ""
        if kind == "rule":
            return self.rule_names[node[1]]
        if kind == "state":
            return self.state_names[node[1]]
        if kind == "lexeme":
            return self._lexeme(node[1])
        if id(node) in self.cuts.named and node is not self.whole:
            return self.part_names[self.cuts.named[id(node)]]
        if kind == "text":
            return string_text(node[1])
        if kind == "set":
            return class_text(node[1])
        return '""' if kind == "empty" else None

    def _lexeme(self, number: int) -> str:
        tokens = self.grammar.lexemes[number].tokens
        if tokens:
            text = " | ".join([f"<[{token}]>" for token in tokens])
            return f"({text})" if len(tokens) > 1 else text
        return self.named.get(number) or self._leaf(self.trees[number]) or ""


def string_text(text: str) -> str:
    """A string in double quotes."""
    return '"' + "".join([f"\\{char}" if char in '"\\' else _visible(char) for char in text]) + '"'


def _visible(char: str) -> str:
    return f"\\x{ord(char):02X}" if char in "\f\v" else visible_char(char)


def class_text(members: Charset) -> str:
    """A character class. Readers differ on escaped `-` and `^`, so these stand at the end, and as themselves."""
    if members == ANY:
        return r"[\x00-\U0010FFFF]"
    turned = negate(members)
    short = turned if turned and len(turned) < len(members) else members
    marks = from_ranges([(ord(char), ord(char)) for char in "-^" if contains(short, ord(char))])
    inside = ranges_text(difference(short, marks), _in_class)
    last = "".join([chr(first) for first, _ in reversed(marks)])
    return f"[{'^' if short is turned else ''}{inside}{last}]" if inside or short is turned else f"[{last[::-1]}]"


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "[]\\" else _visible(char)


def _repeat(item: str, lo: int, hi: int | None) -> str:
    return item + counts(lo, hi)
