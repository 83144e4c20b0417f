# cython: language_level=3
"""From the text of a grammar to its rules.

The text is cut into tokens, and one pass over them writes each body in postfix order. The reader keeps open brackets on
a stack of its own, so brackets may be nested deeper than Python can recurse. `Limits.nesting` bounds their depth.
"""

from __future__ import annotations

import re

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.core.turn import turn
from ffgrammar.grammar.gbnf.characters import class_of, string_of
from ffgrammar.grammar.gbnf.dialects import Dialect
from ffgrammar.grammar.gbnf.macros import MACROS, Argument, macro
from ffgrammar.grammar.gbnf.source import Op, Rule, Source, TokenSet, error_at, place
from ffgrammar.grammar.source_text import check_source_text
from ffgrammar.regex.syntax.charset import ANY

__all__ = ["read"]

# (blanks are matched in one way only, so that a match that fails takes linear time)
_REPEAT = re.compile(r"\{\s*(?:([0-9]+)\s*)?(?:(,)\s*(?:(-1|[0-9]+)\s*)?)?\}", re.ASCII)
_OPERATORS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
# A number with more digits is refused without being converted. (int() itself refuses very long numbers.)
_NUMBER_DIGITS = 9


class _Token:
    def __init__(self, kind: str, value: str, offset: int) -> None:
        # for a mark, the mark itself; for the end of the text, "end"; else the name of its group in `Dialect.token`
        self.kind = kind
        self.value = value
        self.offset = offset


class _Frame:
    """An open bracket, or the body itself, and how much of it has been read.

    Attributes:
        opener: the bracket, or the name of the rule.
        alternatives: how many alternatives are finished.
        items: how many items the current one has.
        repeated: whether the last item has been repeated.
    """

    def __init__(self, opener: _Token) -> None:
        self.opener = opener
        self.alternatives = 0
        self.items = 0
        self.repeated = False


def read(text: str, dialect: Dialect, limits: Limits) -> Source:
    """Read a whole grammar. Every rule that is used is defined.

    Args:
        text: the grammar.
        dialect: its notation.
        limits: `source_bytes`, `nesting` and `rules` apply.

    Raises:
        GrammarError: the text is malformed, or a rule is not defined (`line` and `column` say where).
        UnsupportedError: it has something that is not supported.
        LimitError: it is too long, nested too deep, or repeats something too often.
    """
    check_source_text(text, f"the {dialect.title} text", limits)
    return _Reader(text, dialect, limits).read()


def _tokens(text: str, dialect: Dialect) -> list[_Token]:
    tokens: list[_Token] = []
    match = dialect.token.match
    at, end = 0, len(text)
    while at < end:
        found = match(text, at)
        if found is None:
            raise _stray(text, at, dialect)
        kind = found.lastgroup or ""
        if kind != "skip":
            value = found.group()
            tokens.append(_Token(value if kind == "mark" else kind, value, at))
        at = found.end()
        if not len(tokens) % 1024:
            turn()
    tokens.append(_Token("end", "", end))
    return tokens


def _stray(text: str, at: int, dialect: Dialect) -> GrammarError:
    char = text[at]
    closes = {'"': '"', "[": "]", "{": "}", "<": ">", "!": ">"}
    if char in "<!" and dialect.macros:
        message = "tokens are written Token(ID) and ExcludeToken(ID) in EBNF; <…> is GBNF"
    elif char == "'":
        message = 'unexpected "\'": strings are written in double quotes'
    elif char == "!" and not text.startswith("!<", at):
        message = "after ! a token is expected, such as !<think> or !<[5]>"
    elif char in closes:
        message = f"this {char} has no closing {closes[char]}"
    elif char == "," or (char == "=" and text.startswith("(", at - 1)):
        message = f"unexpected {char!r}: calls such as Token(5, 6) and look-ahead are EBNF; this is GBNF"
    elif char in "=:":
        message = f"unexpected {char!r}: a rule is written NAME ::= …"
    else:
        message = f"unexpected character {char!r}"
    return error_at(text, at, message)


class _Reader:
    def __init__(self, text: str, dialect: Dialect, limits: Limits) -> None:
        self.text = text
        self.dialect = dialect
        self.limits = limits
        self.tokens = _tokens(text, dialect)
        self.at = 0
        self.source = Source(text)
        # the names that are used, with the place of their first use
        self.used: dict[str, int] = {}

    def read(self) -> Source:
        rules = self.source.rules
        while self.tokens[self.at].kind != "end":
            name = self.tokens[self.at]
            if name.kind != "name" or self.tokens[self.at + 1].kind != "::=":
                raise self.no_rule(name)
            earlier = rules.get(name.value)
            if earlier is not None:
                line, column = place(self.text, earlier.offset)
                raise self.error(name.offset, f"{name.value} is already defined at line {line}, column {column}")
            self.at += 2
            rules[name.value] = Rule(name.value, name.offset, self.body(name))
        for used, offset in self.used.items():
            if used not in rules:
                raise self.undefined(used, offset)
        return self.source

    # Errors

    def error(self, offset: int, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
        return error_at(self.text, offset, message, kind)

    def no_rule(self, token: _Token) -> GrammarError:
        following = self.tokens[self.at + 1] if token.kind == "name" else token
        if token.kind == "name" and following.kind == "class" and self.dialect.macros:
            return self.options(following)
        return self.error(following.offset, f"expected a rule, NAME ::= …, found {_shown(following)}")

    def options(self, token: _Token) -> GrammarError:
        message = (
            "options of rules are not supported: set the temperature where tokens are drawn, bound tokens with "
            "max_tokens of matcher(), and read what a part said with capture() of a composition"
        )
        return self.error(token.offset, message, UnsupportedError)

    def undefined(self, name: str, offset: int) -> GrammarError:
        from ffgrammar.grammar.names import did_you_mean

        if name == "." and self.dialect.macros:
            return self.error(offset, "any character is written [^] in EBNF; . is a letter of names")
        return self.error(offset, f"{name} is not defined{did_you_mean(name, list(self.source.rules))}")

    # Bodies

    def body(self, name: _Token) -> tuple[Op, ...]:
        """Read alternatives, up to the name of the next rule."""
        ops: list[Op] = []
        stack = [_Frame(name)]
        while True:
            token = self.tokens[self.at]
            kind = token.kind
            frame = stack[-1]
            if kind == "end" or (kind == "name" and self.tokens[self.at + 1].kind == "::="):
                if len(stack) > 1:
                    raise self.error(frame.opener.offset, "this ( is never closed")
                if kind == "name" and self.text[: token.offset].rpartition("\n")[2].strip(" \t\r\ufeff"):
                    raise self.error(token.offset, f"the rule {token.value} must begin on a line of its own")
                self.alternative_done(ops, frame, token)
                self.joined(ops, frame)
                return tuple(ops)
            self.at += 1
            if not self.at % 1024:
                turn()
            if kind == "(":
                stack.append(_Frame(token))
                if len(stack) - 1 > self.limits.nesting:
                    line, column = place(self.text, token.offset)
                    raise LimitError(
                        "nesting", self.limits.nesting, "groups are nested", f"at line {line}, column {column}"
                    )
            elif kind == ")":
                self.close(ops, stack, token)
            elif kind == "|":
                self.alternative_done(ops, frame, token)
            elif kind in _OPERATORS or kind == "braces":
                self.repeat(ops, frame, token)
            else:
                ops.append(self.item(token))
                frame.items += 1
                frame.repeated = False

    def close(self, ops: list[Op], stack: list[_Frame], token: _Token) -> None:
        frame = stack.pop()
        if not stack:
            raise self.error(token.offset, "this ) closes nothing")
        if frame.alternatives == 0 and frame.items == 0:
            ops.append(Op("cat", 0, token.offset))  # ( ) is the empty text
            frame.alternatives = 1
        else:
            self.alternative_done(ops, frame, token)
            self.joined(ops, frame)
        stack[-1].items += 1
        stack[-1].repeated = False

    def alternative_done(self, ops: list[Op], frame: _Frame, token: _Token) -> None:
        if frame.items == 0 and not self.dialect.empty:
            raise self.error(
                token.offset, f'an alternative is missing before {_shown(token)}; write "" for the empty text'
            )
        if frame.items != 1:
            ops.append(Op("cat", frame.items, token.offset))
        frame.alternatives += 1
        frame.items = 0

    def joined(self, ops: list[Op], frame: _Frame) -> None:
        if frame.alternatives != 1:
            ops.append(Op("alt", frame.alternatives, frame.opener.offset))

    def item(self, token: _Token) -> Op:
        kind, value, offset = token.kind, token.value, token.offset
        if kind == "string":
            return Op("text", string_of(self.text, offset, value, self.dialect), offset)
        if kind == "class":
            return Op("set", class_of(self.text, offset, value, self.dialect), offset)
        if kind == "token":
            return Op("token", self.token(token), offset)
        if kind == ".":
            return Op("set", ANY, offset)
        if kind == "name":
            return self.name(token)
        if kind == "(=":
            message = "look-ahead is not supported: leave (=…) out, and let the rules say what follows"
            raise self.error(offset, message, UnsupportedError)
        raise self.error(offset, f"unexpected {_shown(token)}")

    def name(self, token: _Token) -> Op:
        following = self.tokens[self.at]
        if token.value in MACROS and following.kind == "(":
            if not self.dialect.macros:
                raise self.error(
                    token.offset, f"{token.value}(…) is EBNF; this is GBNF, where tokens are <[ID]> and !<[ID]>"
                )
            found = macro(self.text, token.value, token.offset, self.arguments())
            if isinstance(found, TokenSet):
                return Op("token", found, token.offset)
            for tag in found.tags:
                self.used.setdefault(tag.rule, tag.offset)
            return Op("dispatch", found, token.offset)
        if following.kind == "class" and self.dialect.macros and self.tokens[self.at + 1].kind == "::=":
            raise self.options(following)
        self.used.setdefault(token.value, token.offset)
        return Op("name", token.value, token.offset)

    def repeat(self, ops: list[Op], frame: _Frame, token: _Token) -> None:
        if frame.items == 0:
            raise self.error(token.offset, f"{_shown(token)} repeats nothing: what is repeated comes before it")
        if frame.repeated and self.dialect.macros:
            raise self.error(token.offset, f"{_shown(token)} repeats a repetition: put brackets around it, as in (x*)+")
        frame.repeated = True
        ops.append(Op("rep", _OPERATORS.get(token.kind) or self.bounds(token), token.offset))

    def bounds(self, token: _Token) -> tuple[int, int | None]:
        found = _REPEAT.fullmatch(token.value)
        ebnf = self.dialect.macros
        if found is None or not (found[1] or (found[2] and found[3] and not ebnf)) or (found[3] == "-1" and not ebnf):
            raise self.error(token.offset, f"{_shown(token)} is no repetition; write {{2}}, {{2,}}, {{0,4}} or {{2,4}}")
        low, comma, high = found.groups()
        if max(len(low or ""), len(high or "")) > _NUMBER_DIGITS:
            line, column = place(self.text, token.offset)
            raise LimitError("rules", self.limits.rules, "too many repetitions", f"at line {line}, column {column}")
        lo = int(low or 0)
        if not comma:
            return lo, lo
        if not high or high == "-1":
            return lo, None
        hi = int(high)
        if hi < lo:
            raise self.error(token.offset, f"{_shown(token)} is empty: its upper bound is below its lower bound")
        return lo, hi

    # Tokens and macros

    def token(self, token: _Token) -> TokenSet:
        negated = token.value.startswith("!")
        name = token.value[1:] if negated else token.value
        if not name.startswith("<["):
            return TokenSet(token.value, name, (), negated)
        digits = name[2:-2]
        if not name.endswith("]>") or not digits.isascii() or not digits.isdigit() or len(digits) > _NUMBER_DIGITS:
            raise self.error(token.offset, f"{name} is not the id of a token, such as <[5]>")
        return TokenSet(token.value, None, (int(digits),), negated)

    def take(self, *kinds: str, what: str) -> _Token:
        token = self.tokens[self.at]
        if token.kind not in kinds:
            raise self.error(token.offset, f"expected {what}, found {_shown(token)}")
        self.at += 1
        return token

    def arguments(self) -> list[Argument]:
        """The arguments of a macro, between the brackets that come next."""
        self.take("(", what="'('")
        found: list[Argument] = []
        while self.tokens[self.at].kind != ")":
            named = ""
            token = self.tokens[self.at]
            if token.kind == "name" and self.tokens[self.at + 1].kind == "=":
                named = token.value
                self.at += 2
            found.append(self.argument()._replace(named=named))
            if self.tokens[self.at].kind != ")":
                self.take(",", what="',' or ')'")
        self.at += 1
        return found

    def argument(self) -> Argument:
        opener = self.tokens[self.at]
        if opener.kind != "(":
            return self.simple_argument()
        self.at += 1
        parts = []
        while self.tokens[self.at].kind != ")":
            parts.append(self.simple_argument())
            if self.tokens[self.at].kind != ")":
                self.take(",", what="',' or ')'")
        self.at += 1
        return Argument("tuple", parts, opener.offset)

    def simple_argument(self) -> Argument:
        token = self.take("string", "number", "name", what="a string, a number or a name")
        if token.kind == "string":
            return Argument("string", string_of(self.text, token.offset, token.value, self.dialect), token.offset)
        if token.kind == "number":
            if len(token.value) > _NUMBER_DIGITS:
                raise self.error(token.offset, f"{_shown(token)} is not the id of a token")
            return Argument("number", int(token.value), token.offset)
        return Argument("name", token.value, token.offset)


def _shown(token: _Token) -> str:
    if token.kind == "end":
        return "the end of the text"
    return repr(token.value if len(token.value) <= 40 else token.value[:40] + "...")
