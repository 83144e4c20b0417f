"""Input that is meant to hurt: each ends soon, in a grammar or an error that names the limit. And wrong arguments."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
import random
import zlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar.api import compiled_file
from ffgrammar.grammar import lark
from ffgrammar.grammar.json_schema import build
from ffgrammar.regex.expr.store import ExprStore

CHAIN = 30_000
# A shorter one, whose rules have several alternatives.
COSTS = 10_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _all_of(bodies: list[str]) -> str:
    return "start: A\nA: " + " & ".join(f"/{body}/" for body in bodies)


# name: (Lark grammar, a text that is accepted, or the limit that is reached)
LARK: dict[str, tuple[str, bytes | str]] = {
    # 2^26 states, but a way through them is found at once
    "contains all letters": (_all_of([f".*{letter}.*" for letter in LETTERS]), LETTERS.encode()),
    # few states, each of thousands of members
    "contains all words": (_all_of([f".*w{number}x.*" for number in range(1500)]), "emptiness_steps"),
    "counters that never agree": (
        _all_of([f"(a{{{n}}})*b(a{{{n}}})*a" for n in (7, 11, 13, 17, 19)]),
        "emptiness_steps",
    ),
    "a chain of rules": (
        "start: r0\n" + "".join(f"r{i}: r{i + 1}\n" for i in range(CHAIN)) + f'r{CHAIN}: "x"',
        b"x",
    ),
    "a chain of rules, last first": (
        f"start: r{CHAIN}\n" + 'r0: "x"\n' + "".join(f"r{i + 1}: r{i}\n" for i in range(CHAIN)),
        b"x",
    ),
    "a chain that is left recursive": (
        "start: r0\n" + "".join(f'r{i}: r{i + 1} "x"\n' for i in range(CHAIN)) + f'r{CHAIN}: "y"',
        b"y" + b"x" * CHAIN,
    ),
    # the least cost of what follows a rule comes from the rule that is predicted last
    "costs against the order of prediction": (
        "start: "
        + " | ".join(f'r{i} "{"z" * (20 if i < COSTS // 2 else 2)}"' for i in range(COSTS))
        + '\nr0: "q"\n'
        + "".join(f'r{i + 1}: r{i} "x" | "y"\n' for i in range(COSTS)),
        b"y" + b"x" * 3 + b"z" * 20,
    ),
    "nested repeats": ('start: (("a"~0..300)~0..300)~0..300', b"a" * 50),
    "cycles": ('start: a\na: b | a | "x"\nb: a | c\nc: b a |', b"x" * 50),
    "recursion in the middle": ('start: "a" start "b" |', b"a" * 50_000 + b"b" * 50_000),
    "hidden left recursion": ('start: n start "a" | "b"\nn: | "c"', b"b" + b"a" * 3000),
}


@pytest.mark.parametrize(("grammar", "expected"), LARK.values(), ids=LARK.keys())
def test_lark_grammars(cl100k: ff.Tokenizer, grammar: str, expected: bytes | str) -> None:
    if isinstance(expected, str):
        with pytest.raises(ff.LimitError) as caught:
            ff.compile_lark(grammar, cl100k)
        assert caught.value.limit == expected
        return
    matcher = ff.compile_lark(grammar, cl100k).matcher()
    assert matcher.accept_bytes(expected) == len(expected)
    assert matcher.is_accepting()


# name: (compile function, source, text, limits, the limit that is reached along the text)
TEXTS: dict[str, tuple[Callable[..., Any], str, bytes, dict[str, int], str]] = {
    "every way to split a text and to close it": (
        ff.compile_lark,
        'start: start start | "a" start "b" | "a"',
        b"a" * 5000,
        {},
        "row_items",
    ),
    "every way to split a text in three or two": (
        ff.compile_lark,
        'start: "a" start start | "a" start | "a"',
        b"a" * 5000,
        {},
        "row_items",
    ),
    "states of thousands of members": (
        ff.compile_regex,
        "(a|b)*a(a|b){5000}",
        bytes(random.Random(1).choices(b"ab", k=20_000)),
        {"cache_bytes": 16 << 20},
        "cache_bytes",
    ),
}


@pytest.mark.parametrize(("compiler", "source", "text", "limits", "limit"), TEXTS.values(), ids=TEXTS.keys())
def test_texts_that_reach_a_limit(
    cl100k: ff.Tokenizer, compiler: Callable[..., Any], source: str, text: bytes, limits: dict[str, int], limit: str
) -> None:
    matcher = compiler(source, cl100k, limits=ff.Limits(**limits)).matcher()
    with pytest.raises(ff.LimitError) as caught:
        matcher.accept_bytes(text)
    assert caught.value.limit == limit
    # the matcher is where it was
    assert matcher.text_bytes == b""
    assert matcher.accept_bytes(text[:20]) == 20


def _forged(tok: ff.Tokenizer, body: dict[str, Any]) -> bytes:
    bound = bytes.fromhex(tok.fingerprint)[:32].ljust(32, b"\0") + zlib.compress(json.dumps(body).encode())
    digest = hashlib.sha256(bound).digest()
    return compiled_file.HEADER.pack(compiled_file.MAGIC, compiled_file.VERSION, digest, bound[:32]) + bound[32:]


@pytest.mark.parametrize("value", [{f"k{i}": i for i in range(40_000)}, list(range(40_000))], ids=["object", "array"])
def test_long_constants(cl100k: ff.Tokenizer, value: Any) -> None:
    text = json.dumps(value).encode()
    matcher = ff.compile_json_schema({"const": value}, cl100k).matcher()
    # (the whole text would need more lexer states than are kept at once)
    assert matcher.accept_bytes(text[:5000]) == 5000
    assert matcher.accept_bytes(b"x") == 0
    assert matcher.accept_bytes(text[5000:5100]) == 100


def test_a_compiled_file_may_nest_deeper_than_the_stack_holds(cl100k: ff.Tokenizer) -> None:
    """a(b|a(b|a(...))): an expression is followed only where its head may be empty, so nothing bounds this depth."""
    nodes: list[list[Any]] = [["set", "61"], ["set", "62"]]
    for _ in range(200_000):
        nodes.append(["concat", 0, len(nodes) - 1])
        nodes.append(["union", 1, len(nodes) - 1])
    small = compiled_file.dump(lark.build('start: "x"', ExprStore(), ff.Limits()), cl100k.fingerprint)
    body = json.loads(zlib.decompress(small[compiled_file.HEADER.size :]))
    body["nodes"] = nodes
    body["lexemes"][0][0] = len(nodes) - 1
    matcher = ff.load(_forged(cl100k, body), cl100k).matcher()
    assert matcher.distance() == 1
    assert matcher.accept_bytes(b"aaab") == 4
    assert matcher.is_accepting()


def test_a_compiled_file_may_have_checks_that_nothing_opens(cl100k: ff.Tokenizer) -> None:
    """A key is checked, but there is no trace: the check never holds, and the mask says so too."""
    ir = build({"type": "object", "minProperties": 2}, ExprStore(), whitespace="compact")
    small = compiled_file.dump(ir, cl100k.fingerprint)
    body = json.loads(zlib.decompress(small[compiled_file.HEADER.size :]))
    assert any([lexeme[5] for lexeme in body["lexemes"]])
    for lexeme in body["lexemes"]:
        lexeme[5] = False
    matcher = ff.load(_forged(cl100k, body), cl100k).matcher()
    for text in (b"{", b'"', b"a"):
        assert matcher.accept_bytes(text) == 1
        allowed = set(matcher.allowed_token_ids().tolist())
        for tail in (b'"', b'":', b'":"'):
            (token,) = cl100k.encode(tail.decode())
            other = matcher.fork()
            assert (token in allowed) == other.accept_token(token), (text, tail)
    assert not matcher.accept_bytes(b'"')


@pytest.fixture
def matcher(cl100k: ff.Tokenizer) -> ff.Matcher:
    return ff.compile_regex("ab+c", cl100k).matcher()


@pytest.mark.parametrize("token", [-1, 1 << 31, 1 << 63, 1 << 64, -(1 << 70), np.uint64(1 << 63)])
def test_ids_that_are_not_of_the_vocabulary(matcher: ff.Matcher, token: int) -> None:
    with pytest.raises(ff.TokenizerError, match="token id"):
        matcher.accept_token(token)
    with pytest.raises(ff.TokenizerError, match="token id"):
        matcher.validate_tokens([token])


@pytest.mark.parametrize("token", [64.0, np.float32(64), "a", None])
def test_ids_that_are_no_integers(matcher: ff.Matcher, token: Any) -> None:
    with pytest.raises(TypeError):
        matcher.accept_token(token)


def test_ids_of_numpy(matcher: ff.Matcher) -> None:
    assert matcher.accept_token(np.int32(64))
    assert matcher.text_bytes == b"a"


@pytest.mark.parametrize("call", [lambda _: ff.Matcher(None), lambda m: m.accept_bytes(None)], ids=["engine", "bytes"])
def test_none_is_refused(matcher: ff.Matcher, call: Callable[[ff.Matcher], Any]) -> None:
    with pytest.raises(TypeError):
        call(matcher)


class _OnAnotherDevice:
    """As a torch tensor on a GPU behaves."""

    def data_ptr(self) -> int:
        return 0

    def numpy(self) -> None:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


def test_bitmasks_on_another_device_are_refused(matcher: ff.Matcher) -> None:
    with pytest.raises(ff.MatcherError, match="CPU"):
        matcher.fill_bitmask(_OnAnotherDevice())


def test_limits_are_checked_when_they_are_made() -> None:
    with pytest.raises(ValueError, match="cache_bytes must not be negative"):
        ff.Limits(cache_bytes=-1)
    with pytest.raises(TypeError, match="rules must be an int"):
        ff.Limits(rules="many")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 1, 1 << 32, 1 << 70])
@pytest.mark.parametrize("name", list(ff.Limits.__dataclass_fields__))
def test_any_limit_may_be_tiny_or_huge(cl100k: ff.Tokenizer, name: str, value: int) -> None:
    limits = ff.Limits(**{name: value})
    grammar = 'start: A start | "x" "y"~0..3\nA: /a+/ & ~"aa"\n%ignore " "'
    try:
        matcher = ff.compile_lark(grammar, cl100k, limits=limits).matcher()
        assert matcher.accept_bytes(b"a xyz") == 4
        assert matcher.allowed_token_ids().size
        matcher.forced_tokens()
    except ff.LimitError as error:
        assert value <= 1
        assert error.limit == name


@pytest.mark.parametrize("limits", [{"dfa_states": 1000}, {"expressions": 4000}, {"cache_bytes": 1 << 21}], ids=str)
def test_a_text_that_fills_the_caches_is_not_read_again_at_every_step(
    cl100k: ff.Tokenizer, limits: dict[str, int]
) -> None:
    grammar = ff.compile_regex("[ab]{0,10000}", cl100k, limits=ff.Limits(**limits))
    matchers = [grammar.matcher()]
    for place in range(1400):
        assert matchers[0].accept_bytes(b"ab"[place & 1 : (place & 1) + 1]) == 1
    assert grammar.stats()["cache_drops"] <= 10
    # two long texts in turns take the room from each other, and both go on
    matchers.append(matchers[0].fork())
    for matcher in matchers:
        assert matcher.accept_bytes(b"a") == 1
        assert matcher.is_accepting()


def test_errors_go_from_process_to_process() -> None:
    """As a pool of processes sends them."""
    limit = ff.LimitError("rules", 7, "too much")
    again = pickle.loads(pickle.dumps(limit))
    assert (type(again), again.limit, again.value, str(again)) == (ff.LimitError, "rules", 7, str(limit))
    place = pickle.loads(pickle.dumps(ff.GrammarError("no", pointer="/a")))
    assert (place.pointer, str(place)) == ("/a", "at /a: no")


@pytest.mark.parametrize(
    "source", ["schema.json", "/a folder/schema.json", "grammars/SQL.LARK", "a-b/c.gbnf", "d.ebnf"]
)
def test_a_path_is_no_source(cl100k: ff.Tokenizer, source: str) -> None:
    hint = r"; this looks like a path: pass the text of the file, or call compile\(pathlib.Path\(...\)\)"
    for function in (ff.compile_json_schema, ff.compile_lark, ff.compile_gbnf, ff.compile_ebnf):
        with pytest.raises(ff.GrammarError, match=hint) as caught:
            function(source, cl100k)
        assert caught.value.line == 1
    for text in ("start: a\n// schema.json", "start: a"):
        with pytest.raises(ff.GrammarError) as caught:
            ff.compile_lark(text, cl100k)
        assert "path" not in str(caught.value)


def test_a_path_is_a_regex_and_a_choice_with_a_warning(cl100k: ff.Tokenizer) -> None:
    assert "; this looks like a path: " in ff.compile_regex("folder/email.regex", cl100k).warnings[0]
    assert "; this looks like a path: " in ff.compile_choice("folder/colours.choice", cl100k).warnings[0]
    for grammar in (ff.compile_regex(r".*\.json", cl100k), ff.compile_choice(["a.json"], cl100k)):
        assert grammar.warnings == ()


def test_numbers_of_numpy(cl100k: ff.Tokenizer) -> None:
    """They are floats whose repr() is another."""
    grammar = ff.compile_json_schema({"maximum": np.float64(1.5), "type": "number"}, cl100k)
    for text, valid in ((b"1.5", True), (b"1.6", False)):
        matcher = grammar.matcher()
        matcher.accept_bytes(text)
        assert matcher.is_accepting() == valid


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["x" * 1000 + str(number) for number in range(3000)]},
        {"properties": {f"{'k' * 1000}{number}": {} for number in range(2000)}},
        {"const": [[float(number), Decimal(number)] * 1000 for number in range(1000)]},
    ],
    ids=["strings", "keys", "numbers"],
)
def test_schemas_as_objects_are_bounded_too(cl100k: ff.Tokenizer, schema: dict[str, Any]) -> None:
    with pytest.raises(ff.LimitError, match="the schema is too large") as caught:
        ff.compile_json_schema(schema, cl100k, limits=ff.Limits.public())
    assert caught.value.limit == "source_bytes"


def test_a_mask_that_takes_too_much_work(cl100k: ff.Tokenizer) -> None:
    schema = {"type": "string", "allOf": [{"pattern": f"{letter}.*{letter}"} for letter in LETTERS[:20]]}
    matcher = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(mask_work=200_000)).matcher()
    assert matcher.accept_bytes(b'"aabb') == 5
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for _ in range(2):
        with pytest.raises(ff.LimitError, match="one mask takes too much work") as caught:
            matcher.fill_bitmask(bitmask)
        assert caught.value.limit == "mask_work"
        assert matcher.text_bytes == b'"aabb'
    assert matcher.accept_bytes(b"cc") == 2


def test_a_compilation_that_takes_too_much_work(cl100k: ff.Tokenizer) -> None:
    schema = {"oneOf": [{"type": "string", "pattern": f"^(.{{{n}}})*$"} for n in (2, 3, 5, 7, 11, 13)]}
    grammar = ff.compile_json_schema(schema, cl100k)
    # (the same source with other limits is compiled anew)
    with pytest.raises(
        ff.LimitError, match="compiling takes too much work at the root: limit compile_work=1000"
    ) as caught:
        ff.compile_json_schema(schema, cl100k, limits=ff.Limits(compile_work=1000))
    assert caught.value.limit == "compile_work"
    # what is compiled has other bounds
    enough = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(compile_work=100_000_000))
    bitmask, other = ff.allocate_bitmask(2, cl100k.vocab_size)
    for _ in range(3):
        for one, words in ((grammar, bitmask), (enough, other)):
            matcher = one.matcher()
            assert matcher.accept_bytes(b'"ab') == 3
            matcher.fill_bitmask(words.reshape(1, -1))
        assert (bitmask == other).all()


@pytest.mark.parametrize("word", ["const", "enum"])
@pytest.mark.parametrize("depth", [40, 499, 2000])
def test_lists_that_share_lists_are_as_large_as_their_text(cl100k: ff.Tokenizer, word: str, depth: int) -> None:
    value: Any = ["x"]
    for _ in range(depth):
        value = [value, value]
    with pytest.raises(ff.LimitError, match=f"the value is too large at /a/{word}") as caught:
        ff.compile_json_schema({"items": {"$ref": "#/a"}, "a": {word: [value] if word == "enum" else value}}, cl100k)
    assert caught.value.limit == "source_bytes"
    value = [[["x"] * 2] * 2] * 2
    assert ff.compile_json_schema({"const": value}, cl100k).matcher().accept_bytes(json.dumps(value).encode()) > 20


def test_paths_with_null_characters(cl100k: ff.Tokenizer) -> None:
    for paths in ({"base": "a\0b"}, {"import_paths": ["a\0b"]}):
        with pytest.raises(ff.GrammarError, match="a path has no null character"):
            ff.compile_lark("%import .x.X\nstart: X", cl100k, **paths)


SKIPPED = r"""start: (A | B start)* E
A: /[xyz]{1,3}/
B: /z(x|y)*/
E: "xy"
%ignore /[xy]{2,}/
"""


def test_all_searches_of_a_canonical_call_share_one_bound(cl100k: ff.Tokenizer) -> None:
    """Each call first looks whether a sentence goes on after the bytes. It took up to four seconds, and met another
    limit."""
    matcher = ff.compile_lark(SKIPPED, cl100k).matcher(canonical=True)
    assert matcher.accept_bytes(b"z") == 1
    for call in (matcher.allowed_token_ids, matcher.forced_tokens, lambda: matcher.accept_token(87)):
        with pytest.raises(ff.LimitError) as caught:
            call()
        assert caught.value.limit == "mask_work"
    assert matcher.text_bytes == b"z"


def test_the_bound_of_a_canonical_call_ends_with_it(cl100k: ff.Tokenizer) -> None:
    """A text may be read in any case. It takes more work than the bound of a mask allows here."""
    grammar = ff.compile_lark('start: "x"*', cl100k, limits=ff.Limits(mask_work=1))
    matchers = [grammar.matcher(canonical=True), grammar.matcher(prompt="Answer: x")]
    assert matchers[1].prompt_rest
    for matcher in matchers:
        matcher.forced_tokens()
        with contextlib.suppress(ff.LimitError):
            matcher.allowed_token_ids()
        matcher.accept_token(int(cl100k.encode(" x" if matcher.prompt_rest else "x")[0]))
        plain = grammar.matcher()
        assert plain.accept_bytes(b"x" * 300_000) == 300_000


def test_many_small_pieces_of_a_text(cl100k: ff.Tokenizer) -> None:
    """They are read once, and count as one text. What is kept of them is right after steps back, and in forks."""
    grammar = ff.compile_regex("[a-z ]*", cl100k)
    pieces, whole = grammar.matcher(canonical=True), grammar.matcher(canonical=True)
    text = b"ab c" * 2_000
    for byte in text:
        pieces.accept_bytes(bytes([byte]))
    whole.accept_bytes(text)
    assert pieces.forced_tokens() == []
    assert pieces.allowed_token_ids().tolist() == whole.allowed_token_ids().tolist()
    fork = pieces.fork()
    for matcher in (pieces, fork):
        matcher.accept_token(int(cl100k.encode(" a")[0]))
        matcher.rollback(5)
        matcher.accept_bytes(b"x")
    whole.rollback(1)
    assert whole.text_bytes == b""
    whole.accept_bytes(pieces.text_bytes)
    for matcher in (pieces, fork):
        assert matcher.allowed_token_ids().tolist() == whole.allowed_token_ids().tolist()


def test_a_mask_that_fails_once_does_not_pass_later(cl100k: ff.Tokenizer) -> None:
    """Its state is made of a hundred lexemes. Each is bounded by itself, so the mask passes at once."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    patterns = [f"{letters[i % 26]}.{{{i + 5}}}{letters[i % 26]}$" for i in range(100)]
    grammar = ff.compile_json_schema({"anyOf": [{"type": "string", "pattern": one} for one in patterns]}, cl100k)
    matcher = grammar.matcher()
    matcher.accept_bytes(b'"a')
    assert len(matcher.allowed_token_ids()) > 1000


def _limit_of(matcher: ff.Matcher, vocab_size: int) -> ff.LimitError:
    with pytest.raises(ff.LimitError) as caught:
        matcher.fill_bitmask(ff.allocate_bitmask(1, vocab_size))
    assert str(caught.value) in repr(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.where, str(again)) == (caught.value.where, str(caught.value))
    return caught.value


def test_a_limit_of_a_mask_names_its_place(cl100k: ff.Tokenizer) -> None:
    """In JSON the value by its pointer, in other grammars the rule; and the lexeme that is being read."""
    limits = ff.Limits(mask_work=200_000)
    twice = {"type": "string", "allOf": [{"pattern": f"{letter}.*{letter}"} for letter in LETTERS[:20]]}
    schema = {"type": "object", "properties": {"x/y": {"type": "array", "items": twice}}}
    matcher = ff.compile_json_schema(schema, cl100k, limits=limits).matcher()
    matcher.accept_bytes(b'{"x/y":["aabb')
    error = _limit_of(matcher, cl100k.vocab_size)
    assert error.where == "after 13 bytes of the text, in /x~1y/0, in string"
    assert "takes too much work after 13 bytes of the text" in str(error)
    assert matcher.accept_bytes(b"cc") == 2
    source = "start: first second\nfirst: /[0-9]/\nsecond: A\nA: " + " & ".join(f"/.*{x}.*{x}.*/" for x in LETTERS[:20])
    matcher = ff.compile_lark(source, cl100k, limits=limits).matcher()
    matcher.accept_bytes(b"1aabb")
    assert _limit_of(matcher, cl100k.vocab_size).where == "after 5 bytes of the text, in second, in A"


def test_bounds_for_strangers_can_be_changed() -> None:
    changed = ff.Limits.public(alternatives=5_000)
    assert (changed.alternatives, changed.rules) == (5_000, ff.Limits.public().rules)
    with pytest.raises(TypeError, match="nonsense"):
        ff.Limits.public(nonsense=1)


def test_a_mask_that_needs_another_one_has_one_bound(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_lark(SKIPPED, cl100k, limits=ff.Limits(mask_work=2_000_000)).matcher()
    matcher.accept_bytes(b"z")
    assert _limit_of(matcher, cl100k.vocab_size).limit == "mask_work"


def test_a_canonical_mask_has_a_bound(cl100k: ff.Tokenizer) -> None:
    """It searches for sentences after the plain mask is known, and the bound is on both."""
    schema = {"type": "string", "pattern": "^" + "".join(f"(?=.*{letter})" for letter in LETTERS[:8]) + ".{8}$"}
    grammar = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(mask_work=200_000))
    matcher = grammar.matcher(canonical=True)
    matcher.accept_bytes(b'"')
    assert len(grammar.matcher().allowed_token_ids()) > 0
    assert _limit_of(matcher, cl100k.vocab_size).limit == "mask_work"
    # the matcher goes on where it was, and what was found half-way is not taken for an answer
    other = ff.compile_json_schema(schema, cl100k).matcher(canonical=True)
    other.accept_bytes(b'"')
    for text in (b"abcdef", b"g"):
        assert matcher.accept_bytes(text) == other.accept_bytes(text) == len(text)
        assert list(matcher.allowed_token_ids()) == list(other.allowed_token_ids())


@pytest.mark.parametrize(
    ("compiler", "source", "limits", "where"),
    [
        (ff.compile_json_schema, {"anyOf": [{"pattern": "a" * 9}]}, {"expressions": 9}, "/anyOf/0/pattern"),
        (ff.compile_json_schema, {"items": {"not": {"enum": [{"a": 1}, {}]}}}, {"alternatives": 0}, "/items/not"),
        (ff.compile_lark, 'start: "x"\nstart2: a\na: "a" ("b"~1..900)', {"rules": 9}, "line 3, column 12"),
        (ff.compile_lark, "start: A\nA: /a{3}/ & /b{3}/ & /[ab]*/", {"emptiness_steps": 0}, "A"),
        (ff.compile_gbnf, "root ::= a\na ::= root root{900} | [b]", {"rules": 9}, "line 2, column 16"),
    ],
)
def test_a_limit_of_a_compilation_names_its_place(
    cl100k: ff.Tokenizer, compiler: Callable[..., Any], source: Any, limits: dict[str, int], where: str
) -> None:
    with pytest.raises(ff.LimitError) as caught:
        compiler(source, cl100k, limits=ff.Limits(**limits))
    assert caught.value.where in (f"at {where}", f"in {where}")
    assert where in str(caught.value)


# A reader that tries each place again takes hours for some of these. The names are in the messages.
LONG: dict[str, tuple[Callable[..., Any], str]] = {
    "a JSON string that is never closed": (ff.compile_lark, 'start: %json {"a": ' + '\\"' * 500_000),
    "a backslash that ends the JSON": (ff.compile_lark, 'start: %json {"a": "\\'),
    "blanks in braces": (ff.compile_gbnf, 'root ::= "a"{' + " " * 500_000 + "x}"),
    "blanks after a comma": (ff.compile_ebnf, 'root ::= "a"{1 ,' + " " * 500_000 + "x}"),
    "an unknown name in Lark": (ff.compile_lark, f"start: {'A' * 500_000}"),
    "an unknown name in GBNF": (ff.compile_gbnf, f"root ::= {'a' * 500_000}"),
    "an unknown reference": (ff.compile_json_schema, json.dumps({"$ref": f"#/{'a' * 500_000}"})),
    "a wrong value at a long key": (ff.compile_json_schema, json.dumps({"properties": {"a" * 500_000: 1}})),
}


@pytest.mark.parametrize(("compiler", "source"), LONG.values(), ids=LONG.keys())
def test_long_sources_have_short_errors(cl100k: ff.Tokenizer, compiler: Callable[..., Any], source: str) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        compiler(source, cl100k)
    assert caught.value.line or caught.value.pointer
    assert len(str(caught.value)) < 5000
