"""Checks that take too long for the test suite. Run one with `python tests/long_checks NAME`; --help says more.

Each compares ffgrammar with something slow or foreign along much real data, prints figures on the way, and exits with 1
if anything is wrong. Where only speed is in question, and public names suffice, it is a bench: `ffgrammar bench`
(cli/bench/). Here are the checks that need an oracle or names that are not public:

- masks: every mask along documents, against trying every token.
- canonical: every canonical mask allows the token that comes; their times beside those of plain masks.
- forced: forced tokens are those that come; shares beside those of the published method.
- coverings: prefixes that end inside a word, against the plain method.
- encoder: much text of many kinds (texts), against tiktoken.
- soak: memory does not grow along millions of tokens.

`documents` has what they share.
"""
