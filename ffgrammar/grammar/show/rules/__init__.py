"""Rules as a reader would write them. In reading order:

- rules: rules with optional parts and repeats in place of helping nonterminals.
- instances: parametric nonterminals as plain ones.
- names, labels: names that a notation accepts; what pictures call rules and lexemes.
"""
