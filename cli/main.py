"""The `ffgrammar` command: finds the subcommand, imports only its module, and turns every outcome into an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

from .show import complain

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["COMMANDS", "COMPLETE_VARIABLE", "EXIT_CODES", "cli", "main", "run"]

# Command name -> what it does. The texts are here so that `ffgrammar --help` and the completion of names import no
# command.
COMMANDS = {
    "compile": "Compile a grammar; report on it; write a compiled file, or the grammar in another notation.",
    "mask": "List the tokens that may come next.",
    "explain": "Say what is open and expected at a place, and why a byte is refused there.",
    "ff-tokens": "Show the bytes and tokens that must come next.",
    "check": "Say whether tokens are what the tokenizer itself would produce.",
    "validate": "Say whether whole texts belong to a grammar, or where they leave it.",
    "complete": "List the token sequences with which a text can begin, given its first characters.",
    "corpus": "Check, validate or tokenize whole data sets, on all cores or on a cluster.",
    "sample": "Write random sentences of a grammar.",
    "generate": "Let a language model write a text under a grammar.",
    "select": "Let a language model choose one of several texts.",
    "score": "Say how probable a language model finds each of several texts.",
    "grammars": "List the grammars of the library, or show the text of one.",
    "tokenizers": "List the vocabularies that can be used, or the special tokens of one.",
    "play": "Show tokens under a grammar in a browser.",
    "trie": "Show the vocabulary under a prefix, as a tree.",
    "bench": "Measure masks along real documents, side by side with other engines.",
    "completion": "Print a script that completes commands, options, file names and names of grammars in a shell.",
}

EXIT_CODES = "0 yes or done, 1 a clean no, 2 wrong usage or a file error, 3 a bad grammar, or a limit that it reaches."
# The variable by which a shell's completion script asks for completions. What to complete is in other variables.
COMPLETE_VARIABLE = "_FFGRAMMAR_COMPLETE"

EXIT_OK = 0
EXIT_ERROR = 2
EXIT_GRAMMAR = 3
EXIT_INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module("." + cmd_name.replace("-", "_"), __package__)
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            like = "".join(f" Did you mean {name}?" for name in get_close_matches(args[0][:60], COMMANDS, 1))
            raise click.UsageError(f"No such command {args[0]!r}.{like}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from ffgrammar import __version__

    click.echo(f"ffgrammar {__version__}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Results go to stdout, everything else to stderr. Exit codes: {EXIT_CODES} "
    "`ffgrammar completion --help` says how to set up completion; `make man` in the sources writes a manual page.",
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

    GRAMMAR is a path, - for stdin, or @NAME for a grammar of the library. Its kind follows from --type or else from
    the extension (.json .lark .gbnf .ebnf .regex .choice .tag.json .ffg). On stdin a JSON Schema needs no --type.
    """


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"\nTry '{context.command_path} --help'." if context is not None else ""


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code.

    Raises:
        BrokenPipeError: stdout was closed. Any other exception is a bug.
    """
    if not arguments:
        click.echo(cli.make_context("ffgrammar", [], resilient_parsing=True).get_help(), err=True)
        return EXIT_ERROR
    try:
        # Not cli.main, which handles a closed pipe and Ctrl-C in its own way.
        with cli.make_context("ffgrammar", arguments) as context:
            code = cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        complain(error.format_message() + _usage_hint(error))
        return max(error.exit_code, EXIT_ERROR)  # click uses 1 for some errors, but here 1 is a clean no
    except BrokenPipeError:
        raise
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except OSError as error:
        complain(f"{error.filename or 'input/output'}: {error.strerror or error}")
        return EXIT_ERROR
    except ImportError as error:
        # A checkout that is not built says so in one line. Any other failed import is a bug.
        if "is not built" not in str(error):
            raise
        complain(str(error))
        return EXIT_ERROR
    except Exception as error:
        from ffgrammar import FFGrammarError, LimitError

        from .messages import told

        if not isinstance(error, FFGrammarError):
            raise
        complain(told(error))
        return EXIT_GRAMMAR if isinstance(error, LimitError) else EXIT_ERROR
    return code if isinstance(code, int) else EXIT_OK


def main() -> None:
    """The console script: `run` with the process's arguments, and the end of the process."""
    if COMPLETE_VARIABLE in os.environ:
        cli.main(prog_name="ffgrammar")  # click answers the shell, and exits
    # A stream that was closed before the start (`<&-`) is None. Without stdin nothing is read, and without stderr
    # nothing is said. Without stdout there is nowhere to write, which is an error.
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    if sys.stdin is None:
        sys.stdin = open(os.devnull)
    if sys.stdout is None:
        complain("standard output is closed")
        os._exit(EXIT_ERROR)
    # Where the locale's encoding is less than Unicode, escapes are better than a crash.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(sys.argv[1:])
    except BrokenPipeError:
        # The reader has seen enough (`ffgrammar mask … | head`), which is no error.
        code = EXIT_OK
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Exception:
        import traceback

        traceback.print_exc()
        code = EXIT_ERROR
    # The system takes back the memory of a vocabulary, a hundred thousand objects, faster than Python does.
    sys.stderr.flush()
    os._exit(code)
