"""Masks of a composition beside those of its parts: `python tests/long_checks compositions --groups 60`.

Each composition is text, then a call of one of three tools between special tokens, with the tool's schema, then text.
The schemas are MaskBench's. Along their documents the composition must allow each token that the schema alone allows.
Both are timed. Then many tools are composed at once. All times are processor time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import thread_time, thread_time_ns

import numpy

import ffgrammar as ff
from ffgrammar_cli.bench.data import Schema, spaced
from long_checks.documents import arguments, evenly_spread

__all__ = ["main"]

BEGIN, END = "<|fim_prefix|>", "<|fim_suffix|>"
TEXT = "I will look that up for you now.\n\n"


@dataclass
class Times:
    """Times of masks in us, of a schema alone and in a composition, and how many tokens only the schema allows."""

    alone: list[float] = field(default_factory=list)
    composed: list[float] = field(default_factory=list)
    refused: int = 0


def _tokenizer() -> ff.Tokenizer:
    """A tokenizer that shares nothing with others."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    return tok


def _head(number: int) -> str:
    return f'{{"name": "tool_{number}", "arguments": '


def _composition(grammars: Sequence[ff.Grammar], tok: ff.Tokenizer) -> ff.Grammar:
    tools = [ff.sequence(_head(number), grammar, "}") for number, grammar in enumerate(grammars)]
    call = ff.sequence(ff.special_token(BEGIN), ff.choice_of(*tools), ff.special_token(END))
    return ff.compose(ff.sequence(ff.text(), call, ff.text()), tok)


def _in_call(composition: ff.Grammar, number: int) -> ff.Matcher:
    """A matcher where the arguments of a tool begin."""
    matcher = composition.matcher()
    matcher.accept_bytes(TEXT.encode())
    assert matcher.accept_token(composition.tokenizer.special_tokens[BEGIN])
    head = _head(number).encode()
    assert matcher.accept_bytes(head) == len(head)
    return matcher


def _walk(alone: ff.Matcher, composed: ff.Matcher, tok: ff.Tokenizer, text: str, times: Times) -> None:
    """Take the masks of both along a document, in turns."""
    masks = ff.allocate_bitmask(2, tok.vocab_size)
    words = masks.view(numpy.uint32)
    for token in tok.encode(text):
        for row, (matcher, found) in enumerate(((alone, times.alone), (composed, times.composed))):
            start = thread_time_ns()
            matcher.fill_bitmask(masks, row)
            found.append((thread_time_ns() - start) / 1e3)
        for end in tok.eos_token_ids:
            words[0, end >> 5] &= ~numpy.uint32(1 << (end & 31))
        times.refused += int(numpy.unpackbits((words[0] & ~words[1]).view(numpy.uint8)).sum())
        if not alone.accept_token(token):
            return
        times.refused += not composed.accept_token(token)


def _compare(schemas: Sequence[Schema], times: Times) -> None:
    tok, other = _tokenizer(), _tokenizer()
    grammars, alone = [], []
    for schema in schemas:
        try:
            grammars.append(ff.compile_json_schema(schema.schema, tok))
            alone.append((ff.compile_json_schema(schema.schema, other), schema))
        except ff.FFGrammarError:
            continue
    composition = _composition(grammars, tok)
    for number, (grammar, schema) in enumerate(alone):
        for instance in schema.instances:
            if instance.valid:
                _walk(grammar.matcher(), _in_call(composition, number), tok, spaced(instance.data), times)


def _compile(schemas: Sequence[Schema], tok: ff.Tokenizer) -> list[ff.Grammar]:
    grammars = []
    for schema in schemas:
        try:
            grammars.append(ff.compile_json_schema(schema.schema, tok))
        except ff.FFGrammarError:
            continue
    return grammars


def _compose_many(count: int) -> None:
    """Time a composition of many tools whose schemas were compiled before. What the tokenizer has kept of them decides
    how many are compiled again."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    schemas = evenly_spread(count + count // 20)
    _compile(schemas, tok)
    start = thread_time()
    grammars = _compile(schemas, tok)[:count]
    compiled = thread_time() - start
    composition = _composition(grammars, tok)
    composed = thread_time() - start
    matcher = composition.matcher()
    matcher.fill_bitmask(ff.allocate_bitmask(1, tok.vocab_size))
    print(
        f"{len(grammars)} tools that were compiled before: compiled again in {compiled:.2f} s, "
        f"and composed after {composed:.2f} s, with the first mask {thread_time() - start:.2f} s"
    )


def main() -> int:
    """Walk along the documents, and print the times. Returns 1 if the composition refused a token."""
    parser = arguments("compositions", __doc__)
    parser.add_argument("--groups", type=int, default=60, help="how many compositions of three tools (60)")
    parser.add_argument("--tools", type=int, default=1000, help="how many tools are composed at once (1000)")
    args = parser.parse_args()
    times = Times()
    schemas = evenly_spread(3 * args.groups)
    for first in range(0, len(schemas), 3):
        _compare(schemas[first : first + 3], times)
    for name, found in (("alone", times.alone), ("composed", times.composed)):
        print(f"{name}: {len(found)} masks, average {sum(found) / len(found):.2f} us, slowest {max(found):.0f} us")
    print(f"ratio of the averages: {sum(times.composed) / sum(times.alone):.2f}")
    print(f"tokens that the composition does not allow: {times.refused}")
    _compose_many(args.tools)
    return int(times.refused > 0)
