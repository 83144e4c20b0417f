r"""The characters of properties that the class byte of a character does not tell: \p{P}, \p{S}, \p{Han} and \p{Nd}.

    property_ranges("Han")      # ((0x2E80, 0x2E99), (0x2E9B, 0x2EF3), ...)

They are the characters that tiktoken's regular expressions and those of the package `tokenizers` agree on.
`python -m ffgrammar.tokens.pretokenize.properties OUT.bin` asks tiktoken, as pack_classes.py does, and writes the file.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from pathlib import Path

from ffgrammar.core.errors import TokenizerError

__all__ = ["PROPERTY_NAMES", "pack_properties", "property_ranges"]

PROPERTY_NAMES = ("Han", "Nd", "P", "S")
Ranges = tuple[tuple[int, int], ...]


@cache
def _all_ranges() -> dict[str, Ranges]:
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
    """The ranges (first, last) of the code points of a property of PROPERTY_NAMES, ascending.

    Raises:
        TokenizerError: the file with the ranges is missing or damaged.
    """
    return _all_ranges()[name]


def pack_properties(properties: Iterable[tuple[str, Iterable[int]]]) -> bytes:
    """Names and the ascending code points of each, compressed: a line for each name, with how many code points are left
    out before each range, and how many more than one the range has; both numbers in base 36."""
    lines = []
    for name, codes in properties:
        steps = [name]
        at = 0
        # (code points that follow each other have the same difference to their position)
        for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0]):
            members = [code for _, code in run]
            steps += [_base36(members[0] - at), _base36(len(members) - 1)]
            at = members[-1] + 1
        lines.append(" ".join(steps))
    return zlib.compress("\n".join(lines).encode(), 9)


def _members(name: str) -> list[int]:
    """The code points of a property, ascending, as the installed tiktoken has them."""
    import tiktoken

    single_bytes = {bytes([value]): value for value in range(256)}
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    pattern = rf"\p{{{name}}}"
    encoding = tiktoken.Encoding("property", pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={})
    return [ord(one) for one in bytes(encoding.encode_ordinary(everything)).decode()]


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def main(arguments: list[str]) -> int:
    """Run the command. Returns the exit code."""
    if len(arguments) != 1:
        print("usage: python -m ffgrammar.tokens.pretokenize.properties OUT.bin", file=sys.stderr)
        return 2
    packed = pack_properties((name, _members(name)) for name in PROPERTY_NAMES)
    try:
        Path(arguments[0]).write_bytes(packed)
    except OSError as error:
        print(f"ffgrammar: {error}", file=sys.stderr)
        return 2
    print(f"{arguments[0]}: {len(packed)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
