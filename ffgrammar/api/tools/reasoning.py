"""The block of reasoning before an answer."""

from __future__ import annotations

from typing import Any

from ffgrammar.api.parts import Part, sequence
from ffgrammar.api.tools.format import Mark
from ffgrammar.api.tools.marks import Marks
from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.names import did_you_mean, shown

__all__ = ["REASONING", "read_reasoning", "reasoning_block"]

# The marks of reasoning by the name of a family.
REASONING = {
    "qwen": ("<think>", "</think>"),
    "deepseek": ("<think>", "</think>"),
    "glm": ("<think>", "</think>"),
    "minimax": ("<think>", "</think>"),
    "kimi": ("<think>", "</think>"),
    "granite": ("<think>", "</think>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "command": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "seed": ("<seed:think>", "</seed:think>"),
}


def read_reasoning(reasoning: Any) -> tuple[str, str] | None:
    """The marks that begin and end reasoning; None: there is none.

    Raises:
        GrammarError: there is no such name, or the second mark is empty.
        TypeError: it is neither None nor a name nor two texts.
    """
    if reasoning is None:
        return None
    if isinstance(reasoning, str):
        if reasoning not in REASONING:
            raise GrammarError(
                f"reasoning must be one of {', '.join(REASONING)}, or two texts such as ('<think>', '</think>'), "
                f"not {shown(reasoning)}{did_you_mean(reasoning, REASONING)}"
            )
        return REASONING[reasoning]
    pair = tuple(reasoning) if isinstance(reasoning, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(one, str) for one in pair):
        raise TypeError("reasoning must be None, a name, or two texts: what begins the block, and what ends it")
    if not pair[1]:
        raise GrammarError("reasoning: the text that ends the block must not be empty")
    return pair[0], pair[1]


def reasoning_block(pair: tuple[str, str], marks: Marks) -> Part:
    """The block with its marks. If the first one is empty, it stands in the prompt already."""
    begin = [marks.mark(Mark(pair[0]))] if pair[0] else []
    return sequence(*begin, marks.text_before(Mark(pair[1]), "reasoning"))
