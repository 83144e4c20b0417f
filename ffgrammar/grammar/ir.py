# cython: language_level=3
"""`GrammarIR`: the grammar that every front-end emits. It has lexemes, given by expressions, and productions over them.

A symbol is an int: terminal t is 2*t, nonterminal n is 2*n+1. `GrammarBuilder` (builder.py) makes grammars.

Two things go beyond context-free rules. *Templates* are productions of a nonterminal with a parameter. The
parameter has a set of bits, which remember what has occurred, and two counters. *Checks* are questions about the text
itself, such as whether the items of an array are unique. Only json_schema/ makes templates and checks; front-ends that
embed its grammars copy them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.store import ExprStore

__all__ = [
    "ANY_COUNT",
    "CHECKS",
    "MAX_COUNT",
    "MAX_SCOPED_SKIPS",
    "VALUE_GOES_ON",
    "GrammarIR",
    "Guard",
    "Lexeme",
    "LexemeGroup",
    "Parametric",
    "PartNode",
    "Productions",
    "RuleNote",
    "Template",
    "plain_lexeme",
]

# The bounds of a counter that may have any value.
ANY_COUNT = (0, None)
# The kinds of checks. "unique": no two items of the array are equal. "repeated": two of its items are equal. "new key":
# the key is not yet in its object.
CHECKS = ("unique", "repeated", "new key")
# Where nonterminals say which skips may stand inside them, at most this many lexemes are skips.
MAX_SCOPED_SKIPS = 30
# The bounds of a counter are below this.
MAX_COUNT = 1 << 30
# The bytes with which a lexeme of JSON may go on after a value, as an int in which bit b stands for byte b: a number
# has more digits, white space goes on, and a key may have its colon in its lexeme.
VALUE_GOES_ON = sum(map((1).__lshift__, b" \t\r\n+-.0123456789:Ee"))


class Lexeme:
    """A terminal: its expression in the grammar's store, and how it ends. Immutable.

    A lexeme in a text is never empty. If the expression matches the empty text, the grammar may go on without the
    lexeme.

    Attributes:
        expr: its expression.
        name: its name in messages.
        lazy: it ends at its first match; other lexemes take the longest.
        skip: it may stand before, between and after the other lexemes, as white space does.
        check: the number of the check (`GrammarIR.checks`) that must hold for the innermost open container, or None.
        opens: it is the bracket or brace that opens a container with checks.
        tokens: the ids of special tokens, ascending. A lexeme that has any is one of these tokens, and no text: its
            expression is NOTHING, and it is neither lazy nor a skip.
        group: the number of its group. Only lexemes of one group that began at the same place compete for the longest
            match.
        anywhere: each of its matches counts, and it goes on as well.
    """

    def __init__(
        self,
        expr: int,
        name: str = "",
        lazy: bool = False,
        skip: bool = False,
        check: int | None = None,
        opens: bool = False,
        tokens: tuple[int, ...] = (),
        group: int = 0,
        anywhere: bool = False,
    ) -> None:
        self.expr = expr
        self.name = name
        self.lazy = lazy
        self.skip = skip
        self.check = check
        self.opens = opens
        self.tokens = tokens
        self.group = group
        self.anywhere = anywhere

    def ending(self, group: int, anywhere: bool) -> Lexeme:
        """The same lexeme with another group, and another rule for its end."""
        return Lexeme(self.expr, self.name, self.lazy, self.skip, self.check, self.opens, self.tokens, group, anywhere)

    def in_store(self, expr: int) -> Lexeme:
        """The same lexeme in another store, where `expr` is its expression."""
        return Lexeme(
            expr, self.name, self.lazy, self.skip, self.check, self.opens, self.tokens, self.group, self.anywhere
        )

    def _fields(self) -> tuple[object, ...]:
        shape = (self.expr, self.name, self.lazy, self.skip, self.check, self.opens)
        return (*shape, self.tokens, self.group, self.anywhere)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexeme) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"Lexeme{self._fields()}"


def plain_lexeme(expr: int, name: str) -> Lexeme:
    """`Lexeme(expr, name)`, made in less than half of the time."""
    made: Lexeme = Lexeme.__new__(Lexeme)
    made.expr = expr
    made.name = name
    made.lazy = made.skip = made.opens = made.anywhere = False
    made.check = None
    made.tokens = ()
    made.group = 0
    return made


@dataclass(frozen=True)
class LexemeGroup:
    """What a front-end promises of the lexemes of a group. Lexemes that end anywhere may be among them.

    Attributes:
        delimited: longest match loses no text among its lexemes.
        skips: the numbers of the lexemes of the group of which any number, also none, may stand after each lexeme of
            the group. The productions say so; these lexemes are no skips of the grammar.
        next_first: the bytes that may begin a lexeme of another group right after one of this group; bit b of the int
            stands for byte b. A byte may be left out if no lexeme before it can go on with it.
        previous_going_on: the bytes with which a lexeme of another group may go on where one of this group may begin. A
            byte may be left out if nothing that follows that lexeme begins with it.
    """

    delimited: bool = False
    skips: tuple[int, ...] = ()
    next_first: int = 0
    previous_going_on: int = 0


@dataclass(frozen=True)
class Parametric:
    """A nonterminal with a parameter, which is a set of bits and two counters. Its productions are templates.

    Where a plain production names the nonterminal, all bits and both counters are zero.

    Attributes:
        number: the number of the nonterminal.
        bits: how many bits the set has.
        joined: an instance may be reached by several productions at once, which set different bits. Then all of these
            bits are set. The front-end promises that only the bits and counters that productions of the family set tell
            these productions apart: all of them begin and end at the same places of the text. No parameter derives the
            empty text.
    """

    number: int
    bits: int
    joined: bool = False


@dataclass(frozen=True)
class Guard:
    """A condition on the text of a lexeme, which depends on a bit of a parameter (see `Template.guards`).

    Attributes:
        bit: the number of the bit.
        lexeme: the number of a lexeme.
        inside: True: unless the bit is set, the text must be one of the lexeme's. False: if the bit is set, it must not
            be one of them.
    """

    bit: int
    lexeme: int
    inside: bool


@dataclass(frozen=True)
class Template:
    """A production of a parametric nonterminal. It holds for the parameters that meet its conditions.

    Attributes:
        head: the number of the parametric nonterminal.
        rhs: the right-hand side without `again`: plain symbols.
        again: the number of a parametric nonterminal that follows `rhs` at the end of the production; or None. Its
            parameter is that of `head`, changed by `bit` and `add`.
        bit: the number of a bit that must not be set in the parameter of `head`, and is set in that of `again`; or
            None.
        need: the bits that must be set in the parameter of `head`, as an int.
        counts: the bounds (lowest, highest or None) between which the two counters of `head` must be.
        add: how much is added to each counter for `again`, 0 or 1.
        sets: further bits that are set in the parameter of `again`, as an int.
        settled: a mask and a distance. Each bit of the mask that is set in the parameter of `head` must be *settled*:
            the bit that is the distance above it must be set, too. So a bit of the mask whose partner nothing sets must
            not be set. The distance is a multiple of 32, and the mask has no bits from the distance on.
        guards: conditions on the text of the last lexeme of `rhs`. The front-end promises that some text of the lexeme
            meets all conditions, whatever the parameter is. Where two productions that read this lexeme may be used at
            the same place, their conditions must be the same.
        beside: the number of a lexeme; or None. The last lexeme of `rhs` is read only together with that one. So the
            guards of that one hold for it, too, and need not be checked twice.
    """

    head: int
    rhs: tuple[int, ...]
    again: int | None = None
    bit: int | None = None
    need: int = 0
    counts: tuple[tuple[int, int | None], tuple[int, int | None]] = (ANY_COUNT, ANY_COUNT)
    add: tuple[int, int] = (0, 0)
    sets: int = 0
    settled: tuple[int, int] = (0, 0)
    guards: tuple[Guard, ...] = ()
    beside: int | None = None

    def last_lexeme(self) -> int:
        """The number of the last lexeme of `rhs`, which has one."""
        return next(symbol >> 1 for symbol in reversed(self.rhs) if not symbol & 1)

    def holds(self, bits: int, counters: tuple[int, int]) -> bool:
        """Whether a parameter of `head` meets the conditions."""
        if (self.bit is not None and bits >> self.bit & 1) or self.need & ~bits or self.unsettled(bits):
            return False
        return all(
            lowest <= count and (highest is None or count <= highest)
            for count, (lowest, highest) in zip(counters, self.counts, strict=True)
        )

    def bits_after(self, bits: int) -> int:
        """The set of bits of `again`."""
        return (bits if self.bit is None else bits | 1 << self.bit) | self.sets

    def unsettled(self, bits: int) -> int:
        """The bits that must be settled, and are not."""
        mask, distance = self.settled
        return bits & mask & ~(bits >> distance)


@dataclass(frozen=True)
class RuleNote:
    """What is to be known of a rule beside its texts.

    Attributes:
        rule: the number of its nonterminal, which is one of the rules of the source.
        hidden: how many bytes at its end do not belong to its captures.
        hidden_name: the name of the captures of these bytes; empty: none.
        temperature: the sampling temperature that the source asks for, or None.
    """

    rule: int
    hidden: int = 0
    hidden_name: str = ""
    temperature: float | None = None


@dataclass(frozen=True)
class PartNode:
    """A part of a composition, in the list of its parts (`GrammarIR.outline`).

    Attributes:
        kind: "text", exactly some bytes; "tokens", one of some special tokens; "grammar", what a symbol derives;
            "sequence", "choice", "repeat", and "capture" of other parts.
        inner: the numbers in the list of the parts that it consists of. They are smaller than its own.
        value: the bytes; the ids of the special tokens; the symbol; (least, most) of a repeat, where None stands for no
            bound; the name of a capture; or None.
        nullable: whether the empty text is one of its texts.
    """

    kind: str
    inner: tuple[int, ...]
    value: Any
    nullable: bool


@dataclass(frozen=True, init=False)
class GrammarIR:
    """An immutable context-free grammar over lexemes.

    Attributes:
        store: the store that has the expressions of the lexemes.
        lexemes: terminal t is lexemes[t].
        productions: the plain productions.
        names: the names of the nonterminals, for messages.
        start: the start symbol, a nonterminal.
        kind: what the front-end reads, for reports.
        single_skip: at most one skip lexeme may stand between two others; this bounds runs of whitespace.
        delimited: the front-end promises that longest match loses no text: where a matched lexeme can go on with a
            byte, nothing that may follow the lexeme starts with that byte. Without this promise and the next one, the
            engine searches for a completion in each new configuration.
        family: the front-end promises the same of lexemes of two grammars with the same family, as if they were those
            of one grammar. After a sentence of such a grammar no lexeme can begin but a skip, and none can go on but
            with a byte of VALUE_GOES_ON. Empty: no promise.
        warnings: what the user should know: what is not enforced, or where a text may reach a dead end.
        parametric, templates: the nonterminals with a parameter, and their productions. The front-end promises that a
            text can be completed from every parameter that can be reached.
        checks: the kind of each check, one of `CHECKS`. Checks are about JSON. A front-end that uses them promises that
            brackets, braces and commas outside of strings are lexemes by themselves, and that the grammar is delimited.
        rules: how many nonterminals, from the first one on, are rules of the source, whose names users know.
        notes: what is to be known of rules beside their texts.
        groups: what is promised of the groups of lexemes, by their numbers; empty: nothing.
        apart: the front-end promises that the first byte of a lexeme decides its group. So it makes no difference that
            lexemes of different groups compete.
        correct_prefix: the front-end promises that some sentence begins with each text that the lexer and the parser
            can read. Every delimited grammar keeps this promise, too.
        skips_in: per nonterminal, the numbers of the skip lexemes that may stand inside its productions, after the
            first symbol and before the last. Those of the start symbol may also stand at the end of the text. None may
            stand at the beginning. Such a grammar has no groups, checks or templates. Empty: every skip may stand
            everywhere.
        words: how many lexemes, the last ones, are *words*. They are in no production. A word begins wherever a lexeme
            may begin, and no lexeme may end where a word goes on. So a keyword does not end inside a name. Such a
            grammar has no groups or lexemes that end anywhere.
        outline: the parts of a composition that has captures, as its user has laid them out. The last one is the whole.
            Empty without captures.
    """

    store: ExprStore
    lexemes: tuple[Lexeme, ...]
    productions: Productions
    names: tuple[str, ...]
    start: int
    kind: str = ""
    single_skip: bool = False
    delimited: bool = False
    warnings: tuple[str, ...] = ()
    parametric: tuple[Parametric, ...] = ()
    templates: tuple[Template, ...] = ()
    checks: tuple[str, ...] = ()
    family: str = ""
    rules: int = 0
    groups: tuple[LexemeGroup, ...] = ()
    apart: bool = False
    correct_prefix: bool = False
    outline: tuple[PartNode, ...] = ()
    skips_in: tuple[frozenset[int], ...] = ()
    words: int = 0
    notes: tuple[RuleNote, ...] = ()

    def __init__(
        self,
        store: ExprStore,
        lexemes: tuple[Lexeme, ...],
        productions: Productions,
        names: tuple[str, ...],
        start: int,
        kind: str = "",
        single_skip: bool = False,
        delimited: bool = False,
        warnings: tuple[str, ...] = (),
        parametric: tuple[Parametric, ...] = (),
        templates: tuple[Template, ...] = (),
        checks: tuple[str, ...] = (),
        family: str = "",
        rules: int = 0,
        groups: tuple[LexemeGroup, ...] = (),
        apart: bool = False,
        correct_prefix: bool = False,
        outline: tuple[PartNode, ...] = (),
        skips_in: tuple[frozenset[int], ...] = (),
        words: int = 0,
        notes: tuple[RuleNote, ...] = (),
    ) -> None:
        # (The constructor that `dataclass` makes for a frozen class takes ten times as long.)
        fields = {
            "store": store,
            "lexemes": lexemes,
            "productions": productions,
            "names": names,
            "start": start,
            "kind": kind,
            "single_skip": single_skip,
            "delimited": delimited,
            "warnings": warnings,
            "parametric": parametric,
            "templates": templates,
            "checks": checks,
            "family": family,
            "rules": rules,
            "groups": groups,
            "apart": apart,
            "correct_prefix": correct_prefix,
            "outline": outline,
            "skips_in": skips_in,
            "words": words,
            "notes": notes,
        }
        object.__setattr__(self, "__dict__", fields)
