"""The objects that turn subschemas into shapes in one build."""

from __future__ import annotations

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.subschemas import Subschemas
from ffgrammar.grammar.json_schema.normalize.combine import Combiner
from ffgrammar.grammar.json_schema.normalize.context import Context
from ffgrammar.grammar.json_schema.normalize.keyword_values import KeywordValues
from ffgrammar.grammar.json_schema.normalize.negation import Negation
from ffgrammar.grammar.json_schema.normalize.one_of import OneOfs
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.spec.diagnostics import Warnings
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["Normalizer"]


class Normalizer:
    """The objects that turn subschemas into shapes in one build.

    They do not refer to each other in circles, so their memory is freed without the cyclic garbage collector.

    Attributes:
        subschemas, strings, multiples: as given.
        warnings: the warnings of the build.
        negation: the opposites of schemas.
        reader: applies keywords to shapes.
        combiner: the shapes of conjunctions.
    """

    def __init__(
        self,
        subschemas: Subschemas,
        strings: Strings,
        multiples: Multiples,
        limits: Limits,
        options: Options,
        defers: bool,
    ) -> None:
        """defers: whether choices about keys may become clauses (see clauses.py)."""
        self.subschemas = subschemas
        self.strings = strings
        self.multiples = multiples
        self.warnings = Warnings()
        values = KeywordValues(subschemas, strings, options.formats, self.warnings)
        self.negation = Negation(values)
        context = Context(values, self.negation, OneOfs(self.negation, limits))
        self.reader = Reader(context, self.warnings)
        plain_integers = options.integer_spelling == "plain" or subschemas.list[0].draft == 4
        self.combiner = Combiner(self.reader, context, multiples, limits, plain_integers, defers)
