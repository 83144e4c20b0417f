"""Joined readings: what one text does to a parameter in several ways at once.

An item of an array may obey several of the schemas that the array must contain. Each of them has a production, `items: "," item
items`, that sets a bit for the schema in the parameter of the `items` at its end. All these productions are complete up to that
`items` in the same row, and lead to the same link. So the row waits for several instances of one family, one for each bit.

If the family is joined (ir.Parametric), the row waits for one instance in their place: that which has the bits of all. Without
this there would have to be a production for each set of schemas.

Instances are only made of what was joined. At the end of a production stands a nonterminal for the *change* that its template makes
to the parameter (`T_CHANGE`), which is never predicted.
"""

from ffgrammar.engine.parser.rows cimport EarleyRows

# In the kernel that is being made, put one item in the place of those that wait for instances of the same joined family with the
# same counters, at the end of their productions and with the same link. Returns a status.
cdef int join_readings(EarleyRows* r) noexcept nogil
