# cython: language_level=3
"""Which rules are recursive, and an order in which each rule comes after those that it uses.

Rules that use each other in a circle are a *component* (Tarjan, Depth-first search and linear graph algorithms,
1972). Here the search keeps its own stack, because chains of rules may be longer than Python can recurse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ffgrammar.grammar.gbnf.source import Rule

__all__ = ["components", "uses"]


def uses(rule: Rule) -> list[str]:
    """The names of the rules that a rule uses, each once."""
    found: dict[str, None] = {}
    for op in rule.body:
        if op.code == "name":
            found[op.argument] = None
        elif op.code == "dispatch":
            found.update((tag.rule, None) for tag in op.argument.tags)
    return list(found)


def components(rules: Mapping[str, Rule], start: str) -> list[list[str]]:
    """The rules that are reached from `start`, in components. Each component comes after those that it uses."""
    found: list[list[str]] = []
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    closed: set[str] = set()
    path: list[tuple[str, Iterator[str]]] = []

    def enter(name: str) -> None:
        numbers[name] = lowest[name] = len(numbers)
        waiting.append(name)
        path.append((name, iter(uses(rules[name]))))

    enter(start)
    while path:
        name, used = path[-1]
        for other in used:
            if other not in numbers:
                enter(other)
                break
            if other not in closed:
                lowest[name] = min(lowest[name], numbers[other])
        else:
            path.pop()
            if path:
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[name])
            if lowest[name] == numbers[name]:
                component = [waiting.pop()]
                while component[-1] != name:
                    component.append(waiting.pop())
                closed.update(component)
                found.append(component)
    return found
