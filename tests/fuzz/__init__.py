"""Fuzzers, one for each front-end. In reading order:

- seeds: the sources that a fuzzer begins with.
- targets: what is done with a source, and what counts as wrong.
- __main__: runs them.
"""
