"""Random characters and words, as a person would write them: letters and digits, and short words in free text."""

from __future__ import annotations

from random import Random

from ffgrammar.regex.syntax.charset import Charset, contains, size

__all__ = ["is_blank", "is_free", "one_of", "some_words"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Kinds of characters, the most usual first. The characters of a set are drawn from the kinds that it has any of.
KINDS = (LETTERS, "0123456789", LETTERS.upper(), " _-.,", "!#$%&'()*+/:;<=>?@[]^`{|}~\"\\", "\n\t")
WEIGHTS = (60, 12, 8, 4, 2, 1)
# A set of at least this many characters, all letters among them, is free text.
FREE = 60
FEW = 8
WORDS = (
    "the of to in and is it on for red blue green small large old new fast slow open first last next north south left "
    "right day year time name home work water light paper stone river garden window table music letter number value "
    "list item order price total user group file note test data map key one two three"
).split()


def one_of(members: Charset, random: Random) -> str:
    """A character of a set, which must not be empty."""
    if size(members) <= FEW:
        # (a keyword in any case is written in lower case, and white space is a blank)
        lower = [char for char in LETTERS if contains(members, ord(char))]
        usual = (
            lower if len(lower) == 1 else [char for char in " \n" if is_blank(members) and contains(members, ord(char))]
        )
        if usual:
            return usual[0]
    kinds, weights = [], []
    for kind, weight in zip(KINDS, WEIGHTS, strict=True):
        found = [char for char in kind if contains(members, ord(char))]
        if found:
            kinds.append(found)
            weights.append(weight)
    if kinds:
        return random.choice(random.choices(kinds, weights)[0])
    at = random.randrange(min(size(members), 1 << 12))
    for lo, hi in members:
        if at <= hi - lo:
            return chr(lo + at)
        at -= hi - lo + 1
    raise AssertionError("a set without characters")


def is_blank(members: Charset) -> bool:
    """Whether all characters of a set are white space."""
    return size(members) <= FEW and all(chr(point).isspace() for lo, hi in members for point in range(lo, hi + 1))


def is_free(members: Charset) -> bool:
    """Whether texts of these characters are free text."""
    return size(members) >= FREE and all(contains(members, ord(char)) for char in LETTERS)


def some_words(members: Charset, least: int, most: int, random: Random) -> str:
    """A text of characters of a set that is free text.

    Args:
        members: the set.
        least, most: how many characters the text may have.
        random: where chance comes from.
    """
    between = next((char for char in " _-" if contains(members, ord(char))), "")
    again = 0.4 if between == " " else 0.15
    text = ""
    while len(text) < least or (len(text) < most and random.random() < (0.97 if not text else again)):
        text += (between if text else "") + random.choice(WORDS)
    return text[:most]
