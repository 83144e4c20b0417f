"""`ffgrammar explain`: what is open, being read and expected at a place, and why a byte or a token is refused there."""

from __future__ import annotations

from typing import Any

import click

from .html_report import html_option, write_page
from .options import (
    Prefix,
    VocabularyName,
    example,
    grammar_argument,
    grammar_options,
    json_option,
    prefix_options,
    start_options,
    text_bytes,
    tokenizer_option,
)

__all__ = ["command"]


@click.command(
    "explain",
    epilog=example("""echo '{"properties": {"n": {"const": 12}}}' | ffgrammar explain - --prefix '{"n": 1'"""),
)
@grammar_argument
@prefix_options
@click.option("--next", "more", metavar="TEXT", help="Say whether this text may come next, and if not, why not.")
@click.option("--token", type=int, metavar="ID", help="Say whether this token may come next, and if not, why not.")
@start_options
@json_option
@html_option
@grammar_options
@tokenizer_option
def command(
    grammar: str,
    prefix: Prefix,
    more: str | None,
    token: int | None,
    start: dict[str, Any],
    as_json: bool,
    html: Any,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """Say what is open and expected at a place, and why a byte is refused there.

    The answer has what is open and since which byte, which lexemes are being read and what they still need, what may
    begin, and the next bytes. Open are the rules of a Lark grammar, or the values of a JSON text by their pointers. If
    the prefix is rejected, it explains the place where that happens, and why. Keys come in the schema's order, unless
    --property-order any.

    Exit code 1: the prefix, the text of --next or the token may not come.
    """
    from .show import write_json
    from .sources import load_grammar, load_tokenizer, settle_special

    if more is not None and token is not None:
        raise click.UsageError("give one of --next and --token")
    vocabulary = load_tokenizer(tokenizer)
    compiled = load_grammar(grammar, vocabulary, **compiling)
    settle_special(start, vocabulary)
    matcher = compiled.matcher(**start)
    if prefix.tokens is not None:
        accepted = matcher.accept_tokens(prefix.tokens)
        refused = accepted < len(prefix.tokens)
        found = matcher.explain(token=prefix.tokens[accepted]) if refused else None
    else:
        if prefix.data:
            matcher.accept_bytes(matcher.prompt_rest)
        accepted = matcher.accept_bytes(prefix.data)
        refused = accepted < len(prefix.data)
        found = matcher.explain(prefix.data[accepted:]) if refused else None
    if found is None:
        found = matcher.explain(text_bytes(more or ""), token)
    if html is not None:
        from ffgrammar.draw import Html

        write_page(html, f"A place in a text under {grammar}", Html(found._repr_html_()))
    if as_json:
        write_json(found.as_json())
    else:
        print(found)
    return 0 if found.refusal is None else 1
