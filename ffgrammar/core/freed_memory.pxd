"""Free memory goes back to the system.

By itself the allocator would keep most of what large objects leave, because it lies between blocks that are still in use: the
process of a server that compiles and drops small grammars all day would go on growing.
"""

# Note that this many bytes were freed. After a few megabytes free memory is returned to the system, which takes a few
# milliseconds. The caller holds the GIL.
cdef void memory_freed(size_t count) noexcept
