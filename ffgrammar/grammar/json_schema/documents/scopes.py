"""Dynamic scopes: for each dynamic anchor, the outermost resource that has it.

A `$dynamicRef` gives the name of a dynamic anchor. Several of the resources that were entered on the way to the
reference may have an anchor of this name. The reference leads to the anchor of the first of these resources. A *scope*
says, for each name, which resource that is. Scopes are numbers; 0 is the scope in which no name has a resource.
Only the names that some `$dynamicRef` uses are followed, so an ordinary schema has only scope 0. A recursive schema has
finitely many scopes, because it has finitely many resources.
"""

from __future__ import annotations

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.resources import Resource

__all__ = ["NameNeeded", "Scopes"]

# The whole schema may be read again in each scope, so one scope costs as much as 100 alternatives.
WEIGHT = 100


class NameNeeded(Exception):
    """The name of a dynamic reference is not followed. So the schema must be read again, with `names` followed."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = names


class Scopes:
    """The scopes of one build.

    Attributes:
        names: the names of the dynamic anchors that are followed.
    """

    def __init__(self, names: frozenset[str], limits: Limits) -> None:
        self.names = names
        self._limits = limits
        self._list: list[dict[str, Resource]] = [{}]
        self._numbers: dict[tuple[tuple[str, int], ...], int] = {(): 0}
        # by scope and id() of a resource: the scope within the resource
        self._entered: dict[tuple[int, int], int] = {}

    def first(self, scope: int, name: str) -> Resource | None:
        """The outermost resource with a dynamic anchor of that name; None: there is none in this scope."""
        return self._list[scope].get(name)

    def enter(self, scope: int, resource: Resource) -> int:
        """The scope within a resource that is entered from another scope."""
        if not self.names:
            return 0
        key = (scope, id(resource))
        found = self._entered.get(key)
        if found is None:
            found = self._entered[key] = self._number(scope, resource)
        return found

    def _number(self, scope: int, resource: Resource) -> int:
        resource.document.named()
        before = self._list[scope]
        new = [name for name in resource.dynamic if name in self.names and name not in before]
        if not new:
            return scope
        after = {**before, **dict.fromkeys(new, resource)}
        key = tuple(sorted([(name, id(one)) for name, one in after.items()]))
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._list)
            self._list.append(after)
            most = self._limits.alternatives
            if found * WEIGHT > most:
                raise LimitError("alternatives", most, "dynamic references lead along too many paths")
        return found
