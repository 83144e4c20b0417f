"""What kind of file a tokenizer is in, by its content. Names say little: a `tokenizer.model` may be of two kinds.

| the file begins with | it is |
|---|---|
| `{` | a tokenizer.json, or a tekken.json if it says how many special tokens come first |
| a token in base64 and a rank | a rank file of tiktoken or Llama |
| an id, a token as a Python literal and a size | a word list of RWKV |
| `GGUF` | a GGUF file |
| a line break (in a protocol buffer, this byte begins a piece) | a model of sentencepiece |
"""

from __future__ import annotations

import re
from io import FileIO
from os import PathLike
from typing import Literal

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.records import Record
from ffgrammar.core.whole_file import read_whole
from ffgrammar.tokens.loaders.model_folder import find_path

__all__ = ["TokenizerFile", "find_file", "unreadable"]

# (not compiled when it is imported, because most files are JSON)
WORD_LINE = rb"\d+ b?(['\"]).*\1 \d+\s*\n"
RANK_LINE = rb"[A-Za-z0-9+/]+=* \d+\s*\n"


class TokenizerFile(Record):
    """A file of a known kind. `data` is its content, or b"" for a GGUF file. (The content is kept because a pipe cannot
    be read twice.)"""

    path: str
    kind: Literal["huggingface", "tekken", "ranks", "words", "sentencepiece", "gguf"]
    data: bytes


def unreadable(path: str, error: OSError | ValueError) -> TokenizerError:
    """The error for a path that cannot be read. If nothing is there, it says that a name is not looked up elsewhere. If
    the path looks like JSON, it says that a path is needed."""
    if path.lstrip().startswith("{"):
        return TokenizerError("this is the text of a tokenizer.json; give the path of the file")
    reason = error.strerror if isinstance(error, OSError) else error
    advice = ""
    if isinstance(error, FileNotFoundError):
        # (a name such as OWNER/MODEL reads as a path, too)
        advice = "; nothing is fetched: give the path of a tokenizer's file or of a model's folder on this machine"
    return TokenizerError(f"cannot read {path[:100]!r}: {reason}{advice}")


def _whole(file: FileIO, start: bytes) -> bytes:
    """The content of a file of which `start` has been read. (What is joined of two pieces is copied, so a file is read
    again from its start, if it is no pipe.)"""
    if not file.seekable():
        return start + file.readall()
    file.seek(0)
    return read_whole(file)


def find_file(place: str | PathLike[str]) -> TokenizerFile:
    """The tokenizer in a file or a model's folder.

    Raises:
        TokenizerError: the file cannot be read, or is of no kind that is read here. The message lists the known kinds.
    """
    path = find_path(place)
    try:
        with FileIO(path) as file:
            # (a GGUF file is not read here: it may have a model of many gigabytes)
            data = file.read(4)
            if data != b"GGUF":
                data = _whole(file, data)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    head = data[:4096]
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return TokenizerFile(path, "tekken" if b'"default_num_special_tokens"' in head else "huggingface", data)
    if re.match(RANK_LINE, head):
        return TokenizerFile(path, "ranks", data)
    if re.match(WORD_LINE, head):
        return TokenizerFile(path, "words", data)
    if head.startswith(b"GGUF"):
        return TokenizerFile(path, "gguf", b"")
    if head.startswith(b"\n"):
        return TokenizerFile(path, "sentencepiece", data)
    raise TokenizerError(
        f"{path}: neither a tokenizer.json, a tekken.json, a rank file of tiktoken, a word list of RWKV, a model of "
        "sentencepiece nor a GGUF file"
    )
