from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.machine cimport Config

cdef enum:
    # a step is a configuration, the length of the text with it, and its token (or one of these)
    STEP_WORDS = 4
    NO_TOKEN = 0xFFFFFFFF      # bytes that came without a token
    EOS_STEP = 0x80000000      # flag: the token ended the sequence
    MAX_TEXT = 0x7FFFFFFF      # bytes; offsets are 32 bits

cdef class Matcher:
    cdef readonly Engine engine
    cdef Config now
    cdef uint32_t generation
    cdef bint terminated
    cdef Vec steps
    cdef uint8_t* text
    cdef size_t text_len
    cdef size_t text_cap

    cdef int enter(self) noexcept nogil
    cdef int reread(self) noexcept nogil
    cdef int keep(self, const uint8_t* text, uint32_t count, uint32_t token) noexcept nogil
    cdef int take_token(self, uint32_t token) noexcept nogil
    cdef int take_bytes(self, const uint8_t* text, size_t count, Config* config) noexcept nogil
