"""%indenter and %words: against Lark's own Indenter, brute-force masks, and their errors."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import LarkError
from lark.indenter import Indenter

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser

# Statements are "x", "(x, …)", or "if" with a block; "y" may follow a block.
RULES = r"""
start: [_NEWLINE] statement*
statement: simple | "if" value ":" block ["y" ":" block] | value ":" _NEWLINE _INDENT case+ _DEDENT
case: value simple
simple: value ("," value)* _NEWLINE
block: simple | _NEWLINE _INDENT statement+ _DEDENT
value: "x" | "(" [value ("," value)*] ")"
_NEWLINE: /(\r?\n[ ]*)+/
%ignore " "
"""
OURS = (
    RULES
    + '%indenter {"newline": "_NEWLINE", "indent": "_INDENT", "dedent": "_DEDENT", "brackets": ["()"], "columns": 9}'
)
THEIRS = RULES + "%declare _INDENT _DEDENT"


class Python(Indenter):
    NL_type = "_NEWLINE"
    OPEN_PAREN_types = ["LPAR"]  # noqa: RUF012
    CLOSE_PAREN_types = ["RPAR"]  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher, data = grammar.matcher(), text.encode()
    return matcher.accept_bytes(data) == len(data) and matcher.is_accepting()


def random_text(rng: random.Random) -> str:
    """Lines that often make a text, and often do not."""
    lines, columns = [], [0]
    for _ in range(rng.randrange(1, 8)):
        line = rng.choice(
            ["x", "x, x", "(x)", "(x,\n x)", "if x:", "if (x):", "y:", "x:", "if x: x", "y: x", "x x", "", "(x"]
        )
        column = rng.choice([columns[-1], columns[-1], rng.choice(columns), rng.randrange(0, 6)])
        lines.append(" " * column + line)
        if line.endswith(":"):
            columns.append(column + rng.choice([1, 2, 2, 4]))
        elif column in columns:
            del columns[columns.index(column) + 1 :]
    return "\n".join(lines) + "\n"


def test_against_lark(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark(OURS, cl100k)
    lark = Lark(THEIRS, parser="lalr", lexer="basic", postlex=Python(), maybe_placeholders=False)
    rng = random.Random(5)
    verdicts = []
    for _ in range(3000):
        # (Lark skips blanks at the beginning of a text)
        text = random_text(rng).lstrip(" ")
        try:
            lark.parse(text)
            expected = True
        except (LarkError, AssertionError):
            expected = False
        assert accepts(grammar, text) == expected, text
        verdicts.append(expected)
    assert 300 < sum(verdicts) < 2500


@pytest.fixture(scope="module")
def small() -> ff.Tokenizer:
    words = [
        "x",
        "y",
        "if",
        " ",
        "  ",
        "\n",
        "\n  ",
        "\n\n",
        ":\n ",
        ":",
        ",",
        "(",
        ")",
        "(x",
        ")\n",
        "x\n",
        "if x",
        "fi",
        "i",
    ]
    return ff.Tokenizer.from_tokens([word.encode() for word in [*words, ""]], eos_token_id=len(words))


@pytest.mark.parametrize("rules", [OURS, OURS + "\n%words /[a-z]+/"])
def test_masks_against_the_oracle(small: ff.Tokenizer, rules: str) -> None:
    grammar = ff.compile_lark(rules, small)
    recogniser = Recogniser(build(rules, ExprStore(), Limits()))
    rng = random.Random(2)
    for _ in range(15):
        matcher = grammar.matcher()
        state = recogniser.start
        for _ in range(12):
            allowed = set(matcher.allowed_token_ids().tolist()) - set(small.eos_token_ids)
            reached = {token: recogniser.run(small.token_bytes(token), state) for token in range(small.vocab_size - 1)}
            for token, after in reached.items():
                possible = after is not None and recogniser.completable(after, alphabet=b"x:)if\n ", max_states=300)
                assert possible is None or possible == (token in allowed), (
                    matcher.text_bytes,
                    small.token_bytes(token),
                )
            if not allowed:
                break
            token = rng.choice(sorted(allowed))
            assert matcher.accept_token(token)
            state = reached[token]


def test_a_compiled_file_keeps_indentation(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    ff.compile_lark(OURS, cl100k).save(tmp_path / "grammar.ffg")
    grammar = ff.load(tmp_path / "grammar.ffg", cl100k)
    assert accepts(grammar, "if x:\n  (x,\n x)\nx")
    assert not accepts(grammar, "if x:\n  x\n x")


def test_columns_are_bounded(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark(OURS, cl100k)
    assert accepts(grammar, "if x:\n         x")
    assert not accepts(grammar, "if x:\n          x")


def test_the_end_may_be_another_terminal(cl100k: ff.Tokenizer) -> None:
    text = OURS.replace('"columns"', '"end": "_END", "columns"') + '\n_END: _NEWLINE? "." '
    grammar = ff.compile_lark(text, cl100k)
    for whole in ("if x:\n  x.", "x\n.", "x", "."):
        assert accepts(grammar, whole), whole
    assert not accepts(grammar, "x\n")
    assert not accepts(grammar, "x.x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'start: "("\nx: ")"',
            "line 1, column 1: an alternative of start has an opening bracket without its counterpart",
        ),
        ('start: ")"', "an alternative of start has a closing bracket without its counterpart"),
        ('start: x\nx: (("(" "a")* "b")+', "line 2, column 1: an alternative of x has an opening bracket without"),
        ("start: N I", "line 1, column 1: an alternative of start has an INDENT without its DEDENT"),
        (
            'start: "a" N x\n_x: "b"\nx: [_x] N D',
            "line 3, column 1: an alternative of x has a DEDENT without its INDENT",
        ),
        ('start: y{"a"}\ny{b}: b [N I "c"]', "line 2, column 1: an alternative of y has an INDENT without its DEDENT"),
        (
            'start: "x"\n%indenter {"newline": "N", "indent": "I", "dedent": "D"}',
            "line 3, column 11: there is an %indenter already",
        ),
        ('start: "x"\nI: "y"', "line 3, column 11: I is a mark of the %indenter"),
    ],
)
def test_errors_of_rules(cl100k: ff.Tokenizer, text: str, message: str) -> None:
    indenter = '%indenter {"newline": "N", "indent": "I", "dedent": "D", "brackets": ["()"]}'
    with pytest.raises(ff.GrammarError) as caught:
        ff.compile_lark(f"{text}\n{indenter}\nN: /\\n */", cl100k)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("indenter", "message"),
    [
        ("3", "expected a JSON object in braces after %indenter"),
        ('{"newline": "N",}', "is not JSON"),
        ('{"newline": "N"}', "needs three names"),
        ('{"newline": "N", "indent": "N", "dedent": "D"}', "needs three names"),
        ('{"newline": "M", "indent": "I", "dedent": "D"}', "M, the newline of the %indenter, is not defined"),
        ('{"newline": "N", "indent": "I", "dedent": "D", "end": "E"}', "E, the end of the %indenter, is not defined"),
        ('{"newline": "N", "indent": "I", "dedent": "D", "brackets": ["("]}', "a list of pairs"),
        ('{"newline": "N", "indent": "I", "dedent": "D", "columns": 0}', "a number from 1 to 1000"),
        ('{"newline": "N", "indent": "I", "dedent": "D", "tabs": 8}', "%indenter has no 'tabs'"),
        ('{"newline": "N", "indent": "I", "dedent": "D"} x', "expected the end of the line"),
    ],
)
def test_errors_of_the_statement(cl100k: ff.Tokenizer, indenter: str, message: str) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        ff.compile_lark(f"start: N I N D\n%indenter {indenter}\nN: /\\n */", cl100k)
    assert message in str(caught.value)
    assert caught.value.line == 2


def test_what_is_refused(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.UnsupportedError, match="lexing='any'"):
        ff.compile_lark(OURS, cl100k, lexing="any")
    with pytest.raises(ff.UnsupportedError, match="%json in the same text"):
        ff.compile_lark('start: %json {"type": "null"}\n%words /x/', cl100k)
    with pytest.raises(ff.UnsupportedError, match="at most 29 %ignore"):
        ff.compile_lark(OURS + "".join(f'\n%ignore "{one}"' for one in "abcdefghijklmnopqrstuvwzABCDEF"), cl100k)
    with pytest.raises(ff.UnsupportedError, match="cannot be part of another one"):
        ff.compose(ff.sequence(ff.compile_lark(OURS, cl100k), "!"), cl100k)


def test_words(cl100k: ff.Tokenizer) -> None:
    rules = 'start: X "or" X | X "in" "1"\nX: /[a-z]/\n%ignore " "\n'
    plain = ff.compile_lark(rules, cl100k)
    words = ff.compile_lark(rules + "%words /[a-z0-9]+/", cl100k)
    for text, expected in {"a or b": True, "a orb": False, "aor b": False, "a in 1": True, "a in1": False}.items():
        assert accepts(plain, text)
        assert accepts(words, text) == expected, text
    matcher = words.matcher()
    assert matcher.accept_bytes(b"a or") == 4
    assert matcher.forced_bytes() == b" "
