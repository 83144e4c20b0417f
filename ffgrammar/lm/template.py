"""`template`: programs written as text.

    hello = template("I have {{gen 'count' regex='[0-9]+'}} {{noun}}.")
    model.state() + hello(noun="apples")

A template is a function from values to a program: texts, holes and selections, and turns of a chat. Values are data:
what looks like a tag in a value is text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, overload

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import Part
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError
from ffgrammar.lm.chat import assistant, system, user
from ffgrammar.lm.program import Hole, Program, Said, Selection, gen, many, select
from ffgrammar.lm.template_text import Block, Command, Node, Path, Value, fail, parse

__all__ = ["Template", "template"]

ROLES: Mapping[str, Callable[[Program], Program]] = {"system": system, "user": user, "assistant": assistant}

# What `!r`, `!s` and `!a` do in a template string.
CONVERSIONS: Mapping[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}

# How many nodes and blocks are filled. Blocks of a short template can take lists in lists.
MAX_NODES = 200_000

# Values by name, those of inner blocks last.
_Scopes = tuple[Mapping[str, Any], ...]


class Template:
    """A program written as text: a function from values to the program. `template` makes it.

    Attributes:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._nodes = parse(text)

    def __call__(self, row: Mapping[str, Any] | None = None, /, **values: Any) -> Program:
        """The program for some values.

        Args:
            row: values by name.
            values: further ones, which count more.

        Raises:
            GrammarError: a value is missing or of a wrong kind (`line` and `column` say where), lists make more than
                200,000 pieces, or what `gen`, `select` and `many` raise.
            TypeError: the row is no mapping, or what `gen`, `select` and `many` raise.
        """
        expect("template: row", row, (Mapping, type(None)), "a mapping")
        return _Filling(self.text).program(self._nodes, ({**(row or {}), **values},))

    def __repr__(self) -> str:
        return f"<Template of {len(self.text)} characters>"


@overload
def template(text: str) -> Template: ...
@overload
def template(text: Any) -> Program: ...
def template(text: Any) -> Template | Program:
    """A program written as text.

    | in the text | is |
    |---|---|
    | `{{name}}`, `{{person.name}}` | a value; or what was written under this name earlier in the template |
    | `{{gen 'name' regex='…'}}` | a hole, with the options of `gen`; `pattern` is another name of `regex` |
    | `{{select 'name' options=…}}` | a selection: a list, or the name of one |
    | `{{many 'name' regex='…' separator=', '}}` | a hole several times, with the options of `gen` and `many` |
    | `{{#each list}}…{{/each}}` | once for each item: `{{this}}`, `{{@index}}`, and the names that an item has |
    | `{{#if name}}…{{else}}…{{/if}}` | depends on a value |
    | `{{#system}}…{{/system}}`, `user`, `assistant` | a turn of a chat |
    | `{{! … }}` | nothing |
    | `\\{{` | two braces |

    A `~` inside the braces, as in `{{~name~}}`, takes away the white space on its side.

    In quoted texts `\\n`, `\\r`, `\\t`, `\\xhh`, `\\uhhhh`, and a backslash before a quotation mark or a backslash mean
    what they mean in Python. Every other backslash stays, so a pattern may have `\\d`.

    Args:
        text: the text; or a template string (`t"…"`, Python 3.14), whose values are programs, parts, or become text.

    Returns:
        A `Template`; a `Program` for a template string.

    Raises:
        GrammarError: the text is malformed (`line` and `column` say where).
        LimitError: it is too long or nested too deep.
        TypeError: it is of another type.
    """
    if isinstance(text, str):
        return Template(text)
    strings, interpolations = getattr(text, "strings", None), getattr(text, "interpolations", None)
    if strings is None or interpolations is None:
        raise TypeError(f"template: expected a str or a template string, not {type(text).__name__}")
    made = Program(())
    for number, fixed in enumerate(strings):
        made += fixed
        if number < len(interpolations):
            made += _interpolated(interpolations[number])
    return made


def _interpolated(one: Any) -> Program:
    """A value of a template string."""
    value = one.value
    if isinstance(value, Program | Part | Grammar):
        return Program.of(value)
    if one.conversion is not None:
        value = CONVERSIONS[one.conversion](value)
    return Program.of(format(value, one.format_spec))


class _Filling:
    """Makes the program of a template."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.said: set[str] = set()
        self._left = MAX_NODES

    def program(self, nodes: list[Node], scopes: _Scopes) -> Program:
        # (a block counts, too: it may be empty and stand in many lists)
        self._left -= 1 + len(nodes)
        if self._left < 0:
            fail(self.text, 0, f"the lists make more than {MAX_NODES} pieces of this template")
        return Program.joined(part for node in nodes for part in self.parts(node, scopes))

    def parts(self, node: Node, scopes: _Scopes) -> Iterator[Program]:
        if isinstance(node, str):
            yield Program.of(node)
        elif isinstance(node, Path):
            yield self.shown(node, scopes)
        elif isinstance(node, Command):
            yield self.command(node, scopes)
        elif node.name in ROLES:
            yield ROLES[node.name](self.program(node.inner, scopes))
        else:
            yield from self.block(node, scopes)

    def block(self, node: Block, scopes: _Scopes) -> Iterator[Program]:
        assert node.path is not None
        if node.name == "if":
            yield self.program(node.inner if self.value(node.path, scopes) else node.other or [], scopes)
            return
        items = self.value(node.path, scopes)
        if not isinstance(items, list | tuple):
            fail(self.text, node.offset, f"{{{{#each}}}} needs a list, not {type(items).__name__}")
        for index, item in enumerate(items):
            own = {"this": item, "@index": index, **(item if isinstance(item, Mapping) else {})}
            yield self.program(node.inner, (*scopes, own))

    def shown(self, path: Path, scopes: _Scopes) -> Program:
        """A value as text, or what was written under a name."""
        name = path.words[0]
        if len(path.words) == 1 and name in self.said:
            return Program((Said(name),))
        value = self.value(path, scopes)
        if isinstance(value, Program | Part | Grammar):
            return Program.of(value)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            fail(self.text, path.offset, f"{'.'.join(path.words)} is a {type(value).__name__}, and no text or number")
        return Program.of(str(value))

    def value(self, path: Path, scopes: _Scopes) -> Any:
        name = path.words[0]
        known = next((scope for scope in reversed(scopes) if name in scope), None)
        if known is None:
            names = ", ".join(sorted({key for scope in scopes for key in scope} | self.said)) or "none"
            fail(self.text, path.offset, f"there is no value {name!r}; the names are {names}")
        value = known[name]
        for word in path.words[1:]:
            if not isinstance(value, Mapping) or word not in value:
                fail(self.text, path.offset, f"{'.'.join(path.words)}: there is no {word!r}")
            value = value[word]
        return value

    def plain(self, value: Value, scopes: _Scopes) -> Any:
        """A value of a command."""
        if isinstance(value, Path):
            return self.value(value, scopes)
        return [self.plain(one, scopes) for one in value] if isinstance(value, list) else value

    def command(self, node: Command, scopes: _Scopes) -> Program:
        values = [self.plain(one, scopes) for one in node.values]
        options = {key: self.plain(one, scopes) for key, one in node.options.items()}
        if "pattern" in options:
            if "regex" in options:
                fail(self.text, node.offset, "pattern is another name of regex: give one of them")
            options["regex"] = options.pop("pattern")
        try:
            made = self.made(node.name, values, options)
        except TypeError as error:
            fail(self.text, node.offset, f"{{{{{node.name}}}}}: {error}")
        except GrammarError as error:
            if error.line is not None:
                raise
            fail(self.text, node.offset, str(error))
        self.said |= {one.name for one in made.pieces if isinstance(one, Hole | Selection) and one.name is not None}
        return made

    def made(self, name: str, values: list[Any], options: dict[str, Any]) -> Program:
        if name == "gen":
            return gen(*values, **options)
        if name == "select":
            return select(*values, **options)
        own = {key: options.pop(key) for key in ("separator", "least", "most") if key in options}
        if len(values) != 1:
            raise GrammarError("many takes one name")
        return many(values[0], gen(**options), **own)
