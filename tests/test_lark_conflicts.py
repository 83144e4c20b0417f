"""The report of texts that longest match loses, beside slow definitions of both lexing rules."""

from __future__ import annotations

import pickle
import random
from itertools import pairwise, product
from pathlib import Path

import pytest
from test_lark_any import ALPHABET, random_lark, vocabulary

import ffgrammar as ff
from ffgrammar.grammar.edges import free_bytes
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lark import build
from ffgrammar.grammar.lexing.conflicts import MAX_CONFLICTS, conflicts
from ffgrammar.grammar.lexing.follow import Follow
from ffgrammar.grammar.lexing.longest import Longest
from ffgrammar.grammar.lexing.shortest import Shortest
from ffgrammar.grammar.lexing.work import TooMuchWorkError, Work
from ffgrammar.regex.expr.store import ExprStore
from oracle.anywhere import SPECIAL, AnywhereChart, Symbols
from oracle.cfg import Recogniser

LIMITS = ff.Limits(row_items=1000, emptiness_steps=300, dfa_states=300)
GRAMMARS = sorted(Path(__file__).parents[1].joinpath("grammars").glob("*.lark"))


def built(source: str, tok: ff.Tokenizer) -> GrammarIR:
    return build(source, ExprStore(), ff.Limits(), special_tokens=tok.special_tokens)


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ('start: TEXT ";" | "."\nTEXT: /.+/', ["line 1, column 1: in start, TEXT", 'for ";"', "on with TEXT;", '"a;"']),
        ('start: "if" NAME | NAME "=" NAME\nNAME: /[a-z]+/', ['"if" leaves nothing for NAME', 'allow "ifa", but']),
        ('start: T "END"\nT: ~/(.|\\n)*END(.|\\n)*/', ['T leaves nothing for "END"', '"aEND"', "suffix="]),
        ('start: A B | "c"\nA: /a+/\nB: /ab/', ["A leaves nothing for B", '"aab"']),
        (
            'start: s\n\ns: "(" s ")" | WORD "-" WORD | "z"\nWORD: /[a-z-]+/',
            ["line 3, column 1: in s, WORD", 'for "-"', '"a-a"'],
        ),
        # what %ignore skips is taken, too
        (
            'start: KEY ":" VALUE "." | "!"\nKEY: /[a-z]+/\nVALUE: /[^!]+/\n%ignore " "',
            ['VALUE leaves nothing for "."'],
        ),
        # the other lexemes of the example are told apart by what %ignore skips
        ('start: A A T ";" | "."\nA: /a+/\nT: "t" /[^.]*/\n%ignore " "', ["T leaves nothing", '"a a t;"']),
        ('start: "a" <|x|> T "b" | "c"\nT: /1.*/', ["T leaves nothing", '"a<|x|>1b"']),
        ('start: A "é" | "!"\nA: /[^!]+/', ['A leaves nothing for "\\u00e9"', '"aé"']),
    ],
)
def test_what_is_told(source: str, parts: list[str]) -> None:
    grammar = ff.compile_lark(source, vocabulary(random.Random(0)))
    (warning,) = grammar.warnings
    for part in parts:
        assert part in warning
    assert warning.endswith("or compile with lexing='any'")
    assert grammar.warnings == (warning,)


@pytest.mark.parametrize(
    "source",
    [
        'start: NAME NAME\nNAME: /[a-z]+/\n%ignore " "',
        'start: "int" NAME ("," NAME)* ";"\nNAME: /[a-z]+/\n%ignore /[ \\n]+/',
        'start: line*\nline: KEY ":" VALUE "\\n"\nKEY: /[a-z]+/\nVALUE: /[^\\n]+/',
        'start: "if" NAME | NAME\nNAME: /[a-z]+/',  # "ifa" is a NAME, so it is not lost
        'start: A "b" | "c"\nA[lazy]: /ab*/',
        "start: A <|x|>\nA: /(.|\\n)+/",
        'start: %json {"type": "integer"} "1"',
        'start: A\nA: "a"',
    ],
)
def test_what_is_not_told(source: str) -> None:
    assert ff.compile_lark(source, vocabulary(random.Random(0))).warnings == ()


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_good_grammars_have_no_conflicts(path: Path, cl100k: ff.Tokenizer) -> None:
    source = path.read_text(encoding="utf-8")
    # (warnings of other kinds do not matter)
    assert conflicts(built(source, cl100k)) == []


def test_any_has_no_conflicts(cl100k: ff.Tokenizer) -> None:
    assert ff.compile_lark('start: A "x"\nA: /x+/', cl100k, lexing="any").warnings == ()


def test_where_all_texts_are_lost(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match='in x, A leaves nothing for "x"') as error:
        ff.compile_lark('start: x\nx: A "x"\nA: /x+/', cl100k)
    assert (error.value.line, error.value.column) == (2, 1)


def test_saved_grammars_have_the_report(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    source = 'start: "if" NAME | NAME "=" NAME\nNAME: /[a-z]+/'
    ff.compile_lark(source, cl100k).save(tmp_path / "g.ffg")
    grammar = ff.compile_lark(source, cl100k)
    assert len(grammar.warnings) == 1
    assert ff.load(tmp_path / "g.ffg", cl100k).warnings == grammar.warnings
    assert pickle.loads(pickle.dumps(grammar)).warnings == grammar.warnings


def symbols_of(text: list[bytes | str], tok: ff.Tokenizer) -> Symbols:
    found: list[int] = []
    for one in text:
        found += [tok.special_tokens[one] + SPECIAL] if isinstance(one, str) else one
    return tuple(found)


def accepted(grammar: ff.Grammar, text: Symbols) -> bool:
    matcher = grammar.matcher()
    for one in text:
        if not (matcher.accept_token(one - SPECIAL) if one >= SPECIAL else matcher.accept_bytes(bytes([one]))):
            return False
    return matcher.is_accepting()


@pytest.mark.parametrize("seed", range(30))
def test_what_is_told_is_true(seed: int) -> None:
    rng = random.Random(seed)
    tok = vocabulary(rng)
    told = by_engine = 0
    while told < 10:
        source = random_lark(rng).replace("%json", '"1" //')
        try:
            anywhere = ff.compile_lark(source, tok, lexing="any", limits=LIMITS)
        except ff.GrammarError:
            continue
        grammar = built(source, tok)
        try:
            longest: ff.Grammar | None = ff.compile_lark(source, tok, limits=LIMITS)
        except (ff.GrammarError, ff.LimitError):
            longest = None
        chart = AnywhereChart(grammar)
        for conflict in conflicts(grammar):
            told += 1
            text = symbols_of(conflict.text, tok)
            assert chart.accepts(text), (source, conflict)
            if max(text) < SPECIAL:
                assert not Recogniser(grammar).accepts(bytes(text)), (source, conflict)
            try:
                assert accepted(anywhere, text), (source, conflict)
                assert longest is None or not accepted(longest, text), (source, conflict)
            except ff.LimitError:
                continue  # (whether a text can be completed is hard to know for some of these grammars)
            by_engine += longest is not None
    assert by_engine


@pytest.mark.parametrize("seed", range(20))
def test_longest_match_is_read_as_it_is_defined(seed: int) -> None:
    rng = random.Random(seed)
    tok = vocabulary(rng)
    sentences = 0
    while sentences < 30:
        source = random_lark(rng).replace("%json", '"1" //')
        try:
            grammar = built(source, tok)
        except ff.GrammarError:
            continue
        recogniser = Recogniser(grammar)
        longest = Longest(grammar, Follow(grammar), Work(10**9))
        for _ in range(20):
            text = bytes(rng.choice(ALPHABET) for _ in range(rng.randint(0, 6)))
            expected = recogniser.accepts(text)
            sentences += expected
            assert longest.read(text).accepted == expected, (source, text)


@pytest.mark.parametrize("seed", range(20))
def test_free_bytes(seed: int) -> None:
    rng = random.Random(seed)
    store = ExprStore()
    letters = b"abc"

    def expression(depth: int) -> int:
        kind = rng.random()
        if depth == 0 or kind < 0.3:
            return store.byte_set(bytes(rng.sample(letters, rng.randint(1, 2))))
        if kind < 0.6:
            return store.concat([expression(depth - 1) for _ in range(2)])
        if kind < 0.8:
            return store.union([expression(depth - 1) for _ in range(2)])
        return store.repeat(expression(depth - 1), 1, rng.choice([2, None]))

    texts = [bytes(one) for size in range(1, 7) for one in product(letters, repeat=size)]
    for _ in range(20):
        ended = expression(2)
        going_on = store.union([ended, expression(3)])
        begun = {text[:size] for text in texts for size in range(7) if store.matches(going_on, text)}
        expected = {
            byte for text in texts if len(text) < 5 and store.matches(ended, text) for byte in letters
            if text + bytes([byte]) not in begun and not _goes_on(store, going_on, text + bytes([byte]))
        }  # fmt: skip
        found = free_bytes(store, ended, going_on, 0)
        assert {byte for byte in letters if found >> byte & 1} == expected
        if found:
            some = free_bytes(store, ended, going_on, found)
            assert some and not some & ~found


def _goes_on(store: ExprStore, expr: int, text: bytes) -> bool:
    for byte in text:
        expr = store.derivative(expr, byte)
    return not store.is_nothing(expr)


@pytest.mark.parametrize("seed", range(20))
def test_joints_are_shortest(seed: int) -> None:
    rng = random.Random(seed)
    tok = vocabulary(rng)
    checked = 0
    while checked < 20:
        try:
            grammar = built(random_lark(rng).replace("%json", '"1" //'), tok)
        except ff.GrammarError:
            continue
        follow = Follow(grammar)
        shortest = Shortest(follow, grammar.start >> 1, grammar.rules, Work(10**9))
        sentences = lexeme_sentences(follow, grammar.start >> 1, 5)
        for first, after in enumerate(follow.after):
            for second in range(len(grammar.lexemes)):
                lengths = [len(one) for one in sentences if (first, second) in pairwise(one)]
                assert after >> second & 1 or not lengths
                if not lengths:
                    continue
                joint = shortest.joint(first, second)
                assert len(joint.lexemes) == min(lengths)
                assert tuple(joint.lexemes) in sentences
                assert joint.lexemes[joint.place : joint.place + 2] == [first, second]
                assert joint.rule < grammar.rules
                checked += 1


def lexeme_sentences(follow: Follow, start: int, most: int) -> set[tuple[int, ...]]:
    """All sentences of at most some lexemes. A lexeme that may be empty may be left out."""
    known: dict[int, set[tuple[int, ...]]] = {head: set() for head, _ in follow.bodies}
    changed = True
    while changed:
        changed = False
        for head, body in follow.bodies:
            made: set[tuple[int, ...]] = {()}
            for symbol in body:
                number = symbol >> 1
                if symbol & 1:
                    parts = known[number]
                else:
                    parts = {(number,), ()} if follow.empty_lexemes[number] else {(number,)}
                made = {one + part for one in made for part in parts if len(one) + len(part) <= most}
            if not made <= known[head]:
                known[head] |= made
                changed = True
    return known[start]


def test_the_report_has_bounds(cl100k: ff.Tokenizer) -> None:
    # many conflicts
    lines = [f'r{n}: "{n}x" T{n} ";"\nT{n}: /t{n}.*/' for n in range(30)]
    rules = " | ".join(f"r{n}" for n in range(30))
    assert len(ff.compile_lark("\n".join([f'start: {rules} | "!"', *lines]), cl100k).warnings) == MAX_CONFLICTS
    # an example that is too long, automata that are too large, and too many terminals
    for source in (
        f'start: "{"a" * 5000}" T ";" | "!"\nT: /.+/',
        'start: T ";" | "!"\nT: /.{4000}.*/',
        'start: T ";" | "!"\nT: /([ab]*a[ab]{30}|[^!])+/',
        "start: " + " | ".join(f"T{n}" for n in range(600)) + "".join(f"\nT{n}: /t{n}.*/" for n in range(600)),
    ):
        assert ff.compile_lark(source, cl100k).warnings == ()


def test_compositions_have_the_warnings_of_compiling_only(cl100k: ff.Tokenizer) -> None:
    part = ff.compile_lark('start: "if" NAME | NAME "=" NAME\nNAME: /[a-z]+/', cl100k)
    assert ff.compose(ff.sequence("a: ", part), cl100k).warnings == ()
    assert len(part.warnings) == 1


def doubling(count: int) -> str:
    """A grammar whose shortest sentence with T has 2 ** count lexemes before it."""
    rules = [f"r{i}: r{i + 1} r{i + 1}" for i in range(count)]
    return "\n".join(['start: r0 T "b" | "c"', *rules, f'r{count}: "x"', "T: /[^c]+/"])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (doubling(9), 1),
        (doubling(60), 0),  # the example would have 2 ** 60 bytes
        ("start: " + "A " * 3000 + 'T ";" | "."\nA: /a/\nT: /t.*/', 0),  # 3000 ways to end a beginning of the rule
    ],
    ids=["doubling", "too long", "long rule"],
)
def test_the_report_costs_little(source: str, told: int, cl100k: ff.Tokenizer) -> None:
    assert len(ff.compile_lark(source, cl100k).warnings) == told


def test_the_budget_of_the_report(cl100k: ff.Tokenizer) -> None:
    grammar = built('start: s T ";" | "."\ns: s s | "a"\nT: /t.*/', cl100k)
    follow = Follow(grammar)
    joint = Shortest(follow, grammar.start >> 1, grammar.rules, Work(1000)).joint(*lexemes_named(grammar, "T", '";"'))
    assert len(joint.lexemes) == 3
    with pytest.raises(TooMuchWorkError):
        Shortest(follow, grammar.start >> 1, grammar.rules, Work(10))
    longest = Longest(grammar, follow, Work(100_000))
    with pytest.raises(TooMuchWorkError):
        longest.read(b"a" * 2000)


def lexemes_named(grammar: GrammarIR, *names: str) -> list[int]:
    return [next(i for i, lexeme in enumerate(grammar.lexemes) if lexeme.name == name) for name in names]
