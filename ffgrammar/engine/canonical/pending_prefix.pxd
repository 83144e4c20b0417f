"""Searches begin inside a prompt while some of its bytes are missing. So a configuration is one of the grammar, or a number of
pending bytes that have come; these accessors hide the difference."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.completability cimport step
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting

cdef enum:
    # The row of a configuration inside the pending bytes. Its state is how many of them have come.
    PENDING = 0x7FFFFFFF


cdef struct PendingPrefix:
    const uint8_t* data  # bytes of a prompt that the first tokens must spell; the caller keeps them
    uint32_t count       # 0 where there is no prompt
    uint32_t consumed    # how many of them have come


cdef inline Config search_start(const PendingPrefix* pending, const Config* now) noexcept nogil:
    """The configuration where a search begins. `now` is the text's."""
    cdef Config config = now[0]
    if pending.consumed < pending.count:
        config.row = PENDING
        config.state = pending.consumed
    return config


cdef inline int prefix_step(
    Engine engine, const PendingPrefix* pending, Config* config, uint32_t byte, size_t* dependent_answers,
) noexcept nogil:
    """Move by one byte: 1, 0 where it may not come (the configuration stays), or a status. After the last pending byte the text
    begins. An answer that depends on values in the text is added to the count. Call it with the engine's lock held."""
    cdef bint text_dependent = False
    cdef int status
    if config.row != PENDING:
        status = step(&engine.completability, &engine.recognizer, config, byte, &text_dependent)
        dependent_answers[0] += text_dependent
        return status
    if pending.data[config.state] != byte:
        return 0
    config.state += 1
    if config.state == pending.count:
        config[0] = engine.first
    return 1


cdef inline int prefix_accepting(Engine engine, const Config* config, size_t* dependent_answers) noexcept nogil:
    """Whether the text is a sentence: 1, 0 or a status. It is none while bytes are pending. Counts as prefix_step. Call it with the
    engine's lock held."""
    cdef bint text_dependent = False
    cdef int status = 0
    if config.row != PENDING:
        status = recognizer_accepting(&engine.recognizer, config, &text_dependent)
        dependent_answers[0] += text_dependent
    return status
