# cython: language_level=3
"""From the text of a Lark grammar to its definitions: the statements of a text, one after another.

The text is cut into tokens (tokens.py), and one pass over them reads definitions, whose bodies are in postfix order
(body.py). What %import brings, and what %override and %extend change, is settled when the whole text has been read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.attributes import read_attributes
from ffgrammar.grammar.lark.body import BodyReader
from ffgrammar.grammar.lark.changes import Change, change
from ffgrammar.grammar.lark.common import COMMON
from ffgrammar.grammar.lark.files import Files
from ffgrammar.grammar.lark.imports import Importer, Wanted, define, merge
from ffgrammar.grammar.lark.options import read_options
from ffgrammar.grammar.lark.source import Attributes, Definition, Op, Source
from ffgrammar.grammar.lark.texts import Texts
from ffgrammar.grammar.lark.tokens import Token, shown
from ffgrammar.grammar.names import did_you_mean, one_of

__all__ = ["read"]

_STATEMENTS = ("%ignore", "%import", "%declare", "%override", "%extend", "%llguidance", "%indenter", "%words")
# How deep grammars may be nested (`%lark {`).
MAX_NESTED = 20
_NO_FILES = Files()


def read(text: str, limits: Limits, files: Files = _NO_FILES, grammars: Mapping[str, Any] | None = None) -> Source:
    """Read a whole Lark text.

    Args:
        text: the grammar.
        limits: `source_bytes`, `nesting` and `rules` apply.
        files: where %import finds files.
        grammars: what `@name` stands for: Lark texts, and schemas as dicts or bools.

    Raises:
        GrammarError: the text is malformed (`line` and `column` say where), or a file cannot be imported.
        UnsupportedError: it has something of Lark that is not supported.
        LimitError: it is too long, nested too deep, or repeats something too often.
    """
    texts = Texts(text, limits)

    def read_text(begin: int, folder: str | None) -> Source:
        return Reader(texts, begin, limits, importer, folder, {}).read()

    importer = Importer(texts, limits, files, read_text)
    return Reader(texts, 0, limits, importer, files.base, grammars or {}).read()


class Reader(BodyReader):
    """Reads the statements of a text.

    Args:
        texts, begin, limits: as for `Cursor`.
        importer: finds and reads what the text imports.
        folder: what relative imports are relative to; None if there are none.
        grammars: what `@name` stands for.
    """

    def __init__(
        self,
        texts: Texts,
        begin: int,
        limits: Limits,
        importer: Importer,
        folder: str | None,
        grammars: Mapping[str, Any],
    ) -> None:
        super().__init__(texts, begin, limits)
        self.importer = importer
        self.folder = folder
        self.grammars = grammars
        self.source = Source(texts)
        self.wanted = Wanted()
        self.changes: list[Change] = []
        # How many grammars were nested, and the names of those that `@name` stands for.
        self.count = 0
        self.named: dict[str, str] = {}

    def read(self) -> Source:
        """Read the whole text."""
        while self.tokens[self.at].kind != "end":
            token = self.tokens[self.at]
            if token.kind == "newline":
                self.at += 1
            elif token.kind == "}" and self.depth:
                break
            elif token.kind in ("keyword", "%llguidance", "%indenter"):
                self.at += 1
                self.statement(token)
            else:
                definition = self.definition()
                define(self.source, definition)
        self.importer.bring(self.source, self.wanted, self.folder)
        for one in self.changes:
            change(self.source, one)
        return self.source

    def warn(self, offset: int, message: str) -> None:
        self.source.warnings.append(f"{self.texts.told(offset)}: {message}")

    # Statements

    def statement(self, keyword: Token) -> None:
        if keyword.value == "%ignore":
            self.source.ignored.append(self.body("%ignore", keyword.offset, True))
        elif keyword.value == "%words":
            self.source.words.append(self.body("%words", keyword.offset, True))
        elif keyword.kind == "%indenter":
            self.indenter(keyword)
        elif keyword.value == "%import":
            self.imports()
        elif keyword.value == "%declare":
            self.declare()
        elif keyword.value in ("%override", "%extend"):
            self.changes.append(Change(keyword.value, keyword.offset, self.definition()))
        elif keyword.kind == "%llguidance":
            for message in read_options(self.texts, keyword, self.source.scopes[0]):
                self.warn(keyword.offset, message)
        else:
            hint = did_you_mean(keyword.value, _STATEMENTS) or f"; there are {one_of(_STATEMENTS)}"
            raise self.error(keyword.offset, f"unknown statement {keyword.value}{hint}")

    def indenter(self, token: Token) -> None:
        """Read `%indenter`."""
        if self.source.indenter is not None:
            raise self.error(token.offset, "there is an %indenter already")
        self.source.indenter = Op("indenter", token.value, token.offset)
        self.take("newline", what="the end of the line")

    def declare(self) -> None:
        """Read `%declare`: terminals without a body."""
        token = self.take("terminal", what="the name of a terminal (upper case)")
        while True:
            define(self.source, Definition(token.value, token.offset, (), 0, declared=True))
            if self.tokens[self.at].kind == ",":
                self.at += 1
            if self.tokens[self.at].kind in ("newline", "}"):
                return
            token = self.take("terminal", what="the name of a terminal (upper case) or the end of the line")

    def imports(self) -> None:
        """Read `%import`."""
        relative = self.tokens[self.at].kind == "."
        if relative:
            self.at += 1
        path = [self.take("rule", "terminal", what="the name of a library or of a file")]
        while self.tokens[self.at].kind == ".":
            self.at += 1
            path.append(self.take("rule", "terminal", what="a name after '.'"))
        if self.tokens[self.at].kind == "(":
            self.at += 1
            while True:
                self.skip_newlines()
                name = self.take("rule", "terminal", what="the name of a rule or terminal")
                self.want(relative, path, name, name)
                self.skip_newlines()
                if self.take(",", ")", what="',' or ')'").kind == ")":
                    break
        elif len(path) > 1:
            name = alias = path.pop()
            if self.tokens[self.at].kind == "->":
                self.at += 1
                kind = "lower" if name.kind == "rule" else "upper"
                alias = self.take(name.kind, what=f"the name of a {name.kind} ({kind} case)")
            self.want(relative, path, name, alias)
        else:
            written = ("." if relative else "") + path[0].value
            message = f"write `%import {written}.NAME` or `%import {written} (NAME, NAME)`"
            raise self.error(path[0].offset, message)
        if self.tokens[self.at].kind != "}":
            self.take("newline", what="the end of the line")

    def want(self, relative: bool, path: list[Token], name: Token, alias: Token) -> None:
        """Note one name that is imported. Terminals of the common library are defined at once."""
        steps = tuple(token.value for token in path)
        if steps != ("common",) or relative or self.importer.files.shadows(steps):
            self.wanted.add(relative, steps, path[0].offset, name, alias)
            return
        if name.value not in COMMON:
            hint = did_you_mean(name.value, COMMON)
            raise self.error(name.offset, f"common has no {name.value}{hint}; it has {', '.join(COMMON)}")
        define(self.source, Definition(alias.value, alias.offset, (Op("common", name.value, name.offset),)))

    # Definitions

    def definition(self) -> Definition:
        """Read a rule or a terminal."""
        modifiers = self.at
        while self.tokens[self.at].kind in ("?", "!"):
            self.at += 1
        name = self.take("rule", "terminal", what="a rule, a terminal or a statement")
        terminal = name.kind == "terminal"
        if terminal and self.at - 1 > modifiers:
            raise self.error(self.tokens[modifiers].offset, "only rules take ? and !")
        kind = self.tokens[self.at].kind
        if kind == ":":
            self.at += 1
            return self.body(name.value, name.offset, terminal)
        params = self.params(terminal) if kind == "{" else ()
        parametric = self.parameter(terminal) if self.tokens[self.at].kind == "::" else False
        attributes: Attributes | None = None
        while self.tokens[self.at].kind in ("[", "."):
            if self.tokens[self.at].kind == ".":
                self.priority(name)
            elif attributes is not None:
                raise self.error(self.tokens[self.at].offset, "attributes stand in one pair of brackets")
            else:
                attributes = read_attributes(self, terminal)
        self.take(":", what=f"':' after {name.value}")
        lazy = terminal and attributes is not None
        body = self.body(name.value, name.offset, terminal, lazy)
        if terminal:
            return body
        return self.with_head(body, params, parametric, attributes)

    def with_head(
        self, body: Definition, params: tuple[str, ...], parametric: bool, attributes: Attributes | None
    ) -> Definition:
        """A rule with what stands between its name and its colon."""
        if attributes is not None and (params or parametric):
            raise self.unsupported(
                attributes.offset, "a rule with parameters can have no attributes: name a part of it"
            )
        return body._replace(params=params, parametric=parametric, attributes=attributes)

    def params(self, terminal: bool) -> tuple[str, ...]:
        """Read the parameters of a template."""
        brace = self.step()
        if terminal:
            raise self.unsupported(brace.offset, "templates are rules: write the name in lower case")
        names: list[str] = []
        while True:
            name = self.take("rule", what="the name of a parameter (lower case)")
            if name.value in names:
                raise self.error(name.offset, f"two parameters have the name {name.value}")
            names.append(name.value)
            if self.take(",", "}", what="',' or '}'").kind == "}":
                return tuple(names)

    def parameter(self, terminal: bool) -> bool:
        """Read the mark of a rule with a number as parameter."""
        mark = self.step()
        if terminal:
            raise self.unsupported(mark.offset, "only rules can have parameters: write the name in lower case")
        if self.tokens[self.at].kind == "=":
            raise self.error(mark.offset, "a rule is written NAME: ... here; '::=' is of GBNF and EBNF")
        self.take("_", what="'_': the parameter of a rule is written name::_")
        return True

    def priority(self, name: Token) -> None:
        self.at += 1
        priority = self.take("number", what="a priority")
        if name.kind == "terminal":
            self.warn(
                priority.offset,
                f"the priority of {name.value} has no effect: all terminals that match the longest text are kept",
            )

    # Grammars in grammars

    def nested(self, token: Token) -> Op:
        if token.kind == "grammar":
            return self.grammar(token)
        self.take("{", what="'{' after %lark")
        if self.depth >= MAX_NESTED:
            raise self.unsupported(token.offset, f"grammars can be nested {MAX_NESTED} deep, not deeper")
        outer = (self.source, self.wanted, self.changes)
        self.source, self.wanted, self.changes = Source(self.texts), Wanted(), []
        self.depth += 1
        inner = self.read()
        self.depth -= 1
        self.source, self.wanted, self.changes = outer
        self.take("}", what="'}' at the end of the grammar inside")
        self.count += 1
        return Op("name", self.embed(inner, f"lark{self.count}", token), token.offset)

    def grammar(self, token: Token) -> Op:
        """The step of a grammar with a name."""
        name = token.value[1:]
        if name not in self.grammars:
            known = f"; there are {one_of(self.grammars)}" if self.grammars else "; give it with grammars={...}"
            raise self.error(token.offset, f"there is no grammar {name}{did_you_mean(name, self.grammars) or known}")
        given = self.grammars[name]
        if not isinstance(given, str):
            try:
                return Op("json", json.dumps(given), token.offset)
            except (TypeError, ValueError, RecursionError) as error:
                raise self.error(token.offset, f"the schema {name} is no JSON: {error}") from None
        if name not in self.named:
            begin = self.texts.add(given, f"@{name}")
            inner = Reader(self.texts, begin, self.limits, self.importer, self.folder, {}).read()
            self.named[name] = self.embed(inner, name.replace("-", "_").lower(), token)
        return Op("name", self.named[name], token.offset)

    def embed(self, inner: Source, prefix: str, token: Token) -> str:
        """Add the definitions of a grammar inside this one. Returns the name of its start."""
        if "start" not in inner.rules:
            raise self.error(token.offset, f"the grammar {shown(token)} has {no_start(inner, 'start')}")
        start = f"{prefix}__start"
        merge(self.source, inner, prefix, {"start": [start]}, nested=True, limits=self.limits)
        return start


def no_start(source: Source, start: str) -> str:
    """The end of a message about a start that is not defined."""
    hint = did_you_mean(start, [*source.rules, *source.terminals])
    rules = f"; the rules are {one_of(source.rules)}" if source.rules else "; there are no rules"
    return f"no rule {start!r} to start with{hint}{rules}; name another one with start="
