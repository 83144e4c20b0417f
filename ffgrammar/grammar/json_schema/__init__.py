"""JSON Schema -> grammar.

In reading order: options (what can be chosen), warnings, text (JSON), dialects (drafts and vocabularies), registry
(schemas from outside), resources (what has a name), scopes (dynamic ones), places (subschemas and references), shape
(the normal form), keywords (schema -> shape) with scalar_keywords, array_keywords, object_keywords and applicators,
literals (enum, const), unevaluated, negate (opposites), combine (alternatives), strings, lengths, formats, idn,
regex_format, numbers, digits, multiples (expressions), layout, arrays, containing, unique, objects, ordered, unordered,
emit (shape -> symbols).
"""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.json_schema.documents.registry import Registry
from ffgrammar.grammar.json_schema.documents.scopes import NameNeeded
from ffgrammar.grammar.json_schema.documents.subschemas import Subschemas
from ffgrammar.grammar.json_schema.documents.text import read_text
from ffgrammar.grammar.json_schema.emit.emitter import Emitter
from ffgrammar.grammar.json_schema.emit.layout import KeysApart
from ffgrammar.grammar.json_schema.normalize.combine import Combiner
from ffgrammar.grammar.json_schema.normalize.common import expressions
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.normalize.shape import NEVER
from ffgrammar.grammar.json_schema.spec.diagnostics import Warnings
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.grammar.productive import productive
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["build"]


def build(
    schema: dict[str, Any] | bool | str,
    store: ExprStore,
    limits: Limits | None = None,
    *,
    whitespace: str | int = "flexible",
    formats: str = "enforce",
    property_order: str = "schema",
    draft: int | None = None,
    registry: Any = None,
    separators: tuple[str, str] | None = None,
    indent: int | None = None,
    integer_spelling: str = "plain",
) -> GrammarIR:
    """The grammar of the JSON texts whose value obeys a schema.

    Args:
        schema: a dict, a boolean, or JSON text.
        store: where the expressions of the lexemes are made.
        limits: bounds on the schema and the grammar; None: those of the store.
        whitespace, formats, property_order, draft, separators, indent, integer_spelling: see `Options`.
        registry: the schemas that references to other documents lead to: a `referencing.Registry`, or a mapping from
            URIs to schemas.

    Raises:
        GrammarError: the schema is malformed, or no value obeys it; `pointer` says where.
        UnsupportedError: a keyword cannot be enforced exactly.
        LimitError: the schema is too large, too deep, or has too many combinations.
    """
    options = Options(whitespace, formats, property_order, draft, separators, indent, integer_spelling)
    limits = limits or store.limits
    if isinstance(schema, str):
        schema = read_text(schema, limits)
    try:
        subschemas, emitter, start, warnings = _emit(schema, Registry(registry, limits), store, limits, options)
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end]
        raise GrammarError(f"the schema has a string with {text!r}: a lone surrogate is no character") from None
    emitter.combiner.close()
    builder = emitter.builder
    if not options.compact and not options.is_laid_out:
        most = None if options.whitespace == "flexible" else int(options.whitespace)
        builder.skip(store.repeat(store.byte_set(b" \t\r\n"), 1, most), "whitespace")
    grammar = builder.finish(
        start,
        kind="json-schema",
        single_skip=isinstance(options.whitespace, int),
        # strings end at their quote, and what may follow a number or a literal cannot continue it
        delimited=True,
        warnings=[*warnings, *_impossible(subschemas, emitter)],
    )
    if emitter.may_be_impossible and not productive(grammar)[grammar.start >> 1]:
        culprit = emitter.impossible[0] if emitter.impossible else subschemas.start
        pointer = subschemas.list[culprit[0]].pointer() if culprit else ""
        raise GrammarError("no value obeys this schema", pointer=pointer)
    subschemas.close()
    return grammar


def _impossible(subschemas: Subschemas, emitter: Emitter) -> list[str]:
    """Warnings of the subschemas that no value obeys, though they do not say so by `false`."""
    alone = dict.fromkeys([subschemas.list[conj[0]] for conj in emitter.impossible if len(conj) == 1 and conj != NEVER])
    return [f"at {subschema.pointer()}: no value obeys this schema" for subschema in alone if not subschema.modern]


def _emit(
    schema: Any, registry: Registry, store: ExprStore, limits: Limits, options: Options
) -> tuple[Subschemas, Emitter, int, list[str]]:
    """The places of the schema, the emitter with all symbols made, the symbol of the whole, and the warnings."""
    strings, multiples = expressions(store)
    # Few schemas have dynamic references, or keys that are checked, so none are expected; when one is met, everything
    # is read anew.
    names: frozenset[str] = frozenset()
    keys_apart = False
    while True:
        warnings = Warnings()
        subschemas = Subschemas(schema, limits, options.draft, registry, names)
        reader = Reader(subschemas, strings, options.formats, warnings)
        plain_integers = options.integer_spelling == "plain" or subschemas.list[0].draft == 4
        combiner = Combiner(reader, multiples, limits, plain_integers)
        emitter = Emitter(store, limits, strings, multiples, combiner, options, keys_apart)
        try:
            return subschemas, emitter, emitter.start(subschemas.start), warnings.lines
        except NameNeeded as needed:
            names = needed.names
        except KeysApart:
            keys_apart = True
        combiner.close()
        subschemas.close()
