"""Changes of sources that keep most of their structure, so that a front-end gets past reading them.

Each takes a source and returns another one. JSON is changed as a value: a node is replaced, moved, wrapped, added or
removed. Grammars are changed by their tokens and lines. What is put in comes from the same source, from another seed,
or, in schemas and structural tags, from what makes sense under a key (`makers`).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from fuzz.makers import NAMES, scalar, schema_value, tag_value
from fuzz.seeds import words

__all__ = ["MUTATORS", "Mutator"]

# A source, the texts of the seeds, and chance; returns the changed source.
Mutator = Callable[[str, Sequence[str], Random], str]
# A random value for a key.
Maker = Callable[[str, Random], Any]

TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"i?|/(?:\\.|[^/\\\n])+/[a-z]*|\[(?:\\.|[^\]\\\n])*\]|\{[^}\n]*\}|[%$@<]?\w+[!>]?|::=|->|\.\.|~|\n\s*|\s+|.',
    re.DOTALL,
)
Place = tuple[Any, Any]


def _places(root: list[Any]) -> list[Place]:
    """All nodes below the root, each as what holds it and its key there."""
    found: list[Place] = []
    left: list[Any] = [root]
    while left:
        holder = left.pop()
        keys = range(len(holder)) if isinstance(holder, list) else list(holder)
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                left.append(holder[key])
    return found


def _nudged(value: Any, chance: Random) -> Any:
    """A scalar like this one."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return chance.choice([value + 1, value - 1, -value, value * 2, 0])
    at = chance.randint(0, len(value))
    return value[:at] + chance.choice(["", "a", "\\", "*", "é", "[", "{2,}", "|", "/", value[:at]]) + value[at + 1 :]


def _change(root: list[Any], donor: list[Any], chance: Random, make: Maker, keys: Sequence[str]) -> None:
    """One change of the value that is the only item of `root`."""
    places = _places(root)
    holder, key = chance.choice(places)
    node = holder[key]
    kind = chance.randrange(8)
    if kind == 0 and len(places) > 1 and holder is not root:
        del holder[key]
    elif kind == 1:
        other, at = chance.choice(places)
        holder[key] = copy.deepcopy(other[at])
    elif kind == 2:
        other, at = chance.choice(_places(donor))
        holder[key] = copy.deepcopy(other[at])
    elif kind == 3 and isinstance(node, dict):
        name = chance.choice([*keys, *NAMES])
        node[name] = make(name, chance)
    elif kind == 3 and isinstance(node, list):
        node.insert(chance.randint(0, len(node)), make("", chance))
    elif kind == 4:
        word = chance.choice(keys)
        around = make(word, chance)
        if isinstance(around, list):
            around.append(node)
        elif isinstance(around, dict) and around:
            around[chance.choice(list(around))] = node
        holder[key] = {word: around if isinstance(around, (dict, list)) and around else node}
    elif kind == 5 and isinstance(holder, dict):
        holder[chance.choice(keys)] = holder.pop(key)
    elif not isinstance(node, (dict, list)):
        holder[key] = _nudged(node, chance)
    else:
        holder[key] = make(str(key) if isinstance(holder, dict) else "", chance)


def _json(make: Maker, keys: Sequence[str]) -> Mutator:
    """The mutator of a form of JSON."""

    def changed(text: str, seeds: Sequence[str], chance: Random) -> str:
        try:
            root, donor = [json.loads(text)], [json.loads(chance.choice(seeds))]
        except (ValueError, RecursionError):
            return chance.choice(seeds)
        for _ in range(chance.choice([1, 1, 2, 4])):
            _change(root, donor, chance, make, keys)
        return json.dumps(root[0], ensure_ascii=chance.random() < 0.5)

    return changed


def _grammar(snippets: Sequence[str]) -> Mutator:
    """The mutator of a notation for grammars."""

    def changed(text: str, seeds: Sequence[str], chance: Random) -> str:
        donor = chance.choice(seeds)
        for _ in range(chance.choice([1, 1, 2, 4])):
            by_lines = chance.random() < 0.25
            cut = re.compile("[^\n]*\n|[^\n]+") if by_lines else TOKEN
            parts, others = cut.findall(text), cut.findall(donor)
            text = "".join(_spliced(parts, others, snippets, chance))
        return text

    return changed


def _spliced(parts: list[str], others: list[str], snippets: Sequence[str], chance: Random) -> list[str]:
    """The parts with one change."""
    start = chance.randint(0, len(parts))
    end = min(len(parts), start + chance.choice([0, 1, 1, 1, 2, 3, 8]))
    more = chance.choice([parts, parts, others or parts])
    at = chance.randint(0, len(more))
    kind = chance.randrange(6)
    if kind == 0:
        new = []
    elif kind == 1:
        new = [chance.choice(snippets)]
    elif kind == 2:
        new = ["(", *parts[start:end], ")", chance.choice(["", "*", "+", "?", "{1,3}", "{0,200}", "~2..5"])]
    elif kind == 3:
        new = parts[start:end] * 2
    else:
        new = more[at : at + chance.choice([1, 1, 2, 4])]
    return [*parts[:start], *new, *parts[end:]]


def _by_target() -> dict[str, Mutator]:
    """The mutators by the names of the front-ends, with words that make sense in each notation."""
    lark = ['"a"i', "~1..3", " | ", " & ", "~", "(?i:", "// ", "\n%ignore ", "\nstart: ", "A", "/a+?/", "->", "?", "!"]
    lark += [
        "\n%import common.WS\n",
        "%json {}",
        "[capture]",
        "_x{",
        "}",
        '"\\u00e9"',
        '"a".."z"',
        "\n%override ",
        "%declare X",
    ]
    gbnf = [
        "\nroot ::= ",
        "[^a]",
        "[a-zé]",
        "{1,3}",
        "(root)",
        " | ",
        "# ",
        "<[1]>",
        "!<a>",
        '"\\x00"',
        "root",
        ".",
        "{0,}",
    ]
    gbnf += ["(?=", '"a"', "\n", "TagDispatch(", "EOS", "Token(1)", "[capture]", "(=", "{,2}"]
    schema = [row[1:-2] for row in words("json_schema") if row.endswith(":")]
    tag = [row[1:-2] for row in words("structural_tag") if row.endswith(":")]
    return {
        "json_schema": _json(schema_value, schema),
        "structural_tag": _json(tag_value, tag),
        "compiled_file": _json(lambda key, chance: scalar(chance), [*NAMES]),
        "lark": _grammar(lark),
        "gbnf": _grammar(gbnf),
        "ebnf": _grammar(gbnf),
    }


MUTATORS = _by_target()
