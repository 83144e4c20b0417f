"""`ffgrammar select`: a language model chooses one of several texts."""

from __future__ import annotations

import click

from .models import load_model, model_option
from .options import example, json_option
from .show import write_json

__all__ = ["command"]


@click.command(
    "select",
    epilog=example("ffgrammar select ' yes' ' no' --model model.gguf --prompt 'Is water wet? Answer:'"),
)
@click.argument("options", nargs=-1, required=True, metavar="TEXT...")
@model_option
@click.option("--prompt", default="", metavar="TEXT", help="What stands before the text.")
@click.option("--then", default="", metavar="TEXT", help="What follows the text.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Equal seeds give equal texts.")
@click.option(
    "--temperature",
    default=1.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="0 takes the most probable text.",
)
@json_option
def command(
    options: tuple[str, ...], path: str, prompt: str, then: str, seed: int, temperature: float, as_json: bool
) -> int:
    """Let a language model choose one of several texts.

    A text is drawn by its exact probability, which `ffgrammar score` tells. Of --then only the first character counts.
    With --json the answer is an object with "text", "probabilities" and "calls".
    """
    from ffgrammar import lm

    model = load_model(path)
    state = model.state(prompt, seed=seed) + lm.select("text", options, temperature=temperature) + then
    if as_json:
        scores = state.scores("text")
        write_json({"text": state["text"], "probabilities": scores.probabilities, "calls": scores.calls})
    else:
        click.echo(state["text"])
    return 0
