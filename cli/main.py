"""The `ffgrammar` command: finds the subcommand, loads only its module, and turns every end into an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from .show import complain

__all__ = ["COMMANDS", "cli", "main", "run"]

# Name -> what it does. Kept here so that `ffgrammar --help` imports none of the commands.
COMMANDS = {
    "compile": "Compile a grammar; report on it; write a compiled file.",
    "mask": "List the tokens that may come next.",
    "ff-tokens": "Show the bytes and tokens that must come next.",
    "check": "Say whether tokens are what the tokenizer itself would produce.",
    "validate": "Say whether whole texts belong to a grammar, or where they leave it.",
    "complete": "List the ways in which the tokens of a text that begins so can begin.",
    "sample": "Write random sentences of a grammar.",
    "tokenizers": "List the vocabularies that can be used.",
    "trie": "Show the vocabulary under a prefix, as a tree.",
    "bench": "Measure masks along real documents, side by side with other engines.",
}

EXIT_OK = 0
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module("." + cmd_name.replace("-", "_"), __package__)
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"ffgrammar {version('ffgrammar')}")
    except PackageNotFoundError:
        click.echo("ffgrammar, from a checkout that is not installed")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Results go to stdout, everything else to stderr. Exit codes: 0 yes or done, 1 a clean no, "
    "2 usage or input/output, 3 a bad grammar.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Which tokens may come next, which must, and whether a token sequence is the tokenizer's own.

    GRAMMAR is a path, or - for stdin. Its kind follows from the extension (.json .lark .regex .ffg) or from --type.
    """


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"\nTry '{context.command_path} --help'." if context is not None else ""


def run(arguments: list[str]) -> int:
    """Run one command line; returns its exit code. Only a closed stdout and bugs leave as exceptions."""
    try:
        # Not cli.main: it has an answer of its own to a closed pipe and to Ctrl-C.
        with cli.make_context("ffgrammar", arguments) as context:
            code = cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        complain(error.format_message() + _usage_hint(error))
        return max(error.exit_code, EXIT_ERROR)  # click's 1 is our clean no
    except BrokenPipeError:
        raise
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except OSError as error:
        complain(f"{error.filename or 'input/output'}: {error.strerror or error}")
        return EXIT_ERROR
    except Exception as error:
        from ffgrammar import FFGrammarError

        if not isinstance(error, FFGrammarError):
            raise
        complain(str(error))
        return EXIT_ERROR
    return code if isinstance(code, int) else EXIT_OK


def main() -> None:
    """The console script."""
    if "_FFGRAMMAR_COMPLETE" in os.environ:
        cli.main(prog_name="ffgrammar")  # click's shell completion
    # A stream that was closed before the start (`<&-`) is None: nothing to read; nowhere to write is an error.
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    if sys.stdin is None:
        sys.stdin = open(os.devnull)
    if sys.stdout is None:
        complain("standard output is closed")
        os._exit(EXIT_ERROR)
    # Where the locale knows less than Unicode, escapes are better than a crash.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(sys.argv[1:])
    except BrokenPipeError:
        # The reader has seen enough (`ffgrammar mask … | head`): that is no error.
        code = EXIT_OK
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Exception:
        import traceback

        traceback.print_exc()
        code = EXIT_ERROR
    # A vocabulary is a hundred thousand objects: let the system take the memory back at once.
    sys.stderr.flush()
    os._exit(code)
