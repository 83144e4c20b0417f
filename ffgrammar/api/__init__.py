"""The public functions and classes above the engine.

In reading order:

    compile           the compile functions: a source and a tokenizer in, a `Grammar` out
    grammar           `Grammar`
    library           the grammars that are part of the package, by name
    special_names     a warning about the names of special tokens in ordinary text
    prompt            what a prompt's argument is read as
    load              `load`, for compiled files
    compiled_file     the format of compiled files
    grammar_cache     compiled grammars that are kept with a tokenizer
    source_key        the key of a source in that cache
    heal              token healing of a prompt
    character_prefix  generation along the characters of a prefix
    bitmask           `allocate_bitmask`

Rooms: `types` below these files; `tools` and `dispatch` above them.
"""
