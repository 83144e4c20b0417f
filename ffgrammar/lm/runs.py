"""A program, cut into runs: what is written under one grammar.

The grammar of a hole should know what follows the hole, so a run is as long as it can be. It ends before a hole whose
tokens are drawn in another way, and around a hole that has `max_tokens`, stops or `n`. The texts before a run's first
hole are no part of it: they are the opening that the run continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from ffgrammar.core.errors import GrammarError
from ffgrammar.lm.program import Hole, Piece, Said, Selection, Settings, literal_pattern

__all__ = ["Chosen", "Run", "Step", "steps"]


@dataclass(frozen=True)
class Run:
    """Holes, and texts after them.

    Attributes:
        pieces: the pieces; the first is a hole. If it has stops, it is the only one. If it has `n`, it is the only
            hole that is kept.
        settings: how tokens are drawn.
        max_tokens: how many tokens may end inside the hole, or None. Then the only other piece is one byte of the text
            that follows the hole, or a special token.
    """

    pieces: tuple[Hole | bytes, ...]
    settings: Settings
    max_tokens: int | None = None


@dataclass(frozen=True)
class Chosen:
    """A selection, and the first character of the text that follows it.

    The character tells options apart of which one begins another. More characters would make each option cost as many
    calls of the model as they have tokens.
    """

    selection: Selection
    then: str


Step: TypeAlias = bytes | Run | Chosen | Said


def steps(program: tuple[Piece, ...]) -> list[Step]:
    """The texts, runs and selections of a program without turns, in order.

    Raises:
        GrammarError: where one hole follows another directly, a run would have to end between them.
    """
    pieces = _with_stops(program)
    found: list[Step] = []
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        if isinstance(piece, str):
            found.append(piece.encode())
            place += 1
        elif isinstance(piece, Selection):
            following = pieces[place + 1] if place + 1 < len(pieces) else ""
            found.append(Chosen(piece, following[:1] if isinstance(following, str) else ""))
            place += 1
        elif isinstance(piece, Said):
            found.append(piece)
            place += 1
        else:
            place = _add_run(pieces, place, found)
    return found


def _with_stops(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The same pieces, where any text that a text follows has this text as its stop."""
    return tuple(
        replace(one, stop=literal_pattern(more))
        if isinstance(one, Hole) and one.free and one.stop is None and isinstance(more, str)
        else one
        for one, more in zip(pieces, (*pieces[1:], None), strict=True)
    )


def _add_run(pieces: tuple[Piece, ...], place: int, found: list[Step]) -> int:
    """Add the run that begins at a place, and perhaps the rest of a text. Returns the place after it."""
    first = pieces[place]
    assert isinstance(first, Hole)
    settings = first.settings or next(_settings(pieces[place:]), Settings())
    if first.stop is not None:
        found.append(Run((first,), settings, first.max_tokens))
        return place + 1
    following = pieces[place + 1] if place + 1 < len(pieces) else None
    if first.max_tokens is not None:
        if isinstance(following, Hole) and following.token:
            found.append(Run((first, following), settings, first.max_tokens))
            return place + 2
        if following is not None and not isinstance(following, str):
            raise GrammarError(f"{_named(first)} has max_tokens, so a text must stand between it and what follows")
        data = following.encode() if following else b""
        found.append(Run((first, data[:1]) if data else (first,), settings, first.max_tokens))
        if data:
            found.append(data[1:])
        return place + 2
    run: list[Hole | bytes] = [first]
    for piece in pieces[place + 1 :]:
        if isinstance(piece, str):
            run.append(piece.encode())
        elif isinstance(piece, Hole) and _joins(piece, settings) and (first.number is None or piece.name is None):
            run.append(piece)
        elif isinstance(run[-1], Hole) and not run[-1].token:
            raise GrammarError(
                f"{_named(piece)} directly follows {_named(run[-1])}, and is not written in the same way: put a text "
                "between them"
            )
        else:
            break
    found.append(Run(tuple(run), settings))
    return place + len(run)


def _joins(hole: Hole, settings: Settings) -> bool:
    """Whether a hole may stand in a run after its first piece."""
    alone = (hole.stop, hole.max_tokens, hole.number) != (None, None, None)
    return not alone and hole.settings in (None, settings)


def _settings(pieces: tuple[Piece, ...]) -> Iterator[Settings]:
    """The settings of the holes that have any."""
    return (one.settings for one in pieces if isinstance(one, Hole) and one.settings is not None)


def _named(piece: Piece | bytes) -> str:
    name = piece.name if isinstance(piece, (Hole, Selection)) else None
    return "a hole without a name" if name is None else f"the hole {name!r}"
