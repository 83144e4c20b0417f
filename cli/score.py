"""`ffgrammar score`: how probable a language model finds each of several texts."""

from __future__ import annotations

import click

from .models import load_model, model_option
from .options import example, json_option
from .show import quote, write_json

__all__ = ["command"]


@click.command(
    "score",
    epilog=example("ffgrammar score ' Paris' ' Rome' --model model.gguf --prompt 'The capital of Italy is'"),
)
@click.argument("options", nargs=-1, required=True, metavar="TEXT...")
@model_option
@click.option("--prompt", default="", metavar="TEXT", help="What stands before the texts.")
@click.option("--then", default="", metavar="TEXT", help="What follows each of the texts.")
@json_option
def command(options: tuple[str, ...], path: str, prompt: str, then: str, as_json: bool) -> int:
    """Say how probable a language model finds each of several texts.

    The probabilities are those after the prompt, given that one of the texts comes. A line has a probability and a
    text, the most probable first. A text's probability is summed over the token sequences that spell it, so it makes no
    difference where the tokens of the prompt end.
    """
    from ffgrammar import lm

    scores = lm.score(load_model(path), prompt, options, then=then)
    found = sorted(scores.probabilities.items(), key=lambda one: -one[1])
    if as_json:
        write_json({"options": [{"text": text, "probability": share} for text, share in found], "calls": scores.calls})
    else:
        for text, share in found:
            print(f"{share:.6f}\t{quote(text.encode())}")
    return 0
