"""The playground: a page that shows tokens under a grammar. `ffgrammar play` serves it.

    from ffgrammar.play import Desk

    desk = Desk({"cl100k_base": tok})
    desk.answer("text", {"tokenizer": "cl100k_base", "kind": "regex", "source": "[0-9]+", "text": "12"})

All that the page shows is computed here by plain functions, from values of JSON to values of JSON. A server only
carries them: it has no knowledge of grammars, and what is here has none of servers. Everything has limits, because the
page is used to try grammars that may be wrong.

In reading order:

- bounds: how much may be asked for.
- fields: a request, whose fields are checked.
- places: where in a source an error is.
- sources: a request's source to a grammar.
- shown: tokens for readers.
- walk: the text as tokens, each with why it is there.
- sheet: a grammar with its walk, which is kept between requests.
- masks: masks as whole numbers.
- spot: the place in a text that a request asks about.
- coverings: the coverings of a text's beginning.
- gap: what may and what must come at a place.
- allowed: the allowed tokens as a trie.
- refusals: why a token may not come.
- railroads: diagrams of the rules, and what is lit in them.
- examples: the grammars of the library with a text each.
- model: what a language model says.
- desk: answers requests.
- alone: answers requests in a worker of a browser, where there is no server.
- server: carries requests and answers, and the files in assets/. It needs the extra `play`.
- serve: runs the server on this machine.

`bundle/` has the sources of `assets/editor.js`, which `make page` writes, and what `make play-site` makes the page
with, for where there is no server. The other files of `assets/` are written by hand and served as they are.
"""

from __future__ import annotations

from ffgrammar.play.desk import Desk
from ffgrammar.play.serve import serve

__all__ = ["Desk", "serve"]
