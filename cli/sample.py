"""`ffgrammar sample`: random sentences of a grammar."""

from __future__ import annotations

from typing import Any

import click

from .options import VocabularyName, example, grammar_argument, grammar_options, json_option, tokenizer_option

__all__ = ["command"]


@click.command(
    "sample",
    epilog=example("""echo 'v[0-9]{1,2}(\\.[0-9]{1,2}){2}' | ffgrammar sample - --type regex -n 3 --seed 7"""),
)
@grammar_argument
@click.option(
    "-n", "--count", default=1, show_default=True, type=click.IntRange(min=0), help="The number of sentences."
)
@click.option("--seed", default=0, show_default=True, help="Equal seeds give equal sentences.")
@click.option(
    "--length",
    default=80,
    show_default=True,
    type=click.IntRange(min=0),
    help="From about this many bytes on a sentence heads for its end.",
)
@json_option
@grammar_options
@tokenizer_option
def command(
    grammar: str, count: int, seed: int, length: int, as_json: bool, tokenizer: VocabularyName, **compiling: Any
) -> int:
    """Write random sentences of a grammar.

    Rules and lexemes are chosen by chance, and texts look like what a person would write. Each sentence is followed by
    a newline. Sentences may contain newlines themselves; with --json each is one line.
    """
    import sys
    from itertools import islice

    from .show import bytes_as_json, write_json
    from .sources import load_grammar, load_tokenizer

    compiled = load_grammar(grammar, load_tokenizer(tokenizer), **compiling)
    for text in islice(compiled.samples(seed, length), count):
        if as_json:
            write_json(bytes_as_json(text))
        else:
            sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()
    return 0
