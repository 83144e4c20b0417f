"""Rows of tokens side by side in llama.cpp, each in a sequence of its own.

A `Llama` of llama-cpp-python has one sequence, so rows that grow in turn would run again and again. Here they have a
context of their own on the same weights. Rows share the keys and values of what they have in common, and a token that
several new rows begin with runs once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.prefixes import common_size
from ffgrammar.lm.adapters.paths import Path

__all__ = ["LlamaRows"]


@dataclass
class _Node:
    """A token that runs, once for all rows that have it.

    Attributes:
        token: its id.
        position: its place in the rows.
        rows: the rows that have it.
        questions: the indices of the questions that are answered after it.
    """

    token: int
    position: int
    rows: list[int]
    questions: list[int]


class _Source(NamedTuple):
    """Where a row begins: as `size` tokens of a row of the last call; of no row if the size is 0."""

    row: int
    size: int


class LlamaRows:
    """Rows of tokens whose keys and values are kept from one call to the next.

    Args:
        llama: the `Llama` whose weights are used.
        count: how many rows there can be.

    Attributes:
        count: as above.
        may_share: whether the context shares keys and values between rows. If not, it cannot be used.
    """

    def __init__(self, llama: Any, count: int) -> None:
        from llama_cpp import llama_n_ctx, llama_n_ctx_seq
        from llama_cpp._internals import LlamaBatch, LlamaContext

        self.count = count
        self._room: int = llama.n_ctx()
        self._n_batch: int = llama.n_batch
        params = type(llama.context_params).from_buffer_copy(llama.context_params)
        # Two banks: a call copies what it goes on from into one, and then drops the other.
        params.n_seq_max = 2 * count
        # All sequences share one store, and with it the keys and values of tokens that they have in common.
        params.kv_unified = True
        # Positions that have left a window are needed where a row goes on from the beginning of another one.
        params.swa_full = True
        self._context = context = LlamaContext(model=llama._model, params=params, verbose=False)
        # Each sequence can have all of the store. (Not so if the libraries are older than the binding, say.)
        self.may_share: bool = llama_n_ctx_seq(context.ctx) == llama_n_ctx(context.ctx) == self._room
        self._batch = LlamaBatch(n_tokens=self._n_batch, embd=0, n_seq_max=count, verbose=False)
        self._rows: list[tuple[int, ...]] = []
        self._bank = 0

    def __del__(self) -> None:
        # (the model knows its contexts, so it would keep this one)
        with contextlib.suppress(AttributeError):
            self._context.close()

    def cost(self, paths: Sequence[Path]) -> int:
        """How many tokens of some paths would run."""
        cost = 0
        for group in self._groups(paths):
            cost += len(_nodes(group, self._sources(group)))
        return cost

    def answer(self, paths: Sequence[Path], answers: NDArray[np.float32]) -> int:
        """Run paths, and write the logits that they answer into `answers`. Returns how many tokens ran.

        Raises:
            RuntimeError: llama.cpp could not run the tokens.
        """
        ran = 0
        for group in self._groups(paths):
            sources = self._sources(group)
            try:
                ran += self._run(group, sources, answers)
            except RuntimeError:
                # Rows that became equal later have keys and values of their own, which may fill the context.
                if not any(one.size for one in sources):
                    raise
                ran += self._run(group, self._sources(group), answers)
        return ran

    def _groups(self, paths: Sequence[Path]) -> Iterator[list[Path]]:
        """Paths that run side by side: no more than there are rows, and than the context has room for."""
        group: list[Path] = []
        size = 0
        for path in paths:
            new = len(path.tokens) - (common_size(path.tokens, group[-1].tokens) if group else 0)
            if group and (len(group) == self.count or size + new > self._room):
                yield group
                group, size, new = [], 0, len(path.tokens)
            group.append(path)
            size += new
        if group:
            yield group

    def _sources(self, paths: Sequence[Path]) -> list[_Source]:
        """What each path goes on from."""
        none = [_Source(0, 0)]
        return [
            max((*none, *(_Source(row, path.reusable(known)) for row, known in enumerate(self._rows))), key=_size)
            for path in paths
        ]

    def _run(self, paths: Sequence[Path], sources: Sequence[_Source], answers: NDArray[np.float32]) -> int:
        old, new = self._bank, self.count - self._bank
        for number, one in enumerate(sources):
            if one.size:
                self._context.kv_cache_seq_cp(old + one.row, new + number, 0, one.size)
        for row in range(len(self._rows)):
            self._context.kv_cache_seq_rm(old + row, -1, -1)
        self._bank = new
        # If this fails half-way, nobody knows what the context holds.
        self._rows = []
        nodes = _nodes(paths, sources)
        try:
            for first in range(0, len(nodes), self._n_batch):
                self._decode(nodes[first : first + self._n_batch], answers)
        except RuntimeError:
            self._context.kv_cache_clear()
            raise
        self._rows = [path.tokens for path in paths]
        return len(nodes)

    def _decode(self, nodes: Sequence[_Node], answers: NDArray[np.float32]) -> None:
        batch = self._batch.batch
        batch.n_tokens = len(nodes)
        for place, node in enumerate(nodes):
            batch.token[place] = node.token
            batch.pos[place] = node.position
            batch.n_seq_id[place] = len(node.rows)
            for number, row in enumerate(node.rows):
                batch.seq_id[place][number] = self._bank + row
            batch.logits[place] = bool(node.questions)
        self._context.decode(self._batch)
        for place, node in enumerate(nodes):
            if node.questions:
                logits = self._context.get_logits_ith(place)
                answers[node.questions] = np.ctypeslib.as_array(logits, shape=answers.shape[1:])


def _size(source: _Source) -> int:
    return source.size


def _nodes(paths: Sequence[Path], sources: Sequence[_Source]) -> list[_Node]:
    """The tokens that run. What a path shares with the one before it runs once, if both go on from equally many."""
    found: list[_Node] = []
    before: list[_Node] = []
    for row, (path, source) in enumerate(zip(paths, sources, strict=True)):
        start = source.size
        shared = 0
        if row and sources[row - 1].size == start:
            shared = max(0, common_size(path.tokens, paths[row - 1].tokens) - start)
        own = before[:shared]
        for node in own:
            node.rows.append(row)
        new = [_Node(path.tokens[place], place, [row], []) for place in range(start + shared, len(path.tokens))]
        found += new
        before = own + new
        for size, questions in path.questions.items():
            before[size - 1 - start].questions += questions
    return found
