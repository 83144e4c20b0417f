"""The pages of adapters: their first program is whole, and what they tell to install is there.

`make test-servers` runs the programs whose libraries run on a CPU.
"""

from __future__ import annotations

import ast
import builtins
import importlib.metadata
import re

import pytest

from adapter_pages import PAGES, ROOT, first_program


@pytest.mark.parametrize("page", PAGES)
def test_the_first_program_of_a_page_is_whole(page: str) -> None:
    tree = ast.parse(first_program(page))
    made = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            made.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.add(node.id)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert used <= made, used - made


def test_extras_that_are_named_exist() -> None:
    extras = set(importlib.metadata.metadata("ffgrammar").get_all("Provides-Extra") or ())
    places = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("ffgrammar/**/*.py"), *ROOT.glob("cli/**/*.py")]
    named = {name for path in places for name in re.findall(r"ffgrammar\[([\w-]+)\]", path.read_text("utf-8"))}
    assert set(PAGES) <= named
    assert named <= extras, named - extras
