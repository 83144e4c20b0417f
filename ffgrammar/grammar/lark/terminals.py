# cython: language_level=3
"""From the definition of a terminal to an expression: each terminal becomes one lexeme.

A body is evaluated to one expression, which contains the expressions of the terminals that the body uses. So a terminal
cannot be recursive. Intersection and complement (`&` and `~`) need no work here, because expressions have both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from ffgrammar.core.errors import GrammarError, UnsupportedError, located
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.common import COMMON
from ffgrammar.grammar.lark.pattern import Translation, translate
from ffgrammar.grammar.lark.source import Definition, Op, Source, popped
from ffgrammar.grammar.lark.substrings import substrings
from ffgrammar.grammar.lark.texts import error_at
from ffgrammar.grammar.names import did_you_mean
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, ExprStore
from ffgrammar.regex.lower.lowering import UTF8, any_text, lower
from ffgrammar.regex.syntax.charset import Charset, case_variants, from_ranges
from ffgrammar.regex.syntax.parser import Node, parse

__all__ = ["Terminals"]


class _Value(NamedTuple):
    """A value on the stack of `Terminals.whole`.

    Attributes:
        expr: an expression.
        negated: whether the value is all texts that the expression does not match.
        literal: the bytes, if the expression matches exactly these; else None.
    """

    expr: int
    negated: bool = False
    literal: bytes | None = None


class Terminals:
    """The expressions of the terminals of a source.

    Attributes:
        exprs: the expressions by the names of their terminals; `compile` adds them.
    """

    def __init__(self, source: Source, store: ExprStore, limits: Limits) -> None:
        self.source = source
        self.store = store
        self.limits = limits
        self.exprs: dict[str, int] = {}
        self.translations: dict[tuple[str, str], Translation] = {}  # by (pattern, flags)
        self.patterns: dict[tuple[str, str], int] = {}  # expressions by (pattern, flags)

    def error(self, offset: int, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
        return error_at(self.source.texts, offset, message, kind)

    def undefined(self, op: Op) -> GrammarError:
        hint = f"; write %import common.{op.argument}" if op.argument in COMMON else ""
        known = [*self.source.rules, *self.source.terminals]
        return self.error(op.offset, f"{op.argument} is not defined{hint or did_you_mean(op.argument, known)}")

    def compile(self, name: str) -> None:
        """Compile a terminal, and before it the terminals that it uses.

        This does not recurse, because chains of terminals that use each other may be long.
        """
        terminals, done = self.source.terminals, self.exprs
        todo = [name]
        underway: set[str] = set()
        while todo:
            name = todo[-1]
            if name in done:
                todo.pop()
                continue
            definition = terminals[name]
            if definition.declared:
                todo.pop()
                continue
            missing = [op for op in definition.body if op.code == "name" and op.argument not in done]
            if missing:
                underway.add(name)
                for op in missing:
                    if op.argument not in terminals or terminals[op.argument].declared:
                        raise self.not_a_terminal(op)
                    if op.argument in underway:
                        raise self.error(op.offset, f"terminals cannot be recursive: {op.argument} is part of itself")
                    todo.append(op.argument)
                continue
            underway.discard(name)
            expr = done[name] = self.expression(definition)
            if definition.lazy and self.store.is_nullable(expr):
                self.refuse_lazy(definition)
            todo.pop()

    def refuse_lazy(self, definition: Definition) -> NoReturn:
        message = f"{definition.name} is lazy and matches the empty text, so it would always be empty"
        raise self.error(definition.offset, message)

    def not_a_terminal(self, op: Op) -> GrammarError:
        if op.argument in self.source.terminals:
            message = f"{op.argument} is declared without a body, so it cannot be part of a terminal"
            return self.error(op.offset, message, UnsupportedError)
        if op.argument in self.source.rules:
            return self.error(op.offset, f"{op.argument} is a rule: a terminal can only be made of terminals")
        return self.undefined(op)

    def expression(self, definition: Definition) -> int:
        """The expression of a terminal's body. An error says which terminal it is."""
        with located(lambda: f"in the terminal {definition.name} at {self.source.texts.told(definition.offset)}"):
            return self.whole(definition)

    def whole(self, definition: Definition) -> int:
        """The expression of a terminal's body."""
        if not definition.lazy and any(op.code == "regex" and self.translated(op).lazy for op in definition.body):
            return self.shortest(definition)
        store = self.store
        stack: list[_Value] = []
        for op in definition.body:
            code = op.code
            if code == "not":
                value = stack.pop()
                stack.append(_Value(value.expr, not value.negated))
            elif code == "and":
                stack.append(self.both(popped(stack, op.argument)))
            elif code == "cat":
                stack.append(_Value(store.concat([self.plain(value) for value in popped(stack, op.argument)])))
            elif code == "alt":
                stack.append(_Value(self.union(popped(stack, op.argument))))
            elif code == "rep":
                stack.append(_Value(store.repeat(self.plain(stack.pop()), *op.argument)))
            else:
                stack.append(self.atom(op))
        return self.union(stack)

    def union(self, values: list[_Value]) -> int:
        literals = [value.literal for value in values if value.literal is not None]
        exprs = [self.plain(value) for value in values if value.literal is None]
        if literals:
            exprs.append(self.store.literals(literals))
        return exprs[0] if len(exprs) == 1 else self.store.union(exprs)

    def both(self, values: Sequence[_Value]) -> _Value:
        # A complement also has byte strings that are not UTF-8. The other expressions match UTF-8 only, so they exclude
        # these byte strings. If there are no other expressions, `any_text` excludes them.
        exprs = [self.store.complement(value.expr) if value.negated else value.expr for value in values]
        if all(value.negated for value in values):
            exprs.append(any_text(self.store))
        return _Value(self.store.intersect(exprs))

    def plain(self, value: _Value) -> int:
        return self.both([value]).expr if value.negated else value.expr

    def atom(self, op: Op) -> _Value:
        """The value of a name, a string, a range, a regular expression or the pieces of a text."""
        if op.code == "text" and not op.argument[1]:
            literal = op.argument[0].encode()
            return _Value(self.store.literal(literal), literal=literal)
        if op.code == "name":
            terminal = self.source.terminals.get(op.argument)
            if terminal is None or terminal.declared:
                raise self.not_a_terminal(op)
            if terminal.lazy:
                message = f"{op.argument} is lazy: it can only be a whole lexeme, not a part of another one"
                raise self.error(op.offset, message, UnsupportedError)
            return _Value(self.exprs[op.argument])
        if op.code == "regex":
            found = self.patterns.get(op.argument)
            if found is None:
                found = self.patterns[op.argument] = self.lower(op, self.tree(op))
            return _Value(found)
        if op.code == "pieces":
            return _Value(substrings(self.source.texts, op, self.store, self.limits))
        if op.code == "common":
            return _Value(lower(parse(COMMON[op.argument], limits=self.limits), self.store))
        return _Value(self.store.concat([UTF8.charset(self.store, chars) for chars in _characters(op)]))

    def lower(self, op: Op, node: Node) -> int:
        try:
            return lower(node, self.store)
        except GrammarError as error:
            raise self.placed(op, error) from None

    # Regular expressions

    def translated(self, op: Op) -> Translation:
        found = self.translations.get(op.argument)
        if found is None:
            pattern, flags = op.argument
            found = self.translations[op.argument] = translate(pattern, verbose="x" in flags)
        return found

    def tree(self, op: Op) -> Node:
        """The syntax tree of a regular expression. Its errors are raised with their place in the Lark text."""
        flags = op.argument[1]
        try:
            tree = parse(
                self.translated(op).pattern, ignore_case="i" in flags, dot_all="s" in flags, limits=self.limits
            )
            anchors = [node[1] for node in _nodes(tree) if node[0] in ("start", "end")]
            if anchors:
                message = "an anchor is not supported: a terminal does not know what is around it; leave it out"
                raise UnsupportedError(message, column=min(anchors))
        except GrammarError as error:
            raise self.placed(op, error) from None
        return tree

    def placed(self, op: Op, error: GrammarError) -> GrammarError:
        offsets = self.translated(op).offsets
        column = (error.column or 1) - 1
        inner = offsets[column] if column < len(offsets) else len(op.argument[0])
        return self.error(op.offset + 1 + inner, error.message, type(error))

    def shortest(self, definition: Definition) -> int:
        """The expression of a terminal with a lazy repeat, such as `"/*" /(.|\\n)*?/ "*/"`.

        Lark's lexer (Python's `re`) ends such a terminal as early as it can. If the terminal is one repeated character
        class between single characters, it ends at its shortest match. So a match is left out if a proper prefix of it
        is a match, too. The other matches are a language that has an expression. In other terminals, the end depends on
        the order in which Python tries alternatives and repeats. Such terminals are refused.
        """
        characters: list[Node] = []
        for op in definition.body:
            if op.code == "regex":
                tree = self.tree(op)
                characters.extend(tree[1] if tree[0] == "cat" else [tree])
            elif op.code in ("text", "range"):
                characters.extend(("set", chars) for chars in _characters(op))
            elif op.code != "cat":
                characters.append((op.code,))
        repeats = [node for node in characters if node[0] == "rep"]
        simple = definition.alternatives == 1 and len(repeats) == 1 and _one_character(repeats[0][1])
        if not simple or not all(node[0] in ("rep", "text", "set") for node in characters):
            lazy = next(op for op in definition.body if op.code == "regex" and self.translated(op).lazy)
            message = (
                "a lazy repeat is only supported between single characters; write the terminal so that it ends by "
                "itself, or mark it with [lazy] after its name to end it at its first match"
            )
            raise self.error(lazy.offset, message, UnsupportedError)
        expr = self.lower(definition.body[0], ("cat", characters))
        some_byte = self.store.intersect([ANY_BYTES, self.store.complement(EMPTY)])
        return self.store.intersect([expr, self.store.complement(self.store.concat([expr, some_byte]))])


def _characters(op: Op) -> Iterator[Charset]:
    """The characters of a string, one after another, each as a set; or the one set of a range."""
    if op.code == "range":
        yield from_ranges([op.argument])
        return
    text, ignore_case = op.argument
    for char in text:
        yield case_variants(char) if ignore_case else ((ord(char), ord(char)),)


def _nodes(tree: Node) -> Iterator[Node]:
    """All nodes of a syntax tree."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if node[0] in ("cat", "alt"):
            todo.extend(node[1])
        elif node[0] == "rep":
            todo.append(node[1])


def _one_character(node: Node) -> bool:
    if node[0] == "alt":
        return all(_one_character(branch) for branch in node[1])
    return node[0] == "set" or (node[0] == "text" and len(node[1]) == 1)
