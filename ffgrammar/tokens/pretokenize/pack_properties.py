r"""The command that writes the characters of properties (properties.py):

    python -m ffgrammar.tokens.pretokenize.pack_properties OUT.bin

It asks tiktoken, as pack_classes.py does, and `tokenizers` what it changes to lower case. OUT.bin belongs into data/ as
properties.bin.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from ffgrammar.tokens.pretokenize.properties import LOWERCASE, PROPERTY_NAMES

__all__ = ["pack_properties"]

EVERY_CHARACTER = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def pack_properties(properties: Iterable[tuple[str, Iterable[int]]]) -> bytes:
    """Properties, compressed: a line for each. The line has the property's name, and two numbers in base 36 for each
    range of its code points: how many code points are left out before the range, and how many it has, less one.

    Args:
        properties: (name, code points in ascending order).
    """
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
    """The code points of a name of PROPERTY_NAMES, ascending, as the installed tiktoken has them."""
    import tiktoken

    single_bytes = {bytes([value]): value for value in range(256)}
    pattern = r"[\w&&[^\p{L}\p{M}\u200c\u200d]]" if name == "w" else rf"\p{{{name}}}"
    encoding = tiktoken.Encoding("property", pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={})
    return [ord(one) for one in bytes(encoding.encode_ordinary(EVERY_CHARACTER)).decode()]


def _changed_to_lower_case() -> list[int]:
    """The code points that the installed `tokenizers` changes to lower case, ascending."""
    from tokenizers.normalizers import Lowercase

    lower = Lowercase().normalize_str
    return [ord(one) for one in EVERY_CHARACTER if lower(one) != one]


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def main(arguments: list[str]) -> int:
    """Run the command. Returns the exit code."""
    if len(arguments) != 1:
        print("usage: python -m ffgrammar.tokens.pretokenize.pack_properties OUT.bin", file=sys.stderr)
        return 2
    found = [(name, _members(name)) for name in PROPERTY_NAMES]
    packed = pack_properties([*found, (LOWERCASE, _changed_to_lower_case())])
    try:
        Path(arguments[0]).write_bytes(packed)
    except OSError as error:
        print(f"ffgrammar: {error}", file=sys.stderr)
        return 2
    print(f"{arguments[0]}: {len(packed)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
