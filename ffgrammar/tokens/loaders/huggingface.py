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

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ffgrammar.core.collector import paused
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders import wordpiece
from ffgrammar.tokens.loaders.huggingface_decoder import Decoder, decoder_of, steps_of
from ffgrammar.tokens.loaders.huggingface_encoder import HuggingFaceEncoder
from ffgrammar.tokens.loaders.huggingface_files import open_source
from ffgrammar.tokens.loaders.huggingface_rules import read_rules
from ffgrammar.tokens.loaders.huggingface_units import byte_alphabet
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.reading import ReadTokenizer
from ffgrammar.tokens.vocabulary.special import check_eos, unknown_eos
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE

if TYPE_CHECKING:
    from ffgrammar.tokens.loaders.unigram import UnigramEncoder

__all__ = ["read_config", "read_tokenizer"]

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
        config, name, eos = open_source(source, data)
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
        # (mostly this is a file that lies beside the tokenizer.json, such as tokenizer_config.json)
        raise TokenizerError(
            f"{name}: not a tokenizer.json: there is no model; give the model's folder, or the tokenizer.json in it"
        )
    decoder = decoder_of(config, model, name)
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
        step["type"] in ("Strip", "Metaspace", "WordPiece") for step in steps_of(config.get("decoder"), "decoders")
    )
    adds_space = _without_prefix_space(config)
    config["post_processor"] = config["truncation"] = config["padding"] = None
    letters = {value: letter for letter, value in byte_alphabet().items()} if byte_level else None
    steps = {
        "normalizer": steps_of(config.get("normalizer"), "normalizers"),
        "pre_tokenizer": steps_of(config.get("pre_tokenizer"), "pretokenizers"),
        "decoder": steps_of(config.get("decoder"), "decoders"),
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
        encoder, reason = _unigram(config, steps, name)
    if model.get("type") == "WordPiece":
        # (a token that begins a word has a space before it, also at the start of a text)
        adds_space, reason = True, wordpiece.NO_RULES
    return ReadTokenizer(tokens, special_tokens, eos_token_ids, name, encoder, rules, reason, adds_space, strips_space)


def _unigram(
    config: dict[str, Any], steps: dict[str, list[dict[str, Any]]], name: str
) -> tuple[HuggingFaceEncoder | UnigramEncoder, str]:
    """The encoder of a unigram model, and why it has no rules."""
    # (a BPE model is loaded without these modules)
    from ffgrammar.tokens.loaders.unigram import UnigramEncoder
    from ffgrammar.tokens.loaders.unigram_models import NO_RULES, hide_special, model_of_config

    unigram = model_of_config(config, steps, name)
    hide_special(config)
    package = HuggingFaceEncoder(config, None)
    return package if unigram is None else UnigramEncoder(unigram, package), NO_RULES


def _known_eos(
    eos: list[Any] | None, special_tokens: dict[str, int], numbers: Mapping[str, int], name: str
) -> list[int]:
    """The EOS ids: those of `eos`, which has ids or names. If it is None, the id of the one token with a customary
    name."""
    if eos is None:
        eos = [text for text in EOS_NAMES if text in special_tokens]
        eos = eos or [text for text in (wordpiece.EOS_NAME,) if text in special_tokens]
        if len(eos) != 1:
            raise unknown_eos(name, special_tokens)
    for item in eos:
        if isinstance(item, str) and item not in numbers:
            raise TokenizerError(f"{name}: its EOS token {item!r} is not in its vocabulary; give eos_token_ids=")
    return [numbers[item] if isinstance(item, str) else item for item in eos]


def _tokens(
    config: dict[str, Any], model: dict[str, Any], name: str, decoder: Decoder
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


def _without_prefix_space(config: dict[str, Any]) -> bool:
    """Removes from a tokenizer what puts a space before a text. Returns whether it had such a part."""
    found = False
    normalizers = steps_of(config.get("normalizer"), "normalizers")
    kept = [step for step in normalizers if not (step["type"] == "Prepend" and step.get("prepend") in (" ", "\u2581"))]
    if len(kept) < len(normalizers):
        found = True
        config["normalizer"] = {"type": "Sequence", "normalizers": kept} if kept else None
    before = steps_of(config.get("pre_tokenizer"), "pretokenizers")
    if [step["type"] for step in before] == ["WhitespaceSplit", "Metaspace"]:
        from ffgrammar.tokens.loaders.unigram_models import join_words

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
