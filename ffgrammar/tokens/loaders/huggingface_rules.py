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
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ffgrammar.core.collector import paused
from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.records import Record
from ffgrammar.tokens.loaders.added_tokens import atoms_of, check_form
from ffgrammar.tokens.loaders.huggingface_splits import WHOLE_TEXT, read_splits
from ffgrammar.tokens.loaders.huggingface_units import RARE, bytes_of_letters, read_units
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.vocabulary_json import JsonText
from ffgrammar.tokens.pretokenize.split import Split
from ffgrammar.tokens.vocabulary.normal_form import FORMS, NormalForm
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.loaders.packed_rules import PackedRules
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["ListedRules", "read_rules"]


class ListedRules(Record):
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
        renamed: see `Merges`.
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
    renamed: frozenset[int] | None = None

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
        # (a vocabulary is loaded without these modules)
        from ffgrammar.tokens.loaders.packed_rules import PackedRules
        from ffgrammar.tokens.pretokenize.table import automata_of

        splits = self._all_splits()
        if self.atoms:
            names = [name if self.space is None else name.replace(" ", self.space) for name in self.atoms]
            splits = [Split("", gaps=True, atoms=tuple(names)), *splits]
        atoms = list(self.atoms.values())
        return PackedRules(
            self._pairs(),
            self.ranks,
            automata_of(splits, self.space),
            self.byte_tokens,
            self.whole_pretokens,
            self.space,
            atoms,
            self.renamed,
        )

    def _all_splits(self) -> list[Split]:
        """The splits, or the cuts that the vocabulary implies where there is no pre-tokenizer."""
        if self.splits != [WHOLE_TEXT] or self.space is None or self.whole_pretokens or self.atoms:
            return self.splits
        from ffgrammar.tokens.loaders.implied_splits import implied_split

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
                text = bytes_of_letters(name)
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
    units = read_units(model, steps, tokens, byte_level)
    added = [token for token in config.get("added_tokens") or [] if not token.get("special")]
    atoms, knows_space = atoms_of(config.get("added_tokens") or [], added, units.space, bool(steps["normalizer"]))
    if form is not None and atoms:
        check_form(form, atoms, config["added_tokens"])
    own = set(atoms.values())
    if whole_pretokens and units.secondary - own:
        raise TokenizerError("a whole pre-token may be one of several tokens")
    if not own.isdisjoint(token for token in units.byte_tokens or [] if token is not None):
        raise TokenizerError("an added token is a token for a byte")
    texts = {text.encode() for text in atoms}
    secondary = units.secondary - own
    if texts and isinstance(tokens, PackedTokens):
        secondary |= tokens.find_all(texts) - own
    elif texts:
        secondary |= {number for number, text in enumerate(tokens) if text in texts} - own
    # (added tokens whose text is in no decoded text are secondary, too)
    left = {token["id"] for token in added} - own
    if left:
        secondary |= {number for number in left if not _is_named(vocabulary, number)}
    splits = read_splits(steps["pre_tokenizer"], units.space)
    if units.missing and any(re.search(RARE, text) for split in splits for text in (split.pattern, *atoms)):
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
        renamed=_renamed(config, units.byte_tokens, byte_level),
    )


def _renamed(
    config: Mapping[str, Any], byte_tokens: list[int | None] | None, byte_level: bool
) -> frozenset[int] | None:
    """The tokens whose bytes are not what the characters of their names stand for, one by one. None if they are not
    known. (A merge joins the names of two tokens. So it joins their bytes, unless one of the tokens is among these.)"""
    vocabulary = config["model"]["vocab"]
    if not isinstance(vocabulary, NameTable):
        return None
    found = {token["id"] for token in config.get("added_tokens") or []}
    found |= {token for token in byte_tokens or [] if token is not None}
    unknown = vocabulary.get(config["model"].get("unk_token"))
    if unknown is not None:
        found.add(unknown)
    if byte_level:
        found |= vocabulary.not_in_letters()
    return frozenset(found)


def _is_named(vocabulary: Mapping[str, int], number: int) -> bool:
    """Whether the model has a token with an id."""
    return (
        vocabulary.name_of(number) is not None if isinstance(vocabulary, NameTable) else number in vocabulary.values()
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
