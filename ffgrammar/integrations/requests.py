"""What servers are asked for, compiled: a kind of request and its text in, a `Grammar` out.

Servers know the same six kinds of requests, and hand on the text of each. `GrammarRequests` compiles them for one
vocabulary, for any number of threads. Here are also the readings that servers share: which notation a grammar has, and
that white space in JSON is bounded, so that no model writes blanks for ever.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

from ffgrammar.api.compile import (
    compile_choice,
    compile_ebnf,
    compile_gbnf,
    compile_json_schema,
    compile_lark,
    compile_regex,
    compile_structural_tag,
)
from ffgrammar.api.compiler import Compiler
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import FFGrammarError, GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["REQUEST_KINDS", "GrammarRequests", "RequestKind", "compile_rules", "notation_of"]

RequestKind = Literal["json", "json_object", "regex", "choice", "grammar", "structural_tag"]
REQUEST_KINDS: tuple[RequestKind, ...] = ("json", "json_object", "regex", "choice", "grammar", "structural_tag")

Whitespace = Literal["flexible", "compact"] | int
# No call takes longer than this, if no limits are given: a server says that a request is too hard, and does not stall.
SECONDS = 10
_RULE = re.compile(r"""^[ \t]*[\w.-]+[ \t]*(?:\[[^]\n]*][ \t]*)?::=""", re.MULTILINE)


class GrammarRequests:
    """Compiles the requests of a server for one vocabulary.

    Requests for the same source at the same time wait for one compilation, and what was compiled is kept
    (`ffgrammar.Compiler`).

        requests = GrammarRequests(tok)
        grammar = requests.compile("json", '{"type": "integer"}')

    Args:
        tokenizer: the vocabulary.
        whitespace: where JSON may have white space, as in `compile_json_schema`: at most one character at a place, if
            not given.
        limits: bounds on the cost of each request; None: `Limits.public(seconds=10)`, since strangers write requests.
        cache_bytes: how many bytes of grammars are kept.
        threads: how many requests `compile_async` compiles at a time.

    Raises:
        TypeError: an argument is of another type.

    Attributes:
        tokenizer: the vocabulary.
        compiler: what compiles; its `stats()` has the hit rates.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        whitespace: Whitespace = 1,
        limits: Limits | None = None,
        cache_bytes: int = 256 << 20,
        threads: int = 2,
    ) -> None:
        self.tokenizer = tokenizer
        self._whitespace = whitespace
        bounds = Limits.public(seconds=SECONDS) if limits is None else limits
        self.compiler = Compiler(tokenizer, cache_bytes=cache_bytes, threads=threads, limits=bounds)

    def compile(self, kind: RequestKind, spec: Any = None, **options: Any) -> Grammar:
        """The grammar of a request.

        Args:
            kind: what is asked for.
            spec: the request: JSON text or a value for "json", "choice" and "structural_tag"; a text for "regex", whose
                syntax is that of JavaScript, and for "grammar", which is in Lark, EBNF or GBNF. "json_object" has none.
            options: those of the function that compiles such a source, as `property_order` of `compile_json_schema`.

        Raises:
            GrammarError: the request is malformed, or there is no such kind.
            UnsupportedError: it cannot be enforced exactly.
            LimitError: it costs too much.
            TypeError: `spec` is of another type, or there is no such option.
            RuntimeError: `close` was called.
        """
        function, source, given = self._call(kind, spec)
        return self.compiler.compile(function, source, **{**given, **options})

    async def compile_async(self, kind: RequestKind, spec: Any = None, **options: Any) -> Grammar:
        """The same for asyncio: the event loop goes on meanwhile."""
        function, source, given = self._call(kind, spec)
        return await self.compiler.compile_async(function, source, **{**given, **options})

    def close(self) -> None:
        """Wait for what is being compiled, and compile no more."""
        self.compiler.close()

    def _call(self, kind: str, spec: Any) -> tuple[Callable[..., Grammar], Any, dict[str, Any]]:
        """The function for a kind of request, its first argument, and its options."""
        if kind == "json_object":
            return compile_json_schema, {"type": "object"}, {"whitespace": self._whitespace}
        if kind == "json":
            return compile_json_schema, spec, {"whitespace": self._whitespace}
        if kind == "regex":
            return compile_regex, spec, {"dialect": "ecma"}
        if kind == "choice":
            return compile_choice, _choices(spec), {}
        if kind == "grammar":
            return compile_rules, spec, {}
        if kind == "structural_tag":
            return compile_structural_tag, spec, {}
        raise GrammarError(f"a request must be one of {', '.join(REQUEST_KINDS)}, not {kind!r}")


def _choices(spec: Any) -> Any:
    """The texts to choose from. A text that is a JSON array lists them; any other text is the only choice."""
    if not isinstance(spec, str):
        return spec
    try:
        found = json.loads(spec)
    except ValueError:
        return [spec]
    return found if isinstance(found, list) else [spec]


def notation_of(text: str) -> Literal["lark", "rules"]:
    """Whether a grammar is in Lark's notation, or has rules with `::=`, as EBNF and GBNF have."""
    return "rules" if _RULE.search(text) else "lark"


def compile_rules(text: str, tokenizer: Tokenizer, *, limits: Limits | None = None) -> Grammar:
    """The grammar of a text in Lark, EBNF or GBNF.

    Rules with `::=` are read as xgrammar's EBNF, and if that cannot be, as llama.cpp's GBNF. What both can read means
    the same in both, except that in EBNF the digits after `\\x` have no end.

    Args:
        text: the grammar. Its first rule is `start` in Lark, and `root` in the others.
        tokenizer: the vocabulary.
        limits: bounds on the cost.

    Raises:
        GrammarError: the grammar is malformed. If it is neither EBNF nor GBNF, the message is about EBNF.
        UnsupportedError: it cannot be enforced exactly.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    expect("compile_rules: text", text, str, "a str")
    if notation_of(text) == "lark":
        return compile_lark(text, tokenizer, limits=limits)
    try:
        return compile_ebnf(text, tokenizer, limits=limits)
    except FFGrammarError as error:
        try:
            return compile_gbnf(text, tokenizer, limits=limits)
        except FFGrammarError:
            raise error from None
