r"""The text of a template, read into a tree.

    Hello {{name}}, {{gen 'answer' regex='[a-z]+'}}{{#each items}}{{this}}{{/each}}

Between `{{` and `}}` there is a tag; `\{{` is a plain `{{`. A `~` next to the braces takes away the white space on its
side. The notation is that of Handlebars, with the commands of guidance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from ffgrammar.core.errors import GrammarError, LimitError

__all__ = ["Block", "Command", "Node", "Path", "Value", "fail", "parse"]

# How deep blocks may be nested, and how long a template may be.
MAX_DEPTH = 50
MAX_SIZE = 1 << 20

BLOCKS = ("each", "if", "system", "user", "assistant")
COMMANDS = ("gen", "select", "many")

TAG = re.compile(
    r"""(?P<escaped>\\\{\{) | \{\{(?P<left>~?)
        (?: !--(?P<long>.*?)--\s*(?P<right0>~?)\}\}
          | !(?P<short>.*?)(?P<right1>~?)\}\}
          | (?P<body>(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"'}~]|~(?!\}\}))*)(?P<right2>~?)\}\} )""",
    re.DOTALL | re.VERBOSE,
)
WORD = re.compile(
    r"""\s*(?: (?P<key>[A-Za-z_]\w*)\s*=(?!=)
             | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
             | (?P<number>-?[0-9]+(?:\.[0-9]+)?)(?![\w.])
             | (?P<path>@?[A-Za-z_]\w*(?:\.\w+)*)
             | (?P<list>\[) | (?P<end>\]) | (?P<comma>,) | (?P<bad>\S) )""",
    re.DOTALL | re.VERBOSE,
)

ESCAPE = re.compile(r"\\(?:(?P<code>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})|(?P<letter>[^xu])|[xu])", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


@dataclass(frozen=True)
class Path:
    """A name that the row has a value for, such as `person.name` or `@index`."""

    words: tuple[str, ...]
    offset: int


Value = str | int | float | bool | None | Path | list["Value"]


@dataclass(frozen=True)
class Command:
    """A tag such as `{{gen 'name' regex='[a-z]+'}}`."""

    name: str
    values: list[Value]
    options: dict[str, Value]
    offset: int


@dataclass
class Block:
    """What stands between `{{#name path}}` and `{{/name}}`; `other` is what follows `{{else}}`."""

    name: str
    path: Path | None
    offset: int
    inner: list[Node] = field(default_factory=list)
    other: list[Node] | None = None


Node = str | Path | Command | Block


def fail(text: str, offset: int, message: str) -> NoReturn:
    """Raise an error about a place in a template."""
    line = text.count("\n", 0, offset) + 1
    raise GrammarError(f"template: {message}", line=line, column=offset - text.rfind("\n", 0, offset))


def parse(text: str) -> list[Node]:
    """The tree of a template. The time is linear in its length.

    Raises:
        GrammarError: a tag is malformed, or a block is not closed (`line` and `column` say where).
        LimitError: the template is too long, or its blocks are nested too deep.
    """
    if len(text) > MAX_SIZE:
        raise LimitError("source_bytes", MAX_SIZE, "the template is too long")
    top = Block("", None, 0)
    stack = [top]
    place = 0
    stripped = False
    while True:
        start = text.find("{{", place)
        tag = TAG.match(text, start - (start > place and text[start - 1] == "\\")) if start >= 0 else None
        if tag is None:
            if start >= 0:
                fail(text, start, "this tag has no end")
            _add_text(stack[-1], text[place:], stripped, False)
            break
        _add_text(stack[-1], text[place : tag.start()], stripped, tag["left"] == "~")
        place = tag.end()
        stripped = "~" in (tag["right0"], tag["right1"], tag["right2"])
        if tag["escaped"] is not None:
            _add_text(stack[-1], "{{", False, False)
        elif tag["body"] is not None:
            _add_tag(text, stack, tag["body"], tag.start("body"))
    if len(stack) > 1:
        fail(text, stack[-1].offset, f"{{{{#{stack[-1].name}}}}} has no {{{{/{stack[-1].name}}}}}")
    return top.inner


def _add_text(block: Block, text: str, left: bool, right: bool) -> None:
    if left:
        text = text.lstrip()
    if right:
        text = text.rstrip()
    if text:
        (block.inner if block.other is None else block.other).append(text)


def _add_tag(text: str, stack: list[Block], body: str, offset: int) -> None:
    kind = body[:1]
    here = stack[-1]
    if kind == "/":
        name = body[1:].strip()
        if name != here.name:
            expected = f"{{{{/{here.name}}}}}" if here.name else "no block to close"
            fail(text, offset, f"found {{{{/{name}}}}}, but expected {expected}")
        stack.pop()
        return
    nodes = here.inner if here.other is None else here.other
    if body.strip() == "else":
        if here.name != "if" or here.other is not None:
            fail(text, offset, "{{else}} belongs into {{#if}}, once")
        here.other = []
        return
    values, options = _words(text, body[1:] if kind == "#" else body, offset + (kind == "#"))
    first = values[0] if values else None
    if not isinstance(first, Path):
        fail(text, offset, "a tag begins with a name")
    word = ".".join(first.words)
    if kind == "#":
        path = values[1] if len(values) == 2 else None
        takes_path = word in ("each", "if")
        if word not in BLOCKS:
            fail(text, offset, f"there is no block {word!r}; there are {', '.join(BLOCKS)}")
        if options or len(values) > 2 or takes_path != isinstance(path, Path):
            fail(text, offset, f"{{{{#{word}}}}} takes {'the name of a value' if takes_path else 'nothing'}")
        if len(stack) > MAX_DEPTH:
            raise LimitError("nesting", MAX_DEPTH, "the template's blocks are nested too deep")
        block = Block(word, path if isinstance(path, Path) else None, offset)
        nodes.append(block)
        stack.append(block)
    elif word in COMMANDS:
        nodes.append(Command(word, values[1:], options, offset))
    elif word == "else":
        fail(text, offset, "{{else}} takes nothing; put an {{#if}} of its own behind it")
    elif len(values) > 1 or options:
        fail(text, offset, f"there is no command {word!r}; there are {', '.join(COMMANDS)}")
    else:
        nodes.append(first)


def _words(text: str, body: str, offset: int) -> tuple[list[Value], dict[str, Value]]:
    """The values of a tag, and those with a key."""
    values: list[Value] = []
    options: dict[str, Value] = {}
    key: str | None = None
    open_list: list[Value] | None = None
    place = 0
    body = body.rstrip()
    while place < len(body):
        found = WORD.match(body, place)
        assert found is not None
        here = offset + found.start(found.lastgroup or 0)
        place = found.end()
        value: Value
        if found["key"] is not None:
            if key is not None or open_list is not None or found["key"] in options:
                fail(text, here, f"{found['key']}= does not belong here")
            key = found["key"]
            continue
        if found["list"] is not None and open_list is None:
            open_list = []
            continue
        if found["comma"] is not None and open_list is not None:
            continue
        if found["end"] is not None and open_list is not None:
            value, open_list = open_list, None
        elif found["text"] is not None:
            value = _string(text, found["text"], here)
        elif found["number"] is not None:
            value = float(found["number"]) if "." in found["number"] else int(found["number"])
        elif found["path"] is not None:
            words = {"true": True, "false": False, "null": None}
            value = words[found["path"]] if found["path"] in words else Path(tuple(found["path"].split(".")), here)
        else:
            fail(text, here, f"{found[0].strip()!r} does not belong here")
        if open_list is not None:
            open_list.append(value)
        elif key is not None:
            options[key] = value
            key = None
        else:
            values.append(value)
    if key is not None or open_list is not None:
        fail(text, offset + len(body), "a value is missing" if open_list is None else "a list has no ]")
    return values, options


def _string(text: str, quoted: str, offset: int) -> str:
    """A quoted text. A backslash before a letter that has no meaning stays, so patterns can be written as they are."""

    def meant(found: re.Match[str]) -> str:
        if found["letter"] is not None:
            return ESCAPES.get(found["letter"], found[0])
        if found["code"] is None:
            digits = 2 if found[0].endswith("x") else 4
            fail(text, offset + 1 + found.start(), f"{found[0]} needs {digits} hexadecimal digits")
        code = int(found["code"][1:], 16)
        if 0xD800 <= code < 0xE000:
            fail(text, offset + 1 + found.start(), f"{found[0]} is half of a surrogate pair")
        return chr(code)

    return ESCAPE.sub(meant, quoted[1:-1])
