# cython: language_level=3
r"""The parser of regular expressions: from the text of a pattern to a syntax tree.

There are two dialects. "rust" is the syntax of Rust's `regex` crate: Unicode classes, nested sets, inline flags. "ecma"
is that of ECMAScript with the `u` flag, which JSON Schema's `pattern` asks for. It also accepts what is common in real
patterns: a `]`, or a `{` that opens no quantifier, is literal (annex B); any punctuation may be escaped; `\A` is the
start of the text, and `\Z` and `\z` are its end. What is not regular is refused, and the error names its column.

`parse("ab|c*")` is `("alt", [("text", "ab"), ("rep", ("text", "c"), 0, None)])`. A node is a tuple, its kind first:

    ("empty",)                 the empty text
    ("set", charset)           one character of the set (see charset.py); if the set is empty, nothing matches
    ("text", str)              these characters, one after another
    ("cat", nodes)             the nodes, one after another
    ("alt", nodes)             any one of the nodes
    ("rep", node, lo, hi)      hi None: no upper bound
    ("start", column[, "m"])   the start of the text; "m": written under (?m), where it is also the start of a line
    ("end", column[, "m"])     the end of the text; "m": written under (?m), where it is also the end of a line
    ("look", ahead, negated, node, column)      look-ahead or look-behind; "ecma" only
    ("word", negated, charset, column)          a word boundary (negated: not a word boundary); the set has the
                                                characters of words; "ecma" only

Callers may build trees themselves. These may also have ("and", node, ...) and ("not", node), and anchors without a
column: ("start",), ("end",).

The parser keeps a stack of its own, so deep and long patterns do not reach Python's recursion limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.core.turn import turn
from ffgrammar.regex.syntax.charset import ANY, Charset, case_variants, from_ranges, negate
from ffgrammar.regex.syntax.classes import ClassParser
from ffgrammar.regex.syntax.escapes import IGNORE_CASE, VERBOSE, skip_comment

__all__ = ["Node", "parse"]

Node = tuple[Any, ...]

DOT_ALL = 4
MULTI_LINE = 8
FLAGS = {"i": IGNORE_CASE, "s": DOT_ALL, "m": MULTI_LINE, "x": VERBOSE}

# Larger repeat counts are refused: stores keep counts in 32 bits, and no text is that long.
MAX_REPEAT = (1 << 31) - 1

LITERALS = re.compile(r"[^\\^$.|?*+()\[\]{}]+")
LITERALS_VERBOSE = re.compile(r"[^\\^$.|?*+()\[\]{}\s#]+")
SURROGATE = re.compile("[\ud800-\udfff]")
COUNTED = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
COUNTED_RUST = re.compile(r"\{(?=[0-9,])([0-9]*)(?:(,)([0-9]*))?(?<!\{,)\}")
GROUP_NAME = re.compile(r"\(\?P?<((?:[^\W\d]|\$)[\w$]*)>")
GROUP_FLAGS = re.compile(r"\(\?([A-Za-z]*)(-[A-Za-z]*)?([:)])")

# Opening -> (ahead, negated, name for messages)
LOOKS = {
    "(?=": (True, False, "look-ahead"),
    "(?!": (True, True, "negative look-ahead"),
    "(?<=": (False, False, "look-behind"),
    "(?<!": (False, True, "negative look-behind"),
}
LOOK = re.compile(r"\(\?<?[=!]")
NOT_REGULAR = (
    ("(?>", "an atomic group"),
    ("(?(", "a conditional group"),
    ("(?|", "a branch-reset group"),
    ("(?P=", "a back-reference"),
    ("(?P>", "recursion"),
    ("(?&", "recursion"),
    ("(?R", "recursion"),
    ("(?#", "a comment group"),
)

EMPTY: Node = ("empty",)
DOTS: dict[tuple[bool, bool], Node] = {
    (True, False): ("set", negate(from_ranges([(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]))),
    (False, False): ("set", negate(((0x0A, 0x0A),))),
    (True, True): ("set", ANY),
    (False, True): ("set", ANY),
}


def parse(
    pattern: str,
    dialect: str = "rust",
    *,
    ignore_case: bool = False,
    dot_all: bool = False,
    limits: Limits | None = None,
) -> Node:
    """The syntax tree of a pattern.

    Args:
        pattern: the text of the pattern, without slashes around it.
        dialect: "rust" or "ecma".
        ignore_case, dot_all: as if the pattern began with `(?i)`, `(?s)`.
        limits: `source_bytes` and `nesting` apply.

    Raises:
        GrammarError: the pattern is malformed or has a lone surrogate; `column` says where.
        UnsupportedError: it has something that is not supported (back-references, atomic groups, octal escapes, ...).
        LimitError: it is too long, or nested too deep.
        ValueError: there is no such dialect.
    """
    if dialect not in ("rust", "ecma"):
        raise ValueError(f"dialect must be 'rust' or 'ecma', not {dialect!r}")
    limits = limits or Limits()
    if len(pattern) > limits.source_bytes:
        raise LimitError("source_bytes", limits.source_bytes, "the pattern is too long")
    surrogate = None if pattern.isascii() else SURROGATE.search(pattern)
    if surrogate:
        raise GrammarError("in the pattern: a lone surrogate is no character", column=surrogate.start() + 1)
    flags = (IGNORE_CASE if ignore_case else 0) | (DOT_ALL if dot_all else 0)
    return _Parser(pattern, dialect == "ecma", flags, limits.nesting).run()


class _Parser(ClassParser):
    """Groups, alternation, repeats and anchors. Classes and escapes are in the base classes."""

    __slots__ = ("branches", "frames", "items", "names", "pending", "repeatable", "stacked")

    def __init__(self, text: str, ecma: bool, flags: int, nesting: int) -> None:
        super().__init__(text, ecma, flags, nesting)
        # Per open group: items, branches and flags outside it, its column, and (ahead, negated) of a look-around
        self.frames: list[tuple[list[Node], list[Node], int, int, tuple[bool, bool] | None]] = []
        self.items: list[Node] = []  # the current branch
        self.branches: list[Node] = []  # the finished branches of the current group
        self.pending: list[str] = []  # literal text not yet in items
        self.repeatable = False  # whether a quantifier may follow
        self.stacked = 0  # how many quantifiers the last item has, as in a{2}{3}
        self.names: set[str] = set()

    def run(self) -> Node:
        text = self.text
        end = len(text)
        steps = 0
        while self.pos < end:
            steps += 1
            if not steps % 1024:
                turn()
            action = ACTIONS.get(text[self.pos])
            if action is None:
                self.literals()
            else:
                action(self)
        if self.frames:
            self.fail("the group is not closed", self.frames[-1][3] - 1)
        return self.close_group()

    # Building the tree

    def add_text(self, text: str) -> None:
        """Add literal characters. A quantifier after them applies to the last one."""
        self.repeatable = True
        self.stacked = 0
        if not self.flags & IGNORE_CASE:
            self.pending.append(text)
            return
        for char in text:
            variants = case_variants(char)
            if len(variants) == 1 and variants[0][0] == variants[0][1]:
                self.pending.append(char)
            else:
                self.add(("set", variants))

    def add(self, node: Node) -> None:
        if self.pending:
            self.items.append(("text", "".join(self.pending)))
            self.pending = []
        self.items.append(node)
        self.repeatable = True
        self.stacked = 0

    def add_charset(self, members: Charset) -> None:
        if len(members) == 1 and members[0][0] == members[0][1]:
            # Under (?i), a set of one character means that the character has no other case.
            self.pending.append(chr(members[0][0]))
            self.repeatable = True
            self.stacked = 0
        else:
            self.add(("set", members))

    def close_branch(self) -> Node:
        items = self.items
        if self.pending:
            items.append(("text", "".join(self.pending)))
            self.pending = []
        self.repeatable = False
        if len(items) == 1:
            return items[0]
        return ("cat", items) if items else EMPTY

    def close_group(self) -> Node:
        branch = self.close_branch()
        if not self.branches:
            return branch
        self.branches.append(branch)
        return ("alt", self.branches)

    def repeat(self, lo: int, hi: int | None, length: int) -> None:
        """Apply a quantifier, which is `length` characters long, to the last item."""
        column = self.pos
        if not self.repeatable:
            self.fail("there is nothing to repeat", column)
        if hi is not None and hi < lo:
            self.fail(f"the repeat counts {lo} and {hi} are out of order", column)
        self.pos += length
        follow = self.text[self.pos : self.pos + 1]
        if follow == "+":
            self.refuse("a possessive quantifier", column, "to repeat a repeat, write a group, as in (?:a*)+")
        if follow == "?":
            # A lazy quantifier matches the same texts as a greedy one.
            self.pos += 1
        node: Node
        if self.pending:
            run = "".join(self.pending)
            self.pending = []
            if len(run) > 1:
                self.items.append(("text", run[:-1]))
            node = ("text", run[-1])
        else:
            node = self.items.pop()
        self.items.append(("rep", node, lo, hi))
        self.stacked += 1
        if self.stacked > self.nesting:
            raise LimitError("nesting", self.nesting, f"column {column + 1}: too many quantifiers on one item")
        self.repeatable = not self.ecma

    # Actions. Each reads what begins at self.pos, and moves behind it. ACTIONS says which special character calls which
    # action. Any other character calls `literals`.

    def literals(self) -> None:
        verbose = self.flags & VERBOSE
        match = (LITERALS_VERBOSE if verbose else LITERALS).match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()
            self.add_text(match[0])
        else:
            # Under (?x): white space, or a comment up to the end of the line.
            self.pos = skip_comment(self.text, self.pos)

    def itself(self) -> None:
        self.add_text(self.text[self.pos])
        self.pos += 1

    def dot(self) -> None:
        self.add(DOTS[self.ecma, bool(self.flags & DOT_ALL)])
        self.pos += 1

    def bar(self) -> None:
        self.branches.append(self.close_branch())
        self.items = []
        self.pos += 1

    def anchor(self, kind: str, length: int, by_line: bool) -> None:
        node: Node = (kind, self.pos + 1)
        self.add((*node, "m") if by_line and self.flags & MULTI_LINE else node)
        self.repeatable = not self.ecma
        self.pos += length

    def caret(self) -> None:
        self.anchor("start", 1, True)

    def dollar(self) -> None:
        self.anchor("end", 1, True)

    def star(self) -> None:
        self.repeat(0, None, 1)

    def plus(self) -> None:
        self.repeat(1, None, 1)

    def question(self) -> None:
        self.repeat(0, 1, 1)

    def brace(self) -> None:
        match = (COUNTED if self.ecma else COUNTED_RUST).match(self.text, self.pos)
        if match is None:
            follow = self.text[self.pos + 1 : self.pos + 2]
            if not self.ecma and follow and follow in "0123456789,":
                self.fail("the repeat count is malformed; write \\{ for the character", self.pos)
            self.itself()
            return
        lo = self.count(match[1])
        if match[2] is None:
            self.repeat(lo, lo, len(match[0]))
        else:
            self.repeat(lo, self.count(match[3]) if match[3] else None, len(match[0]))

    def count(self, digits: str) -> int:
        digits = digits.lstrip("0")
        if len(digits) > 10 or (value := int(digits or "0")) > MAX_REPEAT:
            self.refuse("a repeat count above 2147483647", self.pos, "use an open bound, as in {2,}")
        return value

    def bracket(self) -> None:
        self.add_charset(self.char_class())

    def backslash(self) -> None:
        column = self.pos
        letter = self.text[column + 1 : column + 2]
        if letter in ("b", "B") and self.ecma:
            self.add(("word", letter == "B", self.perl("w"), column + 1))
            self.repeatable = False
            self.pos += 2
            return
        if letter in ("b", "B") or (letter in ("<", ">") and not self.ecma):
            self.refuse("a word boundary", column, "write out what may stand on each side")
        if letter in ("A", "z") or (letter == "Z" and self.ecma):
            self.anchor("start" if letter == "A" else "end", 2, False)
            return
        value = self.escape(in_class=False)
        if isinstance(value, int):
            self.add_text(chr(value))
        else:
            self.add_charset(value)

    def open_group(self) -> None:
        text, column = self.text, self.pos
        flags = self.flags
        look = None
        if not text.startswith("(?", column):
            self.pos += 1
        elif match := LOOK.match(text, column):
            ahead, negated, what = LOOKS[match[0]]
            if not self.ecma:
                self.refuse(what, column)
            look = (ahead, negated)
            self.pos = match.end()
        else:
            for opening, what in NOT_REGULAR:
                if text.startswith(opening, column):
                    self.refuse(what, column)
            if match := GROUP_NAME.match(text, column):
                if match[1] in self.names and not self.ecma:
                    self.fail(f"there is already a group named {match[1]!r}", column)
                self.names.add(match[1])
            elif match := GROUP_FLAGS.match(text, column):
                flags = self.group_flags(match)
                if match[3] == ")":
                    # The flags hold for the rest of the group.
                    self.flags = flags
                    self.pos = match.end()
                    self.repeatable = False
                    return
            else:
                self.fail("the group opens with an unknown extension", column)
            self.pos = match.end()
        if len(self.frames) >= self.nesting:
            raise LimitError("nesting", self.nesting, "groups are nested too deep", f"at column {column + 1}")
        if self.pending:
            self.items.append(("text", "".join(self.pending)))
            self.pending = []
        self.frames.append((self.items, self.branches, self.flags, column + 1, look))
        self.items, self.branches, self.flags = [], [], flags
        self.repeatable = False

    def group_flags(self, match: re.Match[str]) -> int:
        flags = self.flags
        on, off, end = match[1], (match[2] or "")[1:], match[3]
        if (match[2] is not None or end == ")") and not on + off:
            self.fail("the group has no flags", self.pos)
        for letter in on + off:
            if letter in FLAGS and not (self.ecma and letter == "x"):
                continue
            if self.ecma or letter not in "uUR":
                self.fail(f"unknown flag {letter!r}", self.pos)
            if letter == "R" or (letter == "u" and letter in off):
                self.refuse(f"the flag {match[0][1:-1]}", self.pos)
            # (?u) is the default, and (?U) swaps greedy and lazy, which match the same texts.
        for letter in on:
            flags |= FLAGS.get(letter, 0)
        for letter in off:
            flags &= ~FLAGS.get(letter, 0)
        return flags

    def close_paren(self) -> None:
        if not self.frames:
            self.fail("there is no group to close; write \\) for the character", self.pos)
        node = self.close_group()
        self.items, self.branches, self.flags, column, look = self.frames.pop()
        self.add(node if look is None else ("look", *look, node, column))
        self.repeatable = look is None
        self.pos += 1


ACTIONS: dict[str, Callable[[_Parser], None]] = {
    "\\": _Parser.backslash,
    "^": _Parser.caret,
    "$": _Parser.dollar,
    ".": _Parser.dot,
    "|": _Parser.bar,
    "?": _Parser.question,
    "*": _Parser.star,
    "+": _Parser.plus,
    "(": _Parser.open_group,
    ")": _Parser.close_paren,
    "[": _Parser.bracket,
    "]": _Parser.itself,
    "{": _Parser.brace,
    "}": _Parser.itself,
}
