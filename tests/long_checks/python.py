"""grammars/python.lark against Python's own parser: `python tests/long_checks python --mutations 20000`.

Every file of the standard library that `ast.parse` accepts should be a sentence of the grammar. Then one token of a
file is deleted, inserted, replaced or swapped with the next one, and the two parsers must agree about the result, but
for some known kinds (`KINDS`). The kinds are listed in grammars/README.md, too.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import sys
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import ffgrammar as ff

__all__ = ["accepts", "compiled", "files", "main", "mutations", "parses"]

GRAMMAR = Path(__file__).resolve().parent.parent.parent / "grammars" / "python.lark"
# Longer files take too much time.
MAX_BYTES = 1_000_000
INSERTED = (
    "False None True and as assert async await break class continue def del elif else except finally for from global "
    "if import in is lambda nonlocal not or pass raise return try while with yield match case _ type x 1 0x1f 1.5 2j "
    "'s' b'b' r's' f'{x}' ( ) [ ] { } , : ; . ... = == != < > <= >= + - * / // % ** @ & | ^ ~ << >> += -= *= -> := ! $"
)
TOKENS = [*INSERTED.split(), "\n", "    ", "  "]
SKIPPED = (tokenize.ENCODING, tokenize.ENDMARKER, tokenize.COMMENT, tokenize.NL, tokenize.DEDENT)
# What the grammar accepts and ast.parse rejects: a kind, by what the parser's message and the text match.
KINDS = {
    "type parameters before Python 3.12": (r"", r"(?m)\btype\s+[^\W\d]\w*|^\s*(async )?(def|class)\s+\w+\s*\["),
    "a backslash before the end of the text": (r"unexpected EOF", r"\\\r?\n\Z"),
    "characters that cannot begin a name": (r"invalid (non-printable )?character", r"[^\x00-\x7f]"),
    "names of characters that do not exist": (r"\(unicode error\)", r"\\N"),
    "what stands in the braces of an f-string": (r"f-string", r""),
}
# What the grammar rejects and ast.parse accepts: what the text matches.
REJECTED = {
    "tabs that indent": r"(?m)^[ \f]*\t",
    "a keyword right after a number": r"\d(_?[\djJ.])*(e|0[xX]|else|and|or|if|in|is|not|for)",
    "a line that ends with a carriage return alone": r"\r(?!\n)",
    "a text of blanks only, or that begins with a backslash": r"\A[ \t\f]*\Z|\A[ \t\f]*\\",
}


def compiled() -> ff.Grammar:
    """The grammar of Python, on cl100k_base."""
    return ff.compile_lark(GRAMMAR.read_text(encoding="utf-8"), ff.Tokenizer.from_tiktoken("cl100k_base"))


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher, data = grammar.matcher(), text.encode()
    return matcher.accept_bytes(data) == len(data) and matcher.is_accepting()


def parses(text: str) -> str | None:
    """Python's message about a text that is no program, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            return error.msg
        except ValueError as error:
            return str(error)
    return None


def files(max_bytes: int = MAX_BYTES, every: int = 1) -> Iterator[tuple[Path, str]]:
    """The files of the standard library that Python can parse, or one of every few of them, with their texts."""
    root = Path(sysconfig.get_paths()["stdlib"])
    paths = [path for path in sorted(root.rglob("*.py")) if "site-packages" not in path.parts]
    for path in [path for path in paths if path.stat().st_size <= max_bytes][::every]:
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        if parses(text) is None:
            yield path, text


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text begin and end. An f-string is one token."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans, quoted = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        begin = starts[token.start[0] - 1] + token.start[1]
        end = min(starts[min(token.end[0], len(starts)) - 1] + token.end[1], len(text))
        if kind == "FSTRING_START":
            quoted += 1
            first = begin
        elif kind == "FSTRING_END":
            quoted -= 1
            begin = first
        if quoted == 0 and token.type not in SKIPPED and begin < end:
            spans.append((begin, end))
    return spans


def mutations(text: str, count: int, rng: random.Random) -> Iterator[str]:
    """The text with one token deleted, inserted, replaced, or swapped with the next one."""
    spans = _spans(text)
    for _ in range(count if spans else 0):
        at = rng.randrange(len(spans))
        begin, end = spans[at]
        other = rng.choice(spans)
        token = rng.choice(TOKENS) if rng.random() < 0.7 else text[slice(*other)]
        kind = rng.choice(("delete", "insert", "replace", "swap"))
        if kind == "insert":
            yield text[:begin] + token + rng.choice((" ", " ", "")) + text[begin:]
        elif kind == "replace":
            yield text[:begin] + token + text[end:]
        elif kind == "swap" and at + 1 < len(spans):
            first, last = spans[at + 1]
            yield text[:begin] + text[first:last] + text[end:first] + text[begin:end] + text[last:]
        else:
            yield text[:begin] + text[end:]


def disagreement(grammar: ff.Grammar, text: str) -> str | None:
    """The kind of the disagreement about a text; "unknown" if it is of no known kind; None if there is none."""
    message = parses(text)
    accepted = accepts(grammar, text)
    if accepted == (message is None):
        return None
    if message is None:
        return next((kind for kind, pattern in REJECTED.items() if re.search(pattern, text)), "unknown")
    return next(
        (kind for kind, (said, has) in KINDS.items() if re.search(said, message) and re.search(has, text)), "unknown"
    )


def main() -> int:
    """Compare, and print where the two disagree. Returns 1 if fewer than 98% of the files are accepted, or if a
    disagreement is of no known kind."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks python", description=__doc__)
    parser.add_argument("--mutations", type=int, default=5000, help="how many texts with one token changed")
    parser.add_argument("--max-bytes", type=int, default=MAX_BYTES, help="leave out longer files")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    grammar, texts, rejected = compiled(), [], 0
    for path, text in files(args.max_bytes):
        if not accepts(grammar, text):
            rejected += 1
            print(f"rejected: {path}")
        texts.append(text)
    print(f"files: {len(texts)}, rejected: {rejected}")
    rng = random.Random(args.seed)
    short = [text for text in texts if len(text) < 10_000 and "\r" not in text]
    kinds: Counter[str] = Counter()
    for number in range(args.mutations):
        for changed in mutations(rng.choice(short), 1, rng):
            kind = disagreement(grammar, changed)
            kinds[kind or "none"] += 1
            if kind == "unknown":
                print(f"unknown: {changed!r}")
        if number % 1000 == 0:
            print(f"long_checks: {number}/{args.mutations} mutations", file=sys.stderr, flush=True)
    for kind, count in kinds.most_common():
        print(f"disagreement {kind}: {count}")
    print(f"unknown disagreements: {kinds['unknown']}")
    return 1 if kinds["unknown"] or rejected > 0.02 * len(texts) else 0
