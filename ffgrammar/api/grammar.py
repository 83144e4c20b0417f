"""`Grammar`: what the compile functions and `load` return."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ffgrammar.api.compiled_file import dump, read_file
from ffgrammar.api.prompt import read_prompt
from ffgrammar.core.errors import CompiledFileError
from ffgrammar.core.limits import Limits
from ffgrammar.engine.budget.fewest_tokens import FewestTokens
from ffgrammar.engine.engine import Engine
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.grammar.composition.parts import Part
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.show.kinds import Kind
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.special import Special

__all__ = ["Grammar"]

# About how many bytes a lexeme takes: an object with six attributes, and its name.
LEXEME_BYTES = 200
# How many bytes the unpacked text of a pickled grammar may have.
MAX_PICKLE = 1 << 40


class Grammar:
    """A compiled grammar on a vocabulary, made by the compile functions and by `load`.

    It does not change; copying one gives the same object. Its matchers share what they learn: masks, lexer states and
    rows of the parser are kept with the grammar, within the budgets of its limits. Any number of threads may use it.

    Attributes:
        tokenizer: the vocabulary.
        limits: the bounds on its cost.
    """

    __slots__ = ("_engine", "_ir", "_part", "_report", "_warnings", "limits", "tokenizer")

    def __init__(
        self, ir: GrammarIR, tokenizer: Tokenizer, limits: Limits, report: Callable[[], list[str]] | None = None
    ) -> None:
        self._ir = ir
        self.tokenizer = tokenizer
        self.limits = limits
        self._warnings = ir.warnings
        # Finds further warnings, which are seldom asked for.
        self._report = report
        # What it was composed of, if it was composed.
        self._part: Part | None = None
        self._engine = Engine(ir, tokenizer, limits)
        # The front-end kept notes in `memo`, and its work is done.
        ir.store.memo.clear()

    @property
    def kind(self) -> str:
        """What it was made by: the front-end "json-schema", "lark", "regex", "choice" or "structural-tag"; or
        "composition"."""
        return self._ir.kind

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not enforced, what is enforced only roughly, where a text may reach a dead end, and where longest
        match loses texts of a Lark grammar.

        Each warning names its place in the source. The first call for a Lark grammar looks for lost texts, which takes
        some milliseconds.
        """
        report = self._report
        if report is not None:
            self._warnings = (*self._ir.warnings, *report())
            self._report = None
        return self._warnings

    @property
    def temperatures(self) -> dict[str, float]:
        """The sampling temperatures that a Lark grammar asks for (`name[temperature=0.7]: ...`), by the names of rules.

        Nothing here samples, so they are only told. `Matcher.captures` says which of these rules is being read.
        """
        names = self._ir.names
        return {names[one.rule]: one.temperature for one in self._ir.notes if one.temperature is not None}

    def _warned(self, warnings: Iterable[str]) -> Grammar:
        """The same grammar with other warnings. Both share all that they learn."""
        other = Grammar.__new__(Grammar)
        other._ir, other.tokenizer, other.limits = self._ir, self.tokenizer, self.limits
        other._part, other._engine = self._part, self._engine
        other._warnings, other._report = tuple(warnings), None
        return other

    def matcher(
        self,
        *,
        canonical: bool = False,
        prompt: str | bytes | Iterable[int] | None = None,
        special: Special | None = None,
        max_tokens: int | None = None,
    ) -> Matcher:
        """A new matcher at the start of a text.

        Args:
            canonical: whether only the tokenizer's own tokens may come. Then a token may come only if the tokens so
                far, this token and perhaps further ones are together what the tokenizer makes of some sentence of the
                grammar. So every completed text has exactly one token sequence.
            prompt: the characters or the token ids that stand before the text and are not part of it. What stands
                after the prompt's last special token is cut back to those tokens that are the same whatever sentence of
                the grammar follows. The tokens of the prompt that are left go to the model (`Matcher.prompt_tokens`).
                The first tokens that the matcher takes spell the rest of the prompt's bytes (`Matcher.prompt_rest`),
                and are canonical. Ids that are not what the tokenizer makes of their text are not cut back.
            special: how the name of a special token in the characters of a prompt is read. "allow" makes it that token,
                as in a prompt that a chat template made; "text" makes it ordinary text, which is spelled out. If
                neither is given it is text, and there is a `UserWarning` if the prompt has such a name.
            max_tokens: how many tokens the text may have, ordinary and special ones together. An end-of-text token is
                not counted. A token may then come only if the text can still be completed with those that are left
                after it. So a text is a sentence at the latest when no token is left, and then only an end-of-text
                token may come.

        Raises:
            MatcherError: `max_tokens` is less than the shortest text needs (`min_tokens`), or no tokens spell a text.
            TokenizerError: `canonical` or `prompt` is given and the tokenizer's rules are not known
                (`Tokenizer.canon`), the prompt is neither text nor token ids, a token id is out of range, no UTF-8 text
                begins with the prompt, no sentence of the grammar can follow the prompt, or `special` is a str other
                than "allow" and "text".
            UnsupportedError: `canonical` or `prompt` is given, rules of the grammar have special tokens, and the
                tokenizer normalizes (`Tokenizer.normal_form`). Or `max_tokens` is given with `canonical` or `prompt`,
                or for a grammar that compares items or keys of the text.
            LimitError: `prompt` or `max_tokens` is given, and a bound of the grammar was reached.
        """
        if prompt is not None:
            prompt = read_prompt(self.tokenizer, prompt, special, 2)
        return Matcher(self._engine, canonical, prompt, max_tokens)

    def min_tokens(self) -> FewestTokens:
        """How many tokens the shortest text has: `Matcher.min_tokens` at the start of a text. Raises as that does."""
        return self.matcher().min_tokens()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a compiled file for `load`. The file is bound to the vocabulary of the grammar.

        Raises:
            OSError: the file cannot be written.
        """
        data = self._dump()
        with open(path, "wb") as file:
            file.write(data)

    def emit(self, kind: Kind) -> str:
        """The grammar in another notation.

        Args:
            kind: "lark" or "gbnf", a text that means the same language; "ir", a listing of the rules and lexemes as
                they were compiled; "dot", a graph of the rules for Graphviz; "svg", railroad diagrams of the rules.
                Diagrams and graphs of large grammars have their first rules only, and say so.

        Raises:
            ValueError: there is no such notation.
            UnsupportedError: the notation cannot say the grammar exactly. The message names what it cannot say.
            LimitError: a bound of the grammar was reached.
        """
        from ffgrammar.grammar.show.emit import emit
        from ffgrammar.grammar.show.patterns.lexemes import copied

        # (only the listing has warnings, and some take time to find)
        grammar = replace(self._ir, warnings=self.warnings) if kind == "ir" else self._ir
        return emit(self._engine.paused(lambda: copied(grammar)), kind)

    def samples(self, seed: int = 0, length: int = 80) -> Iterator[bytes]:
        """Random sentences of the grammar, without end. Take as many as you need, for example with `itertools.islice`.

        Rules and lexemes are chosen by chance, and texts look like what a person would write. Sentences may be equal.
        Equal seeds give equal sentences.

        Args:
            seed: where chance begins.
            length: from about this many bytes on a sentence heads for its end.

        Raises:
            MatcherError: no sentence was found. Either each has special tokens, or none ends soon enough.
            LimitError: a bound of the grammar was reached.
        """
        from random import Random

        from ffgrammar.api.sampler import Sampler
        from ffgrammar.grammar.show.patterns.lexemes import copied

        grammar = self._engine.paused(lambda: copied(self._ir))
        return Sampler(grammar, self._engine, self.tokenizer, Random(seed), length).sentences()

    def stats(self) -> dict[str, Any]:
        """Sizes and counts of what the grammar holds now, with the budgets beside them. Its caches grow with use.

        Keys that begin with `partition` or `grammar` are about what the tokenizer keeps for all grammars.
        """
        kept = self.tokenizer.grammars
        return {**self._engine.stats(), **(kept.stats() if kept is not None else {})}

    def held_bytes(self) -> int:
        """How many bytes of memory the grammar takes now. A few small objects are left out."""
        ir = self._ir
        # Productions are held twice: as the front-end built them, and as the engine has them.
        plain = LEXEME_BYTES * len(ir.lexemes) + 8 * len(ir.names) + 2 * ir.productions.nbytes
        # (the leaves of a composition have engines of their own, once captures were asked for)
        engines = [self._engine, *self._engine.leaf_engines.values()]
        return plain + sum([engine.held_bytes() for engine in engines])

    def __copy__(self) -> Grammar:
        return self

    def __deepcopy__(self, memo: object) -> Grammar:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has what `save` writes, and its tokenizer. What the grammar has learned is not in it.

        Raises:
            TokenizerError: the tokenizer cannot be pickled.
        """
        return _unpickled, (self._dump(), self.tokenizer, self.limits)

    def _dump(self) -> bytes:
        ir = replace(self._ir, warnings=self.warnings)
        return self._engine.paused(lambda: dump(ir, self.tokenizer.fingerprint))

    def _repr_html_(self) -> str:
        """The rules as railroad diagrams, for notebooks."""
        from ffgrammar.draw.document import fragment, picture

        return fragment(picture(self.emit("svg"), f"Railroad diagrams of the rules of {self!r}"))

    def _repr_svg_(self) -> str:
        """The same diagrams, for notebooks that become documents, and for consoles that show no pages."""
        return self.emit("svg")

    def __repr__(self) -> str:
        return f"<ffgrammar.Grammar {self.kind} on {self.tokenizer.name}>"


def _unpickled(data: bytes, tokenizer: Tokenizer, limits: Limits) -> Grammar:
    """The grammar of a pickle. Raises CompiledFileError if it is damaged."""
    if not (isinstance(data, bytes) and isinstance(tokenizer, Tokenizer) and isinstance(limits, Limits)):
        raise CompiledFileError("the pickle of a grammar is damaged")
    # (`source_bytes` is for sources from strangers, and a pickle is trusted)
    return Grammar(read_file(data, tokenizer, replace(limits, source_bytes=MAX_PICKLE)), tokenizer, limits)
