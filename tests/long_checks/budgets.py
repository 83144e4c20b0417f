"""Random texts within budgets: `python tests/long_checks budgets --schemas 500`.

For each schema of MaskBench, texts of random tokens are written under the least budget that suffices, and under some
larger ones. Each text must end as a sentence before its tokens are used up, whatever tokens were drawn. The masks of
the same tokens without a budget are timed beside them (processor time). Both grammars are new for each text.
"""

from __future__ import annotations

import random
import sys
from time import thread_time_ns

import numpy

import ffgrammar as ff
from long_checks.documents import arguments, evenly_spread

__all__ = ["main", "walk"]


def walk(grammar: ff.Grammar, budget: int, rng: random.Random) -> tuple[list[int] | None, int]:
    """Write a text of random tokens within a budget.

    Returns:
        Its tokens, with the end-of-text token, or None if it did not end in time, or came to a dead end; and the
        nanoseconds that its masks took.
    """
    matcher = grammar.matcher(max_tokens=budget)
    bitmask = ff.allocate_bitmask(1, grammar.tokenizer.vocab_size)
    tokens: list[int] = []
    spent = 0
    for _ in range(budget + 1):
        spent += _fill(matcher, bitmask)
        allowed = numpy.flatnonzero(numpy.unpackbits(bitmask.view(numpy.uint8), bitorder="little"))
        if not len(allowed):
            break
        tokens.append(int(rng.choice(allowed)))
        if not matcher.accept_token(tokens[-1]):
            break
        if matcher.is_terminated():
            return tokens, spent
    return None, spent


def _fill(matcher: ff.Matcher, bitmask: numpy.ndarray) -> int:
    begun = thread_time_ns()
    matcher.fill_bitmask(bitmask)
    return thread_time_ns() - begun


def _plain(grammar: ff.Grammar, tokens: list[int]) -> int:
    """The nanoseconds that the masks of a text take without a budget."""
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, grammar.tokenizer.vocab_size)
    spent = 0
    for token in tokens:
        spent += _fill(matcher, bitmask)
        matcher.accept_token(token)
    return spent


def main() -> int:
    """Write the texts, and print what did not end in time. Returns 1 if anything did not."""
    args = arguments("budgets", __doc__, schemas=True).parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    schemas = texts = count = refused = wrong = within = plain = 0
    for number, schema in enumerate(evenly_spread(args.schemas)):
        try:
            needed = ff.compile_json_schema(schema.schema, tok).min_tokens().tokens
        except ff.FFGrammarError:
            refused += 1
            continue
        schemas += 1
        for budget in (needed, needed + 1, needed + 3, 2 * needed):
            grammar = ff.compile_json_schema(schema.schema, tok)
            tokens, spent = walk(grammar, budget, random.Random(f"{number} {budget}"))
            texts += 1
            if tokens is None:
                wrong += 1
                print(f"{schema.id}: no sentence within {budget} tokens")
            else:
                count += len(tokens)
                within += spent
                plain += _plain(ff.compile_json_schema(schema.schema, tok), tokens)
        if number % 20 == 0:
            print(f"long_checks: {number + 1}/{args.schemas} schemas", file=sys.stderr, flush=True)
    print(f"{texts} texts of {count} tokens for {schemas} schemas ({refused} refused): {wrong} did not end in time")
    mean, without = within / count / 1000, plain / count / 1000
    print(f"a mask: {mean:.2f} µs, without a budget {without:.2f}: {mean / without:.2f} times")
    return 1 if wrong else 0
