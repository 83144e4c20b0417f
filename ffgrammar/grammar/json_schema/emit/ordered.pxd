"""The C types of ordered.py. A body is a tuple of symbols."""

from ffgrammar.grammar.json_schema.emit.members cimport Members
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

# Returns the bodies of the lists of properties, without braces. Raises LimitError.
cpdef list ordered(Symbols em, Members members)
# Takes Items (see members.py), and the bodies of other properties. Returns (a body for the lists of at least one property,
# whether the empty list is allowed, too).
cdef tuple _run(Symbols em, list items, list others)
# Takes the body of the properties so far, the bodies of other properties, and whether there may be no properties so far.
# Returns the symbol of the properties so far, followed by any number of other properties.
cdef _followed(Symbols em, tuple run, list others, may_be_empty)
