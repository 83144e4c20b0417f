"""`State`: a text with the names of its parts, which programs are added to.

    state = model.state("I have ")
    state = state + gen("count", regex="[0-9]+") + " apples"
    state["count"]

A state is written when it is first read. What is added before that is one program, so a hole knows the text that
follows it. To let several states go on from the same written text, read it first.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterator

from ffgrammar.api.special_names import warn_of_names
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import FFGrammarError, MatcherError
from ffgrammar.lm.chat import laid_out
from ffgrammar.lm.checked_model import CheckedModel
from ffgrammar.lm.events import Event
from ffgrammar.lm.execute import execute
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.program import Addend, Program
from ffgrammar.lm.runs import steps
from ffgrammar.lm.score import Scores
from ffgrammar.lm.snapshot import Snapshot, Trace, Value, Writing
from ffgrammar.lm.trace import Trace as ShownTrace
from ffgrammar.lm.trace import TracedToken

__all__ = ["State", "begin"]


class State:
    """A text that a model writes. `Model.state` makes the first one; `+` makes further ones and changes none.

    One thread at a time may read a state.

    Attributes:
        model: the model.
        seed: what is drawn depends on the model, the program and this number alone.
    """

    def __init__(self, model: CheckedModel, seed: int, written: Snapshot, program: Program) -> None:
        self.model = model
        self.seed = seed
        self._written = written
        self._program = program
        self._error: FFGrammarError | None = None

    @property
    def error(self) -> FFGrammarError | None:
        """Why `run` could not write this state; reading it raises this. None if all went well."""
        return self._error

    def __add__(self, other: Addend) -> State:
        more = Program.of(other)
        for piece in more.pieces:
            if isinstance(piece, str):
                warn_of_names(self.model.tokenizer, piece, "a text of the program", 2)
        made = State(self.model, self.seed, self._written, self._program + more)
        made._error = self._error
        return made

    @property
    def text(self) -> str:
        """The whole text, from the prompt on; special tokens by name. Bytes that are not UTF-8 are U+FFFD.

        Raises:
            GrammarError: a source is wrong, or a hole directly follows one that is not written in the same way.
            MatcherError: nothing may follow, the model returned a wrong array, the text does not end, or `max_tokens`
                is less than the hole needs.
            UnsupportedError, TokenizerError, LimitError: as for `compose` and the compile functions.
        """
        opening = self._read().opening
        return (self.model.tokenizer.decode(opening.fixed) + opening.text).decode("utf-8", "replace")

    @property
    def tokens(self) -> tuple[int, ...]:
        """The ids of the whole text if it ends here; without an end-of-text token. Raises as `text` does."""
        return self._read().opening.tokens(self.model.tokenizer)

    @property
    def calls(self) -> int:
        """How many token sequences the model was asked about, from the prompt on. Raises as `text` does."""
        return self._read().calls

    def __getitem__(self, name: str) -> str | list[str]:
        """The text of a hole or selection; a list for `many` and `gen(n=…)`. The last one, if several have the name.

        Raises:
            KeyError: nothing has this name.
            others: as `text`.
        """
        return self._value(name).text

    def __contains__(self, name: object) -> bool:
        return name in self._read().values

    def __iter__(self) -> Iterator[str]:
        """The names, in the order in which they were first written. Raises as `text` does."""
        return iter(self._read().values)

    def log_probs(self, name: str, number: int = 0) -> list[tuple[int, float]]:
        """The tokens that have bytes of a hole: ids, and the model's own natural log-probabilities, before temperature
        and grammar.

        Args:
            name: the name of the hole.
            number: which of the texts of `gen(n=…)`, from 0 on.

        Raises:
            IndexError: there are fewer texts.
            KeyError: nothing has this name.
            MatcherError: the hole has no `log_probs=True`.
            others: as `text`.
        """
        found = self._value(name).log_probs
        if found is None:
            raise MatcherError(f"{name!r} has no log-probabilities: give gen log_probs=True")
        expect("log_probs: number", number, int, "an int")
        if not 0 <= number < len(found):
            raise IndexError(f"log_probs: number must be from 0 to {len(found) - 1}, not {number}")
        return found[number]

    def scores(self, name: str) -> Scores:
        """The probabilities of the options of a selection.

        Raises:
            KeyError: nothing has this name.
            MatcherError: the name is not that of a selection.
            others: as `text`.
        """
        found = self._value(name).scores
        if found is None:
            raise MatcherError(f"{name!r} is not a selection")
        return found

    def stream(self, trace: list[TracedToken] | None = None) -> Iterator[Event]:
        """Write the state, and tell after each token which captures open, grow and close.

        A capture ends when the text after it decides so. What is dropped because it belongs to a stop may be told
        before. If the state was read before, there are no events.

        Args:
            trace: a list (a `Trace` can be shown in a notebook) that gets the tokens of holes and of the texts between
                them, when each was drawn or became known to come; also those that a stop drops later. Where holes are
                not drawn in the same way, the last tokens of one may come again as tokens of the next one's prompt.

        Raises:
            TypeError: `trace` is no list.
            others: as `text`.
        """
        expect("stream: trace", trace, (list, type(None)), "a list or None")
        if isinstance(trace, ShownTrace):
            trace.tokenizer = self.model.tokenizer
        return self._write(True, trace)

    def _value(self, name: str) -> Value:
        values = self._read().values
        if name not in values:
            raise KeyError(f"nothing is named {name!r}; the names are {', '.join(map(repr, values)) or 'none'}")
        return values[name]

    def _read(self) -> Snapshot:
        for _ in self._write(False):
            pass
        return self._written

    def _write(self, watched: bool, trace: Trace = None) -> Generator[Event, None, None]:
        if self._error is not None:
            raise self._error
        if not self._program.pieces:
            return
        writing = self._writing(watched, trace)
        try:
            found = next(writing)
            while True:
                if isinstance(found, Event):
                    yield found
                    found = next(writing)
                else:
                    found = writing.send(self.model.log_probs(found))
        except StopIteration as end:
            self._take(end.value)

    def _writing(self, watched: bool, trace: Trace = None) -> Writing:
        # (a generator, so that what cannot be laid out raises where the other errors of the row do)
        pieces, turns = laid_out(self.model, self._written.turns, self._program.pieces)
        before = self._written._replace(turns=turns)
        return (yield from execute(self.model.tokenizer, before, steps(pieces), self.seed, watched, trace))

    def _take(self, written: Snapshot) -> None:
        self._written = written
        self._program = Program(())

    def _fail(self, error: FFGrammarError) -> None:
        self._error = error

    def __repr__(self) -> str:
        opening = self._written.opening
        size = len(opening.text) + len(self.model.tokenizer.decode(opening.fixed))
        return f"<State: {size} bytes written, {len(self._program.pieces)} pieces to write>"


def begin(model: CheckedModel, opening: Opening, seed: int | None) -> State:
    """The state of a prompt."""
    return State(model, secrets.randbits(63) if seed is None else seed, Snapshot(opening, {}, 0, 0), Program(()))
