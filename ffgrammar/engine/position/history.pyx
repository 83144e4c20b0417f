"""A chunk grows until it is full or shared. The next step then begins a new chunk."""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add, atomic_load
from ffgrammar.core.vec cimport Vec, vec_push

cdef enum:
    FIRST_STEPS = 8
    FIRST_TEXT = 64
    # A chunk is full with this many steps or bytes.
    MAX_STEPS = 256
    MAX_CHUNK_TEXT = 4096
    # A history that leaves a shared chunk copies its steps of that chunk if these are at most FEW_STEPS, with at most LITTLE_TEXT
    # bytes. Otherwise a text that is forked at every token would become a list of chunks with one step each.
    FEW_STEPS = 32
    LITTLE_TEXT = 512


cdef void history_share(const History* h, History* other) noexcept nogil:
    other[0] = h[0]
    if h.tail != NULL:
        atomic_add(&h.tail.refs, 1)


cdef void release(Chunk* chunk) noexcept nogil:
    cdef Chunk* before
    while chunk != NULL and atomic_add(&chunk.refs, <uint32_t>-1) == 1:
        before = chunk.before
        free(chunk.steps)
        free(chunk.text)
        free(chunk)
        chunk = before


cdef void history_release(History* h) noexcept nogil:
    release(h.tail)
    h.tail = NULL
    h.used = 0


cdef int reserve(Chunk* chunk, uint32_t steps, uint32_t text) noexcept nogil:
    """Make room in a chunk for a number of steps and bytes in all. Returns OK or NO_MEMORY."""
    cdef Step* more_steps
    cdef uint8_t* more_text
    cdef uint32_t room
    if steps > chunk.room:
        room = max(steps, 2 * chunk.room, <uint32_t>FIRST_STEPS)
        more_steps = <Step*>realloc(chunk.steps, room * sizeof(Step))
        if more_steps == NULL:
            return NO_MEMORY
        chunk.steps = more_steps
        chunk.room = room
    if text > chunk.text_room:
        # a chunk with more than MAX_CHUNK_TEXT is full, so it needs no room to grow
        room = text if text > MAX_CHUNK_TEXT else max(text, 2 * chunk.text_room, <uint32_t>FIRST_TEXT)
        more_text = <uint8_t*>realloc(chunk.text, room)
        if more_text == NULL:
            return NO_MEMORY
        chunk.text = more_text
        chunk.text_room = room
    return OK


cdef Chunk* next_chunk(const History* h, uint32_t count) noexcept nogil:
    """A new chunk for a step of `count` bytes, because `h.tail` is full, shared or NULL. Returns NULL if there is no memory."""
    cdef Chunk* last = h.tail
    cdef Chunk* chunk = <Chunk*>malloc(sizeof(Chunk))
    cdef uint32_t text = history_bytes(h) - last.first_byte if last != NULL else 0
    cdef uint32_t steps = h.used
    if chunk == NULL:
        return NULL
    chunk.refs = 1
    chunk.count = chunk.valid = chunk.generation = chunk.room = chunk.text_room = 0
    chunk.steps = NULL
    chunk.text = NULL
    if last == NULL or steps > FEW_STEPS or text > LITTLE_TEXT:
        chunk.before = last
        chunk.first = history_len(h)
        chunk.first_byte = history_bytes(h)
        steps = text = 0
    else:
        chunk.before = last.before
        chunk.first = last.first
        chunk.first_byte = last.first_byte
    if reserve(chunk, steps + 1, text + count) < 0:
        free(chunk.steps)
        free(chunk.text)
        free(chunk)
        return NULL
    if steps:
        memcpy(chunk.steps, last.steps, steps * sizeof(Step))
        chunk.count = steps
        chunk.generation = last.generation
        chunk.valid = min(last.valid, steps)
    if text:
        memcpy(chunk.text, last.text, text)
    if chunk.before != NULL:
        atomic_add(&chunk.before.refs, 1)
    return chunk


cdef int history_add(
    History* h, Config config, uint32_t generation, const uint8_t* text, uint32_t count, uint32_t token,
) noexcept nogil:
    cdef Chunk* chunk = h.tail
    cdef uint32_t begin = history_bytes(h)
    cdef Step* step
    if count > <uint32_t>MAX_TEXT - begin:
        return NO_MEMORY
    if (chunk == NULL or h.used >= MAX_STEPS or begin - chunk.first_byte >= <uint32_t>MAX_CHUNK_TEXT
            or atomic_load(&chunk.refs) > 1):
        chunk = next_chunk(h, count)
        if chunk == NULL:
            return NO_MEMORY
        release(h.tail)
        h.tail = chunk
        h.used = chunk.count
    elif reserve(chunk, h.used + 1, begin - chunk.first_byte + count) < 0:
        return NO_MEMORY
    if count:
        memcpy(chunk.text + (begin - chunk.first_byte), text, count)
    step = chunk.steps + h.used
    step.config = config
    step.end = begin + count
    step.token = token
    # (No other history holds the chunk. So if it has steps after this one, they were taken back, and
    # are part of no history any more.)
    if chunk.generation != generation:
        # Here `h.used` is 0. If the history had steps in this chunk, their configurations would be of
        # this generation already, because the caller has revalidated its cursor.
        chunk.generation = generation
        chunk.valid = 0
    if chunk.valid >= h.used:
        chunk.valid = h.used + 1
    h.used += 1
    chunk.count = h.used
    return OK


cdef void history_cut(History* h, size_t count) noexcept nogil:
    cdef Chunk* chunk = h.tail
    cdef Chunk* before
    if chunk == NULL:
        return
    while count <= chunk.first and chunk.before != NULL:
        before = chunk.before
        atomic_add(&before.refs, 1)
        release(chunk)
        chunk = before
    h.tail = chunk
    h.used = <uint32_t>(count - chunk.first)


cdef void history_text(const History* h, uint8_t* text) noexcept nogil:
    cdef const Chunk* chunk = h.tail
    cdef uint32_t end = history_bytes(h)
    while chunk != NULL:
        if end > chunk.first_byte:
            memcpy(text + chunk.first_byte, chunk.text, end - chunk.first_byte)
            end = chunk.first_byte
        chunk = chunk.before


cdef void history_tokens(const History* h, uint32_t* tokens) noexcept nogil:
    cdef const Chunk* chunk = h.tail
    cdef size_t end = history_len(h)
    while chunk != NULL:
        while end > chunk.first:
            end -= 1
            tokens[end] = chunk.steps[end - chunk.first].token
        chunk = chunk.before


cdef uint32_t history_piece(const History* h) noexcept nogil:
    cdef const Chunk* chunk = h.tail
    cdef const Step* step
    cdef size_t end = history_len(h)
    while chunk != NULL:
        while end > chunk.first:
            end -= 1
            step = chunk.steps + (end - chunk.first)
            if step.token != NO_TOKEN and step.token & <uint32_t>LEXEME_STEP:
                return step.end
        chunk = chunk.before
    return 0


cdef int history_special(const History* h, Vec* pairs) noexcept nogil:
    cdef const Chunk* chunk = h.tail
    cdef const Step* step
    cdef size_t end = history_len(h)
    while chunk != NULL:
        while end > chunk.first:
            end -= 1
            step = chunk.steps + (end - chunk.first)
            if step.token == <uint32_t>NO_TOKEN or not step.token & <uint32_t>LEXEME_STEP:
                continue
            if vec_push(pairs, step.token & ~<uint32_t>STEP_FLAGS) < 0 or vec_push(pairs, step.end) < 0:
                return NO_MEMORY
        chunk = chunk.before
    return OK
