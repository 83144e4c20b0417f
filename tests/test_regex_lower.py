"""Syntax trees -> byte expressions, on the real store and on the oracle's, against the tree matcher and `json`."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower import lowering as lw
from ffgrammar.regex.syntax import charset as cs
from ffgrammar.regex.syntax.parser import parse
from oracle.regex import OracleStore, tree_fullmatch, tree_search

CASES = Path(__file__).parent / "cases"
MATCHES = json.loads((CASES / "regex.json").read_text(encoding="utf-8"))
STORES = [ExprStore, OracleStore]

EMAIL = r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$"


def canonical(text: str) -> bytes:
    """The canonical spelling between the quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


# Trees. The alphabet has a character of every length in UTF-8, and one that JSON escapes.

LETTERS = ["a", "é", "\n", "\U0001f600"]
TEXTS = ["".join(text) for length in range(4) for text in itertools.product(LETTERS, repeat=length)]

leaves = st.one_of(
    st.sampled_from([("empty",), ("start", 1), ("end", 1), ("set", ()), ("set", cs.ANY)]),
    st.lists(st.sampled_from(LETTERS), min_size=1, max_size=3).map(lambda chars: ("set", cs.of_chars(chars))),
    st.text(alphabet=LETTERS, max_size=2).map(lambda text: ("text", text)),
)


def _above(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, 2), (0, 3), (2, None), (1, 2), (0, 0)])
    return st.one_of(
        st.tuples(st.just("cat"), st.lists(inner, max_size=3)),
        st.tuples(st.just("alt"), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(inner, bounds).map(lambda parts: ("rep", parts[0], *parts[1])),
    )


trees = st.recursive(leaves, _above, max_leaves=7)
plain_trees = trees.filter(lambda tree: "'start'" not in repr(tree) and "'end'" not in repr(tree))
logical_trees = st.recursive(
    plain_trees,
    lambda inner: st.one_of(st.tuples(st.just("and"), inner, inner), st.tuples(st.just("not"), inner)),
    max_leaves=3,
)


@pytest.mark.parametrize("make_store", STORES)
@pytest.mark.parametrize(
    ("encode", "spell"), [(lw.UTF8, str.encode), (lw.JSON_CANONICAL, canonical)], ids=["utf8", "json"]
)
@given(tree=trees)
def test_search_is_exact(
    make_store: Callable[[], Any], encode: lw.Encoding, spell: Callable[[str], bytes], tree: Any
) -> None:
    store = make_store()
    expr = lw.lower_search(tree, store, encode)
    for text in TEXTS:
        assert store.matches(expr, spell(text)) == tree_search(tree, text), repr(text)


# Random trees seldom put anchors where their assertions meet; these do, all of them.
ANCHORED = ["^a", "a$", "^a$", "^", "$", "a", "", "^$"]
CHOICES = ["|".join(parts) for count in (1, 2, 3) for parts in itertools.combinations(ANCHORED, count)]
SHORT_TEXTS = ["".join(text) for length in range(5) for text in itertools.product("ab", repeat=length)]


def _assert_search(pattern: str) -> None:
    store = ExprStore()
    tree = parse(pattern)
    expr = lw.lower_search(tree, store)
    for text in SHORT_TEXTS:
        assert store.matches(expr, text.encode()) == tree_search(tree, text), (pattern, text)


@pytest.mark.parametrize("bounds", ["{0,2}", "{1,2}", "{2}", "{2,3}", "{3}", "*", "+", "{2,}"])
def test_anchors_in_repeats_are_exact(bounds: str) -> None:
    for choice in CHOICES:
        _assert_search(f"(?:{choice}){bounds}")
        # with a letter beside it, because an empty match alone is found in every text
        _assert_search(f"(?:{choice}){bounds}b")
        _assert_search(f"(?:b|^)(?:{choice}){bounds}(?:b|$)")


@pytest.mark.parametrize("first", [choice for choice in CHOICES if choice.count("|") < 2])
def test_anchors_side_by_side_are_exact(first: str) -> None:
    for second in CHOICES[: len(ANCHORED) * 4 : 3]:
        for third in ("", "a", "^", "$", "b|$", "^|a"):
            _assert_search(f"(?:{first})(?:{second})(?:{third})")


@pytest.mark.parametrize("make_store", STORES)
@given(tree=trees)
def test_full_match_is_exact_or_refused(make_store: Callable[[], Any], tree: Any) -> None:
    store = make_store()
    try:
        expr = lw.lower(tree, store)
    except UnsupportedError as error:
        assert "anchor" in str(error)
        assert "'start'" in repr(tree) or "'end'" in repr(tree)
        return
    for text in TEXTS:
        assert store.matches(expr, text.encode()) == tree_fullmatch(tree, text), repr(text)


@pytest.mark.parametrize("make_store", STORES)
@given(tree=logical_trees)
def test_and_and_not_are_about_texts(make_store: Callable[[], Any], tree: Any) -> None:
    store = make_store()
    expr = lw.lower(tree, store)
    for text in TEXTS:
        assert store.matches(expr, text.encode()) == tree_fullmatch(tree, text), repr(text)
    for broken in (b"\xff", b"\xc3", b"a\x80", b"\xed\xa0\x80"):
        assert not store.matches(expr, broken)


@pytest.mark.parametrize("make_store", STORES)
@pytest.mark.parametrize("case", MATCHES, ids=lambda case: f"{case['dialect']}: {case['pattern']}")
def test_examples(make_store: Callable[[], Any], case: dict[str, Any]) -> None:
    tree = parse(case["pattern"], case["dialect"])
    for encode, spell in ((lw.UTF8, str.encode), (lw.JSON_CANONICAL, canonical), (lw.JSON_ANY, canonical)):
        store = make_store()
        expr = (lw.lower_search if case.get("search") else lw.lower)(tree, store, encode)
        assert [text for text in case["accepted"] if not store.matches(expr, spell(text))] == []
        assert [text for text in case["rejected"] if store.matches(expr, spell(text))] == []


@pytest.mark.parametrize(
    ("pattern", "column"), [("a^b", 2), ("(^a)+", 2), ("a*^b", 3), ("é$b", 2), ("(a|b$)c", 5), ("a(?:b|^)", 7)]
)
def test_anchors_that_are_no_no_ops_are_refused_in_a_full_match(pattern: str, column: int) -> None:
    with pytest.raises(UnsupportedError, match="anchor") as caught:
        lw.lower(parse(pattern), ExprStore())
    assert caught.value.column == column


def test_anchors_that_are_no_ops() -> None:
    store = ExprStore()
    plain = lw.compile_regex(store, "ab|c")
    for pattern in ("^ab$|c", "^(?:ab|c)$", "(?m)^(?:ab$|^^c)$", r"\A(?:(?:ab|c)\z)", "^*(?:ab|c)$?"):
        assert lw.compile_regex(store, pattern) == plain, pattern


def test_line_anchors_are_refused_in_a_search() -> None:
    with pytest.raises(UnsupportedError, match=r"\(\?m\)") as caught:
        lw.compile_regex(ExprStore(), "(?m)a$", search=True)
    assert caught.value.column == 6


@pytest.mark.parametrize("tree", [("not", ("start",)), ("and", ("text", "a"), ("end", 3))])
def test_anchors_inside_and_or_not_are_refused(tree: Any) -> None:
    with pytest.raises(UnsupportedError, match="anchor"):
        lw.lower_search(tree, ExprStore())


def test_unknown_nodes_are_refused() -> None:
    with pytest.raises(ValueError, match="group"):
        lw.lower(("group", ()), ExprStore())


# Characters as bytes

BORDERS = [0x00, 0x1F, 0x20, 0x22, 0x2F, 0x5C, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF]
BORDERS += [0x10000, 0x103FF, 0x10400, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF]
near = st.sampled_from(BORDERS).flatmap(lambda border: st.integers(max(border - 2, 0), min(border + 2, 0x10FFFF)))
points = near | st.integers(0, 0x10FFFF)
sets = st.lists(st.tuples(points, points).map(lambda pair: (min(pair), max(pair))), max_size=5).map(cs.from_ranges)


def _edges(members: cs.Charset) -> list[int]:
    edges = {point + step for pair in members for point in pair for step in (-1, 0, 1)} | {*BORDERS}
    return sorted(point for point in edges if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF)


@pytest.mark.parametrize("make_store", STORES)
@given(members=sets)
def test_utf8_of_sets(make_store: Callable[[], Any], members: cs.Charset) -> None:
    store = make_store()
    expr = lw.UTF8.charset(store, members)
    for point in _edges(members):
        spelled = chr(point).encode()
        assert store.matches(expr, spelled) == cs.contains(members, point), hex(point)
        assert not store.matches(expr, spelled[:-1])
        assert not store.matches(expr, spelled + spelled[-1:])


@given(st.binary(min_size=1, max_size=5))
def test_any_character_is_what_python_decodes(spelled: bytes) -> None:
    store = ExprStore()
    try:
        valid = len(spelled.decode()) == 1
    except UnicodeDecodeError:
        valid = False
    assert store.matches(lw.UTF8.charset(store, cs.ANY), spelled) == valid
    assert store.matches(lw.any_text(store), spelled) == _decodes(spelled)


def _decodes(spelled: bytes) -> bool:
    try:
        spelled.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize(
    "spelled", [b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x8f\xbf\xbf"]
)
def test_overlong_forms_and_surrogates_are_no_characters(spelled: bytes) -> None:
    store = ExprStore()
    assert not store.matches(lw.UTF8.charset(store, cs.ANY), spelled)


def _spellings(char: str) -> set[bytes]:
    """Every spelling of a character in a JSON string, but for the case of hexadecimal digits."""
    point = ord(char)
    units = [point] if point < 0x10000 else [0xD7C0 + (point >> 10), 0xDC00 + (point & 0x3FF)]
    escaped = "".join(f"\\u{unit:04x}" for unit in units)
    found = {escaped.encode(), "".join(f"\\u{unit:04X}" for unit in units).encode()}
    short = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\", "/": "/"}
    if char in short:
        found.add(f"\\{short[char]}".encode())
    if point >= 0x20 and char not in '"\\':
        found.add(char.encode())
    assert all(json.loads(b'"' + spelled + b'"') == char for spelled in found)
    return found


def _is_canonical(char: str, spelled: bytes) -> bool:
    return spelled == canonical(char) or (spelled.startswith(b"\\u00") and canonical(char) == spelled.lower())


@pytest.mark.parametrize("make_store", STORES)
@given(members=sets)
def test_json_spellings_of_sets(make_store: Callable[[], Any], members: cs.Charset) -> None:
    store = make_store()
    every = lw.JSON_ANY.charset(store, members)
    strict = lw.JSON_CANONICAL.charset(store, members)
    for point in _edges(members):
        inside = cs.contains(members, point)
        for spelled in _spellings(chr(point)):
            assert store.matches(every, spelled) == inside, (hex(point), spelled)
            allowed = inside and _is_canonical(chr(point), spelled)
            assert store.matches(strict, spelled) == allowed, (hex(point), spelled)
            assert not store.matches(every, spelled[:-1])


JSON_SOUP = ["\\", "u", "d83d", "dE00", "D800", "0041", "00e9", "n", "/", '"', "a", "é", "\n", "\x7f", "\U0001f600"]
json_soup = st.lists(st.sampled_from(JSON_SOUP), max_size=5).map("".join)


@given(json_soup)
def test_json_spellings_are_what_json_reads(spelled: str) -> None:
    try:
        value = json.loads(f'"{spelled}"')
        valid = not any(0xD800 <= ord(char) <= 0xDFFF for char in value)
    except ValueError:
        value, valid = "", False
    store = ExprStore()
    everything = lw.any_text(store, lw.JSON_ANY)
    assert store.matches(everything, spelled.encode()) == valid
    if valid:
        assert store.matches(lw.JSON_ANY.text(store, value), spelled.encode())
        assert store.matches(lw.JSON_CANONICAL.text(store, value), canonical(value))


def test_short_and_hexadecimal_escapes() -> None:
    store = ExprStore()
    char = lw.JSON_CANONICAL.charset(store, cs.ANY)
    for spelled in [b"\\n", b'\\"', b"\\u001f", b"\\u001F", b"\x7f", "\u2028".encode(), b"/"]:
        assert store.matches(char, spelled)
    for spelled in [b"\n", b'"', b"\\", b"\\/", b"\\u000a", b"\\u0041", b"\\u007f", b"\\x", b"ab", b""]:
        assert not store.matches(char, spelled)
    every = lw.JSON_ANY.charset(store, cs.ANY)
    for spelled in [b"\\/", b"\\u000A", b"\\u0041", b"\\uD83d\\uDe00", b"\\ud7ff", b"\\uE000"]:
        assert store.matches(every, spelled)
    for spelled in [b"\\ud83d", b"\\ude00", b"\\ud83d\\u0041", b"\\ude00\\ud83d", b"\\u004", b"\\u00g1"]:
        assert not store.matches(every, spelled)
    assert lw.JSON_CANONICAL.text(store, 'a"\n') == store.literal(b'a\\"\\n')
    assert store.matches(lw.JSON_CANONICAL.text(store, "\x1f"), b"\\u001F")
    with pytest.raises(ValueError, match="spelling"):
        lw.JsonString("raw")


@pytest.mark.parametrize("encode", [lw.UTF8, lw.JSON_CANONICAL, lw.JSON_ANY], ids=["utf8", "canonical", "any"])
@given(members=sets)
def test_branches_begin_with_different_bytes(encode: lw.Encoding, members: cs.Charset) -> None:
    store = ExprStore()
    todo = [encode.charset(store, members)]
    while todo:
        kind, *parts = store.node(todo.pop())
        if kind == "union":
            heads = b"".join(_first_bytes(store, part) for part in parts)
            assert len(heads) == len(set(heads))
        if kind in ("union", "concat"):
            todo.extend(parts)


def _first_bytes(store: ExprStore, expr: int) -> bytes:
    kind, *parts = store.node(expr)
    if kind == "union":
        return b"".join(_first_bytes(store, part) for part in parts)
    if kind == "concat":
        return _first_bytes(store, parts[0])
    return bytes(parts[0][:1]) if kind == "literal" else bytes(parts[0])


# Literals

words = st.lists(st.text(alphabet='ab"\n\x01é', max_size=4), min_size=1, max_size=8)


@pytest.mark.parametrize("make_store", STORES)
@given(chosen=words, others=words)
def test_alternations_of_literals(make_store: Callable[[], Any], chosen: list[str], others: list[str]) -> None:
    tree = ("alt", [("text", word) for word in chosen])
    for encode in (lw.UTF8, lw.JSON_CANONICAL, lw.JSON_ANY):
        store = make_store()
        expr = lw.lower(tree, store, encode)
        spell = str.encode if encode is lw.UTF8 else canonical
        for word in [*chosen, *others]:
            assert store.matches(expr, spell(word)) == (word in chosen)


def test_neighbouring_characters_are_one_literal() -> None:
    store = ExprStore()
    a, b = ("set", ((0x61, 0x61),)), ("text", "é")
    assert lw.lower(("cat", [a, b, a]), store) == store.literal("aéa".encode())


# Size, depth, time

CATASTROPHIC = {
    r"(a|b)*a(a|b){200}": ("b" * 50 + "a" * 201, "b" * 201),
    r".{0,100000}": ("x" * 5000, "x\n"),
    r"((a{0,1000}){0,1000}){0,1000}": ("a" * 3000, "b"),
    "a" * 1_000_000: ("", "a"),
    "|".join(f"word{i}" for i in range(20_000)): ("word19999", "word20000"),
    "(" * 500 + "a" + ")" * 500: ("a", "aa"),
    "(a|" * 500 + "b" + ")*" * 500: ("ab", "c"),
    "(^" * 400 + "a" + "$){1,2}" * 400: ("a", "aa"),
    "^" * 100_000 + "a": ("a", "b"),
    "(a|^)" * 5_000 + "b": ("aab", ""),
    "(?i)" + "straße" * 20_000: ("", ""),
    "(?i)" + "|".join(f"word{i}" for i in range(20_000)): ("WORD19999", "word20000"),
    r"(?:\w|[α-ω])+\p{L}\P{Lu}{3}": ("éaaaa", "é"),
}


@pytest.mark.parametrize("pattern", CATASTROPHIC, ids=lambda pattern: f"{pattern[:24]}-{len(pattern)}")
def test_catastrophic_patterns_have_small_expressions(pattern: str) -> None:
    accepted, rejected = CATASTROPHIC[pattern]
    store = ExprStore(Limits(nesting=2000))
    try:
        expr = lw.compile_regex(store, pattern)
    except UnsupportedError:
        # anchors inside are exact in a search only
        expr = lw.lower_search(parse(pattern), store)
    assert len(store) < 2 * len(pattern) + 2000
    if accepted:
        assert store.matches(expr, accepted.encode())
        assert not store.matches(expr, rejected.encode())


def test_nothing_is_unrolled() -> None:
    store = ExprStore()
    lw.compile_regex(store, r"((a{0,1000}){0,1000}){0,1000}(?:b|c){5,100000}")
    assert len(store) < 20


counts = st.sampled_from([(0, 1), (0, 2), (0, None), (1, 1), (1, 3), (2, 2), (2, 3), (3, 4), (2, None), (0, 0), (4, 5)])


@given(st.lists(counts, min_size=2, max_size=3))
def test_repeats_of_repeats(levels: list[tuple[int, int | None]]) -> None:
    tree: Any = ("text", "a")
    for lo, hi in levels:
        tree = ("rep", tree, lo, hi)
    store = ExprStore()
    expr = lw.lower(tree, store)
    for length in range(25):
        assert store.matches(expr, b"a" * length) == tree_fullmatch(tree, "a" * length), length


@given(st.text(alphabet=r"ab01-^$.|?*+()[]{},:=!<>\pPuxLdk&~# ", max_size=20), st.sampled_from(["rust", "ecma"]))
def test_any_text_compiles_or_is_refused(pattern: str, dialect: str) -> None:
    try:
        lw.compile_regex(ExprStore(), pattern, dialect, search=True, encode=lw.JSON_CANONICAL)
    except GrammarError as error:
        assert error.column is not None
