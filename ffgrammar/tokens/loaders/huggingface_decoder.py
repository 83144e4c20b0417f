"""What the decoder of a tokenizer.json makes of the name of a token: the bytes of the token inside a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.records import Record
from ffgrammar.tokens.loaders.huggingface_units import byte_alphabet
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.wordpiece import wordpiece_bytes
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens

__all__ = ["Decoder", "decoder_of", "steps_of"]

# (not compiled when it is imported, because most vocabularies do not need it)
BYTE_TOKEN = r"<0x([0-9A-Fa-f]{2})>\Z"


@cache
def _letters() -> dict[int, int]:
    """By letter, the byte that it stands for. The letters are GPT-2's characters for the 256 bytes. All other Latin-1
    characters become U+0100, which is not in Latin-1. So a text with characters that are no letters cannot be encoded
    as Latin-1, which `to_bytes` notices."""
    return dict.fromkeys(range(256), 256) | {ord(letter): value for letter, value in byte_alphabet().items()}


def steps_of(part: dict[str, Any] | None, inside: str) -> list[dict[str, Any]]:
    """The members of a decoder, normalizer or pre-tokenizer, which may be a (nested) Sequence. `inside` is the field
    that lists the members of a Sequence."""
    if part is None:
        return []
    if part.get("type") == "Sequence":
        return [step for member in part.get(inside, []) for step in steps_of(member, inside)]
    return [part]


class Decoder(Record):
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
                return text.translate(_letters()).encode("latin-1")
            except UnicodeEncodeError:
                return text.encode("utf-8", "surrogatepass")
        byte = re.match(BYTE_TOKEN, text) if self.byte_fallback else None
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
            changes: dict[int, bytes | None] = {} if unknown is None else {unknown: None}
            return self._table_to_bytes(vocabulary).changed(changes | added)
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


def decoder_of(config: dict[str, Any], model: dict[str, Any], name: str) -> Decoder:
    """What a tokenizer's decoder makes of a token inside a text."""
    kind = model.get("type", "BPE")
    if kind == "WordPiece":
        return Decoder(words=wordpiece_bytes(model, steps_of(config.get("decoder"), "decoders"), name))
    if kind not in ("BPE", "Unigram"):
        raise TokenizerError(
            f"{name}: the bytes of a {kind!r} model's tokens cannot be known exactly; use Tokenizer.from_tokens"
        )
    for field in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(field):
            raise TokenizerError(f"{name}: {field} is not supported: its tokens have no bytes of their own")
    steps = steps_of(config.get("decoder"), "decoders")
    if not steps:
        before = steps_of(config.get("pre_tokenizer"), "pretokenizers")
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
                raise TokenizerError(f"{name}: decoder {other!r} is not supported; use Tokenizer.from_tokens")
    return Decoder(byte_level, byte_fallback, replacements)
