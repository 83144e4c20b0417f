r"""Repeats with look-around inside, where all ways to read a text agree.

A *round* is the body of the loop once. A *condition* stands between the `left` and the `right` part of a round. It asks
something of the text after that place. Let `r` be what follows the loop. A *way* to read a text divides it into rounds
and `r`. A text is accepted when some way to read it obeys all conditions.

If one way to read a text obeys all conditions, another may still break one. Where that never happens, a text is
accepted when it can be read and no way breaks a condition. The expression of these texts is

    rounds r  but not  rounds left (right rounds r, but not what the condition asks for)

with one such exception for every condition.

To find out whether all ways agree, an expression is made for what must not be: texts with one way that obeys all
conditions and another that breaks one. Marks in these texts show where each of the two ways has its conditions. Marks
are bytes that occur in no UTF-8 text. If the expression matches nothing, the ways agree. Otherwise, or when that takes
too long to find out, the pattern is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, NOTHING, ExprStore

__all__ = ["AMBIGUOUS", "loop_after", "loop_before"]

AMBIGUOUS = "is in a part that is repeated, and a text may be divided into rounds in several ways"

# One alternative of a round: its parts, and a language for each place between two parts. A condition demands that the
# text after the place (in loop_before: before it) is in this language. ANY_BYTES: no condition.
Body = tuple[Sequence[int], Sequence[int]]

MARKS = bytes([0xC0, 0xC1, *range(0xF5, 0x100)])
# Bounds of the search for two ways that disagree. Patterns that people write take a few hundred steps.
SEARCH = Limits(expressions=200_000, expression_size=10_000, emptiness_steps=10_000)


def loop_after(store: ExprStore, bodies: Sequence[Body], lo: int, hi: int | None, rest: int) -> int | None:
    """The language of lo to hi rounds and then `rest`. Each condition is about all the text after its place.

    None when some text can be read in ways that do not agree, or when that is too hard to tell.
    """
    if not _ways_agree(store, bodies, rest, after=True):
        return None
    concat, intersect, complement = store.concat, store.intersect, store.complement
    body = store.union([concat(parts) for parts, _ in bodies])
    rounds = store.repeat(body, 0, None)
    broken = []
    for parts, asked in bodies:
        for at, language in enumerate(asked, 1):
            if language != ANY_BYTES:
                after = intersect([concat([*parts[at:], rounds, rest]), complement(language)])
                broken.append(concat([rounds, *parts[:at], after]))
    return intersect([concat([store.repeat(body, lo, hi), rest]), complement(store.union(broken))])


def loop_before(store: ExprStore, bodies: Sequence[Body], lo: int, hi: int | None, so_far: int) -> int | None:
    """The mirror image of `loop_after`: the language of `so_far` and then rounds.

    Each condition is about all the text before its place.
    """
    if not _ways_agree(store, bodies, so_far, after=False):
        return None
    concat, intersect, complement = store.concat, store.intersect, store.complement
    body = store.union([concat(parts) for parts, _ in bodies])
    rounds = store.repeat(body, 0, None)
    broken = []
    for parts, asked in bodies:
        for at, language in enumerate(asked, 1):
            if language != ANY_BYTES:
                before = intersect([concat([so_far, rounds, *parts[:at]]), complement(language)])
                broken.append(concat([before, *parts[at:], rounds]))
    return intersect([concat([so_far, store.repeat(body, lo, hi)]), complement(store.union(broken))])


def _ways_agree(store: ExprStore, bodies: Sequence[Body], outer: int, after: bool) -> bool:
    """Whether no text can be read in one way that obeys the conditions and in another that breaks one.

    Also False when this is not found out: there are too many conditions for the marks, or the search reaches a bound.
    """
    languages = sorted({language for _, asked in bodies for language in asked if language != ANY_BYTES})
    if 2 * len(languages) > len(MARKS):
        return False
    first, second = MARKS[: len(languages)], MARKS[len(languages) : 2 * len(languages)]
    made = ExprStore(SEARCH)
    try:
        ignoring_all = _ignoring(store, made, first + second)
        against = [ignoring_all(store.complement(language)) for language in languages]

        def ways(own: bytes, other: bytes) -> tuple[int, int]:
            """The texts that carry the marks of one way, and the texts in which such a mark shows a broken condition.

            `own` are the marks of this way, and `other` those of the other way, which may stand anywhere.
            """
            plain = _ignoring(store, made, other)
            others = made.repeat(made.byte_set(other), 0, None)
            rounds = []
            for parts, asked in bodies:
                marked = [plain(parts[0])]
                for language, part in zip(asked, parts[1:], strict=True):
                    if language != ANY_BYTES:
                        mark = own[languages.index(language)]
                        marked.extend([others, made.byte_set(bytes([mark])), others])
                    marked.append(plain(part))
                rounds.append(made.concat(marked))
            loop = made.repeat(made.union(rounds), 0, None)
            broken = []
            for mark, wrong in zip(own, against, strict=True):
                sides = [ANY_BYTES, made.byte_set(bytes([mark])), wrong]
                broken.append(made.concat(sides if after else sides[::-1]))
            sides = [loop, plain(outer)] if after else [plain(outer), loop]
            return made.concat([others, *sides, others]), made.union(broken)

        ways_one, broken_one = ways(first, second)
        ways_two, broken_two = ways(second, first)
        return made.is_nothing(made.intersect([ways_one, made.complement(broken_one), ways_two, broken_two]))
    except LimitError:
        return False


def _ignoring(store: ExprStore, made: ExprStore, marks: bytes) -> Callable[[int], int]:
    """A function that copies expressions from `store` to `made`. The copies ignore the marks wherever they stand."""
    skip = made.repeat(made.byte_set(marks), 0, None)
    known = {NOTHING: NOTHING, EMPTY: skip, ANY_BYTES: ANY_BYTES}

    def copy(root: int) -> int:
        stack = [root]
        while stack:
            expr = stack[-1]
            if expr in known:
                stack.pop()
                continue
            kind, *parts = store.node(expr)
            inner = parts[:1] if kind in ("complement", "repeat") else [] if kind in ("set", "literal") else parts
            missing = [part for part in inner if part not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            below = [known[part] for part in inner]
            if kind == "set":
                known[expr] = made.concat([skip, made.byte_set(parts[0]), skip])
            elif kind == "literal":
                known[expr] = made.concat(
                    [skip, *[one for byte in parts[0] for one in (made.byte_set(bytes([byte])), skip)]]
                )
            elif kind == "concat":
                known[expr] = made.concat(below)
            elif kind == "repeat":
                known[expr] = made.concat([skip, made.repeat(below[0], parts[1], parts[2])])
            elif kind == "complement":
                known[expr] = made.complement(below[0])
            elif kind == "union":
                known[expr] = made.union(below)
            elif kind == "intersect":
                known[expr] = made.intersect(below)
            else:
                raise ValueError(f"unknown expression {kind!r}")
        return known[root]

    return copy
