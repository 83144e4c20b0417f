"""`ffgrammar validate`: whole texts against a grammar."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .files import open_input, read_input
from .html_report import html_option, write_page
from .messages import told
from .options import PATH, VocabularyName, example, grammar_argument, grammar_options, json_option, tokenizer_option
from .progress import Progress
from .show import GREEN, complain, emphasis, write_json

if TYPE_CHECKING:
    from ffgrammar import Grammar, Matcher

    from .key_order import KeyOrder
    from .walk import Rejection

__all__ = ["command"]

# How many bytes a page shows before and after a place.
SHOWN = 200


def judge(grammar: Grammar, order: KeyOrder, text: bytes) -> Rejection | None:
    """None if the text is a sentence of the grammar, else the place where the text leaves the grammar."""
    from .walk import feed_bytes, rejection

    matcher = grammar.matcher()
    found = feed_bytes(matcher, grammar.tokenizer, text)
    if found is None and not matcher.is_accepting():
        found = rejection(matcher, grammar.tokenizer, text, at_end=True)
    return found and replace(found, only_key_order=order.is_only_fault(lambda other: _accepts(other, text)))


def _accepts(matcher: Matcher, text: bytes) -> bool:
    return matcher.accept_bytes(text) == len(text) and matcher.is_accepting()


def _chomp(text: bytes) -> bytes:
    return text.removesuffix(b"\n").removesuffix(b"\r")


def _hint(grammar: Grammar, order: KeyOrder, name: str, text: bytes, found: Rejection) -> None:
    """Say which option may be missing where a file is rejected, or that its encoding is another one."""
    from .hints import hint_at_encoding, hint_at_lines

    hint_at_lines(name)
    hint_at_encoding(name, text, found.offset)
    body = _chomp(text)
    if body != text and found.offset >= len(body) and judge(grammar, order, body) is None:
        complain(f"hint: {name} is accepted without the line break at its end: --chomp ignores it")


def _report_file(name: str, found: Rejection | None, as_json: bool) -> None:
    if as_json:
        verdict = {"rejected": found.as_json()} if found else {}
        write_json({"file": name, "accepted": found is None, **verdict})
    elif found is None:
        print(f"{name}: {emphasis('accepted', GREEN)}")
    else:
        print(f"{name}: {found.describe()}")


def _html_row(name: str, text: bytes, found: Rejection | None) -> tuple[str, str, str]:
    """A text in a page: its name, the verdict, and its end up to where it leaves the grammar."""
    from ffgrammar.draw import Chip, token_strip, visible

    end = len(text) if found is None else found.offset
    before = Chip(("\u2026" if end > SHOWN else "") + visible(text[max(0, end - SHOWN) : end]))
    if found is None:
        return name, "accepted", token_strip([before])
    after = Chip(visible(text[end : end + SHOWN]) or "the end", "rejected")
    return name, found.describe(coloured=False), token_strip([before, after])


def _text_of_line(line: bytes, field: str | None) -> bytes:
    if field is None:
        return line
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ValueError(f"the line is not JSON: {error}") from error
    if not isinstance(value, dict) or field not in value:
        raise ValueError(f"this line has no {field!r}")
    text = value[field]
    if not isinstance(text, str):
        raise ValueError(f"{field!r} is not a string: give the answer as text, before it is parsed")
    return text.encode("utf-8", "surrogatepass")


def _judge_lines(grammar: Grammar, order: KeyOrder, name: str, field: str | None, progress: Progress) -> int:
    """Judges each line of a file as a text of its own. Returns the exit code of the worst line."""
    from ffgrammar import FFGrammarError

    code = 0
    with open_input(name) as file:
        for number, line in enumerate(file, 1):
            progress.step()
            place = {"line": number} if name == "-" else {"file": name, "line": number}
            try:
                found = judge(grammar, order, _text_of_line(line.rstrip(b"\r\n"), field))
            except (ValueError, FFGrammarError) as error:
                code = 2
                write_json({**place, "error": told(error)})
                continue
            if found is not None:
                code = max(code, 1)
            verdict = {"rejected": found.as_json()} if found else {}
            write_json({**place, "accepted": found is None, **verdict})
    return code


@click.command(
    "validate",
    epilog=example("""echo '{"a": 1}' | ffgrammar validate --type regex <(echo '\\{"a": [0-9]+\\}') --chomp"""),
)
@grammar_argument
@click.argument("files", nargs=-1, metavar="[FILES]...", type=PATH)
@click.option("--ndjson", is_flag=True, help="Take every line as a text; write one JSON answer a line, flushed.")
@click.option("--field", metavar="NAME", help="With --ndjson: lines are JSON objects, and the text is this member.")
@click.option("--chomp", is_flag=True, help="Ignore a line break at the end of a file.")
@json_option
@html_option
@grammar_options
@tokenizer_option
def command(
    grammar: str,
    files: tuple[str, ...],
    ndjson: bool,
    field: str | None,
    chomp: bool,
    as_json: bool,
    html: Any,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """Say whether whole texts belong to a grammar, or where they leave it.

    For a rejected text it also says what was allowed at that point. Keys come in the schema's order, unless
    --property-order any; where only their order is wrong, it says so. Each of FILES is one text; - is stdin, the
    default.

    Exit code 1: at least one text is rejected.
    """
    from .key_order import KeyOrder
    from .sources import compile_with_warnings, load_tokenizer, read_source

    if field is not None and not ndjson:
        raise click.UsageError("--field needs --ndjson")
    if ndjson and html is not None:
        raise click.UsageError("--html is a report on whole files: leave out --ndjson")
    names = files or ("-",)
    if grammar == "-" and "-" in names:
        raise click.UsageError("stdin cannot be both the grammar and a text")
    vocabulary = load_tokenizer(tokenizer)
    source = read_source(grammar, compiling.pop("kind"))
    compiled = compile_with_warnings(source, vocabulary, compiling)
    order = KeyOrder(source, vocabulary, compiling)
    with Progress("line" if ndjson else "file") as progress:
        if ndjson:
            return max(_judge_lines(compiled, order, name, field, progress) for name in names)
        code = 0
        rows = []
        for name in names:
            text = read_input(name)
            text = _chomp(text) if chomp else text
            found = judge(compiled, order, text)
            shown = "stdin" if name == "-" else name
            _report_file(shown, found, as_json)
            if html is not None:
                rows.append(_html_row(shown, text, found))
            if found is not None:
                code = 1
                _hint(compiled, order, shown, text, found)
            progress.step()
    if html is not None:
        from ffgrammar.draw import table

        write_page(html, f"Texts under {grammar}", table(["text", "verdict", "where it ends"], rows))
    return code
