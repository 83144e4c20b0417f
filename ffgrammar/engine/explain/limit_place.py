"""Where a matcher is when it reaches a limit, as a phrase for the message of the error.

No derivative is made and no row is built here, so this reaches no limit itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.engine.captures.pointers import PointerReader
from ffgrammar.engine.captures.text import Special
from ffgrammar.engine.engine import Engine
from ffgrammar.engine.explain.lexeme_text import lexeme_name
from ffgrammar.engine.explain.place import lexemes_at

__all__ = ["limit_place"]

# How many lexemes and how many rules are named.
SHOWN = 3
# A longer JSON text is not read again only to say which of its values is open.
MAX_TEXT = 1 << 16


def limit_place(engine: Engine, text: bytes, special: list[Special], generation: int, row: int, state: int) -> str:
    """A phrase such as `after 11 bytes of the text, in /a/0, in string`.

    Args:
        engine: of the matcher.
        text, special: what the matcher has accepted.
        generation, row, state: its configuration, which is unknown if the engine has a newer generation.
    """
    is_json = engine.kind == "json-schema"
    found = lexemes_at(engine, generation, row, state)
    parts = [f"after {len(text)} byte{'' if len(text) == 1 else 's'} of the text"]
    if is_json and len(text) <= MAX_TEXT:
        parts.append(f"in {_open_value(text, special)}")
    elif not is_json:
        heads = dict.fromkeys(head for _, _, heads in found for head in heads if head < len(engine.names))
        rules = [engine.names[head] for head in heads if engine.names[head]]
        if rules:
            parts.append(f"in {_listed(rules)}")
    names = [(lexeme_name(engine, lexeme), begun) for lexeme, begun, _ in found]
    reading = [name for name, begun in names if begun]
    if reading:
        parts.append(f"in {_listed(reading)}")
    elif names and not is_json:
        parts.append(f"before {_listed([name for name, _ in names])}")
    return ", ".join(parts)


def _open_value(text: bytes, special: list[Special]) -> str:
    """The pointer of the innermost value that is open."""
    values = [one.name for one in PointerReader().read(text, special, False, None) if one.end is None]
    return values[-1] if values and values[-1] else "the whole value"


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = len(names) - SHOWN
    return " and ".join([*names[:SHOWN], *([f"{more} more"] if more > 0 else [])])
