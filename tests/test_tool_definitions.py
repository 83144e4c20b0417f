"""Tools as users define them, the choices of APIs, hostile names, and errors that say where they are."""

from __future__ import annotations

import json
import random
from typing import Any, Literal

import pytest

import ffgrammar as ff
from ffgrammar.api.tools.table import NAMES

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT = {"type": "function", "function": {"name": "weather", "description": "…", "parameters": CITY, "strict": False}}
FLAT = {"type": "function", "name": "weather", "parameters": CITY}
ANTHROPIC = {"name": "weather", "description": "…", "input_schema": CITY}


def weather(city: str, unit: Literal["c", "f"] = "c") -> str:
    """The weather."""
    return city + unit


def call(name: str, arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    return matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()


@pytest.mark.parametrize(
    "tool",
    [CHAT, FLAT, ANTHROPIC, {"type": "custom", **ANTHROPIC}, weather],
    ids=["chat", "flat", "anthropic", "custom", "function"],
)
def test_definitions(tool: Any, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_tools([tool], cl100k, format="hermes", choice="required")
    assert accepts(grammar, call("weather", {"city": "Oslo"}))
    assert not accepts(grammar, call("weather", {"city": 1})) and not accepts(grammar, call("other", {"city": "Oslo"}))
    if tool is weather:
        assert accepts(grammar, call("weather", {"city": "Oslo", "unit": "f"}))
        assert not accepts(grammar, call("weather", {"city": "Oslo", "unit": "k"}))


def test_arguments_are_an_object(cl100k: ff.Tokenizer) -> None:
    for schema in ({}, None, {"properties": {}}, True, {"type": ["object", "null"]}):
        tool: dict[str, Any] = {"type": "function", "name": "f", "parameters": schema}
        grammar = ff.compile_tools([tool], cl100k, format="hermes", choice="f")
        assert accepts(grammar, call("f", {})) and not accepts(grammar, call("f", None))
    without = ff.compile_tools([{"type": "function", "name": "f"}], cl100k, format="hermes", choice="f")
    assert accepts(without, call("f", {})) and not accepts(without, call("f", {"a": 1}))


ONE, TWO = call("a", {}), call("b", {})
BOTH = f"{ONE}\n{TWO}"
AB = [{"name": name, "input_schema": {"type": "object", "additionalProperties": False}} for name in "ab"]


@pytest.mark.parametrize(
    ("choice", "texts"),
    [
        ("auto", ["Hi", ONE, TWO, BOTH, f"Hi {BOTH}"]),
        ({"type": "auto"}, ["Hi", ONE, TWO, BOTH, f"Hi {BOTH}"]),
        ({"type": "auto", "disable_parallel_tool_use": True}, ["Hi", ONE, TWO]),
        ("required", [ONE, TWO, BOTH]),
        ({"type": "any"}, [ONE, TWO, BOTH]),
        ({"type": "any", "disable_parallel_tool_use": True}, [ONE, TWO]),
        ("none", ["Hi"]),
        ({"type": "none"}, ["Hi"]),
        ("a", [ONE]),
        ({"type": "tool", "name": "a"}, [ONE]),
        ({"type": "function", "function": {"name": "b"}}, [TWO]),
        ({"type": "function", "name": "b"}, [TWO]),
        ({"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "b"}]}, [TWO]),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "a"}}]},
            },
            ["Hi", ONE],
        ),
    ],
)
def test_choices(choice: Any, texts: list[str], cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_tools(AB, cl100k, format="hermes", choice=choice)
    every = ["Hi", ONE, TWO, BOTH, f"Hi {BOTH}"]
    assert [one for one in every if accepts(grammar, one)] == texts


def test_no_tools(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_tools([], cl100k, format="hermes")
    assert accepts(grammar, "Hi") and not accepts(grammar, ONE)
    with pytest.raises(ff.GrammarError, match="there are no tools"):
        ff.compile_tools([], cl100k, format="hermes", choice="required")


def test_a_tool_with_the_name_of_a_choice(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_tools(
        [{"name": "auto", "input_schema": {}}], cl100k, format="hermes", choice={"type": "tool", "name": "auto"}
    )
    assert accepts(grammar, call("auto", {})) and not accepts(grammar, "Hi")


HOSTILE = [
    "a",
    "aa",
    "a.*",
    "a|b",
    'a"b',
    'a", "arguments": {}}\n</tool_call>',
    "a\\",
    "a\n",
    "\x00",
    "日本",
    "日",
    "a\\u0062",
    "</tool_call>",
    "<tool_call>",
    "x" * 10_000,
    "x" * 9_999 + "y",
    *["b" * count for count in range(1, 60)],
]


def test_hostile_names_in_json(cl100k: ff.Tokenizer) -> None:
    tools = [{"name": name, "input_schema": {"type": "object", "additionalProperties": False}} for name in HOSTILE]
    for format in ("hermes", "json-list"):
        grammar = ff.compile_tools(tools, cl100k, format=format, choice="required")  # type: ignore[arg-type]
        begin, end = ("<tool_call>\n", "\n</tool_call>") if format == "hermes" else ("[", "]")
        for name in HOSTILE:
            text = f'{begin}{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {{}}}}{end}'
            assert accepts(grammar, text), name
            matcher = grammar.matcher()
            matcher.accept_bytes(text.encode())
            assert [one.name for one in matcher.captures()] == [f"call:{name}"]
        for name in ("", "xx", "a*", "b" * 60, "x" * 9_999):
            assert not accepts(grammar, f'{begin}{{"name": "{name}", "arguments": {{}}}}{end}')


def test_many_nested_names_do_not_recurse(cl100k: ff.Tokenizer) -> None:
    tools = [{"name": "a" * count, "input_schema": {"type": "object"}} for count in range(1, 1500)]
    grammar = ff.compile_tools(tools, cl100k, format="hermes", choice="required")
    assert accepts(grammar, call("a" * 1499, {})) and not accepts(grammar, call("a" * 1500, {}))


@pytest.mark.parametrize("format", NAMES)
def test_names_that_cannot_be_written(format: str, cl100k: ff.Tokenizer) -> None:
    from oracle.tool_calls import ALL_SPECIAL

    tokens = [*[bytes([one]) for one in range(256)], *[one.encode() for one in ALL_SPECIAL], b""]
    tok = ff.Tokenizer.from_tokens(tokens, len(tokens) - 1)
    tools = [{"name": "ok", "input_schema": {}}, {"name": 'a>b"<:\n[', "input_schema": {}}]
    try:
        grammar = ff.compile_tools(tools, tok, format=format)  # type: ignore[arg-type]
    except ff.UnsupportedError as error:
        assert error.pointer == "/tools/1/name" and "hermes" in error.message
    else:
        assert json.dumps(tools[1]["name"])[1:-1].encode() in _longest(grammar, format)


def _longest(grammar: ff.Grammar, format: str) -> bytes:
    """What is forced after the beginning of a call of a name that begins with `a`."""
    from oracle.tool_calls import WRITERS

    text = WRITERS[format]([("a", {})]).encode()
    matcher = grammar.matcher()
    head = text[: text.index(b'"a"') + 2]
    assert matcher.accept_bytes(head) == len(head)
    return b"a" + bytes(matcher.forced_bytes())


WRONG: list[tuple[Any, type, str, str]] = [
    ({"type": "function", "function": {"parameters": {}}}, ff.GrammarError, "/tools/1/function/name", "needs a name"),
    ({"type": "function", "function": []}, ff.GrammarError, "/tools/1/function", "must be an object"),
    ({"type": "function", "name": ""}, ff.GrammarError, "/tools/1/name", "needs a name"),
    ({"name": "x\ud800", "input_schema": {}}, ff.GrammarError, "/tools/1/name", "surrogate"),
    ({"name": "weather", "input_schema": {}}, ff.GrammarError, "/tools/1/name", "two tools have the name 'weather'"),
    ({"name": "x"}, ff.GrammarError, "/tools/1", "a tool is"),
    ({}, ff.GrammarError, "/tools/1", "a tool is"),
    ({"type": "web_search"}, ff.UnsupportedError, "/tools/1/type", "only functions"),
    ({"type": "custom", "custom": {"name": "x"}}, ff.UnsupportedError, "/tools/1/type", "only functions"),
    ({"name": "x", "input_schema": {"type": "string"}}, ff.GrammarError, "/tools/1/input_schema/type", "an object"),
    ({"name": "x", "input_schema": 3}, ff.GrammarError, "/tools/1/input_schema", "must be an object"),
    (
        {"type": "function", "function": {"name": "x", "parameters": {"properties": {"a": {"type": "strin"}}}}},
        ff.GrammarError,
        "/tools/1/function/parameters/properties/a/type",
        "strin",
    ),
    (
        {
            "type": "function",
            "name": "x",
            "parameters": {"properties": {"a": {"type": "string", "minLength": 3, "maxLength": 1}}, "required": ["a"]},
        },
        ff.GrammarError,
        "/tools/1/parameters/properties/a",
        "no value obeys",
    ),
    (
        {"name": "x", "input_schema": {"properties": {"a": {"not": {"format": "regex", "type": "string"}}}}},
        ff.UnsupportedError,
        "/tools/1/input_schema/properties/a/not/format",
        "regex",
    ),
    (
        {"type": "function", "function": {"name": "x", "paramters": {"type": "object"}}},
        ff.GrammarError,
        "/tools/1/function/paramters",
        "'paramters' is not read, .* no arguments; did you mean parameters",
    ),
    (
        {"type": "function", "name": "x", "input_schema": {"type": "object"}},
        ff.GrammarError,
        "/tools/1/input_schema",
        "did you mean parameters",
    ),
]


@pytest.mark.parametrize(("tool", "kind", "pointer", "message"), WRONG)
def test_wrong_tools(tool: Any, kind: type[ff.GrammarError], pointer: str, message: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(kind, match=message) as caught:
        ff.compile_tools([CHAT, tool], cl100k, format="hermes")
    assert caught.value.pointer == pointer


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"format": "hermes2"}, ff.GrammarError, "'hermes2'; did you mean hermes.; there are hermes, llama3"),
        ({"format": "qwen"}, ff.GrammarError, r"did you mean 'hermes' \(Hermes.*, or 'qwen3-coder' \(Qwen3-Coder"),
        ({"format": "hermes", "reasoning": "qwen3"}, ff.GrammarError, "not 'qwen3'; did you mean qwen?"),
        ({"choice": "nothing"}, ff.GrammarError, "no tool has the name 'nothing'; there are 'weather'"),
        ({"choice": {"type": "code"}}, ff.UnsupportedError, "choice must be"),
        ({"choice": 3}, TypeError, "choice must be"),
        ({"parallel": 1}, TypeError, "parallel must be a bool"),
        ({"reasoning": "gpt"}, ff.GrammarError, "reasoning must be one of qwen, deepseek"),
        ({"reasoning": ("<a>",)}, TypeError, "two texts"),
        ({"reasoning": ("<a>", "")}, ff.GrammarError, "must not be empty"),
        ({"whitespace": "none"}, ff.GrammarError, "whitespace must be"),
        ({"limits": 3}, TypeError, "limits must be Limits"),
    ],
)
def test_wrong_options(options: dict[str, Any], kind: type[Exception], message: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(kind, match=message):
        ff.compile_tools([CHAT], cl100k, **{"format": "hermes", **options})


@pytest.mark.parametrize("tools", [CHAT, "weather", b"x", 3, [3], ["weather"]])
def test_what_is_no_list_of_tools(tools: Any, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(TypeError, match="tool"):
        ff.compile_tools(tools, cl100k, format="hermes")


def test_limits_reach_everything(cl100k: ff.Tokenizer) -> None:
    tools = [{"name": f"tool{number}", "input_schema": CITY} for number in range(100)]
    with pytest.raises(ff.LimitError, match="rules"):
        ff.compile_tools(tools, cl100k, format="hermes", limits=ff.Limits(rules=40))


def test_warnings_say_where(cl100k: ff.Tokenizer) -> None:
    schema = {"type": "object", "nullable": True, "properties": {"a": {"type": "string", "format": "phone"}}}
    loose = {
        "type": "function",
        "function": {
            "name": "b",
            "strict": True,
            "parameters": {"type": "object", "properties": {"a": {"allOf": [{}]}}},
        },
    }
    grammar = ff.compile_tools([{"name": "a", "input_schema": schema}, loose], cl100k, format="hermes")
    for start in (
        "at /tools/0/input_schema/nullable: ",
        "at /tools/0/input_schema/properties/a/format: ",
        "at /tools/1/function/parameters: strict asks for additionalProperties: false",
        "at /tools/1/function/parameters: strict asks that all properties are required: 'a' is not",
        "at /tools/1/function/parameters/properties/a/allOf: strict does not take 'allOf'",
    ):
        assert any(one.startswith(start) for one in grammar.warnings), (start, grammar.warnings)
    assert ff.compile_tools([CHAT], cl100k, format="hermes").warnings == ()


def test_the_same_tools_are_compiled_once(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_tools([CHAT], cl100k, format="hermes")
    assert ff.compile_tools([CHAT], cl100k, format="hermes") is grammar
    assert ff.compile_tools([CHAT], cl100k, format="hermes", choice="none") is not grammar
    assert ff.compile_tools([CHAT], cl100k, format="llama3") is not grammar
    other = {**CHAT, "function": {**CHAT["function"], "parameters": {**CITY, "required": []}}}
    assert ff.compile_tools([other], cl100k, format="hermes") is not grammar


VALUES = [
    3,
    -1,
    1.5,
    "x",
    "",
    None,
    [],
    {},
    True,
    False,
    ["x"],
    [{}],
    {"type": "string"},
    {"$ref": "#"},
    "string",
    "#/$defs/zone",
]
WORDS = "anyOf not enum const type oneOf $ref minLength pattern format properties required name $id $schema if".split()


def damaged(rng: random.Random) -> list[Any]:
    """Tools of which a few places have another value."""
    schema = {
        "type": "object",
        "properties": {"a": {"enum": ["x", "y"]}, "b": {"$ref": "#/$defs/zone"}},
        "required": ["a"],
    }
    function = {"name": "f", "parameters": {**schema, "$defs": {"zone": {"type": "string", "pattern": "^[A-Z]+$"}}}}
    tools: Any = [{"type": "function", "function": function}, ANTHROPIC]
    tools = json.loads(json.dumps(tools))
    for _ in range(rng.randint(1, 3)):
        inner: Any = tools
        while isinstance(inner, (dict, list)) and inner:
            place = rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if rng.random() < 0.3:
                inner[rng.choice(WORDS) if isinstance(inner, dict) and rng.random() < 0.5 else place] = rng.choice(
                    VALUES
                )
                break
            inner = inner[place]
    return list(tools)


@pytest.mark.parametrize("format", ["hermes", "qwen3-coder", "glm-4.7"])
def test_damaged_tools_are_refused_by_name(format: Any, cl100k: ff.Tokenizer) -> None:
    outcomes = set()
    for seed in range(150):
        try:
            ff.compile_tools(damaged(random.Random(seed)), cl100k, format=format)
            outcomes.add("fine")
        except ff.GrammarError as error:
            outcomes.add("refused")
            assert (error.pointer or "").startswith("/tools/"), error
        except TypeError as error:
            assert "a tool must be a dict" in str(error)
    assert outcomes == {"fine", "refused"}
