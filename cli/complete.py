"""`ffgrammar complete`: the token sequences that cover a prefix, for character-prefix conditioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import (
    GRAMMAR,
    Prefix,
    VocabularyName,
    example,
    grammar_options,
    json_option,
    prefix_options,
    tokenizer_option,
)
from .show import bytes_as_json, complain, quote, token_as_json, write_json, write_lines

if TYPE_CHECKING:
    from ffgrammar import Covering, Grammar, Tokenizer

__all__ = ["command"]


class Context:
    """A covering, with those of its candidates that the grammar allows. Without a grammar it has all of them."""

    def __init__(self, covering: Covering, tokenizer: Tokenizer, grammar: Grammar | None, first: int) -> None:
        self.covering = covering
        self.tokenizer = tokenizer
        candidates = covering.candidates
        if grammar is not None:
            import numpy as np

            matcher = grammar.matcher(canonical=True)
            if matcher.accept_tokens(covering.kept) == len(covering.kept):
                candidates = np.intersect1d(candidates, matcher.allowed_token_ids())
            else:
                candidates = candidates[:0]
        self.count = len(candidates)
        self.shown = [int(token) for token in candidates[:first]]

    def as_json(self) -> dict[str, Any]:
        """The answer of --json."""
        return {
            "position": self.covering.position,
            "kept": [token_as_json(self.tokenizer, token) for token in self.covering.kept],
            "rest": bytes_as_json(self.covering.rest),
            "count": self.count,
            "candidates": [token_as_json(self.tokenizer, token) for token in self.shown],
        }

    def line(self) -> str:
        """The line for people."""
        shown = " ".join(quote(self.tokenizer.token_bytes(token)) for token in self.shown)
        more = " …" if self.count > len(self.shown) else ""
        kept = quote(self.tokenizer.decode(self.covering.kept))
        return f"{self.covering.position}\t{kept}\t{self.count}\t{shown}{more}"


@click.command("complete", epilog=example("ffgrammar complete --prefix 'I bought some apple'"))
@click.argument("grammar", required=False, type=GRAMMAR)
@prefix_options
@click.option("--first", type=click.IntRange(min=0), default=3, show_default=True, help="Show this many candidates.")
@json_option
@grammar_options
@tokenizer_option
def command(
    grammar: str | None,
    prefix: Prefix,
    first: int,
    as_json: bool,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """List the token sequences with which a text can begin, given its first characters.

    A line is a context: tokens that lie inside the prefix. It shows how many bytes they have, their text, how many
    tokens can come next (the candidates), and the first candidates. The tokens of every text with this prefix begin
    with one context and one of its candidates. With a grammar only the candidates that it allows are counted. Exit
    code 1: there are none.
    """
    from .sources import load_grammar, load_tokenizer

    if grammar is None and any(value for value in compiling.values()):
        raise click.UsageError("options of a grammar, but no grammar")
    if not prefix.data and not prefix.tokens:
        raise click.UsageError("give --prefix, --prefix-bytes or --prefix-tokens")
    vocabulary = load_tokenizer(tokenizer)
    compiled = None if grammar is None else load_grammar(grammar, vocabulary, **compiling)
    start = prefix.data if prefix.tokens is None else vocabulary.decode(prefix.tokens)
    contexts = [Context(one, vocabulary, compiled, first) for one in vocabulary.coverings(start)]
    contexts = [context for context in contexts if context.count]
    if as_json:
        write_json([context.as_json() for context in contexts])
    else:
        write_lines(context.line() for context in contexts)
    if not contexts:
        complain(f"{'the grammar has no text' if compiled else 'there is no text'} that begins with {quote(start)}")
        return 1
    return 0
