"""Verdicts on GBNF beside the definition, and beside xgrammar if it is installed.

The grammars are those of tests/cases/rules and random ones, all in the notation that GBNF and xgrammar's EBNF
share. The texts are sampled sentences and mutations of them. The definition (tests/oracle/gbnf.py) is slow, so it
judges short texts only. Masks are compared with xgrammar's along the texts of tests/cases/rules. `KNOWN` lists the
grammars on which xgrammar differs, and why. Any other difference counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import ffgrammar as ff
from ffgrammar.grammar.gbnf.dialects import DIALECTS
from ffgrammar.grammar.gbnf.reader import read
from ffgrammar_cli.bench.engines import LANGUAGE_ENGINES
from ffgrammar_cli.bench.languages import load_languages, run
from ffgrammar_cli.options import VocabularyName
from oracle.gbnf import Rules
from oracle.random_gbnf import mutated, random_gbnf
from sentences import BYTES, is_sentence

__all__ = ["KNOWN", "Judged", "differing_masks", "judge", "languages", "main", "xgrammar_judge"]

RULES = Path(__file__).resolve().parent.parent / "cases" / "rules"
# How long a text may be that the definition judges, and a text of a random grammar. (These are very ambiguous.)
SHORT = 40
LONGEST_RANDOM = 12
SHOWN = 20
# The grammars on which xgrammar differs, and why.
KNOWN = {
    "counting": "xgrammar forbids the token bb after aa, though aabb is a sentence, and allows one b after the other",
}

Judge = Callable[[str], bool]


class Judged:
    """What came of one grammar.

    Attributes:
        texts: how many texts there were.
        accepted: how many of them are sentences.
        wrong: texts of which the definition says otherwise.
        differing: texts of which the peer says otherwise.
    """

    def __init__(self) -> None:
        self.texts = 0
        self.accepted = 0
        self.wrong: list[str] = []
        self.differing: list[str] = []


def languages() -> Iterator[tuple[str, str]]:
    """The names and texts of the grammars of tests/cases/rules."""
    for path in sorted(RULES.glob("*.gbnf")):
        yield path.stem, path.read_text(encoding="utf-8")


def xgrammar_judge() -> Callable[[str], Judge | None] | None:
    """A function from a grammar to xgrammar's judge of its texts, which is None if it refuses the grammar. None if
    xgrammar is not installed."""
    if find_spec("xgrammar") is None:
        return None
    import xgrammar

    vocabulary = [bytes([byte]) for byte in range(256)] + [b""]
    info = xgrammar.TokenizerInfo(vocabulary, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[256])
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def made(text: str) -> Judge | None:
        try:
            compiled = compiler.compile_grammar(text)
        except RuntimeError:
            return None

        def judge(sentence: str) -> bool:
            matcher: Any = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
            return all(matcher.accept_token(byte) for byte in sentence.encode()) and bool(matcher.is_terminated())

        return judge

    return made


def judge(text: str, rng: Random, count: int, peer: Judge | None, longest: int = 400) -> Judged:
    """Compare verdicts on `count` sentences of a grammar and as many mutations, which are not longer than `longest`."""
    rules = Rules(read(text, DIALECTS["gbnf"], ff.Limits()).rules)
    grammars = [ff.compile_gbnf(text, BYTES), ff.compile_ebnf(text, BYTES)]
    found = Judged()
    sentences = [rules.sample(rng, rng.choice([5, 15, 40])) for _ in range(count)]
    sentences = [one for one in sentences if len(one) <= longest]
    alphabet = "".join(sorted(set("".join(sentences)) | set("x1 ")))
    for one in [*sentences, *(mutated(rng, sentence, alphabet) for sentence in sentences)]:
        if len(one) > longest:
            continue
        verdict = is_sentence(grammars[0], one)
        found.texts += 1
        found.accepted += verdict
        is_short = len(one) <= SHORT
        if verdict != is_sentence(grammars[1], one) or (is_short and verdict != rules.accepts(one.encode())):
            found.wrong.append(one)
        if peer is not None and peer(one) != verdict:
            found.differing.append(one)
    return found


def differing_masks(only: str = "") -> dict[str, int]:
    """By grammar of tests/cases/rules with `only` in its name, how many of its masks xgrammar makes otherwise, if any.
    It must be installed."""
    named = VocabularyName("cl100k_base")
    engines = [engine(named) for engine in LANGUAGE_ENGINES["gbnf"].values()]
    found = load_languages(RULES, only=only)
    _, comparisons = run(engines, found, 60)
    assert all(one.places for one in comparisons["xgrammar"])
    pairs = zip(found, comparisons["xgrammar"], strict=True)
    return {language.id.removesuffix(".gbnf"): one.differing for language, one in pairs if one.differing}


def _random_grammars(count: int, rng: Random) -> Iterator[tuple[str, str]]:
    number = 0
    while number < count:
        text = random_gbnf(rng)
        rules = Rules(read(text, DIALECTS["gbnf"], ff.Limits()).rules)
        # (xgrammar 0.2.8 ends with a segmentation fault on a rule that derives no text, such as `r ::= r{1,}`)
        if all(rules.derives(("name", name)) for name in rules.rules):
            number += 1
            yield f"random {number}", text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/long_checks gbnf", description=__doc__)
    parser.add_argument("--texts", type=int, default=100, help="sentences of each grammar")
    parser.add_argument("--random", type=int, default=200, help="how many random grammars")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    peer = xgrammar_judge()
    if peer is None:
        print("xgrammar is not installed: only the definition judges")
    rng = Random(options.seed)
    grammars = texts = accepted = wrong = unexplained = refused = 0
    for name, text in [*languages(), *_random_grammars(options.random, rng)]:
        other = None if peer is None else peer(text)
        refused += peer is not None and other is None
        if name.startswith("random"):
            found = judge(text, rng, 10, other, LONGEST_RANDOM)
        else:
            found = judge(text, rng, options.texts, other)
        grammars += 1
        texts += found.texts
        accepted += found.accepted
        wrong += len(found.wrong)
        if found.wrong:
            print(f"{name}: WRONG {found.wrong[:3]!r}\n{text}")
        if found.differing:
            unexplained += len(found.differing) if name not in KNOWN else 0
            print(f"{name}: xgrammar differs on {len(found.differing)} of {found.texts}, as {found.differing[0]!r}")
            print(f"    {KNOWN[name]}" if name in KNOWN else text)
    print(
        f"{grammars} grammars, {texts} texts, {accepted} of them sentences: {wrong} verdicts differ from the definition"
    )
    if peer is not None:
        for name, count in differing_masks().items():
            print(f"{name}: {count} masks differ from xgrammar's. {KNOWN.get(name, 'Why?')}")
            unexplained += count if name not in KNOWN else 0
        print(f"xgrammar refuses {refused} of the grammars; unexplained differences: {unexplained}")
    return int(wrong > 0 or unexplained > 0)
