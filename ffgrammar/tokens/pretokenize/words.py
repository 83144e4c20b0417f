# cython: language_level=3
"""The program of a list of words, of which the longest counts where several begin at the same character.

Models have up to thousands of tokens that are found in a text before it is cut. Words that end alike share what they
end in, and characters that lead to the same rest share a step, as in a minimal automaton: the 6,242 words `<unused0>`
to `<unused6241>` take 70 instructions. The automaton is made word by word, in ascending order, as in Daciuk and others,
"Incremental Construction of Minimal Acyclic Finite-State Automata" (2000): a node that the next word does not pass is
finished (word_nodes.pyx).

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
from ffgrammar.tokens.pretokenize.word_nodes import word_nodes

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
    keys = word_nodes(words)
    root = len(keys) - 1
    return [_node(key, root) for key in reversed(keys)]


def _node(key: tuple[int, ...], root: int) -> Node:
    """A node by its key (`word_nodes`). Numbers go down from the root's to 0."""
    codes: dict[int, list[int]] = {}
    for code, to in zip(key[1::2], key[2::2], strict=True):
        codes.setdefault(root - to, []).append(code)
    return bool(key[0]), tuple([(tuple(listed), to) for to, listed in codes.items()])
