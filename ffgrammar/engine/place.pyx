"""Moving, and finding a place again when the caches were dropped."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_load, atomic_put
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.history cimport (
    EOS_STEP, NO_TOKEN, Chunk, Step, history_add, history_cut, history_last, history_len, history_release, history_share,
)
from ffgrammar.engine.machine cimport Config, machine_accepting, parser_row
from ffgrammar.engine.masks cimport masks_find
from ffgrammar.engine.stored cimport StoredMask, mask_release, mask_unpack, table_find
from ffgrammar.engine.viability cimport step

cdef enum:
    # the generation of a place that has to be found again
    STALE = 0xFFFFFFFF


cdef void arrive(Engine engine, Place* place, Config config) noexcept nogil:
    place.now = config
    place.plain = parser_row(&engine.machine, config.row)
    # last: who reads without the lock believes the rest if this is the engine's
    atomic_put(&place.generation, engine.generation)


cdef void place_first(Engine engine, Place* place) noexcept nogil:
    place.history.tail = NULL
    place.history.used = 0
    place.terminated = False
    arrive(engine, place, engine.first)


cdef void place_free(Place* place) noexcept nogil:
    history_release(&place.history)


cdef void place_copy(Place* place, Place* other) noexcept nogil:
    other[0] = place[0]
    history_share(&place.history, &other.history)


cdef int place_enter(Engine engine, Place* place) noexcept nogil:
    cdef int status = engine.trim(place.generation == engine.generation)
    if status >= 0 and place.generation != engine.generation:
        status = reread(engine, place)
    return status


cdef int reread_chunk(Engine engine, Chunk* chunk, uint32_t until, Config* config) noexcept nogil:
    """Find the configurations of the first `until` steps of a chunk, from the one before it; they may have been found."""
    cdef uint32_t at = chunk.first_byte
    cdef uint32_t k
    cdef Step* one
    cdef int status
    if chunk.generation != engine.generation:
        chunk.generation = engine.generation
        chunk.valid = 0
    if chunk.valid:
        k = min(chunk.valid, until) - 1
        config[0] = chunk.steps[k].config
        at = chunk.steps[k].end
    for k in range(chunk.valid, until):
        one = chunk.steps + k
        while at < one.end:
            status = step(&engine.viability, &engine.machine, config, chunk.text[at - chunk.first_byte])
            if status < 0:
                return status
            at += 1
        one.config = config[0]
        chunk.valid = k + 1
    return OK


cdef int reread(Engine engine, Place* place) noexcept nogil:
    """The caches were dropped: find the configurations of all steps anew."""
    # (an empty text may have a chunk whose steps are all of others)
    cdef Chunk* chunk = place.history.tail if place.history.used else NULL
    cdef Chunk** path
    cdef Config config = engine.first
    cdef size_t depth = 0
    cdef size_t i
    cdef int status = OK
    while chunk != NULL:
        depth += 1
        if chunk.generation == engine.generation and chunk.valid:
            break
        chunk = chunk.before
    path = <Chunk**>malloc((depth or 1) * sizeof(Chunk*))
    if path == NULL:
        return NO_MEMORY
    chunk = place.history.tail
    for i in range(depth):
        path[depth - 1 - i] = chunk
        chunk = chunk.before
    for i in range(depth):
        if status >= 0:
            status = reread_chunk(
                engine, path[i],
                <uint32_t>(path[i + 1].first - path[i].first) if i + 1 < depth else place.history.used, &config,
            )
    free(path)
    if status >= 0:
        arrive(engine, place, config)
        engine.settle()
    return status


cdef int take_bytes(Engine engine, const uint8_t* text, uint32_t count, Config* config) noexcept nogil:
    """How many bytes the machine accepts from `config`, which moves."""
    cdef uint32_t i
    cdef int status
    for i in range(count):
        status = step(&engine.viability, &engine.machine, config, text[i])
        if status < 0:
            return status
        if status == 0:
            return <int>i
    return <int>count


cdef int place_stay(Engine engine, Place* place, uint32_t token) noexcept nogil:
    cdef int status = place_enter(engine, place)
    if status >= 0:
        status = history_add(&place.history, place.now, engine.generation, NULL, 0, token)
    return status if status < 0 else 1


cdef int place_take(Engine engine, Place* place, uint32_t token, uint32_t skipped) noexcept nogil:
    cdef Config config
    cdef uint32_t start, count
    cdef int status = place_enter(engine, place)
    if status < 0 or place.terminated or token >= engine.trie.vocab_size:
        return status if status < 0 else 0
    config = place.now
    if engine.is_eos(token):
        status = machine_accepting(&engine.machine, &config)
        if status > 0:
            status = history_add(&place.history, config, engine.generation, NULL, 0, token | <uint32_t>EOS_STEP)
            place.terminated = status >= 0
            return 1 if status >= 0 else status
        return status
    start = engine.trie.offsets[token] + skipped
    count = engine.trie.offsets[token + 1] - start
    if count == 0:
        return place_stay(engine, place, token) if skipped else 0
    status = take_bytes(engine, engine.trie.blob + start, count, &config)
    if status < <int>count:
        return status if status < 0 else 0
    status = history_add(&place.history, config, engine.generation, engine.trie.blob + start, count, token)
    if status < 0:
        return status
    arrive(engine, place, config)
    return 1


cdef int place_read(Engine engine, Place* place, const uint8_t* text, uint32_t count) noexcept nogil:
    cdef Config config
    cdef int added
    cdef int status = place_enter(engine, place)
    if status < 0 or place.terminated:
        return status if status < 0 else 0
    config = place.now
    status = take_bytes(engine, text, count, &config)
    if status > 0:
        added = history_add(&place.history, config, engine.generation, text, <uint32_t>status, NO_TOKEN)
        if added < 0:
            return added
        arrive(engine, place, config)
    return status


cdef void place_back(Engine engine, Place* place, size_t count) noexcept nogil:
    cdef const Step* last
    if count >= history_len(&place.history):
        return
    place.terminated = False
    history_cut(&place.history, count)
    last = history_last(&place.history)
    if last == NULL:
        arrive(engine, place, engine.first)
    elif place.history.tail.generation == engine.generation and place.history.used <= place.history.tail.valid:
        arrive(engine, place, last.config)
    else:
        atomic_put(&place.generation, STALE)


cdef StoredMask* place_known(Engine engine, Place* place) noexcept nogil:
    cdef uint32_t generation = atomic_load(&place.generation)
    return table_find(&engine.masks.table, generation, <uint64_t>place.plain << 32 | place.now.state)


cdef int place_fill(Engine engine, Place* place, uint32_t* row, size_t count, bint wait) noexcept nogil:
    cdef StoredMask* mask
    cdef int status = OK
    if place.terminated:
        memset(row, 0, count * sizeof(uint32_t))
        return OK
    mask = place_known(engine, place)
    if mask == NULL:
        if wait:
            engine.acquire_nogil()
        elif not engine.try_acquire():
            return BUSY
        status = place_enter(engine, place)
        if status >= 0:
            status = masks_find(&engine.masks, &engine.machine, &place.now, &mask)
        engine.release()
        if status < 0:
            return status
    mask_unpack(mask, engine.trie.n_words, row, count)
    mask_release(mask)
    return OK


cdef int place_draft(
    Engine engine, Place* place, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count,
) noexcept nogil:
    cdef Place ahead
    cdef size_t done = 0
    cdef int status
    engine.acquire_nogil()
    place_copy(place, &ahead)
    engine.release()
    while True:
        status = place_fill(engine, &ahead, rows + done * count, count, True)
        if status < 0 or done == token_count:
            break
        engine.acquire_nogil()
        status = place_take(engine, &ahead, tokens[done], 0)
        engine.release()
        if status <= 0:
            break
        done += 1
    place_free(&ahead)
    if status < 0:
        return status
    memset(rows + (done + 1) * count, 0xFF, (token_count - done) * count * sizeof(uint32_t))
    return <int>done
