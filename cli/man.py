"""The manual page, made from the help texts: `python -m ffgrammar_cli.man` writes it to stdout."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

import click

from .main import COMMANDS, EXIT_CODES, cli

__all__ = ["page"]


def _roff(text: str) -> str:
    """Text escaped so that roff shows it as it is, and takes no character for a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\b\n", "")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in cleandoc(text).split("\n\n"):
        yield ".PP"
        yield _roff(paragraph)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield ".TP"
            yield f"\\fB{_roff(record[0])}\\fR"
            yield _roff(record[1])


def _command(name: str, parent: click.Context) -> Iterator[str]:
    command = cli.get_command(parent, name)
    assert command is not None
    with click.Context(command, info_name=name, parent=parent) as context:
        yield f".SS {_roff(name)}"
        yield _roff(f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}")
        yield from _paragraphs(command.help or "")
        yield from _options(command, context)
        yield from (".PP", "Example:", ".PP", ".nf", ".RS")
        yield _roff((command.epilog or "").partition("Example:\n")[2].strip())
        yield from (".RE", ".fi")


def page() -> str:
    """The whole page in roff."""
    from ffgrammar import __version__

    with click.Context(cli, info_name="ffgrammar") as context:
        lines = [f'.TH FFGRAMMAR 1 "" "ffgrammar {__version__}"', ".SH NAME"]
        lines += [r"ffgrammar \- which tokens may come next under a grammar, and which must", ".SH SYNOPSIS"]
        lines += [r"\fBffgrammar\fR [OPTIONS] COMMAND [ARGS]...", ".SH DESCRIPTION", *_paragraphs(cli.help or "")]
        lines += [".SH OPTIONS", *_options(cli, context), ".SH COMMANDS"]
        for name in COMMANDS:
            lines += _command(name, context)
        lines += [".SH EXIT STATUS", _roff(EXIT_CODES)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    click.echo(page(), nl=False)
