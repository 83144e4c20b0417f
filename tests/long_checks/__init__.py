"""Checks that take too long for the test suite. Run one with `python tests/long_checks NAME`; --help says more.

Each compares ffgrammar with something slow or foreign along much real data, prints figures on the way, and exits with 1
if anything is wrong. What only measures speed, and needs public names only, is in `ffgrammar bench` (cli/bench/). Here
are the checks that need an oracle or names that are not public:

- masks: every mask along documents, against trying every token.
- canonical: whether every canonical mask allows the token that comes; its times beside those of plain masks.
- forced: whether forced tokens are those that come; their share beside that of the published method.
- coverings: prefixes that end inside a word, against a published plain method.
- encoder: much text of many kinds (which `texts` makes), against tiktoken.
- tokenizers: the tokenizers of real models, against their reference packages.
- gbnf: verdicts on sampled and mutated texts, against the definition and xgrammar; and masks against xgrammar's.
- soak: whether memory grows along millions of tokens.
- costs: what each hostile source costs, and each variant, in a process of its own.
- latencies: how long others wait beside the worst sources, and how late calls end.
- traffic: requests to a server, by Zipf's law, beside the peers' own compilers.
- python: the grammar of Python against the standard library, and against its mutations.

`documents` has what they share.
"""
