"""`ffgrammar completion`: completion scripts for shells."""

from __future__ import annotations

import click

from .options import example

__all__ = ["command"]

SHELLS = ["bash", "zsh", "fish"]


@click.command("completion", epilog=example("ffgrammar completion zsh"))
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print a script that completes commands, options, file names and names of grammars in a shell.

    bash: put `eval "$(ffgrammar completion bash)"` into ~/.bashrc. zsh: put `eval "$(ffgrammar completion zsh)"` into
    ~/.zshrc, after compinit. fish: write the output to ~/.config/fish/completions/ffgrammar.fish.
    """
    from click.shell_completion import get_completion_class

    from .main import COMPLETE_VARIABLE, cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "ffgrammar", COMPLETE_VARIABLE).source())
    return 0
