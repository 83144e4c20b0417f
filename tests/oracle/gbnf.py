"""Texts of rules over characters (GBNF, EBNF) by definition: a text is a sentence if the rules derive it in any way.

Here the rules are read as sets of equations. `ends` are the places where a part can end that begins at a place, and
`begun` says whether a part can go on beyond the end of the text. Both are least solutions: they start empty and are
recomputed until nothing changes. Nothing here knows lexemes, expressions or the engine.

A special token is one symbol that is no byte of UTF-8, from `TOKEN` on. Any token but some is any one symbol but
these: where it is repeated any number of times, that is the same. Only the reader of the front-end is used, for the
postfix steps of the rules. Dispatches are not covered.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random
from typing import Any

__all__ = ["TOKEN", "Rules"]

# ("text", bytes), ("set", charset), ("one of", bytes), ("name", rule), ("rep", node, lo, hi), ("cat" or "alt", nodes)
Node = tuple[Any, ...]
INFINITE = 10**9
# The first byte that stands for a special token.
TOKEN = 0xF8


class Rules:
    """The language of some rules.

    Args:
        rules: the rules of a source, as the front-end's reader returns them.
        start: the name of the rule for whole texts.
        special: the bytes that stand for special tokens, by their names.
    """

    def __init__(self, rules: Mapping[str, Any], start: str = "root", special: Mapping[str, int] | None = None) -> None:
        self.special = special or {}
        self.rules = {name: self.tree(rule.body) for name, rule in rules.items()}
        self.start = start

    def accepts(self, text: bytes) -> bool:
        return len(text) in _Chart(self, text).ends(("name", self.start), 0)

    def begins(self, text: bytes) -> bool:
        """Whether some sentence begins with a text."""
        return _Chart(self, text).begun(("name", self.start), 0)

    def tree(self, body: Any) -> Node:
        stack: list[Node] = []
        for op in body:
            if op.code in ("cat", "alt"):
                parts = tuple(stack[len(stack) - op.argument :])
                del stack[len(stack) - op.argument :]
                stack.append((op.code, parts))
            elif op.code == "rep":
                stack.append(("rep", stack.pop(), *op.argument))
            elif op.code == "text":
                stack.append(("text", op.argument.encode()))
            elif op.code == "token":
                one = self.special[op.argument.name]
                others = bytes([*range(TOKEN), *(byte for byte in self.special.values() if byte != one)])
                stack.append(("one of", others if op.argument.negated else bytes([one])))
            else:
                stack.append((op.code, op.argument))
        (node,) = stack
        return node

    # Lengths of shortest derivations: which rules derive a text at all, and how sampling comes to an end.

    @cached_property
    def depths(self) -> dict[str, int]:
        found = dict.fromkeys(self.rules, INFINITE)
        before: dict[str, int] = {}
        while before != found:
            before = dict(found)
            for name, node in self.rules.items():
                found[name] = min(found[name], 1 + self.depth(node, before))
        return found

    def depth(self, node: Node, known: Mapping[str, int] | None = None) -> int:
        known = self.depths if known is None else known
        kind = node[0]
        if kind == "name":
            return known[node[1]]
        if kind == "rep":
            return 0 if node[2] == 0 else self.depth(node[1], known)
        if kind == "cat":
            return max((self.depth(one, known) for one in node[1]), default=0)
        if kind == "alt":
            return min(self.depth(one, known) for one in node[1])
        return 0

    def derives(self, node: Node) -> bool:
        return self.depth(node) < INFINITE

    def sample(self, rng: Random, size: int = 40) -> str:
        """A random sentence; after about `size` steps it ends as soon as it can."""
        left = [size]

        def made(node: Node) -> str:
            kind = node[0]
            left[0] -= 1
            if kind == "text":
                return str(node[1].decode())
            if kind == "set":
                return character(rng, node[1])
            if kind == "name":
                return made(self.rules[node[1]])
            if kind == "cat":
                return "".join(made(one) for one in node[1])
            if kind == "alt":
                ways = [one for one in node[1] if self.derives(one)]
                if left[0] < 0:
                    ways = sorted(ways, key=self.depth)[:1]
                return made(rng.choice(ways))
            _, inner, lo, hi = node
            most = lo + (4 if rng.random() < 0.9 else 12)
            most = most if hi is None else min(hi, most)
            if left[0] < 0 or not self.derives(inner):
                most = lo
            return "".join(made(inner) for _ in range(rng.randint(lo, most)))

        return made(("name", self.start))


def character(rng: Random, charset: Any) -> str:
    ranges = [one for one in charset if one[0] < 0x80] if rng.random() < 0.9 else list(charset)
    lo, hi = rng.choice(ranges or list(charset))
    return chr(rng.randint(lo, min(hi, lo + 94)))


class _Chart:
    """What rules derive of one text, from each place of it."""

    def __init__(self, grammar: Rules, text: bytes) -> None:
        self.grammar = grammar
        self.text = text
        self.known_ends: dict[tuple[str, int], set[int]] = {}
        self.known_begun: dict[tuple[str, int], bool] = {}

    def ends(self, node: Node, at: int) -> set[int]:
        changed = True
        while changed:
            self.round: dict[tuple[int, int], set[int]] = {}
            asked = len(self.known_ends)
            found = self.ends_of(node, at)
            changed = self.known_better() or asked != len(self.known_ends)
        return found

    def known_better(self) -> bool:
        """Compute once more what rules derive from the places that were asked for. Returns whether anything is new."""
        before = dict(self.known_ends)
        for name, place in before:
            self.known_ends[name, place] = self.ends_of(self.grammar.rules[name], place)
        return before != self.known_ends

    def ends_of(self, node: Node, at: int) -> set[int]:
        """The ends of a part, as far as those of rules are known; once in each round."""
        key = (id(node), at)
        if key not in self.round:
            self.round[key] = self.computed(node, at)
        return self.round[key]

    def computed(self, node: Node, at: int) -> set[int]:
        kind, text = node[0], self.text
        if kind == "text":
            return {at + len(node[1])} if text.startswith(node[1], at) else set()
        if kind == "one of":
            return {at + 1} if text[at : at + 1] and text[at] in node[1] else set()
        if kind == "set":
            return {at + size for size in range(1, 5) if is_in(text[at : at + size], node[1])}
        if kind == "name":
            return set(self.known_ends.setdefault((node[1], at), set()))
        if kind == "alt":
            return {end for one in node[1] for end in self.ends_of(one, at)}
        if kind == "cat":
            places = {at}
            for one in node[1]:
                places = {end for place in places for end in self.ends_of(one, place)}
            return places
        return self.repeated(node, at)

    def repeated(self, node: Node, at: int) -> set[int]:
        _, inner, lo, hi = node
        places = {at}
        found = {at} if lo == 0 else set()
        # (a repetition that takes no text changes nothing, so more rounds than there are places are of no use)
        for count in range(1, min(INFINITE if hi is None else hi, lo + len(self.text) + 1) + 1):
            places = {end for place in places for end in self.ends_of(inner, place)}
            if count >= lo:
                found |= places
            if not places:
                break
        return found

    def begun(self, node: Node, at: int) -> bool:
        changed = True
        while changed:
            self.round = {}
            self.round_begun: dict[tuple[int, int], bool] = {}
            asked = len(self.known_ends) + len(self.known_begun)
            found = self.begun_of(node, at)
            before = dict(self.known_begun)
            for name, place in before:
                self.known_begun[name, place] = self.begun_of(self.grammar.rules[name], place)
            changed = self.known_better() or before != self.known_begun
            changed = changed or asked != len(self.known_ends) + len(self.known_begun)
        return found

    def begun_of(self, node: Node, at: int) -> bool:
        key = (id(node), at)
        if key not in self.round_begun:
            self.round_begun[key] = self.computed_begun(node, at)
        return self.round_begun[key]

    def computed_begun(self, node: Node, at: int) -> bool:
        """Whether some text of a part begins with the rest of the text."""
        kind, rest = node[0], self.text[at:]
        if not rest:
            return self.grammar.derives(node)
        if kind == "text":
            return bool(node[1].startswith(rest))
        if kind == "one of":
            return len(rest) == 1 and rest[0] in node[1]
        if kind == "set":
            return is_in(rest, node[1]) or is_begun(rest, node[1])
        if kind == "name":
            return self.known_begun.setdefault((node[1], at), False)
        if kind == "alt":
            return any(self.begun_of(one, at) for one in node[1])
        if kind == "cat":
            places = {at}
            for number, one in enumerate(node[1]):
                if any(self.begun_of(one, place) for place in places):
                    return all(self.grammar.derives(other) for other in node[1][number:])
                places = {end for place in places for end in self.ends_of(one, place)}
            return False
        _, inner, lo, hi = node
        places = {at}
        for _ in range(min(INFINITE if hi is None else hi, lo + len(self.text) + 1)):
            if any(self.begun_of(inner, place) for place in places):
                return True
            places = {end for place in places for end in self.ends_of(inner, place)}
        return False


def is_in(data: bytes, charset: Any) -> bool:
    """Whether bytes are one character of a set."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return len(text) == 1 and any(lo <= ord(text) <= hi for lo, hi in charset)


def is_begun(data: bytes, charset: Any) -> bool:
    """Whether bytes are the beginning of the UTF-8 of a character of a set, but not all of it."""
    size = next((size for lead, size in ((0xF0, 4), (0xE0, 3), (0xC0, 2)) if data[0] >= lead), 1)
    missing = size - len(data)
    if missing <= 0 or data[0] > 0xF4 or any(not 0x80 <= byte <= 0xBF for byte in data[1:]):
        return False
    bits = data[0] & (0x7F >> size)
    for byte in data[1:]:
        bits = bits << 6 | byte & 0x3F
    low, high = bits << 6 * missing, (bits + 1 << 6 * missing) - 1
    low = max(low, {2: 0x80, 3: 0x800, 4: 0x10000}[size])  # (shorter characters have shorter forms)
    return any(max(low, lo) <= min(high, hi) for lo, hi in charset)
