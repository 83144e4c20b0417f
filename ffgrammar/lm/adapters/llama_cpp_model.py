"""`LlamaCppModel`: a model of llama-cpp-python, which reads GGUF files."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.lm.adapters.log_softmax import log_softmax
from ffgrammar.lm.adapters.paths import Path, find_paths, with_start
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["LlamaCppModel"]


class LlamaCppModel:
    """A `llama_cpp.Llama`, as `Model.of` takes it.

        LlamaCppModel(llama_cpp.Llama("model.gguf"))

    Tokens that the last call ran do not run again. Other code may use the `Llama` between calls, but not meanwhile. If
    the model has a sliding window, make it with `swa_full=True`: otherwise keys and values leave the window for good,
    and a call that does not just go on from the last one runs all its tokens.

    Args:
        llama: the model.
        tokenizer: its vocabulary; the one in its file if not given.
        start: token ids that begin every text, such as a beginning-of-text token that the model expects.

    Attributes:
        tokenizer: the vocabulary.
        chat_template: how the chat template in the model's file lays out a chat, without `start`; None if it has none.
        tokens_run: how many tokens the model has run for this object.

    Raises:
        TokenizerError: the vocabulary in the model's file cannot be read.
    """

    def __init__(self, llama: Any, tokenizer: Tokenizer | None = None, start: Sequence[int] = ()) -> None:
        self._llama = llama
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
        rows = np.empty((len(asked), self._llama.n_vocab()), dtype=np.float32)
        for path in find_paths(asked, self._known()):
            self._run(path, rows)
        return log_softmax(rows)

    def _known(self) -> list[int]:
        """The tokens whose keys and values are there."""
        known: list[int] = self._llama.input_ids[: self._llama.n_tokens].tolist()
        return known

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
