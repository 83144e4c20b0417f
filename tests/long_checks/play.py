"""How long the playground takes for a letter: in a text of 2,000 tokens, and in a schema of 200 lines.

What is measured is the processor time of an answer, from the bytes of a request to the bytes of the answer.
"""

from __future__ import annotations

import json
from random import Random
from time import thread_time
from typing import Any

import ffgrammar as ff
from ffgrammar.play import Desk

__all__ = ["main"]

LINES, TOKENS, LETTERS = 200, 2000, 300
PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 60},
        "age": {"type": "integer", "minimum": 0},
        "kind": {"enum": ["a", "b", "c"]},
        "mail": {"type": "string", "format": "email"},
    },
    "required": ["name"],
    "additionalProperties": False,
}


def _schema() -> str:
    people: dict[str, Any] = {}
    schema = {"type": "array", "items": {"type": "object", "properties": people}}
    while len(json.dumps(schema, indent=1).splitlines()) < LINES:
        people[f"field_{len(people)}"] = PERSON
    return json.dumps(schema, indent=1)


def _text(tok: ff.Tokenizer, schema: str) -> str:
    people = json.loads(schema)["items"]["properties"]
    person = {name: {"name": f"Ada {name}", "age": 36, "kind": "a", "mail": "a@b.org"} for name in people}
    return tok.decode(tok.encode(json.dumps([person] * 30))[:TOKENS]).decode()


def _millis(desk: Desk, name: str, fields: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    body = json.dumps(fields)
    start = thread_time()
    answer = json.dumps(desk.answer(name, json.loads(body)))
    return 1000 * (thread_time() - start), json.loads(answer)


def _row(what: str, times: list[float]) -> str:
    times = sorted(times)
    p99 = times[int(len(times) * 0.99)]
    return f"{what:<28} median {times[len(times) // 2]:6.1f}  p99 {p99:6.1f}  most {times[-1]:6.1f}"


def main() -> int:
    """Print the times in milliseconds."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    desk, random, schema = Desk({"cl100k_base": tok}), Random(1), _schema()
    text = _text(tok, schema)
    base = {"kind": "json-schema", "source": schema}
    version = 0
    times: dict[str, list[float]] = {"text, at its end": [], "text, anywhere": [], "a place": [], "schema": []}
    for number in range(LETTERS):
        at = random.randrange(len(text))
        edits = {
            "text, at its end": text + "x" * (number % 2),
            "text, anywhere": text[:at] + random.choice('abc12", ') + text[at:],
        }
        for what, edited in edits.items():
            millis, answer = _millis(desk, "text", {**base, "text": edited, "version": version})
            version = answer["version"]
            times[what].append(millis)
        times["a place"].append(_millis(desk, "gap", {**base, "text": text, "at": random.randrange(TOKENS)})[0])
    for number in range(LETTERS):
        other = schema.replace('"type"', f'"title": "{number}", "type"', 1)
        times["schema"].append(_millis(desk, "text", {**base, "source": other, "text": text})[0])
    print(f"{len(schema.splitlines())} lines, {len(tok.encode(text))} tokens; milliseconds of processor time")
    for what, found in times.items():
        print(_row(what, found))
    return 0
