"""axe finds nothing serious: in each panel, light and dark, wide and narrow. Nothing is said by colour alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from page.actions import choose_tab
from page.conftest import opened
from playwright.sync_api import Browser, Page, expect

AXE = Path(__file__).resolve().parents[2] / "build" / "page" / "node_modules" / "axe-core" / "axe.min.js"
PANELS = ("here", "allowed", "coverings", "rails", "model")


def _violations(page: Page) -> list[str]:
    # (evaluated by the test's own connection, which no policy of the page restricts)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    return [
        f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:160]} {one['nodes'][0]['failureSummary'][:200]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing_serious(browser: Browser, address: str, scheme: str, width: int) -> None:
    for page in opened(browser, address, color_scheme=scheme, viewport={"width": width, "height": 900}):
        page.fill("#text", '{"name": "get_time", "x"}')
        expect(page.locator("#tokens .rejected")).to_have_count(1)
        for name in PANELS:
            choose_tab(page, name)
            page.wait_for_timeout(250)
            assert not _violations(page), name


def test_a_narrow_screen_has_no_scrolling_sideways(browser: Browser, address: str) -> None:
    for page in opened(browser, address, viewport={"width": 320, "height": 700}):
        for name in PANELS:
            choose_tab(page, name)
            page.wait_for_timeout(200)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_marks_are_not_colours_alone(page: Page) -> None:
    glyphs = page.evaluate(
        """() => ["forced", "strange", "rejected"].map((kind) =>
        getComputedStyle(document.querySelector(`.legend .${kind}`), "::before").content)"""
    )
    assert len(set(glyphs)) == 3 and "none" not in glyphs
    assert page.evaluate("getComputedStyle(document.querySelector('.legend .after')).borderStyle") == "dashed"


def test_the_focus_can_be_seen(page: Page) -> None:
    page.locator("#copy").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2
