"""A pool of threads, one for the process, that a batch of work is shared out to. They know nothing of Python."""

# Run `work(context)` on this thread and, at the same time, on up to `helpers` others. Returns when all have returned. Each of
# them runs the same function, so `work` itself has to hand out the parts. Where the threads are busy with another call, or none
# can be started, it runs on this thread alone.
cdef void pool_run(void (*work)(void*) noexcept nogil, void* context, int helpers) noexcept nogil

# Wait until nothing runs on the threads, and end them. The next pool_run starts new ones.
cdef void pool_stop() noexcept nogil
