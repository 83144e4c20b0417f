"""The tokens of a Lark text by one regular expression: what ffgrammar/grammar/lark/tokens.py must find."""

from __future__ import annotations

import re

__all__ = ["lark_tokens"]

# Each may begin with blanks. A comment does not include the end of its line, which is still a token.
_TOKEN = re.compile(
    r"""
    [ ]*
  (?:
    (?P<newline> \n )
  | (?P<name>    [A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)* )
  | (?P<string>  "[^"\\\n]*(?:\\.[^"\\\n]*)*"i? )
  | (?P<skip>    [ \t\f\r\ufeff]+ | //[^\n]* | \#[^\n]* | \\[ ]*\r?\n )
  | (?P<regex>   /[^/\\]*(?:\\[\s\S][^/\\]*)*/[imslux]* )
  | (?P<number>  0[xX][0-9a-fA-F]+ | -?[0-9]+(?:\.[0-9]+)? )
  | (?P<special> <\[[^\]\n]*\]> | <[^<>\n]+> )
  | (?P<keyword> %[a-z_]* )
  | (?P<grammar> @[A-Za-z0-9_-]+ )
  | (?P<mark>    -> | \.\. | :: | [:|&()\[\]{}?*+~!.,=] )
  )
    """,
    re.VERBOSE,
)


def lark_tokens(text: str) -> list[tuple[str, str, int]] | int:
    """The tokens of a text without JSON, each as (kind, text, offset); or the offset of what is no token."""
    made = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return at + len(text[at:]) - len(text[at:].lstrip(" "))
        kind = found.lastgroup
        value = found[kind]
        at = found.end()
        if kind == "name":
            kind = "rule" if value.islower() else "terminal" if value.isupper() else "_"
            if kind == "_" and value != "_":
                return found.start("name")
        if kind != "skip":
            made.append((value if kind == "mark" else kind, value, found.start(found.lastgroup)))
    return [*made, ("newline", "", len(text)), ("end", "", len(text))]
