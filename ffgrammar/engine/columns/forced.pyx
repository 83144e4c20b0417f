"""How many tokens of each text were forced: a generation under the grammar would have needed no call of the model for them.

    verdicts, places, counts, forced = forced_column(engine, rules, offsets, ids, skipped)

A token is forced if `Matcher.forced_tokens`, asked after the tokens before it, gives it as its first token.

Whether a token is forced depends on the configuration and on the rules' state before it. Documents under one grammar come to the
same places again and again, so answers are kept in a small table, in which new ones overwrite old ones. (For 20,000 documents under
a small schema the table saves 85% of the time, and 97% if half of the tokens are forced.)

Inside a free text, such as a long string, nearly every place is new. There a search for a second token tries many that the
tokenizer would not write after the last one. So tokens that came in the same configuration before are tried first. (This takes
texts of programs in JSON strings from at most 1.9 MB a second to at least 5.)
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from ffgrammar.engine.canonical.caches cimport caches_of
from ffgrammar.engine.canonical.forced cimport count_tokens
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport config_read
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, CanonicalRules, CanonicalState
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES
from ffgrammar.tokens.vocabulary.token_index cimport mix

import numpy

from ffgrammar.engine.columns.validate import ACCEPTED, ENDS_EARLY, FAILED, NONE, REJECTED, message
from ffgrammar.tokens.columns.check import check_offsets

cdef enum:
    KEPT = 4096       # entries of the table; a power of two
    PLACES = 256      # configurations for which tokens that came there are kept; a power of two
    CAME = 8          # how many tokens are kept for each
    NOTHING = 0xFFFFFFFF  # in `only`: no token is the only one


cdef struct Known:
    Config config
    CanonicalState at
    uint32_t generation  # of the configuration, plus one; 0 in an entry that is empty
    uint32_t only        # the only token that may come, or NOTHING


cdef struct CameBefore:
    Config config
    uint32_t generation  # as in Known
    uint32_t count       # how many are kept
    uint32_t[CAME] tokens


cdef struct Memory:
    Known[KEPT] known
    CameBefore[PLACES] before


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
    cdef Memory* memory = <Memory*>calloc(1, sizeof(Memory))
    cdef Py_ssize_t i
    cdef Py_ssize_t count = len(skipped)
    cdef int64_t place, saved
    cdef int verdict = 0
    verdicts = numpy.full(count, NONE, dtype=numpy.uint8)
    places = numpy.full(count, -1, dtype=numpy.int64)
    forced = numpy.zeros(count, dtype=numpy.int64)
    cdef uint8_t[::1] out = verdicts
    cdef int64_t[::1] where = places
    cdef int64_t[::1] many = forced
    cdef uint8_t[3] names = [ACCEPTED, REJECTED, ENDS_EARLY]
    cdef uint8_t failed = FAILED
    errors = {}
    try:
        if memory == NULL:
            raise MemoryError
        check_offsets(offsets, count, len(ids))
        for i in range(count):
            if skips[i]:
                continue
            place = -1
            saved = 0
            with nogil:
                verdict = walk(engine, lookahead, memory, first + starts[i], starts[i + 1] - starts[i], &place, &saved)
            if verdict < 0:
                errors[i] = message(engine, verdict)
            out[i] = names[verdict] if verdict >= 0 else failed
            where[i] = place if verdict >= 0 else -1
            many[i] = saved
    finally:
        free(memory)
    return verdicts, places, forced, errors


cdef int walk(
    Engine engine, Lookahead lookahead, Memory* memory, const int32_t* ids, int64_t size, int64_t* place, int64_t* saved
) noexcept nogil:
    """Count the forced tokens of a row. Returns 0 if the row is a sentence; 1 if it leaves the grammar at `place`; 2 if it ends
    too early; or a status. Takes the engine's lock."""
    cdef Config config
    cdef CanonicalState at
    cdef int64_t i, read = 0
    cdef uint32_t token, start, count, only
    cdef int taken
    cdef int status = engine.acquire_nogil()
    if status < 0:
        return status
    status = engine.trim(False)
    if status >= 0:
        status = lookahead.enter(engine, PendingPrefix(NULL, 0, 0))
    config = engine.first
    memset(&at, 0, sizeof(at))
    lookahead.rules.begin(&at)
    for i in range(size):
        if status < 0:
            break
        token = <uint32_t>ids[i]
        status = find_only(engine, lookahead, memory, &config, &at, token, &only)
        if status < 0:
            break
        saved[0] += only == token
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


cdef int find_only(
    Engine engine, Lookahead lookahead, Memory* memory, const Config* config, CanonicalState* at, uint32_t token, uint32_t* only
) noexcept nogil:
    """Write the only token that may come, or NOTHING; `token` is the one that comes. Clears the part of `at` that is not in use.
    Returns 0 or a status."""
    cdef Known* entry
    cdef uint32_t i
    cdef int status
    if config.row & VIRTUAL:
        # (what may come depends on the text, too)
        return search_only(engine, lookahead, config, at, only)
    for i in range(at.count, MAX_HYPOTHESES):
        at.hypothesis[i] = 0
        at.node[i] = 0
    entry = memory.known + (mix(mix(<uint64_t>config.row << 32 | config.state) ^ at.last) & (KEPT - 1))
    if (entry.generation == engine.generation + 1 and entry.config.row == config.row and entry.config.state == config.state
            and memcmp(&entry.at, at, sizeof(CanonicalState)) == 0):
        only[0] = entry.only
        return 0
    only[0] = NOTHING
    status = two_may_come(engine, lookahead, memory, config, at, token)
    if status == 0:
        status = search_only(engine, lookahead, config, at, only)
    if status >= 0:
        entry.config = config[0]
        entry.at = at[0]
        entry.generation = engine.generation + 1
        entry.only = only[0]
    return 0 if status > 0 else status


cdef int two_may_come(
    Engine engine, Lookahead lookahead, Memory* memory, const Config* config, const CanonicalState* at, uint32_t token
) noexcept nogil:
    """Whether `token` may come, and one more of the tokens that are kept for this configuration. Returns 1 if so, 0 if that is not
    known, or a status."""
    cdef CameBefore* before = memory.before + (mix(<uint64_t>config.row << 32 | config.state) & (PLACES - 1))
    cdef uint32_t i, other
    cdef int status = 0
    if before.generation != engine.generation + 1 or before.config.row != config.row or before.config.state != config.state:
        before.config = config[0]
        before.generation = engine.generation + 1
        before.count = 0
    for i in range(before.count):
        other = before.tokens[i]
        status = 0 if other == token else may_come(engine, lookahead, config, at, other)
        if status != 0:
            # (tokens that may often come, such as a comma, move to the front)
            before.tokens[i] = before.tokens[i >> 1]
            before.tokens[i >> 1] = other
            return status if status < 0 else may_come(engine, lookahead, config, at, token)
    if before.count < CAME:
        before.count += 1
    before.tokens[before.count - 1] = token
    return 0


cdef int may_come(
    Engine engine, Lookahead lookahead, const Config* config, const CanonicalState* at, uint32_t token
) noexcept nogil:
    """Whether `count_tokens` would count a token. Returns 1, 0 or a status."""
    cdef Config reached = config[0]
    cdef CanonicalState after = at[0]
    cdef uint32_t i
    cdef int status = 1
    cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
    for i in range(engine.trie.offsets[token], engine.trie.offsets[token + 1]):
        status = lookahead.steps.step(engine, &reached, engine.trie.blob[i])
        if status <= 0:
            break
    if status > 0:
        status = lookahead.rules.push(&after, token)
    if status > 0:
        status = lookahead.has_canonical_completion(engine, &reached, &after)
    trace_release(&engine.recognizer.trace, &mark)
    return status


cdef int search_only(
    Engine engine, Lookahead lookahead, const Config* config, const CanonicalState* at, uint32_t* only
) noexcept nogil:
    """`find_only` without a look at the table."""
    cdef CanonicalState other
    cdef uint32_t token = 0
    cdef int status
    only[0] = NOTHING
    if lookahead.rules.is_whole(at):
        status = lookahead.steps.accepting(engine, config)
        if status != 0:
            return status if status < 0 else 0
    status = count_tokens(engine, lookahead, config, at, &token)
    if status == 0 and at.last < <uint32_t>UNCONSTRAINED:
        other = at[0]
        other.last = UNCONSTRAINED
        status = count_tokens(engine, lookahead, config, &other, &token)
    if status == 1:
        only[0] = token
    return status if status < 0 else 0
