"""The program of a list of words, of which the longest counts where several begin at the same character.

Models have up to thousands of tokens that are found in a text before it is cut. Words that end alike share what they
end in, and characters that lead to the same rest share a step, as in a minimal automaton: the 6,242 words `<unused0>`
to `<unused6241>` take 70 instructions. (Daciuk and others, "Incremental Construction of Minimal Acyclic Finite-State
Automata", describes such automata. Here one is made from the trie, from its leaves up.)

    compile_words(["ab", "abc", "bc"])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
    trie: dict[str, Any] = {}
    for word in words:
        at = trie
        for character in word:
            at = at.setdefault(character, {})
        at[""] = {}
    numbers: dict[Node, int] = {}
    made: dict[int, int] = {}
    stack = [trie]
    while stack:
        node = stack[-1]
        missing = [child for character, child in node.items() if character and id(child) not in made]
        if missing:
            stack += missing
            continue
        stack.pop()
        by_target: dict[int, list[int]] = {}
        for character, child in node.items():
            if character:
                by_target.setdefault(made[id(child)], []).append(ord(character))
        edges = tuple(sorted((tuple(sorted(codes)), to) for to, codes in by_target.items()))
        made[id(node)] = numbers.setdefault(("" in node, edges), len(numbers))
    # (made from the leaves up: the root is the last)
    last = len(numbers) - 1
    return [(is_end, tuple((codes, last - to) for codes, to in edges)) for is_end, edges in reversed(numbers)]
