"""One pool of threads for the whole process. A batch of work is shared out among them. The threads do not touch Python."""

# Run `work(context)` on this thread and, at the same time, on up to `helpers` threads of the pool (64 at most). Returns when
# all of these calls have returned. Every thread calls the same function, so `work` itself has to share out the batch. If the
# pool is busy with another call or is being stopped, or if no thread can be started, `work` runs on this thread alone.
cdef void pool_run(void (*work)(void*) noexcept nogil, void* context, int helpers) noexcept nogil

# Wait until nothing runs on the threads of the pool, and end them. The next pool_run starts new ones.
cdef void pool_stop() noexcept nogil
