"""`Model`: what users make of a model, and begin texts with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ffgrammar.core.arguments import expect
from ffgrammar.lm.checked_model import ChatTemplate, CheckedModel, LogProbs
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.state import State, begin
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.special import Special

__all__ = ["LanguageModel", "Model"]


class LanguageModel(Protocol):
    """What a model must have to be used by `Model.of`."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The vocabulary."""

    def log_probs(self, sequences: list[list[int]]) -> Any:
        """The natural log-probabilities of the next token after each of n token lists: [n, vocabulary].

        A list may be empty: then it is the beginning of a text.
        """


class Model(CheckedModel):
    """A language model. `Model.of` makes it.

    Attributes:
        tokenizer: the vocabulary.
        chat_template: how it lays out a chat; None if that is not known.
    """

    @classmethod
    def of(
        cls,
        model: LanguageModel | LogProbs,
        tokenizer: Tokenizer | None = None,
        *,
        chat_template: ChatTemplate | None = None,
    ) -> Model:
        """A model from an object with the two members of `LanguageModel`, or from a function and a tokenizer.

        Args:
            model: the object, or a function that takes and returns what `LanguageModel.log_probs` does.
            tokenizer: the vocabulary; only for a function.
            chat_template: a function from turns, a list of {"role": ..., "content": ...}, to the text of a chat. None:
                the object's own attribute of this name, if it has one.

        Raises:
            TypeError: an argument is of another type, or the tokenizer is missing or given twice.
        """
        if isinstance(model, cls) and tokenizer is None and chat_template is None:
            return model
        log_probs = getattr(model, "log_probs", None)
        if log_probs is not None:
            if tokenizer is not None:
                raise TypeError("Model.of: a model with a method log_probs has a tokenizer of its own")
            own = chat_template or getattr(model, "chat_template", None)
            return cls(getattr(model, "tokenizer", None), log_probs, own)  # type: ignore[arg-type]
        if not callable(model):
            raise TypeError(f"Model.of: expected a function or an object with log_probs, not {type(model).__name__}")
        return cls(tokenizer, model, chat_template)  # type: ignore[arg-type]

    @classmethod
    def from_transformers(cls, model: Any, tokenizer: Any) -> Model:
        """A causal language model of the package transformers. Tokens that it has just run do not run again.

        If its tokenizer puts tokens before each text, so does this model. `adapters.transformers_model` has more
        choices.

        Args:
            model: what `AutoModelForCausalLM.from_pretrained` returns, in the mode `eval()`.
            tokenizer: what `AutoTokenizer.from_pretrained` returns.

        Raises:
            TokenizerError: the tokenizer cannot be read.
            TypeError: the model has an encoder, or keeps no keys and values; or the tokenizer is of another type.
        """
        from ffgrammar.lm.adapters.transformers_model import TransformersModel

        if not callable(tokenizer):
            raise TypeError(
                "Model.from_transformers: tokenizer must be what AutoTokenizer.from_pretrained returns, not "
                f"{type(tokenizer).__name__}"
            )
        return cls.of(TransformersModel(model, tokenizer, start=tokenizer("").input_ids))

    @classmethod
    def from_llama_cpp(cls, llama: Any, tokenizer: Tokenizer | None = None) -> Model:
        """A `Llama` of the package llama-cpp-python. Tokens that it has just run do not run again.

        If the model wants a token before each text, it gets it. `adapters.llama_cpp_model` has more choices.

        Args:
            llama: the model.
            tokenizer: its vocabulary. None: that of its file.

        Raises:
            TokenizerError: the file's vocabulary cannot be read.
        """
        from ffgrammar.lm.adapters.llama_cpp_model import LlamaCppModel

        return cls.of(LlamaCppModel(llama, tokenizer, start=llama.tokenize(b"", add_bos=True)))

    def state(
        self, prompt: str | bytes | Iterable[int] = "", *, seed: int | None = None, special: Special | None = None
    ) -> State:
        """A text that begins with a prompt.

        Args:
            prompt: a text or token ids. It may end inside a token. Of token ids, those up to the last special token
                stay, and so do those that the tokenizer would not write.
            seed: what is drawn depends on the model, the program and this number alone. None: another one each time.
            special: as for `Grammar.matcher`: how the name of a special token in a text prompt is read.

        Raises:
            TokenizerError: the prompt is neither text nor token ids, or a token id is out of range.
            TypeError, ValueError: the seed is not a non-negative int or None.
        """
        expect("state: seed", seed, (int, type(None)), "an int or None")
        if seed is not None and seed < 0:
            raise ValueError(f"state: seed must not be negative, not {seed}")
        return begin(self, Opening.read(self.tokenizer, prompt, special), seed)
