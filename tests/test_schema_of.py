"""Schemas of Python types: the simple ones beside pydantic's, and all others by pydantic."""

from __future__ import annotations

import dataclasses
import enum
import sys
import typing
from typing import Annotated, Any, Literal, NamedTuple, Optional, Union

import pydantic
import pytest
import typing_extensions

import ffgrammar as ff
from ffgrammar.api.types import schema_of as module
from ffgrammar.api.types.plain_types import Unknown, plain_schema
from ffgrammar.api.types.with_pydantic import pydantic_schema

# (typing's own works with pydantic from Python 3.12 on)
TypedDict = typing.TypedDict if sys.version_info >= (3, 12) else typing_extensions.TypedDict


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Number(enum.IntEnum):
    ONE = 1


@dataclasses.dataclass
class Point:
    x: int
    y: float | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


class Options(TypedDict, total=False):
    deep: bool
    colour: typing_extensions.Required[Colour]


class Person(pydantic.BaseModel):
    name: Annotated[str, pydantic.Field(min_length=1)]
    age: int = pydantic.Field(ge=0)
    friends: list[Person] = []


class Open(pydantic.BaseModel, extra="allow"):
    name: str


class Pair(NamedTuple):
    left: int
    right: str


def search(query: str, limit: int = 10, *, kind: Literal["web", "news"] = "web") -> str:
    """Search."""
    return query


class Marked(typing.TypedDict, total=False):
    """(A typed dict of the standard library, with marks in annotations that are texts.)"""

    deep: bool
    colour: typing_extensions.Required[str]


SIMPLE: list[Any] = [
    str,
    int,
    float,
    bool,
    type(None),
    Any,
    Literal["a", "b"],
    Literal[1, "a", None],
    Optional[int],  # noqa: UP045
    int | str,
    Union[str, None],  # noqa: UP007
    list,
    list[int],
    list[list[str | None]],
    dict,
    dict[str, int],
    Colour,
    Number,
    Point,
    search,
]
VALUES: list[Any] = [None, True, 1, 1.5, "", "a", "red", "web", [], [1], ["a"], [[None]], {}, {"a": 1}]
VALUES += [{"x": 1}, {"x": 1, "y": 1.5, "tags": ["a"]}, {"x": 1, "z": 1}, {"query": "a"}, {"query": "a", "kind": "x"}]
VALUES += [{"query": "a", "limit": 1, "kind": "news"}, {"limit": 1}, {"colour": "red"}, {"deep": True}]


# (the address of a function is another one in each process)
@pytest.mark.parametrize("kind", SIMPLE, ids=lambda kind: str(kind).partition(" at 0x")[0])
def test_simple_types_are_as_with_pydantic(kind: Any) -> None:
    import jsonschema

    plain, other = plain_schema(kind), pydantic_schema(kind)
    for value in VALUES:
        one, two = (jsonschema.Draft202012Validator(schema).is_valid(value) for schema in (plain, other))
        assert one == two, (value, plain, other)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="typing.Required is new in Python 3.11")
def test_marks_of_typed_dicts() -> None:
    assert plain_schema(Marked)["required"] == ["colour"]


def test_types_without_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    monkeypatch.delitem(sys.modules, "ffgrammar.api.types.with_pydantic", raising=False)
    assert ff.schema_of(Colour) == {"enum": ["red", "blue"]}
    assert ff.schema_of(search)["required"] == ["query"]


def test_what_needs_pydantic_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pydantic")
    monkeypatch.setattr(module, "_has_pydantic", lambda: False)
    for kind in (Pair, Annotated[int, "x"], list[Pair]):
        with pytest.raises(ImportError, match=r"is read with pydantic 2, which is not installed"):
            ff.schema_of(kind)


@pytest.mark.parametrize(
    "kind", [Person, Open, Pair, Annotated[int, "x"], set[int], tuple[int, str], complex, Point | Person]
)
def test_what_is_not_simple(kind: Any) -> None:
    with pytest.raises(Unknown):
        plain_schema(kind)


def accepts(schema: Any, tok: ff.Tokenizer, text: str) -> bool:
    matcher = ff.compile_json_schema(schema, tok).matcher()
    return matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Person, '{"name": "Ada", "age": 3, "friends": [{"name": "B", "age": 0}]}', '{"name": "", "age": 3}'),
        (Person, '{"name": "Ada", "age": 3}', '{"name": "Ada", "age": 3, "more": 1}'),
        (Open, '{"name": "Ada", "more": 1}', '{"more": 1}'),
        (Point, '{"x": 1, "y": null}', '{"x": "1"}'),
        (Options, '{"colour": "red"}', '{"colour": "green"}'),
        (Pair, '[1, "a"]', '["a", 1]'),
        (Colour, '"red"', '"green"'),
        (list[Point], '[{"x": 1}]', '[{"y": 1}]'),
        (Annotated[int, pydantic.Field(ge=3)], "3", "2"),
        (Literal["a", 1], '"a"', '"b"'),
        (int | None, "null", '"x"'),
    ],
)
def test_types_are_schemas(kind: Any, good: str, bad: str, cl100k: ff.Tokenizer) -> None:
    assert accepts(kind, cl100k, good) and not accepts(kind, cl100k, bad)


def test_models_as_tools(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_tools([Person, search], cl100k, format="hermes", choice="required")
    for name, arguments in (("Person", '{"name": "A", "age": 1}'), ("search", '{"query": "x", "kind": "news"}')):
        text = f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
        matcher = grammar.matcher()
        assert matcher.accept_bytes(text.encode()) == len(text) and matcher.is_accepting()


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="a type or a function is expected, not int"):
        ff.schema_of(3)

    def strange(a: complex, /) -> None:
        pass

    with pytest.raises(ff.UnsupportedError, match="strange has parameters without names"):
        ff.schema_of(strange)

    class Stranger:
        pass

    with pytest.raises(ff.GrammarError, match="Stranger is not a type that pydantic knows"):
        ff.schema_of(Stranger)

    class Old:
        __fields__: typing.ClassVar[dict[str, Any]] = {}

    Old.__module__ = "pydantic.v1"
    with pytest.raises(ff.GrammarError, match=r"Old is a model of pydantic 1: pass Old.schema\(\)"):
        ff.schema_of(Old)


def test_annotations_that_raise_are_wrong_types() -> None:
    def divided(a: int) -> None:
        pass

    divided.__annotations__["a"] = "1/0"
    with pytest.raises(ff.GrammarError, match="divided is not a type that pydantic knows: division by zero"):
        ff.schema_of(divided)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_literals_that_json_does_not_have(value: float) -> None:
    with pytest.raises(ff.UnsupportedError, match=f"{value} is a value of a Literal"):
        ff.schema_of(Literal[value])  # type: ignore[valid-type]
