"""The `ffgrammar` command line. Installed as the package `ffgrammar_cli`; in a checkout, `python -m cli` runs it.

It uses the public names of `ffgrammar` only. Code map in reading order: main (the commands, exit codes), options
(what commands share on the command line), sources (grammars and vocabularies from files), show (bytes and tokens as
text), walk (a prefix into a matcher, and why it stopped), stream (NDJSON), then one file a command (of bench a folder).
"""
