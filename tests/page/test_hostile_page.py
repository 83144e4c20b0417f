"""Hostile texts and grammars in the page: they are shown or refused, and never run."""

from __future__ import annotations

import json

import pytest
from page.actions import choose_tab, pick, set_grammar, set_text
from playwright.sync_api import Page, expect

SCRIPT = "<script>window.ran=1</script><img src=x onerror='window.ran=1'><svg onload='window.ran=1'>"


def _ran(page: Page) -> bool:
    return bool(page.evaluate("Boolean(window.ran)"))


def test_scripts_in_a_text_are_text(page: Page) -> None:
    set_grammar(page, "regex", "(?s:.*)")
    set_text(page, SCRIPT)
    expect(page.locator("#verdict")).to_contain_text("a text of the grammar")
    for tab in ("here", "allowed", "coverings", "rails"):
        choose_tab(page, tab)
    page.wait_for_timeout(300)
    assert not _ran(page)
    assert page.locator("main script, main img").count() == 0


def test_scripts_in_a_grammar_are_text(page: Page) -> None:
    schema = {"properties": {SCRIPT: {"const": SCRIPT}}, "required": [SCRIPT], "additionalProperties": False, SCRIPT: 1}
    set_grammar(page, "json-schema", json.dumps(schema))
    set_text(page, '{"')
    expect(page.locator("#verdict")).to_contain_text("beginning")
    pick(page, 1)
    choose_tab(page, "rails")
    expect(page.locator("#rails svg")).to_be_visible()
    choose_tab(page, "allowed")
    expect(page.locator("#trie")).to_contain_text("<")
    set_grammar(page, "lark", f'start: "{SCRIPT}" missing')
    expect(page.locator("#state")).to_contain_text("Error")
    assert not _ran(page)


def test_scripts_in_a_link_are_text(page: Page) -> None:
    page.evaluate(
        """async (text) => {
        const link = await import("./link.js");
        const state = {kind: "regex", source: "(?s:.*)", text, tokens: null, tokenizer: text, panel: text};
        location.hash = await link.toFragment(state);
    }""",
        SCRIPT,
    )
    expect(page.locator("#state")).to_contain_text("there is no tokenizer")
    assert not _ran(page)


def test_a_schema_that_is_huge_or_slow_does_not_stall_the_page(page: Page) -> None:
    huge = {"properties": {f"key_{n}": {"type": "string", "pattern": f"(a|b|ab){{{n}}}"} for n in range(2000)}}
    page.select_option("#kind", "json-schema")
    page.locator("#editor .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(json.dumps(huge)[:90_000])
    # (the page answers while the server works)
    assert page.evaluate("new Promise((done) => setTimeout(() => done(1), 50))") == 1
    choose_tab(page, "coverings")
    set_grammar(page, "regex", "a+")
    set_text(page, "aa")
    expect(page.locator("#verdict")).to_contain_text("a text of the grammar", timeout=30_000)


def test_a_text_that_is_too_long_is_cut_by_the_field(page: Page) -> None:
    assert page.locator("#text").get_attribute("maxlength") == "100000"


@pytest.mark.parametrize("text", ["\u202eevil", "\u0000", "a\u0300" * 30, "\U0001f469\u200d\U0001f680", "\ufeff"])
def test_odd_characters_are_shown(page: Page, text: str) -> None:
    set_grammar(page, "regex", "(?s:.*)")
    set_text(page, text)
    expect(page.locator("#verdict")).to_contain_text("a text of the grammar")
    shown = "".join(page.locator("#tokens .token").all_text_contents())
    assert "\u202e" not in shown and "\u200d" not in shown and "\x00" not in shown
