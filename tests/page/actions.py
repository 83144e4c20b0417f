"""What people do with the page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

__all__ = ["choose_tab", "pick", "set_grammar", "set_text"]


def set_grammar(page: Page, kind: str, source: str) -> None:
    """Choose a kind, and put a grammar in the editor."""
    page.select_option("#kind", kind)
    editor = page.locator("#editor .cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def set_text(page: Page, text: str) -> None:
    """Put a text, or token ids, into the field."""
    page.fill("#text", text)


def pick(page: Page, at: int) -> None:
    """Choose the place before a token."""
    page.locator("#tokens button").nth(at).click()
    expect(page.locator("#tokens button").nth(at)).to_have_attribute("aria-current", "location")


def choose_tab(page: Page, name: str) -> None:
    """Choose a panel."""
    page.click(f"#tab-{name}")
    expect(page.locator(f"#tab-{name}")).to_have_attribute("aria-selected", "true")
