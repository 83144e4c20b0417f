"""From the text of a regular expression to a syntax tree. In reading order:

- charset: sets of code points, Unicode properties, case folding.
- escapes: what a backslash means; the lowest layer of the parser.
- classes: bracketed character classes, on top of escapes.
- parser: the rest of the syntax, on top of classes; the two dialects, and the nodes of a tree.
"""
