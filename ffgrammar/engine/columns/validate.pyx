"""Whether the texts of a column are sentences of a grammar, and where they leave it.

    verdicts, places, errors = validate_column(engine, offsets, data, skipped)

The answers are those of `Matcher.accept_bytes` for the whole text, and of `Matcher.is_accepting` after it.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport config_read
from ffgrammar.engine.position.history cimport MAX_TEXT
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting

import numpy

from ffgrammar.core.errors import LimitError
from ffgrammar.tokens.columns.check import check_offsets

cpdef enum:
    # Verdicts. A row that is skipped, because it is null, has the verdict NONE.
    ACCEPTED = 0
    REJECTED = 1     # the byte at the place may not come
    ENDS_EARLY = 2   # the text is right so far, but no sentence ends at the place
    NONE = 3
    FAILED = 4       # a bound of the grammar was reached, or the text is too long


def validate_column(Engine engine not None, offsets not None, data not None, skipped not None) -> tuple:
    """The verdicts of the rows, and the places where they leave the grammar.

    Args:
        engine: the grammar's engine.
        offsets: int64 array; row i is data[offsets[i]:offsets[i + 1]].
        data: uint8 array.
        skipped: uint8 array: the rows that are not looked at.

    Returns:
        (verdicts, places, errors): a uint8 array; an int64 array with the offset in bytes of the place, -1 in rows that are
        accepted or not looked at; and a dict from the numbers of rows that failed to messages.

    Raises:
        ValueError: an offset is out of range, or below the one before it.
        MemoryError: there is no memory.
    """
    cdef const int64_t[::1] starts = offsets
    cdef const uint8_t[::1] texts = data
    cdef const uint8_t[::1] skips = skipped
    cdef const uint8_t* first = &texts[0] if texts.shape[0] else NULL
    cdef Py_ssize_t i
    cdef Py_ssize_t count = len(skipped)
    cdef int64_t place = -1
    cdef int verdict = ACCEPTED
    check_offsets(offsets, count, len(data))
    verdicts = numpy.empty(count, dtype=numpy.uint8)
    places = numpy.empty(count, dtype=numpy.int64)
    cdef uint8_t[::1] out = verdicts
    cdef int64_t[::1] where = places
    errors = {}
    i = 0
    while i < count:
        with nogil:
            while i < count:
                place = -1
                verdict = NONE if skips[i] else judge(engine, first + starts[i], starts[i + 1] - starts[i], &place)
                if verdict < 0 or verdict == FAILED:
                    break
                out[i] = <uint8_t>verdict
                where[i] = place
                i += 1
        if i < count:
            errors[i] = "a text is at most 2 GiB" if verdict == FAILED else message(engine, verdict)
            out[i] = FAILED
            where[i] = -1
            i += 1
    return verdicts, places, errors


cdef int judge(Engine engine, const uint8_t* text, int64_t size, int64_t* place) noexcept nogil:
    """The verdict of a text (FAILED only if it is too long), or a status. Takes the engine's lock."""
    cdef Config config
    cdef int status
    if size > <int64_t>MAX_TEXT:
        return FAILED
    status = engine.acquire_nogil()
    if status < 0:
        return status
    status = engine.trim(False)
    if status >= 0:
        config = engine.first
        status = config_read(engine, text, <uint32_t>size, &config)
        place[0] = status
        if status == size:
            status = recognizer_accepting(&engine.recognizer, &config, NULL)
            if status >= 0:
                status = ACCEPTED if status else ENDS_EARLY
        elif status >= 0:
            status = REJECTED
    engine.release()
    if status == ACCEPTED:
        place[0] = -1
    return status


def message(Engine engine not None, int status) -> str:
    """What a negative status says. Raises what is no matter of a single row: MemoryError, and what a signal handler has raised."""
    try:
        engine.checked(status)
    except LimitError as error:
        return str(error)
