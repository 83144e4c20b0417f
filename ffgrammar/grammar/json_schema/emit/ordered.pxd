"""What Cython compiles ordered.py with."""

from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

cpdef list ordered(Symbols em, members)
cdef tuple _run(Symbols em, list items, list others)
cdef _followed(Symbols em, tuple run, list others, may_be_empty)
