"""Texts of many kinds to encode: some are generated, as many as are wanted, and others are files on the machine."""

from __future__ import annotations

import gzip
import os
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from gettext import GNUTranslations
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from shared_data import shared_dir

if TYPE_CHECKING:
    from ffgrammar.tokens.pretokenize.builtin import CharClasses

__all__ = ["CHUNK", "GENERATED", "MACHINE", "alike", "cut_bytes", "from_machine", "generated", "regex_classes"]

# How many characters a chunk has. On an endless run peers take long, or give up.
CHUNK = 12_000
# First and last of blocks with many letters.
SCRIPTS = {
    "latin": [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x1E00, 0x1EFF)],
    "greek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "cyrillic": [(0x400, 0x52F)],
    "armenian, georgian": [(0x531, 0x586), (0x10A0, 0x10FF), (0x1C90, 0x1CBF)],
    "hebrew": [(0x5B0, 0x5F4)],
    "arabic": [(0x600, 0x6FF), (0x750, 0x77F)],
    "devanagari, bengali": [(0x900, 0x9FF)],
    "tamil, telugu": [(0xB80, 0xC7F)],
    "thai, lao": [(0xE00, 0xEFF)],
    "ethiopic, cherokee": [(0x1200, 0x137F), (0x13A0, 0x13FD), (0xAB70, 0xABBF)],
    "kana": [(0x3040, 0x30FF)],
    "han": [(0x4E00, 0x9FFF)],
    "hangul": [(0xAC00, 0xD7A3), (0x1100, 0x11FF)],
    "beyond 16 bits": [(0x10000, 0x100FF), (0x10400, 0x1044F), (0x1D400, 0x1D7FF), (0x20000, 0x200FF)],
}
SPACES: list[str] = [*" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0", *map(chr, range(0x2000, 0x200C))]
SPACES += ["\u1680", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff", "\r\n", "\n\n", "    ", "  "]
MARKS: list[str] = [
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "...",
    "://",
    "//",
    "</",
    '":',
    "->",
    "==",
    "\u2019",
    "\u201c",
    "\u2026",
]
WORDS = (
    "the of and to in is was for that with on as by at from it an be this which order Name HTTP getValue iOS".split()
)
ENDINGS = ["s", "t", "m", "d", "re", "ve", "ll", "S", "T", "RE", "Ve", "lL", "\u017f", "", "x", "r", "l", "v", "stop"]
DIGITS = [
    "0123456789",
    "0123456789",
    "\u0660\u0661\u0662\u0669",
    "\u0966\u0967\u096f",
    "\u00bd\u2167\u2460\u00b2\uff11",
]
EMOJI = [(0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF), (0x2600, 0x27BF), (0x1F1E6, 0x1F1FF)]
JOINTS = ["\u200d", "\ufe0f", "\U0001f3fb", "\U0001f3ff", "\u20e3", "", "", "", " "]
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


def generated(kind: str, random: Random, allowed: str) -> str:
    """A part of a text of a kind; `any character` is one of `allowed`."""
    return GENERATED[kind](random, allowed)


def _between(random: Random, blocks: list[tuple[int, int]]) -> str:
    low, high = random.choice(blocks)
    return chr(random.randint(low, high))


def _mostly(random: Random, one: str, others: list[str]) -> str:
    return one if random.random() < 0.5 else random.choice(others)


def _scripts(random: Random, allowed: str) -> str:
    blocks = SCRIPTS[random.choice([*SCRIPTS])]
    words = (
        "".join(_between(random, blocks) for _ in range(random.randint(1, 9))) for _ in range(random.randint(1, 8))
    )
    return random.choice([" ", " ", "", "\u3000", "\n", ", "]).join(words) + random.choice([" ", ". ", "\n", "\u3002"])


def _english(random: Random, allowed: str) -> str:
    words = []
    for _ in range(random.randint(3, 15)):
        made = "".join(random.choices(LETTERS, range(26, 0, -1), k=random.randint(1, 9)))
        word = random.choice([made, random.choice(WORDS)])
        words.append(random.choice([word, word, word, word.title(), word.upper(), word + random.choice(MARKS)]))
    return " ".join(words) + random.choice(SPACES)


def _contractions(random: Random, allowed: str) -> str:
    word = random.choice([*WORDS, "don", "I", "WE", "\u00e9t\u00e9", "\u4e2d", "1", "", " "])
    mark = _mostly(random, "'", ["''", "\u2019", " '"])
    return f"{word}{mark}{random.choice(ENDINGS)}{random.choice(['', ' '])}"


def _spaces(random: Random, allowed: str) -> str:
    run = "".join(random.choice(SPACES) for _ in range(random.randint(1, 6)))
    return run * random.choice([1, 1, 1, 2, 9]) + random.choice([*WORDS, *MARKS, "1", "\u0301", "\u4e2d", "\U0001f642"])


def _digits(random: Random, allowed: str) -> str:
    digits = random.choice(DIGITS)
    run = "".join(random.choice(digits) for _ in range(random.randint(1, 12)))
    return run + random.choice([" ", ".", ",", "e-", "x", "\n", "", "/", "%", "\u20ac"])


def _emoji(random: Random, allowed: str) -> str:
    return "".join(_between(random, EMOJI) + random.choice(JOINTS) for _ in range(random.randint(1, 5)))


def _marks(random: Random, allowed: str) -> str:
    run = "".join(random.choice(MARKS) for _ in range(random.randint(1, 6)))
    return run + random.choice(["", "", " ", "\n", "\r\n\r\n", "a", "\u0301", "1", "/\n"])


def _any(random: Random, allowed: str) -> str:
    return "".join(random.choices(allowed, k=random.randint(1, 30))) + random.choice(["", " ", "\n", "a", "'s"])


GENERATED: dict[str, Callable[[Random, str], str]] = {
    "many scripts": _scripts,
    "words": _english,
    "contractions": _contractions,
    "white space": _spaces,
    "digits": _digits,
    "emoji": _emoji,
    "punctuation": _marks,
    "any character": _any,
}


def cut_bytes(random: Random, text: str) -> bytes:
    """Bytes that are mostly no UTF-8: a text, cut at both ends, with some bytes in between; or just bytes."""
    if random.random() < 0.1:
        return random.randbytes(random.randint(1, 300))
    data = bytearray(text.encode())
    for _ in range(random.randrange(3)):
        data.insert(random.randint(0, len(data)), random.randrange(256))
    return bytes(data[random.randrange(4) : len(data) - random.randrange(4)])


def _python() -> Iterator[str]:
    paths = sysconfig.get_paths()
    for folder in dict.fromkeys([paths["stdlib"], paths["purelib"]]):
        yield from _files(Path(folder), (".py", ".pyi", ".rst", ".txt", ".md", ".c", ".h", ".pyx"))


def _documents() -> Iterator[str]:
    for folder in ("dict", "hunspell", "i18n", "perl", "vim", "doc", "man"):
        yield from _files(Path("/usr/share", folder), ())


def _catalogues() -> Iterator[str]:
    """Messages of programs in the languages that are installed."""
    for path in _shuffled(Path("/usr/share/locale"), (".mo",)):
        try:
            with path.open("rb") as file:
                catalogue = GNUTranslations(file)
        except (OSError, ValueError, LookupError):
            continue
        yield "\n".join(str(message) for message in vars(catalogue)["_catalog"].values())


def _schemas() -> Iterator[str]:
    shared = shared_dir()
    if shared is not None and (shared / "maskbench").is_dir():
        for path in sorted((shared / "maskbench").glob("*.gz")):
            yield gzip.decompress(path.read_bytes()).decode()


def _shuffled(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """Its files, in an order that mixes what lies together, and is the same each time."""
    paths = [
        Path(root, name)
        for root, _, names in os.walk(folder)
        for name in names
        if not endings or name.endswith(endings)
    ]
    paths.sort()
    Random(1).shuffle(paths)
    return paths


def _files(folder: Path, endings: tuple[str, ...]) -> Iterator[str]:
    for path in _shuffled(folder, endings):
        try:
            data = path.read_bytes()
            text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        except (OSError, EOFError, ValueError):
            continue  # no text, or not there
        yield text


MACHINE: dict[str, Callable[[], Iterator[str]]] = {
    "Python's sources": _python,
    "documentation": _documents,
    "messages": _catalogues,
    "schemas": _schemas,
}


def from_machine(kind: str) -> Iterator[str]:
    """The chunks of what the machine has of a kind: not the same on two machines, and maybe none."""
    for text in MACHINE[kind]():
        for start in range(0, len(text), CHUNK):
            yield text[start : start + CHUNK]


def alike(ours: CharClasses, theirs: Iterable[int]) -> tuple[str, dict[int, None]]:
    """The characters that two versions of Unicode have in the same classes; and the others, for `str.translate`."""
    codes = {code: None for code, value in enumerate(theirs) if ours[code] != value or 0xD800 <= code < 0xE000}
    everything = _everything()
    ends = [-1, *codes, len(everything)]
    return "".join(everything[one + 1 : other] for one, other in pairwise(ends)), codes


@cache
def _everything() -> str:
    """All code points, surrogates too."""
    return "".join(map(chr, range(0x110000)))


def regex_classes() -> bytearray:
    """The table of `ffgrammar.tokens.pretokenize.pack_classes.class_table`, made with regex instead of tiktoken."""
    import regex

    from ffgrammar.tokens.pretokenize.pack_classes import CLASSES

    everything = "".join(_everything()[start:end] for start, end in ((0, 0xD800), (0xE000, 0x110000)))
    table = bytearray(0x110000)
    for pattern, bit in CLASSES.items():
        for code in map(ord, regex.findall(pattern, everything)):
            table[code] |= bit
    return table
