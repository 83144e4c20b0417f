"""Compiled files: a grammar after its front-end, before any cache.

    magic (8 bytes) | version u32 | sha256 of the rest (32 bytes) | the vocabulary's fingerprint (32 bytes) | zlib(JSON)

The checksum finds damage, not forgery: everything that is read is checked as strangers' input, and expressions are
made anew by the store's own constructors.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import CompiledFileError, FFGrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import CHECKS, MAX_COUNT, GrammarIR, Lexeme, Parametric, Template
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["dump", "load"]

MAGIC = b"FFGRAMR\n"
VERSION = 2
# expressions without other expressions in them
LEAVES = ("set", "literal", "multiples", "part")
HEADER = struct.Struct("<8sI32s32s")


def dump(grammar: GrammarIR, fingerprint: str) -> bytes:
    """The bytes of a compiled file."""
    nodes, numbers = _expressions(grammar)
    body = {
        "nodes": nodes,
        "lexemes": [[numbers[one.expr], one.name, one.lazy, one.skip, one.check, one.opens] for one in grammar.lexemes],
        "productions": [[head, list(rhs)] for head, rhs in grammar.productions],
        "parametric": [[family.number, family.bits] for family in grammar.parametric],
        "templates": [
            [one.head, one.rhs, one.again, one.bit, one.need, one.counts, one.add] for one in grammar.templates
        ],
        "names": list(grammar.names),
        "start": grammar.start,
        "kind": grammar.kind,
        "single_skip": grammar.single_skip,
        "delimited": grammar.delimited,
        "warnings": list(grammar.warnings),
        "checks": list(grammar.checks),
    }
    packed = zlib.compress(json.dumps(body, separators=(",", ":")).encode())
    bound = bytes.fromhex(fingerprint)[:32].ljust(32, b"\0") + packed
    return HEADER.pack(MAGIC, VERSION, hashlib.sha256(bound).digest(), bound[:32]) + packed


def _expressions(grammar: GrammarIR) -> tuple[list[list[Any]], dict[int, int]]:
    """The nodes that the lexemes need, parts before wholes, and their numbers in that list."""
    store = grammar.store
    needed: dict[int, tuple[Any, ...]] = {}
    stack = [lexeme.expr for lexeme in grammar.lexemes]
    while stack:
        expr = stack.pop()
        if expr not in needed:
            kind, *parts = needed[expr] = store.node(expr)
            stack += parts[:1] if kind in ("complement", "repeat") else [] if kind in LEAVES else parts
    # a part has a lower id than its whole
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


def load(source: str | os.PathLike[str] | bytes, tokenizer: Tokenizer, *, limits: Limits | None = None) -> Grammar:
    """Read a compiled file.

    Args:
        source: its path, or its bytes.
        tokenizer: the vocabulary it was compiled for.
        limits: bounds on the cost; `source_bytes` bounds the unpacked file.

    Raises:
        CompiledFileError: truncated, damaged, of another version, or for another vocabulary.
        OSError: it cannot be read.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer")
    expect("limits", limits, (Limits, type(None)), "Limits")
    limits = limits or Limits()
    if isinstance(source, (bytes, bytearray)):
        data = bytes(source)
    else:
        with open(os.fspath(source), "rb") as file:
            data = file.read()
    if not data.startswith(MAGIC[: len(data)] or MAGIC):
        raise CompiledFileError("this is not a compiled grammar")
    if len(data) < HEADER.size:
        raise CompiledFileError("the compiled grammar is truncated")
    _, version, digest, fingerprint = HEADER.unpack_from(data)
    if version != VERSION:
        raise CompiledFileError(f"compiled by another version of ffgrammar (format {version}, this is {VERSION})")
    if hashlib.sha256(data[HEADER.size - 32 :]).digest() != digest:
        raise CompiledFileError("the compiled grammar is truncated or damaged: its checksum does not fit")
    if fingerprint != bytes.fromhex(tokenizer.fingerprint)[:32].ljust(32, b"\0"):
        raise CompiledFileError(f"compiled for another vocabulary than {tokenizer.name}; compile the grammar again")
    try:
        unpacker = zlib.decompressobj()
        # to zlib 0 is no bound
        text = unpacker.decompress(data[HEADER.size :], max(1, limits.source_bytes))
        if unpacker.unconsumed_tail:
            raise CompiledFileError(f"larger than the limit source_bytes={limits.source_bytes}")
        return Grammar(_read(json.loads(text), limits), tokenizer, limits)
    except CompiledFileError:
        raise
    except (FFGrammarError, ValueError, TypeError, KeyError, IndexError, RecursionError, zlib.error) as error:
        raise CompiledFileError(f"the compiled grammar is malformed: {error}") from error


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise CompiledFileError(f"the compiled grammar is malformed: {what}")


def _number(value: Any, below: int, what: str) -> int:
    _expect(type(value) is int and 0 <= value < below, f"bad {what}")
    return int(value)


def _read(body: Any, limits: Limits) -> GrammarIR:
    _expect(type(body) is dict, "not an object")
    store = ExprStore(limits)
    exprs: list[int] = []
    for node in body["nodes"]:
        exprs.append(_build(store, node, exprs))
    checks = body["checks"]
    _expect(type(checks) is list and all(kind in CHECKS for kind in checks), "bad checks")
    _expect(body["delimited"] is True or not checks, "checks in a grammar that is not delimited")
    lexemes = []
    for number, name, lazy, skip, check, opens in body["lexemes"]:
        _expect(type(name) is str and all(type(flag) is bool for flag in (lazy, skip, opens)), "bad lexeme")
        if check is not None:
            _number(check, len(checks), "check")
        expr = exprs[_number(number, len(exprs), "expression")]
        lexemes.append(Lexeme(expr, name, lazy, skip, check, opens))
    names = body["names"]
    _expect(type(names) is list and all(type(name) is str for name in names), "bad names")
    parametric = {}
    for number, bits in body["parametric"]:
        parametric[_number(number, len(names), "nonterminal")] = _number(bits, limits.rules, "number of bits")
    productions = Productions()
    for head, rhs in body["productions"]:
        _expect(_number(head, len(names), "nonterminal") not in parametric, "a production of a parametric nonterminal")
        productions.append(head, _symbols(rhs, names, lexemes))
    templates = [_template(one, parametric, names, lexemes) for one in body["templates"]]
    _expect(len(productions) + len(templates) <= limits.rules, f"more productions than the limit rules={limits.rules}")
    start = _number(body["start"], 2 * len(names), "start")
    _expect(start & 1 == 1, "bad start")
    warnings = body["warnings"]
    _expect(type(warnings) is list and all(type(warning) is str for warning in warnings), "bad warnings")
    _expect(type(body["kind"]) is str and type(body["single_skip"]) is bool, "bad kind")
    _expect(type(body["delimited"]) is bool, "bad kind")
    return GrammarIR(
        store,
        tuple(lexemes),
        productions,
        tuple(names),
        start,
        body["kind"],
        body["single_skip"],
        body["delimited"],
        tuple(warnings),
        tuple(Parametric(number, bits) for number, bits in parametric.items()),
        tuple(templates),
        tuple(checks),
    )


def _symbols(rhs: Any, names: list[str], lexemes: list[Lexeme]) -> tuple[int, ...]:
    for symbol in rhs:
        _number(symbol, 2 * (len(names) if symbol & 1 else len(lexemes)), "symbol")
    return tuple(rhs)


def _template(one: Any, parametric: dict[int, int], names: list[str], lexemes: list[Lexeme]) -> Template:
    head, rhs, again, bit, need, counts, add = one
    _expect(type(head) is int and head in parametric, "bad template")
    bits = parametric[head]
    if again is not None:
        _expect(type(again) is int and parametric.get(again) == bits, "a template goes on with another parameter")
        _expect(any(symbol & 1 == 0 for symbol in rhs), "a template goes on without reading")
    if bit is not None:
        _number(bit, bits, "bit")
    _number(need, 1 << bits, "bits")
    bounds = []
    for lowest, highest in counts:
        most = None if highest is None else _number(highest, MAX_COUNT, "count")
        bounds.append((_number(lowest, MAX_COUNT, "count"), most))
    first, second = bounds
    steps = tuple(_number(step, 2, "step") for step in add)
    _expect(len(steps) == 2, "bad template")
    return Template(head, _symbols(rhs, names, lexemes), again, bit, need, (first, second), (steps[0], steps[1]))


def _build(store: ExprStore, node: Any, exprs: list[int]) -> int:
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
