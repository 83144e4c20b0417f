"""Random texts within budgets: `python tests/long_checks budgets --schemas 500`.

For each schema of MaskBench, texts of random tokens are written under the least budget that suffices, and under some
larger ones. Each text must end as a sentence before its tokens are used up, whatever tokens were drawn.
"""

from __future__ import annotations

import random
import sys

import numpy

import ffgrammar as ff
from long_checks.documents import arguments, evenly_spread

__all__ = ["main", "walk"]


def walk(grammar: ff.Grammar, budget: int, rng: random.Random) -> int | None:
    """Write a text of random tokens within a budget.

    Returns:
        How many tokens it has; None if it did not end in time, or came to a dead end.
    """
    matcher = grammar.matcher(max_tokens=budget)
    bitmask = ff.allocate_bitmask(1, grammar.tokenizer.vocab_size)
    for count in range(budget + 1):
        matcher.fill_bitmask(bitmask)
        allowed = numpy.flatnonzero(numpy.unpackbits(bitmask.view(numpy.uint8), bitorder="little"))
        if not len(allowed) or not matcher.accept_token(int(rng.choice(allowed))):
            return None
        if matcher.is_terminated():
            return count
    return None


def main() -> int:
    """Write the texts, and print what did not end in time. Returns 1 if anything did not."""
    args = arguments("budgets", __doc__, schemas=True).parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    schemas = texts = tokens = refused = wrong = 0
    for number, schema in enumerate(evenly_spread(args.schemas)):
        try:
            grammar = ff.compile_json_schema(schema.schema, tok)
            needed = grammar.min_tokens().tokens
        except ff.FFGrammarError:
            refused += 1
            continue
        schemas += 1
        for budget in (needed, needed + 1, needed + 3, 2 * needed):
            count = walk(grammar, budget, random.Random(f"{number} {budget}"))
            texts += 1
            if count is None:
                wrong += 1
                print(f"{schema.id}: no sentence within {budget} tokens")
            else:
                tokens += count
        if number % 20 == 0:
            print(f"long_checks: {number + 1}/{args.schemas} schemas", file=sys.stderr, flush=True)
    print(f"{texts} texts of {tokens} tokens for {schemas} schemas ({refused} refused): {wrong} did not end in time")
    return 1 if wrong else 0
