"""`LlamaCppModel`: a model of llama-cpp-python, which reads GGUF files."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.lm.adapters.llama_cpp_rows import LlamaRows
from ffgrammar.lm.adapters.log_softmax import log_softmax
from ffgrammar.lm.adapters.paths import Path, find_paths, tree_size, with_start
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["LlamaCppModel"]

# llama.cpp has room for 64 sequences in older versions, and the rows of one call are copied into others.
MAX_BATCH = 32


class LlamaCppModel:
    """A `llama_cpp.Llama`, as `Model.of` takes it.

        LlamaCppModel(llama_cpp.Llama("model.gguf"))

    Tokens that the last call ran do not run again. Other code may use the `Llama` between calls, but not meanwhile. If
    the model has a sliding window, make it with `swa_full=True`: otherwise keys and values leave the window for good,
    and a call that does not just go on from the last one runs all its tokens.

    If a call asks about several sequences, they run side by side, and what they share runs once. For this the first
    such call makes a second context on the same weights. It takes as much memory as that of the `Llama`.

    Args:
        llama: the model.
        tokenizer: its vocabulary; the one in its file if not given.
        start: token ids that begin every text, such as a beginning-of-text token that the model expects.
        max_batch: how many sequences run side by side, at most 32. With 1 there is no second context, and sequences run
            one after another. So they do in models with recurrent layers or adapters (LoRA), and where there is no
            memory for the context or llama.cpp's libraries cannot share keys and values between sequences.

    Attributes:
        tokenizer: the vocabulary.
        chat_template: how the chat template in the model's file lays out a chat, without `start`; None if it has none.
        tokens_run: how many tokens the model has run for this object.

    Raises:
        TokenizerError: the vocabulary in the model's file cannot be read.
        ValueError: `max_batch` is out of range.
    """

    def __init__(
        self, llama: Any, tokenizer: Tokenizer | None = None, start: Sequence[int] = (), max_batch: int = 16
    ) -> None:
        if not 1 <= max_batch <= MAX_BATCH:
            raise ValueError(f"LlamaCppModel: max_batch must be from 1 to {MAX_BATCH}, not {max_batch}")
        self._llama = llama
        # (older versions of the binding do not say whether layers are recurrent)
        recurrent = getattr(llama, "_is_recurrent", True) or getattr(llama, "_is_hybrid", True)
        alone = recurrent or llama._lora_adapter is not None
        self._max_batch = 1 if alone else max_batch
        self._rows: LlamaRows | None = None
        # How many tokens ran again in the context of the Llama because rows took turns there.
        self._again = 0
        self.tokenizer = tokenizer or Tokenizer.from_file(llama.model_path, vocab_size=llama.n_vocab())
        self._start = tuple(start)
        self.chat_template = _chat_template(llama, self.tokenizer.decode(self._start).decode("utf-8", "replace"))
        self.tokens_run = 0

    def log_probs(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The natural log-probabilities of the next token after each of n token lists: float64 [n, vocabulary].

        Raises:
            MatcherError: a list is empty and there is no `start`, or a list is longer than the model's context.
            RuntimeError: llama.cpp could not run the tokens.
        """
        asked = with_start(self._start, sequences, self._llama.n_ctx())
        answers = np.empty((len(asked), self._llama.n_vocab()), dtype=np.float32)
        paths = find_paths(asked, self._known())
        if self._side_by_side(paths) and (rows := self._second_context()) is not None:
            self.tokens_run += rows.answer(paths, answers)
        else:
            for path in paths:
                self._run(path, answers)
        return log_softmax(answers)

    def _side_by_side(self, paths: Sequence[Path]) -> bool:
        """Whether paths run in the second context: if fewer of their tokens run there.

        For rows that take turns, the first context has to run more at each call. What it ran too often so far counts,
        too. So a prompt that the first context knows is run once more in the second one if that pays.
        """
        if self._max_batch == 1 or not paths or (self._rows is None and len(paths) == 1):
            return False
        alone, before = 0, self._known()
        for path in paths:
            alone += len(path.tokens) - path.reusable(before)
            before = path.tokens
        together = tree_size(paths) if self._rows is None else self._rows.cost(paths)
        if together <= alone + self._again - (len(paths) == 1):
            self._again = 0
            return True
        self._again += max(0, alone - len(paths))
        return False

    def _second_context(self) -> LlamaRows | None:
        """The second context, made when it is needed; None if there is no memory for it, or it would not share what
        rows have in common."""
        if self._rows is None:
            with contextlib.suppress(ValueError):
                self._rows = LlamaRows(self._llama, self._max_batch)
            if self._rows is None or not self._rows.may_share:
                self._rows = None
                self._max_batch = 1
        return self._rows

    def _known(self) -> tuple[int, ...]:
        """The tokens whose keys and values are there."""
        return tuple(self._llama.input_ids[: self._llama.n_tokens].tolist())

    def _run(self, path: Path, rows: NDArray[np.float32]) -> None:
        """Run a path, and write the logits that it answers into `rows`."""
        position = self._cut(path.reusable(self._known()))
        for size, indices in path.questions.items():
            # llama.cpp gives the logits of the last token only, so it runs from question to question.
            self._llama.eval(path.tokens[position:size])
            self.tokens_run += size - position
            position = size
            rows[indices] = np.ctypeslib.as_array(self._llama._ctx.get_logits_ith(-1), shape=rows.shape[1:])

    def _cut(self, size: int) -> int:
        """Drop all keys and values but those of the first tokens. Returns how many are left: `size`, or none."""
        llama = self._llama
        if size < llama.n_tokens:
            context = llama._ctx
            # A window that has moved on has lost positions that the earlier tokens need.
            whole = _first_position(context) == 0
            if not (size and whole and context.kv_cache_seq_rm(-1, size, -1)):
                llama.reset()
                context.kv_cache_clear()
                return 0
            llama.n_tokens = size
        return size


def _chat_template(llama: Any, start: str) -> Callable[[list[dict[str, str]]], str] | None:
    """The chat template in the model's file, whose texts lose `start` where they begin with it."""
    source = llama.metadata.get("tokenizer.chat_template")
    if source is None:
        return None
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    end, begin = (
        llama._model.token_get_text(token) if token >= 0 else "" for token in (llama.token_eos(), llama.token_bos())
    )
    formatter = Jinja2ChatFormatter(source, end, begin, add_generation_prompt=False)
    return lambda messages: str(formatter(messages=messages).prompt).removeprefix(start)


def _first_position(context: Any) -> int:
    """The first position whose keys and values are there; -1 if there are none."""
    import llama_cpp

    first: int = llama_cpp.llama_memory_seq_pos_min(context.memory, ctypes.c_int32(0))
    return first
