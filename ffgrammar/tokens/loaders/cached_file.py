"""The tokenizer in a file: its vocabulary from the cache, if it is there, else from the file.

    parts = cached_parts(path, Source("from_file", {"path": "x", "vocab_size": None}), read)

If the vocabulary is from the cache, the file is read only when the rules or the encoder are needed. It must not have
changed until then. Modules that only this reading needs are imported then, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.put_off import put_off
from ffgrammar.tokens.loaders.identity import Identity, identify, is_settled
from ffgrammar.tokens.loaders.late_reading import LateReading
from ffgrammar.tokens.loaders.parts import TokenizerParts
from ffgrammar.tokens.loaders.source import Source
from ffgrammar.tokens.loaders.vocabulary_cache import (
    CacheKey,
    cache_key,
    read_entry,
    write_entry,
)

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.loaders.huggingface_rules import ListedRules
    from ffgrammar.tokens.loaders.reading import ReadTokenizer
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["cached_parts"]

# Files beside the tokenizer's file that may say something of the tokenizer, such as which tokens end a text. Loaders
# read no files but these and the tokenizer's own.
BESIDE = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "config.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
)
# To read a file smaller than this takes no longer than to read an entry of the cache.
MIN_BYTES = 1 << 18


def cached_parts(path: str, source: Source, read: Callable[[str], ReadTokenizer]) -> TokenizerParts:
    """The parts of the tokenizer in a file.

    Args:
        path: the file.
        source: the call that makes the tokenizer, with its arguments as JSON values; `vocab_size` is one of them.
        read: reads the file at a path. Of other files, it may read those of BESIDE only.

    Raises:
        TokenizerError: the file cannot be read.
    """
    # (absolute, because the process may be in another directory when the file is read later)
    folder, own = os.path.split(os.path.abspath(path))
    paths = [os.path.join(folder, name) for name in (own, *BESIDE)]
    files = identify(paths)
    key = None
    if files[0] is not None and files[0][2] >= MIN_BYTES and is_settled(files):
        # (the key has the path as given, too, because messages of loaders name it)
        key = cache_key(paths[0], [path, source.maker, source.arguments])
    kept = None if key is None else read_entry(key, files)
    if kept is not None and key is not None:
        parts, has_encoder, has_rules = kept
        _read_late(parts, has_encoder, has_rules, key, files, lambda: _read_same(paths, files, read))
    else:
        from ffgrammar.tokens.loaders.build import build_parts

        parts = build_parts(_keeping(read(path), key, files), source.arguments["vocab_size"], keep_form=True)
        if key is not None and identify(paths) == files:
            write_entry(key, parts, files)
        parts.trie.drop_form()
    parts.source = Source(source.maker, source.arguments, tuple(paths), tuple(files))
    return parts


def _read_same(paths: Sequence[str], files: Sequence[Identity], read: Callable[[str], ReadTokenizer]) -> ReadTokenizer:
    """Reads the first of `paths`. Raises TokenizerError if a path no longer has its identity in `files`."""
    if identify(paths) == files:
        found = read(paths[0])
        if identify(paths) == files:
            return found
    raise TokenizerError(
        f"{paths[0]} is gone or has changed since its vocabulary was loaded, or a file beside it has; "
        "load the tokenizer again"
    )


class KeepingRules:
    """Rules of a file that are kept some time after they are made: see `Rules`.

    Args:
        listed: the rules.
        key, files: as in `keep_rules`.
    """

    def __init__(self, listed: ListedRules, key: CacheKey, files: Sequence[Identity]) -> None:
        self._listed = listed
        self._key = key
        self._files = files
        self.secondary = listed.secondary
        self.knows_space = listed.knows_space
        self.form = listed.form

    def make(self, trie: TokenTrie) -> CanonicalRules:
        """See `Rules.make`."""
        from ffgrammar.tokens.loaders.rules_cache import keep_rules

        rules, packed = self._listed.make_packed(trie)
        # (the first mask is not to wait for this)
        put_off(partial(keep_rules, self._key, packed, rules, self._files))
        return rules


def _keeping(read: ReadTokenizer, key: CacheKey | None, files: Sequence[Identity]) -> ReadTokenizer:
    """What was read, with rules that are kept when they are made, if they can be."""
    from ffgrammar.tokens.loaders.huggingface_rules import ListedRules

    if key is None or not isinstance(read.rules, ListedRules):
        return read
    return read._replace(rules=KeepingRules(read.rules, key, files))


def _read_late(
    parts: TokenizerParts,
    has_encoder: bool,
    has_rules: bool,
    key: CacheKey,
    files: Sequence[Identity],
    read: Callable[[], ReadTokenizer],
) -> None:
    """Gives parts from the cache an encoder and rules, which read the file when they are needed. `has_encoder` and
    `has_rules` say whether there are any; `read` reads the file."""

    def rules() -> CanonicalRules | None:
        from ffgrammar.tokens.loaders.rules_cache import kept_rules

        return kept_rules(key, parts.trie, files)

    late = LateReading(lambda: _keeping(read(), key, files), parts.trie, rules)
    parts.encoder = late if has_encoder else None
    parts.rules = late.rules if has_rules else None
