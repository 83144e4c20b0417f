"""Railroad diagrams of the rules of a grammar, as one SVG document without scripts, fonts or other files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.show.notations.railroad import CHARACTER, Tracks, xml
from ffgrammar.grammar.show.patterns.cuts import Cuts, nodes
from ffgrammar.grammar.show.patterns.terminals import TerminalText, lark_repeat
from ffgrammar.grammar.show.patterns.written import Notation
from ffgrammar.grammar.show.rules.labels import Labels, shown
from ffgrammar.grammar.show.rules.rules import Rules
from ffgrammar.regex.syntax.parser import Node

__all__ = ["svg_text"]

# How many rules, boxes and lexemes a document has.
MAX_RULES = 300
MAX_NODES = 6000
MAX_LEXEMES = 300
# How many lines a lexeme is listed on, and how many characters a line has.
LINES = 6
COLUMNS = 96
MARGIN = 16
LEADING = 18

STYLE = """
svg { color: #1b1f24; background: #ffffff; font: 13px ui-monospace, Menlo, Consolas, monospace }
path { fill: none; stroke: currentColor; stroke-width: 1.5 }
rect { fill: none; stroke: currentColor; stroke-width: 1.5 }
text { fill: currentColor }
.lexeme rect { fill: #e3f0e6; stroke: #2c6b3f }
.rule rect { fill: #e6edf8; stroke: #2f5597 }
.name { font-weight: bold }
.note { font-size: 11px }
@media (prefers-color-scheme: dark) {
svg { color: #e6e6e6; background: #16181c }
.lexeme rect { fill: #1c3324; stroke: #7cc496 }
.rule rect { fill: #1d2a42; stroke: #8fb0ea }
}
""".strip()


def svg_text(grammar: GrammarIR) -> str:
    """The document of a grammar. Of a large grammar it has the first rules only, and says so.

    Args:
        grammar: the grammar. Expressions are made in its store.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    return _Document(grammar).text()


class _Document:
    def __init__(self, grammar: GrammarIR) -> None:
        self.grammar = grammar
        self.rules = Rules(grammar)
        self.labels = Labels(grammar)
        self.drawn = self._drawn()
        self.ids = {head: f"rule-{number}" for number, head in enumerate(self.drawn)}
        self.tracks = Tracks(lambda number: (self.labels.rule(number), self.ids.get(number)), self.labels.lexeme)
        self.notation = Notation(self._leaf, lark_repeat)
        self.elements: list[str] = []
        self.width = 400.0
        self.y = float(MARGIN)

    def _drawn(self) -> list[int]:
        """The rules that are drawn."""
        left = MAX_NODES
        found: list[int] = []
        for head, body in self.rules.bodies.items():
            left -= len(nodes(body))
            if len(found) == MAX_RULES or (found and left < 0):
                break
            found.append(head)
        return found

    def _leaf(self, node: Node) -> str | None:
        if node[0] == "rule":
            return self.labels.rule(node[1])
        if node[0] == "lexeme":
            return self.labels.lexeme(node[1])
        return "" if node[0] == "empty" else None

    def text(self) -> str:
        for head in self.drawn:
            self._rule(head)
        left = len(self.rules.bodies) - len(self.drawn)
        if left:
            self._text(f"{left} more rules are not drawn", "note")
        self._lexemes()
        title = f"Grammar: {self.labels.rule(self.rules.start)}"
        what = f"Railroad diagrams of {len(self.drawn)} rules, which begin with {self.labels.rule(self.rules.start)}."
        width, height = self.width + MARGIN, self.y + MARGIN
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-labelledby="title description">'
        )
        return "\n".join(
            [
                opening,
                f'<title id="title">{xml(title)}</title>',
                f'<desc id="description">{xml(what)}</desc>',
                f"<style>{STYLE}</style>",
                *self.elements,
                "</svg>\n",
            ]
        )

    def _text(self, text: str, kind: str) -> None:
        self.y += LEADING
        self.elements.append(f'<text class="{kind}" x="{MARGIN}" y="{self.y:g}">{xml(text)}</text>')
        self.width = max(self.width, MARGIN + CHARACTER * len(text))

    def _rule(self, head: int) -> None:
        """The diagram of a rule: its name, and below it the tracks between two bars."""
        name, body = self.labels.rule(head), self.rules.bodies[head]
        inside = " ".join(map(str, self.rules.written_in(head)))
        self.elements.append(f'<g id="{self.ids[head]}" role="group" data-rules="{inside}">')
        self.elements.append(f"<title>{xml(f'{name}: {self.notation.text(body)}')}</title>")
        self._text(name, "name")
        track = self.tracks.track(body)
        x, y = MARGIN + 4, self.y + 12 + track.up
        end = x + 12 + track.width
        self.elements.append(f'<path d="M{x} {y - 8:g}v16m0 -8h12"/>')
        self.elements += track.draw(x + 12, y)
        self.elements.append(f'<path d="M{end:g} {y:g}h12m0 -8v16"/></g>')
        self.width = max(self.width, end + 12)
        self.y = y + track.down + 12

    def _lexemes(self) -> None:
        """A list of the lexemes that have names."""
        listed = list(self._listed())
        if listed:
            self.y += 12
        for line in listed:
            self._text(line, "listed")

    def _listed(self) -> Iterator[str]:
        named = {number: tree for number, tree in self.labels.trees.items() if tree is not None}
        cuts = Cuts(named.values())
        written = TerminalText(cuts, [f"part_{number}" for number in range(len(cuts.parts))])
        for number, tree in list(named.items())[:MAX_LEXEMES]:
            text = f"{self.labels.lexeme(number)} = {written.text(tree)}"
            # (a regular expression may be broken anywhere)
            lines = re.findall(f".{{1,{COLUMNS}}}", shown(text)[: COLUMNS * (LINES + 1)])
            yield lines[0]
            yield from [f"    {line}" for line in lines[1:LINES]]
            if len(lines) > LINES:
                yield "    \u2026"
        if len(named) > MAX_LEXEMES:
            yield f"{len(named) - MAX_LEXEMES} more lexemes are not listed"
