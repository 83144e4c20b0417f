# cython: language_level=3
"""From the text of a Lark grammar to its definitions.

The text is cut into tokens, and one pass over them writes each body in postfix order. The reader keeps open brackets on
a stack of its own, so brackets may be nested deeper than Python can recurse. `Limits.nesting` bounds their depth.
"""

from __future__ import annotations

import re

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.common import COMMON
from ffgrammar.grammar.lark.source import Definition, Op, Source, error_at, place
from ffgrammar.grammar.source_text import check_source_text

__all__ = ["read"]

# A backslash before the end of a line joins it to the next line. A comment does not include the end of its line, which
# is still a token.
_TOKEN = re.compile(
    r"""
    (?P<skip>    [ \t\f\r\ufeff]+ | //[^\n]* | \#[^\n]* | \\[ ]*\r?\n )
  | (?P<newline> \n )
  | (?P<name>    [A-Za-z_][A-Za-z0-9_]* )
  | (?P<string>  "[^"\\\n]*(?:\\.[^"\\\n]*)*"i? )
  | (?P<regex>   /[^/\\]*(?:\\[\s\S][^/\\]*)*/[imslux]* )
  | (?P<number>  -?[0-9]+ )
  | (?P<special> <\[[^\]\n]*\]> | <[^<>\n]+> )
  | (?P<keyword> %[a-z_]* )
  | (?P<mark>    -> | \.\. | [:|&()\[\]{}?*+~!.,] )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([xuU])|([nftr\\\"])|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "f": "\f", "t": "\t", "r": "\r", "\\": "\\", '"': '"'}
_OBJECT = re.compile(r"\s*\{")
# What decides where the braces of a JSON object close.
_BRACES = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}]', re.DOTALL)
_CLOSES = {"(": ")", "[": "]"}
_OPERATORS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
# A number of repetitions with more digits is refused without being converted. (int() itself refuses very long numbers.)
_NUMBER_DIGITS = 9


class _Token:
    def __init__(self, kind: str, value: str, offset: int) -> None:
        # for a mark, the mark itself; for a name, "rule" or "terminal"; for the end of the text, "end"; for %json and
        # %regex with what follows them, these words; for other tokens, the name of their group in _TOKEN
        self.kind = kind
        self.value = value
        self.offset = offset


def read(text: str, limits: Limits) -> Source:
    """Read a whole Lark text.

    Args:
        text: the grammar.
        limits: `source_bytes`, `nesting` and `rules` apply.

    Raises:
        GrammarError: the text is malformed (`line` and `column` say where).
        UnsupportedError: it has something of Lark that is not supported.
        LimitError: it is too long, nested too deep, or repeats something too often.
    """
    check_source_text(text, "the Lark text", limits)
    return _Reader(text, limits).read()


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    match = _TOKEN.match
    at, end = 0, len(text)
    while at < end:
        found = match(text, at)
        if found is None:
            raise error_at(text, at, _stray(text[at]))
        kind, value = found.lastgroup or "", found.group()
        if kind == "name":
            tokens.append(_Token(_name_kind(text, value, at), value, at))
        elif kind == "mark":
            tokens.append(_Token(value, value, at))
        elif value in ("%json", "%regex", "%indenter"):
            token = _json(text, found.end(), value)
            tokens.append(token)
            at = token.offset + len(token.value)
            continue
        elif kind != "skip":
            tokens.append(_Token(kind, value, at))
        at = found.end()
    tokens.append(_Token("newline", "", end))
    tokens.append(_Token("end", "", end))
    return tokens


def _json(text: str, offset: int, keyword: str) -> _Token:
    """The JSON object after the `%json` or `%regex` that ends at an offset. Only braces and strings are read here."""
    begin = _OBJECT.match(text, offset)
    if begin is None:
        raise error_at(text, offset, f"expected a JSON object in braces after {keyword}")
    first = begin.end() - 1
    depth = 0
    for found in _BRACES.finditer(text, first):
        depth += {"{": 1, "}": -1}.get(found.group(), 0)
        if depth == 0:
            return _Token(keyword, text[first : found.end()], first)
    raise error_at(text, first, f"the '{{' after {keyword} is never closed")


def _name_kind(text: str, name: str, offset: int) -> str:
    if name.strip("_0123456789"):
        if name == name.lower():
            return "rule"
        if name == name.upper():
            return "terminal"
    raise error_at(text, offset, f"bad name {name!r}: rules are all lower case, terminals all upper case")


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


def _shown(token: _Token) -> str:
    if token.kind == "newline":
        return "the end of the line"
    if token.kind == "end":
        return "the end of the text"
    return repr(token.value if len(token.value) <= 40 else token.value[:40] + "...")


class _Frame:
    """An open bracket, or the body itself, and how much of it has been read.

    Attributes:
        opener: the bracket, or the first token of the body.
        alternatives: how many alternatives are finished.
        conjuncts: how many parts of the current alternative are finished; `&` separates parts.
        items: how many items the current part has.
        negations: the offsets of every `~` before the next item.
    """

    def __init__(self, opener: _Token) -> None:
        self.opener = opener
        self.alternatives = 0
        self.conjuncts = 0
        self.items = 0
        self.negations: list[int] = []


class _Reader:
    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.tokens = _tokens(text)
        self.at = 0
        self.source = Source(text)

    def read(self) -> Source:
        while self.tokens[self.at].kind != "end":
            token = self.tokens[self.at]
            if token.kind == "newline":
                self.at += 1
            elif token.kind == "keyword":
                self.at += 1
                self.statement(token)
            elif token.kind == "%indenter":
                self.at += 1
                self.indenter(token)
            else:
                self.definition()
        return self.source

    # Helpers

    def error(self, offset: int, message: str) -> GrammarError:
        return error_at(self.text, offset, message)

    def unsupported(self, offset: int, message: str) -> GrammarError:
        return error_at(self.text, offset, message, UnsupportedError)

    def warn(self, offset: int, message: str) -> None:
        line, column = place(self.text, offset)
        self.source.warnings.append(f"line {line}, column {column}: {message}")

    def take(self, *kinds: str, what: str) -> _Token:
        token = self.tokens[self.at]
        if token.kind not in kinds:
            raise self.error(token.offset, f"expected {what}, found {_shown(token)}")
        self.at += 1
        return token

    def skip_newlines(self) -> None:
        while self.tokens[self.at].kind == "newline":
            self.at += 1

    def define(self, definition: Definition, table: dict[str, Definition]) -> None:
        earlier = table.get(definition.name)
        if earlier is not None:
            if len(earlier.body) == 1 and earlier.body[0].code == "common" and _same_body(earlier, definition):
                return  # The same import twice is no mistake.
            line, column = place(self.text, earlier.offset)
            message = f"{definition.name} is already defined at line {line}, column {column}"
            raise self.error(definition.offset, message)
        table[definition.name] = definition

    # Statements

    def statement(self, keyword: _Token) -> None:
        if keyword.value == "%ignore":
            self.source.ignored.append(self.body("%ignore", keyword.offset, in_terminal=True))
        elif keyword.value == "%words":
            self.source.words.append(self.body("%words", keyword.offset, in_terminal=True))
        elif keyword.value == "%import":
            self.imports()
        elif keyword.value in ("%declare", "%override", "%extend"):
            raise self.unsupported(keyword.offset, f"{keyword.value} is not supported: define the name in this text")
        else:
            message = f"unknown statement {keyword.value}: %ignore and %import are supported"
            raise self.error(keyword.offset, message)

    def indenter(self, token: _Token) -> None:
        if self.source.indenter is not None:
            raise self.error(token.offset, "there is an %indenter already")
        self.source.indenter = Op("indenter", token.value, token.offset)
        self.take("newline", what="the end of the line")

    def imports(self) -> None:
        path = [self.take("rule", "terminal", ".", what="the name of a library")]
        if path[0].kind != ".":
            while self.tokens[self.at].kind == ".":
                self.at += 1
                path.append(self.take("rule", "terminal", what="a name after '.'"))
        if path[0].value != "common":
            raise self.unsupported(path[0].offset, "only the library `common` can be imported")
        token = self.tokens[self.at]
        if token.kind == "(" and len(path) == 1:
            self.at += 1
            while True:
                self.skip_newlines()
                name = self.take("rule", "terminal", what="the name of a terminal")
                self.import_one(name, name)
                self.skip_newlines()
                if self.take(",", ")", what="',' or ')'").kind == ")":
                    break
        elif len(path) == 2:
            alias = path[1]
            if token.kind == "->":
                self.at += 1
                alias = self.take("terminal", what="the name of a terminal (upper case)")
            self.import_one(path[1], alias)
        else:
            raise self.error(path[-1].offset, "write `%import common.NAME` or `%import common (NAME, NAME)`")
        self.take("newline", what="the end of the line")

    def import_one(self, name: _Token, alias: _Token) -> None:
        if name.value not in COMMON:
            raise self.error(name.offset, f"common has no {name.value}; it has {', '.join(COMMON)}")
        body = (Op("common", name.value, name.offset),)
        self.define(Definition(alias.value, alias.offset, body), self.source.terminals)

    # Definitions

    def definition(self) -> None:
        modifiers = self.at
        while self.tokens[self.at].kind in ("?", "!"):
            self.at += 1
        name = self.take("rule", "terminal", what="a rule, a terminal or a statement")
        terminal = name.kind == "terminal"
        if terminal and self.at - 1 > modifiers:
            raise self.error(self.tokens[modifiers].offset, "only rules take ? and !")
        lazy = False
        if self.tokens[self.at].kind == "{":
            raise self.unsupported(self.tokens[self.at].offset, "templates are not supported: write the rule out")
        if self.tokens[self.at].kind == "[":
            lazy = self.attributes(terminal)
        if self.tokens[self.at].kind == ".":
            self.at += 1
            priority = self.take("number", what="a priority")
            if terminal:
                self.warn(
                    priority.offset,
                    f"the priority of {name.value} has no effect: all terminals that match the longest text are kept",
                )
        self.take(":", what=f"':' after {name.value}")
        definition = self.body(name.value, name.offset, in_terminal=terminal, lazy=lazy)
        self.define(definition, self.source.terminals if terminal else self.source.rules)

    def attributes(self, terminal: bool) -> bool:
        self.at += 1
        while True:
            attribute = self.take("rule", what="an attribute")
            if attribute.value != "lazy":
                message = f"unknown attribute {attribute.value}: only `lazy` is supported"
                raise self.unsupported(attribute.offset, message)
            if not terminal:
                message = "only terminals can be lazy: make it a terminal (upper case)"
                raise self.unsupported(attribute.offset, message)
            if self.take(",", "]", what="',' or ']'").kind == "]":
                return True

    def body(self, name: str, offset: int, *, in_terminal: bool, lazy: bool = False) -> Definition:
        """Read alternatives, up to the end of a line. A line that begins with `|` continues the line before it."""
        ops: list[Op] = []
        stack = [_Frame(self.tokens[self.at])]
        while True:
            token = self.tokens[self.at]
            kind = token.kind
            self.at += 1
            frame = stack[-1]
            if kind in ("rule", "terminal", "string", "regex", "%regex"):
                ops.append(self.atom(token))
                self.item_done(ops, frame)
            elif kind == "special":
                if in_terminal:
                    raise self.unsupported(token.offset, f"only rules can have special tokens, such as {token.value}")
                ops.append(Op("special", token.value, token.offset))
                self.item_done(ops, frame)
            elif kind == "%json":
                if in_terminal:
                    raise self.unsupported(token.offset, "only rules can have %json")
                ops.append(Op("json", token.value, token.offset))
                self.item_done(ops, frame)
            elif kind in ("(", "["):
                stack.append(_Frame(token))
                if len(stack) - 1 > self.limits.nesting:
                    raise LimitError("nesting", self.limits.nesting, self.deep(token))
            elif kind in (")", "]"):
                self.close(ops, stack, token)
            elif kind == "|":
                self.alternative_done(ops, frame, token)
            elif kind == "->":
                self.alias(token, in_terminal)
            elif kind in ("&", "~"):
                self.terminal_operator(ops, frame, token, in_terminal)
            elif kind != "newline":
                raise self.misplaced(token, frame.opener if len(stack) > 1 else None, name)
            elif len(stack) == 1:
                self.skip_newlines()
                if self.tokens[self.at].kind != "|":
                    self.alternative_done(ops, frame, token)
                    return Definition(name, offset, tuple(ops), frame.alternatives, lazy)

    def atom(self, token: _Token) -> Op:
        if token.kind == "string":
            return self.string(token)
        if token.kind == "regex":
            return self.regex(token)
        if token.kind == "%regex":
            return Op("pieces", token.value, token.offset)
        return Op("name", token.value, token.offset)

    def close(self, ops: list[Op], stack: list[_Frame], token: _Token) -> None:
        """Read a closing bracket."""
        frame = stack[-1]
        if len(stack) == 1:
            raise self.error(token.offset, f"{token.kind!r} closes nothing")
        if _CLOSES[frame.opener.kind] != token.kind:
            raise self.error(token.offset, f"{token.kind!r} cannot close {self.opened(frame.opener)}")
        self.alternative_done(ops, frame, token)
        if frame.alternatives > 1:
            ops.append(Op("alt", frame.alternatives, frame.opener.offset))
        if token.kind == "]":
            ops.append(Op("rep", (0, 1), frame.opener.offset))
        stack.pop()
        self.item_done(ops, stack[-1])

    def misplaced(self, token: _Token, opener: _Token | None, name: str) -> GrammarError:
        # A bracket may extend over several lines. So if the misplaced token is on a later line than the bracket, a
        # missing closing bracket is the likely mistake.
        if opener is not None and (token.kind == "end" or "\n" in self.text[opener.offset : token.offset]):
            return self.error(opener.offset, f"{opener.kind!r} is never closed")
        return self.error(token.offset, f"unexpected {_shown(token)} in the definition of {name}")

    def deep(self, token: _Token) -> str:
        line, column = place(self.text, token.offset)
        return f"line {line}, column {column}: brackets are nested too deep"

    def opened(self, opener: _Token) -> str:
        line, column = place(self.text, opener.offset)
        return f"the {opener.kind!r} of line {line}, column {column}"

    def item_done(self, ops: list[Op], frame: _Frame) -> None:
        """Finish an item: read the operator after it, and apply the `~` before it."""
        token = self.tokens[self.at]
        if token.kind in _OPERATORS:
            self.at += 1
            ops.append(Op("rep", _OPERATORS[token.kind], token.offset))
        elif token.kind == "~" and self.tokens[self.at + 1].kind == "number":
            self.at += 1
            lo = hi = self.number()
            if self.tokens[self.at].kind == "..":
                self.at += 1
                hi = self.number()
                if hi < lo:
                    raise self.error(token.offset, f"the range {lo}..{hi} is empty")
            ops.append(Op("rep", (lo, hi), token.offset))
        if frame.negations:
            ops.extend([Op("not", None, offset) for offset in frame.negations])
            frame.negations.clear()
        frame.items += 1

    def number(self) -> int:
        token = self.take("number", what="a number")
        if token.value.startswith("-"):
            raise self.error(token.offset, "a number of repetitions cannot be negative")
        digits = token.value.lstrip("0") or "0"
        if len(digits) > _NUMBER_DIGITS:
            line, column = place(self.text, token.offset)
            raise LimitError("rules", self.limits.rules, f"line {line}, column {column}: too many repetitions")
        return int(digits)

    def conjunct_done(self, ops: list[Op], frame: _Frame, token: _Token) -> None:
        if frame.negations:
            raise self.error(frame.negations[-1], "'~' has nothing after it")
        if frame.items != 1:
            ops.append(Op("cat", frame.items, token.offset))
        frame.items = 0
        frame.conjuncts += 1

    def alternative_done(self, ops: list[Op], frame: _Frame, token: _Token) -> None:
        self.conjunct_done(ops, frame, token)
        if frame.conjuncts > 1:
            ops.append(Op("and", frame.conjuncts, token.offset))
        frame.conjuncts = 0
        frame.alternatives += 1

    def terminal_operator(self, ops: list[Op], frame: _Frame, token: _Token, in_terminal: bool) -> None:
        if not in_terminal:
            raise self.unsupported(token.offset, f"only terminals can have {token.kind!r}: make it a terminal")
        if token.kind == "~":
            frame.negations.append(token.offset)
        elif frame.items == 0:
            raise self.error(token.offset, "'&' has nothing before it")
        else:
            self.conjunct_done(ops, frame, token)
            if self.tokens[self.at].kind in ("|", "&", ")", "]", "newline", "end"):
                raise self.error(token.offset, "'&' has nothing after it")

    def alias(self, arrow: _Token, in_terminal: bool) -> None:
        if in_terminal:
            raise self.error(arrow.offset, "only the alternatives of rules can have an alias")
        self.take("rule", what="an alias (lower case)")
        following = self.tokens[self.at]
        if following.kind not in ("|", ")", "]", "newline"):
            raise self.error(following.offset, f"an alias ends its alternative; found {_shown(following)}")

    # Literals

    def string(self, token: _Token) -> Op:
        if self.tokens[self.at].kind == "..":
            self.at += 1
            last = self.take("string", what="the last character of the range, in quotes")
            ends = (self.one_character(token), self.one_character(last))
            if ends[0] > ends[1]:
                raise self.error(token.offset, f"the range {token.value}..{last.value} is empty")
            return Op("range", ends, token.offset)
        return Op("text", (self.unescaped(token), token.value.endswith("i")), token.offset)

    def one_character(self, token: _Token) -> int:
        value = self.unescaped(token)
        if len(value) != 1 or token.value.endswith("i"):
            raise self.error(token.offset, f"a range is between two single characters, not {_shown(token)}")
        return ord(value)

    def unescaped(self, token: _Token) -> str:
        """The value of a string by Lark's rules: an unknown escape keeps its backslash."""
        raw = token.value[1 : -2 if token.value.endswith("i") else -1]
        if "\\" not in raw:
            return self.encodable(token, raw)

        def value(found: re.Match[str]) -> str:
            digits = found[1] or found[2] or found[3]
            if digits and int(digits, 16) <= 0x10FFFF:
                return chr(int(digits, 16))
            if digits or found[4]:
                raise self.error(token.offset + 1 + found.start(), f"bad escape {found[0]}")
            return _SIMPLE_ESCAPES[found[5]] if found[5] else found[0]

        return self.encodable(token, _ESCAPE.sub(value, raw))

    def encodable(self, token: _Token, value: str) -> str:
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise self.error(token.offset, "a string cannot have half of a surrogate pair")
        return value

    def regex(self, token: _Token) -> Op:
        end = token.value.rindex("/")
        pattern, flags = token.value[1:end], token.value[end + 1 :]
        if "\n" in pattern and "x" not in flags:
            message = "this regular expression has no closing / on its line (line breaks need the flag x)"
            raise self.error(token.offset, message)
        if "l" in flags:
            raise self.unsupported(token.offset + end + 1, "the flag l (locale) is not supported")
        return Op("regex", (pattern, flags), token.offset)


def _same_body(one: Definition, other: Definition) -> bool:
    return [op[:2] for op in one.body] == [op[:2] for op in other.body]
