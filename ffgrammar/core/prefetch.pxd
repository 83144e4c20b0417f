"""A hint that memory is read soon. Where many tables are read in no order, the processor waits for memory most of the time.
Hints given some turns ahead let these waits overlap."""

cdef extern from *:
    # Ask the processor to bring the memory at an address into its caches. The address may be any.
    void prefetch "__builtin_prefetch"(const void* address) noexcept nogil
