"""The Lark front-end against the `lark` package and against Python's `re`, which Lark's regular expressions are for."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.grammar.lark import build
from ffgrammar.grammar.lark.common import COMMON
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES

lark = pytest.importorskip("lark", reason="the package lark is not installed")

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"

LISTS = """
start: list
list: "[" [item ("," item)*] "]"
?item: NAME | INT | list | "(" item ")" -> grouped
     | item "." NAME
NAME: /[a-z]+/
%import common (INT, WS_INLINE)
%ignore WS_INLINE
"""
STATEMENTS = """
start: (statement ";")+
?statement: NAME "=" expr  -> assign
          | "print" "(" expr ("," expr)~0..2 ")"
          | "{" statement~1..2 "}"
?expr: expr OP atom | atom
?atom: NUMBER | NAME | STRING | "-" atom | "(" expr ")"
OP: "+" | "-" | "**" | "*" | "<=" | "<"
NAME: ("a".."c" | "_") ("a".."c" | "0".."9")*
STRING: "'" /[^']*/ "'"
%import common.NUMBER
%import common.WS
%ignore WS
%ignore "#" /[^\\n]*/
"""
KEYWORDS = """
start: "select"i columns ("from"i TABLE)? ("limit"i INT)?
columns: COLUMN ("," COLUMN)* | "*"
COLUMN: /c[0-9]?/
TABLE: "t" DIGIT~1..2
%import common (DIGIT, INT)
%ignore " "
"""
TEMPLATES = """
start: _list{pair{NAME, value}, ";"} tail{_list}
_list{x, s}: x (s x)*
pair{k, v}: k "=" v
value: INT | "[" [_list{value, ","}] "]"
tail{f}: ["!" f{NAME, "+"}]
NAME: /[a-z]+/
%import common.INT
%extend value: "<" NAME ">"
%override INT: /[0-9]/
%extend NAME: "é"
%ignore " "
"""
# Each grammar with the pieces that texts are put together from.
CASES: dict[str, tuple[str, list[str]]] = {
    "lists": (LISTS, [*"[ ] , a 12 ( ) . [] [a,1] b.c !".split(), " "]),
    "statements": (
        STATEMENTS,
        [*"a b1 = 1 2.5 + ** * < <= - ( ) ; 'x;' print( , { } a=1; print(a); b=a*(1-b);".split(), " ", "\n", "# c\n"],
    ),
    "keywords": (KEYWORDS, [*"select * c c1 , from t12 x".split(), "SELECT ", " ", "FROM t1", "limit 5"]),
    "templates": (TEMPLATES, [*"a bc = 1 [ ] , ; ! + < > <a> a=1 [1,2] é !a+b =[ 12".split(), " "]),
    "json": (
        (GRAMMARS / "json.lark").read_text(encoding="utf-8"),
        [*'{ } [ ] , : "a" "\\n" "a": 1 - 0 .5 e+1 true null [1] x'.split(), " "],
    ),
    "arithmetic": (
        (GRAMMARS / "arithmetic.lark").read_text(encoding="utf-8"),
        [*"1 2.5 x + - * / % ^ ( ) , f( 1e3 . (x) x+1".split(), " "],
    ),
    "config": (
        (GRAMMARS / "config.lark").read_text(encoding="utf-8"),
        [*'[a] [ ] a . = a=1 1.5 "s" , on x:1'.split(), "\n", "\r\n", " ", "# c", "b = on\n"],
    ),
}


@cache
def both(name: str) -> tuple[Any, ff.Grammar]:
    grammar = CASES[name][0]
    theirs = lark.Lark(grammar, parser="lalr" if name not in {"config", "arithmetic"} else "earley", lexer="auto")
    return theirs, ff.compile_lark(grammar, BYTES)


@st.composite
def texts(draw: st.DrawFn, name: str) -> str:
    return "".join(draw(st.lists(st.sampled_from(CASES[name][1]), max_size=12)))


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_acceptance_agrees(name: str, data: st.DataObject) -> None:
    theirs, ours = both(name)
    text = data.draw(texts(name))
    try:
        theirs.parse(text)
        accepted = True
    except lark.exceptions.UnexpectedInput:
        accepted = False
    matcher = ours.matcher()
    assert (matcher.accept_bytes(text.encode()) == len(text) and matcher.is_accepting()) == accepted, text


# Common terminals

ALPHABET = st.text(alphabet='aBf_09.+-eE"\\/*#\r\n\t \f', max_size=9)


@pytest.mark.parametrize("name", COMMON)
@given(text=ALPHABET)
def test_common_terminals_agree(name: str, text: str) -> None:
    pattern, expr, store = common(name)
    if name in {"ESCAPED_STRING", "C_COMMENT"}:
        # They end as early as they can: only what `match` takes is the terminal.
        quoted = {"ESCAPED_STRING": f'"{text}"', "C_COMMENT": f"/*{text}*/"}[name]
        for candidate in (text, quoted):
            found = pattern.match(candidate)
            assert store.matches(expr, candidate.encode()) == (found is not None and found.end() == len(candidate))
    else:
        assert store.matches(expr, text.encode()) == (pattern.fullmatch(text) is not None)


@cache
def common(name: str) -> tuple[re.Pattern[str], int, ExprStore]:
    grammar = f"start: {name}\n%import common.{name}"
    (theirs,) = lark.Lark(grammar, parser="lalr").terminals
    store = ExprStore()
    return re.compile(theirs.pattern.to_regexp()), build(grammar, store, ff.Limits()).lexemes[0].expr, store


def test_all_common_terminals_are_there() -> None:
    text = Path(lark.__file__).with_name("grammars").joinpath("common.lark").read_text(encoding="utf-8")
    # (parts that end where what follows them begins are of no use here)
    parts = {"_STRING_INNER", "_STRING_ESC_INNER"}
    assert set(re.findall(r"^(_?[A-Z]\w*)\s*:", text, re.MULTILINE)) - parts == set(COMMON)


# Regular expressions

CLASS_ITEMS = [*r"a b-d \w \] \- [ && & ~~ -- - ^ . { \d \\ #".split(), " "]
ATOMS = [*r"a b . \. { } x{y \- \< (?:ab) (a|b) (?P<n%d>b) ] - & #".split(), " ", "\\ "]
REPEATS = ["", "", "", *"* + ? {2} {1,} {,2} {1,3}".split()]


@st.composite
def patterns(draw: st.DrawFn) -> str:
    parts = []
    for number in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            parts.append(draw(st.sampled_from(ATOMS)).replace("%d", str(number)))
        else:
            inner = "".join(draw(st.lists(st.sampled_from(CLASS_ITEMS), min_size=1, max_size=4)))
            parts.append(f"[{draw(st.sampled_from(['', '^', ']', '^]']))}{inner}]")
        parts.append(draw(st.sampled_from(REPEATS)))
    return "".join(parts)


@given(pattern=patterns(), flags=st.sampled_from(["", "i", "s", "x", "ix"]), data=st.data())
def test_regexes_mean_what_they_mean_in_python(pattern: str, flags: str, data: st.DataObject) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            theirs = re.compile(f"(?{flags}){pattern}" if flags else pattern)
        except re.error:
            assume(False)
            raise
    store = ExprStore()
    ours = lexemes_of(f"start: T\nT: /{pattern}/{flags}", store)
    for _ in range(5):
        text = data.draw(st.text(alphabet='abcxyA1-]{[&~^.\\< #"}_\n', max_size=5))
        assert matches_any(store, ours, text) == (theirs.fullmatch(text) is not None), text


def lexemes_of(grammar: str, store: ExprStore) -> list[int]:
    """The expressions of the texts."""
    try:
        built = build(grammar, store, ff.Limits())
    except ff.GrammarError as error:
        # A class that holds nothing, as [^\s\S], is no grammar; nothing else may be refused.
        assert "no text at all" in error.message, error
        return []
    return [lexeme.expr for lexeme in built.lexemes]


def matches_any(store: ExprStore, exprs: list[int], text: str) -> bool:
    return any(store.matches(expr, text.encode()) for expr in exprs)


@given(
    before=st.sampled_from(["", "a", '"', "/*", "[ab]", "ab"]),
    repeated=st.sampled_from([".", "[ab]", "(a|b)", "(?:.|\\n)", "[^b]", "a"]),
    operator=st.sampled_from(["*?", "+?", "??", "{2}?", "{1,}?", "{0,2}?"]),
    after=st.sampled_from(["a", '"', "*/", "b", "[ab]", "ba", "aa", "aba"]),
    data=st.data(),
)
def test_lazy_repeats_end_where_python_ends_them(
    before: str, repeated: str, operator: str, after: str, data: st.DataObject
) -> None:
    pattern = f"{before}{repeated}{operator}{after}".replace("/", "\\/").replace("*\\/", "\\*\\/")
    pattern = pattern.replace("\\/*", "\\/\\*", 1) if before == "/*" else pattern
    store = ExprStore()
    ours = lexemes_of(f"start: /{pattern}/", store)
    theirs = re.compile(pattern)
    for _ in range(10):
        text = data.draw(st.text(alphabet='ab"*/\n', max_size=7))
        found = theirs.match(text)
        assert matches_any(store, ours, text) == (found is not None and found.end() == len(text)), text
