"""The grammars that the package lark ships and shows: each agrees with Lark, or says what cannot be enforced.

Its wheel has the library only. The examples are in its sdist: FFGRAMMAR_LARK_SOURCE is the path of the unpacked sdist.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import ffgrammar as ff
from derivations import Derivations, is_utf8, mutated
from ffgrammar.grammar.lark import Files, build
from ffgrammar.regex.expr.store import ExprStore
from sentences import is_sentence

lark = pytest.importorskip("lark", reason="the package lark is not installed")

SOURCE = os.environ.get("FFGRAMMAR_LARK_SOURCE")
SHIPPED = Path(lark.__file__).parent
TEXTS = 15
TOKENS = ff.Tokenizer.from_tokens(
    [bytes([byte]) for byte in range(256)] + [b""] * 3,
    eos_token_id=256,
    special_tokens={"<|end|>": 256, "_INDENT": 257, "_DEDENT": 258},
)
# What a grammar has that cannot be enforced exactly, by the end of its name: a part of the error.
REFUSED = {
    "grammars/common.lark": "negative look-behind is not supported",
    "grammars/lark.lark": "negative look-ahead is not supported",
    "grammars/python.lark": "negative look-ahead is not supported",
    "advanced/python2.lark": "negative look-ahead is not supported",
    "advanced/template_lark.lark": "negative look-ahead is not supported",
    "grammars/verilog.lark": "negative look-ahead is not supported",
    "dynamic_complete.py": "negative look-behind is not supported",
    "py3to2.py": "python has no var",  # Lark imports what there is not, if nothing uses it
}
# Grammars with a terminal that may be empty. Here the parser may then go on without it; Lark's never does.
EMPTY = {"advanced/conf_earley.py"}


class Example(NamedTuple):
    name: str
    text: str
    folder: Path
    start: str


def examples() -> list[Example]:
    found = [Example(path.name, *_file(path)) for path in sorted(SHIPPED.glob("grammars/*.lark"))]
    found = [one._replace(name=f"grammars/{one.name}") for one in found]
    if SOURCE is None:
        return found
    root = Path(SOURCE) / "examples"
    for path in sorted(root.rglob("*.lark")):
        found.append(Example(str(path.relative_to(root)), *_file(path)))
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_grammar(node.value):
                text = node.value
                found.append(Example(f"{path.relative_to(root)}:{node.lineno}", text, path.parent, _start(text)))
    return found


def _file(path: Path) -> tuple[str, Path, str]:
    text = path.read_text(encoding="utf-8")
    return text, path.parent, _start(text)


def _is_grammar(text: str) -> bool:
    rule = re.search(r"^\s*[?!]*[a-z_]+(\.\d+)?\s*:\s", text, re.MULTILINE)
    return rule is not None and "\n" in text and any(part in text for part in ("%import", "->", '"'))


def _start(text: str) -> str:
    """The start, or else the first rule, or the first terminal."""
    for name in (r"start", r"[a-z_]\w*", r"[A-Z_]\w*"):
        found = re.search(rf"^\s*[?!]*({name})(?:\.-?\d+)?\s*:", text, re.MULTILINE)
        if found is not None:
            return found[1]
    return "start"


EXAMPLES = examples()


@pytest.mark.skipif(SOURCE is not None, reason="the examples are there")
def test_the_examples_need_the_sdist() -> None:
    pytest.skip("FFGRAMMAR_LARK_SOURCE is not set: only the library of the package lark is looked at")


@pytest.mark.parametrize("example", EXAMPLES, ids=[one.name for one in EXAMPLES])
def test_it_agrees_or_says_why_not(example: Example) -> None:
    why = [part for name, part in REFUSED.items() if name in example.name]
    if why:
        with pytest.raises(ff.GrammarError) as caught:
            compiled(example)
        assert why[0] in caught.value.message and "\n" not in caught.value.message
        return
    grammar, built = compiled(example)
    if not any(lexeme.tokens for lexeme in built.lexemes):
        compare(example, grammar, built)


def compiled(example: Example) -> tuple[ff.Grammar, Any]:
    options: dict[str, Any] = {"start": example.start, "lexing": "any"}
    grammar = ff.compile_lark(example.text, TOKENS, base=example.folder, **options)
    files = Files(base=example.folder)
    special = TOKENS.special_tokens
    built = build(example.text, ExprStore(), ff.Limits(), start=example.start, special_tokens=special, files=files)
    return grammar, built


def compare(example: Example, grammar: ff.Grammar, built: Any) -> None:
    """Compare with Lark's lexer that tries every way to cut a text."""
    where = str(example.folder / "grammar.lark")
    text = example.text if example.start.islower() else f"{example.text}\nwhole_text: {example.start}\n"
    start = example.start if example.start.islower() else "whole_text"
    theirs = lark.Lark(text, parser="earley", lexer="dynamic_complete", start=start, source_path=where)
    derivations = Derivations(built, Random(1))
    rng = Random(example.name)
    accepted = 0
    for _ in range(TEXTS):
        parts = [part for part in derivations.sentence(rng.choice([2, 6, 12])) if isinstance(part, bytes)]
        text = rng.choice([b"", b" "]).join(parts)
        for one in (text, mutated(text, rng)):
            if len(one) > 60 or not is_utf8(one):
                continue
            ours = is_sentence(grammar, one)
            accepted += ours
            if ours != parses(theirs, one.decode()):
                assert ours and example.name.split(":")[0] in EMPTY, one
    assert accepted


def parses(parser: Any, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True
