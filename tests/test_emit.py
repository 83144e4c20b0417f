"""Grammars in other notations: what is written means the same language, or is refused by name."""

from __future__ import annotations

import json
import re
import time
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_grammars import COMPILERS, SOURCES, end_of, samples

import ffgrammar as ff
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.show.kinds import KINDS
from ffgrammar.grammar.show.patterns.characters import Characters
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower.lowering import lower
from oracle.grammars import ALPHABET, TOKENS, Description, build, descriptions
from oracle.schemas import RECORDS, schemas, spelled, values
from sentences import is_sentence

TOY = ff.Tokenizer.from_tokens([*TOKENS, b"</s>"], eos_token_id=len(TOKENS), special_tokens={"</s>": len(TOKENS)})
HOSTILE = [
    '"',
    "'",
    "</svg>",
    "]]>",
    "\\",
    "\n",
    "\r\n",
    "\x00",
    "\x1b[31m",
    "\x7f",
    "/",
    "//",
    "/*",
    "%ignore",
    "-^][",
]
HOSTILE += ["é", "\u2028", "\ufeff", "😀", "a" * 300, "<script>alert(1)</script>", "&amp;", "{}", "${x}", "::="]


def masks_differ(one: ff.Grammar, other: ff.Grammar, random: Random, steps: int) -> bytes | None:
    """Walk along random tokens. Returns the text where the masks differ, or None."""
    first, second = one.matcher(), other.matcher()
    for _ in range(steps):
        try:
            allowed = first.allowed_token_ids()
        except ff.LimitError:
            return None
        if not np.array_equal(allowed, second.allowed_token_ids()):
            return first.text_bytes
        ordinary = allowed[~np.isin(allowed, one.tokenizer.eos_token_ids)]
        if not len(ordinary):
            return None
        token = int(random.choice(ordinary))
        assert first.accept_token(token) and second.accept_token(token)
    return None


def assert_same_verdict(one: ff.Grammar, other: ff.Grammar, text: bytes) -> None:
    """Two grammars say the same of a text, unless that is hard to say."""
    try:
        expected = is_sentence(one, text)
    except ff.LimitError:
        return
    assert is_sentence(other, text) == expected, text


# ---- from expressions to characters

CHARACTERS = st.sampled_from("ab\n\x00\x7f\x80é€\ud7ff\ue000😀\U0010ffff")


def _sets() -> st.SearchStrategy[tuple[Any, ...]]:
    from ffgrammar.regex.syntax.charset import from_ranges, negate, of_chars

    some = st.lists(CHARACTERS, min_size=1, max_size=4).map(of_chars)
    ranges = st.tuples(CHARACTERS, CHARACTERS).map(lambda pair: from_ranges([tuple(sorted(map(ord, pair)))]))
    return st.one_of(some, some.map(negate), ranges).map(lambda chars: ("set", chars))


def _trees(inner: st.SearchStrategy[tuple[Any, ...]]) -> st.SearchStrategy[tuple[Any, ...]]:
    several = st.lists(inner, min_size=2, max_size=3)
    bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, 3), (2, None)])
    return st.one_of(
        several.map(lambda nodes: ("cat", nodes)),
        several.map(lambda nodes: ("alt", nodes)),
        st.tuples(inner, bounds).map(lambda pair: ("rep", pair[0], *pair[1])),
        several.map(lambda nodes: ("and", *nodes)),
        inner.map(lambda node: ("and", node, ("not", ("text", "a")))),
    )


TREES = st.recursive(
    st.one_of(st.text(CHARACTERS, max_size=3).map(lambda text: ("text", text)), _sets()), _trees, max_leaves=6
)


def same_language(store: ExprStore, one: int, other: int) -> bool:
    left = store.intersect([one, store.complement(other)])
    return store.is_nothing(left) and store.is_nothing(store.intersect([other, store.complement(one)]))


@given(TREES)
def test_expressions_are_read_back_as_characters(tree: tuple[Any, ...]) -> None:
    store = ExprStore()
    expr = lower(tree, store)
    assert same_language(store, lower(Characters(store).tree(expr), store), expr)


@given(st.lists(st.lists(st.binary(min_size=1, max_size=2), min_size=1, max_size=3), min_size=1, max_size=3))
def test_bytes_that_are_no_text_are_refused(parts: list[list[bytes]]) -> None:
    """Whatever is translated is exact, also where sets of bytes cut characters."""
    store = ExprStore()
    expr = store.union([store.concat([store.byte_set(members) for members in one]) for one in parts])
    is_text = all(_is_text(b"".join(choice)) for one in parts for choice in _choices(one))
    try:
        found = Characters(store).tree(expr)
    except ff.UnsupportedError:
        assert not is_text
    else:
        assert is_text and same_language(store, lower(found, store), expr)


def _choices(sets: list[bytes]) -> list[list[bytes]]:
    found: list[list[bytes]] = [[]]
    for members in sets:
        found = [[*before, bytes([byte])] for before in found for byte in members]
    return found


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def built(description: Description) -> ff.Grammar | None:
    """The grammar of a description; None if it has no sentence, or if that is hard to say."""
    limits = ff.Limits(emptiness_steps=1000)
    store = ExprStore(limits)
    try:
        return ff.Grammar(build(description, store, GrammarBuilder(store, limits)), TOY, limits)
    except (ff.GrammarError, ff.LimitError):
        return None


# ---- Lark


@pytest.mark.parametrize("name", SOURCES)
def test_real_grammars_come_back_from_lark(name: str, cl100k: ff.Tokenizer) -> None:
    path = SOURCES[name]
    grammar = COMPILERS[end_of(path)](path.read_text(encoding="utf-8"), cl100k)
    try:
        text = grammar.emit("lark")
    except ff.UnsupportedError as error:
        # (GBNF has no lexer, a structural tag is made of parts, and Python has indentation)
        reasons = "%indenter" if name == "python" else "any of its matches|of parts|not UTF-8"
        assert (path.suffix != ".lark" or name == "python") and re.search(reasons, error.message)
        return
    again = ff.compile_lark(text, cl100k)
    for sample in samples(name):
        if "text" in sample:
            assert is_sentence(again, sample["text"]) == sample["valid"], sample["text"]
    for seed in range(3):
        assert masks_differ(grammar, again, Random(seed), 15) is None


@given(descriptions(), st.integers(0, 1000))
def test_random_grammars_come_back_from_lark(description: Description, seed: int) -> None:
    grammar = built(description)
    if grammar is None:
        return
    try:
        text = grammar.emit("lark")
    except ff.UnsupportedError as error:
        # (`x[^x]` also has bytes that are no text)
        assert re.search("not UTF-8|only one skip", error.message), error
        return
    again = ff.compile_lark(text, TOY)
    assert masks_differ(grammar, again, Random(seed), 12) is None, text
    random = Random(seed)
    for _ in range(20):
        assert_same_verdict(grammar, again, bytes(random.choices(ALPHABET, k=random.randrange(9))))


@settings(max_examples=25)
@given(
    schemas,
    values,
    st.integers(0, 1000),
    st.sampled_from(["schema", "any"]),
    st.sampled_from(["flexible", "compact", 2]),
)
def test_random_schemas_come_back(schema: Any, value: Any, seed: int, order: Any, whitespace: Any) -> None:
    try:
        grammar = ff.compile_json_schema(schema, TOY, property_order=order, whitespace=whitespace)
        texts = {kind: grammar.emit(kind) for kind in ("lark", "gbnf")}
    except (ff.GrammarError, ff.LimitError):
        return
    for kind, text in texts.items():
        again = ff.compile_lark(text, TOY) if kind == "lark" else ff.compile_gbnf(text, TOY)
        for spelling in (spelled(value), spelled(value, compact=True)):
            assert is_sentence(grammar, spelling) == is_sentence(again, spelling), (kind, schema, spelling)
        assert masks_differ(grammar, again, Random(seed), 8) is None, (kind, schema)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_come_back(text: str, cl100k: ff.Tokenizer) -> None:
    schema = {
        "type": "object",
        "properties": {text: {"enum": [text, 1]}},
        "required": [text],
        "additionalProperties": False,
    }
    for grammar in (ff.compile_choice([text, text + "b", "a"], cl100k), ff.compile_json_schema(schema, cl100k)):
        for kind in KINDS:
            emitted = grammar.emit(kind)
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", emitted), kind
        for again in (
            ff.compile_lark(grammar.emit("lark"), cl100k),
            ff.compile_gbnf(grammar.emit("gbnf"), cl100k),
        ):
            assert masks_differ(grammar, again, Random(1), 12) is None
        ET.fromstring(grammar.emit("svg"))


def test_names_are_made_to_fit(cl100k: ff.Tokenizer) -> None:
    """Names of keys are used as far as a notation has them; equal ones get numbers."""
    properties = {
        name: {"type": "integer", "maximum": i} for i, name in enumerate(["Größe", "a b", "a_b", "A B", "", "start"])
    }
    grammar = ff.compile_json_schema({"type": "object", "properties": properties}, cl100k)
    assert masks_differ(grammar, ff.compile_lark(grammar.emit("lark"), cl100k), Random(1), 20) is None


def test_lists_and_optional_parts_are_folded(cl100k: ff.Tokenizer) -> None:
    text = 'start: "[" [item ("," item)*] "]" sign~2..4\nitem: NAME+ | "(" start ")"\nsign: "!"\nNAME: /[a-z]+/\n'
    assert ff.compile_lark(text, cl100k).emit("lark") == (
        'start: "[" (item ("," item)*)? "]" sign~2..4\nitem: NAME+ | "(" start ")"\nsign: "!"\nNAME: /[a-z]+/\n'
    )


def test_special_tokens_come_back(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark("start: A <[100258,100260]> A | <[*]>\nA: /[a-z]+/", cl100k)
    again = ff.compile_lark(grammar.emit("lark"), cl100k)
    assert masks_differ(grammar, again, Random(3), 8) is None
    assert "<[100258]> | <[100260]>" in grammar.emit("gbnf")


def test_a_long_quotation_is_cut_into_parts(cl100k: ff.Tokenizer) -> None:
    words = " ".join(f"word{number}" for number in range(2000))
    grammar = ff.compile_lark(f'start: %regex {{"substring_words": "{words}"}}', cl100k)
    begin = time.perf_counter()
    texts = [grammar.emit(kind) for kind in KINDS]
    assert time.perf_counter() - begin < 30
    assert max(map(len, texts)) < 2_000_000
    assert masks_differ(grammar, ff.compile_lark(grammar.emit("lark"), cl100k), Random(1), 5) is None


def test_large_sets_get_names(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema({"type": "string", "format": "idn-hostname"}, cl100k)
    assert re.search(r"^PART: /\[", grammar.emit("lark"), re.MULTILINE)
    assert "too many states" in refusal(grammar, "gbnf")


# ---- GBNF


# (python: with indentation a lexeme is as long as it can be)
@pytest.mark.parametrize("name", [name for name in SOURCES if name != "python"])
def test_real_grammars_come_back_from_gbnf(name: str, cl100k: ff.Tokenizer) -> None:
    path = SOURCES[name]
    options: dict[str, Any] = {"lexing": "any"} if path.suffix == ".lark" else {}
    grammar = COMPILERS[end_of(path)](path.read_text(encoding="utf-8"), cl100k, **options)
    try:
        text = grammar.emit("gbnf")
    except ff.UnsupportedError as error:
        assert path.suffix != ".lark" and re.search("no lexer|not UTF-8", error.message)
        return
    again = ff.compile_gbnf(text, cl100k)
    for sample in samples(name)[:8]:
        if "text" in sample:
            assert is_sentence(again, sample["text"]) == sample["valid"], sample["text"]
    assert masks_differ(grammar, again, Random(1), 5) is None


@given(descriptions(), st.integers(0, 1000))
def test_random_grammars_come_back_from_gbnf(description: Description, seed: int) -> None:
    grammar = built(description)
    if grammar is None:
        return
    try:
        text = grammar.emit("gbnf")
    except ff.UnsupportedError as error:
        assert re.search("not UTF-8|only one skip|no lexer", error.message), error
        return
    again = ff.compile_gbnf(text, TOY)
    random = Random(seed)
    for _ in range(30):
        assert_same_verdict(grammar, again, bytes(random.choices(ALPHABET, k=random.randrange(9))))


# (python: with indentation a lexeme is as long as it can be)
@pytest.mark.parametrize("name", [name for name in SOURCES if name != "python"])
def test_other_readers_of_gbnf_agree(name: str, cl100k: ff.Tokenizer) -> None:
    xgrammar = pytest.importorskip("xgrammar", reason="the package xgrammar is not installed")
    path = SOURCES[name]
    source = path.read_text(encoding="utf-8")
    options: dict[str, Any] = {"lexing": "any"} if path.suffix == ".lark" else {}
    grammar = COMPILERS[end_of(path)](source, cl100k, **options)
    vocabulary = xgrammar.TokenizerInfo([chr(byte) for byte in range(128)] + ["</s>"], stop_token_ids=[128])
    try:
        emitted = grammar.emit("gbnf")
    except ff.UnsupportedError as error:
        assert path.suffix != ".lark" and re.search("no lexer|not UTF-8", error.message)
        return
    compiled = xgrammar.GrammarCompiler(vocabulary).compile_grammar(emitted)
    for sample in samples(name):
        text = sample.get("text")
        if text and len(text) < 300:
            matcher = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
            assert (matcher.accept_string(text) and matcher.is_completed()) == is_sentence(grammar, text), text


# ---- what cannot be said


def refusal(grammar: ff.Grammar, kind: Any) -> str:
    with pytest.raises(ff.UnsupportedError) as caught:
        grammar.emit(kind)
    return str(caught.value)


def test_what_a_notation_cannot_say_is_refused_by_name(cl100k: ff.Tokenizer) -> None:
    unique = ff.compile_json_schema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, cl100k)
    multiple = ff.compile_json_schema({"type": "integer", "multipleOf": 7}, cl100k)
    lexer = ff.compile_lark('start: "if" NAME | NAME "=" NAME\nNAME: /[a-z]+/', cl100k)
    anywhere = ff.compile_lark('start: A "x"\nA: /x+/', cl100k, lexing="any")
    parts = ff.compose(ff.sequence(lexer, lexer), cl100k)
    many = ff.compile_json_schema(
        {"type": "object", "properties": {f"k{i}": {} for i in range(16)}}, cl100k, property_order="any"
    )
    assert "items that must all differ" in refusal(unique, "lark")
    assert "items that must all differ" in refusal(unique, "gbnf")
    assert "number: it asks for multiples" in refusal(multiple, "lark")
    assert '"if" ends, longest match may go on with NAME' in refusal(lexer, "gbnf")
    assert "lexeme A: it may end at any" in refusal(anywhere, "lark")
    assert "made of parts" in refusal(parts, "lark") and "no lexer" in refusal(parts, "gbnf")
    assert "more than 5000 rules" in refusal(many, "lark")
    for grammar in (unique, multiple, lexer, anywhere, parts, many):
        for kind in ("ir", "dot", "svg"):
            assert grammar.emit(kind)
    assert is_sentence(ff.compile_gbnf(multiple.emit("gbnf"), cl100k), "-49")
    with pytest.raises(ValueError, match="ir, lark, gbnf, dot or svg"):
        lexer.emit("ebnf")


# ---- listings and pictures


def test_every_grammar_has_a_listing_and_pictures(cl100k: ff.Tokenizer) -> None:
    sources: list[Any] = [*RECORDS.values(), {"type": "integer", "multipleOf": 7}, True]
    sources.append({"type": "array", "items": {"type": "string"}, "uniqueItems": True})
    for schema in sources:
        grammar = ff.compile_json_schema(schema, cl100k, property_order="any")
        svg = ET.fromstring(grammar.emit("svg"))
        assert svg.find("{http://www.w3.org/2000/svg}title") is not None
        assert svg.find("{http://www.w3.org/2000/svg}desc") is not None
        assert "url(" not in grammar.emit("svg") and "prefers-color-scheme" in grammar.emit("svg")
        assert grammar.emit("dot").startswith("digraph grammar {")
        assert grammar.emit("ir").startswith("# json-schema: ")


def test_bytes_that_are_no_text_are_listed(cl100k: ff.Tokenizer) -> None:
    store = ExprStore()
    builder = GrammarBuilder(store)
    start = builder.terminal(store.byte_set(bytes([0xFF, 0xC3])), "odd")
    grammar = ff.Grammar(builder.finish(start), cl100k, ff.Limits())
    assert "odd = <bytes: " in grammar.emit("ir")
    assert "not UTF-8" in refusal(grammar, "lark") and "not UTF-8" in refusal(grammar, "gbnf")
    assert "odd" in grammar.emit("svg") and "odd" in grammar.emit("dot")


def test_large_grammars_are_bounded(cl100k: ff.Tokenizer) -> None:
    rules = "\n".join(
        f'r{i}: "a{i}" r{(7 * i + 1) % 1500} | "b" r{(i + 1) % 1500} | "c" (r{i} ",")* "d"' for i in range(1500)
    )
    grammar = ff.compile_lark(f"start: r0\n{rules}", cl100k)
    begin = time.perf_counter()
    sizes = {kind: len(grammar.emit(kind)) for kind in KINDS if kind != "gbnf"}
    assert time.perf_counter() - begin < 30
    assert sizes["svg"] < 1_000_000 and sizes["dot"] < 500_000
    assert "more rules are not drawn" in grammar.emit("svg") and "more rules are not drawn" in grammar.emit("dot")
    wide = ff.compile_lark("start: " + " | ".join(f'"a{i}" x' for i in range(500)) + '\nx: "x"', cl100k)
    assert "460 more" in wide.emit("svg")


def test_emitting_changes_nothing(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    grammar = ff.compile_lark('start: A ("," A)*\nA: /[a-z]+/ & ~"if"', cl100k)
    matcher = grammar.matcher()
    matcher.accept_bytes(b"if")
    before = matcher.allowed_token_ids().tolist(), grammar.stats()["expressions"]
    texts = [grammar.emit(kind) for kind in KINDS]
    assert (matcher.allowed_token_ids().tolist(), grammar.stats()["expressions"]) == before
    grammar.save(tmp_path / "g.ffg")
    assert [ff.load(tmp_path / "g.ffg", cl100k).emit(kind) for kind in KINDS] == texts


def test_the_picture_in_the_guide_is_current(cl100k: ff.Tokenizer) -> None:
    picture = ff.compile_lark(SOURCES["json"].read_text(encoding="utf-8"), cl100k).emit("svg")
    assert (SOURCES["json"].parent.parent / "docs" / "json.svg").read_text(encoding="utf-8") == picture


@pytest.mark.parametrize("kind", ["lark", "gbnf"])
@pytest.mark.parametrize(
    ("source", "what"),
    [
        ('start: X "or" X\nX: /[a-z]/\n%ignore " "\n%words /[a-z]+/', "%words"),
        (
            'start: call _NEWLINE | "if" call _NEWLINE _INDENT start+ _DEDENT\ncall: "f" "(" ")"\n'
            '_NEWLINE: /\\n */\n%indenter {"newline": "_NEWLINE", "indent": "_INDENT", "dedent": "_DEDENT", '
            '"brackets": ["()"]}\n%ignore " "',
            "%indenter",
        ),
    ],
)
def test_words_and_indentation_are_refused(source: str, what: str, kind: Any, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark(source, cl100k)
    with pytest.raises(ff.UnsupportedError, match=what):
        grammar.emit(kind)
    assert grammar.emit("ir") and grammar.emit("dot")


@pytest.mark.parametrize("kind", ["lark", "gbnf"])
@pytest.mark.parametrize(
    "source",
    [
        'start: "[" (x | x y | x y z) "]"\nx: "x" x?\ny: "y" x?\nz: "z" y?',
        'start: "[" (x y z | x y | x z | x | y z | y) "]"\nx: "x" x?\ny: "y" x?\nz: "z" y?',
        'start: "[" (| x | x x | x x x x) "]"\nx: "x" y?\ny: "y" x?',
        *(
            json.dumps({"type": "array", "items": {"type": "boolean"}, "minItems": n % 3, "maxItems": n})
            for n in range(7)
        ),
    ],
)
def test_beginnings_of_alternatives_stay(source: str, kind: Any, cl100k: ff.Tokenizer) -> None:
    if source.startswith("{"):
        grammar = ff.compile_json_schema(source, cl100k, whitespace="compact")
        texts = [json.dumps([True] * n, separators=(",", ":")) for n in range(9)]
    else:
        grammar = ff.compile_lark(source, cl100k, lexing="longest" if kind == "lark" else "any")
        texts = ["[" + "".join(text) + "]" for n in range(5) for text in product("xyz", repeat=n)]
    emitted = grammar.emit(kind)
    again = ff.compile_lark(emitted, cl100k) if kind == "lark" else ff.compile_gbnf(emitted, cl100k)
    for text in texts:
        assert is_sentence(again, text) == is_sentence(grammar, text), (text, emitted)
