"""A leaf of a composition that reads a text from one place on."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config

cdef class LeafRun:
    cdef Engine engine
    cdef Vec configs          # row and state after each unit that was read
    cdef uint32_t generation  # of all configurations
    # How many units of the text are before the leaf, and how many it has read.
    cdef readonly Py_ssize_t begin
    cdef readonly Py_ssize_t count

    # Write the configuration after what was read. It is read again if the engine's caches were dropped. The engine's lock is held.
    # Returns a status.
    cdef int find(self, list units, Config* config) except? -1

    # Move by a unit. Returns 1; 0 if no sentence goes on with it; or a status.
    cdef int move(self, Config* config, uint32_t unit) noexcept

    # Note a configuration. Returns 0.
    cdef int push(self, Config config) except -1
