"""How the tokenizer.json of a BPE model cuts and merges.

The rules are exact or they are not given: whatever is not read here (other normalizers and
pre-tokenizers, characters that the model drops, dropout) is refused with a TokenizerError. Then the package
`tokenizers` encodes, and there are masks but no canonicality.

    read = read_rules(config, steps, tokens, byte_level)
    rules = read.make(trie)           # CanonicalRules

A model works on GPT-2's letters for bytes, or on characters. If it works on characters, one of them (U+2581) may stand
for the space. A text that has this character itself is encoded as if it had a space there, so no decoded text has the
character. Tokens with equal bytes are told apart here. Those that the model never makes, or makes only if no other
token has these bytes, are `secondary`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import compress, count, product
from typing import Any, NamedTuple

from ffgrammar.core.collector import paused
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.rules import CanonicalRules
from ffgrammar.tokens.loaders.huggingface_splits import WHOLE_TEXT, read_splits
from ffgrammar.tokens.loaders.implied_splits import implied_split
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.packed_rules import PackedRules
from ffgrammar.tokens.loaders.vocabulary_json import JsonText
from ffgrammar.tokens.pretokenize.boundaries import Split
from ffgrammar.tokens.vocabulary.normal_form import FORMS, NormalForm, is_normal
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens
from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["ListedRules", "byte_alphabet", "read_rules"]

# The most pairs of added tokens that are compared.
MAX_PAIRS = 1_000_000
# The bytes that occur in UTF-8
USED_BYTES = [value for value in range(256) if value not in (0xC0, 0xC1) and value < 0xF5]
# Control characters, and the first bytes of characters from U+40000 on. A pattern that does not name such a character
# treats it like some character that does have tokens. So a text with that other character has the same pre-tokens, and
# what may follow a token sequence is the same without tokens for these bytes. RARE finds the patterns and added tokens
# that name such a character.
RARE_BYTES = [*range(0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), 0x7F, *range(0xF1, 0x100)]
RARE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\U00040000-\U0010ffff]|\\[vf]")


class ListedRules(NamedTuple):
    """The rules of a tokenizer.json as the file has them. `make` turns them into `CanonicalRules` on a trie.

    Attributes:
        vocabulary: id by name of the model's tokens.
        merges: as the file has them, each "a b" or [a, b]; or the JSON text of their list.
        splits: the patterns of the pre-tokenizer.
        byte_tokens: see `Merges`.
        whole_pretokens: see `CanonicalRules`.
        space: the character that stands for the space.
        atoms: the added tokens that are found in a text before anything else is done with it: id by text.
        knows_space: whether a text with the character `space` has the same tokens as with a space in place of this
            character.
        secondary: see `TokenTrie`.
        form: the normal form that the tokenizer puts a text into first; None if it leaves the text as it is. The rules
            hold for texts in this form.
        missing: bytes that are no token. No decoded text has them, so the rules need not know what becomes of them.
        ranks: the ranks of the merges; None if the merges are listed in the order of ranks.
    """

    vocabulary: Mapping[str, int]
    merges: Sequence[Any] | JsonText
    splits: list[Split]
    byte_tokens: list[int | None] | None
    whole_pretokens: bool
    space: str | None
    atoms: dict[str, int]
    knows_space: bool
    secondary: frozenset[int]
    form: NormalForm | None
    missing: frozenset[int]
    ranks: Sequence[int] | None = None

    def make(self, trie: TokenTrie) -> CanonicalRules:
        """The rules on a vocabulary.

        Raises:
            TokenizerError: a merge or a pattern cannot be read, or ordinary text may become a token without bytes.
                Masks work all the same.
        """
        return self.make_packed(trie)[0]

    def make_packed(self, trie: TokenTrie) -> tuple[CanonicalRules, PackedRules]:
        """The rules on a vocabulary, and what they are made of. Raises TokenizerError as `make`."""
        with paused():
            packed = self._pack()
            rules = packed.make(trie)
        self._check_blank(rules)
        return rules, packed

    def _pack(self) -> PackedRules:
        splits = self._all_splits()
        if self.atoms:
            names = [name if self.space is None else name.replace(" ", self.space) for name in self.atoms]
            splits = [Split("", gaps=True, atoms=tuple(names)), *splits]
        atoms = list(self.atoms.values())
        return PackedRules(self._pairs(), self.ranks, splits, self.byte_tokens, self.whole_pretokens, self.space, atoms)

    def _all_splits(self) -> list[Split]:
        """The splits, or the cuts that the vocabulary implies where there is no pre-tokenizer."""
        if self.splits != [WHOLE_TEXT] or self.space is None or self.whole_pretokens or self.atoms:
            return self.splits
        implied = implied_split(self.vocabulary, self.space)
        return self.splits if implied is None else [implied]

    def _pairs(self) -> list[tuple[int, int, int]] | bytes:
        """(left, right, result) of each merge."""
        bytes_only = {token for token in self.byte_tokens or [] if token is not None}
        if isinstance(self.merges, JsonText) and isinstance(self.vocabulary, NameTable):
            quickly = self.merges.merges(self.vocabulary, bytes_only)
            if quickly is not None:
                return quickly
        ids = self.vocabulary
        # (the first line of a merges.txt only gives the version of the file format)
        merges = self.merges.value() if isinstance(self.merges, JsonText) else self.merges
        lines = merges[1:] if merges and str(merges[0]).startswith("#version") else merges
        listed = [line.split(" ") if isinstance(line, str) else line for line in lines]
        try:
            found = [(ids[left], ids[right], ids[left + right]) for left, right in listed]
        except (KeyError, TypeError, ValueError):
            wrong = next(merge for merge in listed if not self._is_merge(merge))
            raise TokenizerError(f"merge {wrong!r} is not of two tokens that make a token") from None
        if bytes_only:
            for merge, (one, other, _) in zip(listed, found, strict=True):
                if one in bytes_only or other in bytes_only:
                    raise TokenizerError(f"merge {merge!r} is of a token for a byte")
        return found

    def _is_merge(self, merge: Any) -> bool:
        try:
            left, right = merge
            return {left, right, left + right} <= self.vocabulary.keys()
        except (TypeError, ValueError):
            return False

    def _check_blank(self, rules: CanonicalRules) -> None:
        """Raises TokenizerError if ordinary text may become a token without bytes (a special token), or a token for a
        byte."""
        bytes_only = {token for token in self.byte_tokens or [] if token is not None}
        for name, token in self._names(rules.trie, bytes_only):
            if self.byte_tokens is None:
                text = _bytes_of_letters(name)
            else:
                text = name.replace(self.space or " ", " ").encode()
            if text is None:
                continue
            single = len(name) == 1
            made = rules.merges.has_merge(token) and rules.merges.makes(text) == [token]
            whole = self.whole_pretokens and len(rules.pretokens.ends_of(text)) < 2
            if single or made or whole:
                raise TokenizerError(f"the text {name!r} may become a token without bytes")

    def _names(self, trie: TokenTrie, bytes_only: set[int]) -> list[tuple[str, int]]:
        """(name, id) of the tokens that have no bytes or are for a byte."""
        if isinstance(self.vocabulary, NameTable):
            known = ((self.vocabulary.name_of(token), token) for token in bytes_only)
            return self.vocabulary.without_bytes(trie) + [(name, token) for name, token in known if name is not None]
        items = self.vocabulary.items()
        return [(name, token) for name, token in items if token in bytes_only or not trie.token_bytes(token)]


def read_rules(
    config: Mapping[str, Any],
    steps: Mapping[str, list[dict[str, Any]]],
    tokens: Sequence[bytes | None],
    byte_level: bool,
) -> ListedRules:
    """Reads the rules of a tokenizer.json.

    Args:
        config: the JSON value, without what puts a space before a text.
        steps: the members of its "normalizer", "pre_tokenizer" and "decoder".
        tokens: bytes by id, None where they are not known.
        byte_level: whether its tokens are written in GPT-2's letters.

    Raises:
        TokenizerError: something is not read here. The message names it.
    """
    model = config["model"]
    merges = _merges(model)
    vocabulary: Mapping[str, int] = model["vocab"]
    whole_pretokens = bool(model.get("ignore_merges"))
    form = _form(steps["normalizer"])
    if form is not None:
        steps = {**steps, "normalizer": steps["normalizer"][len(form.split()) :]}
    units = _read_units(model, steps, tokens, byte_level)
    added = [token for token in config.get("added_tokens") or [] if not token.get("special")]
    atoms, knows_space = _atoms(config.get("added_tokens") or [], added, units.space, bool(steps["normalizer"]))
    if form is not None and atoms:
        _check_form(form, atoms, config["added_tokens"])
    own = set(atoms.values())
    if whole_pretokens and units.secondary - own:
        raise TokenizerError("a whole pre-token may be one of several tokens")
    if not own.isdisjoint(token for token in units.byte_tokens or [] if token is not None):
        raise TokenizerError("an added token is a token for a byte")
    texts = {text.encode() for text in atoms}
    secondary = units.secondary - own
    if texts:
        # (most tokens are not in `texts`, and `compress` passes over these without Python's own code)
        secondary |= set(compress(count(), map(texts.__contains__, tokens))) - own
    # (added tokens whose text is in no decoded text are secondary, too)
    left = {token["id"] for token in added} - own
    secondary |= left - set(vocabulary.values()) if left else left
    splits = read_splits(steps["pre_tokenizer"], units.space)
    if units.missing and any(RARE.search(text) for split in splits for text in (split.pattern, *atoms)):
        raise TokenizerError("the pre-tokenizer or an added token names characters that no tokens spell")
    return ListedRules(
        vocabulary,
        merges,
        splits,
        units.byte_tokens,
        whole_pretokens,
        units.space,
        atoms,
        knows_space,
        frozenset(secondary),
        form,
        units.missing,
    )


def _merges(model: Mapping[str, Any]) -> Sequence[Any] | JsonText:
    """The merges of a model. Raises TokenizerError if it is not BPE, or encodes by chance."""
    if model.get("type", "BPE") != "BPE" or not isinstance(model.get("vocab"), dict | NameTable):
        raise TokenizerError("the model is not BPE")
    if model.get("dropout"):
        raise TokenizerError("dropout makes encoding a matter of chance")
    merges: Any = model.get("merges") or []
    if not isinstance(merges, list | JsonText):
        raise TokenizerError(f"merges is not a list but {type(merges).__name__}")
    return merges


def _form(normalizers: list[dict[str, Any]]) -> NormalForm | None:
    """The form that the first normalizers put a text into; None if the first one does something else."""
    types = [step["type"] for step in normalizers]
    # (forms with two parts are listed last)
    for form in reversed(FORMS):
        parts = form.split()
        if sorted(types[: len(parts)]) == sorted(parts):
            return form
    return None


def _check_form(form: NormalForm, atoms: Iterable[str], every: list[dict[str, Any]]) -> None:
    """Raises TokenizerError if an added token is not in the form. `atoms` and `every` are as for `_atoms`."""
    # (a special token with the flag `normalized` is itself normalized before it is looked for)
    others = [token["content"] for token in every if token.get("normalized")]
    if not all(is_normal(form, text) for text in (*atoms, *others)):
        raise TokenizerError(f"an added token is not in {form}")


class _Units(NamedTuple):
    """What a model works on: bytes written as letters, or characters. With letters `byte_tokens` and `space` are None.
    With characters nothing is `missing`."""

    byte_tokens: list[int | None] | None
    space: str | None
    secondary: set[int]
    missing: frozenset[int] = frozenset()


def _read_units(
    model: Mapping[str, Any],
    steps: Mapping[str, list[dict[str, Any]]],
    tokens: Sequence[bytes | None],
    byte_level: bool,
) -> _Units:
    vocabulary: Mapping[str, int] = model["vocab"]
    if byte_level:
        return _Units(None, None, *_check_letters(vocabulary, tokens, steps))
    space = _space(steps)
    byte_tokens = [vocabulary.get(f"<0x{value:02X}>") for value in range(256)]
    secondary = _check_characters(vocabulary, tokens, byte_tokens, space)
    if not model.get("byte_fallback"):
        raise TokenizerError("the model has no tokens for some characters")
    if any(step["type"] == "ByteLevel" for step in steps["pre_tokenizer"]):
        raise TokenizerError("the pre-tokenizer works on bytes, and the model does not")
    return _Units(byte_tokens, space, secondary)


def _bytes_of_letters(name: str) -> bytes | None:
    letters = byte_alphabet()
    return bytes([letters[one] for one in name]) if all(one in letters for one in name) else None


@cache
def byte_alphabet() -> Mapping[str, int]:
    """GPT-2's characters for the 256 bytes: printable Latin-1 stands for itself, the others are U+0100 and up."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in plain]
    return {chr(value): value for value in plain} | {chr(256 + k): value for k, value in enumerate(others)}


def _check_letters(
    vocabulary: Mapping[str, int], tokens: Sequence[bytes | None], steps: Mapping[str, list[dict[str, Any]]]
) -> tuple[set[int], frozenset[int]]:
    """Checks that the model works on letters. Returns two sets: the tokens that it cannot make, because their names
    have other characters; and the bytes that are no token."""
    before = steps["pre_tokenizer"]
    if steps["normalizer"] or not before or before[-1]["type"] != "ByteLevel":
        raise TokenizerError("the text is normalized, or its bytes do not become letters")
    letters = byte_alphabet()
    missing = set()
    for letter, value in letters.items():
        number = vocabulary.get(letter)
        if value in RARE_BYTES and number is None:
            missing.add(value)
        elif value in USED_BYTES and (number is None or tokens[number] != bytes([value])):
            raise TokenizerError(f"the byte {value:#04x} is no token")
    if isinstance(vocabulary, NameTable):
        unmade = {number for number in vocabulary.not_in_letters() if tokens[number]}
    else:
        others = re.compile("[^" + re.escape("".join(letters)) + "]")
        unmade = {number for name, number in vocabulary.items() if tokens[number] and others.search(name)}
    return unmade, frozenset(missing)


def _check_characters(
    vocabulary: Mapping[str, int],
    tokens: Sequence[bytes | None],
    byte_tokens: Sequence[int | None],
    space: str | None,
) -> set[int]:
    """Checks that the model works on characters. Returns the tokens that it never makes, or makes only if no other
    token has these bytes."""
    for value in USED_BYTES:
        number = byte_tokens[value]
        if number is None and (value >= 0x80 or chr(value) not in vocabulary):
            raise TokenizerError(f"the byte {value:#04x} is no token")
        if number is not None and tokens[number] != bytes([value]):
            raise TokenizerError(f"the token of the byte {value:#04x} is special")
    if space is not None and space not in vocabulary:
        raise TokenizerError("the space is no token")
    secondary = {number for number in byte_tokens if number is not None}
    if isinstance(vocabulary, NameTable) and isinstance(tokens, PackedTokens):
        suspects, spaced = vocabulary.of_one_byte(tokens), vocabulary.with_space()
    else:
        suspects = [(name, number) for name, number in vocabulary.items() if len(name) == 6]
        spaced = {number for name, number in vocabulary.items() if " " in name}
    for name, number in suspects:
        if len(tokens[number] or b"") == 1 and number not in secondary:
            raise TokenizerError(f"{name!r} is another token for a byte")
    return secondary if space is None else secondary | spaced


def _space(steps: Mapping[str, list[dict[str, Any]]]) -> str | None:
    """The character that stands for the space, if there is one. Checks that the decoder makes a space of this
    character, and of nothing else."""
    normalizers, before = steps["normalizer"], steps["pre_tokenizer"]
    found: list[str] = []
    for step in normalizers:
        if step["type"] != "Replace" or step["pattern"] != {"String": " "}:
            raise TokenizerError(f"normalizer {step['type']} is not read here")
        found.append(step["content"])
    found += [step.get("replacement", "\u2581") for step in before if step["type"] == "Metaspace"]
    back = []
    for step in steps["decoder"] or before:
        if step["type"] == "Metaspace":
            back.append((step.get("replacement", "\u2581"), " "))
        elif step["type"] == "Replace":
            back.append((step["pattern"].get("String"), step["content"]))
    if set(back) != {(one, " ") for one in found} or len(set(found)) > 1 or any(len(one) != 1 for one in found):
        raise TokenizerError("what stands for the space, by the normalizer and by the decoder, is not one character")
    return found[0] if found else None


def _atoms(
    every: list[dict[str, Any]], added: list[dict[str, Any]], space: str | None, replaced: bool
) -> tuple[dict[str, int], bool]:
    """The `atoms` and `knows_space` of `ListedRules`.

    `every` has all added tokens, `added` those that are not special. Tokens that are not normalized are found before
    those that are. Special tokens are found too, and then passed over. If one of these two facts can make a difference,
    TokenizerError is raised. `replaced` says whether normalizing puts `space` in place of each space. If so, a
    normalized token with a space or `space` in it is found whichever of the two the text has there. Any other token is
    found only where the text has exactly its characters.
    """
    atoms: dict[str, int] = {}
    knows_space = True
    if any(token.get(flag) for token in added for flag in ("lstrip", "rstrip", "single_word")):
        raise TokenizerError("an added token takes white space with it, or is found only as a whole word")
    for token in added:
        text = token["content"]
        if space is not None and not (replaced and token.get("normalized")):
            knows_space = knows_space and not {" ", space} & set(text)
            if space in text:
                continue
        if not text:
            raise TokenizerError("an added token is empty")
        atoms[text.replace(space or " ", " ")] = token["id"]
    _check_overlaps(every, added, space)
    return atoms, knows_space


def _check_overlaps(every: list[dict[str, Any]], added: list[dict[str, Any]], space: str | None) -> None:
    """Raises TokenizerError if a text may have two tokens that overlap, so that one of the `added` ones is not
    found, or if there are more than MAX_PAIRS pairs to compare."""
    texts: tuple[list[str], list[str]] = ([], [])
    for token in added:
        texts[bool(token.get("normalized"))].append(token["content"].replace(space or " ", " "))
    for other in every:
        if other.get("special"):
            # (One search finds special tokens and the other added tokens. It passes over a special token as a whole, so
            # no token that begins inside it is found.)
            text = other["content"].replace(space or " ", " ")
            for one in texts[bool(other.get("normalized"))]:
                if _begins_in(one, text):
                    raise TokenizerError(f"the added tokens {one!r} and {text!r} overlap")
    if len(texts[0]) * len(texts[1]) > MAX_PAIRS:
        raise TokenizerError("too many added tokens are normalized, and too many are not")
    for one, two in product(*texts):
        if _begins_in(one, two) or _begins_in(two, one):
            raise TokenizerError(f"the added tokens {one!r} and {two!r} overlap")


def _begins_in(text: str, other: str) -> bool:
    """Whether `text` may begin inside `other`: whether `other` contains it, or ends with a beginning of it."""
    at = other.find(text[:1])
    while at >= 0:
        if other.startswith(text, at) or text.startswith(other[at:]):
            return True
        at = other.find(text[:1], at + 1)
    return False
