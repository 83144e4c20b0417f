"""Every feature of the page, as people use it."""

from __future__ import annotations

import pytest
from page.actions import choose_tab, pick, set_grammar, set_text
from page.conftest import opened
from playwright.sync_api import Browser, Page, expect

SCHEMA = (
    '{"properties": {"n": {"const": 12}, "s": {"type": "string"}}, "required": ["n"], "additionalProperties": false}'
)


@pytest.fixture
def schema(page: Page) -> Page:
    """The page with a small schema and a text."""
    set_grammar(page, "json-schema", SCHEMA)
    set_text(page, '{"n": 12, "s": "x')
    expect(page.locator("#tokens .token")).to_have_count(11)
    expect(page.locator("#verdict")).to_contain_text("the beginning of a text")
    return page


def test_tokens_are_marked(schema: Page) -> None:
    expect(schema.locator("#tokens .forced")).not_to_have_count(0)
    set_text(schema, '{"n": 13, "s": "x"}')
    expect(schema.locator("#tokens .rejected")).to_have_count(1)
    expect(schema.locator("#tokens .after")).not_to_have_count(0)
    expect(schema.locator("#verdict")).to_contain_text("rejected at token 4")
    assert "rejected" in (schema.locator("#tokens .rejected").get_attribute("aria-label") or "")


def test_ids_that_are_not_canonical(schema: Page) -> None:
    schema.check("#as-ids")
    expect(schema.locator("#text")).to_have_value("5018 77 794 220 717 11 330 82 794 330 87")
    set_text(schema, "5018 77 794 220 717 11 330 82 794 330 71 68 75 75 78")
    expect(schema.locator("#tokens .strange")).not_to_have_count(0)
    expect(schema.locator("#verdict")).to_contain_text("canonical: no")
    expect(schema.locator("#own .token")).not_to_have_count(0)


@pytest.mark.parametrize(
    ("kind", "source", "line"),
    [
        ("json-schema", '{\n"type":\n12}', "line 3"),
        ("lark", 'start: "a"\nother: missing\n', "line 2"),
        ("gbnf", 'root ::= "a"\nb ::= nothing\n', "line 2"),
        ("regex", "ab(c", "line 1"),
        ("structural-tag", '{"type": "structural_tag", "format": {"type": "unknown"}}', ""),
    ],
)
def test_errors_are_marked_at_their_line(page: Page, kind: str, source: str, line: str) -> None:
    set_grammar(page, kind, source)
    expect(page.locator("#state")).to_contain_text("Error")
    expect(page.locator("#state")).to_contain_text(line)
    expect(page.locator("#editor .cm-lint-marker-error")).to_have_count(1)
    set_grammar(page, "regex", "a+")
    expect(page.locator("#state")).to_contain_text("compiled")
    expect(page.locator("#editor .cm-lint-marker-error")).to_have_count(0)


def test_the_editor_highlights(page: Page) -> None:
    for kind, source, token in (
        ("json-schema", '{"a": true}', ".tok-bool"),
        ("lark", "start: WORD // words\nWORD: /[a-z]+/\n", ".tok-comment"),
        ("gbnf", 'root ::= "a" # letters', ".tok-comment"),
        ("regex", "[a-z]+", ".tok-string2"),
    ):
        set_grammar(page, kind, source)
        expect(page.locator(f"#editor {token}").first).to_be_visible()


def test_a_place_tells_what_must_and_may_come(schema: Page) -> None:
    pick(schema, 1)
    expect(schema.locator("#here h2")).to_contain_text("At byte 2")
    expect(schema.locator("#forced-bytes")).to_contain_text("2 bytes")
    expect(schema.locator("#forced-tokens .token")).to_have_count(1)
    expect(schema.locator("#held")).to_contain_text("because their token depends on what follows")
    expect(schema.locator("#count")).to_contain_text("1 tokens")
    expect(schema.locator("#reading")).to_be_visible()
    pick(schema, 10)
    expect(schema.locator("#count-canonical")).to_contain_text("that the tokenizer itself would write")


def test_the_caret_is_a_place(schema: Page) -> None:
    schema.locator("#text").focus()
    schema.evaluate("document.getElementById('text').setSelectionRange(9, 9)")
    schema.keyboard.press("ArrowRight")
    choose_tab(schema, "coverings")
    expect(schema.locator("#coverings tbody tr")).not_to_have_count(0)
    expect(schema.locator("#coverings code").first).to_have_text("\u00b7")


def test_the_trie_opens_searches_and_takes(schema: Page) -> None:
    choose_tab(schema, "allowed")
    opener = schema.locator("#trie .opener").first
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(schema.locator("#trie .trie .trie li")).not_to_have_count(0)
    schema.fill("#search", "hello")
    expect(schema.locator("#found")).to_contain_text("tokens")
    schema.locator("#trie .token", has_text="hello").first.click()
    expect(schema.locator("#as-ids")).to_be_checked()
    expect(schema.locator("#tokens .token").last).to_contain_text("hello")


def test_why_not_a_token(schema: Page) -> None:
    pick(schema, 1)
    choose_tab(schema, "allowed")
    schema.check("#refused")
    schema.fill("#search", "nn")
    expect(schema.locator("#found")).to_contain_text("tokens")
    schema.locator("#trie .token").first.click()
    expect(schema.locator("#refusal")).to_contain_text("does not fit what is being read")
    expect(schema.locator("#why .dies")).to_have_text("n")
    expect(schema.locator("#why tbody tr")).not_to_have_count(0)


def test_canonical_tokens_only(schema: Page) -> None:
    choose_tab(schema, "allowed")
    expect(schema.locator("#trie .opener").first).to_be_visible()
    plain = schema.locator("#trie").inner_text()
    schema.check("#canonical")
    expect(schema.locator("#trie")).not_to_have_text(plain, use_inner_text=True)
    schema.uncheck("#canonical")
    expect(schema.locator("#trie")).to_have_text(plain, use_inner_text=True)


def test_railroads_are_lit(schema: Page) -> None:
    pick(schema, 1)
    choose_tab(schema, "rails")
    expect(schema.locator("#rails .lexeme.read")).to_have_count(1)
    expect(schema.locator("#lit")).to_contain_text("being read")
    pick(schema, 5)
    expect(schema.locator("#rails .lexeme.next")).not_to_have_count(0)


def test_curves(schema: Page) -> None:
    expect(schema.locator("#curve svg")).to_have_count(2)
    label = schema.locator("#curve svg").first.get_attribute("aria-label") or ""
    assert "Allowed tokens: from 1 to" in label and "12 places" in label
    schema.locator("#curve svg").first.click(position={"x": 2, "y": 20})
    expect(schema.locator("#tokens button").first).to_have_attribute("aria-current", "location")


def test_examples_and_tokenizers(page: Page) -> None:
    for name, kind in (("sql", "lark"), ("chess", "gbnf"), ("tool_calls", "structural-tag"), ("email", "regex")):
        page.select_option("#example", name)
        expect(page.locator("#kind")).to_have_value(kind)
        expect(page.locator("#verdict")).to_contain_text("of the grammar")
        expect(page.locator("#state")).to_contain_text("compiled")
    page.select_option("#tokenizer", "cl100k_base")
    expect(page.locator("#verdict")).to_contain_text("a text of the grammar")


def test_a_link_restores_all(schema: Page, browser: Browser) -> None:
    pick(schema, 5)
    choose_tab(schema, "coverings")
    expect(schema.locator("#coverings h2")).to_be_visible()
    schema.wait_for_timeout(600)
    for other in opened(browser, schema.url):
        expect(other.locator("#tab-coverings")).to_have_attribute("aria-selected", "true")
        expect(other.locator("#text")).to_have_value('{"n": 12, "s": "x')
        expect(other.locator("#tokens button").nth(5)).to_have_attribute("aria-current", "location")
        expect(other.locator("#editor .cm-content")).to_contain_text('"const"')


def test_a_broken_link_shows_the_usual_page(browser: Browser, address: str) -> None:
    for other in opened(browser, f"{address}#bm90aGluZw"):
        expect(other.locator("#verdict")).to_contain_text("of the grammar")


def test_the_model(schema: Page) -> None:
    choose_tab(schema, "model")
    schema.click("#next")
    expect(schema.locator("#mass")).to_contain_text("of the probability")
    schema.click("#step")
    expect(schema.locator("#tokens .token")).to_have_count(12)
    schema.fill("#temperature", "1")
    schema.click("#write")
    expect(schema.locator(".forks > li")).to_have_count(3)
    schema.click("text=Take fork 2")
    expect(schema.locator("#tokens .token")).not_to_have_count(12)
    schema.fill("#options", " yes\n no\n not")
    schema.click("#select")
    expect(schema.locator("#selected tbody tr")).to_have_count(3)
    expect(schema.locator("#selected")).to_contain_text("best")


def test_the_keyboard_is_enough(page: Page) -> None:
    """Tab reaches each part, also past the editor; arrows move in the tokens and between the panels."""
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.closest('[id]')?.id"))
    assert {"tokenizer", "example", "kind", "editor", "text", "tokens", "tab-here", "here"} <= reached
    page.locator("#tokens [tabindex='0']").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tokens button").nth(1)).to_be_focused()
    expect(page.locator("#here h2")).to_contain_text("At byte 2")
    page.locator("#tab-here").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-allowed")).to_be_focused()
    expect(page.locator("#trie .opener").first).to_be_visible()
    page.locator("#trie .opener").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#trie .opener").first).to_have_attribute("aria-expanded", "true")
