"""`ffgrammar mask`: the tokens that may come next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import (
    Prefix,
    VocabularyName,
    check_requests,
    example,
    grammar_argument,
    grammar_options,
    json_option,
    ndjson_option,
    prefix_options,
    start_options,
    tokenizer_option,
)

if TYPE_CHECKING:
    from ffgrammar import CanonicalMatcher

    from .bitmask import Mask

__all__ = ["command"]

FORMATS = ["text", "ids", "json", "count", "bitmask"]


def _write(mask: Mask, form: str | None, as_json: bool) -> None:
    from .show import token_line, write_json, write_lines

    if as_json or form == "json":
        write_json(mask.as_json(form or "json"))
    elif form == "count":
        print(mask.count())
    elif form == "bitmask":
        print(mask.base64())
    elif form == "ids":
        write_lines(map(str, mask.ids()))
    else:
        write_lines(token_line(mask.tokenizer, token) for token in mask.ids())


def _tell_prompt(matcher: CanonicalMatcher, rest: bytes) -> None:
    """Says which tokens the prompt was cut back to, and which bytes are pending."""
    from .show import complain, quote

    complain(f"prompt: {' '.join(map(str, matcher.prompt_tokens))}; taken back: {quote(rest)}")


@click.command(
    "mask",
    epilog=example("""echo '{"type": "boolean"}' | ffgrammar mask - --prefix t"""),
)
@grammar_argument
@prefix_options
@start_options
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="text (the default): a line has an id and its token; ids: a line has an id; json: one object; count: how many "
    "tokens; bitmask: the int32 words, little-endian, in base64.",
)
@json_option
@ndjson_option
@grammar_options
@tokenizer_option
def command(
    grammar: str,
    prefix: Prefix,
    start: dict[str, Any],
    form: str | None,
    as_json: bool,
    ndjson: bool,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """List the tokens that may come next.

    By default a schema allows any white space, so that after `{` most tokens of the answer are blanks. To generate with
    a model, give --separators ', ' ': ' or --whitespace compact.

    With --ndjson a request is {"prefix": TEXT}, {"prefix_bytes": HEX} or {"prefix_tokens": [IDS]}, and an answer has
    "count", "accepting" and "ids" (or what --format says). Exit code 1: the prefix itself is rejected.
    """
    from .bitmask import Mask
    from .hints import hint_at_file, hint_at_layout, hint_at_special_tokens
    from .sources import load_grammar, load_tokenizer, settle_special
    from .walk import advance, report_rejection

    check_requests(ndjson, grammar, prefix)
    vocabulary = load_tokenizer(tokenizer)
    compiled = load_grammar(grammar, vocabulary, **compiling)
    settle_special(start, vocabulary)
    if ndjson:
        from .stream import answer_prefixes

        return answer_prefixes(
            compiled, vocabulary, lambda matcher: Mask(matcher, vocabulary).as_json(form or "ids"), start
        )
    matcher = compiled.matcher(**start)
    prompt_rest = matcher.prompt_rest
    rejection = advance(matcher, vocabulary, prefix)
    if rejection is not None:
        hint_at_special_tokens(matcher, vocabulary, prefix.data[rejection.offset :])
        hint_at_file("--prefix", prefix.data)
        return report_rejection("prefix", rejection, as_json or form == "json")
    mask = Mask(matcher, vocabulary)
    if "prompt" in start:
        _tell_prompt(matcher, prompt_rest)
    _write(mask, form, as_json)
    hint_at_layout(compiled, mask, compiling)
    return 0
