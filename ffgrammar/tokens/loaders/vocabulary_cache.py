"""Vocabularies of files, kept in the user's cache directory, so that the next process need not read the file again.

    key = cache_key(path, options)          # None: there is no cache
    entry = read_entry(key, files)          # None: not there, damaged, or of a file that has changed
    write_entry(key, parts, files)          # never fails: where nothing can be written, nothing is kept

An entry is one file. It has the vocabulary in front-coded form (vocabulary/pack.py). Its header says what else is known
of the tokenizer:

    magic (8 bytes) | checksum of the rest, u64 | length of the header, u32 | header, JSON | the front-coded tokens

An entry is of use only if all of this is the same: the path and the options of the call; the code that makes entries;
and the tokenizer's file and the files beside it (identity.py). The vocabulary of a file that was changed less than two
seconds ago is not kept.

Entries are written under another name and then renamed, so a process finds all of an entry or nothing. An entry that is
damaged, that belongs to another user, or that others may write to is not read, and is written anew. What is read is
checked like an embedded vocabulary, so no content of an entry can make the process crash. (Whoever can write files as
this user could as well change the program.)
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Sequence
from typing import Any

from ffgrammar.core import cython_shared  # type: ignore[attr-defined]  # (setup.py makes it)
from ffgrammar.core.checksum import checksum
from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.whole_file import read_whole
from ffgrammar.tokens.loaders.identity import Identity
from ffgrammar.tokens.loaders.parts import TokenizerParts
from ffgrammar.tokens.vocabulary.special import check_eos, check_special_tokens
from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = [
    "SUFFIX",
    "CacheKey",
    "cache_folder",
    "cache_key",
    "read_entry",
    "read_sealed",
    "write_entry",
    "write_sealed",
]

VARIABLE = "FFGRAMMAR_CACHE"
MAGIC = b"FFVOCAB4"
SUFFIX = ".vocab"
DIGEST = 8
# The most bytes of all entries together. Entries that were used last are kept, as far as they fit.
MAX_BYTES = 256 << 20
MAX_ENTRY = 64 << 20
# A file that is as old as this and has not been renamed was left by a process that is gone.
ABANDONED_S = 3600.0
# (where modules are no files, there is no cache)
LIBRARY = getattr(cython_shared, "__file__", "")
# Sources of compiled modules. They do nothing themselves, and to ask about all of them would take a third of a
# millisecond.
SOURCES = (".pyx", ".pxd", ".pyi")
# The folders of the code that makes entries, apart from this one.
CODE = ("bpe", "pretokenize", os.path.join("pretokenize", "data"), "vocabulary")

# What finds an entry: its path, and the call that it is for, as JSON. (The path has a checksum of the call, but another
# call may have the same checksum.)
CacheKey = tuple[str, str]


def cache_folder() -> str | None:
    """The directory of the entries; None if the user wants no cache, or there is no directory for it."""
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return None if chosen in ("", "off") else os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    return os.path.join(base, "ffgrammar") if os.path.isabs(base) else None


def _code() -> list[tuple[str, int, int]]:
    """A list that differs between versions and builds of the code that makes entries."""
    here = os.path.dirname(os.path.abspath(__file__))
    # (the code of all compiled modules may be in one library)
    about = [(os.path.basename(LIBRARY), os.stat(LIBRARY))]
    for folder in (here, *(os.path.join(os.path.dirname(here), name) for name in CODE)):
        with os.scandir(folder) as entries:
            about += [(one.name, one.stat()) for one in entries if one.is_file() and not one.name.endswith(SOURCES)]
    return sorted((name, one.st_size, one.st_mtime_ns) for name, one in about)


def cache_key(path: str, options: Sequence[Any]) -> CacheKey | None:
    """The key of an entry; None if there is no cache, or no entry can be made for these options.

    Args:
        path: the tokenizer's file.
        options: what else decides what is read from the file, as JSON values.
    """
    folder = cache_folder()
    if folder is None:
        return None
    try:
        call = json.dumps([os.path.abspath(path), *options])
        code = repr(_code())
    except (OSError, TypeError, ValueError):
        return None
    name = "".join(f"{checksum(text.encode('utf-8', 'surrogatepass')):016x}" for text in (call, code))
    return os.path.join(folder, name + SUFFIX), call


def read_entry(key: CacheKey, files: Sequence[Identity]) -> tuple[TokenizerParts, bool, bool] | None:
    """(the parts in an entry, without an encoder and rules, whether the tokenizer has an encoder, whether it has
    rules); None if the entry is not there, damaged or of other files.

    Args:
        key: from `cache_key`.
        files: what `identify` says of the files now.
    """
    try:
        found = read_sealed(key, files)
        return None if found is None else _unpack(*found)
    except (OSError, TokenizerError, LookupError, TypeError, ValueError, OverflowError, RecursionError):
        return None


def read_sealed(key: CacheKey, files: Sequence[Identity]) -> tuple[dict[str, Any], memoryview] | None:
    """The header of an entry and what follows it; None if it is not there, or of other files. If the entry is damaged,
    returns None or raises an error of one of several classes. The arguments are as in `read_entry`."""
    path, call = key
    data = _read_own_file(path)
    if data is None:
        return None
    start = len(MAGIC) + DIGEST
    view = memoryview(data)
    if data[: len(MAGIC)] != MAGIC or checksum(view[start:]) != int.from_bytes(data[len(MAGIC) : start], "little"):
        return None
    size = int.from_bytes(data[start : start + 4], "little")
    header = json.loads(data[start + 4 : start + 4 + size])
    if (header["key"], header["call"]) != (os.path.basename(path), call):
        return None
    if [one and tuple(one) for one in header["files"]] != list(files):
        return None
    # (`_make_room` deletes the entries with the latest times last)
    os.utime(path)
    return header, view[start + 4 + size :]


def _read_own_file(path: str) -> bytes | None:
    """What is in a file that belongs to this user and that no other user can write to; else None."""
    try:
        # (never wait for a pipe, or follow a link to somewhere else)
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        one = os.fstat(handle)
        own = stat.S_ISREG(one.st_mode) and one.st_uid == os.geteuid() and not one.st_mode & 0o022
        if not own or one.st_size > MAX_ENTRY:
            return None
        with open(handle, "rb", buffering=0, closefd=False) as file:
            return read_whole(file)
    except OSError:
        return None
    finally:
        os.close(handle)


def _unpack(header: dict[str, Any], tokens: memoryview) -> tuple[TokenizerParts, bool, bool] | None:
    """What `read_entry` returns. If the entry is damaged, returns None or raises an error of one of several classes."""
    if header["normal_form"] is not None:
        from ffgrammar.tokens.vocabulary.normal_form import FORMS

        if header["normal_form"] not in FORMS:
            return None
    special_tokens = dict(header["special_tokens"])
    check_special_tokens(special_tokens)
    eos = check_eos(header["eos_token_ids"], header["vocab_size"])
    long_tokens = [(number, bytes.fromhex(text)) for number, text in header["long_tokens"]]
    trie = TokenTrie.from_front_coded(tokens, header["count"], header["vocab_size"], long_tokens, bool(header["wide"]))
    if any(trie.token_bytes(number) for number in [*special_tokens.values(), *eos]):
        return None
    parts = TokenizerParts(
        trie,
        special_tokens,
        eos,
        str(header["name"]),
        reason=str(header["reason"]),
        normal_form=header["normal_form"],
        adds_prefix_space=bool(header["adds_prefix_space"]),
        strips_first_space=bool(header["strips_first_space"]),
    )
    return parts, bool(header["has_encoder"]), bool(header["has_rules"])


def write_entry(key: CacheKey, parts: TokenizerParts, files: Sequence[Identity]) -> None:
    """Write an entry. Where that is not possible, nothing happens.

    Args:
        key: from `cache_key`.
        parts: the parts of the tokenizer.
        files: what `identify` said of the files before they were read.
    """
    raw, count, long_tokens, wide = parts.trie.front_coded()
    fields = {
        "special_tokens": dict(parts.special_tokens),
        "eos_token_ids": parts.eos_token_ids,
        "name": parts.name,
        "reason": parts.reason,
        "normal_form": parts.normal_form,
        "adds_prefix_space": parts.adds_prefix_space,
        "strips_first_space": parts.strips_first_space,
        "has_encoder": parts.encoder is not None,
        "has_rules": parts.rules is not None,
        "vocab_size": parts.trie.vocab_size,
        "count": count,
        "wide": wide,
        "long_tokens": [(number, text.hex()) for number, text in long_tokens],
    }
    write_sealed(key, fields, raw, files)


def write_sealed(key: CacheKey, fields: dict[str, Any], data: bytes | bytearray, files: Sequence[Identity]) -> None:
    """Write an entry. Where that is not possible, nothing happens.

    Args:
        key, files: as in `write_entry`.
        fields: its header, as JSON values.
        data: what follows the header.
    """
    path, call = key
    header = json.dumps({**fields, "key": os.path.basename(path), "call": call, "files": files}).encode()
    entry = bytearray(MAGIC + bytes(DIGEST) + len(header).to_bytes(4, "little") + header)
    start = len(MAGIC) + DIGEST
    if len(entry) + len(data) <= MAX_ENTRY:
        entry += data
        entry[len(MAGIC) : start] = checksum(memoryview(entry)[start:]).to_bytes(DIGEST, "little")
        _write(path, entry)


def _write(path: str, data: bytearray) -> None:
    folder = os.path.dirname(path)
    other = os.path.join(folder, f".{os.getpid()}-{os.urandom(8).hex()}{SUFFIX}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        try:
            with open(os.open(other, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
                file.write(data)
            os.replace(other, path)
        except OSError:
            os.unlink(other)
        _make_room(folder)
    except OSError:
        pass


def _make_room(folder: str) -> None:
    """Keeps the entries that were used last, as far as they fit into MAX_BYTES, and deletes the others. Also deletes
    files that were left before they were renamed."""
    entries = []
    with os.scandir(folder) as found:
        for one in found:
            if one.name.endswith(SUFFIX) and one.is_file(follow_symlinks=False):
                about = one.stat(follow_symlinks=False)
                entries.append((about.st_mtime, about.st_size, one.path))
    entries.sort(reverse=True)
    total = 0
    for used, size, path in entries:
        total += size
        abandoned = os.path.basename(path).startswith(".") and used + ABANDONED_S < time.time()
        if total > MAX_BYTES or abandoned:
            total -= size
            os.unlink(path)
