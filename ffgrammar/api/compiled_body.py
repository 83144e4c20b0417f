"""What a compiled file (compiled_file.py) says of a grammar: the fields of `GrammarIR`, as JSON has them.

    body = pack_body(grammar)                   # dicts, lists, strings and numbers
    read_body(body, tokenizer, limits)          # an equal grammar

The reader trusts nothing: it checks every number against its range, and builds the expressions anew with the store's
own constructors.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import CompiledFileError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import (
    CHECKS,
    MAX_COUNT,
    MAX_SCOPED_SKIPS,
    GrammarIR,
    Guard,
    Lexeme,
    LexemeGroup,
    Parametric,
    PartNode,
    RuleNote,
    Template,
)
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.store import NOTHING, ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["pack_body", "read_body"]

# Kinds of expressions whose parts are bytes or numbers only.
LEAVES = ("set", "literal", "multiples", "part")
# Groups of lexemes are below this.
MAX_GROUP = 1 << 30


def pack_body(grammar: GrammarIR) -> dict[str, Any]:
    """A grammar as dicts, lists, strings and numbers. No other thread may make expressions in its store meanwhile."""
    nodes, numbers = _expressions(grammar)
    skip_sets = {one: number for number, one in enumerate(dict.fromkeys(grammar.skips_in))}
    return {
        "nodes": nodes,
        "lexemes": [
            [numbers[one.expr], one.name, one.lazy, one.skip, one.check, one.opens, one.tokens, one.group, one.anywhere]
            for one in grammar.lexemes
        ],
        "productions": [[head, list(rhs)] for head, rhs in grammar.productions],
        "parametric": [[family.number, family.bits, family.joined] for family in grammar.parametric],
        "templates": [
            [
                one.head,
                one.rhs,
                one.again,
                one.bit,
                one.need,
                one.counts,
                one.add,
                one.sets,
                one.settled,
                [[guard.bit, guard.lexeme, guard.inside] for guard in one.guards],
                one.beside,
            ]
            for one in grammar.templates
        ],
        "names": list(grammar.names),
        "rules": grammar.rules,
        "start": grammar.start,
        "kind": grammar.kind,
        "single_skip": grammar.single_skip,
        "delimited": grammar.delimited,
        "correct_prefix": grammar.correct_prefix,
        "warnings": list(grammar.warnings),
        "checks": list(grammar.checks),
        "family": grammar.family,
        "groups": [
            [one.delimited, one.skips, f"{one.next_first:x}", f"{one.previous_going_on:x}"] for one in grammar.groups
        ],
        "apart": grammar.apart,
        "skip_sets": [sorted(one) for one in skip_sets],
        "skips_in": [skip_sets[one] for one in grammar.skips_in],
        "words": grammar.words,
        "notes": [[one.rule, one.hidden, one.hidden_name, one.temperature] for one in grammar.notes],
        "outline": [
            [one.kind, one.inner, one.value.hex() if one.kind == "text" else one.value, one.nullable]
            for one in grammar.outline
        ],
    }


def _expressions(grammar: GrammarIR) -> tuple[list[list[Any]], dict[int, int]]:
    """The nodes that the lexemes need, operands before the nodes that use them; and a dict from each expression to the
    index of its node."""
    store = grammar.store
    needed: dict[int, tuple[Any, ...]] = {}
    stack = [lexeme.expr for lexeme in grammar.lexemes]
    while stack:
        expr = stack.pop()
        if expr not in needed:
            kind, *parts = needed[expr] = store.node(expr)
            stack += parts[:1] if kind in ("complement", "repeat") else [] if kind in LEAVES else parts
    # An operand has a lower id than the node that uses it.
    numbers = {expr: number for number, expr in enumerate(sorted(needed))}
    nodes: list[list[Any]] = []
    for expr in sorted(needed):
        kind, *parts = needed[expr]
        if kind in ("set", "literal"):
            nodes.append([kind, parts[0].hex()])
        elif kind in ("multiples", "part"):
            nodes.append([kind, *parts])
        elif kind == "repeat":
            nodes.append([kind, numbers[parts[0]], parts[1], parts[2]])
        else:
            nodes.append([kind, *(numbers[part] for part in parts)])
    return nodes, numbers


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise CompiledFileError(f"the compiled grammar is malformed: {what}")


def _number(value: Any, below: int, what: str) -> int:
    _expect(type(value) is int and 0 <= value < below, f"bad {what}")
    return int(value)


def read_body(body: Any, tokenizer: Tokenizer, limits: Limits) -> GrammarIR:
    """The grammar that `pack_body` has packed. Its expressions are in a new store.

    Args:
        body: what the JSON of a file says.
        tokenizer: the vocabulary.
        limits: `rules`, and the bounds of expressions.

    Raises:
        CompiledFileError: something is out of its range, or there are too many productions.
        FFGrammarError, ValueError, TypeError, LookupError, RecursionError: the body is malformed in another way.
    """
    _expect(type(body) is dict, "not an object")
    store = ExprStore(limits)
    special = set(tokenizer.special_tokens.values())
    lexemes, groups = _read_lexemes(body, store, special)
    checks = body["checks"]
    names = _strings(body, "names")
    families = [_family(one, names, limits) for one in body["parametric"]]
    parametric = {family.number: family.bits for family in families}
    _expect(len(parametric) == len(families), "a nonterminal with two parameters")
    words = _number(body["words"], len(lexemes) + 1, "number of words")
    plain = not (parametric or groups or checks) and not any(one.anywhere or one.group for one in lexemes)
    _expect(plain or not (words or body["skips_in"]), "words or scoped skips")
    ruled = lexemes[: len(lexemes) - words]
    productions = Productions()
    for head, rhs in body["productions"]:
        _expect(_number(head, len(names), "nonterminal") not in parametric, "a production of a parametric nonterminal")
        productions.append(head, _symbols(rhs, names, ruled))
    templates = [_template(one, parametric, names, lexemes) for one in body["templates"]]
    _expect(len(productions) + len(templates) <= limits.rules, f"more productions than the limit rules={limits.rules}")
    start = _number(body["start"], 2 * len(names), "start")
    _expect(start & 1 == 1, "bad start")
    rules = _number(body["rules"], len(names) + 1, "number of rules")
    _expect(rules == 0 or not (parametric or checks), "rules in a grammar with parametric nonterminals or checks")
    _expect(type(body["kind"]) is str and type(body["family"]) is str, "bad kind")
    _expect(all(type(body[flag]) is bool for flag in ("single_skip", "delimited", "correct_prefix")), "bad flags")
    return GrammarIR(
        store,
        tuple(lexemes),
        productions,
        tuple(names),
        start,
        body["kind"],
        body["single_skip"],
        body["delimited"],
        tuple(_strings(body, "warnings")),
        tuple(families),
        tuple(templates),
        tuple(checks),
        body["family"],
        rules,
        groups,
        body["apart"],
        body["correct_prefix"],
        _outline(body["outline"], names, lexemes, special),
        _skips_in(body, len(names), lexemes),
        words,
        tuple(_note(one, names) for one in body["notes"]),
    )


def _read_lexemes(
    body: dict[str, Any], store: ExprStore, special: set[int]
) -> tuple[list[Lexeme], tuple[LexemeGroup, ...]]:
    """The lexemes and their groups. `special` has the ids of special tokens."""
    exprs: list[int] = []
    for node in body["nodes"]:
        exprs.append(_build(store, node, exprs))
    checks = body["checks"]
    _expect(type(checks) is list and all(kind in CHECKS for kind in checks), "bad checks")
    _expect(body["delimited"] is True or not checks, "checks in a grammar that is not delimited")
    lexemes = [_lexeme(one, exprs, len(checks), special) for one in body["lexemes"]]
    if any(lexeme.anywhere or lexeme.group != lexemes[0].group for lexeme in lexemes):
        plain = not body["delimited"] and not checks and not any(lexeme.skip for lexeme in lexemes)
        _expect(plain, "groups of lexemes in a grammar that is delimited or has skips")
    groups = tuple(_group(one, number, lexemes) for number, one in enumerate(body["groups"]))
    _expect(not groups or all(lexeme.group < len(groups) for lexeme in lexemes), "bad groups")
    _expect(type(body["apart"]) is bool and not (body["apart"] and any(one.anywhere for one in lexemes)), "bad flags")
    return lexemes, groups


def _skips_in(body: dict[str, Any], count: int, lexemes: list[Lexeme]) -> tuple[frozenset[int], ...]:
    sets = []
    for one in body["skip_sets"]:
        numbers = frozenset(_number(number, len(lexemes), "skip") for number in one)
        _expect(all(lexemes[number].skip for number in numbers), "bad skips")
        sets.append(numbers)
    found = tuple(sets[_number(number, len(sets), "set of skips")] for number in body["skips_in"])
    _expect(len(found) in (0, count), "bad skips")
    _expect(not found or sum(lexeme.skip for lexeme in lexemes) <= MAX_SCOPED_SKIPS, "too many skips")
    return found


def _strings(body: dict[str, Any], key: str) -> list[str]:
    values = body[key]
    _expect(type(values) is list and all(type(value) is str for value in values), f"bad {key}")
    return list(values)


def _lexeme(one: Any, exprs: list[int], check_count: int, special: set[int]) -> Lexeme:
    number, name, lazy, skip, check, opens, tokens, group, anywhere = one
    _expect(type(name) is str and all(type(flag) is bool for flag in (lazy, skip, opens, anywhere)), "bad lexeme")
    _number(group, MAX_GROUP, "group")
    if check is not None:
        _number(check, check_count, "check")
    expr = exprs[_number(number, len(exprs), "expression")]
    _expect(type(tokens) is list and all(type(token) is int and token in special for token in tokens), "bad tokens")
    _expect(tokens == sorted(set(tokens)), "tokens out of order")
    if tokens:
        _expect(
            expr == NOTHING and not lazy and not skip and check is None and not opens, "a special token with a text"
        )
    return Lexeme(expr, name, lazy, skip, check, opens, tuple(tokens), group, anywhere)


def _note(one: Any, names: list[str]) -> RuleNote:
    rule, hidden, hidden_name, temperature = one
    _number(rule, len(names), "rule")
    _number(hidden, MAX_COUNT, "number of hidden bytes")
    _expect(type(hidden_name) is str, "bad name")
    _expect(temperature is None or (type(temperature) in (int, float) and temperature >= 0), "bad temperature")
    return RuleNote(rule, hidden, hidden_name, temperature)


def _group(one: Any, group: int, lexemes: list[Lexeme]) -> LexemeGroup:
    delimited, skips, *edges = one
    _expect(type(delimited) is bool, "bad group")
    for number in skips:
        _expect(lexemes[_number(number, len(lexemes), "skip")].group == group, "a skip of another group")
    next_first, previous_going_on = (_number(int(edge, 16), 1 << 256, "set of bytes") for edge in edges)
    return LexemeGroup(delimited, tuple(skips), next_first, previous_going_on)


def _outline(body: Any, names: list[str], lexemes: list[Lexeme], special: set[int]) -> tuple[PartNode, ...]:
    nodes: list[PartNode] = []
    _expect(not body or not any(lexeme.skip for lexeme in lexemes), "parts of a grammar with skips")
    for kind, inner, value, nullable in body:
        _expect(type(nullable) is bool, "bad part")
        for number in inner:
            _number(number, len(nodes), "part")
        counts = {"text": 0, "tokens": 0, "grammar": 0, "capture": 1, "repeat": 1, "sequence": None, "choice": None}
        _expect(kind in counts and counts[kind] in (None, len(inner)), "bad part")
        if kind == "text":
            value = bytes.fromhex(value)
            _expect(bool(value) and not nullable, "a part without a text")
        elif kind == "tokens":
            _expect(all(type(token) is int and token in special for token in value) and not nullable, "bad tokens")
            value = tuple(value)
        elif kind == "grammar":
            (value,) = _symbols([value], names, lexemes)
        elif kind == "repeat":
            least, most = value
            _number(least, MAX_COUNT, "count")
            _expect(most is None or least <= _number(most, MAX_COUNT, "count"), "bad repeat")
            value = least, most
        elif kind == "capture":
            _expect(type(value) is str, "bad name")
        else:
            _expect(value is None, "bad part")
        nodes.append(PartNode(kind, tuple(inner), value, nullable))
    return tuple(nodes)


def _symbols(rhs: Any, names: list[str], lexemes: list[Lexeme]) -> tuple[int, ...]:
    for symbol in rhs:
        _number(symbol, 2 * (len(names) if symbol & 1 else len(lexemes)), "symbol")
    return tuple(rhs)


def _family(one: Any, names: list[str], limits: Limits) -> Parametric:
    number, bits, joined = one
    _expect(type(joined) is bool, "bad flags")
    return Parametric(_number(number, len(names), "nonterminal"), _number(bits, limits.rules, "number of bits"), joined)


def _template(one: Any, parametric: dict[int, int], names: list[str], lexemes: list[Lexeme]) -> Template:
    head, rhs, again, bit, need, counts, add, sets, (mask, distance), watched, beside = one
    _expect(type(head) is int and head in parametric, "bad template")
    bits = parametric[head]
    if again is not None:
        _expect(
            type(again) is int and parametric.get(again) == bits,
            "a template goes on with a nonterminal of another kind",
        )
        _expect(any(symbol & 1 == 0 for symbol in rhs), "a template goes on without reading")
    if bit is not None:
        _number(bit, bits, "bit")
    for some in (need, sets):
        _number(some, 1 << bits, "bits")
    _expect(type(distance) is int and distance & 31 == 0 and 0 <= 2 * distance <= bits, "bad distance")
    _number(mask, 1 << distance, "bits")
    bounds = []
    for lowest, highest in counts:
        most = None if highest is None else _number(highest, MAX_COUNT, "count")
        bounds.append((_number(lowest, MAX_COUNT, "count"), most))
    first, second = bounds
    steps = tuple(_number(step, 2, "step") for step in add)
    _expect(len(steps) == 2, "bad template")
    symbols = _symbols(rhs, names, lexemes)
    if beside is not None:
        _number(beside, len(lexemes), "lexeme")
    _expect((not watched and beside is None) or any(symbol & 1 == 0 for symbol in symbols), "guards of no lexeme")
    guards = tuple(_guard(guard, bits, lexemes) for guard in watched)
    settled = (mask, distance)
    return Template(
        head, symbols, again, bit, need, (first, second), (steps[0], steps[1]), sets, settled, guards, beside
    )


def _guard(one: Any, bits: int, lexemes: list[Lexeme]) -> Guard:
    bit, lexeme, inside = one
    _expect(type(inside) is bool, "bad flags")
    return Guard(_number(bit, bits, "bit"), _number(lexeme, len(lexemes), "lexeme"), inside)


def _build(store: ExprStore, node: Any, exprs: list[int]) -> int:
    """Build the expression of one node of the file. `exprs` are the expressions of the nodes before it."""
    kind, *parts = node
    if kind in ("nothing", "empty", "any"):
        return ("nothing", "empty", "any").index(kind)
    if kind == "set":
        return store.byte_set(bytes.fromhex(parts[0]))
    if kind == "literal":
        return store.literal(bytes.fromhex(parts[0]))
    if kind in ("multiples", "part"):
        _expect(all(part is None or type(part) is int for part in parts), f"bad {kind}")
        return store.multiples(*parts) if kind == "multiples" else store.multiples_part(*parts)
    if kind == "repeat":
        lo, hi = parts[1:]
        _expect(type(lo) is int and (hi is None or type(hi) is int), "bad repeat")
        return store.repeat(exprs[_number(parts[0], len(exprs), "expression")], lo, hi)
    inner = [exprs[_number(part, len(exprs), "expression")] for part in parts]
    if kind == "complement":
        (whole,) = inner
        return store.complement(whole)
    _expect(kind in ("concat", "union", "intersect"), "unknown expression")
    return {"concat": store.concat, "union": store.union, "intersect": store.intersect}[kind](inner)
