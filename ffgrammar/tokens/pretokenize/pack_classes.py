"""Writes the table of character classes that the pre-tokenizers use:

    python -m ffgrammar.tokens.pretokenize.pack_classes OUT.bin

The classes are what tiktoken's own regex engine makes of \\p{L}, \\p{N} and the rest. Its Unicode version differs from
those of Python and of the regex package. So tiktoken itself is asked, and must be installed. It is given an encoding
whose tokens are the 256 bytes and whose pattern is one class. With this encoding, it leaves out the characters of a
text that are not in the class.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

__all__ = ["CLASSES", "class_table", "pack_classes"]

# The bit of the class byte, by pattern. `builtin.pyx` gives names to these bits.
CLASSES = {
    r"\p{Lu}|\p{Lt}": 1,
    r"\p{Ll}": 2,
    r"\p{Lm}|\p{Lo}": 4,
    r"\p{M}": 8,
    r"\p{N}": 16,
    r"\s": 32,
    r"\r|\n": 64,
    r"\p{P}|\p{S}": 128,
}
BLOCK = 256


def class_table() -> bytearray:
    """The class byte of each of the 0x110000 code points, as the installed tiktoken has it; 0 for surrogates."""
    import tiktoken

    single_bytes = {bytes([value]): value for value in range(256)}
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    table = bytearray(0x110000)
    for pattern, bit in CLASSES.items():
        encoding = tiktoken.Encoding("class", pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={})
        for character in bytes(encoding.encode_ordinary(everything)).decode():
            table[ord(character)] |= bit
    return table


def pack_classes(table: bytes | bytearray) -> bytes:
    """The table in two stages, compressed: the block number for each 256 code points, then the different blocks."""
    blocks: dict[bytes, int] = {}
    first = bytearray()
    for start in range(0, len(table), BLOCK):
        first.append(blocks.setdefault(bytes(table[start : start + BLOCK]), len(blocks)))
    return zlib.compress(bytes(first) + b"".join(blocks), 9)


def main(arguments: list[str]) -> int:
    """Run the command. Returns the exit code."""
    if len(arguments) != 1:
        print("usage: python -m ffgrammar.tokens.pretokenize.pack_classes OUT.bin", file=sys.stderr)
        return 2
    packed = pack_classes(class_table())
    try:
        Path(arguments[0]).write_bytes(packed)
    except OSError as error:
        print(f"ffgrammar: {error}", file=sys.stderr)
        return 2
    print(f"{arguments[0]}: {len(packed)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
