"""tests/cases/engine.json: each text is judged in many ways, which must all come to the same verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar import lark
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser

CASES = json.loads((Path(__file__).parent / "cases" / "engine.json").read_text(encoding="utf-8"))


def _fresh(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    return _whole(grammar.matcher(), text)


def _whole(matcher: Any, text: bytes) -> Any:
    return matcher if matcher.accept_bytes(text) == len(text) else None


def _byte_by_byte(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    matcher = grammar.matcher()
    return matcher if all(matcher.accept_bytes(text[i : i + 1]) == 1 for i in range(len(text))) else None


def _token_by_token(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    """The masks must agree with what is accepted."""
    matcher = grammar.matcher()
    for token in tok.encode(text):
        allowed = token in matcher.allowed_token_ids()
        assert matcher.accept_token(token) == allowed
        if not allowed:
            return None
    return matcher


def _tokens_at_once(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    matcher, tokens = grammar.matcher(), tok.encode(text)
    valid = matcher.validate_tokens(tokens)
    assert matcher.accept_tokens(tokens) == valid
    return matcher if valid == len(tokens) else None


def _after_rollback(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    matcher, tokens = grammar.matcher(), tok.encode(text)
    accepted = matcher.accept_tokens(tokens)
    for back in range(accepted + 1):
        matcher.rollback(back)
        assert matcher.accept_tokens(tokens[accepted - back :]) == back
    return matcher if accepted == len(tokens) else None


def _after_reset(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    matcher = grammar.matcher()
    matcher.accept_tokens(tok.encode(text))
    matcher.reset()
    return _whole(matcher, text)


def _forked(grammar: Any, text: bytes, tok: ff.Tokenizer) -> Any:
    matcher = grammar.matcher()
    for token in tok.encode(text):
        matcher, left = matcher.fork(), matcher
        if not matcher.accept_token(token):
            assert not left.accept_token(token)
            return None
    return matcher


def _reloaded(grammar: Any, text: bytes, tok: ff.Tokenizer, path: Path) -> Any:
    grammar.save(path)
    return _fresh(ff.load(path, tok), text, tok)


PATHS: dict[str, Callable[..., Any]] = {
    "fresh": _fresh,
    "byte by byte": _byte_by_byte,
    "token by token": _token_by_token,
    "tokens at once": _tokens_at_once,
    "after rollback": _after_rollback,
    "after reset": _after_reset,
    "forked": _forked,
    "reloaded": _reloaded,
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any], path: str, cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    grammar = ff.compile_lark(case["lark"], cl100k)
    extra = {"path": tmp_path / "case.ffg"} if path == "reloaded" else {}
    for text in case["accepted"]:
        matcher = PATHS[path](grammar, text.encode(), cl100k, **extra)
        assert matcher is not None and matcher.is_accepting(), text
        assert matcher.accept_token(cl100k.eos_token_ids[0])
        assert matcher.is_terminated()
    for text in case["rejected"]:
        matcher = PATHS[path](grammar, text.encode(), cl100k, **extra)
        assert matcher is None or not matcher.is_accepting(), text
    for prefix, forced in case["forced"]:
        matcher = PATHS[path](grammar, prefix.encode(), cl100k, **extra)
        assert matcher.forced_bytes() == forced.encode(), prefix


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_recogniser_agrees_with_the_case(case: dict[str, Any]) -> None:
    recogniser = Recogniser(lark.build(case["lark"], ExprStore(), Limits()))
    for text in case["accepted"]:
        assert recogniser.accepts(text.encode()), text
    for text in case["rejected"]:
        assert not recogniser.accepts(text.encode()), text
