# cython: language_level=3
"""The program of a list of words, of which the longest counts where several begin at the same character.

Models have up to thousands of tokens that are found in a text before it is cut. Words that end alike share what they
end in, and characters that lead to the same rest share a step, as in a minimal automaton: the 6,242 words `<unused0>`
to `<unused6241>` take 70 instructions. The automaton is made word by word, in ascending order, as in Daciuk and others,
"Incremental Construction of Minimal Acyclic Finite-State Automata" (2000): a node that the next word does not pass is
finished.

    compile_words(["ab", "abc", "bc"])
"""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.program import (
    CHAR,
    JUMP,
    MATCH,
    MAX_INSTRUCTIONS,
    SPLIT,
    CharSet,
    Instruction,
)

__all__ = ["compile_words"]

# A node is (whether a word ends here, its edges). An edge is (code points of characters, the node that they lead to).
Node = tuple[bool, tuple[tuple[tuple[int, ...], int], ...]]


def compile_words(words: Iterable[str]) -> list[Instruction]:
    """The program that matches the longest of some words.

    Raises:
        TokenizerError: it would have too many instructions.
    """
    nodes = _nodes(words)
    # A node has an alternative for each edge, and one more if a word ends there. All alternatives but the last begin
    # with a SPLIT. Apart from this SPLIT, an edge takes two instructions, and an end takes one.
    starts = [0]
    for is_end, edges in nodes:
        starts.append(starts[-1] + 3 * len(edges) + 2 * is_end - 1)
    if starts[-1] > MAX_INSTRUCTIONS:
        raise TokenizerError(f"the added tokens take more than {MAX_INSTRUCTIONS} steps")
    program: list[Instruction] = []
    for is_end, edges in nodes:
        for index, (codes, to) in enumerate(edges):
            if is_end or index < len(edges) - 1:
                program.append(Instruction(SPLIT, to=len(program) + 1, other=len(program) + 3))
            chars = CharSet(0, tuple((code, code) for code in codes), False)
            program += [Instruction(CHAR, chars), Instruction(JUMP, to=starts[to])]
        if is_end:
            program.append(Instruction(MATCH))
    return program


def _nodes(words: Iterable[str]) -> list[Node]:
    """The nodes of the minimal automaton; the first is where every word begins."""
    way = _Way()
    for word in sorted(set(words)):
        common = 0
        least = min(len(word), len(way.word))
        while common < least and word[common] == way.word[common]:
            common += 1
        way.leave(common)
        way.enter(word)
    way.leave(0)
    root = way.number(way.ends[0], way.edges[0])
    # (the root is the last node)
    return [(is_end, tuple((codes, root - to) for codes, to in edges)) for is_end, edges in reversed(way.numbers)]


class _Way:
    """The nodes on the way of a word.

    Attributes:
        word: the characters on the way.
        ends: by node: whether a word ends there.
        edges: by node: its edges to nodes that are not on the way: code points, by the number of such a node.
        numbers: the nodes that were left, with their numbers.
    """

    def __init__(self) -> None:
        self.word = ""
        self.ends = [False]
        self.edges: list[dict[int, list[int]]] = [{}]
        self.numbers: dict[Node, int] = {}

    def number(self, is_end: bool, edges: dict[int, list[int]]) -> int:
        """The number of a node; equal nodes are one."""
        node = (is_end, tuple(sorted([(tuple(codes), to) for to, codes in edges.items()])))
        return self.numbers.setdefault(node, len(self.numbers))

    def leave(self, length: int) -> None:
        """Go back to the node after the first `length` characters."""
        for at in range(len(self.word), length, -1):
            number = self.number(self.ends.pop(), self.edges.pop())
            self.edges[-1].setdefault(number, []).append(ord(self.word[at - 1]))
        self.word = self.word[:length]

    def enter(self, word: str) -> None:
        """Go on to the end of a word, which begins with the characters on the way."""
        for _ in range(len(self.word), len(word)):
            self.ends.append(False)
            self.edges.append({})
        self.ends[-1] = True
        self.word = word
