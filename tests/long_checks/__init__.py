"""Checks that take too long for the test suite. Run one with `python tests/long_checks NAME`; --help says more.

Each compares ffgrammar with something slow or foreign along much real data, prints figures on the way, and exits with 1
if anything is wrong. What only measures speed, and needs public names only, is in `ffgrammar bench` (cli/bench/). Here
are the checks that need an oracle or names that are not public:

- masks: every mask along documents, against trying every token.
- canonical: whether every canonical mask allows the token that comes; its times beside those of plain masks.
- canonicality: checks of canonicality, of whole texts and of growing ones, against encoding.
- budgets: random texts within budgets, which must end as sentences in time.
- grammars: random grammars, compositions, budgets and captures, against their definitions.
- compositions: masks of compositions beside those of their parts.
- forced: whether forced tokens are those that come; their share beside that of the published method.
- coverings: prefixes that end inside a word, against a published plain method.
- encoder: much text of many kinds (which `texts` makes), against tiktoken.
- tokenizers, rules: the tokenizers of real models and their rules, against their reference packages.
- gbnf: verdicts on sampled and mutated texts, against the definition and xgrammar; and masks against xgrammar's.
- soak: whether memory grows along millions of tokens.
- hostile: hostile sources, variants of them and mutations of both, within the bounds for strangers.
- interruptions: calls that are interrupted at random moments.
- costs: what each hostile source costs, and each variant, in a process of its own.
- latencies: how long others wait beside the worst sources, and how late calls end.
- traffic: requests to a server, by Zipf's law, beside the peers' own compilers.
- python: the grammar of Python against the standard library, and against its mutations.
- library: the library's grammars against standard parsers.
- play: how long the playground takes for a letter.
- faults: faults in real corpora, which jobs must find (`injected` puts them there).
- kills: runs over a corpus that are killed, against one that is not.
- memory: the memory of a run over a large file.

What they share: `documents`, `real_texts`, `row_files`, `result_files`.
"""
