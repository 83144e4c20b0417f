"""What the subschemas of a chain say (see chains.py): a schema in which a hole stands for the next subschema.

A *link* is a subschema whose recursive values all obey one other subschema, the next one. The text of a link without
the next subschema says of which kind it is: links of one kind differ only in what comes next.

References, `allOf`, `anyOf`, `then` and the like apply to the value itself, so they are written out. What is only
needed to decide whether something else applies (`not`, `if`, `contains`) must not be recursive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.spec.internal_keywords import HOLE
from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD, Holds, Role

__all__ = ["Kind", "Link", "Links", "NoChain"]

_REFERENCES = frozenset(["$ref", "$dynamicRef", "$recursiveRef"])
# They apply to the value itself, and more that obeys them never makes a value wrong.
_IN_PLACE = frozenset(["allOf", "anyOf", "then", "else", "dependentSchemas"])
# They apply to what is inside of a value.
_INSIDE = frozenset(["properties", "patternProperties", "additionalProperties", "items", "prefixItems"])
# A link is written out down to this many levels of references.
MAX_LEVELS = 50


class Link(NamedTuple):
    """A subschema of a chain: the number of its kind, and the number of the next subschema (None: there is none)."""

    kind: int
    next: int | None


class Kind(NamedTuple):
    """A kind of links: the conjunction of what it says, and that of its hole; () if it has none."""

    said: Conj
    hole: Conj


class NoChain(Exception):
    """The conjunction is not a chain."""


class Links:
    """The links among the subschemas of one schema."""

    def __init__(self, subschemas: Subschemas) -> None:
        self.kinds: list[Kind] = []
        self.subschemas = subschemas
        self._links: dict[int, Link] = {}
        self._numbers: dict[tuple[Any, ...], int] = {}
        # whether no recursive value is inside a subschema; False while this is found out
        self._is_static: dict[int, bool] = {}
        # of subschemas with equal texts: the first one
        self._firsts: dict[tuple[Any, ...], int] = {}

    def link(self, at: int) -> Link:
        """The link of a subschema.

        Raises:
            NoChain: the subschema is not a link.
        """
        found = self._links.get(at)
        if found is not None:
            return found
        subschema = self.subschemas.list[at]
        writing = _Writing(self, subschema)
        text = writing.schema(at, 0)
        key = (repr(text), id(subschema.resource), subschema.scope, subschema.modern)
        if key not in self._numbers:
            said = self.subschemas.child(subschema, text, ())
            hole = self.subschemas.child(subschema, writing.hole, ()) if writing.next is not None else ()
            self._numbers[key] = len(self.kinds)
            self.kinds.append(Kind(said, hole))
        link = self._links[at] = Link(self._numbers[key], writing.next)
        return link

    def resolved(self, at: int) -> int:
        """The number of the subschema that one stands for, if it says nothing but that another one applies. Equal
        subschemas get the number of the first one."""
        met = set()
        while at != NEVER[0]:
            subschema = self.subschemas.list[at]
            said = _assertions(subschema)
            following = self._applied(subschema, said)
            if following is None:
                key = (repr(said), id(subschema.resource), subschema.scope, subschema.modern)
                return self._firsts.setdefault(key, at)
            if at in met or len(following) != 1:
                break
            met.add(at)
            at = following[0]
        raise NoChain

    def is_static(self, at: int) -> bool:
        """Whether no subschema that a value, or a part of it, must obey leads back to itself."""
        found = self._is_static.get(at)
        if found is None:
            self._is_static[at] = False
            found = at == NEVER[0] or all([self.is_static(inner) for inner in self._inner(self.subschemas.list[at])])
            self._is_static[at] = found
        return found

    def are_apart(self, subschema: Subschema, branches: Any) -> bool:
        """Whether no value obeys two of the branches of a `oneOf`, because they have different types."""
        met: set[str] = set()
        for index, branch in enumerate(branches if isinstance(branches, list) else ()):
            conj = self.subschemas.child(subschema, branch, ("oneOf", str(index)))
            named = _assertions(self.subschemas.list[self.resolved(conj[0])]).get("type") if conj else None
            types = {
                "number" if one == "integer" else one for one in ([named] if isinstance(named, str) else named or ())
            }
            if not types or types & met:
                return False
            met |= types
        return bool(met)

    def _applied(self, subschema: Subschema, said: dict[Any, Any]) -> Conj | None:
        """What a subschema refers to, if it says nothing else."""
        if len(said) != 1:
            return None
        ((word, value),) = said.items()
        if word in _REFERENCES:
            return self.subschemas.follow(subschema, value, word)
        if word == "allOf" and isinstance(value, list) and len(value) == 1:
            return self.subschemas.child(subschema, value[0], (word, "0"))
        return None

    def _inner(self, subschema: Subschema) -> Iterator[int]:
        for word, value in _assertions(subschema).items():
            if word in _REFERENCES:
                yield from self.subschemas.follow(subschema, value, word)
                continue
            for tokens, one in _parts(word, value):
                if not isinstance(one, list):
                    yield from self.subschemas.child(subschema, one, (word, *tokens))


class _Writing:
    """Writes one link out.

    Attributes:
        hole: the schema that stands for the next subschema.
        next: the number of the next subschema, when it was met.
    """

    def __init__(self, links: Links, subschema: Subschema) -> None:
        self.hole: dict[Any, Any] = {HOLE: True}
        self.next: int | None = None
        self._links = links
        self._home = subschema

    def schema(self, at: int, level: int) -> Any:
        """The text of a subschema that applies to the value itself."""
        links = self._links
        subschema = links.subschemas.list[at]
        home = self._home
        if level > MAX_LEVELS or subschema.scope != home.scope or subschema.modern != home.modern:
            raise NoChain
        if subschema.resource is not home.resource:
            raise NoChain
        if links.is_static(at):
            return subschema.schema
        said = _assertions(subschema)
        if said.get("uniqueItems"):
            # (whether items can always differ depends on what they are)
            raise NoChain
        made: dict[str, Any] = {}
        applied: list[Any] = []
        for word, value in said.items():
            if word in _REFERENCES:
                following = links.subschemas.follow(subschema, value, word)
                if all([links.is_static(one) for one in following]):
                    made[word] = value
                else:
                    applied.extend([self.schema(one, level + 1) for one in following])
            elif word == "oneOf" and "anyOf" not in said and links.are_apart(subschema, value):
                made["anyOf"] = self._parts(subschema, word, value, level, True)
            else:
                made[word] = self._parts(subschema, word, value, level, word in _IN_PLACE)
        return {**made, "allOf": [*made.get("allOf", ()), *applied]} if applied else made

    def _parts(self, subschema: Subschema, word: str, value: Any, level: int, in_place: bool) -> Any:
        """The value of a keyword, with its subschemas written out."""
        written = [self._part(subschema, (word, *at), one, level, in_place) for at, one in _parts(word, value)]
        if not written:
            return value
        if isinstance(value, dict) and BY_WORD[word].holds == Holds.MAP:
            return dict(zip(value, written, strict=True))
        return written if isinstance(value, list) else written[0]

    def _part(self, subschema: Subschema, tokens: tuple[str, ...], value: Any, level: int, in_place: bool) -> Any:
        """A subschema in the value of a keyword, written out."""
        links = self._links
        conj = () if isinstance(value, list) else links.subschemas.child(subschema, value, tokens)
        if not conj or links.is_static(conj[0]):
            return value
        if in_place:
            return self.schema(conj[0], level + 1)
        if tokens[0] not in _INSIDE:
            raise NoChain
        following = links.resolved(conj[0])
        if self.next not in (None, following):
            raise NoChain
        self.next = following
        return self.hole


def _assertions(subschema: Subschema) -> dict[Any, Any]:
    """What a subschema says, without annotations."""
    return {
        word: value
        for word, value in subschema.keywords().items()
        if word in BY_WORD and BY_WORD[word].role != Role.ANNOTATION
    }


def _parts(word: str, value: Any) -> list[tuple[tuple[str, ...], Any]]:
    """The subschemas in the value of a keyword, each with the parts of the pointer that lead to it from there."""
    holds = BY_WORD[word].holds
    if holds == Holds.NOTHING:
        return []
    if isinstance(value, list) and holds in (Holds.LIST, Holds.SCHEMA_OR_LIST):
        return [((str(index),), one) for index, one in enumerate(value)]
    if isinstance(value, dict) and holds == Holds.MAP:
        return [((name,), one) for name, one in value.items()]
    if isinstance(value, (dict, bool)) and holds in (Holds.SCHEMA, Holds.SCHEMA_OR_LIST):
        return [((), value)]
    raise NoChain
