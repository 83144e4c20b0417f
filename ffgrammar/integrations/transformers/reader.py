"""A model that reads the new tokens of all rows of a batch in one pass.

Rows have different numbers of new tokens: a prompt, a token that was chosen, or that and all that it forces. Shorter
rows are padded on their left, so the last column holds the last token of every row. An attention mask hides the padding
in this pass and in all later ones, and position ids count the tokens alone. So what a model computes for a row does not
depend on the other rows, but for rounding.

That holds only if nothing in the model counts columns of its cache instead of positions. Where something may, as a
window of attention does, a pass reads as many tokens as the row with the fewest has, and needs no padding.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import torch
from transformers.cache_utils import DynamicLayer

__all__ = ["Reader"]

# What configurations call a window of attention, which is measured in columns.
WINDOWS = ("sliding_window", "attention_chunk_size", "window_size")


class Reader:
    """A model, its cache of keys and values, and the tokens that it has not read.

    Args:
        model: a causal model of transformers.
        input_ids: the prompts, [rows, columns]. The cache may hold their first columns already.
        arguments: what `generate` has prepared for the model.

    Attributes:
        cache: the cache; None if the model is to read everything anew in each pass.
        unread: for each row the tokens that come next; None stands for padding.
    """

    def __init__(self, model: Any, input_ids: Any, arguments: dict[str, Any]) -> None:
        arguments = dict(arguments)
        self.cache = arguments.pop("past_key_values", None)
        mask = arguments.pop("attention_mask", None)
        arguments.pop("position_ids", None)
        self._arguments = arguments
        self._model = model
        self._device = input_ids.device
        # Without padding the model need not be given a mask, and is faster.
        self._has_padding = mask is not None
        marks = torch.ones_like(input_ids) if mask is None else mask
        known = 0 if self.cache is None else self.cache.get_seq_length()
        self._mask = marks[:, :known].to(model.device)
        # How many tokens of each row have been read, without padding.
        self._counts = self._mask.sum(dim=1).tolist()
        self.unread: list[list[int | None]] = [
            [token if mark else None for token, mark in zip(row, row_marks, strict=True)]
            for row, row_marks in zip(input_ids[:, known:].tolist(), marks[:, known:].tolist(), strict=True)
        ]
        # What has been read, if there is no cache.
        self._read: list[list[int | None]] = [[] for _ in self.unread]
        self._takes_positions = "position_ids" in inspect.signature(model.forward).parameters
        config = model.config.get_text_config()
        self._has_window = any(getattr(config, name, None) for name in WINDOWS)

    def __call__(self, rows: Iterable[int]) -> Any:
        """One pass of the model.

        Args:
            rows: the rows that have unread tokens.

        Returns:
            [rows, vocabulary], in the type that the model computes in: for each row the scores after the last token
            that it read in this pass. They are of use for rows that have no unread tokens left.
        """
        lengths = [len(self.unread[row]) for row in rows]
        width = max(lengths) if self.cache is None or self.may_pad() else min(lengths)
        batch = [unread[:width] for unread in self.unread]
        for unread in self.unread:
            del unread[:width]
        if self.cache is None:
            batch = self._read = [[*read, *new] for read, new in zip(self._read, batch, strict=True)]
            width = max(map(len, batch))
            self._mask = self._mask[:, :0]
            self._counts = [0] * len(batch)
        outputs = self._model(**self._inputs(batch, width), return_dict=True, **self._arguments)
        # So the cache takes at most twice the memory of its longest row, and what one pass has added.
        if self.cache is not None and self.may_pad() and self._mask.shape[1] > 2 * max(self._counts):
            self._drop_padding()
        return outputs.logits[:, -1].to(copy=True, device=self._device)

    def keep(self, rows: list[int]) -> None:
        """Go on with some of the rows, in this order. The model must have a cache."""
        if rows == list(range(len(self._counts))):
            return
        index = torch.tensor(rows, device=self._mask.device)
        self.cache.batch_select_indices(index)
        self._mask = self._mask[index]
        self._counts = [self._counts[row] for row in rows]
        self.unread = [self.unread[row] for row in rows]

    def may_pad(self) -> bool:
        """Whether columns of the cache can be left out, so that nothing depends on where they are."""
        return (
            self._takes_positions
            and not self._has_window
            and all(type(layer) is DynamicLayer for layer in self.cache.layers)
        )

    def _inputs(self, batch: list[list[int | None]], width: int) -> dict[str, Any]:
        """The model's arguments for some new columns."""
        ids, marks, positions = [], [], []
        for row, tokens in enumerate(batch):
            padding = [0] * (width - len(tokens))
            mark = [int(token is not None) for token in tokens]
            place = []
            for one in mark:
                place.append(self._counts[row] * one)
                self._counts[row] += one
            ids.append(padding + [token or 0 for token in tokens])
            marks.append(padding + mark)
            positions.append(padding + place)
            self._has_padding |= bool(padding)
        device = self._model.device
        self._mask = torch.cat([self._mask, torch.tensor(marks, dtype=self._mask.dtype, device=device)], dim=1)
        inputs = {
            "input_ids": torch.tensor(ids, device=device),
            "attention_mask": self._mask if self._has_padding else None,
            "past_key_values": self.cache,
        }
        if self._takes_positions:
            inputs["position_ids"] = torch.tensor(positions, device=device)
        return inputs

    def _drop_padding(self) -> None:
        """Take padding out of the cache: each row keeps its last columns that are no padding, as many as the longest
        row has. Padding that is left comes first."""
        longest = max(self._counts)
        places = self._mask.bool().int().argsort(dim=1, stable=True)[:, -longest:]
        self._mask = self._mask.gather(1, places)
        for layer in self.cache.layers:
            if layer.get_seq_length():  # (a layer may share the keys and values of another)
                layer.keys = _columns(layer.keys, places)
                layer.values = _columns(layer.values, places)


def _columns(states: Any, places: Any) -> Any:
    """For each row its columns at some places. States are [rows, heads, columns, size], places [rows, new columns]."""
    index = places.to(states.device)[:, None, :, None]
    return states.gather(2, index.expand(-1, states.shape[1], -1, states.shape[3]))
