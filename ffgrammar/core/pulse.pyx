"""Asking for signals takes the GIL. A thread that does not hold it may have to wait 5 ms for it, so this thread asks less often.

A thread that holds the GIL gives it up by a call of a Python function (turn.py), where the interpreter looks whether another
thread has waited for longer than its switch interval. A mere release would do harm. It restarts the wait of the other thread, and
this one takes the GIL back before the other one wakes. So the other one may wait for seconds.
"""

import os
import threading

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.signals cimport run_signal_handlers
from ffgrammar.core.status cimport INTERRUPTED, LIMIT_SECONDS, OK
from ffgrammar.core.threads cimport atomic_load, atomic_put

from ffgrammar.core.status import raise_status
from ffgrammar.core.turn import turn

cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    ctypedef struct PyObject:
        pass
    PyObject* call_function "PyObject_CallNoArgs"(void*) noexcept
    void drop_reference "Py_DecRef"(PyObject*) noexcept
    void* error_set "PyErr_Occurred"()
    int holds_gil "PyGILState_Check"() nogil
    PyThreadState* thread_state "PyGILState_GetThisThreadState"() nogil
    unsigned long thread_ident "PyThread_get_thread_ident"() nogil

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <time.h>
    static inline uint64_t ffgrammar_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
    """
    uint64_t now "ffgrammar_now"()

cdef enum:
    WAITING = 40 * 1000 * 1000  # ns after which a main thread that does not hold it asks for signals

cdef unsigned long main_thread = 0
# The threads whose calls end at their next beat, and how many these are
cdef set cancelled = set()
cdef uint32_t cancellations = 0
cdef object give_turn = turn


def note_main_thread():
    """Note which thread runs the handlers of signals. No thread is cancelled: after a fork, others have the numbers of those
    that were."""
    global main_thread, cancellations
    main_thread = threading.main_thread().ident
    cancelled.clear()
    atomic_put(&cancellations, 0)


def cancel_thread(thread):
    """End the call of a thread at its next beat, with a KeyboardInterrupt, and each call that it begins, up to
    `uncancel_thread`."""
    global cancellations
    cancelled.add(thread)
    atomic_put(&cancellations, <uint32_t>len(cancelled))


def uncancel_thread(thread):
    """Take back `cancel_thread`, if it was called."""
    global cancellations
    cancelled.discard(thread)
    atomic_put(&cancellations, <uint32_t>len(cancelled))


cdef bint is_cancelled() noexcept with gil:
    return thread_ident() in cancelled


note_main_thread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=note_main_thread)


cdef unsigned long this_thread() noexcept nogil:
    return thread_ident()


cdef uint64_t deadline_after(double seconds) noexcept nogil:
    # (more seconds than the clock can count mean no deadline)
    return now() + <uint64_t>(seconds * 1e9) if seconds < 1e9 else 0


cdef int raise_kernel(int status, Pulse* p, limits) except -1:
    if has_ended(p):
        status = p.ended
        p.ended = OK
    if status == INTERRUPTED:
        if error_set() == NULL:
            # (another error has replaced it)
            raise KeyboardInterrupt
        return -1
    raise_status(status, limits)
    return -1


cdef int run_handlers(Pulse* p) noexcept nogil:
    """Run the handlers of pending signals, and let another thread run that waits for the GIL. Returns OK or INTERRUPTED."""
    cdef PyObject* nothing = NULL
    p.handling = thread_ident()
    with gil:
        if run_signal_handlers() == 0:
            nothing = call_function(<void*>give_turn)
            drop_reference(nothing)
    p.handling = 0
    return OK if nothing != NULL else INTERRUPTED


cdef int end(Pulse* p, int status) noexcept nogil:
    """End the call, unless the status is OK, and make the next work a beat, too. Returns the status."""
    if status != OK:
        p.ended = status
        p.ender = thread_ident()
        p.left = 0
    return status


cdef int beat(Pulse* p) noexcept nogil:
    cdef uint64_t time = now()
    if has_ended(p):
        return p.ended
    p.done += <uint64_t>(WORK - p.left)
    p.left = WORK
    if p.done_most and p.done > p.done_most:
        return end(p, p.done_status)
    if p.deadline and time > p.deadline:
        return end(p, LIMIT_SECONDS)
    if atomic_load(&cancellations) and is_cancelled():
        return end(p, INTERRUPTED)
    if thread_state() != NULL and (
            holds_gil() or (thread_ident() == main_thread and time - p.beaten > <uint64_t>WAITING)):
        p.beaten = time
        return end(p, run_handlers(p))
    return OK
