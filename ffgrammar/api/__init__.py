"""The public functions and classes above the engine.

In reading order:

    compile           the compile functions: a source and a tokenizer in, a `Grammar` out
    writable          takes what a vocabulary cannot write out of a grammar
    grammar           `Grammar`
    parts             the parts of a composition
    library           the grammars that are part of the package, by name
    compiler          `Compiler`: compiling for many callers
    special_names     a warning about the names of special tokens in ordinary text
    late_warnings     warnings that take time to find
    prompt            what a prompt's argument is read as
    load              `load`, for compiled files
    compiled_file     the format of compiled files
    compiled_body     what they say of a grammar
    grammar_cache     compiled grammars that are kept with a tokenizer
    source_key        the key of a source in that cache
    heal              token healing of a prompt
    character_prefix  generation along the characters of a prefix
    bitmask           `allocate_bitmask`
    steering          a way to the end of a sentence, byte by byte
    sampler           random sentences: `Grammar.samples`

The rooms:

    types/            JSON Schemas of Python types, below these files
    tools/            `compile_tools` and `compile_response_format`, above these files
    dispatch/         `compile`, above all others
"""
