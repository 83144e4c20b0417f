"""Signals in the middle of a long kernel.

A kernel that may run for seconds asks now and then whether a signal handler has raised, and gives up if so. The main thread runs
the handlers of pending signals meanwhile. A kernel must not ask while it holds a lock that a handler could wait for.
"""

cdef extern from "Python.h":
    # (cpython.exc declares that it raises; here the exception stays set until `raise_set`)
    int run_signal_handlers "PyErr_CheckSignals"() noexcept


cdef inline bint handler_raised() noexcept nogil:
    """Run the handlers of pending signals, if this is the main thread. Whether one has raised: its exception is set then, and
    `raise_set` raises it."""
    with gil:
        return run_signal_handlers() < 0


cdef inline int raise_set() except -1:
    """Raise the exception that is set."""
    return -1
