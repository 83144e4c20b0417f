"""What has been written up to a cursor, as Python objects. It is read from a share of the history, without the engine's lock."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ffgrammar.core.vec cimport Vec, vec_free, vec_init
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport Cursor, cursor_snapshot
from ffgrammar.engine.position.history cimport (
    NO_TOKEN, STEP_FLAGS, History, history_bytes, history_len, history_release, history_special, history_text, history_tokens,
)


cdef bytes text_of(const History* history):
    text = PyBytes_FromStringAndSize(NULL, history_bytes(history))
    history_text(history, <uint8_t*>PyBytes_AS_STRING(text))
    return text


cdef bytes written_bytes(Engine engine, Cursor* cursor):
    cdef History history
    cursor_snapshot(engine, cursor, &history)
    try:
        return text_of(&history)
    finally:
        history_release(&history)


cdef list written_tokens(Engine engine, Cursor* cursor):
    cdef History history
    cdef size_t count, i
    cdef uint32_t* tokens = NULL
    cursor_snapshot(engine, cursor, &history)
    count = history_len(&history)
    try:
        tokens = <uint32_t*>malloc((count or 1) * sizeof(uint32_t))
        if tokens == NULL:
            raise MemoryError
        history_tokens(&history, tokens)
        return [
            None if tokens[i] == <uint32_t>NO_TOKEN else tokens[i] & ~<uint32_t>STEP_FLAGS
            for i in range(count)
        ]
    finally:
        free(tokens)
        history_release(&history)


cdef tuple written_text(Engine engine, Cursor* cursor):
    cdef History history
    cdef Vec pairs
    cdef size_t i
    cursor_snapshot(engine, cursor, &history)
    vec_init(&pairs)
    try:
        text = text_of(&history)
        if engine.tables.rules.token_classes.len and history_special(&history, &pairs) < 0:
            raise MemoryError
        special = [(pairs.data[i + 1], pairs.data[i]) for i in range(0, pairs.len, 2)]
    finally:
        vec_free(&pairs)
        history_release(&history)
    return text, special[::-1]
