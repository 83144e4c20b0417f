"""Columns: the kernels that read many rows at a time, beside the oracle that reads them one by one."""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import ffgrammar as ff
from ffgrammar.engine.columns.forced import forced_column
from ffgrammar.engine.columns.validate import validate_column
from ffgrammar.tokens.columns.check import ASK, BAD_ID, NO, NONE, YES, ColumnCheck
from ffgrammar.tokens.columns.encode import ColumnEncoder
from oracle import corpus as oracle

PIECES = ["a", "hello", " world", "\n", "  ", "é", "日", "1", "23", "don't", "\U0001f600", "\t", '{"k": 1}', "İ"]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 5}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def _texts(rng: random.Random, count: int) -> list[str]:
    return ["".join(rng.choices(PIECES, k=rng.randint(0, 12))) for _ in range(count)]


def _spoiled(tok: ff.Tokenizer, rng: random.Random, ids: list[int]) -> list[int]:
    """The ids of a text, some of them changed, split or special."""
    ids = list(ids)
    chance = rng.random()
    if chance < 0.3 and ids:
        ids[rng.randrange(len(ids))] = rng.randrange(200)
    elif chance < 0.5:
        at = rng.randint(0, len(ids))
        ids[at:at] = [rng.choice(tok.eos_token_ids)]
    elif chance < 0.6 and ids:
        ids[rng.randrange(len(ids))] = rng.choice([-1, tok.vocab_size, 2**31 - 1])
    elif chance < 0.7 and ids:
        del ids[rng.randrange(len(ids))]
    return ids


def _flat(rows: list[Any], kind: Any) -> tuple[Any, Any]:
    offsets = numpy.cumsum([0, *map(len, rows)], dtype=numpy.int64)
    return offsets, numpy.array([one for row in rows for one in row], dtype=kind)


def _lets_others_run(call: Callable[[], Any]) -> bool:
    """Whether another thread runs during a call. It never does but where the call gives up the GIL: the interpreter
    itself takes turns only after a minute."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    ran = threading.Event()
    wait = threading.Event()
    other = threading.Thread(target=lambda: (wait.wait(), ran.set()))
    try:
        other.start()
        wait.set()
        had_run = ran.is_set()
        call()
        return ran.is_set() and not had_run
    finally:
        sys.setswitchinterval(interval)
        other.join()


def test_columns_leave_the_gil_to_others(cl100k: ff.Tokenizer) -> None:
    text = (Path(__file__).read_text(encoding="utf-8") * 200).encode()
    texts = numpy.array([0, len(text)]), numpy.frombuffer(text, numpy.uint8), numpy.zeros(1, numpy.uint8)
    encoder, check = ColumnEncoder(cl100k), ColumnCheck(cl100k)
    offsets, ids, _ = encoder.rows(*texts)
    grammar = ff.compile_regex("(?s:.*)", cl100k)
    calls = [
        lambda: encoder.rows(*texts),
        lambda: check.rows(offsets, ids, texts[2]),
        lambda: validate_column(grammar._engine, *texts),
        lambda: forced_column(grammar._engine, cl100k.rules("test"), offsets, ids, texts[2]),
    ]
    for call in calls:
        # (the other thread may be late)
        assert any(_lets_others_run(call) for _ in range(100))
    assert not any(_lets_others_run(lambda: sum(range(100_000))) for _ in range(20))


@pytest.mark.parametrize("kind", [numpy.int32, numpy.int64])
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_a_column_of_ids_is_checked_as_its_rows_are(name: str, kind: Any) -> None:
    tok = ff.Tokenizer.from_tiktoken(name)
    rng = random.Random(5)
    rows = [_spoiled(tok, rng, tok.encode(text)) for text in _texts(rng, 1500)]
    skipped = numpy.array([rng.random() < 0.05 for _ in rows], dtype=numpy.uint8)
    offsets, ids = _flat(rows, kind)
    found = ColumnCheck(tok).rows(offsets, ids, skipped)
    assert {YES, NO, NONE, BAD_ID} == set(found[0].tolist())
    for row, skip, verdict, divergence, byte_offset, expected in zip(rows, skipped, *found, strict=True):
        if skip:
            assert verdict == NONE
            continue
        wanted = oracle.check(tok, row)
        if wanted["error"]:
            assert verdict == BAD_ID and not 0 <= row[divergence] < tok.vocab_size
            continue
        assert (verdict == YES) == wanted["canonical"]
        assert expected == wanted["expected_count"]
        if verdict == NO:
            assert (divergence, byte_offset) == (wanted["first_divergence"], wanted["byte_offset"])


def test_rows_of_a_tokenizer_without_rules_are_left_to_others() -> None:
    tokens = [bytes([byte]) for byte in range(256)]
    tok = ff.Tokenizer.from_tokens(tokens, eos_token_id=(), encode=list)
    offsets, ids = _flat([[1, 2], []], numpy.int32)
    verdicts, *_ = ColumnCheck(tok).rows(offsets, ids, numpy.zeros(2, dtype=numpy.uint8))
    assert verdicts.tolist() == [ASK, ASK]
    found = ColumnEncoder(tok).rows(*_flat([b"ab", b"", b"\xff"], numpy.uint8), numpy.zeros(3, dtype=numpy.uint8))
    assert [one.tolist() for one in found[:2]] == [[0, 2, 2, 3], [97, 98, 255]] and found[2] == {}


def test_a_column_of_texts_is_encoded_as_its_rows_are(cl100k: ff.Tokenizer) -> None:
    rng = random.Random(6)
    rows = [text.encode() for text in _texts(rng, 800)]
    rows += [row[: rng.randint(0, len(row))] + bytes(rng.choices(range(256), k=3)) for row in rows]
    skipped = numpy.array([rng.random() < 0.05 for _ in rows], dtype=numpy.uint8)
    offsets, data = _flat(rows, numpy.uint8)
    ends, ids, errors = ColumnEncoder(cl100k).rows(offsets, data, skipped)
    assert not errors and ids.dtype == numpy.int32
    for at, (row, skip) in enumerate(zip(rows, skipped, strict=True)):
        assert ids[ends[at] : ends[at + 1]].tolist() == ([] if skip else cl100k.encode(row))


def test_texts_are_judged_and_forced_tokens_counted_as_by_a_matcher(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(SCHEMA, cl100k, separators=(", ", ": "))
    rng = random.Random(7)
    texts = [f'{{"name": "{"x" * rng.randint(0, 7)}", "age": {rng.choice(["1", "2.5", "-30"])}}}' for _ in range(200)]
    texts = [text[: rng.randint(0, len(text))] if rng.random() < 0.3 else text for text in texts]
    rows = [text.encode() for text in texts]
    offsets, data = _flat(rows, numpy.uint8)
    skipped = numpy.zeros(len(rows), dtype=numpy.uint8)
    verdicts, places, errors = validate_column(grammar._engine, offsets, data, skipped)
    ends, ids, _ = ColumnEncoder(cl100k).rows(offsets, data, skipped)
    same, also, forced, _ = forced_column(grammar._engine, cl100k.canon, ends, ids, skipped)
    assert not errors and verdicts.tolist() == same.tolist() and places.tolist() == also.tolist()
    assert {0, 1, 2} == set(verdicts.tolist()) and forced.max() > 3
    for text, verdict, place, many in zip(texts, verdicts, places, forced, strict=True):
        wanted = oracle.validate(grammar, text)
        assert (verdict == 0) == wanted["valid"] and (verdict == 2) == wanted["ends_early"]
        assert place == (-1 if wanted["valid"] else wanted["offset"])
        assert many == oracle.forced(grammar, text)["forced_count"]


def test_forced_tokens_in_free_texts(cl100k: ff.Tokenizer) -> None:
    """Where nearly every place is new, and tokens that came before are tried first."""
    schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "some": {"type": "string", "pattern": "^(the end|an end|a(b?c)*)$"},
            "number": {"multipleOf": 5},
        },
    }
    grammar = ff.compile_json_schema(schema, cl100k)
    rng = random.Random(11)
    source = Path(__file__).read_text(encoding="utf-8")
    texts = []
    for _ in range(25):
        at = rng.randrange(len(source) - 200)
        some = rng.choice(["the end", "an end", "a" + "".join(rng.choices(["c", "bc"], k=5)), "ab"])
        value = {"text": source[at : at + rng.randint(20, 200)], "some": some, "number": rng.choice([5, 125, 3])}
        texts.append(json.dumps(value))
    offsets, data = _flat([text.encode() for text in texts], numpy.uint8)
    skipped = numpy.zeros(len(texts), dtype=numpy.uint8)
    ends, ids, _ = ColumnEncoder(cl100k).rows(offsets, data, skipped)
    _, _, forced, errors = forced_column(grammar._engine, cl100k.canon, ends, ids, skipped)
    assert not errors
    assert forced.tolist() == [oracle.forced(grammar, text)["forced_count"] for text in texts]


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_forced_tokens_of_texts_that_come_to_the_same_places(name: str) -> None:
    tok = ff.Tokenizer.from_tiktoken(name)
    pieces = ["é", "ab", "12 ", "0 ", "x", "日本", " the", "\r\n"]
    total = 0
    unique = ff.compile_json_schema({"type": "array", "uniqueItems": True, "items": {"enum": [1, 12, 123]}}, tok)
    for grammar, texts in (
        (ff.compile_regex(r"((é|ab|[0-9]{1,3} )x?|日本|( the){2}|\r\n)*", tok), _joined(pieces, 300)),
        (
            ff.compile_lark('start: "(" start ")" | "<<" (/[a-z]+/ "," "  ")* ">>"', tok),
            _joined(["(", ")", "<<", "ab,  ", ">>"], 300),
        ),
        (unique, _joined(["[", "1", "12", ", ", "123", "]"], 300)),
    ):
        rows = [tok.encode(text) for text in texts]
        _, _, forced, errors = forced_column(
            grammar._engine, tok.canon, *_flat(rows, numpy.int32), numpy.zeros(len(rows), dtype=numpy.uint8)
        )
        assert not errors
        assert forced.tolist() == [oracle.forced(grammar, text)["forced_count"] for text in texts]
        total += int(forced.sum())
    assert total > 20


def _joined(pieces: list[str], count: int) -> list[str]:
    rng = random.Random(8)
    return ["".join(rng.choices(pieces, k=rng.randint(0, 9))) for _ in range(count)]


def test_a_row_that_reaches_a_limit_leaves_the_others_alone(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark("start: (A | B)*\nA: /a+b/\nB: /[ab]{1,9}c/", cl100k, limits=ff.Limits(dfa_states=4))
    rows = [b"", b"aaaaaaabbbabababababc", b"ab"]
    verdicts, places, errors = validate_column(
        grammar._engine, *_flat(rows, numpy.uint8), numpy.zeros(3, dtype=numpy.uint8)
    )
    assert verdicts[0] == 0 and set(errors) == {at for at in range(3) if verdicts[at] == 4}
    assert all("limit " in message for message in errors.values()) and places[0] == -1


@pytest.mark.parametrize("offsets", [[0, 3], [0, 2, 1], [-1, 1, 2], [0, 1, 9]])
def test_offsets_that_do_not_fit_are_refused(cl100k: ff.Tokenizer, offsets: list[int]) -> None:
    starts, skipped = numpy.array(offsets, dtype=numpy.int64), numpy.zeros(2, dtype=numpy.uint8)
    grammar = ff.compile_regex("a", cl100k)
    for call in (
        lambda: ColumnCheck(cl100k).rows(starts, numpy.zeros(3, dtype=numpy.int32), skipped),
        lambda: ColumnEncoder(cl100k).rows(starts, numpy.zeros(3, dtype=numpy.uint8), skipped),
        lambda: validate_column(grammar._engine, starts, numpy.zeros(3, dtype=numpy.uint8), skipped),
        lambda: forced_column(grammar._engine, cl100k.canon, starts, numpy.zeros(3, dtype=numpy.int32), skipped),
    ):
        with pytest.raises(ValueError, match="the offsets do not cut"):
            call()
