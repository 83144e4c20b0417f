"""The added tokens of a tokenizer.json that are found in a text before anything else is done with it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.normal_form import NormalForm, is_normal

__all__ = ["Beginnings", "atoms_of", "begins_in", "check_form"]

# The most pairs of added tokens that are compared.
MAX_PAIRS = 1_000_000
# A special token with more characters than this is compared with every added token.
MAX_SLICED = 256


def atoms_of(
    every: list[dict[str, Any]], added: list[dict[str, Any]], space: str | None, replaced: bool
) -> tuple[dict[str, int], bool]:
    """The `atoms` and `knows_space` of `ListedRules`.

    `every` has all added tokens, `added` those that are not special. Tokens that are not normalized are found before
    those that are. Special tokens are found too, and then passed over. If one of these two facts can make a difference,
    TokenizerError is raised. `replaced` says whether normalizing puts `space` in place of each space. If so, a
    normalized token with a space or `space` in it is found whichever of the two the text has there. Any other token is
    found only where the text has exactly its characters.
    """
    atoms: dict[str, int] = {}
    knows_space = True
    if any(token.get("lstrip") or token.get("rstrip") or token.get("single_word") for token in added):
        raise TokenizerError("an added token takes white space with it, or is found only as a whole word")
    for token in added:
        text = token["content"]
        if space is not None and not (replaced and token.get("normalized")):
            knows_space = knows_space and " " not in text and space not in text
            if space in text:
                continue
        if not text:
            raise TokenizerError("an added token is empty")
        atoms[text.replace(space or " ", " ")] = token["id"]
    _check_overlaps(every, added, space)
    return atoms, knows_space


def _check_overlaps(every: list[dict[str, Any]], added: list[dict[str, Any]], space: str | None) -> None:
    """Raises TokenizerError if a text may have two tokens that overlap, so that one of the `added` ones is not
    found, or if there are more than MAX_PAIRS pairs to compare."""
    texts: tuple[list[str], list[str]] = ([], [])
    for token in added:
        texts[bool(token.get("normalized"))].append(token["content"].replace(space or " ", " "))
    begin = Beginnings(texts[False]), Beginnings(texts[True])
    for other in every:
        if other.get("special"):
            # (One search finds special tokens and the other added tokens. It passes over a special token as a whole, so
            # no token that begins inside it is found.)
            text = other["content"].replace(space or " ", " ")
            one = begin[bool(other.get("normalized"))].inside(text)
            if one is not None:
                raise TokenizerError(f"the added tokens {one!r} and {text!r} overlap")
    if len(texts[0]) * len(texts[1]) > MAX_PAIRS:
        raise TokenizerError("too many added tokens are normalized, and too many are not")
    for one, two in product(*texts):
        if begins_in(one, two) or begins_in(two, one):
            raise TokenizerError(f"the added tokens {one!r} and {two!r} overlap")


class Beginnings:
    """Finds which of many texts, none of them empty, may begin inside another one (`begins_in`). Models have some
    special tokens and thousands of added ones, so not all pairs are compared."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.known = set(texts)
        self.sizes = sorted({len(text) for text in texts})
        self.ordered = sorted(texts)
        self.first_letters = {text[0] for text in texts}

    def inside(self, other: str) -> str | None:
        """The first of the texts that may begin inside `other`; None if there is none."""
        places = [at for at, letter in enumerate(other) if letter in self.first_letters]
        if not places or (len(other) <= MAX_SLICED and not any(self._is_begun(other[at:]) for at in places)):
            return None
        return next((text for text in self.texts if begins_in(text, other)), None)

    def _is_begun(self, rest: str) -> bool:
        """Whether one of the texts is a beginning of `rest`, or begins with it."""
        # (few tokenizers need this)
        from bisect import bisect_left

        index = bisect_left(self.ordered, rest)
        if index < len(self.ordered) and self.ordered[index].startswith(rest):
            return True
        return any(rest[:size] in self.known for size in self.sizes if size <= len(rest))


def begins_in(text: str, other: str) -> bool:
    """Whether `text` may begin inside `other`: whether `other` contains it, or ends with a beginning of it."""
    at = other.find(text[:1])
    while at >= 0:
        if other.startswith(text, at) or text.startswith(other[at:]):
            return True
        at = other.find(text[:1], at + 1)
    return False


def check_form(form: NormalForm, atoms: Iterable[str], every: list[dict[str, Any]]) -> None:
    """Raises TokenizerError if an added token is not in the form. `atoms` and `every` are as for `atoms_of`."""
    # (a special token with the flag `normalized` is itself normalized before it is looked for)
    others = [token["content"] for token in every if token.get("normalized")]
    if not all(is_normal(form, text) for text in (*atoms, *others)):
        raise TokenizerError(f"an added token is not in {form}")
