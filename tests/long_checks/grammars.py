"""Thousands of random grammars beside their definitions: `python tests/long_checks grammars --count 1000`.

The test suite makes each of these comparisons on some dozens of grammars. Lexemes overlap, may be empty, or are lazy;
rules are left-recursive, right-recursive, or recursive through each other; something may be skipped; special tokens are
terminals. Matchers roll back, fork, and read drafts on the way.

any: masks of Lark grammars with `lexing="any"`, with a chart parser over positions.
promised: masks of Lark grammars, of schemas in them, and of compositions, with those of searches in each configuration.
composed: masks of compositions of both lexing rules, with all ways to cut the text.
budgets: masks under budgets of both lexing rules, schemas and compositions, with all sequences of tokens.
parts: captures of compositions, with the enumeration of all readings.

With FFGRAMMAR_HYPOTHESIS=thorough the test suite tries 3,000 random grammars in each test of longest match, of special
tokens, and of captures of rules.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable

import test_budgets
import test_compositions
import test_lark_any
import test_part_captures
import test_promised_groups

import ffgrammar as ff
from long_checks.documents import arguments
from oracle.parts import vocabulary

__all__ = ["main"]


def _promised(rng: random.Random) -> int:
    tok = test_promised_groups.vocabulary(rng)
    kind = rng.randrange(3)
    if kind == 0:
        grammar = ff.compose(ff.sequence(test_promised_groups.part(rng, tok)), tok)
    else:
        grammar = ff.compile_lark(test_promised_groups.lark(rng, kind == 1), tok)
    return test_promised_groups.compare(rng, grammar)


def _budgets(rng: random.Random) -> int:
    if rng.random() < 0.3:
        return sum(test_budgets.compare(grammar, rng) for grammar in test_budgets.grammars(rng))
    lexing = rng.choice(["any", "longest"])
    grammar = ff.compile_lark(test_lark_any.random_lark(rng), vocabulary(rng), lexing=lexing)
    return test_budgets.compare(grammar, rng)


# A comparison of a random grammar, or of some. It returns how many masks or texts were compared.
KINDS: dict[str, Callable[[random.Random], int]] = {
    "any": lambda rng: test_lark_any.compare(rng, 8),
    "promised": _promised,
    "composed": lambda rng: test_compositions.compare(rng, 8),
    "budgets": _budgets,
    "parts": lambda rng: test_part_captures.follow(rng, 14)[0],
}


def _run(kind: str, seeds: range) -> int:
    """Compare a grammar for each seed, and print what was found. Returns how many comparisons failed."""
    compared = impossible = limited = wrong = 0
    for seed in seeds:
        try:
            compared += KINDS[kind](random.Random(f"{kind} {seed}"))
        except ff.LimitError:
            limited += 1
        except ff.GrammarError:
            impossible += 1
        except AssertionError as error:
            wrong += 1
            print(f"wrong: {kind}, seed {seed}: {str(error)[:500]}", flush=True)
    left_out = f"{impossible} have no text, {limited} end in a limit"
    print(f"{kind}: {len(seeds)} grammars ({left_out}), {compared} compared: {wrong} differ", flush=True)
    return wrong


def main() -> int:
    """Compare the grammars. Returns 1 if anything differs."""
    parser = arguments("grammars", __doc__)
    parser.add_argument("--count", type=int, default=1000, help="grammars of each kind (1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this one; all by default")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    wrong = sum(_run(kind, range(args.first, args.first + args.count)) for kind in args.kind or KINDS)
    print(f"differences: {wrong}")
    return int(wrong > 0)
