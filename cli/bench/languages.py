"""Grammars of rules with texts: what is measured along programs, logs and markup, where JSON Schema has no say.

A folder has NAME.lark or NAME.gbnf, and in texts/NAME.ndjson the texts, `{"text": "..."}` a line. All texts are
sentences.

Each engine compiles each grammar anew and walks all of its texts in order, so that what the engine keeps from one text
helps it in the next, as on a server. The times are those of `walk`: time to first mask, here from the grammar's text,
and time between masks. A second walk, which is not timed, moves two engines side by side and compares their masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import click
import numpy

from .data import records, select
from .engines import LanguageEngine, Refused
from .run import guard, no_collection, out_of_time_raises, progress
from .walk import timed_step

__all__ = ["Comparison", "Language", "Walk", "load_languages", "run"]

# How many differing masks a report shows, and how many tokens of each.
SHOWN = 3
WARM_UP = {"lark": 'start: "a"', "gbnf": 'root ::= "a"'}


@dataclass(frozen=True)
class Language:
    """A grammar and texts of it. Its id is the name of its file, which ends in its kind."""

    id: str
    grammar: str
    texts: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.id.rpartition(".")[2]


@dataclass
class Walk:
    """One engine along all texts of a grammar. Times are in nanoseconds.

    Attributes:
        problem: why the engine did not walk to the end; "" if it did.
        refused: how many texts have a token, or an end, that the engine refused. Such a text is left there.
        compile_time, first_mask_time: from the grammar's text to the grammar, and to the first mask.
        between_masks: the time of each mask together with the accepted token after it.
    """

    problem: str = ""
    refused: int = 0
    compile_time: int = 0
    first_mask_time: int = 0
    between_masks: list[int] = field(default_factory=list)


@dataclass
class Comparison:
    """The masks of two engines at the same places.

    Attributes:
        places: how many masks were compared.
        differing: how many of them differ.
        examples: the first of these: the text before, and how many tokens each engine alone allows, with some of them.
    """

    places: int = 0
    differing: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)


def load_languages(path: str | Path, **selection: Any) -> list[Language]:
    """The grammars with texts in a folder; none if there is no folder. `select` has the arguments.

    Raises:
        click.ClickException: a line is malformed.
        OSError: a file cannot be read.
    """
    folder = Path(path)
    files = [
        (file, folder / "texts" / f"{file.stem}.ndjson")
        for kind in WARM_UP
        for file in sorted(folder.glob(f"*.{kind}"))
    ]
    found = [
        Language(file.name, file.read_text("utf-8"), tuple(_texts(texts))) for file, texts in files if texts.exists()
    ]
    return select(found, **selection)


def _texts(path: Path) -> Iterator[str]:
    for place, record in records(str(path)):
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise click.ClickException(f'{place}: {{"text": …}} is expected')
        yield record["text"]


def run(
    engines: Sequence[LanguageEngine], languages: Sequence[Language], timeout: float
) -> tuple[dict[str, list[Walk]], dict[str, list[Comparison]]]:
    """By engine, its walks; by peer, how its masks compare with those of the first engine. Both are in the order of
    the languages, which are of one kind. The engines take turns at being first."""
    for engine in engines:
        engine.load()
        # Imports on first use must not count for the first grammar. What is learned here is lost by the second load.
        engine.fill(engine.matcher(engine.compile_rules(languages[0].kind, WARM_UP[languages[0].kind])))
        engine.load()
    walks: dict[str, list[Walk]] = {engine.name: [] for engine in engines}
    comparisons: dict[str, list[Comparison]] = {engine.name: [] for engine in engines[1:]}
    with out_of_time_raises(), no_collection():
        for number, language in enumerate(languages):
            progress(number, len(languages), language.id)
            compiled = {}
            for turn in range(len(engines)):
                engine = engines[(number + turn) % len(engines)]
                walk, compiled[engine.name] = _guarded(engine, language, timeout)
                walks[engine.name].append(walk)
            for peer in engines[1:]:
                pair = [(engine, compiled[engine.name]) for engine in (engines[0], peer)]
                failed = any(grammar is None for _, grammar in pair)
                comparisons[peer.name].append(Comparison() if failed else _compare(pair, language))
    progress(len(languages), len(languages), "")
    return walks, comparisons


def _guarded(engine: LanguageEngine, language: Language, timeout: float) -> tuple[Walk, Any]:
    """The walk of one engine, and the compiled grammar; None instead of the grammar if the walk came to no end."""
    walk = Walk()
    try:
        with guard(timeout):
            return walk, _walk(engine, language, walk)
    except Refused as refused:
        walk.problem = f"refused: {refused}"
    except TimeoutError:
        walk.problem = "hang"
    except Exception as error:  # it must not end the run: it is the result
        walk.problem = f"crash: {type(error).__name__}: {error}"
    return walk, None


def _walk(engine: LanguageEngine, language: Language, walk: Walk) -> Any:
    begin = perf_counter_ns()
    compiled = engine.compile_rules(language.kind, language.grammar)
    walk.compile_time = perf_counter_ns() - begin
    engine.fill(engine.matcher(compiled))
    walk.first_mask_time = perf_counter_ns() - begin
    for text in language.texts:
        matcher = engine.matcher(compiled)
        for token in engine.encode(text):
            spent = timed_step(engine, matcher, token)
            if spent is None:
                walk.refused += 1
                break
            walk.between_masks.append(spent)
        else:
            walk.refused += not engine.is_accepting(matcher)
    return compiled


def _compare(pair: Sequence[tuple[LanguageEngine, Any]], language: Language) -> Comparison:
    """Move two engines along all texts. A text ends where one of them refuses its token."""
    found = Comparison()
    (ours, our_grammar), (peer, peer_grammar) = pair
    for text in language.texts:
        tokens = ours.encode(text)
        matchers = ours.matcher(our_grammar), peer.matcher(peer_grammar)
        for place, token in enumerate(tokens):
            ours.fill(matchers[0])
            peer.fill(matchers[1])
            found.places += 1
            if not numpy.array_equal(ours.bitmask[0], peer.bitmask[0]):
                found.differing += 1
                if len(found.examples) < SHOWN:
                    found.examples.append(_example(pair, tokens[:place]))
            if not (ours.accept(matchers[0], token) and peer.accept(matchers[1], token)):
                break
    return found


def _example(pair: Sequence[tuple[LanguageEngine, Any]], before: list[int]) -> dict[str, Any]:
    (ours, _), (peer, _) = pair
    alone = {}
    for name, row in (
        (ours.name, ours.bitmask[0] & ~peer.bitmask[0]),
        (peer.name, peer.bitmask[0] & ~ours.bitmask[0]),
    ):
        tokens = numpy.nonzero(numpy.unpackbits(row.view(numpy.uint8), bitorder="little"))[0].tolist()
        alone[name] = {"tokens": len(tokens), "some": [ours.text([token]) for token in tokens[:SHOWN]]}
    return {"after": ours.text(before)[-60:], "only": alone}
