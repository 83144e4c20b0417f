"""Reads the tokenizers of Hugging Face models.

Everything is read from the text of a tokenizer.json, so no package is needed. (An object of a package gives this text,
too.) The bytes of a token are what the tokenizer's decoder makes of it inside a text. Four decoders define that
exactly: byte-level (GPT-2's alphabet of 256 characters), U+2581 for the space, byte fallback (`<0x0A>`), and WordPiece
(wordpiece.py). Any other decoder is refused.

    read = read_tokenizer("path/to/tokenizer.json")
    read.tokens[42], read.special_tokens, read.eos_token_ids

huggingface_rules.py reads how a BPE tokenizer cuts and merges, and unigram_models.py reads unigram models. What these
two cannot read is left to the package `tokenizers`. It encodes with a copy of the tokenizer that takes its text as the
continuation of another: without a space put before it, without the template that adds BOS, without truncation, and with
the names of special tokens as ordinary text.
"""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ffgrammar.core.collector import paused
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders import unigram_models, wordpiece
from ffgrammar.tokens.loaders.huggingface_encoder import HuggingFaceEncoder
from ffgrammar.tokens.loaders.huggingface_rules import byte_alphabet, read_rules
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.parts import ReadTokenizer
from ffgrammar.tokens.loaders.unigram import UnigramEncoder
from ffgrammar.tokens.loaders.unigram_models import (
    as_the_package_reads,
    hide_special,
    join_words,
    model_of_config,
)
from ffgrammar.tokens.loaders.vocabulary_json import read_big_parts
from ffgrammar.tokens.loaders.wordpiece import wordpiece_bytes
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens
from ffgrammar.tokens.vocabulary.special import check_eos
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE

__all__ = ["ReadTokenizer", "byte_alphabet", "find_json", "read_config", "read_tokenizer"]

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>\Z")

# The letters are GPT-2's characters for the 256 bytes. All other Latin-1 characters become U+0100, which is not in
# Latin-1. So a text with characters that are no letters cannot be encoded as Latin-1, which `to_bytes` notices.
LETTERS = dict.fromkeys(range(256), 256) | {ord(letter): value for letter, value in byte_alphabet().items()}

# Names that models give to the token that ends a text; used only when exactly one of them is there.
EOS_NAMES = ("</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>", "<|eot_id|>", "<|im_end|>", "<|end|>", "[EOS]")


def read_tokenizer(source: Any, eos_token_ids: Any = None, data: bytes | None = None) -> ReadTokenizer:
    """Reads a path, a `tokenizers.Tokenizer` or a transformers tokenizer.

    Args:
        source: the path of a tokenizer.json or of its folder, or an object of `tokenizers` or transformers.
        eos_token_ids: the ids that end a text; None to look for them.
        data: the content of the file, if the source is a path and the file has been read.

    Raises:
        TokenizerError: the source cannot be read, or its tokens' bytes or its EOS are not known.
    """
    with paused():
        config, name, eos = _open(source, data)
        return read_config(config, name, eos_token_ids, eos)


def read_config(config: dict[str, Any], name: str, eos_token_ids: Any, eos: list[Any] | None = None) -> ReadTokenizer:
    """Reads the JSON value of a tokenizer.json, and changes the value on the way.

    Args:
        config: the value.
        name: for messages.
        eos_token_ids: as for `read_tokenizer`.
        eos: what the source says of the tokens that end a text: their ids or names; None if it says nothing.

    Raises:
        TokenizerError: as `read_tokenizer`.
    """
    try:
        return _read(config, name, eos, eos_token_ids)
    except TokenizerError:
        raise
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise TokenizerError(f"{name}: not a tokenizer.json: {type(error).__name__}: {error}") from error


def _read(config: dict[str, Any], name: str, eos: list[Any] | None, eos_token_ids: Any) -> ReadTokenizer:
    model = config.get("model")
    if not isinstance(model, dict):
        raise TokenizerError(f"{name}: not a tokenizer.json: there is no model")
    decoder = _decoder(config, model, name)
    byte_level = decoder.byte_level
    tokens, special_tokens, numbers = _tokens(config, model, name, decoder)
    if eos_token_ids is None:
        eos_token_ids = _known_eos(eos, special_tokens, numbers, name)
    eos_token_ids = check_eos(eos_token_ids, MAX_VOCAB_SIZE)
    for token in config.get("added_tokens") or []:
        if token["id"] in eos_token_ids:
            # (some files do not mark an EOS token as special; without the mark, ordinary text could become this token)
            token["special"] = True
            special_tokens[token["content"]] = token["id"]
    strips_space = any(
        step["type"] in ("Strip", "Metaspace", "WordPiece") for step in _steps(config.get("decoder"), "decoders")
    )
    adds_space = _without_prefix_space(config)
    config["post_processor"] = config["truncation"] = config["padding"] = None
    letters = {value: letter for letter, value in byte_alphabet().items()} if byte_level else None
    steps = {
        "normalizer": _steps(config.get("normalizer"), "normalizers"),
        "pre_tokenizer": _steps(config.get("pre_tokenizer"), "pretokenizers"),
        "decoder": _steps(config.get("decoder"), "decoders"),
    }
    package = HuggingFaceEncoder(config, letters)
    encoder: HuggingFaceEncoder | UnigramEncoder = package
    rules, reason = None, ""
    try:
        rules = read_rules(config, steps, tokens, byte_level)
        package.missing = rules.missing
    except TokenizerError as error:
        reason = str(error)
    if model.get("type") == "Unigram":
        encoder, reason = _unigram(config, steps, name), unigram_models.NO_RULES
    if model.get("type") == "WordPiece":
        # (a token that begins a word has a space before it, also at the start of a text)
        adds_space, reason = True, wordpiece.NO_RULES
    return ReadTokenizer(tokens, special_tokens, eos_token_ids, name, encoder, rules, reason, adds_space, strips_space)


def _unigram(
    config: dict[str, Any], steps: dict[str, list[dict[str, Any]]], name: str
) -> HuggingFaceEncoder | UnigramEncoder:
    unigram = model_of_config(config, steps, name)
    hide_special(config)
    package = HuggingFaceEncoder(config, None)
    return package if unigram is None else UnigramEncoder(unigram, package)


def _known_eos(
    eos: list[Any] | None, special_tokens: dict[str, int], numbers: Mapping[str, int], name: str
) -> list[int]:
    """The EOS ids: those of `eos`, which has ids or names. If it is None, the id of the one token with a customary
    name."""
    if eos is None:
        eos = [text for text in EOS_NAMES if text in special_tokens]
        eos = eos or [text for text in (wordpiece.EOS_NAME,) if text in special_tokens]
        if len(eos) != 1:
            raise TokenizerError(f"{name}: which token ends a text is not known; give eos_token_ids=")
    for item in eos:
        if isinstance(item, str) and item not in numbers:
            raise TokenizerError(f"{name}: its EOS token {item!r} is not in its vocabulary; give eos_token_ids=")
    return [numbers[item] if isinstance(item, str) else item for item in eos]


def find_json(source: Any) -> Path | None:
    """The path of a tokenizer.json: the source itself, or a file in the folder that the source names. None if the
    source is an object. Raises TokenizerError if the source is the text of such a file, or a path that the system does
    not accept."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        raise TokenizerError(
            "from_huggingface: this is the text of a tokenizer.json; "
            "pass its path, or tokenizers.Tokenizer.from_str(text)"
        )
    if not isinstance(source, str | Path):
        return None
    path = Path(source)
    return path / "tokenizer.json" if _is_folder(path) else path


def _open(source: Any, data: bytes | None) -> tuple[dict[str, Any], str, list[Any] | None]:
    """(the JSON value, a name for messages, the EOS ids or names that the source gives; None if it gives none)."""
    path = find_json(source)
    if path is not None:
        return _read_config(path, data), str(source), _eos_beside(path.parent)
    eos = getattr(source, "eos_token_id", None)
    name = getattr(source, "name_or_path", "") or "huggingface"
    backend = getattr(source, "backend_tokenizer", source)
    try:
        text = backend.to_str()
    except AttributeError:
        raise TokenizerError(
            "from_huggingface: expected a path, a tokenizers.Tokenizer or a transformers tokenizer with a "
            f"backend_tokenizer (a 'fast' one), not {type(source).__name__}"
        ) from None
    config = read_big_parts(text.encode()) or json.loads(text)
    return config, name, None if eos is None else eos if isinstance(eos, list) else [eos]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        # (a name that is too long, say)
        raise TokenizerError(f"cannot read {str(path)[:100]!r}: {error.strerror}") from None


def _read_config(path: Path, data: bytes | None) -> dict[str, Any]:
    """The value of a tokenizer.json."""
    if data is None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise TokenizerError(f"cannot read {path}: {error.strerror}") from None
    return read_big_parts(data) or _read_json(path, data)


def _read_json(path: Path, data: bytes | None = None) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes() if data is None else data, parse_float=as_the_package_reads)
    except OSError as error:
        raise TokenizerError(f"cannot read {path}: {error.strerror}") from None
    except (OverflowError, RecursionError, ValueError) as error:
        raise TokenizerError(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise TokenizerError(f"{path}: not a JSON object")
    return value


def _eos_beside(folder: Path) -> list[Any] | None:
    """The EOS by two other files of a folder: ids from generation_config.json, else a name from tokenizer_config.json.
    None if neither has it."""
    generation, tokenizer = folder / "generation_config.json", folder / "tokenizer_config.json"
    if generation.exists():
        eos = _read_json(generation).get("eos_token_id")
        if eos is not None:
            return eos if isinstance(eos, list) else [eos]
    if tokenizer.exists():
        eos = _read_json(tokenizer).get("eos_token")
        if isinstance(eos, dict):
            eos = eos.get("content")
        if eos is not None:
            return [eos]
    return None


def _steps(part: dict[str, Any] | None, inside: str) -> list[dict[str, Any]]:
    """The members of a decoder, normalizer or pre-tokenizer, which may be a (nested) Sequence. `inside` is the field
    that lists the members of a Sequence."""
    if part is None:
        return []
    if part.get("type") == "Sequence":
        return [step for member in part.get(inside, []) for step in _steps(member, inside)]
    return [part]


def _tokens(
    config: dict[str, Any], model: dict[str, Any], name: str, decoder: _Decoder
) -> tuple[Sequence[bytes | None], dict[str, int], Mapping[str, int]]:
    """(bytes by id, special tokens, id by text of every token)."""
    vocabulary = model.get("vocab", {})
    if isinstance(vocabulary, list):
        vocabulary = {entry[0]: number for number, entry in enumerate(vocabulary)}
    added = config.get("added_tokens") or []
    own = {token["content"]: token["id"] for token in added}
    # (a NameTable has each id once)
    if isinstance(vocabulary, dict) and len(set(vocabulary.values())) < len(vocabulary):
        raise TokenizerError(f"{name}: two tokens have the same id")
    _check_added(added, own, vocabulary, name)
    for text, number in (own if isinstance(vocabulary, NameTable) else {**vocabulary, **own}).items():
        if not isinstance(number, int) or not 0 <= number <= MAX_VOCAB_SIZE:
            raise TokenizerError(f"{name}: token {text!r} has the id {number!r}")
    # The token for what the tokenizer cannot spell: its name is not the text it stands for.
    unknown = model.get("unk_id") if model.get("type") == "Unigram" else vocabulary.get(model.get("unk_token"))
    changes: dict[int, bytes] = {}
    special_tokens = {}
    for token in added:
        # Added tokens are found in the text before the model sees it, so their names are their texts. (But a character
        # that stands for a space in other tokens stands for a space in added tokens, too.)
        text = token["content"]
        changes[token["id"]] = text.encode() if decoder.byte_level else decoder.to_bytes(text)
        if token.get("special"):
            special_tokens[text] = token["id"]
    return decoder.tokens(vocabulary, changes, unknown), special_tokens, ChainMap(own, vocabulary)


def _check_added(added: list[dict[str, Any]], own: dict[str, int], vocabulary: Mapping[str, int], name: str) -> None:
    """Raises TokenizerError if an added token has two ids, or the id of another token."""
    if isinstance(vocabulary, NameTable):
        name_of: Callable[[int], str | None] = vocabulary.name_of
    else:
        name_of = {number: text for text, number in vocabulary.items()}.get
    names: dict[int, str] = {}
    for token in added:
        text, number = token["content"], token["id"]
        known = vocabulary.get(text, own[text])
        if known != number:
            where = "in the vocabulary" if text in vocabulary else "as well"
            raise TokenizerError(
                f"{name}: token {text!r} has the id {number!r} among added_tokens, and {known!r} {where}"
            )
        other = name_of(number) or names.setdefault(number, text)
        if other != text:
            raise TokenizerError(f"{name}: tokens {other!r} and {text!r} have the same id {number!r}")


class _Decoder(NamedTuple):
    """Which bytes a token's name stands for.

    Attributes:
        byte_level: whether names are in GPT-2's letters. If so, `byte_fallback` and `replacements` do not matter.
        byte_fallback: whether names like <0x0A> stand for a byte.
        replacements: pairs (text, what it stands for), which are applied one after the other.
        words: for WordPiece, the function from a name to its bytes. If it is given, the other fields do not matter.
    """

    byte_level: bool = False
    byte_fallback: bool = False
    replacements: Sequence[tuple[str, str]] = ()
    words: Callable[[str], bytes] | None = None

    def to_bytes(self, text: str) -> bytes:
        """The bytes of a token inside a text."""
        if self.words is not None:
            return self.words(text)
        if self.byte_level:
            try:
                return text.translate(LETTERS).encode("latin-1")
            except UnicodeEncodeError:
                return text.encode("utf-8", "surrogatepass")
        byte = BYTE_TOKEN.match(text) if self.byte_fallback else None
        if byte:
            return bytes([int(byte[1], 16)])
        for old, new in self.replacements:
            text = text.replace(old, new)
        return text.encode("utf-8", "surrogatepass")

    def tokens(
        self, vocabulary: Mapping[str, int], added: dict[int, bytes], unknown: int | None
    ) -> Sequence[bytes | None]:
        """The bytes of all tokens by id: for the ids in `added` the bytes there, for `unknown` none, and for all other
        ids what their names stand for."""
        if isinstance(vocabulary, NameTable):
            return self._table_to_bytes(vocabulary).changed({} if unknown is None else {unknown: None}).changed(added)
        tokens: list[bytes | None] = [None] * (1 + max([*vocabulary.values(), *added], default=-1))
        for text, number in vocabulary.items():
            tokens[number] = self.to_bytes(text)
        if unknown is not None:
            tokens[unknown] = None
        for number, data in added.items():
            tokens[number] = data
        return tokens

    def _table_to_bytes(self, table: NameTable) -> PackedTokens:
        if self.byte_level:
            return table.letters_to_bytes()
        old, new = self.replacements[0] if self.replacements else ("", "")
        if len(self.replacements) < 2 and len(new.encode()) <= len(old.encode()):
            return table.characters_to_bytes(old, new, self.byte_fallback)
        return PackedTokens([name and self.to_bytes(name.decode()) for name in table.names])


def _decoder(config: dict[str, Any], model: dict[str, Any], name: str) -> _Decoder:
    """What a tokenizer's decoder makes of a token inside a text."""
    kind = model.get("type", "BPE")
    if kind == "WordPiece":
        return _Decoder(words=wordpiece_bytes(model, _steps(config.get("decoder"), "decoders"), name))
    if kind not in ("BPE", "Unigram"):
        raise TokenizerError(
            f"{name}: the bytes of a {kind} model's tokens cannot be known exactly; use Tokenizer.from_tokens"
        )
    for field in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(field):
            raise TokenizerError(f"{name}: {field} is not supported: its tokens have no bytes of their own")
    steps = _steps(config.get("decoder"), "decoders")
    if not steps:
        before = _steps(config.get("pre_tokenizer"), "pretokenizers")
        steps = [step for step in before if step["type"] in ("ByteLevel", "Metaspace")]
    replacements: list[tuple[str, str]] = []
    byte_level, fused = False, False
    byte_fallback = bool(model.get("byte_fallback"))
    for step in steps:
        match step["type"]:
            case "ByteLevel":
                byte_level = True
            case "Metaspace":
                replacements.append((step.get("replacement", "\u2581"), " "))
            case "Replace" if "String" in step.get("pattern", {}):
                replacements.append((step["pattern"]["String"], step["content"]))
            case "ByteFallback":
                byte_fallback = True
            case "Fuse":
                fused = True
            case "Strip" if fused and not step.get("stop"):
                pass  # (after Fuse, this strips the start of the whole text, not of each token)
            case other:
                raise TokenizerError(f"{name}: decoder {other} is not supported; use Tokenizer.from_tokens")
    return _Decoder(byte_level, byte_fallback, replacements)


def _without_prefix_space(config: dict[str, Any]) -> bool:
    """Removes from a tokenizer what puts a space before a text. Returns whether it had such a part."""
    found = False
    normalizers = _steps(config.get("normalizer"), "normalizers")
    kept = [step for step in normalizers if not (step["type"] == "Prepend" and step.get("prepend") in (" ", "\u2581"))]
    if len(kept) < len(normalizers):
        found = True
        config["normalizer"] = {"type": "Sequence", "normalizers": kept} if kept else None
    before = _steps(config.get("pre_tokenizer"), "pretokenizers")
    if [step["type"] for step in before] == ["WhitespaceSplit", "Metaspace"]:
        join_words(config)
        return True
    for step in before:
        if step["type"] == "Metaspace" and step.get("prepend_scheme", "always") != "never":
            found = True
            step["prepend_scheme"] = "never"
        if step["type"] == "ByteLevel" and step.get("add_prefix_space"):
            found = True
            step["add_prefix_space"] = False
    return found
