"""The definitions of a Lark text, before anything is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ffgrammar.grammar.lark.texts import Texts

__all__ = ["Attributes", "Definition", "Op", "Scope", "Source", "popped"]

_T = TypeVar("_T")


class Op(NamedTuple):
    """One step of the body of a definition, with its place in the text.

    The steps of a body are in postfix order, and are evaluated on a stack of values. So deep nesting cannot overflow
    Python's own stack.

    code    argument                 effect on the stack of values
    text    (string, ignore_case)    push the string
    regex   (pattern, flags)         push what the pattern matches
    range   (first, last)            push one character between two code points
    name    name                     push what a definition stands for
    common  name                     push a terminal of the common library
    special as it is written         push a special token (rules only)
    json    text of a schema         push the JSON texts valid under it (rules only)
    pieces  JSON object              push the pieces of a text (substrings.py)
    call    (name, n)                pop n, push what a template stands for with these arguments (rules only)
    param   (name, function)         push what a parametric rule stands for (parameters.py; rules only)
    if      (condition, n)           if the condition does not hold, push what matches nothing, and skip the next n
                                     steps (rules only)
    rep     (lo, hi or None)         pop one, push its repetition
    not     None                     pop one, push all other texts (terminals only)
    cat     n                        pop n, push their concatenation
    and     n                        pop n, push their intersection (terminals only)
    alt     n                        pop n, push their alternation
    """

    code: str
    argument: Any
    offset: int


class Attributes(NamedTuple):
    """What stands in brackets after the name of a rule.

    Attributes:
        offset: where the bracket opens.
        lazy: the rule is one lexeme, which ends at its first match.
        suffix: the rule is one lexeme, which ends with the first match of this text or regular expression; its capture
            does not have it.
        stop: the same, but the text stands again after each use of the rule.
        capture: the name of its captures.
        stop_capture: the name of the captures of the suffix.
        temperature: the sampling temperature that is asked for while the rule is read.
    """

    offset: int
    lazy: bool = False
    suffix: Op | None = None
    stop: str | None = None
    capture: str | None = None
    stop_capture: str | None = None
    temperature: float | None = None

    @property
    def is_lexeme(self) -> bool:
        """Whether the rule is a lexeme, so that its body may only have what a terminal may have."""
        return self.lazy or self.suffix is not None or self.stop is not None


class Definition(NamedTuple):
    """A rule, a terminal or an %ignore.

    Attributes:
        name: the name of the rule or terminal; or "%ignore".
        offset: where the name stands in the text.
        body: steps that leave the alternatives of the body on the stack of values.
        alternatives: how many alternatives there are.
        lazy: whether it is a terminal that ends at its first match.
        params: the parameters of a template.
        parametric: whether it is a rule with a number as parameter.
        declared: whether it is a terminal without a body (%declare).
        attributes: those of a rule.
        scope: which %ignore holds in it: an index in `Source.scopes`.
    """

    name: str
    offset: int
    body: tuple[Op, ...]
    alternatives: int = 1
    lazy: bool = False
    params: tuple[str, ...] = ()
    parametric: bool = False
    declared: bool = False
    attributes: Attributes | None = None
    scope: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether it stands for the same wherever it is used."""
        return not self.params and not self.parametric


@dataclass
class Scope:
    """What may be skipped in the definitions of one text.

    Attributes:
        ignored: the definitions of every %ignore.
        once: whether at most one skip stands between two lexemes.
        initial: whether a skip may stand before the first lexeme.
    """

    ignored: list[Definition] = field(default_factory=list)
    once: bool = False
    initial: bool = True


@dataclass
class Source:
    """All definitions of a text.

    Attributes:
        texts: the text, and those that it imports.
        rules, terminals: definitions by name.
        scopes: the first one holds in the text itself, the others in grammars inside it.
        words: the definitions of every %words.
        indenter: the %indenter, as a step with the text of its JSON object; or None.
        warnings: messages about what has no effect in ffgrammar, each with its place.
    """

    texts: Texts
    rules: dict[str, Definition] = field(default_factory=dict)
    terminals: dict[str, Definition] = field(default_factory=dict)
    scopes: list[Scope] = field(default_factory=lambda: [Scope()])
    words: list[Definition] = field(default_factory=list)
    indenter: Op | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def ignored(self) -> list[Definition]:
        """The %ignore of the text itself."""
        return self.scopes[0].ignored

    def table(self, name: str) -> dict[str, Definition]:
        """The definitions among which a name belongs: those of terminals or of rules. (A name that was imported may
        begin with the name of a file, so its last letter counts.)"""
        return self.terminals if name.rstrip("_-0123456789")[-1:].isupper() else self.rules


def popped(stack: list[_T], count: int) -> list[_T]:
    """Take the last `count` values off a stack. (With a count of 0, `stack[-count:]` would be all values.)"""
    values = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return values
