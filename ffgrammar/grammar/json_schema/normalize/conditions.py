"""Many choices on one key, as one choice.

Schemas often have a list like this one:

    {"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": ...}
    {"if": {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}, "then": ...}

Read one by one, each is a choice between two alternatives, and most of their products are contradictions. Together they
are one choice with an alternative for each value that a condition names, and one each for other values of the key, for
objects without the key, and for values that are not objects. (200 of them compile in 0.02 s, and in 2.5 s if each is a
choice.)

A condition may say more than what one key's value is. Then it stays open where the key has one of its values, and does
not hold elsewhere.

In a chain of `if` and `else` the first condition that holds decides. If all its conditions are about one key, the chain
is one choice, too.

Several conditions on different keys may demand the same, as those of `dependentRequired` often do. Then one choice
stands for them: none of them holds, or what they demand does.

In the same way, a value that obeys none of several schemas, each for one `kind`, can disobey only those for its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join, join_all
from ffgrammar.grammar.json_schema.documents.contents import SILENT, Contents, one_property
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.normalize.negation import Negation
from ffgrammar.grammar.json_schema.numbers.decimals import is_integer
from ffgrammar.grammar.json_schema.shape.choices import Choice, Condition, EvaluationPath
from ffgrammar.grammar.json_schema.shape.scalars import Scalar, scalar, written
from ffgrammar.grammar.json_schema.spec.internal_keywords import CONDITION
from ffgrammar.grammar.json_schema.strings.plain_patterns import listed_texts

__all__ = ["FEW", "Conditions"]

# Fewer choices on one key are left alone.
FEW = 3
# What the one property of a condition may say, beside words that say nothing.
_INNER = SILENT | {"type", "const", "enum", "pattern"}
_WORDS = ("type", "properties", "required", "enum", "not", "pattern")
# What the `else` of a chain consists of, beside words that say nothing.
_CONDITIONAL = SILENT | {"if", "then", "else"}
_OTHER_TYPES = ["null", "boolean", "number", "string", "array"]


class _Tag(NamedTuple):
    """A condition on one key.

    Attributes:
        name: the key.
        values: the condition holds if the key's value is one of these scalars.
        without_key: whether it holds for objects that do not have the key.
        other_types: whether it holds for values that are not objects.
    """

    name: str
    values: frozenset[Scalar]
    without_key: bool
    other_types: bool


class _Case(NamedTuple):
    """What a choice says about one key.

    Attributes:
        tag: the condition.
        holds: a conjunction that stands for the choice where the condition holds.
        fails: the same where it does not hold.
    """

    tag: _Tag
    holds: Conj
    fails: Conj

    @property
    def name(self) -> str:
        """The key."""
        return self.tag.name


class Conditions:
    """The conditions of one build."""

    def __init__(self, subschemas: Subschemas, negation: Negation) -> None:
        self._subschemas = subschemas
        self._negation = negation
        self._contents: Contents | None = None
        self._tags: dict[Conj, _Tag | None] = {}
        self._implied_tags: dict[Conj, dict[str, _Tag]] = {}
        self._chains: dict[Condition, list[_Case]] = {}
        self._opened: dict[Condition, Conj] = {}
        self._options: dict[tuple[_Case, ...], tuple[list[Conj], list[frozenset[Scalar]]]] = {}
        # by the number of a subschema: a schema that says nothing, and stands for the subschema in paths
        self._markers: dict[int, dict[str, Any]] = {}

    def merged(self, choices: list[Choice], split: tuple[str, ...], absent: Callable[[str], bool]) -> list[Choice]:
        """The same choices. Those on one key are merged into one choice if there are a few of them.

        Args:
            choices: choices that all have to be made.
            split: the keys for which a merged choice has been made already.
            absent: returns whether no object has a key.
        """
        # (by owners, too: where a condition holds, it evaluates for them)
        by_name: dict[tuple[str, tuple[int, ...]], list[tuple[int, _Tag | _Case]]] = {}
        for index, choice in enumerate(choices):
            for about in self._chain(choice) or self._tags_of(choice):
                if about.name not in split:
                    by_name.setdefault((about.name, choice.path[2]), []).append((index, about))
        kept: list[Choice | None] = list(choices)
        # the key that most choices are about comes first
        for (name, owners), members in sorted(by_name.items(), key=lambda item: -len(item[1])):
            members = [(index, about) for index, about in members if kept[index] is choices[index]]
            if len(members) < FEW:
                continue
            first = choices[members[0][0]]
            cases = tuple([self._case(choices[index], about) for index, about in members])
            subschema = self._subschemas.list[first.path[0]]
            if absent(name):
                options, values = self._without(subschema, name, cases), None
            else:
                found = self._options.get(cases)
                if found is None:
                    found = self._options[cases] = self._split(subschema, name, cases)
                options, values = found
            for index, _ in members:
                kept[index] = None
            kept[members[0][0]] = Choice(options, self._path(first.path[0], owners), key=name, values=values)
        left = [choice for choice in kept if choice is not None]
        return left if len(left) < FEW else self._with_one_outcome(left)

    def has_chain(self, choices: list[Choice]) -> bool:
        """Whether one of several choices is a chain of conditions on one key."""
        return any([self._chain(choice) for choice in choices])

    def _chain(self, choice: Choice) -> list[_Case]:
        """The cases of a chain of at least FEW conditions on one key, each of which can be read without the others;
        nothing if a choice is no such chain."""
        condition = choice.condition
        if condition is None or not condition.otherwise:
            return []
        found = self._chains.get(condition)
        if found is None:
            links, otherwise = self._links(condition)
            found = self._chains[condition] = _cases(links, otherwise) if len(links) >= FEW else []
        return found

    def _links(self, condition: Condition) -> tuple[list[tuple[_Tag, Conj]], Conj]:
        """The conditions of a chain, and what must be obeyed if none of them holds. Each comes with what must be obeyed
        if it is the first one that holds."""
        links: list[tuple[_Tag, Conj]] = []
        otherwise: Conj = ()
        following: Condition | None = condition
        while following is not None:
            tag = self._tag_of(following.when)
            if tag is None or (links and tag.name != links[0][0].name):
                break
            links.append((tag, join(following.when, following.then)))
            otherwise = following.otherwise
            following = self._condition(otherwise)
        return links, otherwise

    def _condition(self, conj: Conj) -> Condition | None:
        """The condition that a conjunction consists of; None if it says anything else."""
        subschema = self._subschemas.list[conj[0] if len(conj) == 1 else 0]
        words = subschema.keywords() if len(conj) == 1 and conj[0] else {}
        if "if" not in words or not _CONDITIONAL.issuperset(words) or not subschema.dialect.knows("if"):
            return None
        return Condition(*self._negation.values.condition(subschema))

    def _with_one_outcome(self, choices: list[Choice]) -> list[Choice]:
        """The same choices. A few conditions that demand the same, and nothing else, are one choice: what they demand
        holds, or none of them demands it."""
        self._contents = contents = self._contents or Contents(self._subschemas)
        by_outcome: dict[Any, list[Choice]] = {}
        for choice in choices:
            # (with owners, what a condition evaluates counts)
            condition = None if choice.path[2] else choice.condition
            if condition is not None and bool(condition.then) != bool(condition.otherwise):
                demand = condition.then or condition.when
                by_outcome.setdefault((bool(condition.then), contents.of(demand)), []).append(choice)
        merged: dict[int, Choice | None] = {}
        for members in by_outcome.values():
            if len(members) >= FEW:
                merged.update(dict.fromkeys([id(choice) for choice in members], None))
                merged[id(members[0])] = self._one_outcome(members)
        found = [merged.get(id(choice), choice) for choice in choices]
        return [choice for choice in found if choice is not None]

    def _one_outcome(self, choices: list[Choice]) -> Choice:
        subschema = self._subschemas.list[choices[0].path[0]]
        conditions = [choice.condition for choice in choices if choice.condition is not None]
        if conditions[0].then:
            demand = conditions[0].then
            spared = [self._negation.conj(subschema, condition.when) for condition in conditions]
        else:
            demand = conditions[0].when
            spared = [condition.otherwise for condition in conditions]
        return Choice([demand, join_all(spared)], choices[0].path)

    def _path(self, at: int, owners: tuple[int, ...]) -> EvaluationPath:
        """The path of a choice that was merged at a subschema, for some owners. A new path begins, because opposites of
        schemas are read again, and this is no circle of references. (Each key begins one new path, so a circle is found
        later.)"""
        marker = self._markers.setdefault(at, {"$comment": ""})
        return *self._subschemas.synthesized(self._subschemas.list[at], marker), (), owners

    def _tags_of(self, choice: Choice) -> Iterable[_Tag]:
        """The conditions on keys that a choice is about."""
        demand = choice.unless
        if choice.condition is not None:
            demand = choice.condition.when
            tag = self._tag_of(demand)
            if tag is not None:
                return (tag,)
        if not demand:
            return ()
        if demand not in self._implied_tags:
            self._implied_tags[demand] = self._implied(demand)
        return self._implied_tags[demand].values()

    def _tag_of(self, when: Conj) -> _Tag | None:
        """What a condition says, if it is about one key and nothing else."""
        if when not in self._tags:
            self._tags[when] = self._pure(self._subschemas.list[when[0]]) if len(when) == 1 and when[0] else None
        return self._tags[when]

    def _case(self, choice: Choice, about: _Tag | _Case) -> _Case:
        """What a choice says about a key. `about` is a link of a chain, which is a case already, or the choice's
        condition."""
        if isinstance(about, _Case):
            return about
        if choice.condition is not None:
            when, then, otherwise = choice.condition
            is_settled = about is self._tag_of(when)
            return _Case(about, join(when, then) if is_settled else self._open(choice), otherwise)
        assert choice.unless is not None
        # where the condition fails, so does the whole conjunction, and its opposite holds
        return _Case(about, self._negation.conj(self._subschemas.list[choice.path[0]], choice.unless), ())

    def _open(self, choice: Choice) -> Conj:
        """A conjunction that says what the condition of a choice says."""
        assert choice.condition is not None
        found = self._opened.get(choice.condition)
        if found is None:
            # (not synthesized: where it holds, it evaluates for owners)
            schema = {CONDITION: choice.condition}
            found = self._subschemas.child(self._subschemas.list[choice.path[0]], schema, ("if",))
            self._opened[choice.condition] = found
        return found

    def _pure(self, subschema: Subschema) -> _Tag | None:
        """What a condition says, if it is about one key and nothing else."""
        found = one_property(subschema.schema)
        if found is None:
            return None
        name, value = found
        if not isinstance(value, dict) or not _INNER.issuperset(value) or ("pattern" in value and not _listed(value)):
            return None
        tag = _tag(subschema, name)
        return tag if tag is not None and _are_of_type(tag.values, value.get("type")) else None

    def _implied(self, conj: Conj) -> dict[str, _Tag]:
        """What a conjunction demands of keys that must have one of some listed scalars, by key."""
        found: dict[str, _Tag] = {}
        for at in conj:
            subschema = self._subschemas.list[at]
            keywords = subschema.keywords() if at else {}
            if list(keywords) == ["$ref"] and subschema.dialect.knows("$ref"):
                target = self._subschemas.follow(subschema, keywords["$ref"])
                if len(target) != 1:
                    continue
                subschema = self._subschemas.list[target[0]]
                keywords = subschema.keywords() if target[0] else {}
            properties = keywords.get("properties")
            for name in properties if isinstance(properties, dict) else ():
                tag = _tag(subschema, name)
                if tag is not None:
                    found.setdefault(name, tag)
        return found

    def _split(
        self, subschema: Subschema, name: str, cases: tuple[_Case, ...]
    ) -> tuple[list[Conj], list[frozenset[Scalar]]]:
        """Alternatives that stand for all the cases, and the scalars that the first of them are for."""
        holding: dict[Scalar, list[int]] = {}
        for index, case in enumerate(cases):
            for value in sorted(case.tag.values, key=lambda one: (type(one).__name__, one)):
                holding.setdefault(value, []).append(index)
        classes: dict[tuple[int, ...], list[Scalar]] = {}
        for value, indices in holding.items():
            classes.setdefault(tuple(indices), []).append(value)

        def about(value: Any) -> dict[str, Any]:
            return {"type": "object", "required": [name], "properties": {name: value}}

        found: list[tuple[dict[str, Any], Iterable[int]]] = []
        found += [(about({"enum": [written(one) for one in values]}), some) for some, values in classes.items()]
        found.append((about({"not": {"enum": [written(one) for one in holding]}}), ()))
        options = [
            _joined(self._subschemas.synthesized(subschema, schema, "if"), cases, indices) for schema, indices in found
        ]
        options += self._without(subschema, name, cases)
        return options, [frozenset(values) for values in classes.values()]

    def _without(self, subschema: Subschema, name: str, cases: tuple[_Case, ...]) -> list[Conj]:
        """The alternatives for objects without the key, and for values that are not objects."""
        without = [index for index, case in enumerate(cases) if case.tag.without_key]
        others = [index for index, case in enumerate(cases) if case.tag.other_types]
        absent = self._subschemas.synthesized(subschema, {"type": "object", "properties": {name: False}}, "if")
        no_object = self._subschemas.synthesized(subschema, {"type": _OTHER_TYPES}, "if")
        return [_joined(absent, cases, without), _joined(no_object, cases, others)]


def _cases(links: list[tuple[_Tag, Conj]], otherwise: Conj) -> list[_Case]:
    """The links of a chain as cases. In each, the condition holds only where no earlier one does. A last case has the
    conditions together: where it fails, `otherwise` must be obeyed."""
    found: list[_Case] = []
    met: set[Scalar] = set()
    absent = others = False
    for tag, holds in links:
        own = _Tag(tag.name, tag.values - met, tag.without_key and not absent, tag.other_types and not others)
        met |= tag.values
        absent |= tag.without_key
        others |= tag.other_types
        found.append(_Case(own, holds, ()))
    any_of_them = _Tag(links[0][0].name, frozenset(met), absent, others)
    return [*found, _Case(any_of_them, (), otherwise)]


def _joined(conj: Conj, cases: tuple[_Case, ...], holding: Iterable[int]) -> Conj:
    """A conjunction, and what follows if the conditions of some cases hold, by index, and the others do not."""
    held = set(holding)
    return join_all([conj, *[case.holds if index in held else case.fails for index, case in enumerate(cases)]])


def _tag(subschema: Subschema, name: Any) -> _Tag | None:
    """What a subschema demands of one of its properties, if it lists scalars for it."""
    schema = subschema.schema
    required = schema.get("required", [])
    if subschema.modern or not all([subschema.dialect.knows(word) for word in _WORDS]):
        return None
    values = _values(subschema, schema["properties"][name])
    if values is None or not isinstance(name, str) or not isinstance(required, list):
        return None
    return _Tag(name, values, name not in required, schema.get("type") != "object")


def _listed(schema: dict[str, Any]) -> tuple[str, ...] | None:
    """The strings that the `pattern` of a schema lists, if it does."""
    pattern = schema.get("pattern")
    return listed_texts(pattern) if isinstance(pattern, str) else None


def _are_of_type(values: frozenset[Scalar], name: Any) -> bool:
    """Whether scalars are all of the type of this name; None: there is no `type`."""
    if name is None:
        return True
    kind = {"string": str, "integer": Decimal, "number": Decimal}.get(name) if isinstance(name, str) else None
    if kind is None or not all([isinstance(one, kind) for one in values]):
        return False
    return name != "integer" or all([isinstance(one, Decimal) and is_integer(one) for one in values])


def _values(subschema: Subschema, schema: Any) -> frozenset[Scalar] | None:
    """The scalars that a schema lists, whatever else it says; None if it lists none, or other values, too."""
    lists: list[Any] = []
    texts: tuple[str, ...] | None = None
    if isinstance(schema, dict) and "$ref" not in schema:
        if "const" in schema and subschema.dialect.knows("const"):
            lists.append([schema["const"]])
        if "enum" in schema:
            lists.append(schema["enum"])
        texts = _listed(schema)
        if texts is not None and schema.get("type") == "string":
            lists.append(list(texts))
    if not lists or not all([isinstance(one, list) for one in lists]):
        return None
    found = [[scalar(value) for value in one] for one in lists]
    if any([value is None for one in found for value in one]):
        return None
    kept = set(found[0]).intersection(*found[1:])
    # (a pattern says nothing of values that are not strings)
    barred = [value for value in kept if texts is not None and isinstance(value, str) and value not in texts]
    return frozenset([value for value in kept.difference(barred) if value is not None]) or None
