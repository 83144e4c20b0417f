"""Status codes of kernels, which run without the GIL and so cannot raise.

On failure a kernel returns a number below zero. On success it returns OK, or another number that its comment explains. The
class that owns the memory turns failures into exceptions (status.py).
"""

cdef enum Status:
    OK = 0
    NO_MEMORY = -1
    LIMIT_EXPRESSIONS = -2
    LIMIT_EXPRESSION_SIZE = -3
    LIMIT_NESTING = -4
    LIMIT_EMPTINESS = -5
    LIMIT_DFA_STATES = -6
    LIMIT_ROW_ITEMS = -7
    LIMIT_CACHE = -8
