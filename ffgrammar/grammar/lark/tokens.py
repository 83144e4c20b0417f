# cython: language_level=3
"""The tokens of a Lark text, and a cursor over them."""

from __future__ import annotations

import re

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.texts import Texts, error_at

__all__ = ["Cursor", "Token", "shown"]

# The tokens that `tokens` does not read by itself. A backslash before the end of a line joins it to the next line. A
# comment does not include the end of its line, which is still a token.
_TOKEN = re.compile(
    r"""
    (?P<skip>    [\t\f\r\ufeff]+ | //[^\n]* | \#[^\n]* | \\[ ]*\r?\n )
  | (?P<regex>   /[^/\\]*(?:\\[\s\S][^/\\]*)*/[imslux]* )
  | (?P<number>  0[xX][0-9a-fA-F]+ | -?[0-9]+(?:\.[0-9]+)? )
  | (?P<special> <\[[^\]\n]*\]> | <[^<>\n]+> )
  | (?P<keyword> %[a-z_]* )
  | (?P<grammar> @[A-Za-z0-9_-]+ )
  | (?P<mark>    -> | \.\. | :: | [.] )
    """,
    re.VERBOSE,
)
_OBJECT = re.compile(r"\s*\{")
# What decides where the braces of a JSON object close. A string that is never closed takes the rest of the text: if
# each of its quotes were tried as the beginning of another one, the time would be quadratic.
_BRACES = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}]', re.DOTALL)
# The keywords with a JSON object after them.
_WITH_JSON = ("%json", "%regex", "%llguidance", "%indenter")


class Token:
    # kind: for a mark, the mark itself; for a name, "rule" or "terminal", or "_"; for the end of the text, "end"; for
    # %json, %regex and %llguidance with what follows them, these words; for a string, "string"; for the end of a line,
    # "newline"; for other tokens, the name of their group in _TOKEN
    kind: str
    value: str
    offset: int


def token(kind: str, value: str, offset: int) -> Token:
    made = Token()
    made.kind = kind
    made.value = value
    made.offset = offset
    return made


def tokens(texts: Texts, begin: int) -> list[Token]:
    """The tokens of the text that was added last, which begins at an offset.

    Most tokens are names, marks, strings and ends of lines. They are read here, character by character; the rest by an
    expression. (This takes a quarter of the time of an expression for all.)
    """
    made: list[Token] = []
    text = texts.joined
    at = begin
    end = len(text)
    while at < end:
        char = text[at]
        stop = at + 1
        if char == " ":
            pass
        elif char == "\n":
            made.append(token("newline", "\n", at))
        elif "a" <= char <= "z" or "A" <= char <= "Z" or char == "_":
            stop = _name_end(text, stop, end)
            value = text[at:stop]
            made.append(token(_name_kind(texts, value, at), value, at))
        elif char in "|&()[]{}?*+~!,=" or (char == ":" and (stop == end or text[stop] != ":")):
            value = text[at:stop]
            made.append(token(value, value, at))
        else:
            stop = _string_end(text, stop, end) if char == '"' else 0
            if stop:
                made.append(token("string", text[at:stop], at))
            else:
                stop = _rare(texts, made, at)
        at = stop
    made.append(token("newline", "", end))
    made.append(token("end", "", end))
    return made


def _name_end(text: str, at: int, end: int) -> int:
    """Where a name ends that has begun: words of letters, digits and underscores, with single hyphens between them."""
    hyphen = False
    while at < end:
        char = text[at]
        if not ("a" <= char <= "z" or "A" <= char <= "Z" or "0" <= char <= "9" or char == "_"):
            if char != "-" or hyphen:
                break
            hyphen = True
        else:
            hyphen = False
        at += 1
    return at - hyphen


def _string_end(text: str, at: int, end: int) -> int:
    """Where a string ends whose first quote has been read, with the `i` after it. 0 if its line ends before it."""
    while at < end:
        char = text[at]
        at += 1
        if char == '"':
            return at + 1 if at < end and text[at] == "i" else at
        if char == "\n":
            return 0
        if char == "\\":
            if at < end and text[at] == "\n":
                return 0
            at += 1
    return 0


def _rare(texts: Texts, made: list[Token], at: int) -> int:
    """Read a token of another kind, and append it unless it means nothing. Returns where it ends."""
    text = texts.joined
    found = _TOKEN.match(text, at)
    if found is None:
        raise error_at(texts, at, _stray(text[at]))
    kind = found.lastgroup or ""
    value = found[kind]
    stop = found.end()
    if kind == "mark":
        made.append(token(value, value, at))
    elif kind == "keyword" and value in _WITH_JSON:
        taken = _json(texts, stop, value)
        made.append(taken)
        stop = taken.offset + len(taken.value)
    elif kind != "skip":
        made.append(token(kind, value, at))
    return stop


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
            return token(keyword, text[first : found.end()], first)
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
