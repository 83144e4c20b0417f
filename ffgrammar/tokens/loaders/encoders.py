"""Encoders that work by the tokenizer's rules, and encoders that call other people's code: a caller's function, a
tiktoken object, or the package `sentencepiece`.

Each has `encode(data)` for str and bytes, which reads the names of special tokens as ordinary text. Each also has
`pretoken_ends(data)`: the byte offsets at which the pre-tokens of a UTF-8 text end, or None where that is not known.
Encoders by rules also have `writes(ids, specials)`: a fast check whether `encode` makes these ids of their text; and
`native()`, which gives an encoder of whole columns. All errors of other people's code become TokenizerErrors. That of
Hugging Face's tokenizers is in huggingface_encoder.py.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.forks import new_lock

if TYPE_CHECKING:
    from ffgrammar.tokens.bpe.native import NativeReach
    from ffgrammar.tokens.canonical.lazy_rules import LazyRules
    from ffgrammar.tokens.vocabulary.normal_form import NormalForm

__all__ = [
    "CallableEncoder",
    "RulesEncoder",
    "SentencePieceEncoder",
    "TiktokenEncoder",
    "byte_ends",
    "valid_prefix",
    "without_surrogates",
]


class RulesEncoder:
    """Encodes by the rules of the tokenizer in a rank file, or with tiktoken if its pattern cannot be read. In bytes
    that are not UTF-8, the last pre-token before the first wrong byte and everything from this byte on are one
    pre-token, as in tiktoken.

    Args:
        tokens: bytes by id, None where an id has none.
        pattern: how the tokenizer cuts a text.
    """

    _rules: LazyRules

    def __init__(self, tokens: list[bytes | None], pattern: str) -> None:
        self._ranks = {token: rank for rank, token in enumerate(tokens) if token}
        self._pattern = pattern
        self._other: TiktokenEncoder | None = None

    def bind(self, rules: LazyRules, knows_space: bool, form: NormalForm | None) -> None:
        """Take the tokenizer's rules, before anything is encoded. The rules hold for all texts, so `knows_space` and
        `form` do not matter."""
        self._rules = rules

    def _tiktoken(self) -> TiktokenEncoder:
        if self._other is None:
            try:
                import tiktoken

                self._other = TiktokenEncoder(
                    tiktoken.Encoding("ranks", pat_str=self._pattern, mergeable_ranks=self._ranks, special_tokens={})
                )
            except ImportError:
                reason = self._rules.reason
                raise TokenizerError(f"encoding needs the package tiktoken: pip install tiktoken ({reason})") from None
            except Exception as error:
                raise TokenizerError(f"tiktoken cannot read this tokenizer: {error}") from error
        return self._other

    def encode(self, data: str | bytes) -> list[int]:
        rules = self._rules.get()
        if rules is None:
            return self._tiktoken().encode(data)
        self._ranks = {}  # (only tiktoken needs them)
        if isinstance(data, str):
            data = without_surrogates(data).encode()
        return rules.encoder.encode_open(data, valid_prefix(data))

    def writes(self, ids: tuple[int, ...], specials: Container[int]) -> bool:
        """See `Tokenizer.writes`."""
        rules = self._rules.get()
        return rules is not None and rules.encoder.writes(ids, specials)

    def native(self) -> NativeReach | None:
        """The encoder by the rules, which may be asked about everything; None if the rules are not known."""
        from ffgrammar.tokens.bpe.native import NativeReach

        rules = self._rules.get()
        return None if rules is None else NativeReach(rules.encoder, True, True, True)

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        rules = self._rules.get()
        return self._tiktoken().pretoken_ends(data) if rules is None else rules.pretokens.ends_of(data)


class CallableEncoder:
    """Encodes with a function from bytes to ids. It is not known where pre-tokens end."""

    def __init__(self, function: Callable[[bytes], Iterable[int]]) -> None:
        if not callable(function):
            raise TokenizerError(f"encode must be callable, not {type(function).__name__}")
        self._function = function

    def encode(self, data: str | bytes) -> list[int]:
        text = without_surrogates(data).encode() if isinstance(data, str) else data
        try:
            return [int(token) for token in self._function(text)]
        except TokenizerError:
            raise
        except Exception as error:
            raise TokenizerError(f"the encode function failed: {type(error).__name__}: {error}") from error

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        return None


class TiktokenEncoder:
    """Encodes with a `tiktoken.Encoding`."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self._splitter: Any = None

    def encode(self, data: str | bytes) -> list[int]:
        try:
            if isinstance(data, bytes):
                try:
                    data = data.decode("utf-8")
                except UnicodeDecodeError:
                    # Only this method knows how tiktoken itself treats wrong UTF-8.
                    return list(self._encoding._encode_bytes(data))
            return list(self._encoding.encode_ordinary(data))
        except BaseException as error:
            # A panic of its Rust code (a long run of spaces exhausts its regex stack) is a BaseException.
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise TokenizerError(f"tiktoken could not encode the text: {error}") from error
            raise

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        """Ends of pre-tokens by the `regex` package, if it is installed; its Unicode version may differ from
        tiktoken's."""
        if self._splitter is None:
            try:
                import regex

                self._splitter = regex.compile(self._encoding._pat_str)
            except (ImportError, AttributeError):
                return None
        text = data.decode("utf-8")
        return byte_ends(text, (match.end() for match in self._splitter.finditer(text)))


def byte_ends(text: str, ends: Iterable[int]) -> list[int]:
    """Turns ascending offsets in a text's characters into offsets in its UTF-8."""
    found, chars, count = [], 0, 0
    for end in ends:
        count += len(text[chars:end].encode())
        chars = end
        found.append(count)
    return found


def without_surrogates(text: str) -> str:
    """The text without surrogates, so that it can be UTF-8: a pair becomes its character, any other surrogate U+FFFD,
    as in tiktoken."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def valid_prefix(data: bytes) -> int:
    """How many bytes from the start are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


# Appended to a serialized model, this means that no space is put before a text. It is the field
# normalizer_spec { add_dummy_prefix: false }, which the package merges with the model's own normalizer_spec.
NO_DUMMY_PREFIX = b"\x1a\x02\x18\x00"


class SentencePieceEncoder:
    """Encodes with the package `sentencepiece`. A text is read as the continuation of another one: no space is put
    before it.

    Args:
        data: the model, as the package reads it.
    """

    def __init__(self, data: bytes) -> None:
        self._data: bytes | None = data
        self._processor: Any = None
        self._lock = new_lock()

    def _ready(self) -> Any:
        with self._lock:
            if self._data is not None:
                try:
                    import sentencepiece
                except ImportError:
                    raise TokenizerError(
                        "encoding with this sentencepiece model needs the package sentencepiece: "
                        "pip install sentencepiece (masks and matchers work without)"
                    ) from None
                processor = sentencepiece.SentencePieceProcessor()
                try:
                    processor.LoadFromSerializedProto(self._data + NO_DUMMY_PREFIX)
                except RuntimeError as error:
                    raise TokenizerError(f"sentencepiece cannot read this model: {error}") from error
                self._processor, self._data = processor, None
            return self._processor

    def encode(self, data: str | bytes) -> list[int]:
        """The ids of a text. Bytes that are not UTF-8 are read as U+FFFD, as the package does."""
        text = data if isinstance(data, str) else data.decode("utf-8", "replace")
        ids: list[int] = self._ready().encode(without_surrogates(text))
        return ids

    def pretoken_ends(self, data: bytes) -> None:
        """None: it is not known where pre-tokens end."""
