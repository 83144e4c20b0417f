"""The encoder of Hugging Face's tokenizers: by their rules where these are known (tokens/bpe/native_encoder.pyx), and
by the package `tokenizers` for a text to which the rules do not apply. The package is loaded only then."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.forks import new_lock
from ffgrammar.tokens.loaders.encoders import byte_ends, valid_prefix, without_surrogates
from ffgrammar.tokens.loaders.vocabulary_json import plain
from ffgrammar.tokens.vocabulary.normal_form import NormalForm, is_normal

if TYPE_CHECKING:
    from ffgrammar.tokens.bpe.native import NativeReach
    from ffgrammar.tokens.canonical.lazy_rules import LazyRules
    from ffgrammar.tokens.canonical.rules import CanonicalRules

__all__ = ["HuggingFaceEncoder"]


class HuggingFaceEncoder:
    """Encodes by the tokenizer's rules, or with the package `tokenizers` where they are not known.

    The tokenizer of that package is made when it is first needed.

    Args:
        config: the tokenizer.json.
        letters: GPT-2's letters by byte if the model works on these; None if it does not.

    Attributes:
        rules: the tokenizer's rules; None before `bind`.
        missing: bytes that are no token; set once, before anything is encoded. The package leaves them out of a text
            that has them.
    """

    def __init__(self, config: dict[str, Any], letters: dict[int, str] | None) -> None:
        self.rules: LazyRules | None = None
        self.missing: frozenset[int] = frozenset()
        self._knows_space = True
        self._form: NormalForm | None = None
        self._letters = letters
        self._config: dict[str, Any] | None = config
        self._tokenizer: Any = None
        self._lock = new_lock()

    def bind(self, rules: LazyRules, knows_space: bool, form: NormalForm | None) -> None:
        """Take the tokenizer's rules, before anything is encoded.

        Args:
            rules: the rules.
            knows_space: whether the rules also hold for a text that has the character that stands for the space.
            form: the rules hold only for texts in this normal form; None if they hold for all texts.
        """
        self.rules, self._knows_space, self._form = rules, knows_space, form

    def _own(self) -> CanonicalRules | None:
        """The tokenizer's rules; None where they are not known. If they hold for all texts, the package is never
        needed, and the tokenizer.json is dropped."""
        own = None if self.rules is None else self.rules.get()
        if own is not None and self._knows_space and self._form is None and not self.missing:
            self._config = None
        return own

    def _ready(self) -> Any:
        with self._lock:
            if self._config is not None:
                try:
                    import tokenizers
                except ImportError:
                    raise TokenizerError(
                        "encoding with this Hugging Face tokenizer needs the package tokenizers: "
                        "pip install tokenizers (masks and matchers work without)"
                    ) from None
                try:
                    self._tokenizer = tokenizers.Tokenizer.from_str(json.dumps(self._config, default=plain))
                    if self._config["model"].get("type") == "Unigram":
                        # (if the package reads scores from the JSON text again, their last bits may change)
                        model = self._config["model"]
                        vocabulary = [tuple(piece) for piece in model["vocab"]]
                        bytes_too = bool(model.get("byte_fallback"))
                        self._tokenizer.model = tokenizers.models.Unigram(vocabulary, model.get("unk_id"), bytes_too)
                except BaseException as error:
                    # A panic of its Rust code (a merge of odd names causes one) is a BaseException.
                    if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                        raise TokenizerError(f"tokenizers cannot read this tokenizer: {error}") from error
                    raise
                self._tokenizer.encode_special_tokens = True
                self._config = None
            return self._tokenizer

    def encode(self, data: str | bytes) -> list[int]:
        """The ids of a text.

        Hugging Face's tokenizers work on characters, so what becomes of bytes that are not UTF-8 is defined here. If
        the model works on letters, the last pre-token before the first wrong byte and everything from this byte on are
        one pre-token, as in tiktoken. If not, each wrong byte is a token of its own.
        """
        if isinstance(data, str):
            return self._encode_text(without_surrogates(data))
        try:
            return self._encode_text(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            valid = error.start
        own = self._own() if self.missing.isdisjoint(data) else None
        if self._letters is not None and (own is None or not self._is_normal(data[:valid].decode("utf-8"))):
            data, valid = self._normalized(data, valid)
        if self._letters is not None and own is not None:
            return own.encoder.encode_open(data, valid)
        if self._letters is not None:
            return self._encode_one_pretoken_from(data, valid, self._letters)
        return self._encode_byte_by_byte(data, valid)

    def _encode_text(self, text: str) -> list[int]:
        own = self._own()
        space = None if own is None else own.space
        is_known = self._knows_space or space is None or space not in text
        is_known = is_known and (not self.missing or self.missing.isdisjoint(text.encode()))
        if own is not None and is_known and self._is_normal(text):
            return own.encoder.encode_text((text if space is None else text.replace(space, " ")).encode())
        package = self._ready()
        try:
            return list(package.encode(text, add_special_tokens=False).ids)
        except Exception as error:
            # (a WordPiece model without its unknown token, say)
            raise TokenizerError(f"tokenizers cannot encode this text: {error}") from error

    def writes(self, ids: tuple[int, ...], specials: Container[int]) -> bool:
        """See `Tokenizer.writes`."""
        own = self._own()
        if own is None:
            return False
        space = own.space

        def is_known(text: str) -> bool:
            return (space is None or space not in text) and self._is_normal(text)

        return own.encoder.writes(ids, specials, is_known, self._keeps_ascii())

    def native(self) -> NativeReach | None:
        """The encoder by the rules, and the texts that it may be asked about; None if the rules are not known."""
        own = self._own()
        if own is None or self.missing or (own.space is not None and own.space.isascii()):
            return None
        from ffgrammar.tokens.bpe.native import NativeReach

        return NativeReach(own.encoder, self._keeps_ascii(), own.space is None and self._form is None, False)

    def _keeps_ascii(self) -> bool:
        """Whether normalizing changes no ASCII text."""
        return self._form is None or not self._form.endswith("Lowercase")

    def _is_normal(self, text: str) -> bool:
        """Whether normalizing changes nothing in the text. (Python's Unicode is newer than the one by which the package
        `tokenizers` makes normal forms. So Python's changes some more texts. These are left to the package.)"""
        return self._form is None or is_normal(self._form, text)

    def _normalized(self, data: bytes, valid: int) -> tuple[bytes, int]:
        """Normalizes the first `valid` bytes, which are a text. Returns (the normalized text and all further bytes, how
        many bytes the normalized text has)."""
        normalizer = self._ready().normalizer
        if normalizer is None:
            return data, valid
        text = normalizer.normalize_str(data[:valid].decode("utf-8")).encode()
        return text + data[valid:], len(text)

    def _encode_one_pretoken_from(self, data: bytes, valid: int, letters: dict[int, str]) -> list[int]:
        tokenizer = self._ready()
        text = data[:valid].decode("utf-8")
        pretokens = tokenizer.pre_tokenizer.pre_tokenize_str(text) if tokenizer.pre_tokenizer else []
        cut = pretokens[-1][1][0] if pretokens else 0
        encoding = tokenizer.encode(text, add_special_tokens=False)
        ids = []
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if start < cut:
                ids.append(token)
                cut = max(cut, end)  # an added token goes across pre-tokens
        rest = text[cut:].encode() + data[valid:]
        return ids + [token.id for token in tokenizer.model.tokenize("".join(letters[value] for value in rest))]

    def _encode_byte_by_byte(self, data: bytes, valid: int) -> list[int]:
        ids: list[int] = []
        while data:
            ids += self._encode_text(data[:valid].decode("utf-8"))
            data = data[valid:]
            if data:
                ids.append(self._byte_token(data[0]))
                data = data[1:]
            valid = valid_prefix(data)
        return ids

    def _byte_token(self, byte: int) -> int:
        own = self._own()
        if own is not None:
            return own.encoder.byte_token(byte)
        token: int | None = self._ready().token_to_id(f"<0x{byte:02X}>")
        if token is None:
            raise TokenizerError(f"the tokenizer has no token for the byte {byte:#04x}")
        return token

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        own = self._own()
        if own is not None:
            # (None if the text has the character that stands for the space. The rules read it as a space, which has
            # fewer bytes, so the offsets would be wrong.)
            return own.pretokens.ends_of(data) if own.space is None or own.space.encode() not in data else None
        tokenizer = self._ready()
        if tokenizer.normalizer is not None or tokenizer.pre_tokenizer is None:
            return None
        text = data.decode("utf-8")
        # Added tokens are found before the text is split, and each is a pre-token of its own. The text may end with the
        # beginning of an added token. Pre-tokens that end inside this beginning are left out.
        last = len(text)
        for added in tokenizer.get_added_tokens_decoder().values():
            if added.special:
                continue
            if added.lstrip or added.rstrip or added.single_word:
                return None
            for size in range(1, len(added.content)):
                if text.endswith(added.content[:size]):
                    last = min(last, len(text) - size)
        ends = [end for _, (_, end) in tokenizer.pre_tokenizer.pre_tokenize_str(text)]
        return byte_ends(text, [end for end in ends if end <= last or end == len(text)])
