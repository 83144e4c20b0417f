"""Which tokens a model must run to give the next tokens' probabilities after each of several sequences.

Sequences that begin alike form a tree. A model that runs a sequence gives the probabilities after each of its
beginnings, so only the sequences that begin no other one need to run. Those are the paths of the tree:

    find_paths([(5,), (5, 6), (5, 7, 8)])   # two paths: (5, 6) answers [0] and [1], (5, 7, 8) answers [2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ffgrammar.core.errors import MatcherError
from ffgrammar.core.prefixes import common_size

__all__ = ["Path", "find_paths", "tree_size", "with_start"]

Tokens = tuple[int, ...]


@dataclass
class Path:
    """A sequence that runs.

    Attributes:
        tokens: the sequence.
        questions: by number of tokens, the indices of the sequences that are answered after so many tokens. The
            numbers ascend, and the last is the size of the path.
    """

    tokens: Tokens
    questions: dict[int, list[int]]

    def reusable(self, known: Sequence[int]) -> int:
        """How many tokens need not run if the keys and values of the tokens `known` are there.

        The token before a question runs in any case, because its run is what gives the answer.
        """
        return min(common_size(self.tokens, known), next(iter(self.questions)) - 1)


def find_paths(sequences: Sequence[Tokens], known: Sequence[int] = ()) -> list[Path]:
    """The paths of a tree of sequences, which may be equal but not empty. Each sequence is answered on one path.

    A path shares more with its neighbours than with others. The first ones share most with the tokens `known`. So
    whoever runs them in order, and keeps the keys and values of the last path only, runs each token of the tree once.
    """
    numbers: dict[Tokens, list[int]] = {}
    for index, sequence in enumerate(sequences):
        numbers.setdefault(sequence, []).append(index)

    def order(sequence: Tokens) -> list[tuple[bool, int]]:
        shared = common_size(sequence, known)
        return [(place >= shared, token) for place, token in enumerate(sequence)]

    found: list[Path] = []
    questions: dict[int, list[int]] = {}
    ordered = sorted(numbers, key=order)
    for sequence, after in zip(ordered, [*ordered, ()][1:], strict=True):
        questions[len(sequence)] = numbers[sequence]
        if after[: len(sequence)] != sequence:
            found.append(Path(sequence, questions))
            questions = {}
    return found


def tree_size(paths: Sequence[Path]) -> int:
    """How many tokens the tree of some paths has, each of which shares most with the one before it."""
    shared = sum(common_size(one.tokens, other.tokens) for one, other in pairwise(paths))
    return sum(len(path.tokens) for path in paths) - shared


def with_start(start: Tokens, sequences: Sequence[Sequence[int]], room: int | None) -> list[Tokens]:
    """Sequences with the tokens before them, checked.

    Args:
        start: the tokens that begin every text.
        sequences: what follows them.
        room: how many tokens the model can read; None if that is not known.

    Raises:
        MatcherError: a sequence has no tokens, or more than the model can read.
    """
    found = [(*start, *sequence) for sequence in sequences]
    for index, sequence in enumerate(found):
        if not sequence:
            raise MatcherError(
                "the model has no token that begins a text, and is asked about the first one: begin the prompt with a "
                "text (or give the adapter start=)"
            )
        if room is not None and len(sequence) > room:
            raise MatcherError(f"sequence {index} has {len(sequence)} tokens, but the model can read only {room}")
    return found
