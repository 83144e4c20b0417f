"""What a text of no known kind could be, for the message of `compile`."""

from __future__ import annotations

import re

from ffgrammar.api.dispatch.kinds import KINDS
from ffgrammar.api.library import library_names
from ffgrammar.grammar.names import did_you_mean

__all__ = ["unknown_text"]

_GBNF_RULE = re.compile(r"^[ \t]*([A-Za-z][\w-]*)[ \t]*::=", re.MULTILINE)
_LARK_RULE = re.compile(r"^[ \t]*[?!]*([A-Za-z_]\w*)[^:\n]{0,100}:(?![:=])", re.MULTILINE)
_ENDINGS = tuple(ending for kind in KINDS for ending in kind.suffixes)


def unknown_text(text: str) -> str:
    """What a text resembles, and what is missing for it to be read so."""
    if gbnf := _GBNF_RULE.search(text):
        return f"its line {gbnf.group().strip()!r} is like a rule of GBNF, whose first rule must be called root"
    if lark := _LARK_RULE.search(text):
        return f"its line {lark.group().strip()!r} is like a rule of Lark, whose first rule must be called start"
    if "\n" not in text and (text.lower().endswith(_ENDINGS) or "/" in text):
        return "pass pathlib.Path(...) if it is the name of a file"
    name = did_you_mean(text, library_names())
    if name:
        return f"no grammar of the library has this name{name}"
    return "it is no JSON, has no rule start (of Lark) or root (of GBNF), and is no name in the library"
