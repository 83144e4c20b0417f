"""`TransformersModel`: a causal language model of transformers."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.prefixes import common_size
from ffgrammar.lm.adapters.log_softmax import log_softmax
from ffgrammar.lm.adapters.paths import Path, find_paths, with_start
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["TransformersModel"]


class TransformersModel:
    """A causal model of transformers (`AutoModelForCausalLM`), as `Model.of` takes it.

        TransformersModel(model, AutoTokenizer.from_pretrained(name))

    Tokens that the last call ran do not run again. If a call asks about several sequences, what they share runs once,
    and the rest side by side. If each of them goes on from a sequence of the last such call, only what is new in it
    runs. So the rows of a batch that grow token by token run each token once.

    The model should be in evaluation mode (`model.eval()`), because dropout would make its answers random.

    Args:
        model: the model.
        tokenizer: its vocabulary: a `Tokenizer`, or whatever `Tokenizer.from_huggingface` takes.
        start: token ids that begin every text, such as a beginning-of-text token that the model expects.
        max_batch: how many sequences run side by side. Each needs the keys and values of the shared tokens again.

    Attributes:
        tokenizer: the vocabulary.
        chat_template: how the tokenizer's chat template lays out a chat, without `start`; None if it has none.
        tokens_run: how many tokens the model has run for this object, without padding.
        forward_passes: how often the model was called for this object.

    Raises:
        TypeError: the model has an encoder, or keeps no keys and values.
        TokenizerError: the tokenizer cannot be read.
        ValueError: `max_batch` is not positive.
    """

    def __init__(self, model: Any, tokenizer: Any, start: Sequence[int] = (), max_batch: int = 16) -> None:
        if model.config.is_encoder_decoder:
            raise TypeError(f"TransformersModel: {type(model).__name__} has an encoder; only causal models can be used")
        if max_batch < 1:
            raise ValueError(f"TransformersModel: max_batch must be positive, not {max_batch}")
        config = model.config.get_text_config()
        self._model = model
        apply = tokenizer.apply_chat_template if getattr(tokenizer, "chat_template", None) else None
        if not isinstance(tokenizer, Tokenizer):
            tokenizer = Tokenizer.from_huggingface(tokenizer, vocab_size=config.vocab_size)
        self.tokenizer: Tokenizer = tokenizer
        self._start = tuple(start)
        first = self.tokenizer.decode(self._start).decode("utf-8", "replace")
        self.chat_template: Callable[[list[dict[str, str]]], str] | None = None
        if apply is not None:
            self.chat_template = lambda messages: str(apply(messages, tokenize=False)).removeprefix(first)
        self._max_batch = max_batch
        self._room: int | None = getattr(config, "max_position_embeddings", None)
        parameters = inspect.signature(model.forward).parameters
        if "past_key_values" not in parameters:
            raise TypeError(f"TransformersModel: {type(model).__name__} keeps no keys and values")
        # Without this argument a model computes logits at each position, of which most are not asked for.
        self._picks = "logits_to_keep" in parameters
        # The keys and values of what ran last, and its tokens.
        self._cache: Any = None
        self._known: tuple[int, ...] = ()
        # Sequences that ran side by side, and what goes on from them.
        self._rows: list[tuple[int, ...]] = []
        self._reader: Any = None
        self.tokens_run = 0
        self.forward_passes = 0

    def log_probs(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The natural log-probabilities of the next token after each of n token lists: float64 [n, vocabulary].

        Raises:
            MatcherError: a list is empty and there is no `start`, or a list is longer than the model's positions.
        """
        import torch

        asked = with_start(self._start, sequences, self._room)
        if not asked:
            return np.empty((0, self.tokenizer.vocab_size))
        paths = find_paths(asked, self._known)
        answers: dict[int, NDArray[np.float64]] = {}
        with torch.inference_mode():
            if len(paths) == 1:
                self._go_on(paths[0], paths[0].reusable(self._known), answers)
            elif len(paths) > self._max_batch or not self._grow(paths, answers):
                self._branch(paths, answers)
        return log_softmax([answers[index] for index in range(len(asked))])

    def _go_on(self, path: Path, size: int, answers: dict[int, NDArray[np.float64]]) -> None:
        """Run one path, of which `size` tokens are known. What it runs stays in the cache."""
        size = self._cut(size)
        cache = self._cache
        # If this fails half-way, nobody knows what the cache holds.
        self._cache, self._known = None, ()
        self._cache = self._answer([path], size, cache, answers)
        if self._cache is not None:
            self._known = path.tokens

    def _grow(self, paths: list[Path], answers: dict[int, NDArray[np.float64]]) -> bool:
        """Run paths side by side, and keep what they run. Returns whether this can be done: each path has one question,
        at its end, and the model's rows can be padded."""
        if any(len(path.questions) > 1 for path in paths):
            return False
        import torch
        from transformers import DynamicCache

        from ffgrammar.integrations.transformers.reader import Reader

        reader, rows = self._reader, self._rows
        # If this fails half-way, nobody knows what the cache holds.
        self._reader, self._rows = None, []
        places = _extended(rows, paths)
        if places is None:
            size = self._shared(paths)
            cache = copy.deepcopy(self._cache) if size else DynamicCache(config=self._model.config)
            if size:
                cache.batch_repeat_interleave(len(paths))
            known = torch.tensor([path.tokens[:size] for path in paths], dtype=torch.long, device=self._model.device)
            reader = Reader(self._model, known, {"past_key_values": cache, "use_cache": True})
            if not reader.may_pad():
                return False
            rows = [path.tokens[:size] for path in paths]
        else:
            reader.keep(places)
            rows = [rows[place] for place in places]
        for unread, path, row in zip(reader.unread, paths, rows, strict=True):
            unread += path.tokens[len(row) :]
        while waiting := [place for place, unread in enumerate(reader.unread) if unread]:
            before = sum(map(len, reader.unread))
            scores = reader(waiting).cpu().double().numpy()
            self.forward_passes += 1
            self.tokens_run += before - sum(map(len, reader.unread))
            for place in waiting:
                if not reader.unread[place]:
                    (indices,) = paths[place].questions.values()
                    answers.update(dict.fromkeys(indices, scores[place]))
        self._reader, self._rows = reader, [path.tokens for path in paths]
        return True

    def _shared(self, paths: list[Path]) -> int:
        """Run what all paths share, up to the token before the first answer, if that is not known. Returns how many
        tokens the cache has then."""
        tokens = paths[0].tokens
        shared = min(min(common_size(tokens, path.tokens), next(iter(path.questions)) - 1) for path in paths)
        known = min(shared, common_size(tokens, self._known))
        if known < shared:
            self._go_on(Path(tokens[:shared], {shared: []}), known, {})
        return self._cut(min(shared, len(self._known)))

    def _branch(self, paths: list[Path], answers: dict[int, NDArray[np.float64]]) -> None:
        """Run what all paths share, up to the token before the first answer, and then the rest of them side by side."""
        size = self._shared(paths)
        for first in range(0, len(paths), self._max_batch):
            batch = paths[first : first + self._max_batch]
            cache = copy.deepcopy(self._cache)
            if cache is not None:
                cache.batch_repeat_interleave(len(batch))
            self._answer(batch, size, cache, answers)

    def _answer(self, paths: list[Path], size: int, cache: Any, answers: dict[int, NDArray[np.float64]]) -> Any:
        """Run the paths from their first `size` tokens on, side by side, and add the logits that they answer.

        Shorter paths are padded at their ends: a causal model's answers do not depend on what comes later.

        Returns:
            The cache after these runs.
        """
        import torch

        runs = [path.tokens[size:] for path in paths]
        wanted = sorted({count - 1 - size for path in paths for count in path.questions})
        width = max(map(len, runs))
        device = self._model.device
        ids = torch.tensor([[*run, *[0] * (width - len(run))] for run in runs], device=device)
        picks = torch.tensor(wanted, device=device)
        some = {"logits_to_keep": picks} if self._picks else {}
        output = self._model(input_ids=ids, past_key_values=cache, use_cache=True, **some)
        logits = output.logits if self._picks else output.logits[:, picks]
        self.tokens_run += sum(map(len, runs))
        self.forward_passes += 1
        for path, rows in zip(paths, logits.cpu().double().numpy(), strict=True):
            for count, indices in path.questions.items():
                answers.update(dict.fromkeys(indices, rows[wanted.index(count - 1 - size)]))
        return output.past_key_values

    def _cut(self, size: int) -> int:
        """Drop all of the cache but its first tokens. Returns how many are left: `size`, or 0 if it cannot be cut."""
        cache, known = self._cache, self._known
        if size == len(known):
            return size
        self._cache, self._known = None, ()
        if not size:
            return 0
        try:
            cache.crop(size - len(known))
        except (AttributeError, RuntimeError):
            # The state of a recurrent layer, or a sliding window that has moved on. Some layers may have been cut.
            return 0
        self._cache, self._known = cache, known[:size]
        return size


def _extended(rows: list[tuple[int, ...]], paths: list[Path]) -> list[int] | None:
    """For each path a row that it goes on from, another one for each; None if there are not enough."""
    free = dict(enumerate(rows))
    found = []
    for path in paths:
        place = next(
            (one for one, row in free.items() if len(row) < len(path.tokens) and path.tokens[: len(row)] == row), None
        )
        if place is None:
            return None
        del free[place]
        found.append(place)
    return found
