"""The style, a fragment for a notebook, and a whole page."""

from __future__ import annotations

from base64 import b64encode

from ffgrammar.draw.text import Html, html

__all__ = ["fragment", "page", "picture"]

# (all rules are for what is inside of .ffg, so that a notebook around it keeps its own style)
STYLE = """
.ffg { --text: #1b1f24; --back: #ffffff; --faint: #57606a; --line: #c4cad1; --chosen: #eef0f3;
  --forced: #1d5a2e; --forced-back: #dff1e3; --strange: #6b4a00; --strange-back: #fdf0cf;
  --rejected: #8f1114; --rejected-back: #fde5e5; --one: #2f5597; --two: #9a4d00; --three: #1d5a2e;
  color: var(--text); background: var(--back); font: 14px/1.5 system-ui, sans-serif; padding: 4px }
@media (prefers-color-scheme: dark) { .ffg { --text: #e6e6e6; --back: #16181c; --faint: #a9b1ba; --line: #474d55;
  --chosen: #2a2e34; --forced: #9fdcb1; --forced-back: #173321; --strange: #f0cf7d; --strange-back: #3b2e0a;
  --rejected: #ffb3ae; --rejected-back: #451a1c; --one: #8fb0ea; --two: #f0a860; --three: #9fdcb1 } }
.ffg .token { display: inline-block; font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; padding: 0 5px;
  margin: 1px; border: 1px solid var(--line); border-radius: 3px;
  background: var(--chosen); color: var(--text); white-space: pre-wrap }
.ffg .forced { background: var(--forced-back); color: var(--forced); border-color: var(--forced) }
.ffg .forced::before { content: "\\25B8"; margin-right: 2px }
.ffg .strange { background: var(--strange-back); color: var(--strange); border: 2px dotted var(--strange) }
.ffg .strange::before { content: "\\2260"; margin-right: 2px }
.ffg .rejected { background: var(--rejected-back); color: var(--rejected); border: 2px solid var(--rejected) }
.ffg .rejected::before { content: "\\2717"; margin-right: 2px }
.ffg .prompt { border-style: dashed; color: var(--faint); background: none }
.ffg table { border-collapse: collapse; margin: 6px 0; color: inherit }
.ffg th, .ffg td { text-align: left; padding: 2px 12px 2px 0; vertical-align: top }
.ffg tr { border-bottom: 1px solid var(--line) }
.ffg td p { margin: 0 }
.ffg td.number { text-align: right; font-variant-numeric: tabular-nums }
.ffg .faint { color: var(--faint) }
.ffg pre { white-space: pre-wrap; font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace }
.ffg img { max-width: 100% }
""".strip()
OF_PAGE = "body { margin: 0; color-scheme: light dark } main.ffg { min-height: 100vh; padding: 12px }"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def fragment(*parts: str) -> Html:
    """Parts of a page with their style, for a notebook."""
    return Html(f'<div class="ffg"><style>{STYLE}</style>{"".join(map(html, parts))}</div>')


def page(title: str, *parts: str) -> Html:
    """A whole page. It has no scripts, and its policy allows none.

    Args:
        title: its title, as text.
        parts: what it shows: `Html`, or text, which is escaped.
    """
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{html(POLICY)}"><title>{html(title)}</title>'
        f"<style>{STYLE}\n{OF_PAGE}</style>"
    )
    body = f'<main class="ffg"><h1>{html(title)}</h1>{"".join(map(html, parts))}</main>'
    return Html(f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n')


def picture(svg: str, alt: str) -> Html:
    """A document of SVG as an image, so that its style and its ids stay its own.

    Args:
        svg: the document.
        alt: what it shows, in words.
    """
    data = b64encode(svg.encode()).decode("ascii")
    return Html(f'<img alt="{html(alt)}" src="data:image/svg+xml;base64,{data}">')
