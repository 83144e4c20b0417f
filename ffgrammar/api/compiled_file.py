"""The format of compiled files. A file holds what a front-end makes of a source (`GrammarIR`), and no caches.

    magic (8 bytes) | version u32 | sha256 of the rest (32 bytes) | the vocabulary's fingerprint (32 bytes) | zlib(JSON)

The checksum finds damage, not forgery. So the reader of the JSON (compiled_body.py) trusts nothing.
"""

from __future__ import annotations

import struct
import zlib

from ffgrammar.core.errors import CompiledFileError, FFGrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["dump", "read_file"]

MAGIC = b"FFGRAMR\n"
VERSION = 11
# What Python needs for a list that json has read, in bytes; and how many bytes all lists may need, for each byte that
# the unpacked text may have. (64 MB of "[]" take 1.6 GB.)
PART_BYTES = 72
MOST_BYTES = 8
HEADER = struct.Struct("<8sI32s32s")


def dump(grammar: GrammarIR, fingerprint: str) -> bytes:
    """The bytes of a compiled file.

    Args:
        grammar: what to write. No other thread may make expressions in its store meanwhile.
        fingerprint: `Tokenizer.fingerprint` of the vocabulary that the file is bound to.
    """
    # The modules are imported here and in the reader, so that programs without compiled files start sooner.
    import hashlib
    import json

    from ffgrammar.api.compiled_body import pack_body

    packed = zlib.compress(json.dumps(pack_body(grammar), separators=(",", ":")).encode())
    bound = bytes.fromhex(fingerprint)[:32].ljust(32, b"\0") + packed
    return HEADER.pack(MAGIC, VERSION, hashlib.sha256(bound).digest(), bound[:32]) + packed


def read_file(data: bytes, tokenizer: Tokenizer, limits: Limits) -> GrammarIR:
    """The grammar in a compiled file. Its expressions are in a new store.

    Args:
        data: the file's bytes.
        tokenizer: the vocabulary that the file must be bound to.
        limits: `source_bytes` bounds the unpacked text, and what Python makes of it. `rules`, and the bounds of
            expressions, hold for what is built of the text.

    Raises:
        CompiledFileError: the file is truncated, damaged, malformed, of another version, for another vocabulary, or
            over a limit.
    """
    import json

    from ffgrammar.api.compiled_body import read_body

    _check_header(data, tokenizer)
    try:
        unpacker = zlib.decompressobj()
        # A bound of 0 would mean "no bound" to zlib.
        text = unpacker.decompress(data[HEADER.size :], max(1, limits.source_bytes))
        if unpacker.unconsumed_tail:
            raise CompiledFileError(
                f"the compiled grammar, unpacked, is larger than the limit source_bytes={limits.source_bytes}"
            )
        if PART_BYTES * (text.count(b"[") + text.count(b"{")) > MOST_BYTES * limits.source_bytes:
            raise CompiledFileError(
                "the compiled grammar, unpacked, has more parts than a text can have whose length is within the limit "
                f"source_bytes={limits.source_bytes}"
            )
        return read_body(json.loads(text), tokenizer, limits)
    except CompiledFileError:
        raise
    except (FFGrammarError, ValueError, TypeError, KeyError, IndexError, RecursionError, zlib.error) as error:
        raise CompiledFileError(f"the compiled grammar is malformed: {error}") from error


def _check_header(data: bytes, tokenizer: Tokenizer) -> None:
    import hashlib

    if not data.startswith(MAGIC[: len(data)] or MAGIC):
        raise CompiledFileError("this is not a compiled grammar")
    if len(data) < HEADER.size:
        raise CompiledFileError("the compiled grammar is truncated")
    _, version, digest, fingerprint = HEADER.unpack_from(data)
    if version != VERSION:
        raise CompiledFileError(
            f"compiled by another version of ffgrammar (the file has format {version}, this version reads {VERSION})"
        )
    if hashlib.sha256(data[HEADER.size - 32 :]).digest() != digest:
        raise CompiledFileError("the compiled grammar is truncated or damaged: its checksum does not fit")
    if fingerprint != bytes.fromhex(tokenizer.fingerprint)[:32].ljust(32, b"\0"):
        raise CompiledFileError(
            f"compiled for another vocabulary than that of {tokenizer.name}: use the tokenizer that it was compiled "
            "for, or compile it again for this one"
        )
