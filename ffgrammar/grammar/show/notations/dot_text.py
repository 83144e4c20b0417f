"""Which rules use which rules and lexemes, as a graph in Graphviz's notation."""

from __future__ import annotations

from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.show.patterns.cuts import nodes
from ffgrammar.grammar.show.rules.labels import Labels
from ffgrammar.grammar.show.rules.rules import Rules

__all__ = ["dot_text"]

# How many rules are drawn, and how many characters of a label.
MAX_RULES = 1000
MAX_LABEL = 40


def dot_text(grammar: GrammarIR) -> str:
    """The graph of a grammar.

    Args:
        grammar: the grammar. Expressions are made in its store.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    rules = Rules(grammar)
    labels = Labels(grammar)
    drawn = dict.fromkeys(list(rules.bodies)[:MAX_RULES])
    lines = ["digraph grammar {", "    rankdir=LR;", '    node [fontname="monospace"];']
    lexemes: dict[int, None] = {}
    edges = []
    for head in drawn:
        style = ", peripheries=2" if head == rules.start else ""
        lines.append(f"    r{head} [shape=box{style}, label={_quoted(labels.rule(head))}];")
        targets: dict[str, None] = {}
        for node in nodes(rules.bodies[head]):
            if node[0] == "lexeme":
                lexemes[node[1]] = None
                targets[f"l{node[1]}"] = None
            elif node[0] == "rule" and node[1] in drawn:
                targets[f"r{node[1]}"] = None
        edges += [f"    r{head} -> {target};" for target in targets]
    for number in lexemes:
        lines.append(f"    l{number} [shape=ellipse, label={_quoted(labels.lexeme(number))}];")
    left = len(rules.bodies) - len(drawn)
    if left:
        lines.append(f"    more [shape=plaintext, label={_quoted(f'{left} more rules are not drawn')}];")
    return "\n".join([*lines, *edges, "}"]) + "\n"


def _quoted(text: str) -> str:
    """A string of Graphviz, in which a backslash begins an escape."""
    short = text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "\u2026"
    return '"' + short.replace("\\", "\\\\").replace('"', '\\"') + '"'
