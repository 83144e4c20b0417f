"""Structural tags beside xgrammar: verdicts on sampled and mutated texts, and on token sequences. Every disagreement is
explained here. (xgrammar is not installed with the other packages for tests, because it brings torch.)"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from test_structural_tags import DATA, accepts, compiled
from test_structural_tags_random import vocabulary

import ffgrammar as ff
from oracle.structural_tags import RandomTags

xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed: pip install xgrammar")

BLANKS = "white space may stand around a JSON value here"
ANY_ORDER = "any_order drops keys that are required, and takes keys twice, there"
SPECIAL = "a special token is its name, as text, there"
RANDOM_TAGS = 150

# What the page says about differences: a format, a text, and the verdicts here and there.
OBJECT = {"type": "json_schema", "json_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
DIFFERENCES: list[tuple[str, dict[str, Any], str, bool]] = [
    ("an object may have keys that the schema does not name", OBJECT, '{"b": 1}', True),
    (BLANKS, OBJECT, " {} ", True),
    (
        "a pattern is looked for in an XML parameter",
        {
            "type": "json_schema",
            "json_schema": {"properties": {"a": {"type": "string", "pattern": "b"}}},
            "style": "qwen_xml",
        },
        "<parameter=a>abc</parameter>",
        True,
    ),
    ("a dot does not match the end of a line", {"type": "regex", "pattern": "a."}, "a\n", False),
]


def their_verdict(grammar: Any, text: str) -> bool:
    from xgrammar.testing import _is_grammar_accept_string

    return bool(_is_grammar_accept_string(grammar, text))


def their_grammar(form: Any) -> Any:
    return xgrammar.Grammar.from_structural_tag(json.dumps({"type": "structural_tag", "format": form}))


def has_tokens(form: Any) -> bool:
    text = json.dumps(form)
    return '"token' in text or "_token" in text


def forms() -> Iterator[tuple[dict[str, Any], list[str]]]:
    """The tags of the cases, with their texts, and random tags. They have no special tokens."""
    for case in DATA["cases"]:
        if "accepts" in case and not has_tokens(case["format"]):
            yield case["format"], [one for one in case["accepts"] + case["rejects"] if isinstance(one, str)]
    rng = random.Random(5)
    count = 0
    while count < RANDOM_TAGS:
        form = RandomTags(rng).format(3)
        if not has_tokens(form):
            count += 1
            yield form, []


def sampled(grammar: ff.Grammar, rng: random.Random) -> bytes:
    matcher = grammar.matcher()
    for _ in range(rng.randint(0, 12)):
        ids = [one for one in matcher.allowed_token_ids().tolist() if one not in grammar.tokenizer.eos_token_ids]
        if not ids:
            break
        matcher.accept_token(rng.choice(ids))
    return matcher.text_bytes


def mutated(text: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(text))
    more = bytes([rng.choice(b"ab1<>/,")])
    return text[:place] + rng.choice([b"", more]) + text[place + rng.randint(0, 1) :]


def explanation(form: dict[str, Any], text: str, ours: bool) -> str | None:
    """Why the verdicts differ."""
    if ours and "json_schema" in json.dumps(form) and " " in text:
        return BLANKS
    if not ours and form.get("content", {}).get("any_order"):
        return ANY_ORDER
    return None


def test_verdicts_on_texts() -> None:
    rng = random.Random(1)
    tok = vocabulary(rng)
    found: Counter[str] = Counter()
    for form, texts in forms():
        try:
            ours = compiled(form, tok)
            theirs = their_grammar(form)
        except ff.GrammarError as error:
            # a trigger that is in another one, or has an excluded text in it
            assert "never reached" in str(error)
            continue
        except RuntimeError as error:
            # There, free text without any end is refused, and a trigger without a tag fails.
            assert "must be non-empty" in str(error) or "Internal check failed" in str(error)
            continue
        samples = [sampled(ours, rng) for _ in range(10)]
        every = [one.encode() for one in texts] + samples + [mutated(one, rng) for one in samples]
        for text in {one.decode() for one in every if is_utf8(one)}:
            verdict = accepts(ours, text)
            why = None if verdict == their_verdict(theirs, text) else explanation(form, text, verdict)
            assert why is not None or verdict == their_verdict(theirs, text), (form, text, verdict)
            found[why or "the same"] += 1
    assert found["the same"] > 1000, found


def is_utf8(text: bytes) -> bool:
    return text.decode("utf-8", "ignore").encode() == text


def test_verdicts_on_tokens(cl100k: ff.Tokenizer) -> None:
    names = {number: name for name, number in cl100k.special_tokens.items()}
    tokens = [names[one].encode() if one in names else cl100k.token_bytes(one) for one in range(cl100k.vocab_size)]
    (end,) = cl100k.eos_token_ids
    info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, stop_token_ids=[end])
    compiler = xgrammar.GrammarCompiler(info, max_threads=1)
    found: Counter[str] = Counter()
    for case in DATA["cases"]:
        if "accepts" not in case or not has_tokens(case["format"]):
            continue
        tag = json.dumps({"type": "structural_tag", "format": case["format"]})
        theirs = compiler.compile_structural_tag(tag)
        for text in [*case["accepts"], *case["rejects"]]:
            ids: list[int] = []
            for piece in [text] if isinstance(text, str) else text:
                ids += [cl100k.special_tokens[piece[0]]] if isinstance(piece, list) else cl100k.encode(piece)
            matcher = xgrammar.GrammarMatcher(theirs)
            verdict = all(matcher.accept_token(one) for one in [*ids, end])
            if verdict != (text in case["accepts"]):
                assert verdict and '"any_text"' in tag, (tag, text)
                found[SPECIAL] += 1
            found["compared"] += 1
    assert found["compared"] > 40 and found[SPECIAL] < 3, found


@pytest.mark.parametrize("why", DIFFERENCES, ids=lambda why: why[0])
def test_differences(why: tuple[str, dict[str, Any], str, bool], cl100k: ff.Tokenizer) -> None:
    _, form, text, ours = why
    assert accepts(compiled(form, cl100k), text) == ours
    assert their_verdict(their_grammar(form), text) != ours
