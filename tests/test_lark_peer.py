"""Lark grammars on ffgrammar and on llguidance: sampled and mutated texts. Each disagreement has its reason here."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from derivations import Derivations, is_utf8, mutated
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES, is_sentence

llguidance = pytest.importorskip("llguidance", reason="the package llguidance is not installed")

# How many texts are derived from each grammar; each is also mutated twice.
TEXTS = 40

GRAMMARS: dict[str, str] = {
    "letters": 'start: "a" "b"* ("c" | "d")+ "e"?',
    "groups": 'start: ("a" ("b" | "c" "d")? | "e")+ "!"',
    "empty": 'start: "x" (| "a") "y" |',
    "braces": 'start: "a"{2} "b"{1,3} ("c" | "d"){,2} "e"{1,}',
    "tildes": 'start: "a"~2 ("b" "c")~1..2 "d"~0..1',
    "regexes": "start: /[a-c]+/ /[0-9]{2,3}/ /(x|yz)*!/",
    "flags": "start: /ab/i /./ /[^a]/ /./s",
    "strings": r'start: "\n" "a\"b" "\\" "é" "select"i',
    "ranges": 'start: A+\nA: "a".."f" | "0".."9"',
    "names": 'start: IF NAME | NAME "=" NAME\nIF: "if "\nNAME: /[a-z]+/',
    "and": "start: NAME\nNAME: /[a-z]+/ & ~/if|else/",
    "not": 'start: TEXT "."\nTEXT: /[a-z ]*/ & ~/(?s:.*)  (?s:.*)/',
    "not with and": "start: A\nA: /[ab]{1,4}/ & ~(/a+/ | /b+/) & /(..)+/",
    "numbers": 'start: NUM ("," NUM)*\nNUM: /-?(0|[1-9][0-9]*)(\\.[0-9]+)?/',
    "ignore": 'start: "(" ITEM* ")"\nITEM: /[a-z]+/\n%ignore /[ \\t]+/',
    "two ignores": 'start: "(" ITEM* ")"\nITEM: /[a-z]+/\n%ignore " "\n%ignore /#[^\\n]*\\n/',
    "ignore once": '%llguidance {"ignore_once": true}\nstart: "a" ("," "a")*\n%ignore / {1,2}/',
    "arithmetic": 'start: sum\nsum: term (("+" | "-") term)*\nterm: atom (("*" | "/") atom)*\n'
    'atom: /[0-9]+/ | "(" sum ")" | "-" atom\n%ignore " "',
    "left recursion": 'start: list "."\nlist: list "," /[a-z]/ | /[a-z]/',
    "right recursion": 'start: list "."\nlist: /[a-z]/ "," list | /[a-z]/',
    "nested": 'start: "a" start "b" | "c"',
    "ambiguous": 'start: start start | "a" | "b"',
    "json": 'start: value\nvalue: "{" [pair ("," pair)*] "}" | "[" [value ("," value)*] "]" | STRING | NUM | "true"\n'
    'pair: STRING ":" value\nSTRING: /"[^"\\\\]*"/\nNUM: /[0-9]+/\n%ignore " "',
    "calls": 'start: call\ncall: NAME "(" [arg ("," arg)*] ")"\narg: call | NAME | /[0-9]+/\nNAME: /[a-z]+/',
    "lines": 'start: (KEY ": " VALUE "\\n")+\nKEY: /[a-z]+/\nVALUE: /[^\\n]+/',
    "common": 'start: INT "," CNAME "," SIGNED_NUMBER "," WORD\n%import common.INT\n%import common.CNAME\n'
    "%import common (SIGNED_NUMBER, WORD)",
    "floats": 'start: FLOAT (";" HEXDIGIT)*\n%import common.FLOAT\n%import common.HEXDIGIT',
    "aliases": 'start: a -> one | b -> two\n?a: "x"\n!b: "y"',
    "lazy": "start: head /[a-z]+/\nhead[lazy]: /[a-z]*;/",
    "suffix": 'start: a b\na[suffix="END"]: /[A-Zx]*/\nb[suffix=";"]: /.*/',
    "regex suffix": "start: a+\na[suffix=/[.!?]/]: /[a-z ]*/",
    "captures": 'start: a b\na[capture]: /[a-z]+/\nb[capture="x"]: /[0-9]+/',
    "stop": 'start: a "END" "!"\na[stop="END"]: /[A-Zx]*/',
    "tool calls": 'start: (call | other)* end\nend: /[a-z ]*/\ncall: head "=f>" /[0-9]+/ "</f>"\n'
    'head[lazy]: /[a-z ]*<f/\nother: head "=g>" %json {"type": "boolean"} "</f>"',
    "permutation": 'start: perm::0x0\nperm::_: "" %if is_ones([0:3])\n| "a" perm::set_bit(0) %if bit_clear(0)\n'
    '| "b" perm::set_bit(1) %if bit_clear(1)\n| "c" perm::set_bit(2) %if bit_clear(2)',
    "counters": 'start: lst::0\nlst::_: "a" lst::incr([0:3]) %if lt([0:3], 3)\n| "b" lst::incr([3:6]) %if lt([3:6], 2)'
    '\n| ""',
    "choose": 'start: pick::0\npick::_: "" %if bit_count_ge(_, 1)\n'
    '| "a" pick::set_bit(0) %if and(bit_clear(0), bit_count_lt(_, 2))\n'
    '| "b" pick::set_bit(1) %if and(bit_clear(1), bit_count_lt(_, 2))\n'
    '| "c" pick::set_bit(2) %if and(bit_clear(2), bit_count_lt(_, 2))',
    "parentheses": 'start: up::0\nup::_: "(" up::incr(_) %if lt(_, 4) | down::_\n'
    'down::_: ")" down::decr(_) %if gt(_, 0) | "" %if is_zeros(_)',
    "schema": 'start: "<" %json {"enum": ["a", 12, null, true]} ">"',
    "words": 'start: "=" %regex {"substring_words": "one two, three"} "."',
    "characters": 'start: "=" %regex {"substring_chars": "abcab"} "."',
    "chunks": 'start: "=" %regex {"substring_chunks": ["ab", "c", "de"]} "."',
    "inside": 'start: "x" inner "y"\ninner: %lark {\n start: "a" B*\n B: /b+;/\n}',
    "inside with blanks": 'start: "x" inner "y"\ninner: %lark {\n start: "a" "b"\n %ignore " "\n}\n%ignore "-"',
    "dashes": 'start: foo-bar+\nfoo-bar: FOO-BAZ "!"\nFOO-BAZ: /[a-z]/',
    "comments": 'start: "a" // one\n  | "b" # two\n',
    "unicode": 'start: /[à-ü]+/ "→" /\\w+/',
}

EDGES = "as in Lark, what %ignore skips may begin and end a text here; it may not there"
BLANKS = "white space of JSON may stand before and after the value here, and not there"
# (grammars, which texts, why the two disagree about them)
REASONS: list[tuple[set[str], Callable[[str], bool], str]] = [
    ({"ignore", "two ignores", "ignore once", "arithmetic", "json"}, lambda text: text != text.strip(), EDGES),
    ({"two ignores"}, lambda text: "#" in text, EDGES),
    ({"schema"}, lambda text: bool(re.search(r"<\s|\s>", text)), BLANKS),
    ({"tool calls"}, lambda text: bool(re.search(r"g>\s|(true|false)\s+</f", text)), BLANKS),
    ({"schema"}, lambda text: "12." in text, "12.0 is the number 12 of the schema here, which is a text there"),
    (
        {"stop"},
        lambda text: "END" in text,
        "the tokens of the stop are taken back there, and must come again; here they come once",
    ),
    (
        {"inside with blanks"},
        lambda text: "-" in text or " " in text,
        "what is skipped in a grammar, and in the one around it, may stand at its edges here, and not there",
    ),
]


class _Bytes:
    """A vocabulary of all bytes, in the form that llguidance wraps."""

    def __init__(self) -> None:
        self.eos_token_id = 256
        self.bos_token_id = None
        self.tokens = [*(bytes([byte]) for byte in range(256)), b"<|end|>"]
        self.special_token_ids = [256]

    def __call__(self, text: Any) -> list[int]:
        return list(text if isinstance(text, bytes) else text.encode())


@pytest.fixture(scope="module")
def peer() -> Any:
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Bytes()))


def accepts(start: Any, text: bytes) -> bool:
    """Whether llguidance accepts a text, given a matcher at the start of a text."""
    matcher = start.deep_copy()
    return bool(matcher.try_consume_tokens(list(text)) == len(text) and matcher.is_accepting())


def texts(source: str, rng: Random) -> list[bytes]:
    """Texts of a grammar, and others that are nearly so."""
    derivations = Derivations(build(source, ExprStore(), ff.Limits()), rng)
    found = []
    for _ in range(TEXTS):
        blank = rng.choice([b"", b"", b" "])
        text = blank.join(part for part in derivations.sentence(rng.choice([3, 8, 20])) if isinstance(part, bytes))
        found += [text, mutated(text, rng), mutated(text, rng)]
    return [text for text in dict.fromkeys(found) if len(text) < 80 and is_utf8(text)]


@pytest.mark.parametrize("name", GRAMMARS)
def test_both_accept_the_same_texts(peer: Any, name: str) -> None:
    source = GRAMMARS[name]
    grammar = ff.compile_lark(source, BYTES)
    theirs = llguidance.LLMatcher(peer, llguidance.LLMatcher.grammar_from_lark(source))
    assert not theirs.is_error(), theirs.get_error()
    rng = Random(name)
    sentences = 0
    for text in texts(source, rng):
        ours = is_sentence(grammar, text)
        sentences += ours
        if ours != accepts(theirs, text):
            told = text.decode()
            reasons = [why for names, which, why in REASONS if name in names and which(told)]
            assert reasons, (ours, told)
    assert sentences >= 1
