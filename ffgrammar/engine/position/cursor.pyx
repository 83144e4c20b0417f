"""A cursor moves by tokens and bytes. When the engine's caches are dropped, the cursor's configuration means nothing any more.
The configuration is then found again by reading the text. Chunks that another cursor has read again already are skipped.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_load, atomic_load_word, atomic_put, atomic_put_word
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.history cimport (
    EOS_STEP, LEXEME_STEP, NO_TOKEN, STEP_FLAGS, Chunk, Step, history_add, history_cut, history_last, history_len,
    history_release, history_share,
)
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting, parser_row
from ffgrammar.engine.masks.compute cimport masks_find
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_key, mask_release, mask_unpack, table_find
from ffgrammar.engine.recognizer.completability cimport step, token_step

cdef enum:
    # The generation of a cursor whose configuration must be found again.
    STALE = 0xFFFFFFFF


cdef void arrive(Engine engine, Cursor* cursor, Config config) noexcept nogil:
    cursor.now = config
    atomic_put_word(&cursor.key, mask_key(parser_row(&engine.recognizer, config.row), config.state))
    # this is written last: a thread that reads without the lock trusts the rest if it finds the engine's generation here
    atomic_put(&cursor.generation, engine.generation)


cdef void cursor_first(Engine engine, Cursor* cursor) noexcept nogil:
    cursor.history.tail = NULL
    cursor.history.used = 0
    atomic_put(&cursor.terminated, False)
    arrive(engine, cursor, engine.first)


cdef void cursor_free(Cursor* cursor) noexcept nogil:
    history_release(&cursor.history)


cdef void cursor_copy(Cursor* cursor, Cursor* other) noexcept nogil:
    other[0] = cursor[0]
    history_share(&cursor.history, &other.history)


cdef int cursor_snapshot(Engine engine, Cursor* cursor, History* history) except -1:
    engine.acquire()
    history_share(&cursor.history, history)
    engine.release()
    return 0


cdef int cursor_revalidate(Engine engine, Cursor* cursor) noexcept nogil:
    cdef int status = engine.trim(cursor.generation == engine.generation)
    if status >= 0 and cursor.generation != engine.generation:
        status = reread(engine, cursor)
    return status


cdef int reread_chunk(Engine engine, Chunk* chunk, uint32_t until, Config* config) noexcept nogil:
    """Find the configurations of the first `until` steps of a chunk. `config` is the configuration before the chunk, and
    becomes the one after these steps. Steps that another cursor has read again already are skipped. Returns a status."""
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
            status = step(&engine.completability, &engine.recognizer, config, chunk.text[at - chunk.first_byte], NULL)
            if status >= 0:
                status = pulse(&engine.recognizer.nodes.pulse, 2)
            if status < 0:
                return status
            at += 1
        if one.token != <uint32_t>NO_TOKEN and one.token & <uint32_t>LEXEME_STEP:
            status = token_step(&engine.completability, &engine.recognizer, config, one.token & ~<uint32_t>STEP_FLAGS)
            if status < 0:
                return status
        one.config = config[0]
        chunk.valid = k + 1
    return OK


cdef int reread(Engine engine, Cursor* cursor) noexcept nogil:
    """The caches were dropped. Read the text again from the last step whose configuration is known, and find the configurations
    of the steps after it. Returns a status."""
    # (an empty history may still hold a chunk: all steps of this chunk were taken back, or belong to other cursors)
    cdef Chunk* chunk = cursor.history.tail if cursor.history.used else NULL
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
    chunk = cursor.history.tail
    for i in range(depth):
        path[depth - 1 - i] = chunk
        chunk = chunk.before
    for i in range(depth):
        if status >= 0:
            status = reread_chunk(
                engine, path[i],
                <uint32_t>(path[i + 1].first - path[i].first) if i + 1 < depth else cursor.history.used, &config,
            )
    free(path)
    if status >= 0:
        arrive(engine, cursor, config)
        engine.note_needed()
    return status


cdef int config_read(Engine engine, const uint8_t* text, uint32_t count, Config* config) noexcept nogil:
    cdef uint32_t i
    cdef int status
    for i in range(count):
        status = step(&engine.completability, &engine.recognizer, config, text[i], NULL)
        if status == 0:
            return <int>i
        if status > 0:
            status = pulse(&engine.recognizer.nodes.pulse, 2)
        if status < 0:
            return status
    return <int>count


cdef int cursor_push_empty(Engine engine, Cursor* cursor, uint32_t token) noexcept nogil:
    cdef int status = cursor_revalidate(engine, cursor)
    if status >= 0:
        status = history_add(&cursor.history, cursor.now, engine.generation, NULL, 0, token)
    return status if status < 0 else 1


cdef int take_lexeme(Engine engine, Cursor* cursor, uint32_t token) noexcept nogil:
    """Move by a special token that is a lexeme. Returns as cursor_take."""
    cdef Config config = cursor.now
    cdef int status = token_step(&engine.completability, &engine.recognizer, &config, token)
    if status <= 0:
        return status
    status = history_add(&cursor.history, config, engine.generation, NULL, 0, token | <uint32_t>LEXEME_STEP)
    if status < 0:
        return status
    arrive(engine, cursor, config)
    return 1


cdef int cursor_take(Engine engine, Cursor* cursor, uint32_t token, uint32_t skipped) noexcept nogil:
    cdef Config config
    cdef uint32_t start, count
    cdef int status = cursor_revalidate(engine, cursor)
    if status < 0 or cursor_terminated(cursor) or token >= engine.trie.vocab_size:
        return status if status < 0 else 0
    config = cursor.now
    if engine.tables.rules.token_classes.len and engine.trie.offsets[token] == engine.trie.offsets[token + 1]:
        # (an end-of-text token that the grammar asks for does not end the text, even where it could)
        status = take_lexeme(engine, cursor, token)
        if status != 0:
            return status
    if engine.is_eos(token):
        status = recognizer_accepting(&engine.recognizer, &config, NULL)
        if status > 0:
            status = history_add(&cursor.history, config, engine.generation, NULL, 0, token | <uint32_t>EOS_STEP)
            atomic_put(&cursor.terminated, status >= 0)
            return 1 if status >= 0 else status
        return status
    start = engine.trie.offsets[token] + skipped
    count = engine.trie.offsets[token + 1] - start
    if count == 0:
        return cursor_push_empty(engine, cursor, token) if skipped else 0
    status = config_read(engine, engine.trie.blob + start, count, &config)
    if status < <int>count:
        return status if status < 0 else 0
    status = history_add(&cursor.history, config, engine.generation, engine.trie.blob + start, count, token)
    if status < 0:
        return status
    arrive(engine, cursor, config)
    return 1


cdef int cursor_read(Engine engine, Cursor* cursor, const uint8_t* text, uint32_t count) noexcept nogil:
    cdef Config config
    cdef int added
    cdef int status = cursor_revalidate(engine, cursor)
    if status < 0 or cursor_terminated(cursor):
        return status if status < 0 else 0
    config = cursor.now
    status = config_read(engine, text, count, &config)
    if status > 0:
        added = history_add(&cursor.history, config, engine.generation, text, <uint32_t>status, NO_TOKEN)
        if added < 0:
            return added
        arrive(engine, cursor, config)
    return status


cdef void cursor_rollback(Engine engine, Cursor* cursor, size_t count) noexcept nogil:
    cdef const Step* last
    if count >= history_len(&cursor.history):
        return
    atomic_put(&cursor.terminated, False)
    history_cut(&cursor.history, count)
    last = history_last(&cursor.history)
    if last == NULL:
        arrive(engine, cursor, engine.first)
    elif cursor.history.tail.generation == engine.generation and cursor.history.used <= cursor.history.tail.valid:
        arrive(engine, cursor, last.config)
    else:
        atomic_put(&cursor.generation, STALE)


cdef StoredMask* cursor_known_mask(Engine engine, Cursor* cursor) noexcept nogil:
    cdef uint32_t generation = atomic_load(&cursor.generation)
    return table_find(&engine.masks.table, generation, atomic_load_word(&cursor.key), False)


cdef int cursor_fill(Engine engine, Cursor* cursor, uint32_t* row, size_t count, bint wait) noexcept nogil:
    cdef StoredMask* mask
    cdef bint text_dependent = False  # not needed here
    cdef int status = OK
    if cursor_terminated(cursor):
        memset(row, 0, count * sizeof(uint32_t))
        return OK
    mask = cursor_known_mask(engine, cursor)
    if mask == NULL:
        if wait:
            status = engine.acquire_nogil()
            if status < 0:
                return status
        elif not engine.try_acquire():
            return BUSY
        status = cursor_revalidate(engine, cursor)
        if status >= 0:
            status = masks_find(&engine.masks, &engine.recognizer, &cursor.now, &mask, &text_dependent)
        engine.release()
        if status < 0:
            return status
    mask_unpack(mask, engine.trie.n_words, row, count)
    mask_release(mask)
    return OK


cdef int cursor_draft(
    Engine engine, Cursor* cursor, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count,
) noexcept nogil:
    cdef Cursor ahead
    cdef size_t done = 0
    cdef int status
    status = engine.acquire_nogil()
    if status < 0:
        return status
    cursor_copy(cursor, &ahead)
    engine.release()
    while True:
        status = cursor_fill(engine, &ahead, rows + done * count, count, True)
        if status < 0 or done == token_count:
            break
        status = engine.acquire_nogil()
        if status < 0:
            break
        status = cursor_take(engine, &ahead, tokens[done], 0)
        engine.release()
        if status <= 0:
            break
        done += 1
    cursor_free(&ahead)
    if status < 0:
        return status
    memset(rows + (done + 1) * count, 0xFF, (token_count - done) * count * sizeof(uint32_t))
    return <int>done
