"""`TransformersModel`: a causal language model of transformers."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.lm.adapters.log_softmax import log_softmax
from ffgrammar.lm.adapters.paths import Path, common_size, find_paths, with_start
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["TransformersModel"]


class TransformersModel:
    """A causal model of transformers (`AutoModelForCausalLM`), as `Model.of` takes it.

        TransformersModel(model, AutoTokenizer.from_pretrained(name))

    Tokens that the last call ran do not run again. If a call asks about several sequences, what they share runs once,
    and the rest side by side. The model should be in evaluation mode (`model.eval()`), because dropout would make its
    answers random.

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
            else:
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

    def _branch(self, paths: list[Path], answers: dict[int, NDArray[np.float64]]) -> None:
        """Run what all paths share, up to the token before the first answer, and then the rest of them side by side."""
        tokens = paths[0].tokens
        shared = min(min(common_size(tokens, path.tokens), next(iter(path.questions)) - 1) for path in paths)
        known = min(shared, common_size(tokens, self._known))
        if known < shared:
            self._go_on(Path(tokens[:shared], {shared: []}), known, answers)
        size = self._cut(min(shared, len(self._known)))
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
