"""How much may be asked for. A page that asks for more gets an error that says what the bound is."""

from __future__ import annotations

from ffgrammar.core.limits import Limits

__all__ = [
    "LIMITS",
    "MAX_BODY",
    "MAX_BRANCHES",
    "MAX_FORKS",
    "MAX_FOUND",
    "MAX_LISTED",
    "MAX_NEEDLE",
    "MAX_OPTIONS",
    "MAX_SHEETS",
    "MAX_STEPS",
    "MAX_TEXT",
    "MAX_TOKENS",
    "SECONDS",
]

# Bytes of a request.
MAX_BODY = 2 << 20
# Characters of a text, and tokens of a list.
MAX_TEXT = 100_000
MAX_TOKENS = 50_000
# How long one call of the engine may take, and how long the tokens of a text are followed.
SECONDS = 2.0
LIMITS = Limits.public(seconds=SECONDS)
# Grammars that are kept between requests.
MAX_SHEETS = 8
# Tokens of a list; branches of a node of the trie; tokens that a search finds, and characters of what it looks for.
MAX_LISTED = 40
MAX_BRANCHES = 256
MAX_FOUND = 200
MAX_NEEDLE = 100
# Options of a selection; tokens that a model writes at once, and texts that it writes side by side.
MAX_OPTIONS = 50
MAX_STEPS = 64
MAX_FORKS = 8
