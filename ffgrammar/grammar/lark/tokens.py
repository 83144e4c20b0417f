# cython: language_level=3
"""The tokens of a Lark text, and a cursor over them."""

from __future__ import annotations

import re

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.texts import Texts, error_at

__all__ = ["Cursor", "Token", "shown"]

# A backslash before the end of a line joins it to the next line. A comment does not include the end of its line, which
# is still a token. Most tokens have a blank before them, so each may begin with blanks.
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
_OBJECT = re.compile(r"\s*\{")
# What decides where the braces of a JSON object close.
_BRACES = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}]', re.DOTALL)
# The keywords with a JSON object after them.
_WITH_JSON = ("%json", "%regex", "%llguidance", "%indenter")


class Token:
    def __init__(self, kind: str, value: str, offset: int) -> None:
        # for a mark, the mark itself; for a name, "rule" or "terminal", or "_"; for the end of the text, "end"; for
        # %json, %regex and %llguidance with what follows them, these words; for other tokens, the name of their group
        # in _TOKEN
        self.kind = kind
        self.value = value
        self.offset = offset


def tokens(texts: Texts, begin: int) -> list[Token]:
    """The tokens of the text that was added last, which begins at an offset."""
    made: list[Token] = []
    text = texts.joined
    match = _TOKEN.match
    at, end = begin, len(text)
    while at < end:
        found = match(text, at)
        if found is None:
            raise error_at(texts, at, _stray(text[at]))
        kind = found.lastgroup or ""
        value, at = found[kind], found.start(kind)
        if kind == "name":
            made.append(Token(_name_kind(texts, value, at), value, at))
        elif kind == "mark":
            made.append(Token(value, value, at))
        elif kind == "keyword" and value in _WITH_JSON:
            token = _json(texts, found.end(), value)
            made.append(token)
            at = token.offset + len(token.value)
            continue
        elif kind != "skip":
            made.append(Token(kind, value, at))
        at = found.end()
    made.append(Token("newline", "", end))
    made.append(Token("end", "", end))
    return made


def _json(texts: Texts, offset: int, keyword: str) -> Token:
    """The JSON object after a keyword that ends at an offset. Only braces and strings are read here."""
    text = texts.joined
    begin = _OBJECT.match(text, offset)
    if begin is None:
        raise error_at(texts, offset, f"expected a JSON object in braces after {keyword}")
    first = begin.end() - 1
    depth = 0
    for found in _BRACES.finditer(text, first):
        depth += {"{": 1, "}": -1}.get(found.group(), 0)
        if depth == 0:
            return Token(keyword, text[first : found.end()], first)
    raise error_at(texts, first, f"the '{{' after {keyword} is never closed")


def _name_kind(texts: Texts, name: str, offset: int) -> str:
    if name.islower():
        return "rule"
    if name.isupper():
        return "terminal"
    if name == "_":
        return "_"
    hint = f"; did you mean {name.lower()} or {name.upper()}?" if name.strip("_-0123456789") else ""
    message = f"bad name {name!r}: rules are all lower case, terminals all upper case{hint}"
    raise error_at(texts, offset, message)


def _stray(char: str) -> str:
    if char == '"':
        return 'this string has no closing " on its line'
    if char == "/":
        return "this regular expression has no closing /"
    if char == "<":
        return "this special token has no closing > on its line"
    if char == "'":
        return 'unexpected "\'": strings are written in double quotes'
    return f"unexpected character {char!r}"


def shown(token: Token) -> str:
    """A token for messages."""
    if token.kind == "newline":
        return "the end of the line"
    if token.kind == "end":
        return "the end of the text"
    return repr(token.value if len(token.value) <= 40 else token.value[:40] + "...")


class Cursor:
    """A place among the tokens of a text.

    Args:
        texts: the text was added last.
        begin: where it begins.
        limits: bounds on what is read.
    """

    def __init__(self, texts: Texts, begin: int, limits: Limits) -> None:
        self.texts = texts
        self.limits = limits
        self.tokens = tokens(texts, begin)
        self.at = 0

    def error(self, offset: int, message: str) -> GrammarError:
        return error_at(self.texts, offset, message)

    def unsupported(self, offset: int, message: str) -> GrammarError:
        return error_at(self.texts, offset, message, UnsupportedError)

    def peek(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def step(self) -> Token:
        """Take the next token, whatever it is. The caller has seen that it is not the end."""
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *kinds: str, what: str) -> Token:
        """Take the next token, which must be of one of some kinds."""
        token = self.tokens[self.at]
        if token.kind not in kinds:
            raise self.error(token.offset, f"expected {what}, found {shown(token)}")
        self.at += 1
        return token

    def skip_newlines(self) -> None:
        while self.tokens[self.at].kind == "newline":
            self.at += 1
