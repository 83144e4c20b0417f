"""What the cost of a grammar grows with: microseconds against one size at a time, with everything else equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..options import VocabularyName
from ..sources import load_tokenizer

if TYPE_CHECKING:
    from ffgrammar import Tokenizer

__all__ = ["measure", "table"]

RUNS = 3
COLUMNS = ("compile_us", "first_mask_us", "avg_mask_us", "accept_us")
Load = Callable[[], "Tokenizer"]
# A size, how to load the vocabulary, and a schema with the document to walk along, or a Lark text with such a text
Point = tuple[int, Load, Any, Any]

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 60},
        "age": {"type": "integer", "minimum": 0},
        "mail": {"type": "string", "format": "email"},
        "roles": {"type": "array", "items": {"enum": ["reader", "writer", "owner"]}},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
# Lark texts, and what their texts repeat. The curves are against the number of repeats.
SHAPES = {
    "right_recursion": ('start: "a" start | "a"', "a"),
    "open_brackets": ('start: NAME "{" start* "}" | NAME ";"\nNAME: /[a-z]+/\n%ignore " "', "ab { "),
    "ambiguous_sums": ('start: start "+" start | N\nN: /[0-9]+/\n%ignore " "', "12 + "),
    "ambiguous_pairs": ('start: start start | "a"', "a"),
}
ADA = {"name": "Ada Lovelace", "age": 36, "mail": "ada@example.org", "roles": ["reader", "writer"]}


def measure(named: VocabularyName) -> dict[str, list[dict[str, float]]]:
    """The curves by name. Each is a list of rows with a `size` and the COLUMNS, which are in microseconds."""

    def load() -> Tokenizer:
        return load_tokenizer(named)

    curves: dict[str, Iterator[Point]] = {
        "vocabulary_tokens": _vocabularies(load()),
        "schema_kb": _schema_sizes(load),
        "nesting_depth": _depths(load),
        "array_items": _lengths(load),
        "properties": _properties(load),
        **{name: _shapes(load, grammar, piece) for name, (grammar, piece) in SHAPES.items()},
    }
    return {name: [_row(*point) for point in points] for name, points in curves.items()}


def _row(size: int, load: Load, schema: Any, document: Any) -> dict[str, float]:
    """The shortest times of several runs. Each run loads the vocabulary anew, so that it profits from no other run."""
    from ffgrammar import allocate_bitmask, compile_json_schema, compile_lark

    best = dict.fromkeys(COLUMNS, float("inf"))
    text = document if isinstance(schema, str) else json.dumps(document)
    for _ in range(RUNS):
        tokenizer = load()
        tokens = tokenizer.encode(text)
        bitmask = allocate_bitmask(1, tokenizer.vocab_size)
        start = perf_counter_ns()
        build = compile_lark if isinstance(schema, str) else compile_json_schema
        grammar = build(schema, tokenizer)
        compiled = perf_counter_ns()
        matcher = grammar.matcher()
        matcher.fill_bitmask(bitmask)
        first = perf_counter_ns()
        masks = accepts = 0
        for token in tokens:
            before = perf_counter_ns()
            matcher.fill_bitmask(bitmask)
            filled = perf_counter_ns()
            if not matcher.accept_token(token):
                raise AssertionError(f"token {token} of {text[:60]} is not allowed")
            accepts += perf_counter_ns() - filled
            masks += filled - before
        times = (compiled - start, first - compiled, masks / len(tokens), accepts / len(tokens))
        for name, spent in zip(COLUMNS, times, strict=True):
            best[name] = min(best[name], round(spent / 1000, 2))
    return {"size": size, **best}


def _vocabularies(whole: Tokenizer) -> Iterator[Point]:
    """Vocabularies of all single bytes and the first tokens of a larger vocabulary.

    With byte-pair encoding, the first tokens are those that a smaller vocabulary would have.
    """
    from ffgrammar import Tokenizer

    single = [bytes((byte,)) for byte in range(256)]
    known = dict.fromkeys([*single, *(whole.token_bytes(token) for token in range(whole.vocab_size))])
    known.pop(b"", None)
    listed = list(known)
    for size in (1_000, 4_000, 16_000, 64_000, 100_000):
        if size <= len(listed):
            tokens = listed[:size]
            encode = _longest_first(tokens)

            def load(tokens: list[bytes] = tokens, encode: Callable[[bytes], list[int]] = encode) -> Tokenizer:
                return Tokenizer.from_tokens([*tokens, b""], eos_token_id=len(tokens), encode=encode)

            yield size, load, PERSON, ADA


def _longest_first(tokens: list[bytes]) -> Callable[[bytes], list[int]]:
    """An encoder that always takes the longest token. Byte-pair encoding does not, but its tokens are about as long."""
    ids = {token: number for number, token in enumerate(tokens)}
    longest = max(map(len, tokens))

    def encode(data: bytes) -> list[int]:
        found = []
        while data:
            size = next(size for size in range(min(longest, len(data)), 0, -1) if data[:size] in ids)
            found.append(ids[data[:size]])
            data = data[size:]
        return found

    return encode


def _schema_sizes(load: Load) -> Iterator[Point]:
    for kilobytes in (1, 4, 16, 64, 256):
        people: dict[str, Any] = {}
        schema = {"type": "object", "properties": people}
        size = 0
        while size < 1000 * kilobytes:
            # All parts are different: equal ones would be compiled only once.
            name = f"person_{len(people)}"
            renamed = {f"{key}_{len(people)}": value for key, value in PERSON["properties"].items()}
            people[name] = {"type": "object", "properties": renamed, "additionalProperties": False}
            size += len(json.dumps({name: people[name]}))
        yield kilobytes, load, schema, {"person_0": {f"{key}_0": value for key, value in ADA.items()}}


def _depths(load: Load) -> Iterator[Point]:
    for depth in (1, 4, 16, 64, 128):
        schema: Any = PERSON
        document: Any = ADA
        for level in range(depth):
            key = f"level{level}"
            schema = {"type": "object", "properties": {key: schema}, "required": [key]}
            document = {key: document}
        yield depth, load, schema, document


def _lengths(load: Load) -> Iterator[Point]:
    for items in (1, 10, 100, 1000):
        yield items, load, {"type": "array", "items": PERSON}, [ADA] * items


def _properties(load: Load) -> Iterator[Point]:
    for count in (1, 10, 100, 1000):
        # Squares, so that the keys are not all of one length.
        names = [f"key{number * number}" for number in range(count)]
        schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
        yield count, load, schema, dict.fromkeys(names[:: max(1, count // 10)], 1)


def _shapes(load: Load, grammar: str, piece: str) -> Iterator[Point]:
    for repeats in (10, 100, 300):
        yield repeats, load, grammar, piece * repeats


def table(found: dict[str, list[dict[str, float]]]) -> list[str]:
    """The curves as lines for a terminal."""
    lines = []
    for name, rows in found.items():
        lines += [
            "",
            f"{name.replace('_', ' '):<34}" + "".join(f"{column.replace('_', ' '):>16}" for column in COLUMNS),
        ]
        lines += [f"{row['size']:>33,} " + "".join(f"{row[column]:>16,.1f}" for column in COLUMNS) for row in rows]
    return lines
