"""The encoder against tiktoken, on much text: `python tests/long_checks encoder --megabytes 60`.

Up to half of the text is what the machine has: Python's sources, documentation, messages in all languages, schemas. The
rest is generated. Both encoders encode the same chunks, in turns. The ratio is that of the whole times spent on a kind
of text. One chunk in twenty is checked further: its pre-tokens must be the matches of the pattern in the regex package,
and decoding must give the chunk back.

The installed tiktoken may know another version of Unicode. Characters that it has in other classes than we do are left
out. From the chunks that are checked further, the characters that the regex package has in other classes are left out,
too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import regex

import ffgrammar as ff
from ffgrammar.tokens import pretokenize
from ffgrammar.tokens.pretokenize.builtin import CharClasses
from ffgrammar.tokens.pretokenize.pack_classes import class_table
from ffgrammar.tokens.vocabulary import embedded
from long_checks.documents import ENCODING_NAMES, arguments
from long_checks.texts import CHUNK, GENERATED, MACHINE, alike, cut_bytes, from_machine, generated, regex_classes
from shared_data import dev_set, encoding

__all__ = ["Counts", "compare", "made", "main"]

BYTES = "bytes that are no text"
CHECK_PRETOKENS = 20


@dataclass
class Counts:
    """What was compared of one kind of text, and the seconds that both took."""

    size: int = 0
    chunks: int = 0
    differences: int = 0
    pretokens: int = 0
    pretoken_differences: int = 0
    failed: int = 0
    ours: float = 0.0
    theirs: float = 0.0

    def add(self, other: Counts) -> None:
        """Sum up."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def line(self, name: str) -> str:
        """As printed."""
        speeds = f"{self.size / self.ours / 1e6:8.1f}{self.size / self.theirs / 1e6:10.1f}" if self.chunks else ""
        ratio = f"{self.theirs / self.ours:8.2f}" if self.chunks else ""
        return f"{name:26s}{self.size / 1e6:8.2f}{self.chunks:9d}{self.differences:6d}{speeds}{ratio}"


def made(kind: str, random: Random, allowed: str, size: int) -> Iterator[str | bytes]:
    """Chunks of a generated kind and of these characters; `size` is about how many bytes they have together."""
    known = _set_of(allowed)
    while size > 0:
        # tiktoken takes all that follows an odd byte for one pre-token, and a cut has effects near the ends only. So
        # these chunks are short.
        length = random.choice([5, 20, 100, 500]) if kind == BYTES else CHUNK // 2
        text = ""
        while len(text) < length:
            text += generated(random.choice([*GENERATED]) if kind == BYTES else kind, random, allowed)
        text = "".join(filter(known.__contains__, text))
        data = cut_bytes(random, text) if kind == BYTES else text
        size -= len(data) if isinstance(data, bytes) else len(data.encode())
        yield data


@cache
def _set_of(characters: str) -> frozenset[str]:
    return frozenset(characters)


def compare(tok: ff.Tokenizer, theirs: Any, chunk: str | bytes, counts: Counts) -> None:
    """Encode a chunk with both."""
    encode = theirs.encode_ordinary if isinstance(chunk, str) else theirs._encode_bytes
    found: dict[bool, list[int] | None] = {}
    spent: dict[bool, float] = {}
    for is_ours in (False, True) if counts.chunks % 2 else (True, False):
        start = perf_counter()
        try:
            found[is_ours] = tok.encode(chunk) if is_ours else encode(chunk)
        except BaseException as error:
            # (a panic of tiktoken is no Exception)
            if is_ours or isinstance(error, KeyboardInterrupt):
                raise
            found[is_ours] = None
        spent[is_ours] = perf_counter() - start
    if found[False] is None:
        counts.failed += 1
        return
    counts.size += len(chunk) if isinstance(chunk, bytes) else len(chunk.encode())
    counts.chunks += 1
    counts.ours += spent[True]
    counts.theirs += spent[False]
    if found[True] != found[False]:
        counts.differences += 1
        print(f"DIFFERENT ({tok.name}): {chunk[:200]!r}", flush=True)


def compare_pretokens(tok: ff.Tokenizer, pattern: Any, text: str, counts: Counts) -> None:
    """The ends of pre-tokens, and decoding."""
    data = text.encode()
    ends = [len(pretoken.encode()) for pretoken in pattern.findall(text)]
    for number in range(1, len(ends)):
        ends[number] += ends[number - 1]
    counts.pretokens += len(ends)
    if tok.pretoken_ends(data) != ends or tok.decode(tok.encode(data)) != data:
        counts.pretoken_differences += 1
        print(f"DIFFERENT PRE-TOKENS ({tok.name}): {text[:200]!r}", flush=True)


def measure(name: str, megabytes: float, seed: int) -> Counts:
    """Print the table of one encoding."""
    tok = ff.Tokenizer.from_tiktoken(name)
    theirs = encoding(name, dev_set().parent.parent)
    classes = CharClasses(Path(pretokenize.__file__).with_name("data").joinpath("classes.bin").read_bytes())
    allowed, others = alike(classes, class_table())
    _, unlike_regex = alike(classes, regex_classes())
    pattern = regex.compile(embedded.ENCODINGS[name].pattern)
    random = Random(seed)
    total = Counts()
    print(f"{name}: characters in other classes in tiktoken {len(others) - 2048}, in regex {len(unlike_regex) - 2048}")
    print(f"{'text':26s}{'MB':>8s}{'chunks':>9s}{'diff.':>6s}{'MB/s':>8s}{'tiktoken':>10s}{'ratio':>8s}")

    def run(kind: str, chunks: Iterator[str | bytes], size: float) -> None:
        counts = Counts()
        for chunk in chunks:
            if isinstance(chunk, str):
                chunk = chunk.translate(others)
            compare(tok, theirs, chunk, counts)
            if isinstance(chunk, str) and counts.chunks % CHECK_PRETOKENS == 0:
                compare_pretokens(tok, pattern, chunk.translate(unlike_regex), counts)
            if counts.size >= size:
                break
        print(counts.line(kind), flush=True)
        total.add(counts)

    whole = megabytes * 1e6
    for kind in MACHINE:
        run(kind, from_machine(kind), whole / 2 / len(MACHINE))
    kinds = [*GENERATED, BYTES]
    share = (whole - total.size) / len(kinds)
    for kind in kinds:
        run(kind, made(kind, random, allowed, int(share) + 1), share)
    print(total.line("all"))
    print(
        f"{total.differences} differences; {total.pretokens} pre-tokens compared with the regex package, "
        f"{total.pretoken_differences} chunks differ; chunks that tiktoken could not encode: {total.failed}\n"
    )
    return total


def main() -> int:
    """The script; the exit status is 1 if something differs."""
    parser = arguments("encoder", __doc__, encodings=True)
    parser.add_argument("--megabytes", type=float, default=10, help="of text for each encoding (10)")
    parser.add_argument("--seed", type=int, default=1, help="of what is generated (1)")
    options = parser.parse_args()
    wrong = 0
    for name in options.encoding or ENCODING_NAMES:
        counts = measure(name, options.megabytes, options.seed)
        wrong += counts.differences + counts.pretoken_differences
    return 1 if wrong else 0
