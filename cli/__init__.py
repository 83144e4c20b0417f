"""The `ffgrammar` command line. Installed as the package `ffgrammar_cli`; in a checkout, `python -m cli` runs it.

It uses the public names of `ffgrammar` only. Its files in reading order:

- main: finds the command, and turns every way it can end into an exit code.
- options: the arguments and options that commands share.
- files, sources, registry: from what the command line names to grammars and vocabularies.
- messages: the library's messages, with flags in place of keyword arguments.
- show, hints, progress: bytes and tokens as text; advice and progress at a terminal.
- walk: moves a matcher along a prefix or a text, and says where and why it is rejected.
- key_order: whether a text is rejected only for the order of its keys.
- bitmask: the mask of a matcher.
- stream: NDJSON, one request on each line.
- models: the language models that the command line names.
- html_report: pages, for --html.
- compile, mask, explain, ff_tokens, check, validate, complete, sample, generate, select, score, corpus, play, grammars,
  tokenizers, trie, completion: one command each.
- bench: the command that measures; a folder.
- man: the manual page, for `make man`.
"""
