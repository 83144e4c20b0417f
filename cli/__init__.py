"""The `ffgrammar` command line. Installed as the package `ffgrammar_cli`; in a checkout, `python -m cli` runs it.

It uses the public names of `ffgrammar` only. Its files in reading order:

- main: finds the command, and turns every way it can end into an exit code.
- options: the arguments and options that commands share.
- files, sources, registry: from what the command line names to grammars and vocabularies.
- messages: the library's messages in terms of flags.
- show, hints, progress: bytes and tokens as text; advice and progress at a terminal.
- walk, bitmask: a matcher at the end of a prefix, or why it stopped before; its mask.
- stream: NDJSON, a request a line.
- compile, mask, ff_tokens, check, validate, complete, sample, tokenizers, trie, completion: one command each.
- bench: the command that measures, a folder.
- man: the manual page, for `make man`.
"""
