"""`ffgrammar generate`: a language model writes a text under a grammar."""

from __future__ import annotations

import sys
from itertools import chain
from math import exp
from typing import TYPE_CHECKING, Any

import click

from .models import load_model, model_option
from .options import example, grammar_argument, grammar_options, json_option
from .show import complain, counted, quote, token_as_json, write_json, write_lines

if TYPE_CHECKING:
    from ffgrammar import Tokenizer
    from ffgrammar.lm import State, TracedToken

__all__ = ["command"]


def _show_growing(state: State, trace: list[TracedToken]) -> None:
    """Write the text while it grows."""
    shown = ""
    for event in state.stream(trace):
        # (the last character may be half of one, and then it changes)
        ready = event.text.rstrip("\ufffd") if event.kind == "grew" else event.text
        if ready.startswith(shown):
            sys.stdout.write(ready[len(shown) :])
            sys.stdout.flush()
            shown = ready
    sys.stdout.write(str(state["text"])[len(shown) :] + "\n")


def _write_objects(state: State, number: int, trace: list[TracedToken]) -> None:
    """Write an object for each token as it comes, and one for the whole text."""
    told = 0
    for _ in chain(state.stream(trace), [None]):
        for one in trace[told:]:
            write_json({"number": number, **_as_json(state.model.tokenizer, one)})
        told = len(trace)
        sys.stdout.flush()
    write_json({"number": number, "text": state["text"], "tokens": list(state.tokens), "calls": state.calls})


def _write_changes(state: State, number: int, trace: list[TracedToken], of_json: bool) -> None:
    """Write an object for each change of the text, and one for the whole text. Those of JSON have the value so far."""
    from ffgrammar.lm import partial_json

    def value(text: str) -> dict[str, Any]:
        return {"value": partial_json(text)} if of_json else {}

    for event in state.stream(trace):
        text = event.text.rstrip("\ufffd") if event.kind == "grew" else event.text
        write_json({"number": number, "event": event.kind, "text": text, **value(text)})
        sys.stdout.flush()
    text = str(state["text"])
    write_json({"number": number, "text": text, **value(text), "tokens": list(state.tokens), "calls": state.calls})


def _as_json(tok: Tokenizer, one: TracedToken) -> dict[str, Any]:
    def shown(token: int, log_prob: float | None) -> dict[str, Any]:
        return {**token_as_json(tok, token), **({} if log_prob is None else {"log_prob": log_prob})}

    found = {"kind": one.kind, **shown(one.token, one.log_prob)}
    if one.kind == "chosen":
        found["others"] = [shown(*other) for other in one.others]
    if one.refused is not None:
        found["refused"] = shown(*one.refused)
    return found


def _line(tok: Tokenizer, one: TracedToken) -> str:
    """A token, as a line of --trace."""

    def shown(token: int, log_prob: float | None) -> str:
        return quote(tok.decode([token])) + ("" if log_prob is None else f" {exp(log_prob):.4f}")

    fields = [one.kind, shown(one.token, one.log_prob)]
    if one.kind == "chosen":
        fields.append(", ".join(shown(*other) for other in one.others))
    if one.refused is not None:
        fields.append("refused " + shown(*one.refused))
    return "\t".join(fields)


def _summary(trace: list[TracedToken], seconds: float) -> str:
    forced = sum(one.kind == "forced" for one in trace)
    rate = len(trace) / max(seconds, 1e-9)
    return f"{counted(len(trace), 'token')}, {rate:.1f} a second, {100 * forced / max(len(trace), 1):.0f}% forced"


@click.command(
    "generate", epilog=example("ffgrammar generate schema.json --model model.gguf --prompt 'The city as JSON: '")
)
@grammar_argument
@model_option
@click.option("--prompt", default="", metavar="TEXT", help="What stands before the text.")
@click.option("-n", "--count", default=1, show_default=True, type=click.IntRange(min=1), help="The number of texts.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Equal seeds give equal texts.")
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Each text is complete within N tokens.")
@click.option(
    "--temperature",
    default=1.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="0 takes the most probable token each time.",
)
@click.option(
    "--top-p",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Keep the most probable tokens that have this share.",
)
@click.option("--stream", is_flag=True, help="Write the text while it grows; with --ndjson the value of a schema, too.")
@click.option("--trace", is_flag=True, help="Write a line for each token: why it is there.")
@click.option("--ndjson", is_flag=True, help="Write a JSON object for each token and for each text.")
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
    trace: bool,
    ndjson: bool,
    as_json: bool,
    **compiling: Any,
) -> int:
    """Let a language model write a text under a grammar.

    The vocabulary is that of the model. A schema has no white space unless an option says otherwise, because a model
    may write blanks without an end. Each text is followed by a newline. With --json a text is one line: an object
    with "text", "tokens" (ids of prompt and text) and "calls", how often the model was asked about a token.

    A line of --trace has tabs between its fields. First comes "prompt" (the token has text of the prompt's end),
    "forced" (nothing else could come) or "chosen". Then come the token with its probability, the most probable others
    that might have come, and the most probable token of all if the grammar refuses it. At a terminal, a line on stderr
    tells how many tokens there were, how fast, and how many of them were forced.

    With --stream --ndjson, each change of the text is an object with "number" (which text), "event" ("opened", "grew"
    or "closed") and "text" (all of it so far). For a schema it also has "value": what the JSON says so far, without
    what is not certain yet, and null as long as there is nothing. The last object has "tokens" and "calls".
    """
    from time import perf_counter

    from ffgrammar import lm

    from .progress import Progress
    from .sources import load_grammar

    forms = {"--stream": stream, "--trace": trace, "--ndjson": ndjson, "--json": as_json}
    given = [name for name, is_given in forms.items() if is_given]
    if len(given) > 1 and given != ["--stream", "--ndjson"]:
        raise click.UsageError(f"{' and '.join(given)}: give one of them, or --stream and --ndjson")
    model = load_model(path)
    compiled = load_grammar(grammar, model.tokenizer, compact=True, **compiling)
    hole = lm.gen("text", compiled, max_tokens=max_tokens, temperature=temperature, top_p=top_p)
    for number in range(count):
        state = model.state(prompt, seed=seed + number) + hole
        tokens: list[TracedToken] = []
        start = perf_counter()
        if stream and ndjson:
            _write_changes(state, number, tokens, compiled.kind == "json-schema")
        elif stream:
            _show_growing(state, tokens)
        elif ndjson:
            _write_objects(state, number, tokens)
        else:
            with Progress("step") as progress:
                for _ in state.stream(tokens):
                    progress.step()
            if trace:
                write_lines(_line(model.tokenizer, one) for one in tokens)
            elif as_json:
                write_json({"text": state["text"], "tokens": list(state.tokens), "calls": state.calls})
            else:
                click.echo(state["text"])
        if sys.stderr.isatty():
            complain(_summary(tokens, perf_counter() - start))
    return 0
