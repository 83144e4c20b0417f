"""`ffgrammar play`: the playground, a page that a server on this machine shows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .options import EMBEDDED, GRAMMAR, KINDS, VocabularyName, VocabularyType, example
from .show import complain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ffgrammar import Tokenizer

__all__ = ["command"]

HOST = "127.0.0.1"
# The kinds of grammars that the page cannot show as text, or has no fields for.
NOT_SHOWN = ("compiled", "tools", "request")


def _opening(path: str, kind: str | None) -> dict[str, str]:
    from .sources import BadGrammar, read_source

    source = read_source(path, kind)
    if source.kind in NOT_SHOWN:
        raise click.UsageError(
            f"{source.name}: the playground has no page for the kind {source.kind}; `ffgrammar compile --emit lark` "
            "writes it as a grammar in Lark"
        )
    try:
        return {"kind": source.kind, "source": source.data.decode("utf-8-sig")}
    except UnicodeDecodeError as error:
        raise BadGrammar(f"{source.name}: not UTF-8 at byte {error.start}") from error


def _tokenizers(names: tuple[str, ...]) -> dict[str, Tokenizer | Callable[[], Tokenizer]]:
    """The vocabularies by name. Those of files are loaded now, so that a wrong name is told at the start."""
    from .sources import load_tokenizer

    found: dict[str, Tokenizer | Callable[[], Tokenizer]] = {
        name: load_tokenizer(VocabularyName(name)) for name in names if name not in EMBEDDED
    }
    ordered = dict.fromkeys([*names, *EMBEDDED])
    return {name: found.get(name) or partial(load_tokenizer, VocabularyName(name)) for name in ordered}


@click.command("play", epilog=example("ffgrammar play schema.json --tokenizer o200k_base"))
@click.argument("grammar", metavar="[GRAMMAR]", type=GRAMMAR, required=False)
@click.option("--text", metavar="TEXT", default="", help="The text that the page shows first.")
@click.option(
    "--type", "kind", type=click.Choice(KINDS), help="The kind of grammar, where the extension does not say it."
)
@click.option(
    "--tokenizer",
    "tokenizers",
    multiple=True,
    type=VocabularyType(),
    metavar="NAME|PATH",
    help="A vocabulary that can be chosen: an embedded one, a tokenizer's file, or a model's folder. Repeatable; the "
    "first one is shown first, and the embedded ones can always be chosen.",
)
@click.option("--model", metavar="PATH|NAME", help="A language model, as for `ffgrammar generate`.")
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), metavar="N", help="The port; any free one without this option."
)
def command(
    grammar: str | None, text: str, kind: str | None, tokenizers: tuple[str, ...], model: str | None, port: int
) -> int:
    """Show tokens under a grammar in a browser.

    A server on this machine shows a page: a grammar, a text as tokens, and for each place what may come, what must
    come, and why a token may not. The address is printed on stdout. It has a token, without which the server answers
    nothing, and it leads only to this machine. The page works without a network. Ctrl-C ends the server.
    """
    from ffgrammar.play import Desk, serve

    if grammar is None and (text or kind):
        raise click.UsageError("--text and --type are for a GRAMMAR")
    loaded: Any = None
    if model is not None:
        from .models import load_model

        loaded = load_model(model)
    opening = None if grammar is None else {**_opening(grammar, kind), "text": text}
    desk = Desk(_tokenizers(tokenizers), loaded, opening)

    def tell(address: str) -> None:
        print(address, flush=True)
        complain("open this address in a browser; Ctrl-C ends the playground")

    try:
        serve(desk, tell, port)
    except ImportError as error:
        raise click.ClickException(f"the playground needs pip install 'ffgrammar[play]' ({error})") from error
    except OSError as error:
        raise click.ClickException(f"port {port} of {HOST}: {error.strerror}") from error
    return 0
