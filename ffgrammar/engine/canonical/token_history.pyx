"""The history is read when a state is asked for. Reading goes on after the last token that was read. The states after the last
steps are kept, so taking a few steps back costs nothing. Bytes that came after the last token are kept, too, with the state after
them: they are encoded again only when more bytes come."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from cpython.bytes cimport PyBytes_FromStringAndSize

from ffgrammar.core.turn import turn
from ffgrammar.engine.position.history cimport NO_TOKEN, Chunk, History, Step, history_len


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
        self.begin_again()
        return 0

    cdef void begin_again(self):
        cdef StepState state
        state.at = self.start
        state.steps = 0
        self.read = self.lowest = 0
        self.recent[0] = state
        self.set_now(&state, b"", 0)

    cdef TokenHistory copy(self):
        cdef TokenHistory other = TokenHistory(self.rules, self.tokenizer)
        other.start = self.start
        other.set_now(&self.now, self.text, self.followed)
        other.after_text = self.after_text
        other.is_whole = self.is_whole
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
        cdef StepState state
        state.at = at[0]
        state.steps = steps
        self.set_now(&state, b"", steps)
        return self.remember(steps, &state)

    cdef void cut(self, size_t steps):
        self.prompt_bytes = {step: data for step, data in self.prompt_bytes.items() if step < steps}
        if steps >= self.read:
            return
        if steps >= self.lowest:
            self.read = steps
            self.set_now(&self.recent[steps % RECENT], b"", self.recent[steps % RECENT].steps)
            return
        self.begin_again()

    cdef int push_text(self, CanonicalState* at, bytes text) except -1:
        for token in self.tokenizer.encode(text) if text else ():
            if self.rules.push_any(at, token) < 0:
                raise MemoryError
        return 0

    cdef int follow(self, History* history, CanonicalState* at) except -1:
        cdef size_t count = history_len(history)
        cdef size_t number = 1  # of chunks that have not been read as a whole
        cdef Chunk* chunk = history.tail
        cdef Chunk** chunks
        cdef size_t i
        if self.followed < count:
            while chunk.first > self.followed:
                number += 1
                chunk = chunk.before
            chunks = <Chunk**>malloc(number * sizeof(Chunk*))
            if chunks == NULL:
                raise MemoryError
            try:
                chunk = history.tail
                for i in range(number, 0, -1):
                    chunks[i - 1] = chunk
                    chunk = chunk.before
                for i in range(number):
                    self.follow_chunk(chunks[i], chunks[i + 1].first if i + 1 < number else count)
                    turn()
            finally:
                free(chunks)
        if not self.is_whole:
            self.after_text = self.now.at
            self.push_text(&self.after_text, self.text)
            self.is_whole = True
        at[0] = self.after_text
        return 0

    cdef int follow_chunk(self, Chunk* chunk, size_t end) except -1:
        cdef list pieces = [self.text]
        cdef StepState state = self.now
        cdef size_t step = self.followed
        cdef uint32_t before
        cdef Step* one
        while step < end:
            one = &chunk.steps[step - chunk.first]
            if one.token == <uint32_t>NO_TOKEN:
                before = chunk.steps[step - chunk.first - 1].end if step > chunk.first else chunk.first_byte
                pieces.append(self.prompt_bytes.get(step, b""))
                pieces.append(PyBytes_FromStringAndSize(
                    <char*>chunk.text + (before - chunk.first_byte), one.end - before))
            else:
                if pieces:
                    self.push_text(&state.at, b"".join(pieces))
                    pieces.clear()
                if self.rules.push_any(&state.at, one.token) < 0:
                    raise MemoryError
                state.steps = step + 1
            step += 1
            if step > self.read:
                self.remember(step, &state)
        self.set_now(&state, b"".join(pieces), end)
        return 0

    cdef void set_now(self, const StepState* state, bytes text, size_t followed):
        self.now = state[0]
        self.text = text
        self.followed = followed
        self.is_whole = False
