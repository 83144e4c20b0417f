r"""The characters of those properties that the class byte of a character does not hold: \p{P}, \p{S}, \p{Han}, \p{Nd}.

    property_ranges("Han")      # ((0x2E80, 0x2E99), (0x2E9B, 0x2EF3), ...)

The characters are those that tiktoken's regular expressions match. The package `tokenizers` has the same ones.
pack_properties.py writes the file with these characters.

The name `w` is for \w. It has digits, connectors such as `_`, and letters in circles. The letters and marks of \w are
left out, because the class byte holds them. So are the characters of \w on which engines do not agree (pattern.py).

The name `Lowercase` is for the characters that the normalizer Lowercase of the package `tokenizers` changes. Python's
`str.lower` follows another version of Unicode.
"""

from __future__ import annotations

from functools import cache

from ffgrammar.core.errors import TokenizerError

__all__ = ["LOWERCASE", "PROPERTY_NAMES", "property_ranges"]

PROPERTY_NAMES = ("Han", "Nd", "P", "S", "w")
LOWERCASE = "Lowercase"
Ranges = tuple[tuple[int, int], ...]


@cache
def _all_ranges() -> dict[str, Ranges]:
    # (most patterns are read without them)
    import zlib
    from pathlib import Path

    path = Path(__file__).parent / "data" / "properties.bin"
    try:
        lines = zlib.decompress(path.read_bytes()).decode().splitlines()
        return {name: _ranges([int(one, 36) for one in steps]) for name, *steps in map(str.split, lines)}
    except (OSError, ValueError, zlib.error) as error:
        raise TokenizerError(f"character properties: cannot read {path}: {error}") from None


def _ranges(steps: list[int]) -> Ranges:
    found = []
    at = 0
    for skipped, more in zip(steps[::2], steps[1::2], strict=True):
        found.append((at + skipped, at + skipped + more))
        at += skipped + more + 1
    return tuple(found)


def property_ranges(name: str) -> Ranges:
    """The ranges (first, last) of the code points of a name of PROPERTY_NAMES or of LOWERCASE, ascending.

    Raises:
        TokenizerError: the file with the ranges is missing or damaged.
    """
    return _all_ranges()[name]
