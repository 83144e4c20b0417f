"""Unicode's normal forms and lower case, for tokenizers that put a text into one of these before they cut it.

The rules of such a tokenizer hold for texts that are in its form already. This module says whether a text is.

    is_normal("NFC", "caf\u00e9")               # True
    is_normal("NFC", "cafe\u0301")              # False
    is_normal("NFC Lowercase", "Caf\u00e9")     # False

With two parts, as in "NFC Lowercase", the order of the two does not matter: in either order they leave exactly those
texts alone that each of them leaves alone.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

__all__ = ["FORMS", "NormalForm", "is_normal", "stands_alone", "start_of_last_boundary"]

UnicodeForm = Literal["NFC", "NFD", "NFKC", "NFKD"]
NormalForm = Literal[
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Lowercase",
    "NFC Lowercase",
    "NFD Lowercase",
    "NFKC Lowercase",
    "NFKD Lowercase",
]
UNICODE_FORMS: tuple[UnicodeForm, ...] = get_args(UnicodeForm)
FORMS: tuple[NormalForm, ...] = get_args(NormalForm)

# Ranges of characters that never combine with the character before them. Whether the text from such a character on is
# normal does not depend on what stands before it. There are more such characters, but most texts have some of these.
BOUNDARIES = ((0x00, 0x2FF), (0x370, 0x482), (0x3041, 0x3096), (0x30A1, 0x30FA), (0x3400, 0x9FFF), (0xAC00, 0xD7A3))


def is_normal(form: NormalForm, text: str) -> bool:
    """Whether a text is in a normal form. Every part of such a text is in this form, too."""
    # (most tokenizers ask for no form)
    import unicodedata

    if form.endswith("Lowercase") and _capitals().search(text):
        return False
    return all(unicodedata.is_normalized(one, text) for one in UNICODE_FORMS if form.startswith(one))


@cache
def _capitals() -> re.Pattern[str]:
    """Finds a character that is changed to lower case."""
    # (a tokenizer in the cache is loaded without this module)
    from ffgrammar.tokens.pretokenize.properties import LOWERCASE, property_ranges

    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in property_ranges(LOWERCASE)) + "]")


def start_of_last_boundary(text: str) -> int | None:
    """Where the last character of BOUNDARIES stands; None if the text has none. If the text before such a character is
    normal, the whole text is normal exactly if the text from this character on is."""
    for at in range(len(text) - 1, -1, -1):
        code = ord(text[at])
        if any(first <= code <= last for first, last in BOUNDARIES):
            return at
    return None


def stands_alone(form: NormalForm, data: bytes) -> bool:
    """Whether these bytes can be appended to any text in a normal form without taking it out of this form. The text
    before the bytes must end after a whole character."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return start_of_last_boundary(text[:1]) == 0 and is_normal(form, text)
