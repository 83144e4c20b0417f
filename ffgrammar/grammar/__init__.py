'''The grammars that the engine runs, and the front-ends that make them.

The files, in reading order:

- ir: `GrammarIR`, what every front-end returns, and `GrammarBuilder`, with which it is built.
- productions: the productions of a grammar as flat arrays.
- derives, productive: which parts of a grammar derive a text at all.
- source_text: what every front-end checks of its source.
- lexemes: grammars of a single expression.
- regex, choice: the front-ends that are such grammars.
- lark/: the front-end for grammars in Lark's notation.
- json_schema/: the front-end for JSON Schema.

A front-end is a module or a package with one function

    build(source, store, limits, *, options...) -> GrammarIR

It makes expressions in `store`, and lexemes and productions over them with a `GrammarBuilder`. It raises `GrammarError`
for a source that is wrong (with a line and column, or a pointer), `UnsupportedError` for what it cannot express
exactly, and `LimitError` when a bound of `limits` is reached. Here is a complete one: a text of its language is one of
the given words, then a number in brackets, any number of times.

    from ffgrammar.core.errors import GrammarError
    from ffgrammar.core.limits import Limits
    from ffgrammar.grammar.ir import GrammarBuilder, GrammarIR
    from ffgrammar.grammar.source_text import check_source_text
    from ffgrammar.regex.expr.store import ExprStore

    def build(text: str, store: ExprStore, limits: Limits) -> GrammarIR:
        """The grammar of words and numbers; `text` lists the words."""
        check_source_text(text, "the list of words", limits)
        if not text.split():
            raise GrammarError("there are no words", line=1, column=1)
        builder = GrammarBuilder(store, limits)
        digits = store.repeat(store.byte_set(b"0123456789"), 1, None)
        number = [builder.terminal(store.literal(b"[")), builder.terminal(digits, "number"),
                  builder.terminal(store.literal(b"]"))]
        word = builder.terminal(store.literals([word.encode() for word in text.split()]), "word")
        builder.skip(store.repeat(store.literal(b" "), 1, None), "blank")
        return builder.finish(builder.plus(builder.seq([word, *number])), kind="words")

To offer it to users takes three more steps:

1. In api/compile.py a function `compile_words`, which is `return _compiled(tokenizer, ("words", text), limits,
   partial(words.build, text))` below its docstring; and its name in ffgrammar/__init__.py.
2. In cli/ its kind: the name and extension in sources.py and the name in options.py.
3. In tests/cases/ a file of grammars with accepted and rejected texts, and a test that replays it (test_lark.py).
'''
