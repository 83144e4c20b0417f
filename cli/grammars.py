"""`ffgrammar grammars`: the library of grammars."""

from __future__ import annotations

import click

from .options import example, json_option

__all__ = ["command"]


@click.command("grammars", epilog=example("ffgrammar grammars json"))
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> int:
    """List the grammars of the library, or show the text of one.

    A line has a name and what the language is. Every command takes @NAME in place of a file, as in `ffgrammar mask
    @sql --prefix 'SELECT '`. Given a name, with or without @, the grammar itself is shown, to be copied and changed.
    """
    from ffgrammar import library_grammar, library_names

    from .show import write_json, write_lines

    if name is not None:
        one = library_grammar(name.removeprefix("@"))
        if as_json:
            write_json({"name": one.name, "kind": one.kind, "description": one.description, "text": one.text})
        else:
            write_lines(one.text.splitlines())
        return 0
    found = [library_grammar(name) for name in library_names()]
    if as_json:
        write_json([{"name": one.name, "kind": one.kind, "description": one.description} for one in found])
    else:
        write_lines(f"{one.name}\t{one.description}" for one in found)
    return 0
