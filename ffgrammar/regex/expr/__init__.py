"""Expressions over bytes. In reading order:

- nodes: hash-consed nodes and the constructors that simplify them.
- members: how unions and intersections are simplified.
- inclusion: whether an expression lies in a loop.
- absorption: members that lie in a loop of another member.
- loops: members of a union that differ only in the bounds of their first loop.
- derivative: derivatives, and the byte classes that they define.
- lengths: lengths in an arithmetic progression.
- crowding: whether an intersection asks for longer texts than it allows.
- witness: whether the structure of an intersection shows that it matches something.
- multiples: nodes for digit strings whose value is a multiple of a number.
- search_texts: the texts by which searches found that something matches.
- emptiness: whether an expression matches anything.
- approximate: simpler expressions, and the length below which texts do not tell two expressions apart.
- sorted_texts: many byte strings in order, without the GIL.
- store: `ExprStore`, the Python class over all of these.
- alphabet: the bytes of an expression's texts, and expressions with fewer bytes.
- shared_numbers: numbers of expressions that mean the same in every store.
- packed: expressions as bytes, to be made again in another store.
- cache: packed expressions of patterns and formats, kept for the grammars to come.
"""
