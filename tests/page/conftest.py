"""The page's tests: a server in a process of its own, Debian's Chromium, and a page for each test.

`make test-page` runs them. They are not part of `make test`, which needs neither a browser nor node.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).resolve().parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a playground."""
    with subprocess.Popen([sys.executable, str(FOLDER / "serving.py")], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("FFGRAMMAR_CHROMIUM") or shutil.which("chromium")
    assert path, "Chromium is not installed: tests/page/browser.sh says what to do"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page as it opens. What goes wrong in it, or leaves this machine, fails the test."""
    yield from opened(browser, address)


def opened(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """A page with some options of its context."""
    context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce", **options})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(("data:", address.partition("#")[0])) else wrong.append(request.url)
        ),
    )
    page.goto(address)
    page.wait_for_selector("#tokens .token")
    page.wait_for_selector("[role=tabpanel]:not([hidden]) h2")
    yield page
    assert not wrong, wrong
    context.close()
