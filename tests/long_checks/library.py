"""The library's grammars and standard parsers, on the files of this machine and on mutations of them:
`python tests/long_checks library --files 300 --mutations 200`.

For each language the files in the folders of Python, of its packages and below /usr are judged twice, by the grammar
and by the standard parser. So are texts that differ from them in one byte or one token, and random sentences. What
`oracle/standard_parsers.py` does not document as a difference is wrong. Of a language of which the grammar is a subset,
only texts that the grammar accepts can be wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy

import ffgrammar as ff
from oracle.mutations import mutations
from oracle.standard_parsers import JUDGES, Judge, Verdict, disagreement

__all__ = ["accepts", "main", "own_texts", "random_sentence"]

T = TypeVar("T")
FOLDERS = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "/usr/share", "/usr/lib"]
GRAMMARS = Path(__file__).resolve().parents[2] / "grammars"
# Longer files are left out: the time of a run should go into many files.
LONGEST = 100_000


def accepts(grammar: ff.Grammar, data: bytes) -> bool:
    """Whether a text is a sentence."""
    matcher = grammar.matcher()
    return matcher.accept_bytes(data) == len(data) and matcher.is_accepting()


def _retried(call: Callable[[], T]) -> T:
    """What a call returns. If the cache is full of what other texts left, it is emptied, and the call is repeated."""
    try:
        return call()
    except ff.LimitError:
        return call()


def _files(endings: tuple[str, ...], folders: list[str], count: int, rng: Random) -> Iterator[tuple[str, bytes]]:
    """Some of the files with these endings, each text once."""
    paths = sorted(
        Path(root, name)
        for folder in dict.fromkeys(map(os.path.realpath, folders))
        for root, _, names in os.walk(folder)
        for name in names
        if name.endswith(endings)
    )
    rng.shuffle(paths)
    seen: set[bytes] = set()
    for path in paths:
        try:
            data = path.read_bytes()
        except OSError:
            continue
        if 0 < len(data) <= LONGEST and data not in seen:
            seen.add(data)
            yield str(path), data
        if len(seen) == count:
            return


def own_texts(name: str) -> Iterator[tuple[str, bytes]]:
    """The samples and the long texts of a grammar."""
    for path in (GRAMMARS / f"{name}.samples.ndjson", GRAMMARS / "texts" / f"{name}.ndjson"):
        if path.exists():
            for number, line in enumerate(path.read_text(encoding="utf-8").removesuffix("\n").split("\n")):
                text = json.loads(line).get("text")
                if text:
                    yield f"{path.name}, line {number + 1}", text.encode()


def random_sentence(grammar: ff.Grammar, rng: Random, bitmask: Any) -> bytes:
    """A random sentence of few tokens."""
    matcher = grammar.matcher(max_tokens=rng.randrange(10, 60))
    while not matcher.is_terminated():
        matcher.fill_bitmask(bitmask)
        allowed = numpy.flatnonzero(numpy.unpackbits(bitmask[0].view(numpy.uint8), bitorder="little"))
        assert matcher.accept_token(int(allowed[rng.randrange(len(allowed))]))
    return matcher.text_bytes


class Run:
    """What came of the files of one language."""

    def __init__(self, judge: Judge, grammar: ff.Grammar) -> None:
        self.judge = judge
        self.grammar = grammar
        self.files: Counter[str] = Counter()
        self.mutations: Counter[str] = Counter()
        self.sentences: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.wrong = 0

    def look(self, data: bytes, what: str, counts: Counter[str]) -> bool:
        """Judge a text. Returns whether the grammar accepts it."""
        accepted = _retried(lambda: accepts(self.grammar, data))
        counts["accepted" if accepted else "rejected"] += 1
        problem = disagreement(self.judge, data, accepted)
        if problem:
            self.wrong += 1
            if self.wrong <= 10:
                print(f"{self.judge.name}: {what}: {problem}", flush=True)
        elif not accepted and self.judge.verdict(data) is Verdict.ACCEPTS:
            self.known[self.judge.known(data) or "not in the subset"] += 1
        return accepted

    def line(self) -> str:
        known = "".join(f"; {count} rejected: {kind}" for kind, count in self.known.most_common())
        return (
            f"{self.judge.name}: {self.files.total()} files, {self.files['accepted']} accepted; "
            f"{self.mutations.total()} mutations, {self.mutations['accepted']} accepted; "
            f"{self.sentences.total()} random sentences{known}; {self.wrong} wrong"
        )


def _run(judge: Judge, tok: ff.Tokenizer, args: argparse.Namespace, rng: Random) -> Run:
    run = Run(judge, ff.compile_library(judge.name, tok))
    for name, data in [*own_texts(judge.name), *_files(judge.endings, args.folder or FOLDERS, args.files, rng)]:
        run.look(data, name, run.files)
        # Mutations of short files are as good as those of long ones, and quicker.
        if len(data) <= args.longest:
            for mutated in mutations(data, judge.marks, rng, args.mutations):
                run.look(mutated, f"a mutation of {name}: {_difference(data, mutated)}", run.mutations)
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    for _ in range(args.sentences):
        sentence = _retried(lambda: random_sentence(run.grammar, rng, bitmask))
        run.look(sentence, f"a random sentence: {sentence!r}", run.sentences)
    return run


def _difference(data: bytes, mutated: bytes) -> str:
    at = next((at for at, pair in enumerate(zip(data, mutated, strict=False)) if pair[0] != pair[1]), len(mutated))
    return f"{mutated[max(at - 30, 0) : at]!r} then {mutated[at : at + 30]!r}"


def main() -> int:
    """Judge them all. Returns 1 if a grammar is wrong about a text."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks library", description=__doc__)
    parser.add_argument("--only", choices=[judge.name for judge in JUDGES], action="append")
    parser.add_argument("--files", type=int, default=300, help="how many of each language")
    parser.add_argument("--mutations", type=int, default=200, help="how many of each file")
    parser.add_argument("--sentences", type=int, default=200, help="how many random ones of each grammar")
    parser.add_argument("--longest", type=int, default=5000, help="longer files are not mutated")
    parser.add_argument("--folder", action="append", help="look for files here instead")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    wrong = 0
    for judge in JUDGES:
        if args.only and judge.name not in args.only:
            continue
        if judge.missing():
            print(f"{judge.name}: SKIPPED, because {judge.missing()} is not installed", flush=True)
            continue
        run = _run(judge, tok, args, Random(args.seed))
        print(run.line(), flush=True)
        wrong += run.wrong
    print(f"wrong verdicts: {wrong}")
    return 1 if wrong else 0
