"""A pulse: the beats of a long kernel, at which it can be ended and lets other threads run.

Kernels count their work, in units of some 10 to 25 ns, and every few milliseconds there is a *beat*. At a beat

- the main thread runs the handlers of pending signals, so that Ctrl-C is answered in the middle of a call;
- a thread that holds the GIL lets another one run that waits for it;
- the call ends if its time is over (`Limits.seconds`), or if what it makes takes too much work (`Limits.compile_work`,
  `Limits.mask_work`).

A handler may run while a grammar's lock is held. If it uses the same grammar, `Engine.acquire` raises instead of waiting for ever.
"""

from libc.stdint cimport int64_t, uint64_t

from ffgrammar.core.status cimport OK

cdef enum:
    WORK = 1 << 17     # units of work between two beats: some 2 ms

cdef struct Pulse:
    int64_t left       # work until the next beat
    uint64_t done      # work of all calls, as of the last beat
    uint64_t done_most  # a call ends when more is done; 0 if there is no bound
    int done_status    # the status with which it ends then
    uint64_t beaten    # when signals were last asked for (ns of the monotonic clock)
    uint64_t deadline  # when the call's time is over; 0 if it has no end
    int ended          # the status with which a call ends, or OK; it stays until raise_kernel, even if a kernel misses it
    unsigned long ender  # the thread whose call ends: others may begin calls before it has raised
    unsigned long handling  # the thread that runs handlers just now, or 0

# The deadline of a call that begins now and may take `seconds`.
cdef uint64_t deadline_after(double seconds) noexcept nogil

# A beat. Returns OK, INTERRUPTED (the exception is set), LIMIT_SECONDS or `done_status`.
cdef int beat(Pulse* p) noexcept nogil

# Raise what a call that ends with this status stands for. The pulse forgets that the call has ended.
cdef int raise_kernel(int status, Pulse* p, limits) except -1

# The number of the thread that calls, as `Pulse.handling` has it.
cdef unsigned long this_thread() noexcept nogil


cdef inline bint has_ended(const Pulse* p) noexcept nogil:
    """Whether a call of this thread ends."""
    return p.ended != OK and p.ender == this_thread()


cdef inline void pulse_begin(Pulse* p, double seconds) noexcept nogil:
    """Begin a call that may take some seconds; 0 means that it may take any time. The work that is left until the next beat
    stays."""
    if has_ended(p):
        p.ended = OK
    p.deadline = deadline_after(seconds) if seconds > 0 else 0


cdef inline void allow_work(Pulse* p, uint64_t most, int status) noexcept nogil:
    """From now on allow some work; 0 means any. More work ends a call with this status."""
    p.done_most = p.done + most if most else 0
    p.done_status = status


cdef inline uint64_t work_done(const Pulse* p) noexcept nogil:
    """The work of all calls so far."""
    return p.done + <uint64_t>(WORK - p.left)


cdef inline int pulse(Pulse* p, int64_t work) noexcept nogil:
    """Count some work. Returns as `beat`."""
    p.left -= work
    return OK if p.left > 0 else beat(p)
