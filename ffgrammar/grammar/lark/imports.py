"""%import: definitions of other texts.

As in Lark, a name that is imported from `a/b.lark` keeps its name, or gets its alias. What it uses of its text comes
along, as `a__b__name`. So nothing of another text can be meant by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.common import COMMON
from ffgrammar.grammar.lark.files import Files, Found
from ffgrammar.grammar.lark.source import Definition, Op, Scope, Source
from ffgrammar.grammar.lark.texts import Texts, error_at
from ffgrammar.grammar.names import did_you_mean, one_of

if TYPE_CHECKING:
    from ffgrammar.grammar.lark.tokens import Token

__all__ = ["Importer", "Wanted", "define", "merge", "reached"]

# Each definition that a file brings counts as this many productions. (Each import of a file has its own definitions, so
# files that import others twice could bring any number.)
DEFINITION_COST = 100
# How deep files may import each other.
MAX_DEPTH = 50
_NAMED = ("name", "call", "param")


class Wanted:
    """What a text imports."""

    def __init__(self) -> None:
        # By whether the path is relative, and its steps: where it stands first, and names with aliases and places.
        self.paths: dict[tuple[bool, tuple[str, ...]], tuple[int, dict[str, list[tuple[str, int, int]]]]] = {}

    def add(self, relative: bool, steps: tuple[str, ...], offset: int, name: Token, alias: Token) -> None:
        """Note one name."""
        names = self.paths.setdefault((relative, steps), (offset, {}))[1]
        aliases = names.setdefault(name.value, [])
        if all(one != alias.value for one, _, _ in aliases):
            aliases.append((alias.value, alias.offset, name.offset))


class Importer:
    """Finds and reads the texts that are imported.

    Args:
        texts: where they are added.
        limits: bounds on their size.
        files: where they are found.
        read_text: reads a text, given its offset and the folder of its relative imports.
    """

    def __init__(
        self, texts: Texts, limits: Limits, files: Files, read_text: Callable[[int, str | None], Source]
    ) -> None:
        self.texts = texts
        self.limits = limits
        self.files = files
        self._read_text = read_text
        self._known: dict[str, Source] = {}
        # The files that are being read, by their paths, with their names.
        self._open: dict[str, str] = {}

    def bring(self, target: Source, wanted: Wanted, folder: str | None) -> None:
        """Add to a text what it imports.

        Raises:
            GrammarError: there is no such file or no such name, files import each other in a circle, or a name is
                defined twice.
        """
        for (relative, steps), (offset, names) in wanted.paths.items():
            source = self._source(steps, relative, folder, offset)
            aliases = {}
            for name, places in names.items():
                if name not in source.table(name):
                    raise self._missing(source, ".".join(steps), name, places[0][2])
                for alias, at, _ in places:
                    check_new(target, alias, at)
                aliases[name] = [alias for alias, _, _ in places]
            merge(target, source, "__".join(steps), aliases, nested=False, limits=self.limits)

    def _missing(self, source: Source, library: str, name: str, offset: int) -> GrammarError:
        table = source.table(name)
        hint = did_you_mean(name, table)
        has = f"; it has {one_of(one for one in table if '__' not in one)}" if table else ""
        return error_at(self.texts, offset, f"{library} has no {name}{hint}{has}")

    def _source(self, steps: tuple[str, ...], relative: bool, folder: str | None, offset: int) -> Source:
        if steps == ("common",) and not relative and not self.files.shadows(steps):
            return self._common()
        found = self.files.find(steps, relative, folder)
        if isinstance(found, str):
            library = f"; the library has common, {', '.join(self.files.library())}" if not relative else ""
            raise error_at(self.texts, offset, found + library)
        known = self._known.get(found.path)
        if known is None:
            known = self._known[found.path] = self._read(found, offset)
        return known

    def _read(self, found: Found, offset: int) -> Source:
        if found.path in self._open:
            circle = " imports ".join([*self._open.values(), found.name])
            raise error_at(self.texts, offset, f"files import each other in a circle: {circle}")
        if len(self._open) >= MAX_DEPTH:
            raise error_at(self.texts, offset, f"files import each other more than {MAX_DEPTH} deep")
        try:
            with open(found.path, "rb") as file:
                data = file.read(self.limits.source_bytes + 1)
            if len(data) > self.limits.source_bytes:
                raise LimitError("source_bytes", self.limits.source_bytes, f"{found.name} is too long")
            text = data.decode("utf-8-sig")
        except OSError as error:
            raise error_at(self.texts, offset, f"{found.name} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise error_at(self.texts, offset, f"{found.name} is not UTF-8 at byte {error.start}") from None
        self._open[found.path] = found.name
        try:
            return self._read_text(self.texts.add(text, found.name), found.folder)
        finally:
            del self._open[found.path]

    def _common(self) -> Source:
        """The common library as a text of its own."""
        source = Source(self.texts)
        for name in COMMON:
            source.terminals[name] = Definition(name, 0, (Op("common", name, 0),))
        return source


def check_new(source: Source, name: str, offset: int) -> None:
    """Refuse a name that is defined already, with a GrammarError."""
    earlier = source.table(name).get(name)
    if earlier is not None:
        message = f"{name} is already defined at {source.texts.told(earlier.offset)}"
        raise error_at(source.texts, offset, message)


def define(source: Source, definition: Definition) -> None:
    """Add a definition. The same import of a common terminal twice is no mistake.

    Raises:
        GrammarError: the name is defined already.
    """
    name = definition.name
    table = source.table(name)
    earlier = table.get(name)
    if earlier is not None and not _same_import(earlier, definition):
        check_new(source, name, definition.offset)
    table[name] = definition


def _same_import(one: Definition, other: Definition) -> bool:
    body = one.body
    return len(body) == 1 and body[0].code == "common" and [op[:2] for op in body] == [op[:2] for op in other.body]


def merge(
    target: Source, inner: Source, prefix: str, aliases: Mapping[str, list[str]], *, nested: bool, limits: Limits
) -> None:
    """Add definitions of one text to another, with all that they use.

    Args:
        target: where they are added.
        inner: their text.
        prefix: what other names than those of `aliases` begin with.
        aliases: the names that are added, with their new names.
        nested: whether %ignore of the inner text holds in them. If not, that of the other text does.
        limits: bounds on the definitions.

    Raises:
        GrammarError: a name is defined already.
        LimitError: there are too many definitions.
    """
    ignored = [op for scope in inner.scopes[not nested :] for one in scope.ignored for op in one.body]
    needed = reached(inner, [*aliases, *_names(ignored, ())])
    if len(needed) * DEFINITION_COST > limits.rules:
        raise LimitError("rules", limits.rules, f"{prefix} brings too many definitions")

    def renamed(name: str) -> str:
        if name in aliases:
            return aliases[name][0]
        return f"_{prefix}__{name[1:]}" if name.startswith("_") else f"{prefix}__{name}"

    def scope(number: int) -> int:
        return number + len(target.scopes) - (not nested) if nested or number else 0

    for one in needed:
        made = _renamed(one, renamed(one.name), renamed)._replace(scope=scope(one.scope))
        check_new(target, made.name, made.offset)
        target.table(made.name)[made.name] = made
        for alias in aliases.get(one.name, ())[1:]:
            body = (Op("name", made.name, one.offset),)
            target.table(alias)[alias] = Definition(alias, one.offset, body, scope=made.scope)
    for old in inner.scopes[not nested :]:
        new = [_renamed(one, "%ignore", renamed) for one in old.ignored]
        target.scopes.append(Scope(new, old.once, old.initial))
    _bring_warnings(target, inner, nested)


def _bring_warnings(target: Source, inner: Source, nested: bool) -> None:
    warnings = list(inner.warnings)
    if not nested and inner.ignored:
        told = inner.texts.told(inner.ignored[0].offset)
        warnings.append(
            f"{told}: %ignore of a file that is imported has no effect: write it where the file is imported"
        )
    target.warnings += [one for one in warnings if one not in target.warnings]


def _names(body: Iterator[Op] | list[Op] | tuple[Op, ...], params: tuple[str, ...]) -> Iterator[str]:
    """The names that a body uses."""
    for op in body:
        if op.code in _NAMED:
            name = op.argument if op.code == "name" else op.argument[0]
            if name not in params:
                yield name


def reached(source: Source, names: list[str]) -> list[Definition]:
    """The definitions of some names, and all that they use."""
    found: dict[str, Definition] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        definition = source.table(name).get(name)
        if definition is not None and name not in found:
            found[name] = definition
            todo += _names(definition.body, definition.params)
    return list(found.values())


def _renamed(one: Definition, name: str, renamed: Callable[[str], str]) -> Definition:
    """A definition with other names."""
    body = []
    for op in one.body:
        if op.code == "name" and op.argument not in one.params:
            body.append(op._replace(argument=renamed(op.argument)))
        elif op.code in ("call", "param") and op.argument[0] not in one.params:
            body.append(op._replace(argument=(renamed(op.argument[0]), op.argument[1])))
        else:
            body.append(op)
    return one._replace(name=name, body=tuple(body))
