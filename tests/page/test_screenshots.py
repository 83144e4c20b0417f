"""The main views look as they did: pictures are compared with those of docs/, which shows them.

`FFGRAMMAR_SCREENSHOTS=write make test-page` writes them anew. Fonts differ a little between machines, so a share of the
pixels may differ.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from page.actions import choose_tab, pick
from page.conftest import opened
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, expect

DOCS = Path(__file__).resolve().parents[2] / "docs"
# How many of the pixels may differ, in percent, and by how much a pixel must differ to count.
MAX_SHARE = 3.0
MIN_STEP = 48


def _taken(page: Page) -> Image.Image:
    page.evaluate("document.getElementById('state').textContent = 'compiled in 12 ms'")
    page.evaluate("document.querySelectorAll('#curve .time').forEach((one) => one.remove())")
    page.evaluate(
        "document.querySelectorAll('#curve p').forEach((one) => one.textContent = one.textContent.split(':')[0])"
    )
    page.evaluate("document.activeElement.blur()")
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide")))
    return picture.convert("RGB").quantize(48, dither=Image.Dither.NONE)


def _assert_same(name: str, picture: Image.Image) -> None:
    path = DOCS / f"{name}.png"
    if os.environ.get("FFGRAMMAR_SCREENSHOTS") == "write":
        picture.save(path, optimize=True)
        return
    known, taken = Image.open(path).convert("L"), picture.convert("L")
    assert known.size == taken.size, name
    steps = ImageChops.difference(known, taken).histogram()
    share = 100 * sum(steps[MIN_STEP:]) / (known.size[0] * known.size[1])
    if share > MAX_SHARE:
        made = Path(__file__).resolve().parents[2] / "build" / f"{name}.png"
        made.parent.mkdir(exist_ok=True)
        picture.save(made)
        raise AssertionError(f"{name}: {share:.1f} % of the pixels differ; see {made}")


def _text(page: Page, text: str, at: int) -> None:
    page.fill("#text", text)
    expect(page.locator("#verdict")).to_contain_text("beginning")
    pick(page, at)
    page.wait_for_timeout(400)


@pytest.mark.parametrize(
    ("name", "panel", "options"),
    [
        ("play", "here", {}),
        ("play-tokens", "allowed", {}),
        ("play-railroads", "rails", {}),
        ("play-coverings", "coverings", {"color_scheme": "dark"}),
        ("play-model", "model", {}),
        ("play-narrow", "here", {"viewport": {"width": 360, "height": 900}}),
    ],
)
def test_main_views(browser: Browser, address: str, name: str, panel: str, options: dict[str, object]) -> None:
    for page in opened(browser, address, **{"viewport": {"width": 1100, "height": 1050}, **options}):
        _text(page, '{"name": "get_weather", "arguments": {"city": "Bern", "', 14)
        choose_tab(page, panel)
        if panel == "model":
            page.click("#next")
            expect(page.locator("#mass")).to_be_visible()
        if panel == "allowed":
            page.locator("#trie .opener").first.click()
        page.wait_for_timeout(400)
        if name == "play-narrow":
            page.locator("#text").scroll_into_view_if_needed()
        _assert_same(name, _taken(page))
