"""Where a lexeme could take a byte from what follows another.

Lexemes `a` and `c`, which may be the same one, *clash* if they may begin at the same place and there is a text w and a
byte b such that

- `a` matches w,
- `c` matches a longer text that begins with w and b,
- something that may follow `a` begins with b.

Longest match goes on with `c` there, and loses the text in which `a` ends. Where nothing clashes, longest match loses
nothing. Suppose that a text can be cut into lexemes in two ways, and that they differ first where `a` ends in one of
them and the lexeme of the other, `c`, goes on. The next byte belongs to `c`, and it also begins what follows `a`. So
the two clash. Hence all cuts of a text are the same, and longest match finds them: it never goes on at the end of `a`,
because only a `c` that clashes with `a` could.

A lazy lexeme ends at its first match, and with it end the lexemes beside it. So a lazy `a` clashes with `c` if `c` can
go on after a match of `a` at all.

The answers err on the safe side: which lexemes may begin at the same place is known from FOLLOW sets.
"""

from __future__ import annotations

from collections.abc import Iterator

from ffgrammar.grammar.edges import first_bytes, next_bytes
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexing.follow import Follow
from ffgrammar.grammar.lexing.work import Work
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, ExprStore

__all__ = ["Clashes", "first_matches", "members"]


class Clashes:
    """The clashes of a grammar.

    Args:
        grammar: the grammar. It has no skip lexemes.
        skip: an expression: runs of what may stand before, between and after lexemes. None for nothing. It counts as
            one more lexeme, and never follows itself.
        work: what the search for lexemes that may begin at the same place may cost. None for no limit.

    Attributes:
        follow: the FOLLOW sets.
        exprs: by lexeme, its expression; the first matches only if it is lazy. The last one is `skip`.
        skip: the number of `skip`, or None.
    """

    def __init__(self, grammar: GrammarIR, skip: int | None = None, work: Work | None = None) -> None:
        self._work = work
        self.store = store = grammar.store
        self.follow = Follow(grammar)
        self.lazy = [lexeme.lazy for lexeme in grammar.lexemes]
        self.exprs = [first_matches(store, lexeme.expr) if lexeme.lazy else lexeme.expr for lexeme in grammar.lexemes]
        self.skip: int | None = None
        if skip is not None:
            self.skip = len(self.exprs)
            self.exprs.append(skip)
            self.lazy.append(False)
        self._beside: list[int] | None = None
        # By lexeme, its bytes if it is a literal. Literals are compared as bytes, because grammars may have hundreds.
        nodes = [store.node(expr) for expr in self.exprs]
        self.literals: list[bytes | None] = [node[1] if node[0] == "literal" else None for node in nodes]
        self._meeting = self._may_meet()
        self.firsts = [first_bytes(store, expr) for expr in self.exprs]
        # A thousand alternatives have equal FOLLOW sets, and equal questions are answered once.
        self._begin: dict[int, int] = {}
        self._begun_by: dict[int, int] = {}

    def _may_meet(self) -> list[int]:
        """By lexeme, those that may match the same text: for a literal, not the other literals."""
        by_expr: dict[int, int] = {}
        others = 0
        for number, text in enumerate(self.literals):
            if text is None:
                others |= 1 << number
            else:
                by_expr[self.exprs[number]] = by_expr.get(self.exprs[number], 0) | 1 << number
        return [-1 if text is None else others | by_expr[self.exprs[n]] for n, text in enumerate(self.literals)]

    def begin(self, lexemes: int) -> int:
        """The bytes with which a set of lexemes may begin."""
        if lexemes not in self._begin:
            found = 0
            for lexeme in members(lexemes):
                found |= self.firsts[lexeme]
            self._begin[lexemes] = found
        return self._begin[lexemes]

    def _begin_alike(self, lexeme: int) -> int:
        """The lexemes that may begin with a byte with which a lexeme may begin."""
        firsts = self.firsts[lexeme]
        if firsts not in self._begun_by:
            self._begun_by[firsts] = sum(1 << other for other, found in enumerate(self.firsts) if found & firsts)
        return self._begun_by[firsts]

    def behind(self, lexeme: int, beside: int) -> int:
        """The bytes with which something may begin that follows a lexeme which stands beside another one."""
        if lexeme == self.skip:
            # what was skipped leaves the parser where it was
            return self.begin((1 << self.skip) - 1 if beside == self.skip else self.beside()[beside])
        found = self.begin(self.follow.after[lexeme])
        return found if self.skip is None else found | self.firsts[self.skip]

    def goes_on(self, lexeme: int, beside: int) -> int:
        """The bytes with which one lexeme may go on where another one matches."""
        text, other = self.literals[lexeme], self.literals[beside]
        if text is not None and other is not None:
            return 1 << other[len(text)] if len(other) > len(text) and other.startswith(text) else 0
        return next_bytes(self.store, self.exprs[lexeme], self.exprs[beside])

    def clash(self, lexeme: int, beside: int) -> bool:
        """Whether a lexeme clashes with another one, if both may begin at the same place."""
        if not self.firsts[lexeme] & self.firsts[beside]:
            return False
        if self.lazy[lexeme]:
            return bool(self.goes_on(lexeme, beside))
        # (how a lexeme goes on takes long to find out, and nothing follows a lexeme that is a whole text)
        behind = self.behind(lexeme, beside)
        return behind != 0 and bool(self.goes_on(lexeme, beside) & behind)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The lexemes that clash, in pairs."""
        beside = self.beside()
        for lexeme in range(len(self.exprs)):
            if lexeme != self.skip and not self.lazy[lexeme] and not self.behind(lexeme, lexeme):
                # (nothing follows it, whatever it stands beside)
                continue
            for other in members(beside[lexeme] & self._begin_alike(lexeme)):
                if self.clash(lexeme, other):
                    yield lexeme, other

    def beside(self) -> list[int]:
        """By lexeme, those that may begin where it begins.

        Two lexemes may begin at the same place if both may follow the same lexeme, or two that match the same text and
        may begin at the same place themselves.
        """
        if self._beside is None:
            self._beside = self._find_beside()
        return self._beside

    def _find_beside(self) -> list[int]:
        after = self.follow.after
        beside = [0] * len(self.exprs)
        whole = 0 if self.skip is None else 1 << self.skip
        meeting: dict[tuple[int, int], bool] = {}

        def together(one: int, other: int) -> None:
            for lexeme in members(one):
                beside[lexeme] |= other
            for lexeme in members(other):
                beside[lexeme] |= one

        together(self.follow.first, self.follow.first)
        with_after: dict[int, int] = {}
        for lexeme, lexemes in enumerate(after):
            with_after[lexemes] = with_after.get(lexemes, 0) | 1 << lexeme
        for lexemes in with_after:
            together(lexemes, lexemes)
        before: list[int] = []
        while before != beside:
            before = list(beside)
            for lexeme, behind in enumerate(after):
                if self._work is not None:
                    self._work.take(len(after))
                others = beside[lexeme] & self._meeting[lexeme] & ~with_after[behind] & ~((2 << lexeme) - 1)
                for other in members(others):
                    if self._meet(lexeme, other, meeting):
                        together(behind, after[other])
                if self.skip is not None and self._meet(lexeme, self.skip, meeting):
                    together(beside[lexeme], behind)
        if self.skip is not None:
            beside = [found | whole for found in beside]
            beside[self.skip] = 2 * whole - 1
        return beside

    def _meet(self, one: int, other: int, known: dict[tuple[int, int], bool]) -> bool:
        """Whether two lexemes match the same text, which is not empty."""
        if not self.firsts[one] & self.firsts[other]:
            return False
        key = (one, other)
        if key not in known:
            both = [self.exprs[one], self.exprs[other], some_bytes(self.store)]
            known[key] = not self.store.is_nothing(self.store.intersect(both))
        return known[key]


def some_bytes(store: ExprStore) -> int:
    """The expression of all texts but the empty one."""
    return store.intersect([ANY_BYTES, store.complement(EMPTY)])


def first_matches(store: ExprStore, expr: int) -> int:
    """The matches of an expression of which no beginning is a match. The expression does not match the empty text."""
    return store.intersect([expr, store.complement(store.concat([expr, some_bytes(store)]))])


def members(lexemes: int) -> Iterator[int]:
    """The numbers in a set of lexemes, ascending."""
    while lexemes:
        yield (lexemes & -lexemes).bit_length() - 1
        lexemes &= lexemes - 1
