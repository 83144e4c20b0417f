"""The C types of ordered.py. A body is a tuple of symbols."""

from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

# The bodies of the member lists; `members` is a Members (see members.py).
cpdef list ordered(Symbols em, members)
# (the body of one or more properties, whether there may be none); `items` are Items, `others` bodies
cdef tuple _run(Symbols em, list items, list others)
# the symbol of the properties so far, followed by any number of other properties
cdef _followed(Symbols em, tuple run, list others, may_be_empty)
