"""What is kept never changes a mask: with everything kept, with nothing kept, with budgets that are always passed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar_cli.bench.data import load_schemas, spaced

NOTHING_KEPT = ff.Limits(mask_bytes=0)
SCHEMAS = 120
POSITIONS = 30


def _vocabulary(name: str, partition_bytes: int) -> ff.Tokenizer:
    tok = ff.Tokenizer.from_tiktoken(name)
    tok.partition_bytes = partition_bytes
    return tok


@pytest.fixture(scope="module", params=["cl100k_base", "o200k_base"])
def vocabularies(request: pytest.FixtureRequest) -> tuple[ff.Tokenizer, ff.Tokenizer, ff.Tokenizer]:
    """The same vocabulary with partitions kept, with none kept, and with room for one or two at a time."""
    return _vocabulary(request.param, 64 << 20), _vocabulary(request.param, 0), _vocabulary(request.param, 60_000)


def _masks(matchers: list[ff.Matcher], rows: Any) -> None:
    for number, matcher in enumerate(matchers):
        matcher.fill_bitmask(rows, number)


@pytest.mark.slow
def test_along_documents(
    vocabularies: tuple[ff.Tokenizer, ...], shared_dir: Path, covered: Callable[[str], None]
) -> None:
    kept, bare, tight = vocabularies
    chance = random.Random(4)
    rows = ff.allocate_bitmask(3, kept.vocab_size)
    masks = 0
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz", sample=SCHEMAS, seed=11):
        try:
            grammars = [
                ff.compile_json_schema(schema.schema, kept),
                ff.compile_json_schema(schema.schema, bare, limits=NOTHING_KEPT),
                ff.compile_json_schema(schema.schema, tight, limits=ff.Limits(mask_bytes=200_000, row_bytes=100_000)),
            ]
        except ff.FFGrammarError:
            continue
        for instance in schema.instances:
            matchers = [grammar.matcher() for grammar in grammars]
            tokens = kept.encode(spaced(instance.data))
            chosen = set(chance.sample(range(len(tokens)), min(POSITIONS, len(tokens))))
            for place, token in enumerate(tokens):
                if place in chosen:
                    _masks(matchers, rows)
                    masks += 1
                    assert np.array_equal(rows[0], rows[1]), f"{schema.id} token {place}"
                    assert np.array_equal(rows[0], rows[2]), f"{schema.id} token {place}, little kept"
                if not all([matcher.accept_token(token) for matcher in matchers]):
                    break
    statistics = [tok.partitions.stats() for tok in vocabularies]
    assert statistics[0]["partition_hits"] > 100
    assert statistics[0]["partition_bytes"] < kept.partition_bytes
    assert statistics[1]["partitions"] == 0 == statistics[1]["partition_hits"]
    assert statistics[2]["partition_drops"] > 100
    covered(f"{masks} masks are the same with all, little and nothing kept")


# strings that resemble each other: which tokens tell them apart, and where, depends on each number and letter here
_counts = st.integers(0, 40)
_strings = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "maxLength": _counts,
        "minLength": st.integers(0, 6),
        "pattern": st.sampled_from(
            [
                "^[a-z]{1,12}$",
                "^[a-z]+(-[a-z0-9]+){0,9}$",
                "^(?:\\S+\\s+){0,8}\\S+$",
                "[0-9]{3}",
                "^[^/]*/[^/]{2,30}$",
                "^\\w{4,20}$",
                "^(a|bc){3,17}d?$",
                "é{2,}",
                "^x-",
            ]
        ),
        "not": st.sampled_from([{"const": "the"}, {"enum": ["a", "an", "another"]}, {"pattern": "^in"}]),
    },
)
_names = st.lists(st.sampled_from(["the", "there", "other", "name", "name_of", "x", "x-a", "日本", "a b"]), unique=True)


@st.composite
def _schemas(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(_names)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: draw(_strings) for name in names},
        "required": names[: draw(st.integers(0, len(names)))],
        "additionalProperties": draw(st.one_of(st.booleans(), _strings)),
    }
    if draw(st.booleans()):
        schema["patternProperties"] = {draw(st.sampled_from(["^x-", "^the", "[0-9]$", "^.*$"])): draw(_strings)}
    if draw(st.booleans()):
        schema["propertyNames"] = {"maxLength": draw(st.integers(1, 20))}
    return schema


@pytest.fixture(scope="module")
def pair() -> tuple[ff.Tokenizer, ff.Tokenizer]:
    return _vocabulary("cl100k_base", 64 << 20), _vocabulary("cl100k_base", 0)


@given(_schemas(), st.integers(0, 2**32))
def test_along_random_tokens(pair: tuple[ff.Tokenizer, ff.Tokenizer], schema: dict[str, Any], seed: int) -> None:
    chance = random.Random(seed)
    try:
        grammars = [
            ff.compile_json_schema(schema, pair[0]),
            ff.compile_json_schema(schema, pair[1], limits=NOTHING_KEPT),
        ]
    except (ff.GrammarError, ff.LimitError):
        return
    rows = ff.allocate_bitmask(2, pair[0].vocab_size)
    matchers = [grammar.matcher() for grammar in grammars]
    # keys and the strings behind them
    matchers[0].accept_bytes(b'{"')
    matchers[1].accept_bytes(b'{"')
    for _ in range(12):
        _masks(matchers, rows)
        assert np.array_equal(rows[0], rows[1]), (schema, matchers[0].text_bytes)
        allowed = matchers[0].allowed_token_ids()
        if len(allowed) == 0:
            break
        token = int(chance.choice(allowed))
        assert all([matcher.accept_token(token) for matcher in matchers])


def test_a_state_that_other_grammars_come_to_is_kept() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    plain = ff.Tokenizer.from_tiktoken("cl100k_base")
    plain.partition_bytes = 0
    walked = []
    for number in range(4):
        schema = {"type": "object", "properties": {f"k{number}": {"type": "integer"}}}
        grammar = ff.compile_json_schema(schema, tok)
        for _ in range(2):  # the same grammar again is no other one
            ids = grammar.matcher().allowed_token_ids()
        np.testing.assert_array_equal(ids, ff.compile_json_schema(schema, plain).matcher().allowed_token_ids())
        walked.append(grammar.stats()["nodes_walked"])
    # White space, or a brace with anything after it: too much to keep for a single grammar.
    assert walked[0] == walked[1] > 0 == walked[2] == walked[3]


def test_a_state_unlike_its_base_gets_its_own_partition() -> None:
    """A key with a line break does not match `^.*$`, and others do. So most tokens tell the two states apart."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    plain = ff.Tokenizer.from_tiktoken("cl100k_base")
    plain.partition_bytes = 0
    keys = {"type": "object", "patternProperties": {"^.*$": {"type": "string"}}}
    walked = []
    for name in ("one", "two"):
        schema = {"type": "object", "properties": {name: keys}, "required": [name]}
        grammars = [ff.compile_json_schema(schema, vocabulary) for vocabulary in (tok, plain)]
        matchers = [grammar.matcher() for grammar in grammars]
        assert all(matcher.accept_bytes(f'{{"{name}":{{"'.encode()) == len(name) + 6 for matcher in matchers)
        np.testing.assert_array_equal(*(matcher.allowed_token_ids() for matcher in matchers))
        walked.append([grammar.stats()["nodes_walked"] for grammar in grammars])
    # the first walk, the second one, and both where no partition is kept
    assert 0 < walked[1][0] < 20_000 and walked[0][0] > 100_000 and walked[1][1] > 100_000


def test_a_table_of_rows_that_doubles_in_a_search_is_no_limit(cl100k: ff.Tokenizer) -> None:
    """A search for a completion may use a quarter of the cache. What it uses counts, not what its tables could hold."""
    # (without the two ways to write "default" no search would be needed)
    text = ff.library_grammar("javascript").text.replace('"default:"', '"default" ":"')
    matcher = ff.compile_lark(text, cl100k, limits=ff.Limits(cache_bytes=4_000_000)).matcher()
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    program = "var remoteStream = remoteVector;\nfor (let i = 0; i < engine.length; i++) {\n  console.log(!nextFactor"
    for token in cl100k.encode(program):
        matcher.fill_bitmask(bitmask)
        assert matcher.accept_token(token)
    assert matcher.forced_bytes() == b""
