"""The page without a server: the files of `make play-site`, which any server of files hands out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from page.actions import choose_tab, pick, set_grammar, set_text
from page.conftest import opened
from playwright.sync_api import Browser, Page, expect

import ffgrammar as ff
from ffgrammar.play import Desk

SITE = Path(__file__).resolve().parents[2] / "build" / "play-site"


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and writes no log."""

    def log_message(self, format: str, *values: Any) -> None:
        """Nothing is written."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of the files of a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def files() -> Iterator[str]:
    """The address of the files."""
    if not SITE.is_dir():
        pytest.skip("the page without a server is not tested: make play-site")
    with _served(SITE) as address:
        yield address


@pytest.fixture
def alone(browser: Browser, files: str) -> Iterator[Page]:
    """The page, once its engine has loaded. It asks for nothing but the files of its folder."""
    yield from opened(browser, files)


def test_the_engine_works_in_the_page(alone: Page) -> None:
    expect(alone.locator("#state")).to_contain_text("compiled")
    set_grammar(alone, "json-schema", '{"properties": {"n": {"type": "integer"}}, "required": ["n"]}')
    set_text(alone, '{"n": 12, "s": "x')
    expect(alone.locator("#verdict")).to_contain_text("the beginning of a text of the grammar")
    expect(alone.locator("#tokens .token")).to_have_count(11)
    pick(alone, 1)
    expect(alone.locator("#here h2")).to_contain_text("At byte 2")
    expect(alone.locator("#count")).to_contain_text("tokens")
    choose_tab(alone, "allowed")
    expect(alone.locator("#trie .token").first).to_have_text("n")
    choose_tab(alone, "coverings")
    expect(alone.locator("#coverings tbody tr")).not_to_have_count(0)
    choose_tab(alone, "rails")
    expect(alone.locator("#rails svg")).to_be_visible()
    set_grammar(alone, "lark", 'start: "a"\nother: missing\n')
    expect(alone.locator("#state")).to_contain_text("line 2")


# How long things took, and the version of a walk, differ.
UNLIKE = ("millis", "micros", "version")
ASK = "async ([name, values]) => (await import('./ask.js')).ask(name, values)"


def test_answers_are_those_of_the_engine_outside(alone: Page) -> None:
    """For every grammar of the library: a text, and what may come at a place in it."""
    desk = Desk({"cl100k_base": ff.Tokenizer.from_tiktoken("cl100k_base")})
    for name in desk.answer("start", {})["examples"]:
        shown = desk.answer("example", {"name": name})
        values = {**shown, "special": shown["kind"] == "structural-tag", "at": len(shown["text"]) // 8}
        for asked in ("text", "gap", "trie"):
            here = json.loads(json.dumps(desk.answer(asked, values)))
            there = alone.evaluate(ASK, [asked, values])
            assert "error" not in here
            assert _alike(there) == _alike(here), (name, asked)


def _alike(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in UNLIKE}


def test_the_front_page_of_the_documentation_shows_it(browser: Browser) -> None:
    site = SITE.with_name("site")
    if not (site / "play").is_dir():
        pytest.skip("the site has no playground: make play-site docs")
    with _served(site) as address:
        page = browser.new_page()
        page.goto(f"{address}index.html")
        frame = page.frame_locator("iframe[title=Playground]")
        expect(frame.locator("#state")).to_contain_text("compiled", timeout=60_000)
        expect(page.locator("h1")).to_have_text(re.compile("^ffgrammar"))
        page.close()
