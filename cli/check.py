"""`ffgrammar check`: whether tokens are canonical, and whether a grammar accepts them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from .html_report import html_option
from .options import (
    GRAMMAR,
    VocabularyName,
    example,
    grammar_options,
    json_option,
    ndjson_option,
    parse_ids,
    text_bytes,
    tokenizer_option,
)
from .show import GREEN, RED, YELLOW, complain, emphasis

if TYPE_CHECKING:
    from ffgrammar import CanonicalityReport, Grammar, Tokenizer

    from .walk import Rejection

__all__ = ["command"]

COLOURS = {"yes": GREEN, "no": RED, "undecided": YELLOW}
# How many tokens are shown at most, from the first divergence on.
MAX_SHOWN = 8


class Verdict:
    """Whether tokens are canonical and, given a grammar, whether it accepts them."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        grammar: Grammar | None,
        ids: list[int] | None,
        text: bytes | None,
        complete: bool,
    ) -> None:
        import ffgrammar as ff

        self.tokenizer = tokenizer
        self.report: CanonicalityReport = ff.is_canonical(tokenizer, ids, text=text, complete=complete)
        self.rejection: Rejection | None = None
        self.accepting: bool | None = None
        if grammar is not None:
            from .walk import feed_tokens

            matcher = grammar.matcher()
            self.rejection = feed_tokens(matcher, tokenizer, self.report.given)
            if self.rejection is None:
                self.accepting = matcher.is_accepting() or matcher.is_terminated()

    @property
    def yes(self) -> bool:
        """Whether no part of the answer is a no."""
        return self.report.verdict != "no" and self.rejection is None

    def as_json(self) -> dict[str, Any]:
        """The answer of --json and --ndjson. Without a grammar it has no `accepted`, `accepting` or `rejected`."""
        report = self.report
        found: dict[str, Any] = {
            "canonical": report.verdict,
            "first_divergence": report.first_divergence,
            "byte_offset": report.byte_offset,
            "given": list(report.given),
            "expected": list(report.expected),
            "settled": report.settled,
        }
        if self.rejection is not None:
            found |= {"accepted": False, "rejected": self.rejection.as_json()}
        elif self.accepting is not None:
            found |= {"accepted": True, "accepting": self.accepting}
        return found

    def _tokens(self, ids: tuple[int, ...]) -> str:
        from .show import token_line

        shown = [token_line(self.tokenizer, token).replace("\t", " ") for token in ids[:MAX_SHOWN]]
        return ", ".join(shown) + (", …" if len(ids) > MAX_SHOWN else "") if shown else "nothing"

    def lines(self) -> list[str]:
        """The lines for people."""
        report = self.report
        lines = [f"canonical\t{emphasis(report.verdict, COLOURS[report.verdict])}"]
        start = report.first_divergence or 0
        if report.first_divergence is not None:
            lines.append(f"diverges\tat token {start}, byte {report.byte_offset}")
            lines.append(f"expected\t{self._tokens(report.expected[start:])}")
        lines.append(f"given\t{self._tokens(report.given[start:])}")
        if self.rejection is not None:
            lines.append(f"grammar\t{self.rejection.describe()}")
        elif self.accepting is not None:
            what = "accepted" if self.accepting else "accepted so far, not yet a sentence"
            lines.append(f"grammar\t{emphasis(what, GREEN if self.accepting else YELLOW)}")
        return lines


def write_html(file: Any, verdict: Verdict) -> None:
    """Write the answer as a page: the given tokens beside those that the tokenizer writes."""
    if file is None:
        return
    from ffgrammar.draw import table

    from .html_report import chips, write_page

    report, tok = verdict.report, verdict.tokenizer
    first = report.first_divergence
    kinds: dict[int, Any] = {}
    if first is not None:
        kinds = dict.fromkeys(range(first, len(report.given)), "strange")
    said = [("canonical", report.verdict)]
    if first is not None:
        said.append(("differs", f"from token {first} on, at byte {report.byte_offset}"))
    if verdict.rejection is not None:
        kinds[verdict.rejection.token or 0] = "rejected"
        said.append(("grammar", verdict.rejection.describe(coloured=False)))
    elif verdict.accepting is not None:
        said.append(("grammar", "accepted" if verdict.accepting else "accepted so far, not yet a sentence"))
    rows = [("given", chips(tok, report.given, kinds)), ("expected", chips(tok, report.expected, {}))]
    write_page(file, "Tokens", table(["", ""], said), table(["", "tokens"], rows))


def _split(arguments: tuple[str, ...]) -> tuple[str | None, list[str]]:
    """The grammar's path, and the other arguments. The path is None if the first argument reads as token ids. Raises
    click.UsageError if there is nothing at the path."""
    first = arguments[0] if arguments else ""
    if first and not first.replace(",", "").replace(" ", "").isdecimal() and not first.startswith("["):
        if first != "-" and not first.startswith("@") and not os.path.exists(first):
            # (the first argument may also be a text, or ids that are misspelt)
            raise click.UsageError(
                f"{first[:200]}: there is no such file with a grammar; "
                "write token ids as 1,2,3, and a text as --text TEXT"
            )
        return first, list(arguments[1:])
    return None, list(arguments)


def _answer_lines(tokenizer: Tokenizer, grammar: Grammar | None, complete: bool) -> int:
    from .stream import BadRequest, answer_requests, tokens_of_request

    def answer(request: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        ids = tokens_of_request(request["tokens"], "tokens") if "tokens" in request else None
        text = request.get("text")
        if text is not None and not isinstance(text, str):
            raise BadRequest("text is not a string")
        if ids is None and text is None:
            raise BadRequest("neither tokens nor text")
        data = None if text is None else text.encode("utf-8", "surrogatepass")
        verdict = Verdict(tokenizer, grammar, ids, data, complete)
        return verdict.yes, verdict.as_json()

    return answer_requests(answer)


@click.command("check", epilog=example("ffgrammar check --text 'Hello world' 9906 1917"))
@click.argument("arguments", nargs=-1, metavar="[GRAMMAR] [IDS]...", type=GRAMMAR)
@click.option(
    "--text",
    metavar="TEXT",
    help="The text that the tokens spell. Without IDS, the tokens are those that the tokenizer makes of it.",
)
@click.option("--partial", is_flag=True, help="More text may follow, so the verdict can be undecided.")
@json_option
@ndjson_option
@html_option
@grammar_options
@tokenizer_option
def command(
    arguments: tuple[str, ...],
    text: str | None,
    partial: bool,
    as_json: bool,
    ndjson: bool,
    html: Any,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """Say whether tokens are what the tokenizer itself would produce.

    IDS are token ids. If neither IDS nor --text is given, the ids are read from stdin. With a grammar it also says
    whether the grammar accepts the tokens. With --ndjson a request is {"tokens": [IDS]}, {"text": TEXT}, or has both.
    Exit code 1: the tokens are not canonical, or they are rejected.
    """
    from .hints import hint_at_file
    from .show import write_json, write_lines
    from .sources import load_grammar, load_tokenizer

    path, words = _split(arguments)
    reads_stdin = ndjson or (text is None and not words)
    if path == "-" and reads_stdin:
        raise click.UsageError("stdin cannot be both the grammar and the tokens")
    if ndjson and html is not None:
        raise click.UsageError("--html is a report on one sequence: leave out --ndjson")
    if ndjson and (words or text is not None):
        raise click.UsageError("with --ndjson the tokens and texts come from stdin")
    if path is None and any(value for value in compiling.values()):
        raise click.UsageError("options of a grammar, but no grammar")
    ids = parse_ids(" ".join(words)) if words else None
    vocabulary = load_tokenizer(tokenizer)
    grammar = load_grammar(path, vocabulary, **compiling) if path is not None else None
    if ndjson:
        return _answer_lines(vocabulary, grammar, not partial)
    if reads_stdin:
        ids = parse_ids(sys.stdin.read())
        if not ids:
            complain("hint: no token ids came from stdin")
    if text is not None:
        hint_at_file("--text", text_bytes(text))
    verdict = Verdict(vocabulary, grammar, ids, None if text is None else text_bytes(text), not partial)
    write_html(html, verdict)
    if as_json:
        write_json(verdict.as_json())
    else:
        write_lines(verdict.lines())
    return 0 if verdict.yes else 1
