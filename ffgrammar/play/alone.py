"""Answers the page where there is no server: in a worker of a browser, whose Python is Pyodide."""

from __future__ import annotations

import json
from functools import cache, partial

from ffgrammar.play.desk import Desk
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["answer"]

TOKENIZERS = ("cl100k_base", "o200k_base")


def answer(name: str, body: str) -> str:
    """The answer to a request, as ASCII: text that is not Unicode cannot be handed to a browser in another way.

    Args:
        name: what is asked, one of `Desk.names`.
        body: an object of JSON.
    """
    return json.dumps(_desk().answer(name, json.loads(body)))


@cache
def _desk() -> Desk:
    return Desk({name: partial(Tokenizer.from_tiktoken, name) for name in TOKENIZERS})
