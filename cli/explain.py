"""`ffgrammar explain`: what is open, being read and expected at a place, and why a byte or a token is refused there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from ffgrammar import Matcher

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
    --property-order any; where only their order is wrong, it says so.

    Exit code 1: the prefix, the text of --next or the token may not come.
    """
    from .hints import hint_at_file, hint_at_special_tokens
    from .key_order import KeyOrder
    from .show import write_json
    from .sources import compile_with_warnings, load_tokenizer, read_source, settle_special
    from .walk import KEY_ORDER_ADVICE

    if more is not None and token is not None:
        raise click.UsageError("give one of --next and --token")
    vocabulary = load_tokenizer(tokenizer)
    source = read_source(grammar, compiling.pop("kind"))
    compiled = compile_with_warnings(source, vocabulary, compiling)
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
        hint_at_special_tokens(matcher, vocabulary, prefix.data[accepted:])
        if refused:
            hint_at_file("--prefix", prefix.data)
    if found is None:
        found = matcher.explain(text_bytes(more or ""), token)
    refusal = found.refusal
    order = KeyOrder(source, vocabulary, compiling)
    at_byte = refusal is not None and refusal.byte is not None
    only_order = at_byte and order.is_only_fault(_all_fits(prefix, more, token))
    if html is not None:
        from ffgrammar.draw import Html

        write_page(html, f"A place in a text under {grammar}", Html(found._repr_html_()))
    if as_json:
        write_json({**found.as_json(), **({"only_key_order": True} if only_order else {})})
    else:
        print(found)
        if only_order:
            print(KEY_ORDER_ADVICE)
    return 0 if refusal is None else 1


def _all_fits(prefix: Prefix, more: str | None, token: int | None) -> Callable[[Matcher], bool]:
    """Whether a matcher takes the prefix and what was asked about."""
    tokens = [*(prefix.tokens or ()), *(() if token is None else (token,))]
    rest = text_bytes(more or "")

    def fits(matcher: Matcher) -> bool:
        return (
            matcher.accept_bytes(prefix.data) == len(prefix.data)
            and matcher.accept_tokens(tokens) == len(tokens)
            and matcher.accept_bytes(rest) == len(rest)
        )

    return fits
