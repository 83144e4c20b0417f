"""Fuzzers, one for each front-end. In reading order:

- seeds: the sources that a fuzzer begins with.
- makers: random values for the keys of schemas and of structural tags.
- mutators: changes of sources that keep most of their structure.
- uncompiled: imports front-ends from their sources, so that a fuzzer sees what they do.
- targets: what is done with a source, and what counts as wrong.
- __main__: runs them.
"""
