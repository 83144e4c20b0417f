"""What a Lark text may have beside rules and terminals: files, names of grammars, captures, parameters without end."""

from __future__ import annotations

import os
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES, is_sentence

Files = dict[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    def write(files: Files) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def refused(text: str, kind: type[Exception] = ff.GrammarError, **options: Any) -> Any:
    with pytest.raises(kind) as caught:
        ff.compile_lark(text, BYTES, **options)
    return caught.value


# Imports of files

LISTS = """
start: item ("," item)*
item: WORD | "(" start ")" | _TWO
_TWO: WORD "-" WORD
WORD: /[a-z]+/
unused: look
%ignore " "
"""


def test_files_beside_the_text(folder: Any) -> None:
    base = folder(
        {"lists.lark": LISTS, "a/b.lark": 'start: N\nN: "1"\n%import .c.x\n%extend start: x', "a/c.lark": 'x: "2"'}
    )
    text = 'start: lists "." more+\n%import .lists.start -> lists\n%import .a.b.start -> more\n'
    for path in (base, str(base)):
        grammar = ff.compile_lark(text, BYTES, base=path)
        assert is_sentence(grammar, "x,(y,u-v).12") and not is_sentence(grammar, "x, y.1")
    (warning,) = grammar.warnings
    assert warning.startswith("lists.lark, line 7, column 1: %ignore of a file that is imported has no effect")


def test_files_in_other_folders(folder: Any) -> None:
    one, two = (
        folder({"one/n.lark": 'start: "1"'}) / "one",
        folder({"two/n.lark": 'start: "2"', "two/m.lark": 'M: "3"'}) / "two",
    )
    text = "start: n M\n%import n.start -> n\n%import m.M"
    assert is_sentence(ff.compile_lark(text, BYTES, import_paths=[one, two]), "13")
    assert is_sentence(ff.compile_lark(text, BYTES, import_paths=[two, one]), "23")


def test_a_file_may_take_the_place_of_a_library(folder: Any) -> None:
    base = folder({"common.lark": 'INT: "one"', "python.lark": 'NAME: "two"'})
    text = "start: INT NAME\n%import common.INT\n%import python (NAME)"
    assert is_sentence(ff.compile_lark(text, BYTES), "12ab")
    assert is_sentence(ff.compile_lark(text, BYTES, import_paths=[base]), "onetwo")
    assert not is_sentence(ff.compile_lark(text, BYTES, base=base), "onetwo")


def test_names_of_imported_definitions_are_as_in_lark(folder: Any) -> None:
    base = folder({"a/lists.lark": LISTS})
    grammar = ff.compile_lark("start: x\n%import .a.lists.start -> x", BYTES, base=base)
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b"u,v") == 3
    assert {one.name for one in matcher.captures()} == {"start", "x", "a__lists__item"}


def test_overrides_hold_in_the_file(folder: Any) -> None:
    base = folder({"lists.lark": LISTS})
    text = "%import .lists (start, WORD)\n%override WORD: /[0-9]/"
    grammar = ff.compile_lark(text, BYTES, base=base)
    assert is_sentence(grammar, "1,2-3") and not is_sentence(grammar, "a")


@pytest.mark.parametrize(
    ("files", "text", "place", "message"),
    [
        ({}, "%import .b.x", (None, 1, 10), "there is no file b.lark in "),
        ({"b.lark": "y: c"}, "start: x\n%import .b.x", (None, 2, 12), "b has no x; it has y"),
        ({"b.lark": "item: c"}, "start: itm\n%import .b.itm", (None, 2, 12), "b has no itm; did you mean item?"),
        ({"b.lark": "x: (\n"}, "%import .b.x", ("b.lark", 1, 4), "'(' is never closed"),
        ({"b.lark": "\n\nx: y"}, "start: x\n%import .b.x", ("b.lark", 3, 4), "b__y is not defined"),
        ({"b.lark": "%import .b.x\n"}, "%import .b.x", ("b.lark", 1, 10), "in a circle: b.lark imports b.lark"),
        (
            {"b.lark": "%import .c.x", "c.lark": "\n %import .b.x"},
            "%import .b.x",
            ("c.lark", 2, 11),
            "in a circle: b.lark imports c.lark imports b.lark",
        ),
        ({"b.lark": 'x: "y"'}, 'x: "z"\n%import .b.x', (None, 2, 12), "x is already defined at line 1, column 1"),
        ({"b.lark": 'x: "y"'}, "b__y: x\n%import .b.x\n%import .b.y", (None, 3, 12), "b has no y; it has x"),
    ],
)
def test_errors_of_imports(folder: Any, files: Files, text: str, place: tuple[Any, int, int], message: str) -> None:
    error = refused(text, base=folder(files))
    assert message in error.message
    assert (error.file, error.line, error.column) == place
    assert str(error).startswith("b.lark, line" if place[0] == "b.lark" else "c.lark, line" if place[0] else "line")
    line = (files[place[0]] if place[0] else text).split("\n")[place[1] - 1]
    assert error.excerpt == f"    {line}\n    {' ' * (place[2] - 1)}^"


def test_files_that_are_no_text(folder: Any) -> None:
    base = folder({})
    (base / "b.lark").write_bytes(b'x: "\xff"')
    assert "b.lark is not UTF-8 at byte 4" in refused("%import .b.x", base=base).message
    (base / "b.lark").write_bytes(b"x: " + b'"a" ' * 1000)
    error = refused("start: x\n%import .b.x", ff.LimitError, base=base, limits=ff.Limits(source_bytes=1000))
    assert error.limit == "source_bytes"
    os.mkfifo(base / "pipe.lark")
    assert "there is no file pipe.lark" in refused("%import .pipe.x", base=base).message


def test_no_file_outside_the_folders_is_read(folder: Any) -> None:
    root = folder({"secret.lark": 'x: "s"', "in/b.lark": 'x: "b"', "in/c.lark": "%import .d.x"})
    os.symlink(root / "secret.lark", root / "in/link.lark")
    os.symlink(root, root / "in/up")
    os.symlink(root / "in/b.lark", root / "in/d.lark")
    base = root / "in"
    for path in ("link", "up.secret"):
        assert "is a link that leads out of" in refused(f"%import .{path}.x", base=base).message
        assert "is a link that leads out of" in refused(f"%import {path}.x", import_paths=[base]).message
    assert "expected the name of a library" in refused("%import ..secret.x", base=base).message
    assert is_sentence(ff.compile_lark("start: x\n%import .c.x", BYTES, base=base), "b")


def test_the_number_of_definitions_is_limited(folder: Any) -> None:
    files = {f"f{n}.lark": f"x: y z\n%import .f{n + 1}.x -> y\n%import .g{n + 1}.x -> z" for n in range(20)}
    files |= {name.replace("f", "g"): text for name, text in files.items()}
    base = folder({**files, "f20.lark": 'x: "a"', "g20.lark": 'x: "b"'})
    error = refused("start: x\n%import .f0.x", ff.LimitError, base=base, limits=ff.Limits(rules=50_000))
    assert error.limit == "rules" and error.detail.endswith("brings too many definitions")


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="import_paths must be a list"):
        ff.compile_lark('start: "a"', BYTES, import_paths="here")
    with pytest.raises(TypeError, match="grammars"):
        ff.compile_lark('start: "a"', BYTES, grammars=["start"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the grammar 'a' must be a str, or a schema"):
        ff.compile_lark('start: "a"', BYTES, grammars={"a": 1})  # type: ignore[dict-item]
    circle: dict[str, Any] = {}
    circle["a"] = circle
    assert "the schema a is no JSON" in refused("start: @a", grammars={"a": circle}).message
    assert "the schema a is no JSON" in refused("start: @a", grammars={"a": {"const": object()}}).message
    deep = "start: " + "t{" * 10_000 + '"a"' + "}" * 10_000 + "\nt{x}: x"
    assert refused(deep, ff.LimitError, limits=ff.Limits(nesting=1 << 40)).limit == "nesting"


def test_grammars_that_read_files_are_read_anew(folder: Any) -> None:
    base = folder({"b.lark": 'x: "1"'})
    text = "start: x\n%import .b.x"
    assert is_sentence(ff.compile_lark(text, BYTES, base=base), "1")
    folder({"b.lark": 'x: "2"'})
    assert is_sentence(ff.compile_lark(text, BYTES, base=base), "2")
    assert ff.compile_lark('start: "a"', BYTES) is ff.compile_lark('start: "a"', BYTES)


# Grammars with names


def test_grammars_with_names() -> None:
    grammars: dict[str, Any] = {
        "words": 'start: W ("," W)*\nW: /[a-z]+/\n%ignore " "',
        "my-call": {"enum": ["f", "g"]},
        "any": True,
    }
    text = 'start: "(" @words ")" "=" @words "." | "!" @my-call | "?" @any'
    grammar = ff.compile_lark(text, BYTES, grammars=grammars)
    for sentence in ("(a,b)=c.", "( a , b )=c .", '!"f"', '?{"x": [1]}'):
        assert is_sentence(grammar, sentence), sentence
    for other in ("(a b)=c.", "(a)= .", "( a) =c.", '!"h"'):
        assert not is_sentence(grammar, other), other
    error = refused('start: @word "x"', grammars=grammars)
    assert error.message == "there is no grammar word; did you mean words?"
    error = refused("start: @words", grammars={"words": "start: x\n"})
    assert (error.file, error.line, error.column) == ("@words", 1, 8)


def test_named_grammars_are_part_of_the_key() -> None:
    found = [ff.compile_lark("start: @a", BYTES, grammars={"a": f'start: "{x}"'}) for x in ("1", "2", "1")]
    assert found[0] is found[2] and is_sentence(found[0], "1") and is_sentence(found[1], "2")


@pytest.mark.parametrize("lexing", ["longest", "any"])
def test_each_grammar_skips_its_own(lexing: str) -> None:
    text = 'start: "x" %lark { start: A A\nA: /a+/\n%ignore "-" } "y"\n%ignore " "'
    grammar = ff.compile_lark(text, BYTES, lexing=lexing)
    for sentence in ("xa-ay", " x -a--a- y "):
        assert is_sentence(grammar, sentence), sentence
    for other in ("x a a y", "-xa-ay", "xa-ay-"):
        assert not is_sentence(grammar, other), other
    assert is_sentence(grammar, "xaay") == (lexing == "any")


# Captures and temperatures


def read(text: str, data: bytes) -> list[tuple[str, int, int | None]]:
    matcher = ff.compile_lark(text, BYTES).matcher()
    assert matcher.accept_bytes(data) == len(data)
    return [(one.name, one.start, one.end) for one in matcher.captures()]


def test_captures_have_names() -> None:
    text = 'start: a b\na[capture="x"]: "1"\nb[capture]: c "2"\nc[capture="x"]: "3"'
    assert read(text, b"132") == [("start", 0, 3), ("x", 0, 1), ("b", 1, 3), ("x", 1, 2)]
    matcher = ff.compile_lark(text, BYTES).matcher()
    matcher.accept_bytes(b"132")
    assert [one.text for one in matcher.captures(["x"])] == [b"1", b"3"]
    with pytest.raises(ff.MatcherError, match="no rule 'a'"):
        matcher.captures(["a"])


def test_a_suffix_belongs_to_the_rules_around_it() -> None:
    text = 'start: outer "!"\nouter: a\na[suffix="<end>", stop_capture="rest"]: /.*/'
    assert read(text, b"foo<e") == [("start", 0, None), ("outer", 0, None), ("a", 0, None)]
    assert read(text, b"foo<end>!") == [("start", 0, 9), ("outer", 0, 8), ("a", 0, 3), ("rest", 3, 8)]
    text = text.replace('"<end>"', "/<[a-z]{3}>/")
    assert read(text, b"foo<xyz>!") == [("start", 0, 9), ("outer", 0, 8), ("a", 0, 3), ("rest", 3, 8)]
    text = text.replace("/<[a-z]{3}>/", '"<end>"').replace("suffix", "stop").replace("outer: a", 'outer: a "<end>"')
    assert read(text, b"foo<end>!") == [("start", 0, 9), ("outer", 0, 8), ("a", 0, 3), ("rest", 3, 8)]
    matcher = ff.compile_lark(text, BYTES).matcher()
    matcher.accept_bytes(b"foo<end>!")
    assert [one.text for one in matcher.captures(["rest"])] == [b"<end>"]
    assert [one.text for one in matcher.captures(["a", "outer"])] == [b"foo<end>", b"foo"]


def test_temperatures_are_told(tmp_path: Path) -> None:
    text = 'start: a b c\na[temperature=0.7]: /x+/\nb[capture="y", temperature=0]: "y"\nc: "z"'
    grammar = ff.compile_lark(text, BYTES)
    assert grammar.temperatures == {"a": 0.7, "y": 0.0}
    grammar.save(tmp_path / "g.ffg")
    for other in (ff.load(tmp_path / "g.ffg", BYTES), pickle.loads(pickle.dumps(grammar))):
        assert other.temperatures == grammar.temperatures
    matcher = grammar.matcher()
    matcher.accept_bytes(b"xx")
    assert [one.name for one in matcher.captures(grammar.temperatures) if one.end is None] == ["a"]
    assert ff.compile_lark('start: "a"', BYTES).temperatures == {}
    clashing = "start: a a\na[temperature=1]: /x+/"
    assert ff.compile_lark(clashing, BYTES, lexing="any").temperatures == {"a": 1.0}


def test_captures_of_suffixes_are_saved(tmp_path: Path) -> None:
    grammar = ff.compile_lark('start: a\na[suffix="é", stop_capture="s"]: /.*/', BYTES)
    grammar.save(tmp_path / "g.ffg")
    matcher = ff.load(tmp_path / "g.ffg", BYTES).matcher()
    matcher.accept_bytes("xé".encode())
    assert [(one.name, one.text) for one in matcher.captures(["a", "s"])] == [("a", b"x"), ("s", "é".encode())]


def test_captures_that_cannot_be_are_warned_about() -> None:
    grammar = ff.compile_lark('start: a %json {}\na[capture]: "x"\n', BYTES)
    assert grammar.warnings == ()  # the capture has the name of its rule, and asking for it is an error
    grammar = ff.compile_lark('start: a %json {}\na[capture="y"]: "x"\n', BYTES)
    assert grammar.warnings[0].startswith("line 2, column 2: the capture has no effect")


# Parameters


def permutation(count: int) -> str:
    bits = "\n".join(f'  | "{chr(97 + n)}" p::set_bit({n}) %if bit_clear({n})' for n in range(count))
    return f'start: p::0\np::_: "" %if is_ones([0:{count}])\n{bits}'


def test_permutations() -> None:
    grammar = ff.compile_lark(permutation(7), BYTES)
    rng = random.Random(1)
    letters = list("abcdefg")
    for _ in range(20):
        rng.shuffle(letters)
        matcher = grammar.matcher()
        for n, letter in enumerate(letters):
            assert bytes(matcher.allowed_token_ids().tolist()) == "".join(sorted(letters[n:])).encode()
            assert matcher.accept_bytes(letter.encode()) == 1
        assert matcher.is_accepting()


def test_many_things_in_any_order(tmp_path: Path) -> None:
    bits = "\n".join(f'  | "w{n};" p::set_bit({n}) %if bit_clear({n})' for n in range(64))
    grammar = ff.compile_lark(f'start: p::0\np::_: "." %if is_ones(_)\n{bits}\n%ignore " "', BYTES)
    grammar.save(tmp_path / "g.ffg")
    order = list(range(64))
    random.Random(1).shuffle(order)
    text = " ".join(f"w{n};" for n in order)
    for one in (grammar, ff.load(tmp_path / "g.ffg", BYTES)):
        assert is_sentence(one, f"{text} .")
        assert not is_sentence(one, f"{text} w1; .") and not is_sentence(one, f"{text[3:]} .")
    with pytest.raises(ff.MatcherError, match="no rule 'start'"):
        grammar.matcher().captures(["start"])


@pytest.mark.parametrize(
    "text",
    [
        'start: a::0\na::_: "x" a::incr(_) | ""',
        'start: a::0\na::_: "x" a::incr([0:9]) | "y" a::incr([9:18]) | ""',
        'start: t{"a"}\nt{x}: x t{u{x}} | "q"\nu{x}: x x',
        'start: t{"a"}\nt{x}: t{u{x}} | t{v{x}} | "q"\nu{x}: x x\nv{x}: x x x',
    ],
    ids=["counter", "two counters", "template", "templates"],
)
def test_what_never_ends_has_a_limit(text: str) -> None:
    error = refused(text, ff.LimitError, limits=ff.Limits(rules=50_000))
    assert error.limit in ("rules", "nesting")
    assert error.where.startswith("at line ")


def test_templates_with_equal_arguments_are_one() -> None:
    text = 'start: l{"a", ","} l{"a", ","} l{B, ","} l{B, ","}\nl{x, s}: x (s x)*\nB: "b"'
    grammar = build(text, ExprStore(), ff.Limits())
    assert sum(name == "l" for name in grammar.names) - 2 == sum(name == "l" for name in grammar.names) // 2


def test_options_without_effect() -> None:
    grammar = ff.compile_lark('start: "a"\n%llguidance {"no_forcing": true}', BYTES)
    (warning,) = grammar.warnings
    assert warning.startswith("line 2, column 13: no_forcing has no effect")


# Special tokens


def test_declared_terminals_are_special_tokens(cl100k: ff.Tokenizer) -> None:
    text = '%declare FIM_PREFIX _END\nstart: "a" FIM_PREFIX "b" | "c"\nother: _END'
    matcher = ff.compile_lark(text, cl100k).matcher()
    assert matcher.accept_bytes(b"a") == 1
    (token,) = matcher.allowed_token_ids().tolist()
    assert token == cl100k.special_tokens["<|fim_prefix|>"]
    assert matcher.accept_token(token) and matcher.accept_bytes(b"b") == 1 and matcher.is_accepting()
    with pytest.raises(ff.GrammarError, match="_END is declared, and nothing provides it"):
        ff.compile_lark(text, cl100k, start="other")


def test_two_tokens_of_one_name_are_refused() -> None:
    tok = ff.Tokenizer.from_tokens([b"a", b"", b"", b""], eos_token_id=1, special_tokens={"<x>": 2, "<|X|>": 3})
    with pytest.raises(ff.GrammarError, match="several special tokens have this name"):
        ff.compile_lark("start: X\n%declare X", tok)


# Errors


def test_errors_show_the_line() -> None:
    told = 'line 2, column 8: wort is not defined; did you mean word?\n    word: "x" wort\n              ^'
    assert str(refused('start: word\nword: "x" wort\n')) == told.replace("column 8", "column 11")
    assert str(refused("start:\tb\r\n")) == "line 1, column 8: b is not defined\n    start:\tb\n          \t^"
    long = refused(f'start: {"a " * 5000}b\na: "x"')
    assert all(len(line) < 160 for line in str(long).split("\n")) and str(long).endswith("^")
    copy = pickle.loads(pickle.dumps(long))
    assert str(copy) == str(long) and copy.excerpt == long.excerpt


def test_the_docs_table_is_backed_by_tests() -> None:
    """Each row of the table in docs/lark.md names a case, or a test."""
    import json

    root = Path(__file__).resolve().parent
    page = (root.parent / "docs" / "lark.md").read_text(encoding="utf-8")
    table = page.partition("<!-- constructs -->")[2].strip().partition("\n\n")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.strip().split("\n")[2:]]
    assert len(rows) > 60
    cases = {
        one["name"]
        for file in ("lark", "lark_errors")
        for one in json.loads((root / "cases" / f"{file}.json").read_text("utf-8"))
    }
    verdicts = ("works", "refused", "not meaningful here", "warned about")
    for construct, verdict, shown in rows:
        assert construct.strip() and verdict.strip().startswith(verdicts), construct
        for one in shown.strip().split("; "):
            file, _, test = one.strip("`").partition("::")
            found = f"def {test}(" in (root / file).read_text("utf-8") if file.endswith(".py") else one in cases
            assert found, (construct, one)
