"""Numbers as expressions: bounds and `multipleOf`, exact at any size.

In reading order:

- decimals: exact arithmetic with the numbers of a schema.
- ranges: the numbers between two bounds.
- digits: the multiples between two bounds, without exponents.
- divisors: divisors, and which numbers are their multiples.
- multiples: `multipleOf` and its opposite, with exponents.
"""
