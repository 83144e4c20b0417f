"""The libraries that %import knows, beside those of the package lark."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from derivations import Derivations
from ffgrammar.grammar.lark import build
from ffgrammar.grammar.lark.common import COMMON
from ffgrammar.regex.expr.store import ExprStore

lark = pytest.importorskip("lark", reason="the package lark is not installed")

SHIPPED = Path(lark.__file__).with_name("grammars")
LIBRARIES = ("common", "lark", "python", "unicode")
# Terminals that Lark writes with look-around: the names, and the same without it.
WITHOUT_LOOKS = {
    "python": {
        "STRING": r"""/(?:[ubf]?r?|r[ubf])("([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*')/i""",
        "LONG_STRING": r'''/(?:[ubf]?r?|r[ubf])("""([^"\\]|\\.|""?([^"\\]|\\.))*"""|'''
        r"""'''([^'\\]|\\.|''?([^'\\]|\\.))*''')/is""",
        "DEC_NUMBER": '"1".."9" ("_"? "0".."9")* | "0" ("_"? "0")*',
    },
    "lark": {"OP": "/[+*?]/", "REGEXP": r"/\/([^\/\\]|\\(.|\n))+\/[imslux]*/"},
    "common": {"ESCAPED_STRING": r'/"([^"\\\n]|\\.)*"/', "C_COMMENT": r"/\/\*([^*]|\*+[^*\/])*\*+\//"},
    "unicode": {},
}
# Parts of terminals that end where what follows them begins: of no use here.
NOT_HERE = {"_STRING_INNER", "_STRING_ESC_INNER"}
SPECIAL = {"_INDENT": 257, "_DEDENT": 258}


def shipped(library: str) -> str:
    """The text of the package's library, without look-around."""
    text = SHIPPED.joinpath(f"{library}.lark").read_text(encoding="utf-8")
    for name, body in WITHOUT_LOOKS[library].items():
        text, count = re.subn(
            rf"^{name}(?:\.\d)?\s*:.*\n(?:[ \t]+\|.*\n)*", lambda _, one=f"{name}: {body}\n": one, text, flags=re.M
        )
        assert count == 1, name
    return "\n".join(line for line in text.split("\n") if not line.startswith(("%ignore", "_STRING_")))


def names(text: str) -> set[str]:
    found = set(re.findall(r"^[?!]*(_?[a-zA-Z]\w*)(?:\.\d+)?(?:\{[\w, ]+\})?\s*:", text, re.MULTILINE))
    return found | set(" ".join(re.findall(r"^%declare (.*)", text, re.MULTILINE)).split())


def ours(library: str) -> set[str]:
    if library == "common":
        return set(COMMON)
    data = Path(ff.__file__).parent / "grammar" / "lark" / "data"
    return names(data.joinpath(f"{library}.lark").read_text(encoding="utf-8"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_is_there(library: str) -> None:
    theirs = names(SHIPPED.joinpath(f"{library}.lark").read_text(encoding="utf-8"))
    assert theirs - NOT_HERE <= ours(library)


@pytest.mark.parametrize("library", LIBRARIES)
def test_terminals_match_the_same_texts(library: str) -> None:
    text = shipped(library)
    for name in sorted(names(text) & ours(library)):
        if not name.isupper() or name in SPECIAL:
            continue
        store = ExprStore()
        exprs = []
        for grammar in (text, f"%import {library}.{name}"):
            made = build(grammar, store, ff.Limits(), start=name)
            (body,) = [body for head, body in made.productions if head == made.start >> 1]
            exprs.append(made.lexemes[body[0] >> 1].expr)
        for one, other in (exprs, exprs[::-1]):
            assert store.is_nothing(store.intersect([one, store.complement(other)])), name


CASES = [("lark", "start"), ("python", "file_input"), ("python", "single_input"), ("python", "eval_input")]
BLANKS = {"lark": ["WS_INLINE", "COMMENT"], "python": [r"/[\t \f]+/"]}


@pytest.mark.parametrize(("library", "start"), CASES)
def test_rules_derive_the_same_texts(library: str, start: str) -> None:
    tok = ff.Tokenizer.from_tokens(
        [bytes([byte]) for byte in range(256)] + [b""] * 3,
        eos_token_id=256,
        special_tokens={"<|end|>": 256, **SPECIAL},
    )
    skipped = "\n" + "\n".join(f"%ignore {one}" for one in BLANKS[library])
    wanted = [start, *(["WS_INLINE", "COMMENT"] if library == "lark" else SPECIAL)]
    texts = {"theirs": shipped(library) + skipped, "ours": f"%import {library} ({', '.join(wanted)}){skipped}"}
    compiled = {name: ff.compile_lark(text, tok, start=start) for name, text in texts.items()}
    rng = Random(5)
    told = 0
    for name, other in (("theirs", "ours"), ("ours", "theirs")):
        made = build(texts[name], ExprStore(), ff.Limits(), start=start, special_tokens=tok.special_tokens)
        derivations = Derivations(made, rng)
        for _ in range(150):
            sentence = derivations.sentence(rng.choice([5, 20, 60]))
            verdicts = [accepts(compiled[one], sentence) for one in (name, other)]
            assert verdicts[0] == verdicts[1], (name, sentence)
            told += verdicts[0]
    assert told > 150


def accepts(grammar: ff.Grammar, sentence: list[bytes | int]) -> bool:
    """Whether a grammar accepts lexemes with blanks between them."""
    matcher: Any = grammar.matcher()
    for part in sentence:
        if isinstance(part, int):
            if not matcher.accept_token(part):
                return False
        else:
            blank = b"" if part[:1] in b"\n\r" else b" "
            if matcher.accept_bytes(blank + part) != len(blank + part):
                return False
    return bool(matcher.is_accepting())


def test_a_library_is_imported() -> None:
    text = 'start: call\ncall: NAME "(" _list{expr} ")"\nexpr: DEC_NUMBER | STRING | call\n_list{x}: x ("," x)*\n'
    grammar = build(text + "%import python (NAME, STRING, DEC_NUMBER)", ExprStore(), ff.Limits())
    assert [lexeme.name for lexeme in grammar.lexemes if lexeme.name.isupper()] == ["NAME", "DEC_NUMBER", "STRING"]
