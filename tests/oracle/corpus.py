"""Corpora, row by row in plain Python: what each row of a job's results must be."""

from __future__ import annotations

from typing import Any

import ffgrammar as ff

__all__ = ["check", "forced", "tokenize", "validate"]

Row = dict[str, Any]


def check(tok: ff.Tokenizer, ids: list[int | None] | None, text: str | None = None) -> Row:
    """The results of the job `check`; `error` only says whether there is one."""
    row: Row = dict.fromkeys(("canonical", "token_count", "expected_count", "first_divergence", "byte_offset"))
    if ids is None or any(one is None or not 0 <= one < tok.vocab_size for one in ids):
        return {**row, "error": True}
    given = [one for one in ids if one is not None]
    expected: list[int] = []
    part: list[int] = []
    for token in given:
        if tok.is_special(token):
            expected += tok.encode(tok.decode(part))
            expected.append(token)
            part = []
        else:
            part.append(token)
    expected += tok.encode(tok.decode(part))
    if text is not None and tok.decode(given) != text.encode():
        expected = tok.encode(text)
    pairs = list(zip(given, expected, strict=False))
    first = next((at for at, (one, other) in enumerate(pairs) if one != other), len(pairs))
    same = given == expected
    return {
        "canonical": same,
        "token_count": len(given),
        "expected_count": len(expected),
        "first_divergence": None if same else first,
        "byte_offset": None if same else len(tok.decode(given[:first])),
        "error": False,
    }


def validate(grammar: ff.Grammar, text: str | bytes | None) -> Row:
    """The results of the job `validate`."""
    if text is None:
        return {**dict.fromkeys(("valid", "byte_count", "offset", "ends_early")), "error": True}
    data = text.encode() if isinstance(text, str) else text
    matcher = grammar.matcher()
    read = 0
    while read < len(data) and matcher.accept_bytes(data[read : read + 1]):
        read += 1
    valid = read == len(data) and matcher.is_accepting()
    return {
        "valid": valid,
        "byte_count": len(data),
        "offset": None if valid else read,
        "ends_early": read == len(data) and not valid,
        "error": False,
    }


def tokenize(tok: ff.Tokenizer, text: str | bytes | None) -> Row:
    """The results of the job `tokenize`."""
    if text is None:
        return {**dict.fromkeys(("encoded", "ids", "token_count", "byte_count")), "error": True}
    data = text.encode() if isinstance(text, str) else text
    ids = tok.encode(data)
    return {"encoded": True, "ids": ids, "token_count": len(ids), "byte_count": len(data), "error": False}


def forced(grammar: ff.Grammar, text: str | None) -> Row:
    """The results of the job `forced`."""
    if text is None:
        return {**dict.fromkeys(("valid", "token_count", "forced_count", "offset")), "error": True}
    matcher = grammar.matcher()
    ids = grammar.tokenizer.encode(text)
    count = 0
    for token in ids:
        count += matcher.forced_tokens()[:1] == [token]
        if not matcher.accept_token(token):
            break
    judged = validate(grammar, text)
    return {
        "valid": judged["valid"],
        "token_count": len(ids),
        "forced_count": count,
        "offset": judged["offset"],
        "error": False,
    }
