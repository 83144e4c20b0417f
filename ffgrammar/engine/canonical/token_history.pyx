"""The history is read when a state is asked for. Reading goes on after the last token that was read. The states after the last
steps are kept, so taking a few steps back costs nothing."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.bytes cimport PyBytes_FromStringAndSize

from ffgrammar.engine.position.history cimport NO_TOKEN, Chunk, History, history_len


cdef inline Chunk* chunk_with(History* history, size_t number) noexcept nogil:
    """The chunk that has the step with a given number."""
    cdef Chunk* chunk = history.tail
    while number < chunk.first:
        chunk = chunk.before
    return chunk


cdef bytes step_bytes(History* history, size_t number):
    """The bytes of a step."""
    cdef Chunk* chunk = chunk_with(history, number)
    cdef uint32_t first = chunk.steps[number - chunk.first - 1].end if number > chunk.first else chunk.first_byte
    return PyBytes_FromStringAndSize(
        <char*>chunk.text + (first - chunk.first_byte), chunk.steps[number - chunk.first].end - first)


cdef class TokenHistory:
    """Follows the tokens of one matcher, and keeps the state of the rules after them.

    Args:
        rules: the tokenizer's rules.
        tokenizer: encodes bytes that come without tokens.
    """

    def __cinit__(self, CanonicalRules rules not None, tokenizer):
        self.rules = rules
        self.tokenizer = tokenizer
        self.prompt_bytes = {}
        rules.begin(&self.start)
        self.begin_after(())

    cdef int begin_after(self, tokens) except -1:
        if tokens:
            self.rules.trie.need_index()
        for token in tokens:
            if self.rules.push_any(&self.start, token) < 0:
                raise MemoryError
        self.read = self.lowest = 0
        self.now.at = self.start
        self.now.steps = 0
        self.recent[0] = self.now
        return 0

    cdef TokenHistory copy(self):
        cdef TokenHistory other = TokenHistory(self.rules, self.tokenizer)
        other.start = self.start
        other.now = self.now
        other.read = self.read
        other.lowest = self.lowest
        other.recent = self.recent
        other.prompt_bytes = dict(self.prompt_bytes)
        return other

    cdef int remember(self, size_t step, const StepState* state) except -1:
        self.recent[step % RECENT] = state[0]
        self.read = step
        if self.read - self.lowest >= RECENT:
            self.lowest = self.read - RECENT + 1
        return 0

    cdef int add(self, size_t steps, const CanonicalState* at) except -1:
        self.now.at = at[0]
        self.now.steps = steps
        return self.remember(steps, &self.now)

    cdef void cut(self, size_t steps):
        self.prompt_bytes = {step: data for step, data in self.prompt_bytes.items() if step < steps}
        if steps >= self.read:
            return
        if steps >= self.lowest:
            self.now = self.recent[steps % RECENT]
            self.read = steps
            return
        self.now.at = self.start
        self.now.steps = 0
        self.read = self.lowest = 0
        self.recent[0] = self.now

    cdef int push_text(self, CanonicalState* at, text) except -1:
        for token in self.tokenizer.encode(text):
            if self.rules.push_any(at, token) < 0:
                raise MemoryError
        return 0

    cdef int follow(self, History* history, CanonicalState* at) except -1:
        cdef size_t count = history_len(history)
        cdef size_t step = self.now.steps
        cdef StepState state = self.now
        cdef Chunk* chunk
        cdef uint32_t token
        cdef bytes text = b""
        while step < count:
            chunk = chunk_with(history, step)
            token = chunk.steps[step - chunk.first].token
            if token == <uint32_t>NO_TOKEN:
                text += self.prompt_bytes.get(step, b"") + step_bytes(history, step)
            else:
                if text:
                    self.push_text(&state.at, text)
                    text = b""
                if self.rules.push_any(&state.at, token) < 0:
                    raise MemoryError
                state.steps = step + 1
            step += 1
            if step > self.read:
                self.remember(step, &state)
        self.now = state
        at[0] = state.at
        if text:
            self.push_text(at, text)
        return 0
