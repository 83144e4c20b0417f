"""Random structural tags beside their definition: masks at every place, on small vocabularies with special tokens."""

from __future__ import annotations

import json
import random
import warnings
from collections import Counter
from typing import Any

import pytest
from test_structural_tags import DATA

import ffgrammar as ff
from oracle.compositions import SPECIAL, Symbols
from oracle.structural_tags import RandomTags, Recogniser
from sentences import writing_all


def vocabulary(rng: random.Random) -> ff.Tokenizer:
    alphabet = b"ab1<>/,"
    tokens = [bytes([byte]) for byte in alphabet + b'" \xc3\xa9']
    tokens += [bytes(rng.choice(alphabet) for _ in range(rng.randint(2, 5))) for _ in range(30)]
    tokens = list(dict.fromkeys([*tokens, "é".encode(), "<é".encode(), b"\xa9<a"]))
    count = len(tokens)
    names = ("<|end|>", "<|x|>", "<|y|>", "<|z|>")
    special = {name: count + i for i, name in enumerate(names)}
    return writing_all(ff.Tokenizer.from_tokens(tokens + [b""] * 4, eos_token_id=count, special_tokens=special))


def compile_random(rng: random.Random, tok: ff.Tokenizer) -> tuple[ff.Grammar, Recogniser]:
    """A random structural tag that is not refused."""
    while True:
        tag = {"type": "structural_tag", "format": RandomTags(rng).format(3)}
        try:
            return ff.compile_structural_tag(tag, tok), Recogniser(tag, tok)
        except ff.GrammarError as error:
            # a random trigger may be unreachable
            assert "never reached" in str(error), (tag, error)


def compare(seed: int, steps: int) -> None:
    """Walk along a text of a random structural tag, and compare each mask."""
    rng = random.Random(seed)
    tok = vocabulary(rng)
    grammar, oracle = compile_random(rng, tok)
    special = set(tok.special_tokens.values())
    text: Symbols = ()
    matcher = grammar.matcher()
    for _ in range(steps):
        allowed = set(matcher.allowed_token_ids().tolist())
        expected = set()
        for token in range(tok.vocab_size):
            if token in tok.eos_token_ids:
                if oracle.accepts(text):
                    expected.add(token)
                continue
            more = (token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))
            if oracle.begins(text + more):
                expected.add(token)
        assert allowed == expected, (oracle.root, text, [tok.token_bytes(one) for one in allowed ^ expected])
        assert matcher.is_accepting() == oracle.accepts(text)
        choices = sorted(allowed - set(tok.eos_token_ids))
        if not choices:
            return
        token = rng.choice(choices)
        assert matcher.accept_token(token)
        text += (token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))


@pytest.mark.parametrize("seed", range(80))
def test_masks_are_those_of_the_definition(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(seed, 6)


JUNK = [None, True, 0, -1, 2**70, 1.5, "", "a", "<|x|>", "\ud800", [], ["a"], [[]], {}, {"type": "tag"}, {"$ref": "#"}]


def damaged(value: Any, rng: random.Random) -> Any:
    """A JSON value in which something is replaced, left out, or added."""
    if rng.random() < 0.05:
        return rng.choice(JUNK)
    if isinstance(value, list):
        found = [damaged(one, rng) for one in value]
        return found[1:] if rng.random() < 0.05 else found
    if isinstance(value, dict):
        found = {key: damaged(one, rng) for key, one in value.items() if rng.random() > 0.03}
        return {**found, "extra": 1} if rng.random() < 0.02 else found
    return value


def test_damaged_tags_are_refused_or_compiled() -> None:
    rng = random.Random(3)
    tok = vocabulary(rng)
    sources = [*(one["format"] for one in DATA["cases"]), *(RandomTags(rng).format(3) for _ in range(100))]
    counts: Counter[str] = Counter()
    for source in sources * 4:
        tag = damaged({"type": "structural_tag", "format": source}, rng)
        try:
            compiled = ff.compile_structural_tag(tag, tok)
            counts["compiled"] += 1
            assert compiled.kind == "structural-tag"
        except (ff.FFGrammarError, TypeError) as error:
            # (a tag that is no object is a wrong argument)
            assert isinstance(error, ff.FFGrammarError) or not isinstance(tag, dict)
            counts[type(error).__name__] += 1
    assert min(counts["compiled"], counts["GrammarError"]) > 100, counts


# ---- XML parameters

VALUES = ["", "a", "aa", "ab", " a ", "3", " 3\n", "null", "true", "x", " x", "a b", "[1, 2]", "[]", '{"k":null}', "{}"]
VALUES += ['"a"', "</param", "b<", "4", "abc", "é", "[1", "\n", " \t"]
SCHEMAS: list[Any] = [
    {},
    True,
    {"type": "string", "description": "any"},
    {"type": "integer"},
    {"enum": ["a b", "x", 3, None]},
    {"const": "é"},
    {"type": "string", "pattern": "^a+$|b"},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": ["string", "null"], "maxLength": 1},
    {"type": ["string", "boolean"]},
    {"anyOf": [{"type": "boolean"}, {"const": "x"}]},
    {"anyOf": [{"type": "array"}, {"$ref": "#/$defs/d"}]},
    {"type": "array", "items": {"$ref": "#/$defs/d"}},
    {"type": "object", "properties": {"k": {"type": "null"}}, "additionalProperties": False},
    {"$ref": "#/$defs/d"},
]


def obeys(raw: str, schema: Any, flag: str | None) -> bool:
    """Whether what stands in an element is a value: a string as it is, or JSON that is no string."""
    from jsonschema import Draft202012Validator

    blanks = " \n\r\t"
    start, end = len(raw) - len(raw.lstrip(blanks)), len(raw.rstrip(blanks))
    cuts = {raw[i:j] for i in range(start + 1) for j in range(end, len(raw) + 1) if i <= j} | {raw.strip(blanks)}
    validator = Draft202012Validator({"$defs": {"d": {"type": "integer"}}, "allOf": [schema]})
    if flag != "false" and any(validator.is_valid(one) for one in cuts):
        return True
    try:
        value = json.loads(raw)
    except ValueError:
        return False
    return flag != "true" and not isinstance(value, str) and validator.is_valid(value)


@pytest.mark.parametrize(
    ("style", "element"),
    [
        ("qwen_xml", "<parameter={}>{}</parameter>"),
        ("deepseek_xml", '<｜DSML｜parameter name="{}" string="{flag}">{}</｜DSML｜parameter>'),
        ("glm_xml", "<arg_key>{}</arg_key>\n<arg_value>{}</arg_value>"),
    ],
)
def test_xml_parameters(style: str, element: str, cl100k: ff.Tokenizer) -> None:
    pytest.importorskip("jsonschema")
    rng = random.Random(style)
    verdicts: Counter[bool] = Counter()
    for _ in range(60):
        properties = {name: rng.choice(SCHEMAS) for name in "pqr"[: rng.randint(1, 3)]}
        required = [name for name in properties if rng.random() < 0.4]
        schema = {"type": "object", "properties": properties, "required": required, "$defs": {"d": {"type": "integer"}}}
        form = {"type": "json_schema", "json_schema": schema, "style": style}
        grammar = ff.compile_structural_tag({"format": form}, cl100k)
        for _ in range(30):
            names = [name for name in properties if rng.random() < 0.8]
            if rng.random() < 0.1:
                rng.shuffle(names)
            given = [(name, rng.choice(VALUES), rng.choice(["true", "false"])) for name in names]
            text = " ".join(element.format(name, value, flag=flag) for name, value, flag in given)
            expected = (
                names == [name for name in properties if name in names]
                and set(required) <= set(names)
                and all(
                    obeys(value, properties[name], flag if "flag" in element else None) for name, value, flag in given
                )
            )
            matcher = grammar.matcher()
            data = text.encode()
            found = matcher.accept_bytes(data) == len(data) and matcher.is_accepting()
            assert found == expected, (schema, text, found)
            verdicts[found] += 1
    assert min(verdicts.values()) > 100, verdicts
