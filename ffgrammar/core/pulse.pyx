"""Asking for signals takes the GIL. A thread that does not hold it may have to wait 5 ms for it, so this thread asks less often."""

import os
import threading

from libc.stdint cimport uint64_t

from ffgrammar.core.signals cimport run_signal_handlers
from ffgrammar.core.status cimport INTERRUPTED, LIMIT_MASK_WORK, LIMIT_SECONDS, OK

from ffgrammar.core.status import raise_status

cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    void* error_set "PyErr_Occurred"()
    int holds_gil "PyGILState_Check"() nogil
    PyThreadState* thread_state "PyGILState_GetThisThreadState"() nogil
    unsigned long thread_ident "PyThread_get_thread_ident"() nogil
    PyThreadState* let_gil_go "PyEval_SaveThread"() nogil
    void take_gil "PyEval_RestoreThread"(PyThreadState*) nogil

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
    WORK = 1 << 17             # units of work between two beats: some 2 ms
    HOLDING = 3 * 1000 * 1000  # ns after which a thread that holds the GIL gives it up
    WAITING = 40 * 1000 * 1000  # ns after which a main thread that does not hold it asks for signals

cdef unsigned long main_thread = 0


def note_main_thread():
    """Note which thread runs the handlers of signals."""
    global main_thread
    main_thread = threading.main_thread().ident


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
    """Returns OK or INTERRUPTED. The caller holds the GIL."""
    cdef int status
    p.handling = thread_ident()
    with gil:
        status = run_signal_handlers()
    p.handling = 0
    return INTERRUPTED if status < 0 else OK


cdef int end(Pulse* p, int status) noexcept nogil:
    """End the call, unless the status is OK, and make the next work a beat, too. Returns the status."""
    if status != OK:
        p.ended = status
        p.ender = thread_ident()
        p.left = 0
    return status


cdef int beat(Pulse* p) noexcept nogil:
    cdef uint64_t time = now()
    cdef bint holding
    if has_ended(p):
        return p.ended
    p.done += <uint64_t>(WORK - p.left)
    p.left = WORK
    if p.done_most and p.done > p.done_most:
        return end(p, LIMIT_MASK_WORK)
    if p.deadline and time > p.deadline:
        return end(p, LIMIT_SECONDS)
    if time - p.beaten > <uint64_t>HOLDING and thread_state() != NULL:
        holding = holds_gil()
        if holding or (thread_ident() == main_thread and time - p.beaten > <uint64_t>WAITING):
            if holding:
                take_gil(let_gil_go())
            p.beaten = now()
            return end(p, run_handlers(p))
    return OK
