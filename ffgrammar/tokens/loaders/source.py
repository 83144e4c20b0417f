"""Where a tokenizer came from: what a pickle of it says, and how it is made again.

    source = Source("from_tiktoken", {"encoding": "cl100k_base"})
    state = to_pickle(source, fingerprint)
    tok = from_pickle(Tokenizer, *state)

A pickle has no vocabulary, except that of `from_tokens`. It names an embedded encoding, or the path of a file; or it
has the object of another package, which pickles itself. Two checks make sure that the tokenizer is the same: its
fingerprint, and a checksum of all files that may be read, because the fingerprint says nothing of merges and patterns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.identity import Identity, identify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MAKERS", "Source", "from_pickle", "to_pickle"]

MAKERS = ("from_tiktoken", "from_huggingface", "from_file", "from_tokens")

# The vocabulary of a GGUF file stands before the model. Only so many bytes from the start of the file are checked.
GGUF_BYTES = 64 << 20
CHUNK = 1 << 18


class Source:
    """A call that makes a tokenizer. (No NamedTuple: the first one of a process takes a millisecond.)

    Attributes:
        maker: the name of the method of `Tokenizer`.
        arguments: the arguments of the call, by name.
        files: the paths of the files that the call may read; () if it reads none.
        identities: what `identify` said of these files before they were read.
    """

    def __init__(
        self,
        maker: str,
        arguments: Mapping[str, Any],
        files: tuple[str, ...] = (),
        identities: tuple[Identity, ...] = (),
    ) -> None:
        self.maker = maker
        self.arguments = arguments
        self.files = files
        self.identities = identities


def to_pickle(source: Source, fingerprint: str) -> tuple[str, dict[str, Any], str, tuple[str, ...], str]:
    """What a pickle says of a tokenizer: the arguments of `from_pickle` after the first.

    Raises:
        TokenizerError: a file of the source cannot be read, is gone or has changed since it was read.
    """
    total = _checksum(source.files)
    if identify(source.files) != list(source.identities):
        raise TokenizerError(f"{source.files[0]} is gone or has changed since it was loaded: it cannot be pickled")
    return source.maker, dict(source.arguments), fingerprint, source.files, total


def from_pickle(
    cls: Any, maker: str, arguments: dict[str, Any], fingerprint: str, files: tuple[str, ...], total: str
) -> Any:
    """Make a tokenizer again.

    Args:
        cls: the class of the tokenizer.
        maker, arguments: the call that made it.
        fingerprint: of its vocabulary.
        files, total: the files that the call may read, and their checksum.

    Raises:
        TokenizerError: the source is gone or has changed, or the pickle is damaged.
    """
    if maker not in MAKERS or not isinstance(arguments, dict) or not isinstance(files, tuple):
        raise TokenizerError("the pickle of a tokenizer is damaged")
    if _checksum(files) != total:
        raise TokenizerError(f"{files[0]} is gone or has changed since the tokenizer was pickled")
    try:
        made = getattr(cls, maker)(**arguments)
    except TypeError as error:
        raise TokenizerError(f"the pickle of a tokenizer is damaged: {error}") from None
    except TokenizerError as error:
        raise TokenizerError(f"a pickled tokenizer cannot be made again: {error}") from error
    if made.fingerprint != fingerprint:
        raise TokenizerError(f"a pickled tokenizer cannot be made again: {made.name} has another vocabulary now")
    return made


def _checksum(files: Sequence[str]) -> str:
    """A checksum of the content of files, and of which of them are missing. Raises TokenizerError if a file cannot be
    read."""
    import hashlib

    digest = hashlib.sha256()
    for path in files:
        try:
            with open(path, "rb", buffering=0) as file:
                digest.update(b"%d bytes\n" % _add_content(digest, file))
        except FileNotFoundError:
            digest.update(b"none\n")
        except (OSError, ValueError, TypeError) as error:
            raise TokenizerError(f"cannot read {str(path)[:100]!r}: {error}") from None
    return digest.hexdigest()


def _add_content(digest: Any, file: Any) -> int:
    """Adds the content of a file to the checksum, or its first GGUF_BYTES if it is a GGUF file. Returns how many bytes
    were added."""
    buffer = bytearray(CHUNK)
    total = 0
    most = None
    while (most is None or total < most) and (size := file.readinto(buffer)):
        if total == 0 and buffer.startswith(b"GGUF"):
            most = GGUF_BYTES
        digest.update(memoryview(buffer)[:size])
        total += size
    return total
