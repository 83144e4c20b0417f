"""How many tokens of each text were forced: a generation under the grammar would have needed no call of the model for them.

    verdicts, places, counts, forced = forced_column(engine, rules, offsets, ids, skipped)

A token is forced if `Matcher.forced_tokens`, asked after the tokens before it, gives it as its first token.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from ffgrammar.engine.canonical.caches cimport caches_of
from ffgrammar.engine.canonical.forced cimport count_tokens
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport config_read
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, CanonicalRules, CanonicalState

import numpy

from ffgrammar.engine.columns.validate import ACCEPTED, ENDS_EARLY, FAILED, NONE, REJECTED, message
from ffgrammar.tokens.columns.check import check_offsets


def forced_column(Engine engine not None, CanonicalRules rules not None, offsets not None, ids not None, skipped not None):
    """How many tokens of each row were forced, up to the end of the row or to the place where it leaves the grammar.

    Args:
        engine: the grammar's engine.
        rules: the rules of its tokenizer.
        offsets: int64 array; row i is ids[offsets[i]:offsets[i + 1]].
        ids: int32 array. Each row is what the tokenizer makes of some text.
        skipped: uint8 array: the rows that are not looked at.

    Returns:
        (verdicts, places, forced, errors): the first two and the last as of `validate_column`, with places in bytes; and an
        int64 array: how many tokens were forced.

    Raises:
        ValueError: an offset is out of range, or below the one before it.
        MemoryError: there is no memory.
    """
    cdef const int64_t[::1] starts = offsets
    cdef const int32_t[::1] tokens = ids
    cdef const uint8_t[::1] skips = skipped
    cdef const int32_t* first = &tokens[0] if tokens.shape[0] else NULL
    cdef Lookahead lookahead = caches_of(engine, rules).lookahead
    cdef Py_ssize_t i
    cdef Py_ssize_t count = len(skipped)
    cdef int64_t place, saved
    cdef int verdict = 0
    check_offsets(offsets, count, len(ids))
    verdicts = numpy.full(count, NONE, dtype=numpy.uint8)
    places = numpy.full(count, -1, dtype=numpy.int64)
    forced = numpy.zeros(count, dtype=numpy.int64)
    cdef uint8_t[::1] out = verdicts
    cdef int64_t[::1] where = places
    cdef int64_t[::1] many = forced
    cdef uint8_t[3] names = [ACCEPTED, REJECTED, ENDS_EARLY]
    cdef uint8_t failed = FAILED
    errors = {}
    for i in range(count):
        if skips[i]:
            continue
        place = -1
        saved = 0
        with nogil:
            verdict = walk(engine, lookahead, first + starts[i], starts[i + 1] - starts[i], &place, &saved)
        if verdict < 0:
            errors[i] = message(engine, verdict)
        out[i] = names[verdict] if verdict >= 0 else failed
        where[i] = place if verdict >= 0 else -1
        many[i] = saved
    return verdicts, places, forced, errors


cdef int walk(
    Engine engine, Lookahead lookahead, const int32_t* ids, int64_t size, int64_t* place, int64_t* saved
) noexcept nogil:
    """Count the forced tokens of a row. Returns 0 if the row is a sentence; 1 if it leaves the grammar at `place`; 2 if it ends
    too early; or a status. Takes the engine's lock."""
    cdef Config config
    cdef CanonicalState at
    cdef int64_t i, read = 0
    cdef uint32_t token, start, count
    cdef int taken
    cdef int status = engine.acquire_nogil()
    if status < 0:
        return status
    status = engine.trim(False)
    if status >= 0:
        status = lookahead.enter(engine, PendingPrefix(NULL, 0, 0))
    config = engine.first
    lookahead.rules.begin(&at)
    for i in range(size):
        if status < 0:
            break
        token = <uint32_t>ids[i]
        status = is_forced(engine, lookahead, &config, &at, token)
        if status < 0:
            break
        saved[0] += status
        start = engine.trie.offsets[token]
        count = engine.trie.offsets[token + 1] - start
        taken = config_read(engine, engine.trie.blob + start, count, &config)
        if taken < 0:
            status = taken
            break
        read += taken
        if <uint32_t>taken < count:
            engine.release()
            place[0] = read
            return 1
        status = lookahead.rules.push_any(&at, token)
    if status >= 0:
        status = recognizer_accepting(&engine.recognizer, &config, NULL)
    engine.release()
    if status < 0:
        return status
    place[0] = -1 if status else read
    return 0 if status else 2


cdef int is_forced(
    Engine engine, Lookahead lookahead, const Config* config, const CanonicalState* at, uint32_t token
) noexcept nogil:
    """Whether a token is the only one that may come: 1, 0 or a status."""
    cdef CanonicalState other
    cdef uint32_t only = 0
    cdef int status
    if lookahead.rules.is_whole(at):
        status = lookahead.accepting(engine, config)
        if status != 0:
            return status if status < 0 else 0
    status = count_tokens(engine, lookahead, config, at, &only)
    if status == 0 and at.last < <uint32_t>UNCONSTRAINED:
        other = at[0]
        other.last = UNCONSTRAINED
        status = count_tokens(engine, lookahead, config, &other, &only)
    return status if status < 0 else status == 1 and only == token
