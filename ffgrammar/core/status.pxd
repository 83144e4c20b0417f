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
    LIMIT_SECONDS = -9
    INTERRUPTED = -10  # the handler of a signal has raised; its exception is set
    REENTERED = -11    # the handler of a signal uses the grammar in whose call it runs, or any in the middle of a fork
    LIMIT_MASK_WORK = -12
    WIDE = -13         # a walk goes on in too many ways, and is given up (`Dfa.room`, `Nodes.work_end`); never reaches a user
    LIMIT_COMPILE_WORK = -14


cdef inline bint ends_call(int status) noexcept nogil:
    """Whether a status must reach the caller even where a failed attempt means only that something is not known."""
    return status == NO_MEMORY or status <= LIMIT_SECONDS
