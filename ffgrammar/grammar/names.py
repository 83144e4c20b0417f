"""The names that messages tell: the one that was meant, and those that there are."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["MAX_LETTERS", "did_you_mean", "no_special_token", "one_of", "shown"]

# How many names, and of how many letters, are compared to find the one that was meant.
MAX_LETTERS = 60
MAX_NAMES = 1000
# How many names a message lists.
MAX_LISTED = 12


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The end of a message about a name that does not exist: the known name that is most like it; or nothing.

    Args:
        name: the name that does not exist.
        known: the names that there are.
        likeness: how much like `name` the known name must be, from 0 to 1, as difflib measures it.
    """
    name = name[:MAX_LETTERS]
    letters = set(name)
    size, near = len(name), []
    for one in [*known][:MAX_NAMES]:
        # Difflib takes a hundred times as long, and most names are like no other. It divides the number of letters that
        # match by the mean length. So a name is passed over here only if difflib would pass over it.
        least = likeness * (size + len(one)) / 2 - 1e-9
        if min(size, len(one)) >= least and size - len(letters.difference(one)) >= least and len(one) <= MAX_LETTERS:
            near.append(one)
    if not near:
        return ""
    import difflib

    like = difflib.get_close_matches(name, near, 1, likeness)
    return f"; did you mean {like[0]}?" if like else ""


def no_special_token(name: object, known: Iterable[str]) -> str:
    """The message about a special token that the tokenizer does not have."""
    like = did_you_mean(name, known) if isinstance(name, str) else ""
    return f"the tokenizer has no special token {name}{like}"


def one_of(names: Iterable[str]) -> str:
    """A list of names for a message. Of many names, only the first ones are told."""
    names = list(names)
    shown = [name if len(name) <= MAX_LETTERS else name[:MAX_LETTERS] + "..." for name in names[:MAX_LISTED]]
    more = len(names) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)


def shown(value: object) -> str:
    """A value from outside, for a message that says that it is not what it should be."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        # (too deep, or an int of very many digits)
        return f"a {type(value).__name__}"
    return text if len(text) <= MAX_LETTERS else text[:MAX_LETTERS] + "..."
