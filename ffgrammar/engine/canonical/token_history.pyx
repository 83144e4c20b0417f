"""Read as far as it is asked for, and kept for the last steps, so that taking some back costs nothing."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.bytes cimport PyBytes_FromStringAndSize

from ffgrammar.engine.position.history cimport NO_TOKEN, Chunk, History, history_len


cdef inline Chunk* chunk_of(History* history, size_t number) noexcept nogil:
    """The chunk of a step."""
    cdef Chunk* chunk = history.tail
    while number < chunk.first:
        chunk = chunk.before
    return chunk


cdef bytes step_bytes(History* history, size_t number):
    cdef Chunk* chunk = chunk_of(history, number)
    cdef uint32_t first = chunk.steps[number - chunk.first - 1].end if number > chunk.first else chunk.first_byte
    return PyBytes_FromStringAndSize(
        <char*>chunk.text + (first - chunk.first_byte), chunk.steps[number - chunk.first].end - first)


cdef class TokenHistory:
    """The tokens of one matcher.

    Args:
        rules: of its tokenizer.
        tokenizer: for bytes that come without tokens.
    """

    def __cinit__(self, CanonicalRules rules not None, tokenizer):
        self.rules = rules
        self.tokenizer = tokenizer
        self.consumed = {}
        rules.begin(&self.start)
        self.begin_after(())

    cdef int begin_after(self, tokens) except -1:
        for token in tokens:
            if self.rules.push_any(&self.start, token) < 0:
                raise MemoryError
        self.top = self.lowest = 0
        self.now.at = self.start
        self.now.steps = 0
        self.links[0] = self.now
        return 0

    cdef TokenHistory copy(self):
        cdef TokenHistory other = TokenHistory(self.rules, self.tokenizer)
        other.start = self.start
        other.now = self.now
        other.top = self.top
        other.lowest = self.lowest
        other.links = self.links
        other.consumed = dict(self.consumed)
        return other

    cdef int note(self, size_t step, const Link* link) except -1:
        self.links[step % RECENT] = link[0]
        self.top = step
        if self.top - self.lowest >= RECENT:
            self.lowest = self.top - RECENT + 1
        return 0

    cdef void cut(self, size_t steps):
        self.consumed = {step: data for step, data in self.consumed.items() if step < steps}
        if steps >= self.top:
            return
        if steps >= self.lowest:
            self.now = self.links[steps % RECENT]
            self.top = steps
            return
        self.now.at = self.start
        self.now.steps = 0
        self.top = self.lowest = 0
        self.links[0] = self.now

    cdef int push(self, CanonicalState* at, text) except -1:
        for token in self.tokenizer.encode(text):
            if self.rules.push_any(at, token) < 0:
                raise MemoryError
        return 0

    cdef int follow(self, History* history, CanonicalState* at) except -1:
        cdef size_t count = history_len(history)
        cdef size_t step = self.now.steps
        cdef Link link = self.now
        cdef Chunk* chunk
        cdef uint32_t token
        cdef bytes text = b""
        while step < count:
            chunk = chunk_of(history, step)
            token = chunk.steps[step - chunk.first].token
            if token == <uint32_t>NO_TOKEN:
                text += self.consumed.get(step, b"") + step_bytes(history, step)
            else:
                if text:
                    self.push(&link.at, text)
                    text = b""
                if self.rules.push_any(&link.at, token) < 0:
                    raise MemoryError
                link.steps = step + 1
            step += 1
            if step > self.top:
                self.note(step, &link)
        self.now = link
        at[0] = link.at
        if text:
            self.push(at, text)
        return 0
