"""The same tasks with other packages. Each module is what a user writes, so it has no more than the package asks for.

    generate   writes a text under a schema; its lines count
    write      writes a program of texts, holes and selections; its lines count, too
    compiler   a function that compiles a schema, for one tokenizer
    processor  the logits processor of compiled schemas, one for each row of a batch

A package that has no such thing has no such function.
"""
