"""What is known before a schema is read. This folder imports nothing from the rest of the front-end.

In reading order:

- options: what a caller may choose; the drafts.
- keywords: the table of all keywords, and how to add one.
- internal_keywords: the keywords that only the compiler itself writes.
- located: the protocol of objects that have a position in a schema.
- diagnostics: warnings.
"""
