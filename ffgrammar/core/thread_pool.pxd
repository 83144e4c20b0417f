"""The process's threads for work that is shared out. They know nothing of Python."""

# Do `work(context)` here, and at the same time on up to `helpers` other threads; returns when all are done. So `work` has to
# hand out its parts itself. Where the threads are busy with another such call, or cannot be had, it is done here alone.
cdef void pool_run(void (*work)(void*) noexcept nogil, void* context, int helpers) noexcept nogil

# End the threads, once nothing runs on them; the next pool_run makes new ones.
cdef void pool_stop() noexcept nogil
