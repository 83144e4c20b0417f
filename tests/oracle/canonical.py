"""Canonical token sequences and coverings, found by encoding texts that go on in all ways that may matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, product
from random import Random

from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["CONTINUATIONS", "changed_tokens", "characters_from", "coverings", "is_begun", "sequence_of", "split_end"]

# What the pre-tokenizers of models tell apart: cases, marks, letters without case, digits, white space, line breaks,
# contractions; letters that merge with many others, and letters that merge with few.
CONTINUATIONS = [
    *("", "a", "A", "s", "t", "d", "m", "l", "v", "r", "e", "ll", "ve", "re", "ing", "ed", "xq", "Xq", "zz", "ZZ"),
    *("aB", "1", "12", "123", " 1", "  1", " ", "  ", "\n", " \n", "  \n", "\r", "\r\n", "\t", "\t\t", " a", "  a"),
    *(" !", "  !"),
    *("'", "'s", "'l", "'ll", "'r", "\u017f", "'\u017f", "!", "! ", "/", "//", "\u0301", "\u4e2d", " \u4e2d", "\u00e9"),
    *("\u00c9", "\u02b0", "\u00a0", "\u2028", "\u3000", "\x85", "\U0001f44d", "\ufffd", "\u0663"),
]

# Numbers, spaces, marks and letters whose first bytes are also those of many other characters.
RARE = (
    "\u00bd\u0663\u0966\u0e53\u2167\u3007\uff11\u3000\u2003\u202f\u0301\u20e3\ufe0f\uff21\uff41"
    "\U0001d7d9\U0001f10b\U0001d165"
)

Encode = Callable[[str], list[int]]


def split_end(data: bytes) -> tuple[str, bytes] | None:
    """The text of some bytes, and the incomplete character at their end; None if no UTF-8 text begins with them."""
    try:
        return data.decode(), b""
    except UnicodeDecodeError as error:
        if error.end != len(data) or error.reason != "unexpected end of data":
            return None
        return data[: error.start].decode(), data[error.start :]


def changed_tokens(random: Random, tok: Tokenizer, text: str) -> list[int] | None:
    """Tokens of a text or of its first bytes, some of them cut in two, replaced or followed by any token.

    None if one of the results is no token with bytes.
    """
    data = text.encode()
    if random.random() < 0.25:
        data = data[: random.randrange(1, len(data) + 1)]
    ids = tok.encode(data)
    if random.random() < 0.4:
        place = random.randrange(len(ids))
        cut = random.randrange(1 + len(tok.token_bytes(ids[place])))
        parts = [part for part in (tok.token_bytes(ids[place])[:cut], tok.token_bytes(ids[place])[cut:]) if part]
        ids[place : place + 1] = [tok.trie.id_of(part) for part in parts]
    if random.random() < 0.4:
        ids = [*ids[: random.randrange(len(ids) + 1)], random.randrange(tok.vocab_size)]
    if random.random() < 0.1:
        ids[random.randrange(len(ids))] = random.randrange(tok.vocab_size)
    return None if any(token < 0 or not tok.token_bytes(token) for token in ids) else ids


def sequence_of(tok: Tokenizer, ids: list[int]) -> CanonicalSequence | None:
    """The package's own `CanonicalSequence` of some tokens; None if it refuses one of them."""
    assert tok.canon is not None
    sequence = CanonicalSequence(tok.canon)
    return sequence if all(sequence.push(token) for token in ids) else None


def characters_from(start: bytes, random: Random, most: int = 300) -> list[str]:
    """Characters whose bytes begin with `start`: all of them, or about `most`; [""] if `start` is empty."""
    if not start:
        return [""]
    missing = (2 if start[0] < 0xE0 else 3 if start[0] < 0xF0 else 4) - len(start)
    tails = product(range(0x80, 0xC0), repeat=missing)
    if 64**missing > most:
        tails = iter([tuple(random.randrange(0x80, 0xC0) for _ in range(missing)) for _ in range(most)])
    found = [character for character in RARE if character.encode().startswith(start)]
    for tail in islice(tails, most):
        whole = split_end(start + bytes(tail))
        if whole is not None and whole[1] == b"":
            found.append(whole[0])
    return found


def is_begun(encode: Encode, data: bytes, ids: Sequence[int], random: Random, every: bool = False) -> bool:
    """Whether some text that begins with `data` has these tokens as its first. `data` must be the tokens' bytes.

    If `data` ends inside a character, some characters that its last bytes may begin are tried, and some continuations
    after them; with `every`, all."""
    parts = split_end(data)
    if parts is None:
        return False
    text, start = parts
    for character in characters_from(start, random, 64**3 if every else 300):
        for more in random.sample(CONTINUATIONS, 12) if start and not every else CONTINUATIONS:
            if encode(text + character + more)[: len(ids)] == list(ids):
                return True
    return False


def coverings(
    encode: Encode,
    sizes: Callable[[int], int],
    candidates: Callable[[bytes], list[bytes]],
    prefix: bytes,
    random: Random,
) -> set[tuple[int, ...]]:
    """Coverings of a prefix, found among texts that have a candidate token at some place and go on in many ways.

    Args:
        encode: the tokenizer.
        sizes: how many bytes a token has.
        candidates: tokens that begin with some bytes.
        prefix: the prefix.
        random: for what is sampled.
    """
    found = set()
    for place in range(len(prefix)):
        for token in candidates(prefix[place:]):
            parts = split_end(prefix[:place] + token)
            if parts is None:
                continue
            for character in characters_from(parts[1], random, 8):
                for more in CONTINUATIONS:
                    ids = encode(parts[0] + character + more)
                    at = count = 0
                    while at < len(prefix) and count < len(ids):
                        at += sizes(ids[count])
                        count += 1
                    if at >= len(prefix):
                        found.add(tuple(ids[:count]))
    return found
