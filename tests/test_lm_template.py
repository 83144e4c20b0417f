"""Templates: programs written as text, beside the same programs written in Python."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar import lm
from ffgrammar.lm.template_text import MAX_SIZE, Command, parse
from oracle.lm import small_tokenizer, toy_model


@pytest.fixture(scope="module")
def model() -> lm.Model:
    pytest.importorskip("tiktoken")
    tok = small_tokenizer()[0]
    return lm.Model.of(toy_model(tok.vocab_size, 1), tok)


def text_of(program: lm.Program) -> str:
    """The text of a program without holes."""
    assert all(isinstance(one, str) for one in program.pieces)
    return "".join(str(one) for one in program.pieces)


@pytest.mark.parametrize(
    ("template", "row", "expected"),
    [
        ("", {}, ""),
        ("a {b} } c", {}, "a {b} } c"),
        ("{{x}}-{{ x }}", {"x": "1"}, "1-1"),
        ("{{a.b.c}}", {"a": {"b": {"c": 3}}}, "3"),
        ("{{x}}", {"x": "{{y}} {{gen 'z'}}"}, "{{y}} {{gen 'z'}}"),
        (r"\{{x}} \\{{x}}", {"x": 1}, "{{x}} \\{{x}}"),
        ("a{{! b }}c{{!-- {{x}} 'd --}}e", {}, "ace"),
        ("a {{~x~}} b {{x~}}\n c", {"x": 1.5}, "a1.5b 1.5c"),
        ("{{#each xs}}{{@index}}{{this}},{{/each}}", {"xs": ["a", "b"]}, "0a,1b,"),
        ("{{#each xs}}{{n}}{{#each ys}}{{this}}{{n}} {{/each}}{{/each}}", {"xs": [{"n": 1}], "ys": [7, 8]}, "171 81 "),
        ("{{#if x}}y{{else}}n{{/if}}{{#if z}}y{{else}}n{{/if}}", {"x": 1, "z": []}, "yn"),
        ("{{#if x}}{{#if y}}a{{/if}}{{else}}b{{/if}}", {"x": True, "y": ""}, ""),
        ("{{#each xs}}{{this}}{{/each}}", {"xs": ["ab"] * 60_000}, "ab" * 60_000),
    ],
)
def test_texts(template: str, row: dict[str, Any], expected: str) -> None:
    assert text_of(lm.template(template)(row)) == expected
    assert text_of(lm.template(template)(**row)) == expected


@pytest.mark.parametrize(
    ("quoted", "meant"),
    [
        (r"\d\\d\\\d", r"\d\d\\d"),
        (r"a\n\r\t\x41\u00e9", "a\n\r\tA\u00e9"),
        (r"\'\"", "'\""),
        (r"\1\0\N{DASH}\U00000041", r"\1\0\N{DASH}\U00000041"),
        ("\n\r\x00", "\n\r\x00"),
    ],
)
def test_quoted_texts(quoted: str, meant: str) -> None:
    (command,) = parse(f"{{{{select 'x' options=['{quoted}']}}}}")
    assert isinstance(command, Command)
    assert command.options == {"options": [meant]}


def test_commands_are_those_of_python(model: lm.Model) -> None:
    template = lm.template(
        r"""I have {{gen 'count' pattern="\d{1,2}" temperature=0}} {{noun}}{{! a comment }} and a
        {{~select "pet" options=pets}}, {{~many 'words' regex='[ab]{2}' separator=', ' least=2 most=3}}.
        {{~gen stop=['.', "\n"] max_tokens=5}} {{part}}"""
    )
    part = ff.compile_regex("[xy]", model.tokenizer)
    found = template({"noun": "apples", "pets": ["cat", "dog"]}, part=part)
    same = (
        "I have " + lm.gen("count", regex=r"\d{1,2}", temperature=0) + " apples and a"
        + lm.select("pet", ["cat", "dog"]) + ","
        + lm.many("words", lm.gen(regex="[ab]{2}"), ", ", 2, 3) + "."
        + lm.gen(stop=[".", "\n"], max_tokens=5) + " " + part
    )  # fmt: skip
    for seed in range(5):
        one, other = (model.state("x ", seed=seed) + program for program in (found, same))
        assert (one.text, one.tokens, list(one)) == (other.text, other.tokens, list(other))


def test_what_was_written_is_said_again(model: lm.Model) -> None:
    template = lm.template("{{gen 'a' regex='[ab]{3}'}}. {{a}}! {{select 'b' options=['x', 'y']}}{{b}}{{a}}")
    state = model.state("x ", seed=1) + template()
    assert state.text == f"x {state['a']}. {state['a']}! {state['b']}{state['b']}{state['a']}"
    # a value that the row has is not hidden by a hole that comes later
    early = lm.template("{{a}} {{gen 'a' regex='[ab]'}}")
    assert (model.state(seed=1) + early(a="z")).text.startswith("z ")
    with pytest.raises(ff.GrammarError, match="list"):
        (model.state("x ") + lm.template("{{many 'm' regex='a' most=2}}. {{m}}")()).text  # noqa: B018


def test_rows(model: lm.Model) -> None:
    template = lm.template("{{noun}} {{gen 'count' regex='[0-9]{1,2}'}}.")
    rows = [{"noun": "a"}, {"noun": "b"}, {"noun": "c"}]
    states = lm.run(model, template, rows, seed=3)
    assert [state.text for state in states] == [
        (model.state(seed=3 + n) + template(row)).text for n, row in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("template", "row", "line", "column", "message"),
    [
        ("a\n {{x", {}, 2, 2, "no end"),
        ("{{x 'a}}", {}, 1, 1, "no end"),
        ("{{#each x}}", {"x": []}, 1, 3, "has no {{/each}}"),
        ("{{/if}}", {}, 1, 3, "no block to close"),
        ("{{#if x}}{{/each}}", {}, 1, 12, r"expected \{\{/if\}\}"),
        ("{{else}}", {}, 1, 3, "belongs into"),
        ("{{#if x}}{{else}}{{else}}{{/if}}", {}, 1, 20, "once"),
        ("{{#unless x}}{{/unless}}", {}, 1, 3, "no block 'unless'"),
        ("{{#if}}{{/if}}", {}, 1, 3, "the name of a value"),
        ("{{#user x}}{{/user}}", {}, 1, 3, "takes nothing"),
        ("{{}}", {}, 1, 3, "begins with a name"),
        ("{{'x'}}", {}, 1, 3, "begins with a name"),
        ("{{gen 'x' regex=}}", {}, 1, 17, "value is missing"),
        ("{{gen 'x' regex= a=1}}", {}, 1, 18, "a= does not belong here"),
        ("{{select 'x' options=['a'}}", {}, 1, 26, "no ]"),
        ("{{gen 'x' ? }}", {}, 1, 11, r"'\?' does not belong here"),
        ("{{nope}}", {"name": 1}, 1, 3, "no value 'nope'; the names are name"),
        ("{{a.b}}", {"a": {}}, 1, 3, "there is no 'b'"),
        ("{{a}}", {"a": [1]}, 1, 3, "a is a list"),
        ("{{a}}", {"a": None}, 1, 3, "a is a NoneType"),
        ("{{#each a}}{{/each}}", {"a": "text"}, 1, 3, "needs a list, not str"),
        ("{{frob 'x'}}", {}, 1, 3, "no command 'frob'"),
        ("{{gen 'x' tempperature=1}}", {}, 1, 3, "tempperature"),
        ("{{gen 'x' regex='a' json='{}'}}", {}, 1, 3, "one of"),
        ("{{many regex='a'}}", {}, 1, 3, "many takes one name"),
        ("{{gen 'x' regex='a' pattern='a'}}", {}, 1, 3, "pattern is another name of regex"),
        ("{{#if x}}{{else if y}}{{/if}}", {}, 1, 12, "else}} takes nothing"),
        ("{{gne 'x'}}", {}, 1, 3, "no command 'gne'; there are gen, select, many"),
        ("{{gen 'x' regex='a\\x4'}}", {}, 1, 19, r"\\x needs 2 hexadecimal digits"),
        ("{{gen 'x' regex='\\u12'}}", {}, 1, 18, r"\\u needs 4 hexadecimal digits"),
        ("{{gen 'x' regex='\\ud800'}}", {}, 1, 18, "half of a surrogate pair"),
        ("{{#each x}}{{#each x}}a{{/each}}{{/each}}", {"x": [0] * 1000}, 1, 1, "more than 200000 pieces"),
        ("{{#each x}}{{#each x}}{{/each}}{{/each}}", {"x": [0] * 1000}, 1, 1, "more than 200000 pieces"),
    ],
)
def test_errors_name_the_place(template: str, row: dict[str, Any], line: int, column: int, message: str) -> None:
    with pytest.raises(ff.GrammarError, match=message) as error:
        lm.template(template)(row)
    assert (error.value.line, error.value.column) == (line, column)


def test_hostile_templates_end() -> None:
    for text in ("{{" * 100_000, "{{x " + "'" * 100_001, "{{!" * 50_000, "{{~" * 50_000 + "}}", "\\{{" * 50_000):
        try:
            parse(text)
        except ff.GrammarError as error:
            assert error.line == 1
    with pytest.raises(ff.LimitError):
        parse("{{#if x}}" * 1000)
    with pytest.raises(ff.LimitError):
        parse("x" * (MAX_SIZE + 1))
    assert len(parse("{{x}}" * 100_000)) == 100_000
    with pytest.raises(TypeError, match="mapping"):
        lm.template("x")([1])
    with pytest.raises(TypeError, match="template string"):
        lm.template(1)


def interpreted(nodes: list[Any], row: dict[str, Any]) -> str:
    """What a template tree of the next test means."""
    found = ""
    for kind, *rest in nodes:
        if kind == "text":
            found += rest[0]
        elif kind == "value":
            found += str(row[rest[0]])
        elif kind == "if":
            found += interpreted(rest[1] if row[rest[0]] else rest[2], row)
        else:
            for index, item in enumerate(row[rest[0]]):
                found += interpreted(rest[1], {**row, "this": item, "@index": index})
    return found


def test_random_templates() -> None:
    rng = Random(1)
    row = {"a": "x{{", "b": 0, "c": "", "xs": ["p", "q"], "none": []}

    def made(depth: int, inside: bool) -> tuple[list[Any], str]:
        nodes: list[Any] = []
        text = ""
        for _ in range(rng.randint(0, 4)):
            kind = rng.choice(["text", "value", "if", "each"] if depth else ["text", "value"])
            if kind == "text":
                words = rng.choice(["a b", "\n", "} }", "'", "é"])
                nodes.append(("text", words))
                text += words
            elif kind == "value":
                name = rng.choice(["a", "b", "c", *(["this", "@index"] if inside else [])])
                nodes.append(("value", name))
                text += rng.choice(["{{%s}}", "{{ %s }}", "{{!x}}{{%s\n}}"]) % name
            elif kind == "if":
                name = rng.choice(list(row))
                (yes, yes_text), (no, no_text) = made(depth - 1, inside), made(depth - 1, inside)
                nodes.append(("if", name, yes, no))
                text += f"{{{{#if {name}}}}}{yes_text}{{{{else}}}}{no_text}{{{{/if}}}}"
            else:
                name = rng.choice(["xs", "none"])
                inner, inner_text = made(depth - 1, True)
                nodes.append(("each", name, inner))
                text += f"{{{{#each {name}}}}}{inner_text}{{{{/each}}}}"
        return nodes, text

    for _ in range(500):
        nodes, text = made(3, False)
        assert text_of(lm.template(text)(row)) == interpreted(nodes, row), text


@pytest.mark.skipif(sys.version_info < (3, 14), reason="template strings need Python 3.14")
def test_template_strings(model: lm.Model) -> None:
    noun, count = "apples", 3  # noqa: F841 (used in the source below)
    program = eval('lm.template(t\'{count:02d} {noun!r} {lm.gen("x", regex="[ab]")}.\')')
    assert (model.state(seed=1) + program).text.startswith("03 'apples' ")
