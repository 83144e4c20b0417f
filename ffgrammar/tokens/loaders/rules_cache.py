"""Rules of tokenizers in files, kept beside the vocabularies of these files (vocabulary_cache.py), so that the next
process need not read a file for its rules.

    rules = kept_rules(key, trie, files)      # None: not there, damaged, or of a file that has changed
    keep_rules(key, packed, rules, files)     # never fails

An entry has a header as a vocabulary has, then the automata of the pre-tokenizer, then the merges, three words for
each, and then the parts of all tokens. It is of use only with the same key and the same files as the vocabulary. What
is read is checked, so no content of an entry can make the process crash.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe.packed_parts import pack_parts, pairs_fit
from ffgrammar.tokens.loaders.identity import Identity
from ffgrammar.tokens.loaders.packed_rules import PackedRules
from ffgrammar.tokens.loaders.vocabulary_cache import SUFFIX, CacheKey, read_sealed, write_sealed
from ffgrammar.tokens.pretokenize.packed_automata import pack_automata, unpack_automata

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["keep_rules", "kept_rules"]


def _of_rules(key: CacheKey) -> CacheKey:
    path, call = key
    return f"{path.removesuffix(SUFFIX)}-rules{SUFFIX}", call


def keep_rules(key: CacheKey, packed: PackedRules, rules: CanonicalRules, files: Sequence[Identity]) -> None:
    """Write an entry. Where that is not possible, or the merges do not fit the vocabulary, nothing happens.

    Args:
        key: that of the vocabulary's entry.
        packed: what the rules were made of.
        rules: the rules.
        files: what `identify` said of the files before they were read.
    """
    pairs = packed.pairs
    if packed.ranks is not None:
        return
    if not isinstance(pairs, bytes):
        pairs = array("I", chain.from_iterable(pairs)).tobytes()
    if pairs_fit(rules.trie, pairs):
        fields = packed._asdict()
        del fields["pairs"], fields["ranks"], fields["parts"], fields["automata"], fields["renamed"]
        automata = pack_automata(packed.automata)
        sizes = {"automata_bytes": len(automata), "bytes": len(pairs)}
        write_sealed(_of_rules(key), {**fields, **sizes}, automata + pairs + pack_parts(rules.merges), files)


def kept_rules(key: CacheKey, trie: TokenTrie, files: Sequence[Identity]) -> CanonicalRules | None:
    """The rules in an entry; None if it is not there, damaged or of other files. For `key` and `files` see
    `keep_rules`; `trie` is the vocabulary."""
    try:
        found = read_sealed(_of_rules(key), files)
        if found is None:
            return None
        header, rest = found
        at, size = header["automata_bytes"], header["bytes"]
        automata = unpack_automata(bytes(rest[:at]))
        pairs, parts = bytes(rest[at : at + size]), bytes(rest[at + size :])
        byte_tokens = header["byte_tokens"]
        if not pairs_fit(trie, pairs) or (byte_tokens is not None and len(byte_tokens) != 256):
            return None
        space = None if header["space"] is None else str(header["space"])
        packed = PackedRules(
            pairs, None, automata, byte_tokens, bool(header["whole_pretokens"]), space, header["atoms"], parts=parts
        )
        return packed.make(trie)
    except (OSError, TokenizerError, LookupError, TypeError, ValueError, OverflowError, RecursionError):
        return None
