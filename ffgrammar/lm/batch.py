"""`run`: one program for many rows, whose questions the model answers together."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

import numpy as np

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import FFGrammarError
from ffgrammar.lm.checked_model import CheckedModel
from ffgrammar.lm.events import Event
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.program import Addend, Program
from ffgrammar.lm.questions import Answer, Question
from ffgrammar.lm.state import State, begin

__all__ = ["run"]

Row = TypeVar("Row")


@overload
def run(
    model: CheckedModel,
    program: Callable[[Row], Addend],
    rows: Iterable[Row],
    *,
    seed: int | None = None,
    batch_size: int = 16,
) -> list[State]: ...
@overload
def run(
    model: CheckedModel,
    program: Program,
    rows: Iterable[Addend],
    *,
    seed: int | None = None,
    batch_size: int = 16,
) -> list[State]: ...
def run(
    model: CheckedModel,
    program: Callable[[Any], Addend] | Program,
    rows: Iterable[Any],
    *,
    seed: int | None = None,
    batch_size: int = 16,
) -> list[State]:
    """Write a program for each of many rows. What the rows ask is put to the model together.

    Each state is the one that the row would have alone. Row n of a template or function is
    `model.state(seed=seed + n) + program(row)`; row n of a program is `model.state(seed=seed + n) + row + program`.

    A row that fails does not stop the others: its state raises the error when it is read. So does one without a value
    that its template needs. What the model raises stops all, and so does an error of a wrong type.

    Args:
        model: the model.
        program: a `Template`, whose values each row has; or another function from a row to its program, or to its text
            so far and what is added to that; or a program that follows each row.
        rows: mappings for a template; what a function takes; or the texts, parts and programs that a program follows.
        seed: what is drawn depends on the model, the rows and this number alone. None: another one each time.
        batch_size: how many token sequences the model is asked about in one call.

    Returns:
        The states, in the order of the rows. They are written.

    Raises:
        MatcherError: the model returned a wrong array.
        TypeError, ValueError: the seed or `batch_size` is of another type, negative, or 0; or a row, or what `program`
            returns, is of another type.
    """
    expect("run: model", model, CheckedModel, "a Model (Model.of makes one)")
    expect("run: seed", seed, (int, type(None)), "an int or None")
    expect("run: batch_size", batch_size, int, "an int")
    if seed is not None and seed < 0:
        raise ValueError(f"run: seed must not be negative, not {seed}")
    if batch_size < 1:
        raise ValueError(f"run: batch_size must be positive, not {batch_size}")
    first = secrets.randbits(62) if seed is None else seed
    opening = Opening.read(model.tokenizer, "", None)
    made = _for_rows(program)
    states = [_state(begin(model, opening, first + number), made, row) for number, row in enumerate(rows)]
    waiting = [one for one in map(_Row, states) if one.goes_on()]
    while waiting:
        group = _group(waiting, batch_size)
        known = _ask(model, dict.fromkeys(tuple(asked) for one in group for asked in one.question), batch_size)
        for one in group:
            one.answer = np.stack([known[tuple(asked)] for asked in one.question])
        waiting = waiting[len(group) :] + [one for one in group if one.goes_on()]
    return states


def _for_rows(program: Callable[[Any], Addend] | Program) -> Callable[[Any], Addend]:
    """A function from a row to its program."""
    if isinstance(program, Program):
        return lambda row: Program.of(row) + program
    if not callable(program):
        raise TypeError(
            "run: program must be a function from a row to a program, a template (lm.template makes one of a text) or "
            f"a program, not {type(program).__name__}"
        )
    return program


def _state(empty: State, program: Callable[[Any], Addend], row: Any) -> State:
    """The state of a row, not yet written; or one with the error that its program is."""
    try:
        return empty + program(row)
    except FFGrammarError as error:
        empty._fail(error)
        return empty


class _Row:
    """A state that is being written.

    Attributes:
        question: what it asks.
        answer: the answer to this; None before the first question.
    """

    def __init__(self, state: State) -> None:
        self.question: Question = []
        self.answer: Answer | None = None
        self._state = state
        self._writing = state._writing(False)

    def goes_on(self) -> bool:
        """Write up to the next question. Returns whether there is one."""
        if self._state.error is not None:
            return False
        try:
            found = self._writing.send(self.answer)  # type: ignore[arg-type]
            while isinstance(found, Event):
                found = next(self._writing)
            self.question = found
        except StopIteration as end:
            self._state._take(end.value)
        except FFGrammarError as error:
            self._state._fail(error)
        else:
            return True
        return False


def _group(waiting: list[_Row], batch_size: int) -> list[_Row]:
    """The first rows that together ask about no more than `batch_size` different sequences; at least one row."""
    asked: set[tuple[int, ...]] = set()
    for number, one in enumerate(waiting):
        asked.update(map(tuple, one.question))
        if number and len(asked) > batch_size:
            return waiting[:number]
    return waiting


def _ask(model: CheckedModel, sequences: Iterable[tuple[int, ...]], batch_size: int) -> dict[tuple[int, ...], Answer]:
    """The answers about token sequences, by sequence."""
    asked = list(sequences)
    found: dict[tuple[int, ...], Answer] = {}
    for place in range(0, len(asked), batch_size):
        some = asked[place : place + batch_size]
        found.update(zip(some, model.log_probs(some), strict=True))
    return found
