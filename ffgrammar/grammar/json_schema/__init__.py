"""From a JSON Schema to a grammar. `build` is the entry. No other file of this front-end imports this one.

A schema is read into shapes, its normal form, and shapes are written as symbols of a grammar:

    {"allOf": [{"type": "object"}, {"required": ["a"]}]}     the schema
    types = OBJ, required = ("a",)                           its shape
    "{" members "}"                                          its symbol

The folders; each imports only from folders above it in this list:

- spec: options, the table of keywords, warnings.
- documents: schemas as documents: names, references, positions.
- shape: the normal form of schemas.
- strings, numbers: strings and numbers as expressions.
- normalize: from schemas to shapes: what keywords say, their opposites, and alternatives.
- emit: from shapes to symbols.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.registry import Registry
from ffgrammar.grammar.json_schema.documents.scopes import NameNeeded
from ffgrammar.grammar.json_schema.documents.subschemas import Subschemas
from ffgrammar.grammar.json_schema.documents.text import check_size, read_text
from ffgrammar.grammar.json_schema.emit.common_expressions import expressions
from ffgrammar.grammar.json_schema.emit.emitter import Emitter
from ffgrammar.grammar.json_schema.emit.layout import KeysApart
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused
from ffgrammar.grammar.json_schema.normalize.normalizer import Normalizer
from ffgrammar.grammar.json_schema.spec.options import Options, options_of
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
    """The grammar of the JSON texts whose values obey a schema.

    Args:
        schema: a dict, a boolean, or JSON text.
        store: the store in which the expressions of the lexemes are made.
        limits: bounds on the schema and the grammar; None: those of the store.
        whitespace, formats, property_order, draft, separators, indent, integer_spelling: see `Options`.
        registry: the documents that references may lead to: a `referencing.Registry`, or a mapping from
            URIs to schemas.

    Raises:
        GrammarError: the schema is malformed or no value obeys it (`pointer` says where), or an option or the registry
            has a wrong value.
        UnsupportedError: a keyword cannot be enforced exactly, or a reference or `$schema` names something that is not
            known.
        LimitError: the schema is too large, too deep, or has too many combinations.
    """
    options = options_of(whitespace, formats, property_order, draft, separators, indent, integer_spelling)
    limits = limits or store.limits
    if isinstance(schema, str):
        schema = read_text(schema, limits)
    else:
        check_size(schema, limits)
    try:
        subschemas, emitter, start, warnings = _emit(schema, Registry(registry, limits), store, limits, options)
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end]
        raise GrammarError(f"the schema has a string with {text!r}: a lone surrogate is not a character") from None
    builder = emitter.builder
    if not options.compact and not options.is_laid_out:
        most = None if options.whitespace == "flexible" else int(options.whitespace)
        builder.skip(store.repeat(store.byte_set(b" \t\r\n"), 1, most), "whitespace")
    grammar = builder.finish(
        start,
        kind="json-schema",
        single_skip=isinstance(options.whitespace, int),
        # strings end at their quote, and no character that may follow a number or a literal can continue it
        delimited=True,
        # the lexemes of all schemas are JSON's tokens, and the white space of these options
        family=options.family,
        warnings=[*warnings, *_impossible(subschemas, emitter)],
    )
    if emitter.may_be_impossible:
        _check_that_some_value_obeys(grammar, emitter, subschemas.start)
    subschemas.close()
    return grammar


def _check_that_some_value_obeys(grammar: GrammarIR, emitter: Emitter, start: Conj) -> None:
    found = productive(grammar)
    if not found[grammar.start >> 1]:
        from ffgrammar.grammar.json_schema.emit.emptiness import find_emptiness

        pointer, what = find_emptiness(emitter, start, found)
        raise GrammarError(f"no value obeys this schema{what}", pointer=pointer)


def _impossible(subschemas: Subschemas, emitter: Emitter) -> list[str]:
    """A warning for each subschema that no value obeys, except `false` and the subschemas that the compiler made."""
    if not emitter.impossible:
        return []
    alone = dict.fromkeys([subschemas.list[conj[0]] for conj in emitter.impossible if len(conj) == 1 and conj != NEVER])
    return [f"at {subschema.pointer()}: no value obeys this schema" for subschema in alone if not subschema.modern]


def _emit(
    schema: Any, registry: Registry, store: ExprStore, limits: Limits, options: Options
) -> tuple[Subschemas, Emitter, int, list[str]]:
    """The subschemas, the emitter with all symbols made, the symbol of the whole schema, and the warnings."""
    strings, multiples = expressions(store)
    # Few schemas have dynamic references, objects whose keys are checked because none may be repeated, or clauses that
    # cannot be written. So the first attempt expects none of these. When it meets one, the schema is read again.
    names: frozenset[str] = frozenset()
    keys_apart = False
    defers = True
    while True:
        subschemas = Subschemas(schema, limits, options.draft, registry, names)
        normalizer = Normalizer(subschemas, strings, multiples, limits, options, defers)
        emitter = Emitter(store, limits, normalizer, options, keys_apart)
        try:
            start = emitter.start(subschemas.start)
            _check_promised(emitter, start)
            return subschemas, emitter, start, normalizer.warnings.lines
        except NameNeeded as needed:
            names = needed.names
        except KeysApart:
            keys_apart = True
        except ClausesRefused:
            defers = False
        subschemas.close()


def _check_promised(emitter: Emitter, start: int) -> None:
    """Raise ClausesRefused if objects with clauses rely on a symbol that derives nothing."""
    if emitter.promised and emitter.may_be_impossible:
        # (delimited, as the grammar itself: with checks it must be)
        alive = productive(emitter.builder.finish(start, delimited=True))
        if not all([alive[symbol >> 1] for symbol in emitter.promised if symbol & 1]):
            raise ClausesRefused
