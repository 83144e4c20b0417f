"""Where longest match loses texts: lexemes that leave nothing for what should follow them.

A lexeme A takes what follows it, N, if this holds for each text w of A and each byte b with which N or a skip begins:
some lexeme that may begin where A begins can go on from w with b. Then no w is read as A before N. Such pairs are found
on the automata, as clashes are (clashes.py). Which lexemes may begin at the same place is known from FOLLOW sets, and
these may have too many. So each pair gets an example: a shortest sentence of the rules with N right after A. It is read
by longest match (longest.py). The pair is a conflict if the lexer goes on at the end of A, and the text is no sentence.

What is found is true, but not all is found: texts may be lost although some text of A leaves a byte for N.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.edges import free_bytes
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexing.clashes import Clashes, members
from ffgrammar.grammar.lexing.longest import SPECIAL, Longest
from ffgrammar.grammar.lexing.shortest import Joint, Shortest
from ffgrammar.grammar.lexing.work import TooMuchWorkError, Work
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["Conflict", "conflicts"]

# Larger grammars are not examined.
MAX_LEXEMES = 500
MAX_PRODUCTIONS = 5000
# How many pairs get an example, and how many conflicts are told.
MAX_EXAMPLES = 50
MAX_CONFLICTS = 10
# The size of an example, and how many steps all examples may take together.
MAX_TEXT = 2000
MAX_STEPS = 2_000_000
# What a derivative costs beside other steps.
DERIVATIVE_STEPS = 10

# The bytes of an example are as readable as possible: letters come first, then other visible characters.
BYTES = [*b"abcdefghijklmnopqrstuvwxyz", *range(33, 97), *range(123, 127), *range(33), *range(127, 256)]


class Conflict(NamedTuple):
    """A lexeme that takes what follows it.

    Attributes:
        lexeme, after: the names of the lexeme and of what should follow it.
        takers: the names of the lexemes that go on.
        rule: the number of the innermost rule that has the two.
        text: an example, which the rules allow and longest match loses. Special tokens in it are strs.
    """

    lexeme: str
    after: str
    takers: list[str]
    rule: int
    text: list[bytes | str]


def conflicts(grammar: GrammarIR) -> list[Conflict]:
    """The conflicts of a grammar for longest match, without groups of lexemes.

    At most MAX_CONFLICTS are told, and fewer where the search for more costs too much.
    """
    found: list[Conflict] = []
    if len(grammar.lexemes) > MAX_LEXEMES or len(grammar.productions) > MAX_PRODUCTIONS:
        return found
    try:
        search = _Search(grammar)
        for number, (lexeme, after) in enumerate(search.pairs()):
            if number == MAX_EXAMPLES or len(found) == MAX_CONFLICTS:
                break
            conflict = search.conflict(lexeme, after)
            if conflict is not None:
                found.append(conflict)
    except (LimitError, TooMuchWorkError):
        pass
    return found


class _Search:
    def __init__(self, grammar: GrammarIR) -> None:
        work = Work(MAX_STEPS)
        self.lexemes = grammar.lexemes
        self.store = grammar.store
        skips = [lexeme.expr for lexeme in grammar.lexemes if lexeme.skip]
        self.clashes = Clashes(grammar, self.store.union(skips) if skips else None, work)
        self.shortest = Shortest(self.clashes.follow, grammar.start >> 1, grammar.rules, work)
        self.longest = Longest(grammar, self.clashes.follow, work)
        self.texts = _Texts(self.store, work)
        self.blank = b"" if self.clashes.skip is None else self.texts.of(self.clashes.exprs[self.clashes.skip])

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Lexemes, each with one that may follow it and for which nothing is left, as far as FOLLOW sets tell."""
        clashes = self.clashes
        beside = clashes.beside()
        skipped = 0 if clashes.skip is None else clashes.firsts[clashes.skip]
        for number, lexeme in enumerate(self.lexemes):
            following = [one for one in members(clashes.follow.after[number]) if not self.lexemes[one].tokens]
            if lexeme.lazy or lexeme.tokens or not following:
                continue
            union = self.store.union([clashes.exprs[one] for one in members(beside[number] | 1 << number)])
            free = free_bytes(self.store, clashes.exprs[number], union, skipped)
            for after in following:
                if not free & (clashes.firsts[after] | skipped):
                    yield number, after

    def conflict(self, lexeme: int, after: int) -> Conflict | None:
        """The conflict of a pair, if an example shows one."""
        joint = self.shortest.joint(lexeme, after)
        # (skips tell lexemes apart that have nothing to do with the pair, but may also belong to one of them)
        for blank in dict.fromkeys((b"", self.blank)):
            taken, text = self.example(joint, blank)
            if taken:
                names = [self.lexemes[one].name for one in sorted(taken)]
                return Conflict(self.lexemes[lexeme].name, self.lexemes[after].name, names, joint.rule, text)
        return None

    def example(self, joint: Joint, blank: bytes) -> tuple[set[int], list[bytes | str]]:
        """The lexemes that go on at the end of the first one of a pair, if the text is lost. And the text, with `blank`
        between all lexemes but the pair."""
        text: list[int] = []
        shown: list[bytes | str] = []
        begin = end = 0
        for place, number in enumerate(joint.lexemes):
            one = self.lexemes[number]
            before = b"" if place in (0, joint.place + 1) else blank
            data = b"" if one.tokens else self.texts.of(self.clashes.exprs[number])
            if place == joint.place:
                begin, end = len(text) + len(before), len(text) + len(before) + len(data)
            text += [*before, *data, *(SPECIAL + token for token in one.tokens[:1])]
            shown += [before, one.name if one.tokens else data]
            if len(text) > MAX_TEXT:
                raise TooMuchWorkError
        reading = self.longest.read(text)
        taken = [step.taken for step in reading.steps if step.begin == begin and step.end > end]
        return (taken[0] if taken and not reading.accepted else set()), shown


class _Texts:
    """Shortest texts of expressions."""

    def __init__(self, store: ExprStore, work: Work) -> None:
        self._store = store
        self._work = work
        self._known: dict[int, bytes] = {}

    def of(self, expr: int) -> bytes:
        """A shortest text that is not empty. There must be one.

        Raises:
            TooMuchWorkError: too many derivatives are needed.
        """
        if expr not in self._known:
            self._known[expr] = self._found(expr)
        return self._known[expr]

    def _found(self, expr: int) -> bytes:
        store = self._store
        queue = [(expr, b"")]
        seen = set()
        for one, text in queue:
            self._work.take(len(BYTES) * DERIVATIVE_STEPS)
            for byte in BYTES:
                after = store.derivative(one, byte)
                if store.is_nullable(after):
                    return text + bytes([byte])
                if after not in seen and not store.is_nothing(after):
                    seen.add(after)
                    queue.append((after, text + bytes([byte])))
        raise TooMuchWorkError
