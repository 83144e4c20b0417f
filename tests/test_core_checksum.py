"""XXH64, against its definition."""

from __future__ import annotations

import random

import pytest

from ffgrammar.core.checksum import checksum

P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
ALL = (1 << 64) - 1


def rotated(value: int, bits: int) -> int:
    value &= ALL
    return (value << bits | value >> (64 - bits)) & ALL


def mixed(lane: int, word: int) -> int:
    return rotated(lane + word * P2, 31) * P1 & ALL


def xxh64(data: bytes) -> int:
    """The checksum, as the specification describes it."""
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data) // 8 * 8, 8)]
    blocks = len(data) // 32 * 4
    total = P5
    if blocks:
        lanes = [P1 + P2 & ALL, P2, 0, -P1 & ALL]
        for at, word in enumerate(words[:blocks]):
            lanes[at % 4] = mixed(lanes[at % 4], word)
        total = sum(map(rotated, lanes, (1, 7, 12, 18)))
        for lane in lanes:
            total = (total ^ mixed(0, lane)) * P1 + P4 & ALL
    total += len(data)
    for word in words[blocks:]:
        total = rotated(total ^ mixed(0, word), 27) * P1 + P4
    rest = data[len(words) * 8 :]
    if len(rest) >= 4:
        total = rotated(total ^ int.from_bytes(rest[:4], "little") * P1, 23) * P2 + P3
        rest = rest[4:]
    for byte in rest:
        total = rotated(total ^ byte * P5, 11) * P1
    total &= ALL
    total = (total ^ total >> 33) * P2 & ALL
    total = (total ^ total >> 29) * P3 & ALL
    return total ^ total >> 32


@pytest.mark.parametrize(("data", "known"), [(b"", 0xEF46DB3751D8E999), (b"abc", 0x44BC2CF5AD770999)])
def test_known_checksums(data: bytes, known: int) -> None:
    assert checksum(data) == known == xxh64(data)


def test_every_size() -> None:
    rng = random.Random(1)
    for size in range(200):
        data = rng.randbytes(size + 3)
        assert checksum(data[3:]) == checksum(memoryview(data)[3:]) == xxh64(data[3:])
