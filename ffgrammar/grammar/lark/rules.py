# cython: language_level=3
"""From the bodies of rules to right-hand sides.

A rule becomes a nonterminal, and a terminal becomes a lexeme. Inner alternatives and repeats of a rule become
nonterminals of their own. Strings that are alternatives of each other become one lexeme, a trie. So a rule with
thousands of keywords costs one lexeme.

A template becomes a nonterminal for each list of arguments with which it is used, and a parametric rule one for each
parameter. They are made when they are first needed, and `Limits.rules` bounds their number. Some parametric rules
become nonterminals that the engine itself expands (families.py).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError, located
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.lark.families import Member, bits_of, find_families
from ffgrammar.grammar.lark.inline_json import InlineJSON
from ffgrammar.grammar.lark.lengths import fixed_length
from ffgrammar.grammar.lark.lexemes import Lexemes
from ffgrammar.grammar.lark.parameters import Function, is_constant
from ffgrammar.grammar.lark.skips import Skips
from ffgrammar.grammar.lark.source import Definition, Op, Source, popped
from ffgrammar.grammar.lark.special import special_ids
from ffgrammar.grammar.lark.terminals import Terminals
from ffgrammar.grammar.lark.texts import error_at

__all__ = ["Rules"]

# When strings are fused to one lexeme, at most this many of them are shown in its name.
_SHOWN = 5
# Each template with arguments, and each parametric rule with a parameter, counts as this many productions.
INSTANCE_COST = 10


class Stopped(NamedTuple):
    """A use of a rule with `stop`: the text must stand right after it."""

    symbol: int
    stop: str
    offset: int


class TemplateName(NamedTuple):
    """The name of a template as an argument of another one."""

    name: str
    offset: int


# An alternative of a rule: symbols; or a single string, which may be fused with other strings.
_Alternative = tuple[int, ...] | str | Stopped | TemplateName
# A template or a parametric rule that is used: its name, its arguments, and its parameter.
_Key = tuple[str, tuple[_Alternative, ...], int | None]


class Instance(NamedTuple):
    """A template or a parametric rule with its arguments and its parameter.

    Attributes:
        symbol: the nonterminal.
        rule: its definition.
        arguments: by the names of its parameters, what they stand for.
        value: its number, or None.
        depth: how many instances stand around the use for which it was made first.
    """

    symbol: int
    rule: Definition
    arguments: Mapping[str, _Alternative]
    value: int | None
    depth: int


class Rules(Lexemes):
    """The productions of the rules of a source.

    Args:
        source, builder, terminals, special_tokens, start: as for `Lexemes`.
        schemas: the schemas in rules.

    Attributes:
        symbols: the nonterminals of the rules that stand for the same wherever they are used. They are made first.
        hidden: how many bytes at the end of a rule do not belong to its captures, by the name of the rule.
    """

    def __init__(
        self,
        source: Source,
        builder: GrammarBuilder,
        terminals: Terminals,
        schemas: InlineJSON,
        special_tokens: Mapping[str, int],
        start: str,
    ) -> None:
        super().__init__(source, builder, terminals, special_tokens, start)
        self.limits: Limits = builder.limits
        self.schemas = schemas
        self.symbols: dict[str, int] = {}
        self.hidden: dict[str, int] = {}
        # The symbols of the marks of an %indenter, by name.
        self.marks: dict[str, int] = {}
        self._plain = [rule for rule in source.rules.values() if rule.is_plain]
        self._stops: dict[str, str] = {}
        self._families: dict[str, int] = {}
        self._instances: dict[_Key, int] = {}
        self._waiting: list[Instance] = []
        # What the body that is read belongs to.
        self._instance: Instance | None = None
        for rule in self._plain:
            attributes = rule.attributes
            name = rule.name if attributes is None or attributes.capture is None else attributes.capture
            self.symbols[rule.name] = builder.nonterminal(name)
            if attributes is not None and attributes.stop is not None:
                self._stops[rule.name] = attributes.stop

    def add_all(self, skips: Skips) -> None:
        """Add the productions of all rules.

        Args:
            skips: what may be skipped.
        """
        self.skips = skips if skips.written else None
        self._add_families({} if skips.written else find_families(self.source, self.takes_text))
        for rule in self._plain:
            self._add(self.symbols[rule.name], rule)
        while self._waiting:
            instance = self._instance = self._waiting.pop()
            self._add(instance.symbol, instance.rule)
        self._instance = None

    @property
    def has_families(self) -> bool:
        """Whether the engine expands rules."""
        return bool(self._families)

    def _add_families(self, found: dict[str, list[Member]]) -> None:
        """Add the rules that the engine expands."""
        bits = max([bits_of(members) for members in found.values()], default=0)
        for name in found:
            self._families[name] = self.builder.parametric(bits, name)
        for name, members in found.items():
            for one in members:
                self._add_member(self.source.rules[name], one)

    def _add_member(self, rule: Definition, one: Member) -> None:
        again = None if one.again is None else self._families[one.again]
        symbol = self._families[rule.name]
        for body in self.alternatives(rule._replace(body=one.body, alternatives=1)):
            self.builder.add_template(symbol, body, again, bit=one.bit, need=one.need)
            if one.bit is not None and not one.clear:
                # (a bit that is set already may be set again)
                self.builder.add_template(symbol, body, again, need=one.need | 1 << one.bit)

    def _add(self, symbol: int, rule: Definition) -> None:
        self.scope = rule.scope
        with located(lambda: f"in the rule {rule.name} at {self.source.texts.told(rule.offset)}"):
            if rule.attributes is not None and rule.attributes.is_lexeme:
                self.builder.add(symbol, (self.lexeme(self._whole(rule), rule.name, lazy=True),))
                return
            for alternative in self.alternatives(rule):
                self.builder.add(symbol, alternative)

    def _whole(self, rule: Definition) -> int:
        """The expression of a rule that is a lexeme."""
        attributes = rule.attributes
        assert attributes is not None
        expr = self.terminals.whole(rule._replace(lazy=True))
        if attributes.suffix is not None:
            ending = self.terminals.whole(Definition("", attributes.suffix.offset, (attributes.suffix,)))
            self.hidden[rule.name] = self._length(ending, attributes.suffix)
            expr = self.store.concat([expr, ending])
        elif attributes.stop is not None:
            self.hidden[rule.name] = len(attributes.stop.encode())
            expr = self.store.concat([expr, self.store.literal(attributes.stop.encode())])
        if self.store.is_nullable(expr):
            self.terminals.refuse_lazy(rule)
        return expr

    def _length(self, ending: int, op: Op) -> int:
        """The length of a suffix, which its rule's captures do not have."""
        length = fixed_length(self.store, ending)
        if length is None:
            message = "the texts of a suffix must have one length; write it into the rule and make the rule lazy"
            raise error_at(self.source.texts, op.offset, message, UnsupportedError)
        return length

    # Bodies

    def alternatives(self, rule: Definition) -> list[tuple[int, ...]]:
        """The right-hand sides of a rule."""
        builder = self.builder
        stack: list[_Alternative] = []
        steps = iter(rule.body)
        for op in steps:
            code = op.code
            if code == "cat":
                stack.append(self.concatenation(popped(stack, op.argument)))
            elif code == "alt":
                fused = self.fused(popped(stack, op.argument))
                stack.append((builder.choice([builder.seq(part) for part in fused], rule.name),))
            elif code == "rep":
                stack.append((self.repeat(builder.seq(self.sequence(stack.pop())), op, rule.name),))
            elif code == "name":
                stack.append(self.name(op))
            elif code == "text" and not op.argument[1]:
                stack.append(op.argument[0])
            elif code in ("regex", "range", "text", "common", "pieces"):
                stack.append((self.literal(op),))
            elif code != "if":
                self.rule_op(op, stack)
            elif not op.argument[0].holds(self._value(op)):
                # (the parameters in an alternative that does not count may have no end)
                stack.append((builder.choice(()),))  # which matches nothing
                next(itertools.islice(steps, op.argument[1] - 1, None), None)
        return self.fused(stack)

    def rule_op(self, op: Op, stack: list[_Alternative]) -> None:
        """Do a step that only rules have."""
        code = op.code
        if code == "special":
            ids = special_ids(self.source.texts, op, self.special_tokens)
            stack.append((self.followed(self.builder.special(ids, op.argument)),))
        elif code == "json":
            stack.append((self.followed(self.schemas.symbol(op)),))
        elif code == "call":
            stack.append(self.call(op, popped(stack, op.argument[1])))
        else:
            stack.append((self.parametric(op),))

    def concatenation(self, parts: list[_Alternative]) -> tuple[int, ...]:
        if self._stops:
            for index, part in enumerate(parts[:-1]):
                if type(part) is Stopped and parts[index + 1] == part.stop:
                    parts[index : index + 2] = [(part.symbol,), ()]  # the lexeme of the rule has the text
        return tuple([symbol for part in parts for symbol in self.sequence(part)])

    def sequence(self, part: Any) -> tuple[int, ...]:
        symbols: tuple[int, ...]
        if type(part) is tuple:
            symbols = part
            return symbols
        if isinstance(part, str):
            return (self.lexeme(self.store.literal(part.encode()), json.dumps(part)),)
        raise self.misused(part)

    def misused(self, part: Any) -> GrammarError:
        """The error of a name that stands where it cannot."""
        if type(part) is Stopped:
            written = json.dumps(part.stop)
            message = (
                f"a rule with stop={written} can only stand right before {written}, because text cannot be hidden from "
                f"the model; write {written} after it, or suffix={written} in place of stop"
            )
            return error_at(self.source.texts, part.offset, message, UnsupportedError)
        count = len(self.source.rules[part.name].params)
        message = f"{part.name} is a template: write its {count} arguments, as in {part.name}{{...}}"
        return error_at(self.source.texts, part.offset, message)

    def fused(self, alternatives: list[_Alternative]) -> list[tuple[int, ...]]:
        """The right-hand sides of the alternatives. All alternatives that are a single string are fused to one lexeme.

        This does not change the language, because the parser is given all lexemes that match.
        """
        alternatives = list(dict.fromkeys(alternatives))
        strings = [part for part in alternatives if type(part) is str]
        if len(strings) < 2:
            return [self.sequence(part) for part in alternatives]
        shown = [json.dumps(text) for text in itertools.islice(strings, _SHOWN)]
        if len(strings) > _SHOWN:
            shown.append("...")
        expr = self.store.literals([text.encode() for text in strings])
        rest = [self.sequence(part) for part in alternatives if type(part) is not str]
        return [*rest, (self.lexeme(expr, " | ".join(shown)),)]

    def repeat(self, symbol: int, op: Op, name: str) -> int:
        lo, hi = op.argument
        if max(lo, hi or 0) > self.limits.rules:
            where = f"at {self.source.texts.told(op.offset)}"
            raise LimitError("rules", self.limits.rules, "too many repetitions", where)
        if (lo, hi) == (0, 1):
            return self.builder.optional(symbol, name)
        return self.builder.repeat(symbol, lo, hi, name)

    # Names

    def name(self, op: Op) -> _Alternative:
        name = op.argument
        if self._instance is not None and name in self._instance.arguments:
            return self._instance.arguments[name]
        symbol = self.symbols.get(name)
        if symbol is not None:
            if name in self._stops:
                return Stopped(symbol, self._stops[name], op.offset)
            return (symbol if self.skips is None else self.led(symbol, name),)
        if name in self.marks:
            return (self.marks[name],)
        terminal = self.source.terminals.get(name)
        if terminal is not None:
            return (self.terminal(terminal),)
        rule = self.source.rules.get(name)
        if rule is None:
            raise self.terminals.undefined(op)
        if rule.params:
            return TemplateName(name, op.offset)
        message = f"{name} is a rule with a parameter: write {name}::0, for example"
        raise error_at(self.source.texts, op.offset, message)

    def call(self, op: Op, arguments: list[_Alternative]) -> _Alternative:
        """A template with arguments."""
        name = op.argument[0]
        if self._instance is not None and type(self._instance.arguments.get(name)) is TemplateName:
            name = self._instance.arguments[name].name  # type: ignore[union-attr]
        rule = self.source.rules.get(name)
        if rule is None:
            raise self.terminals.undefined(op._replace(argument=name))
        if len(rule.params) != len(arguments):
            takes = f"takes {len(rule.params)} arguments" if rule.params else "is no template, and takes no arguments"
            raise error_at(self.source.texts, op.offset, f"{name} {takes}, not {len(arguments)}")
        if rule.parametric:
            raise error_at(self.source.texts, op.offset, f"{name} needs a parameter, too", UnsupportedError)
        checked = [one if type(one) in (str, TemplateName) else self.sequence(one) for one in arguments]
        return (self.instance(rule, tuple(checked), None, op),)

    def parametric(self, op: Op) -> int:
        """A parametric rule with its parameter."""
        name, function = op.argument
        rule = self.source.rules.get(name)
        if rule is None:
            raise self.terminals.undefined(op._replace(argument=name))
        if not rule.parametric or rule.params:
            told = self.source.texts.told(rule.offset)
            message = f"{name} has no parameter: write {name}::_ at {told}, or leave the parameter out here"
            raise error_at(self.source.texts, op.offset, message)
        if name in self._families:
            return self._families[name]  # find_families has seen that the parameter is 0
        return self.instance(rule, (), self._argument(op, function), op)

    def _argument(self, op: Op, function: Function) -> int:
        return function.of(0 if is_constant(function) else self._value(op))

    def _value(self, op: Op) -> int:
        """The parameter of the rule whose body is read."""
        if self._instance is None or self._instance.value is None:
            message = "this needs the parameter of the rule, which has none: write name::_ before its colon"
            raise error_at(self.source.texts, op.offset, message)
        return self._instance.value

    def instance(self, rule: Definition, arguments: tuple[_Alternative, ...], value: int | None, op: Op) -> int:
        """The symbol of a template or a parametric rule."""
        key = (rule.name, arguments, value)
        found = self._instances.get(key)
        if found is None:
            depth = 0 if self._instance is None or value is not None else self._instance.depth + 1
            if depth > self.limits.nesting:
                where = f"at {self.source.texts.told(op.offset)}"
                raise LimitError("nesting", self.limits.nesting, f"the template {rule.name} never ends", where)
            if len(self._instances) * INSTANCE_COST >= self.limits.rules:
                where = f"at {self.source.texts.told(op.offset)}"
                raise LimitError("rules", self.limits.rules, f"{rule.name} has too many parameters", where)
            found = self._instances[key] = self.builder.nonterminal(rule.name)
            bound = dict(zip(rule.params, arguments, strict=True))
            self._waiting.append(Instance(found, rule, bound, value, depth))
        return found
