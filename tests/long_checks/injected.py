"""Faults that are put into rows: into token ids, into texts beside ids, and into answers under a schema.

Each method returns a row with two more columns. `fault` is its name, or None. `at` is the place that a job must
report; it is None if the job must only find that there is a fault.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

import ffgrammar as ff
from long_checks.real_texts import KINDS, RealText
from long_checks.row_files import Row

__all__ = ["ANSWERS", "ERRORS", "IDS", "PAIRS", "Injector", "answer_schema"]

_MARKS = [("fault", pa.string()), ("at", pa.int64())]
IDS = pa.schema([("tokens", pa.list_(pa.int32())), *_MARKS])
PAIRS = pa.schema([("tokens", pa.list_(pa.int32())), ("text", pa.string()), *_MARKS])
ANSWERS = pa.schema([("answer", pa.string()), ("schema", pa.string()), *_MARKS])
# Faults that a job reports as an error of the row, and not as the verdict no.
ERRORS = ("null", "unknown id", "no schema")
MAX_PATH = 300
# The fraction of rows that get a fault.
SHARE = 0.05


def answer_schema(kind: str) -> dict[str, Any]:
    """The schema of answers about files of a kind."""
    return {
        "type": "object",
        "properties": {
            "path": {"type": "string", "maxLength": MAX_PATH},
            "kind": {"enum": [kind, f"{kind} piece"]},
            "lines": {"type": "integer", "minimum": 0},
            "text": {"type": "string"},
        },
        "required": ["path", "kind", "lines", "text"],
        "additionalProperties": False,
    }


class Injector:
    """Puts faults into some of the rows.

    Args:
        tok: the tokenizer of the ids.
        encode: turns a text into ids: another implementation of the tokenizer.
        rng: decides which rows get a fault, which one, and where.
    """

    def __init__(self, tok: ff.Tokenizer, encode: Callable[[str], list[int]], rng: random.Random) -> None:
        self._tok, self._encode, self._rng = tok, encode, rng
        self._known = {tok.token_bytes(token): token for token in range(tok.vocab_size) if tok.token_bytes(token)}
        self._schemas = {kind: json.dumps(answer_schema(kind)) for kind in KINDS}

    def _fault(self, names: Sequence[str], can: bool = True) -> str | None:
        return self._rng.choice(names) if can and self._rng.random() < SHARE else None

    def ids(self, ids: list[int]) -> Row:
        """A row of ids. The fault: one token is spelled by two, or the row cannot be checked."""
        fault = self._fault(["split", "split", "split", "unknown id", "null"], len(ids) > 5)
        if fault == "null":
            return {"tokens": None, "fault": fault, "at": None}
        if fault == "unknown id":
            at = self._rng.randrange(len(ids))
            return {"tokens": [*ids[:at], self._tok.vocab_size, *ids[at:]], "fault": fault, "at": None}
        if fault == "split":
            ids, at = self._split(ids)
            return {"tokens": ids, "fault": None if at is None else fault, "at": at}
        return {"tokens": ids, "fault": None, "at": None}

    def _split(self, ids: list[int]) -> tuple[list[int], int | None]:
        """Ids of the same text in which two tokens spell one, and the place of that one. The place is None if none of a
        hundred tries found such tokens."""
        for _ in range(100):
            at = self._rng.randrange(len(ids))
            text = self._tok.token_bytes(ids[at])
            cut = self._rng.randrange(len(text))
            halves = text[:cut], text[cut:]
            if halves[0] in self._known and halves[1] in self._known:
                return [*ids[:at], *(self._known[half] for half in halves), *ids[at + 1 :]], at
        return ids, None

    def pair(self, text: str, ids: list[int]) -> Row:
        """A row of ids beside a text. The fault: they spell another text, or not as the tokenizer does."""
        rng = self._rng
        fault = self._fault(["character", "dropped", "doubled", "changed", "cut", "split"], len(ids) > 5)
        at = rng.randrange(len(ids)) if fault else 0
        given = ids
        if fault == "character":
            place = rng.randrange(len(text))
            text = text[:place] + ("#" if text[place] != "#" else "%") + text[place + 1 :]
        elif fault == "dropped":
            given = ids[:at] + ids[at + 1 :]
        elif fault == "doubled":
            given = ids[:at] + ids[at : at + 1] + ids[at:]
        elif fault == "changed":
            given = [*ids[:at], (ids[at] + 1) % 100_000, *ids[at + 1 :]]
        elif fault == "cut":
            given = ids[:at]
        elif fault == "split":
            given, found = self._split(ids)
            fault = None if found is None else fault
        return {"tokens": given, "text": text, "fault": fault, "at": self._divergence(given, text) if fault else None}

    def _divergence(self, ids: list[int], text: str) -> int:
        expected = self._encode(text)
        pairs = enumerate(zip(ids, expected, strict=False))
        return next((at for at, (one, other) in pairs if one != other), min(len(ids), len(expected)))

    def answer(self, real: RealText) -> Row:
        """A row of an answer about a text, and the schema of its kind. The fault: the answer breaks the schema, or the
        row cannot be judged."""
        names = ["missing", "more", "type", "enum", "least", "long", "cut", "control", "comma", "null", "no schema"]
        fault = self._fault(names)
        value = {"path": real.path[-MAX_PATH:], "kind": real.kind, "lines": real.text.count("\n"), "text": real.text}
        written = self._write(self._changed(value, fault))
        if fault == "cut":
            written = written[: self._rng.randrange(len(written))]
        elif fault == "control":
            written = written[:-2] + "\n" + written[-2:]
        elif fault == "comma":
            written = written[:-1] + ",}"
        schema: str | None = '{"type": "nothing"}' if fault == "no schema" else self._schemas[real.kind]
        answer = None if fault == "null" else written
        at = len(written.encode()) if fault == "cut" else None
        return {"answer": answer, "schema": schema, "fault": fault, "at": at}

    def _write(self, value: Any) -> str:
        spaced = self._rng.random() < 0.5
        separators = (", ", ": ") if spaced else (",", ":")
        return json.dumps(value, ensure_ascii=self._rng.random() < 0.5, separators=separators)

    def _changed(self, value: dict[str, Any], fault: str | None) -> dict[str, Any]:
        rng = self._rng
        if fault == "missing":
            dropped = rng.choice(list(value))
            return {name: one for name, one in value.items() if name != dropped}
        changes: dict[str, dict[str, Any]] = {
            "more": {"more": 1},
            "type": rng.choice([{"lines": str(value["lines"])}, {"lines": 0.5}, {"text": None}, {"path": ["a"]}]),
            "enum": {"kind": rng.choice([value["kind"] + "x", "", 1])},
            "least": {"lines": -1 - value["lines"]},
            "long": {"path": "a" * (MAX_PATH + 1)},
        }
        return {**value, **changes.get(fault or "", {})}
