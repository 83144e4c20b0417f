"""`ffgrammar sample`: random sentences of a grammar."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import click

from .options import VocabularyName, example, grammar_argument, grammar_options, json_option, tokenizer_option
from .walk import allowed_bytes, allowed_special_tokens

if TYPE_CHECKING:
    from ffgrammar import Grammar, Matcher, Tokenizer

__all__ = ["command", "sentence"]

ATTEMPTS = 4
# If more bytes than this are allowed, the text is taken for free text. There a bracket is a character like any other.
FREE_TEXT = 64
# How many special tokens a message names.
MAX_NAMES = 3
CLOSERS = b"}])>\"'/;"


def _weights(*heavier: tuple[bytes, float]) -> list[float]:
    weights = [0.02] * 256  # control characters and bytes beyond ASCII
    weights[32:127] = [0.2] * 95
    for members, weight in heavier:
        for byte in members:
            weights[byte] = weight
    return weights


LETTERS = b"abcdefghijklmnopqrstuvwxyz"
IN_TEXT = _weights((LETTERS, 1.0), (b" ", 2.0), (b"\"'/\n", 2.0))
BETWEEN = _weights((LETTERS + LETTERS.upper() + b"0123456789", 1.0), (CLOSERS, 4.0), (b",:{[(", 2.0))
STOP = 4.0


def _is_plain(byte: int) -> bool:
    return byte < 128 and chr(byte).isalnum()


class Steering:
    """Chooses bytes that lead to an end: each time the byte after which `Matcher.distance` is least.

    Masks are exact, so a choice is a dead end only where compiling warned of one. But the distance is an estimate, and
    to follow the distance alone could lead in circles. So a byte becomes more costly each time it is chosen at the same
    distance and among the same bytes. In the end every byte is tried.
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[int, bytes, int], int] = {}

    def choose(self, matcher: Matcher, allowed: bytes) -> int:
        """The byte to take."""
        best, least = allowed[0], float("inf")
        here = matcher.distance()
        for byte in allowed:
            matcher.accept_bytes(bytes((byte,)))
            cost = matcher.distance() + self._taken.get((here, allowed, byte), 0) / 4
            matcher.rollback(1)
            # Of equally good bytes, a letter or a digit looks best.
            if (cost, not _is_plain(byte)) < (least, not _is_plain(best)):
                best, least = byte, cost
        self._taken[here, allowed, best] = self._taken.get((here, allowed, best), 0) + 1
        return best


def _choices(allowed: bytes) -> list[float]:
    weights = IN_TEXT if len(allowed) > FREE_TEXT else BETWEEN
    return [weights[byte] for byte in allowed]


def _stops(matcher: Matcher, allowed: bytes, random: Random) -> bool:
    """Whether to end a sentence where it may end: always if no byte may follow, else by chance."""
    if not allowed:
        return True
    return random.random() * (STOP + sum(_choices(allowed))) < STOP


def _attempt(matcher: Matcher, tokenizer: Tokenizer, random: Random, length: int, needed: set[str]) -> bytes | None:
    """A sentence: about `length` random bytes, then bytes that lead to an end.

    None if that takes too long, or comes to a dead end. If special tokens may come there, their names are added to
    `needed`.
    """
    text = bytearray()
    steering = Steering()
    while len(text) < 20 * length + 10_000:
        forced = matcher.forced_bytes()
        if forced and not matcher.is_accepting():
            matcher.accept_bytes(forced)
            text += forced
            continue
        allowed = allowed_bytes(matcher)
        if matcher.is_accepting() and (len(text) >= length or _stops(matcher, allowed, random)):
            return bytes(text)
        if not allowed:
            needed.update(allowed_special_tokens(matcher, tokenizer))
            return None
        by_chance = len(text) < length
        byte = random.choices(allowed, _choices(allowed))[0] if by_chance else steering.choose(matcher, allowed)
        matcher.accept_bytes(bytes((byte,)))
        text.append(byte)
    return None


def sentence(grammar: Grammar, random: Random, length: int) -> bytes:
    """A random sentence, which heads for its end after about `length` bytes.

    Raises:
        click.ClickException: none was found; the grammar may have none.
    """
    needed: set[str] = set()
    for attempt in range(ATTEMPTS):
        aim = length if attempt < ATTEMPTS // 2 else 0
        found = _attempt(grammar.matcher(), grammar.tokenizer, random, aim, needed)
        if found is not None:
            return found
    if needed:
        names = ", ".join(sorted(needed)[:MAX_NAMES])
        raise click.ClickException(
            f"found no sentence of bytes alone: the grammar asks for special tokens, such as {names}"
        )
    raise click.ClickException(f"found no sentence that ends within {20 * length + 10_000} bytes")


@click.command(
    "sample",
    epilog=example("""echo 'v[0-9]{1,2}(\\.[0-9]{1,2}){2}' | ffgrammar sample - --type regex -n 3 --seed 7"""),
)
@grammar_argument
@click.option(
    "-n", "--count", default=1, show_default=True, type=click.IntRange(min=0), help="The number of sentences."
)
@click.option("--seed", default=0, show_default=True, help="Equal seeds give equal sentences.")
@click.option(
    "--length",
    default=200,
    show_default=True,
    type=click.IntRange(min=0),
    help="After about this many bytes a sentence heads for its end.",
)
@json_option
@grammar_options
@tokenizer_option
def command(
    grammar: str, count: int, seed: int, length: int, as_json: bool, tokenizer: VocabularyName, **compiling: Any
) -> int:
    """Write random sentences of a grammar.

    Each sentence is followed by a newline. Sentences may contain newlines themselves; with --json each is one line.
    """
    import sys

    from .show import bytes_as_json, write_json
    from .sources import load_grammar, load_tokenizer

    compiled = load_grammar(grammar, load_tokenizer(tokenizer), **compiling)
    random = Random(seed)
    for _ in range(count):
        text = sentence(compiled, random, length)
        if as_json:
            write_json(bytes_as_json(text))
        else:
            sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()
    return 0
