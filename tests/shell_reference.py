"""The reference of the shell commands in docs/shell.md, made of their help texts (`make reference`)."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections import Counter
from typing import Any

from imports import ROOT

__all__ = ["PAGE", "reference", "with_reference"]

# The installed command line, or the folder of a checkout that is built in place.
CLI = "ffgrammar_cli" if importlib.util.find_spec("ffgrammar_cli") else "cli"
PAGE = ROOT / "docs" / "shell.md"
PART = re.compile(r"(<!-- commands: begin -->\n).*?(<!-- commands: end -->)", re.DOTALL)
# Options that at least this number of commands have are listed once.
SHARED = 4

Option = tuple[str, str]  # its names with its value, and what it does


def _escaped(text: str) -> str:
    """Text as Markdown shows it; what stands between backticks is code, and left as it is."""
    parts = text.split("`")
    return "`".join([part if number % 2 else re.sub(r"([|<>*_])", r"\\\1", part) for number, part in enumerate(parts)])


def _options(context: Any) -> list[Option]:
    records = [one.get_help_record(context) for one in context.command.params]
    # (arguments have no text of their own)
    return [record for record in records if record is not None and record[1]]


def _table(options: list[Option]) -> list[str]:
    rows = [f"| `{_cell(names)}` | {_escaped(says)} |" for names, says in options]
    return ["| option | does |", "|---|---|", *rows]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _paragraphs(text: str) -> str:
    return "\n\n".join([" ".join(part.split()) for part in text.replace("\b", "").strip().split("\n\n")])


def _contexts() -> dict[str, Any]:
    import click

    main = importlib.import_module(f"{CLI}.main")
    outer = click.Context(main.cli, info_name="ffgrammar")
    return {
        name: click.Context(main.cli.get_command(outer, name), parent=outer, info_name=name) for name in main.COMMANDS
    }


def _section(name: str, context: Any, shared: set[Option]) -> list[str]:
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    example = command.epilog.partition("Example:")[2].strip()
    options = _options(context)
    own = [one for one in options if one not in shared]
    also = [f"`{names.split()[0].strip(',')}`" for names, _ in options if (names, _) in shared]
    return [
        f"### {name}",
        "",
        f"`{usage}`",
        "",
        _escaped(_paragraphs(command.help)),
        "",
        *([*_table(own), ""] if own else []),
        *([f"Shared options: {', '.join(also)}.", ""] if also else []),
        "```text",
        example,
        "```",
        "",
    ]


def reference() -> str:
    """Each command, in the order of `ffgrammar --help`, and the options that several have."""
    contexts = _contexts()
    count = Counter(option for context in contexts.values() for option in _options(context))
    shared = [option for option in count if count[option] >= SHARED]
    lines = ["### Shared options", "", *_table(shared), ""]
    for name, context in contexts.items():
        lines += _section(name, context, set(shared))
    return "\n".join(lines)


def with_reference(page: str) -> str:
    """A page with the reference between its marks."""
    made = reference()
    return PART.sub(lambda match: f"{match[1]}\n{made}\n{match[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(with_reference(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
