"""While bytes of a prompt are pending, searches begin inside the prompt. So the configuration of a search either is
the grammar's, or stands for the number of pending bytes that have come so far. The functions here hide the difference."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.completability cimport bytes_may_end, step
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE

cdef enum:
    # The row of a configuration inside the pending bytes. The configuration's state is how many of these bytes have come.
    PENDING = 0x7FFFFFFF


cdef struct PendingPrefix:
    const uint8_t* data  # bytes of a prompt that the first tokens must spell; they must live as long as the search
    uint32_t count       # how many bytes; 0 without a prompt
    uint32_t consumed    # how many of them have come


cdef inline Config search_start(const PendingPrefix* pending, const Config* now) noexcept nogil:
    """The configuration where a search begins. `now` is the grammar's configuration after the text."""
    cdef Config config = now[0]
    if pending.consumed < pending.count:
        config.row = PENDING
        config.state = pending.consumed
    return config


cdef inline uint32_t step_work(const Config* config) noexcept nogil:
    """Units of work (pulse.pxd) of a step. On virtual rows values are looked at."""
    return 3 if config.row & VIRTUAL else 1


cdef inline int prefix_step(
    Engine engine, const PendingPrefix* pending, Config* config, uint32_t byte, size_t* dependent_answers,
) noexcept nogil:
    """Move by one byte. Returns 1; 0 if the byte may not come (the configuration stays); or a status. After the last pending
    byte the text begins. If the answer depends on values in the text, `dependent_answers` goes up by 1. Call this with the
    engine's lock held."""
    cdef bint text_dependent = False
    cdef uint32_t target
    cdef int status
    if config.row != PENDING:
        # (most steps end here)
        target = engine.recognizer.dfa.delta.data[config.state + byte]
        if target == DEAD:
            return 0
        if target <= LAST_STATE and not config.row & VIRTUAL and not engine.completability.enabled:
            config.state = target
            return 1
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
    """Whether the bytes may end: 1, 0 or a status. They may if the text is a sentence. They may also if a special token may come,
    because a tokenizer splits a text at special tokens first. While bytes are pending, the answer is 0. `dependent_answers` is
    as in `prefix_step`. Call this with the engine's lock held."""
    cdef bint text_dependent = False
    cdef int status = 0
    if config.row != PENDING:
        status = bytes_may_end(&engine.completability, &engine.recognizer, config, &text_dependent)
        dependent_answers[0] += text_dependent
    return status
