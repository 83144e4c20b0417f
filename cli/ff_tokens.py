"""`ffgrammar ff-tokens`: the bytes and tokens that must come next."""

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
    from ffgrammar import Matcher, Tokenizer

__all__ = ["command"]

MAX_REASONS = 5


class Forced:
    """The forced bytes and tokens at one point of a text, and the bytes that are held back.

    The forced bytes that no forced token spells are held back. Most often more than one token could come there. It may
    also be that the tokenizer's rules are not known.
    """

    def __init__(self, matcher: Matcher, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.forced = matcher.forced_bytes()
        self.tokens = matcher.forced_tokens()
        self.held_back = self.forced[len(tokenizer.decode(self.tokens)) :]
        self.reasons: list[int] = []
        if self.held_back:
            self.reasons = self._openings(matcher)

    def _openings(self, matcher: Matcher) -> list[int]:
        """The tokens that may come where the held-back bytes begin. Those that reach beyond these bytes come first."""
        from .bitmask import Mask

        after = matcher.fork()
        after.accept_tokens(self.tokens)
        data_of = self.tokenizer.token_bytes
        count = len(self.held_back)
        return sorted(Mask(after, self.tokenizer).ids(), key=lambda token: (len(data_of(token)) <= count, token))

    def as_json(self) -> dict[str, Any]:
        """The answer of --json and --ndjson."""
        from .show import bytes_as_json, token_as_json

        return {
            "forced_bytes": bytes_as_json(self.forced),
            "forced_tokens": [token_as_json(self.tokenizer, token) for token in self.tokens],
            "held_back": bytes_as_json(self.held_back),
            "held_back_candidates": len(self.reasons),
            "held_back_for": [token_as_json(self.tokenizer, token) for token in self.reasons[:MAX_REASONS]],
        }

    def lines(self) -> list[str]:
        """The lines for people. A forced token is printed as `ffgrammar mask` prints it."""
        from .show import counted, quote, token_line

        lines = [f"forced bytes\t{quote(self.forced)}"]
        lines += [f"token\t{token_line(self.tokenizer, token)}" for token in self.tokens]
        if self.held_back:
            lines.append(f"held back\t{quote(self.held_back)}")
            lines += [f"could be\t{token_line(self.tokenizer, token)}" for token in self.reasons[:MAX_REASONS]]
            if len(self.reasons) > MAX_REASONS:
                lines.append(f"could be\tone of {counted(len(self.reasons) - MAX_REASONS, 'more token')}")
        return lines


@click.command(
    "ff-tokens",
    epilog=example("""echo '{"const": {"name": "Ada"}}' | ffgrammar ff-tokens - --prefix '{"'"""),
)
@grammar_argument
@prefix_options
@start_options
@json_option
@ndjson_option
@grammar_options
@tokenizer_option
def command(
    grammar: str,
    prefix: Prefix,
    start: dict[str, Any],
    as_json: bool,
    ndjson: bool,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """Show the bytes and tokens that must come next.

    Every sentence of the grammar continues with the forced bytes. A token is forced if it comes next whenever the
    tokenizer itself encodes such a sentence. Forced bytes that no forced token spells are held back, and shown with the
    tokens that could begin there.

    By default a schema allows any white space, so that little is forced between the items of a text. To generate with a
    model, give --separators ', ' ': ' or --whitespace compact.

    With --ndjson the requests are those of `ffgrammar mask`. Exit code 1: the prefix itself is rejected.
    """
    from .hints import hint_at_file, hint_at_layout, hint_at_special_tokens
    from .show import write_json, write_lines
    from .sources import load_grammar, load_tokenizer, settle_special
    from .walk import advance, report_rejection

    check_requests(ndjson, grammar, prefix)
    vocabulary = load_tokenizer(tokenizer)
    compiled = load_grammar(grammar, vocabulary, **compiling)
    settle_special(start, vocabulary)
    if ndjson:
        from .stream import answer_prefixes

        return answer_prefixes(compiled, vocabulary, lambda matcher: Forced(matcher, vocabulary).as_json(), start)
    matcher = compiled.matcher(**start)
    rejection = advance(matcher, vocabulary, prefix)
    if rejection is not None:
        hint_at_special_tokens(matcher, vocabulary, prefix.data[rejection.offset :])
        hint_at_file("--prefix", prefix.data)
        return report_rejection("prefix", rejection, as_json)
    forced = Forced(matcher, vocabulary)
    if as_json:
        write_json(forced.as_json())
    else:
        write_lines(forced.lines())
    if not forced.forced:
        from .bitmask import Mask

        hint_at_layout(compiled, Mask(matcher, vocabulary), compiling)
    return 0
