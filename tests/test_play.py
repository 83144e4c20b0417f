"""The playground's answers: tokens with their statuses, what may and must come, the trie, refusals, the model's face.

Each answer is compared with what the public functions say of the same place.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar import lm
from ffgrammar.play import Desk
from ffgrammar.play.bounds import MAX_SHEETS, MAX_TEXT
from ffgrammar.play.places import error_place
from hostile.sources import Hostile, sources

SCHEMA = {"properties": {"n": {"const": 12}, "s": {"type": "string"}}, "required": ["n"], "additionalProperties": False}
FIELDS: dict[str, Any] = {"kind": "json-schema", "source": json.dumps(SCHEMA), "text": '{"n": 12, "s": "x'}


@pytest.fixture(scope="module")
def tok(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    return cl100k


@pytest.fixture(scope="module")
def desk(tok: ff.Tokenizer) -> Desk:
    return Desk({"cl100k_base": tok})


def _answer(desk: Desk, asked: str, /, **fields: Any) -> dict[str, Any]:
    found = desk.answer(asked, {**FIELDS, **fields})
    assert "error" not in found, found
    assert json.loads(json.dumps(found)) is not None
    return found


def _error(desk: Desk, asked: str, /, **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = desk.answer(asked, {**FIELDS, **fields})["error"]
    return found


# ---- tokens


def _naive(grammar: ff.Grammar, tokens: list[int]) -> tuple[str, list[int]]:
    """The statuses of tokens and the sizes of masks, each from a matcher of its own."""
    codes, sizes = "", []
    run: list[int] = []
    for at, token in enumerate(tokens):
        matcher = grammar.matcher()
        matcher.accept_tokens(tokens[:at])
        sizes.append(len(matcher.allowed_token_ids()))
        run = run or matcher.forced_tokens()
        if not matcher.accept_token(token):
            return codes + "r" + "a" * (len(tokens) - at - 1), sizes
        is_forced = bool(run) and run[0] == token
        run = run[1:] if is_forced else []
        codes += "f" if is_forced else "c"
    matcher = grammar.matcher()
    matcher.accept_tokens(tokens)
    return codes, [*sizes, len(matcher.allowed_token_ids())]


@pytest.mark.parametrize("text", ["", '{"n": 12, "s": "x', '{"n": 12, "s": "x"}', '{"n": 13}', "}", "\u00e9\x00"])
def test_tokens_have_statuses(desk: Desk, tok: ff.Tokenizer, text: str) -> None:
    found = _answer(desk, "text", text=text)
    grammar = ff.compile_json_schema(SCHEMA, tok)
    codes, sizes = _naive(grammar, tok.encode(text))
    assert (found["codes"], found["allowed"]) == (codes, sizes)
    assert [one for one, _ in found["tokens"]] == tok.encode(text)
    assert len(found["micros"]) == len(sizes) and found["ends"] == (text == '{"n": 12, "s": "x"}')


def test_edits_give_what_a_new_walk_gives(tok: ff.Tokenizer) -> None:
    """Along random edits, answers that leave out what the page has are put together as the page does it."""
    random = Random(1)
    desk = Desk({"t": tok})
    text, tokens, codes, allowed, version = "", [], "", [], 0
    whole = '{"n": 12, "s": "some words, and \u00e9 \\n"}'
    for _ in range(60):
        at = random.randint(0, len(text))
        text = text[:at] + random.choice(["", whole[at : at + random.randint(1, 9)], "x"]) + text[at + 1 :]
        found = _answer(desk, "text", text=text, version=version)
        version, keep = found["version"], found["keep"]
        tokens = [*tokens[:keep], *found["tokens"]]
        codes = codes[:keep] + found["codes"]
        allowed = [*allowed[:keep], *found["allowed"]]
        fresh = _answer(Desk({"t": tok}), "text", text=text)
        assert (tokens, codes, allowed) == (fresh["tokens"], fresh["codes"], fresh["allowed"])


def test_ids_that_the_tokenizer_would_not_write(desk: Desk, tok: ff.Tokenizer) -> None:
    tokens = [*tok.encode('{"n": 12, "s": "'), *(tok.encode(one)[0] for one in "hello")]
    found = _answer(desk, "text", tokens=tokens)["canonical"]
    report = ff.is_canonical(tok, tokens, complete=False)
    assert found["verdict"] == report.verdict == "no"
    assert [one for one, _ in found["expected"]] == list(report.expected)
    assert found["strange"] and found["strange"][0] == report.first_divergence
    assert _answer(desk, "text", tokens=tok.encode('{"n": 12, '))["canonical"]["strange"] == []


# ---- a place


@pytest.mark.parametrize("at", range(10))
def test_a_place_says_what_the_matcher_says(desk: Desk, tok: ff.Tokenizer, at: int) -> None:
    found = _answer(desk, "gap", at=at)
    grammar = ff.compile_json_schema(SCHEMA, tok)
    matcher, canonical = grammar.matcher(), grammar.matcher(canonical=True)
    tokens = tok.encode(FIELDS["text"])[:at]
    assert matcher.accept_tokens(tokens) == canonical.accept_tokens(tokens) == at
    assert found["said"] == str(matcher.explain())
    assert found["masks"]["plain"] == len(matcher.allowed_token_ids())
    assert found["masks"]["canonical"] == len(canonical.allowed_token_ids())
    assert found["masks"]["only"] == found["masks"]["plain"] - found["masks"]["canonical"]
    forced, certain = matcher.forced_bytes(), matcher.forced_tokens()
    assert (found["forced"]["size"], [one for one, _ in found["forced"]["tokens"]]) == (len(forced), certain)
    assert bool(found["forced"]["held"]) == bool(found["forced"]["why"]) == (len(tok.decode(certain)) < len(forced))
    coverings = tok.coverings(tok.decode(tokens))
    assert [one["count"] for one in found["coverings"]["list"]] == [one.count for one in coverings]


def test_a_place_inside_a_token(desk: Desk) -> None:
    found = _answer(desk, "gap", at=9, inside=2)
    assert (found["at"], found["inside"], found["explanation"]["text"]) == (9, 2, '{"n": 12, "s": "')
    assert (found["coverings"]["list"][0]["rest"], found["masks"]["plain"] > 1000) == ('\u00b7"', True)


def test_live_lexemes_are_in_the_diagrams(desk: Desk) -> None:
    svg = _answer(desk, "railroads")["svg"]
    assert "<style" not in svg and "<script" not in svg
    live = _answer(desk, "gap", at=1)["live"]
    assert live and all(f'data-lexeme="{one["lexeme"]}"' in svg for one in live)
    drawn = {int(rule) for rules in re.findall('data-rules="([^"]*)"', svg) for rule in rules.split()}
    assert all(rule in drawn for one in live for rule in one["rules"])


# ---- tokens at a place


def test_the_trie_has_the_allowed_tokens(cl100k: ff.Tokenizer) -> None:
    # each answer looks at all tokens, so here are all that may come and only some of the others
    chosen = ff.compile_json_schema(SCHEMA, cl100k).matcher().allowed_token_ids().tolist()
    tokens = sorted({cl100k.token_bytes(one) for one in [*chosen, *range(256), *range(1000, 90_000, 100)]})
    tok = ff.Tokenizer.from_tokens(
        [*tokens, b""],
        eos_token_id=len(tokens),
        encode=lambda data: [tokens.index(bytes([byte])) for byte in data],
    )
    desk = Desk({"some": tok})
    allowed = ff.compile_json_schema(SCHEMA, tok).matcher().allowed_token_ids().tolist()
    assert len(allowed) == len(chosen) > 500
    found: set[int] = set()

    def gather(prefix: str, inside: dict[int, bytes]) -> None:
        node = _answer(desk, "trie", at=0, prefix=prefix)
        found.update(node["here"])
        for branch in node["branches"]:
            start = bytes.fromhex(branch["bytes"])
            below = {one: text for one, text in inside.items() if text.startswith(start)}
            assert branch["count"] == len(below)
            if branch["count"] == 1 and branch["token"] is not None:
                found.add(branch["token"])
            else:
                gather(branch["bytes"], below)

    gather("", {one: tok.token_bytes(one) for one in allowed})
    assert found == set(allowed)


def test_a_search_finds_all(desk: Desk, tok: ff.Tokenizer) -> None:
    found = _answer(desk, "trie", search="ell")
    matcher = ff.compile_json_schema(SCHEMA, tok).matcher()
    matcher.accept_tokens(tok.encode(FIELDS["text"]))
    wanted = [one for one in matcher.allowed_token_ids().tolist() if b"ell" in tok.token_bytes(one)]
    assert found["count"] == len(wanted) > 0
    assert {one for one, _ in found["found"]} <= set(wanted)
    refused = _answer(desk, "trie", search="ell", at=0, refused=True)
    may_begin = set(ff.compile_json_schema(SCHEMA, tok).matcher().allowed_token_ids().tolist())
    others = [one for one in range(tok.vocab_size) if one not in may_begin and b"ell" in tok.token_bytes(one)]
    assert refused["count"] == len(others)


def test_why_not_a_token(desk: Desk, tok: ff.Tokenizer) -> None:
    (token,) = tok.encode("nn")
    found = _answer(desk, "why", at=1, token=token)
    assert (found["fits"], found["dies"], found["rest"]) == ("n", "n", "")
    assert found["refusal"]["reason"] == "lexeme" and found["reading"][0]["rules"]
    (token,) = tok.encode("n")
    assert _answer(desk, "why", at=1, token=token)["refusal"] is None
    letters = [tok.encode(one)[0] for one in "he"]
    canonical = _answer(
        desk, "why", tokens=[*tok.encode('{"n": 12, "s": "'), letters[0]], token=letters[1], canonical=True
    )
    assert canonical["refusal"]["reason"] == "canonical"


# ---- grammars, and errors in them


@pytest.mark.timing
def test_every_example_is_accepted(desk: Desk) -> None:
    start = _answer(desk, "start")
    assert len(start["examples"]) > 25
    for name in start["examples"]:
        found = _answer(desk, "example", name=name)
        walked = _answer(desk, "text", **found, special=found["kind"] == "structural-tag")
        assert walked["accepted"] == walked["size"], name
    assert _error(desk, "example", name="../../pyproject")["kind"] == "BadRequest"


PLACES = [
    ("json-schema", '{"properties": {"a": {}, "n":\n{"type": 12}}}', 30),
    ("json-schema", '{"a": 1,\n oops}', 9),
    ("json-schema", '[{"type": 3}]', 0),
    ("lark", 'start: "a"\nother: "b" missing\n', 22),
    ("gbnf", 'root ::= "a"\nb ::= nothing', 19),
    ("regex", "ab(c", 2),
]


@pytest.mark.parametrize(("kind", "source", "begin"), PLACES)
def test_errors_have_places(desk: Desk, kind: str, source: str, begin: int) -> None:
    found = _error(desk, "text", kind=kind, source=source)
    assert found["kind"] == "GrammarError"
    assert 0 <= found["from"] <= found["to"] <= len(source)
    assert abs(found["from"] - begin) <= 10, found


@pytest.mark.parametrize("pointer", ["", "/a", "/a/1/b~1c", "/a/7", "/zz/x", "/a/1/b~1c/deep"])
def test_pointers_lead_to_values(pointer: str) -> None:
    source = '{"x" : [1, {"a": 2}], "a": [true , {"q": "]}", "b/c": {"d": 1}}]}'
    begin, end = error_place(ff.GrammarError("", pointer=pointer), source)
    value: Any = json.loads(source)
    for step in [one.replace("~1", "/") for one in pointer.split("/")[1:]]:
        key: Any = int(step) if isinstance(value, list) and step.isdecimal() else step
        if (isinstance(value, dict) and key not in value) or (isinstance(value, list) and key >= len(value)):
            break
        value = value[key]
    assert json.loads(source[begin:end]) == value


@pytest.mark.parametrize("one", list(sources())[::4], ids=lambda one: one.name)
def test_hostile_sources_end_in_answers(desk: Desk, one: Hostile) -> None:
    try:
        source = one.source if isinstance(one.source, str) else json.dumps(one.source)
    except RecursionError:
        pytest.skip("too deep for the json of Python")
    kind = "json-schema" if one.form == "json" else one.form
    found = desk.answer("text", {"kind": kind, "source": source, "text": one.text.decode("utf-8", "replace")})
    assert found["error"]["message"] if "error" in found else found["size"] >= 0


WRONG: list[tuple[str, Any]] = [
    ("text", None),
    ("text", []),
    ("text", {}),
    ("text", {**FIELDS, "kind": "tools"}),
    ("text", {**FIELDS, "text": 5}),
    ("text", {**FIELDS, "text": "x" * (MAX_TEXT + 1)}),
    ("text", {**FIELDS, "tokens": [-1]}),
    ("text", {**FIELDS, "tokens": [1 << 40]}),
    ("text", {**FIELDS, "tokens": [True]}),
    ("text", {**FIELDS, "tokens": "12"}),
    ("text", {**FIELDS, "version": "1"}),
    ("text", {**FIELDS, "tokenizer": "/etc/passwd"}),
    ("text", {**FIELDS, "compact": 1}),
    ("gap", {**FIELDS, "at": -1}),
    ("gap", {**FIELDS, "inside": 1.5}),
    ("trie", {**FIELDS, "prefix": "zz"}),
    ("trie", {**FIELDS, "search": "x" * 101}),
    ("why", {**FIELDS, "token": 10**9}),
    ("why", FIELDS),
    ("next", FIELDS),
    ("select", {"options": ["a"]}),
    ("unknown", FIELDS),
]


@pytest.mark.parametrize(("name", "values"), WRONG, ids=range(len(WRONG)))
def test_wrong_requests_are_refused(desk: Desk, name: str, values: Any) -> None:
    assert desk.answer(name, values)["error"]["kind"] == "BadRequest"


def test_few_grammars_are_kept(tok: ff.Tokenizer) -> None:
    desk = Desk({"t": tok})
    for number in range(MAX_SHEETS + 3):
        _answer(desk, "text", kind="regex", source=f"a{{{number}}}", text="")
    assert len(desk._sheets) == MAX_SHEETS


def test_half_of_a_surrogate_pair_is_a_text(desk: Desk) -> None:
    assert _answer(desk, "text", text='{"n": 12, "s": "\ud800')["accepted"] > 0


# ---- a language model


@pytest.fixture(scope="module")
def with_model(tok: ff.Tokenizer) -> Desk:
    def log_probs(sequences: list[list[int]]) -> Any:
        rows = np.stack([np.random.default_rng(one[-3:]).normal(size=tok.vocab_size) for one in sequences])
        return rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))

    return Desk({"other": tok}, lm.Model.of(log_probs, tok))


def test_next_tokens_of_a_model(with_model: Desk) -> None:
    found = _answer(with_model, "next", at=1, prompt="Hello")
    assert 0 < found["mass"] < 1 and found["count"] == 1
    assert [one["text"] for one in found["allowed"]] == ["n"]
    assert found["refused"][0]["probability"] >= found["refused"][-1]["probability"]


def test_a_model_writes_forks(with_model: Desk, tok: ff.Tokenizer) -> None:
    asked = {"text": "", "steps": 12, "forks": 3, "temperature": 1.0, "seed": 4}
    found = _answer(with_model, "write", **asked)
    assert found == _answer(with_model, "write", **asked)
    assert len(found["forks"]) == 3 and found["forks"][0] != found["forks"][1]
    for fork in found["forks"]:
        matcher = ff.compile_json_schema(SCHEMA, tok).matcher()
        tokens = [one["token"] for one in fork["tokens"]]
        assert matcher.accept_tokens(tokens) == len(tokens)
        chosen = [one["probability"] for one in fork["tokens"] if one["kind"] == "chosen"]
        assert fork["log_prob"] == pytest.approx(float(np.log(chosen).sum()))


def test_a_selection_has_exact_probabilities(with_model: Desk) -> None:
    found = _answer(with_model, "select", options=[" yes", " no", " not"], prompt="Is it?")
    assert sum(one["probability"] for one in found["rows"]) == pytest.approx(1)
    assert found["best"] in {one["option"] for one in found["rows"]}
    assert _error(with_model, "select", options=["a", "a"])["kind"] == "GrammarError"


def test_the_files_of_the_page_are_in_the_package() -> None:
    from ffgrammar import play

    assets = Path(play.__file__).parent / "assets"
    assert {path.suffix for path in assets.iterdir()} >= {".js", ".css", ".html", ".svg", ".txt"}


def test_only_models_need_numpy() -> None:
    """A browser has none."""
    program = """
import json, sys
sys.modules["numpy"] = None
from ffgrammar.play.alone import answer
values = {"kind": "regex", "source": "[0-9]{3}-x", "text": "123"}
for name in ("start", "grammar", "text", "gap", "trie", "railroads"):
    found = json.loads(answer(name, json.dumps(values)))
    assert "error" not in found, found
assert json.loads(answer("why", json.dumps({**values, "token": 1})))["refusal"]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
