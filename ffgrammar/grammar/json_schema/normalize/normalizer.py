"""What turns subschemas into shapes, put together for one build."""

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
    """The collaborators of one build. None refers back to another, so all memory is freed without the cyclic collector.

    Attributes:
        subschemas, strings, multiples, warnings: as given.
        negation: the opposites of schemas.
        reader: applies keywords to shapes.
        combiner: the shapes of conjunctions.
    """

    def __init__(
        self, subschemas: Subschemas, strings: Strings, multiples: Multiples, limits: Limits, options: Options
    ) -> None:
        self.subschemas = subschemas
        self.strings = strings
        self.multiples = multiples
        self.warnings = Warnings()
        values = KeywordValues(subschemas, strings, options.formats, self.warnings)
        self.negation = Negation(values)
        context = Context(values, self.negation, OneOfs(self.negation, limits))
        self.reader = Reader(context, self.warnings)
        plain_integers = options.integer_spelling == "plain" or subschemas.list[0].draft == 4
        self.combiner = Combiner(self.reader, context, multiples, limits, plain_integers)
