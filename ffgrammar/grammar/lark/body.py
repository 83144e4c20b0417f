# cython: language_level=3
"""The bodies of definitions: from tokens to steps in postfix order.

The reader keeps open brackets on a stack of its own, so brackets may be nested deeper than Python can recurse.
`Limits.nesting` bounds their depth.
"""

from __future__ import annotations

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.literals import range_of, regex, string
from ffgrammar.grammar.lark.parameters import read_condition, read_function
from ffgrammar.grammar.lark.source import Definition, Op
from ffgrammar.grammar.lark.texts import Texts
from ffgrammar.grammar.lark.tokens import Cursor, Token, shown

__all__ = ["BodyReader"]

_CLOSES = {"(": ")", "[": "]"}
_OPERATORS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
# A number of repetitions with more digits is refused without being converted. (int() itself refuses very long numbers.)
_NUMBER_DIGITS = 9
# How deep templates with arguments may be arguments. (They are read by recursion.)
MAX_ARGUMENTS = 200
_EXPECTED = "a name, a string, a regular expression, a bracket, '|' or the end of the line"


class Frame:
    """An open bracket, or the body itself, and how much of it has been read.

    Attributes:
        opener: the bracket, or the first token of the body.
        alternatives: how many alternatives are finished.
        conjuncts: how many parts of the current alternative are finished; `&` separates parts.
        items: how many items the current part has.
        negations: the offsets of every `~` before the next item.
        condition: the step of the condition of the current alternative, if it has one.
        first: how many steps there were before the current alternative.
    """

    def __init__(self, opener: Token, first: int) -> None:
        self.opener = opener
        self.first = first
        self.alternatives = 0
        self.conjuncts = 0
        self.items = 0
        self.negations: list[int] = []
        self.condition: Op | None = None


class BodyReader(Cursor):
    """Reads bodies. Takes the same arguments as `Cursor`."""

    def __init__(self, texts: Texts, begin: int, limits: Limits) -> None:
        super().__init__(texts, begin, limits)
        # How many grammars are open around the place (`%lark {`).
        self.depth = 0

    def body(self, name: str, offset: int, in_terminal: bool, lazy: bool = False) -> Definition:
        """Read alternatives, up to the end of a line. A line that begins with `|` continues the line before it."""
        ops: list[Op] = []
        stack = [Frame(self.tokens[self.at], 0)]
        while True:
            token = self.tokens[self.at]
            kind = token.kind
            self.at += 1
            frame = stack[-1]
            if kind in ("rule", "terminal", "string", "regex", "%regex"):
                ops.append(self.atom(ops, token, in_terminal, 0))
                self.item_done(ops, frame)
            elif kind == "newline" or (kind == "}" and self.depth and len(stack) == 1):
                if len(stack) == 1 and self.is_body_end(token):
                    self.alternative_done(ops, frame, token)
                    return Definition(name, offset, tuple(ops), frame.alternatives, lazy)
            elif kind == "|":
                self.alternative_done(ops, frame, token)
            elif kind in ("(", "["):
                stack.append(Frame(token, len(ops)))
                if len(stack) - 1 > self.limits.nesting:
                    raise self.too_deep(token)
            elif kind in (")", "]"):
                self.close(ops, stack, token)
            elif kind == "->":
                self.alias(token, in_terminal)
            elif kind in ("&", "~"):
                self.terminal_operator(ops, frame, token, in_terminal)
            elif kind in ("special", "%json", "grammar") or (kind == "keyword" and token.value == "%lark"):
                ops.append(self.rule_atom(token, in_terminal))
                self.item_done(ops, frame)
            elif kind == "keyword" and token.value == "%if":
                self.condition(frame, token, in_terminal)
            else:
                raise self.misplaced(token, frame.opener if len(stack) > 1 else None, name)

    def is_body_end(self, token: Token) -> bool:
        """Whether a body ends with a token, which is a newline or a brace."""
        if token.kind == "}":
            self.at -= 1
            return True
        self.skip_newlines()
        return self.tokens[self.at].kind != "|"

    # Items

    def atom(self, ops: list[Op], token: Token, in_terminal: bool, depth: int) -> Op:
        """The step of an item. The steps of a template's arguments are appended to `ops`."""
        if token.kind == "string":
            if self.tokens[self.at].kind != "..":
                return string(self.texts, token)
            self.at += 1
            last = self.take("string", what="the last character of the range, in quotes")
            return range_of(self.texts, token, last)
        if token.kind == "regex":
            return regex(self.texts, token)
        if token.kind == "%regex":
            return Op("pieces", token.value, token.offset)
        following = self.tokens[self.at].kind
        if following == "{" and self.tokens[self.at + 1].kind not in ("number", ","):
            return self.call(ops, token, in_terminal, depth)
        if following == "::":
            if in_terminal:
                raise self.unsupported(token.offset, "only rules can have parameters")
            self.at += 1
            return Op("param", (token.value, read_function(self)), token.offset)
        return Op("name", token.value, token.offset)

    def rule_atom(self, token: Token, in_terminal: bool) -> Op:
        """The step of an item that only rules can have."""
        if in_terminal:
            written = token.value if token.kind in ("grammar", "keyword") else token.kind
            if token.kind == "special":
                raise self.unsupported(token.offset, f"only rules can have special tokens, such as {token.value}")
            raise self.unsupported(token.offset, f"only rules can have {written}")
        if token.kind == "special":
            return Op("special", token.value, token.offset)
        if token.kind == "%json":
            return Op("json", token.value, token.offset)
        return self.nested(token)

    def nested(self, token: Token) -> Op:
        """The step of a grammar inside a body, which begins with a token `%lark` or `@name`."""
        raise NotImplementedError

    def call(self, ops: list[Op], name: Token, in_terminal: bool, depth: int) -> Op:
        """The step of a template with arguments. The cursor is at the brace."""
        brace = self.step()
        if in_terminal or name.kind == "terminal":
            message = "templates are rules: they can only stand in rules, and their names are lower case"
            raise self.unsupported(name.offset, message)
        if depth >= min(self.limits.nesting, MAX_ARGUMENTS):
            raise self.too_deep(brace)
        count = 0
        while True:
            self.skip_newlines()
            argument = self.take(
                "rule", "terminal", "string", "regex", "%regex", "special", "%json", "grammar", what="an argument"
            )
            if argument.kind in ("special", "%json", "grammar"):
                ops.append(self.rule_atom(argument, False))
            else:
                ops.append(self.atom(ops, argument, False, depth + 1))
            count += 1
            self.skip_newlines()
            if self.take(",", "}", what="',' or '}'").kind == "}":
                return Op("call", (name.value, count), name.offset)

    def item_done(self, ops: list[Op], frame: Frame) -> None:
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
        elif token.kind == "{":
            ops.append(Op("rep", self.bounds(), token.offset))
        if frame.negations:
            ops.extend([Op("not", None, offset) for offset in frame.negations])
            frame.negations.clear()
        frame.items += 1

    def bounds(self) -> tuple[int, int | None]:
        """The bounds of a repetition in braces: `{m}`, `{m,}`, `{,n}` or `{m,n}`."""
        brace = self.step()
        lo = self.number() if self.tokens[self.at].kind != "," else None
        if self.take(",", "}", what="',' or '}'").kind == "}":
            return lo or 0, lo
        hi = self.number() if self.tokens[self.at].kind != "}" else None
        self.take("}", what="'}'")
        if lo is None and hi is None:
            raise self.error(brace.offset, "{,} has no bound: write * for any number of repetitions")
        if hi is not None and hi < (lo or 0):
            raise self.error(brace.offset, f"the range {lo},{hi} is empty")
        return lo or 0, hi

    def number(self) -> int:
        token = self.take("number", what="a number")
        if token.value.startswith("-"):
            raise self.error(token.offset, "a number of repetitions cannot be negative")
        digits = token.value.lstrip("0") or "0"
        if len(digits) > _NUMBER_DIGITS:
            raise LimitError("rules", self.limits.rules, "too many repetitions", f"at {self.texts.told(token.offset)}")
        if not digits.isdigit():
            raise self.error(token.offset, f"expected a whole number, found {shown(token)}")
        return int(digits)

    # Brackets, alternatives and operators

    def close(self, ops: list[Op], stack: list[Frame], token: Token) -> None:
        """Read a closing bracket."""
        frame = stack[-1]
        if len(stack) == 1:
            raise self.error(token.offset, f"{token.kind!r} closes nothing")
        if _CLOSES[frame.opener.kind] != token.kind:
            opener = f"the {frame.opener.kind!r} of {self.texts.told(frame.opener.offset)}"
            raise self.error(
                token.offset, f"{token.kind!r} cannot close {opener}; expected {_CLOSES[frame.opener.kind]!r}"
            )
        self.alternative_done(ops, frame, token)
        if frame.alternatives > 1:
            ops.append(Op("alt", frame.alternatives, frame.opener.offset))
        if token.kind == "]":
            ops.append(Op("rep", (0, 1), frame.opener.offset))
        stack.pop()
        self.item_done(ops, stack[-1])

    def misplaced(self, token: Token, opener: Token | None, name: str) -> GrammarError:
        # A bracket may extend over several lines. So if the misplaced token is on a later line than the bracket, a
        # missing closing bracket is the likely mistake.
        text = self.texts.joined
        if opener is not None and (token.kind == "end" or "\n" in text[opener.offset : token.offset]):
            return self.error(opener.offset, f"{opener.kind!r} is never closed")
        return self.error(token.offset, f"unexpected {shown(token)} in the definition of {name}; expected {_EXPECTED}")

    def too_deep(self, token: Token) -> LimitError:
        where = f"at {self.texts.told(token.offset)}"
        return LimitError("nesting", self.limits.nesting, "brackets are nested too deep", where)

    def conjunct_done(self, ops: list[Op], frame: Frame, token: Token) -> None:
        if frame.negations:
            raise self.error(frame.negations[-1], "'~' has nothing after it")
        if frame.items != 1:
            ops.append(Op("cat", frame.items, token.offset))
        frame.items = 0
        frame.conjuncts += 1

    def alternative_done(self, ops: list[Op], frame: Frame, token: Token) -> None:
        self.conjunct_done(ops, frame, token)
        if frame.conjuncts > 1:
            ops.append(Op("and", frame.conjuncts, token.offset))
        if frame.condition is not None:
            code, condition, offset = frame.condition
            ops.insert(frame.first, Op(code, (condition, len(ops) - frame.first), offset))
            frame.condition = None
        frame.first = len(ops)
        frame.conjuncts = 0
        frame.alternatives += 1

    def terminal_operator(self, ops: list[Op], frame: Frame, token: Token, in_terminal: bool) -> None:
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

    def alias(self, arrow: Token, in_terminal: bool) -> None:
        if in_terminal:
            raise self.error(arrow.offset, "only the alternatives of rules can have an alias")
        self.take("rule", what="an alias (lower case)")
        self.expect_end_of_alternative("an alias")

    def condition(self, frame: Frame, keyword: Token, in_terminal: bool) -> None:
        """Read the condition at the end of an alternative."""
        if in_terminal:
            raise self.unsupported(keyword.offset, "only rules can have conditions")
        frame.condition = Op("if", read_condition(self), keyword.offset)
        self.expect_end_of_alternative("a condition")

    def expect_end_of_alternative(self, what: str) -> None:
        following = self.tokens[self.at]
        if following.kind not in ("|", ")", "]", "newline", "}"):
            raise self.error(following.offset, f"{what} ends its alternative; found {shown(following)}")
