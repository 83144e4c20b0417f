"""NDJSON: one request a line in, one answer a line out, so that one process serves a whole pipeline."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .messages import told
from .options import Prefix
from .progress import Progress
from .show import write_json
from .walk import advance

if TYPE_CHECKING:
    from ffgrammar import Grammar, Matcher, Tokenizer

__all__ = ["BadRequest", "answer_prefixes", "answer_requests", "tokens_of_request"]


class BadRequest(ValueError):
    """A line is not a request."""


def tokens_of_request(value: Any, name: str) -> list[int]:
    """The token ids of a request's member `name`. Raises BadRequest."""
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise BadRequest(f"{name} is not an array of token ids")
    return value


def prefix_of_request(request: dict[str, Any]) -> Prefix:
    """The text so far that a request gives: "prefix", "prefix_bytes" (hexadecimal) or "prefix_tokens".

    Raises BadRequest.
    """
    known = ("prefix", "prefix_bytes", "prefix_tokens")
    for name in request:
        if name not in known:
            raise BadRequest(f"unknown name {name!r}: a request has one of {', '.join(known)}")
    given = [name for name in known if name in request]
    if len(given) > 1:
        raise BadRequest("give one of prefix, prefix_bytes, prefix_tokens")
    if not given:
        return Prefix()
    value = request[given[0]]
    if given[0] == "prefix_tokens":
        return Prefix(tokens=tuple(tokens_of_request(value, "prefix_tokens")))
    if not isinstance(value, str):
        raise BadRequest(f"{given[0]} is not a string")
    if given[0] == "prefix":
        return Prefix(value.encode("utf-8", "surrogatepass"))
    try:
        return Prefix(bytes.fromhex(value))
    except ValueError as error:
        raise BadRequest("prefix_bytes is not hexadecimal") from error


def _request(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"not JSON: {error}") from error
    if not isinstance(request, dict):
        raise BadRequest("a request is a JSON object")
    return request


def answer_prefixes(
    grammar: Grammar, tokenizer: Tokenizer, answer: Callable[[Matcher], dict[str, Any]], start: dict[str, Any]
) -> int:
    """Answer requests that give a prefix. Where the prefix is rejected, the answer says where and why.

    Args:
        grammar: the grammar.
        tokenizer: its vocabulary.
        answer: takes a matcher at the end of a prefix, and returns what to write.
        start: the keyword arguments of `Grammar.matcher`.

    Returns:
        The exit code of `answer_requests`.
    """

    def answer_one(request: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        matcher = grammar.matcher(**start)
        rejection = advance(matcher, tokenizer, prefix_of_request(request))
        if rejection is not None:
            return False, {"rejected": rejection.as_json()}
        return True, answer(matcher)

    return answer_requests(answer_one)


def answer_requests(answer: Callable[[dict[str, Any]], tuple[bool, dict[str, Any]]]) -> int:
    """Answer every line of stdin, in order. A line that is no request, or whose answer raises an FFGrammarError, is
    answered with {"error": …}.

    Args:
        answer: takes a request; returns whether the answer is a yes (this decides the exit code), and what to write.

    Returns:
        The exit code of the worst line: 2 for an error, else 1 for a no, else 0.
    """
    from ffgrammar import FFGrammarError

    code = 0
    with Progress("request") as progress:
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            progress.step()
            try:
                yes, found = answer(_request(line))
            except (BadRequest, FFGrammarError) as error:
                code = 2
                write_json({"error": told(error)})
                continue
            if not yes:
                code = max(code, 1)
            write_json(found)
    return code
