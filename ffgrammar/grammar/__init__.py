'''The grammars that the engine runs, and the front-ends that make them.

The files, in reading order:

- ir: `GrammarIR`, what every front-end returns.
- builder: `GrammarBuilder`, with which it is built.
- productions: the productions of a grammar as flat arrays.
- derives, productive: which parts of a grammar derive a text at all.
- nullable: which parts derive the empty text.
- edges: with which lexemes a grammar begins and ends, and which bytes those may begin or go on with.
- grammar_edges: how the sentences of a grammar begin and end, for grammars that become part of another one.
- source_text: the check that a source is not too long.
- names: the names that messages tell: the one that was meant, and those that there are.
- references: whether a schema has references.
- lexemes: grammars of a single expression.
- regex, choice, raw_text: the front-ends that make a grammar of a single expression.
- part_grammar: what a symbol of a grammar derives, as a grammar of its own.
- lexing/: where lexemes may take text from each other, and grammars in which they do not.
- lark/: the front-end for grammars in Lark's notation.
- gbnf/: the front-end for GBNF (llama.cpp) and EBNF (xgrammar).
- json_schema/: the front-end for JSON Schema.
- composition/: grammars made of grammars.
- structural_tag/: the front-end for structural tags, on top of composition/.
- show/: compiled grammars in other notations.
- sample/: random sentences of a grammar.

A front-end is a module or a package with one function

    build(source, store, limits, *, options...) -> GrammarIR

It makes expressions in `store`, and lexemes and productions over them with a `GrammarBuilder`. It raises `GrammarError`
for a source that is wrong (with a line and column, or a pointer), `UnsupportedError` for what it cannot express
exactly, and `LimitError` when a bound of `limits` is reached. Here is a complete front-end. A sentence of its grammar
is one or more entries; an entry is one of the given words and then a number in brackets.

    from ffgrammar.core.errors import GrammarError
    from ffgrammar.core.limits import Limits
    from ffgrammar.grammar.builder import GrammarBuilder
    from ffgrammar.grammar.ir import GrammarIR
    from ffgrammar.grammar.source_text import check_source_text
    from ffgrammar.regex.expr.store import ExprStore

    def build(text: str, store: ExprStore, limits: Limits) -> GrammarIR:
        """The grammar of words and numbers; `text` lists the words."""
        check_source_text(text, "the list of words", limits)
        if not text.split() or "[" in text:
            raise GrammarError("words are needed, and none with a bracket", line=1, column=1)
        builder = GrammarBuilder(store, limits)
        digits = store.repeat(store.byte_set(b"0123456789"), 1, None)
        number = [builder.terminal(store.literal(b"[")), builder.terminal(digits, "number"),
                  builder.terminal(store.literal(b"]"))]
        word = builder.terminal(store.literals([word.encode() for word in text.split()]), "word")
        builder.skip(store.repeat(store.literal(b" "), 1, None), "blank")
        return builder.finish(builder.plus(builder.seq([word, *number])), kind="words")

The lexer takes the longest match and never gives it back. So this example asks for words that do not contain a bracket:
if there were words `a` and `a[1]b`, the lexer would read an entry `a[1]` as the beginning of the longer word. If a
lexeme could take text that belongs to what follows it, a front-end makes the whole text one lexeme (lexemes.py), or
refuses the source.

A front-end also needs a function for users, in api/compile.py. If this example were in words.py, the function would be
`compile_words`, with one line below its docstring: `return _compiled(tokenizer, ("words", text), limits,
partial(words.build, text))`. CONTRIBUTING.md lists all other steps.
'''
