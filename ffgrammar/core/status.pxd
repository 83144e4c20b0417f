"""Status codes of nogil kernels. Zero or more is success; the class that owns the memory turns the rest into exceptions."""

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
