"""`ffgrammar generate`: a language model writes a text under a grammar."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .models import load_model, model_option
from .options import example, grammar_argument, grammar_options, json_option
from .show import write_json

if TYPE_CHECKING:
    from ffgrammar.lm import State

__all__ = ["command"]


def _show_growing(state: State) -> None:
    """Write the text while it grows."""
    shown = ""
    for event in state.stream():
        # (the last character may be half of one, and then it changes)
        ready = event.text.rstrip("\ufffd") if event.kind == "grew" else event.text
        if ready.startswith(shown):
            sys.stdout.write(ready[len(shown) :])
            sys.stdout.flush()
            shown = ready
    sys.stdout.write(str(state["text"])[len(shown) :] + "\n")


@click.command(
    "generate", epilog=example("ffgrammar generate schema.json --model model.gguf --prompt 'The city as JSON: '")
)
@grammar_argument
@model_option
@click.option("--prompt", default="", metavar="TEXT", help="What stands before the text.")
@click.option("-n", "--count", default=1, show_default=True, type=click.IntRange(min=1), help="The number of texts.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Equal seeds give equal texts.")
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Each text is complete within N tokens.")
@click.option("--temperature", default=1.0, show_default=True, help="0 takes the most probable token each time.")
@click.option("--top-p", default=1.0, show_default=True, help="Keep the most probable tokens that have this share.")
@click.option("--stream", is_flag=True, help="Write the text while it grows.")
@json_option
@grammar_options
def command(
    grammar: str,
    path: str,
    prompt: str,
    count: int,
    seed: int,
    max_tokens: int | None,
    temperature: float,
    top_p: float,
    stream: bool,
    as_json: bool,
    **compiling: Any,
) -> int:
    """Let a language model write a text under a grammar.

    The vocabulary is that of the model. A schema has no white space unless an option says otherwise, because a model
    may write blanks without an end. Each text is followed by a newline. With --json a text is one line: an object
    with "text", "tokens" (ids of prompt and text) and "calls", how often the model was asked about a token.
    """
    from ffgrammar import lm

    from .sources import load_grammar

    if stream and as_json:
        raise click.UsageError("--stream writes text, and --json objects: give one of them")
    model = load_model(path)
    compiled = load_grammar(grammar, model.tokenizer, compact=True, **compiling)
    hole = lm.gen("text", compiled, max_tokens=max_tokens, temperature=temperature, top_p=top_p)
    for number in range(count):
        state = model.state(prompt, seed=seed + number) + hole
        if stream:
            _show_growing(state)
        elif as_json:
            write_json({"text": state["text"], "tokens": list(state.tokens), "calls": state.calls})
        else:
            click.echo(state["text"])
    return 0
