"""`Matcher`: one generation under a grammar. A stack of configurations, one a step, so that rollback is a pop and fork a copy."""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_reserve
from ffgrammar.engine.forced cimport common_tokens, forced_bytes, open_places
from ffgrammar.engine.machine cimport machine_accepting
from ffgrammar.engine.masks cimport masks_write
from ffgrammar.engine.viability cimport distance, step

from operator import index as as_index

from ffgrammar.core.errors import MatcherError, TokenizerError


cdef class Matcher:
    """Follows one text under a grammar. Not thread-safe itself; matchers of one grammar may run in different threads.

    A step is an accepted token, or one call of accept_bytes that accepted something; rollback counts steps.
    """

    def __cinit__(self, Engine engine not None):
        self.engine = engine
        vec_init(&self.steps)
        self.text = NULL
        self.text_len = self.text_cap = 0
        self.terminated = False
        engine.acquire()
        self.generation = engine.generation
        self.now = engine.first
        engine.release()

    def __dealloc__(self):
        vec_free(&self.steps)
        free(self.text)

    cdef int enter(self) noexcept nogil:
        """Call with the lock held before anything else: bounds the caches, and makes `now` valid."""
        cdef int status = self.engine.trim(self.generation == self.engine.generation)
        if status >= 0 and self.generation != self.engine.generation:
            status = self.reread()
        return status

    cdef int reread(self) noexcept nogil:
        """The caches were dropped: find the configurations of all steps anew."""
        cdef Config config = self.engine.first
        cdef size_t at = 0
        cdef size_t k = 0
        cdef uint32_t end
        cdef int status
        while k < self.steps.len:
            end = self.steps.data[k + 2]
            while at < end:
                status = step(&self.engine.viability, &self.engine.machine, &config, self.text[at])
                if status < 0:
                    return status
                at += 1
            self.steps.data[k] = config.row
            self.steps.data[k + 1] = config.state
            k += STEP_WORDS
        self.now = config
        self.generation = self.engine.generation
        self.engine.settle()
        return OK

    cdef int keep(self, const uint8_t* text, uint32_t count, uint32_t token) noexcept nogil:
        """Make room for a step, and append its text."""
        cdef uint8_t* grown
        cdef size_t cap
        if self.text_len + count > MAX_TEXT:
            return NO_MEMORY
        if vec_reserve(&self.steps, self.steps.len + STEP_WORDS) < 0:
            return NO_MEMORY
        if self.text_len + count > self.text_cap:
            cap = 2 * (self.text_len + count) + 64
            grown = <uint8_t*>realloc(self.text, cap)
            if grown == NULL:
                return NO_MEMORY
            self.text = grown
            self.text_cap = cap
        if count:
            memcpy(self.text + self.text_len, text, count)
        self.text_len += count
        self.steps.data[self.steps.len] = self.now.row
        self.steps.data[self.steps.len + 1] = self.now.state
        self.steps.data[self.steps.len + 2] = <uint32_t>self.text_len
        self.steps.data[self.steps.len + 3] = token
        self.steps.len += STEP_WORDS
        return OK

    cdef int take_bytes(self, const uint8_t* text, size_t count, Config* config) noexcept nogil:
        """How many bytes the machine accepts from `config`, which moves."""
        cdef size_t i
        cdef int status
        for i in range(count):
            status = step(&self.engine.viability, &self.engine.machine, config, text[i])
            if status < 0:
                return status
            if status == 0:
                return <int>i
        return <int>count

    cdef int take_token(self, uint32_t token) noexcept nogil:
        """1 accepted, 0 not, or a status."""
        cdef Config config = self.now
        cdef uint32_t start, count
        cdef int status
        if self.terminated:
            return 0
        if self.engine.is_eos(token):
            status = machine_accepting(&self.engine.machine, &self.now)
            if status <= 0:
                return status
            status = self.keep(NULL, 0, token | EOS_STEP)
            self.terminated = status >= 0
            return 1 if status >= 0 else status
        start = self.engine.trie.offsets[token]
        count = self.engine.trie.offsets[token + 1] - start
        if count == 0:
            return 0
        status = self.take_bytes(self.engine.trie.blob + start, count, &config)
        if status < <int>count:
            return status if status < 0 else 0
        self.now = config
        status = self.keep(self.engine.trie.blob + start, count, token)
        return 1 if status >= 0 else status

    def accept_token(self, token) -> bool:
        """Move by one token; False leaves the matcher as it was.

        Raises:
            TokenizerError: no such token id.
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        cdef uint32_t number
        token = as_index(token)
        if not 0 <= token < self.engine.trie.vocab_size:
            raise TokenizerError(f"token id {token} is not in 0..{self.engine.trie.vocab_size - 1}")
        number = token
        self.engine.acquire()
        status = self.enter()
        if status >= 0:
            status = self.take_token(number)
        self.engine.release()
        return bool(self.engine.checked(status))

    def accept_tokens(self, ids) -> int:
        """Move by tokens up to the first that is not accepted; returns how many were."""
        cdef int accepted = 0
        for token in ids:
            if not self.accept_token(token):
                break
            accepted += 1
        return accepted

    def accept_bytes(self, data not None) -> int:
        """Move by bytes up to the first that is not possible; returns how many were accepted (one step, if any)."""
        cdef const uint8_t[::1] view = data
        cdef Config config
        cdef int status
        if view.shape[0] == 0 or self.terminated:
            return 0
        if view.shape[0] + self.text_len > <size_t>MAX_TEXT:
            raise MatcherError("a text is at most 2 GiB")
        self.engine.acquire()
        status = self.enter()
        if status >= 0:
            config = self.now
            status = self.take_bytes(&view[0], view.shape[0], &config)
            if status > 0:
                self.now = config
                if self.keep(&view[0], <uint32_t>status, NO_TOKEN) < 0:
                    status = NO_MEMORY
        self.engine.release()
        return self.engine.checked(status)

    def validate_tokens(self, ids) -> int:
        """How many of the tokens would be accepted one after another; the matcher does not move."""
        cdef size_t before = self.steps.len
        try:
            return self.accept_tokens(ids)
        finally:
            self.rollback((self.steps.len - before) // STEP_WORDS)

    def rollback(self, n: int) -> None:
        """Take back the last n steps.

        Raises:
            MatcherError: there are fewer.
        """
        cdef size_t steps = self.steps.len // STEP_WORDS
        if not 0 <= n <= steps:
            raise MatcherError(f"cannot roll back {n} steps: {steps} were made")
        if n == 0:
            return
        self.steps.len -= <size_t>n * STEP_WORDS
        self.terminated = False
        if self.steps.len == 0:
            self.text_len = 0
            self.engine.acquire()
            self.now = self.engine.first
            self.generation = self.engine.generation
            self.engine.release()
        else:
            self.now.row = self.steps.data[self.steps.len - 4]
            self.now.state = self.steps.data[self.steps.len - 3]
            self.text_len = self.steps.data[self.steps.len - 2]

    def reset(self) -> None:
        """Back to the empty text."""
        self.rollback(self.steps.len // STEP_WORDS)

    def fork(self) -> Matcher:
        """An independent matcher at the same place."""
        cdef Matcher other = Matcher(self.engine)
        if vec_extend(&other.steps, self.steps.data, self.steps.len) < 0:
            raise MemoryError
        if self.text_len:
            other.text = <uint8_t*>realloc(NULL, self.text_len)
            if other.text == NULL:
                raise MemoryError
            memcpy(other.text, self.text, self.text_len)
            other.text_len = other.text_cap = self.text_len
        other.now = self.now
        other.generation = self.generation
        other.terminated = self.terminated
        return other

    @property
    def num_steps(self) -> int:
        """How many steps rollback can take back."""
        return self.steps.len // STEP_WORDS

    @property
    def text_bytes(self) -> bytes:
        """The accepted text."""
        return self.text[:self.text_len]

    def tokens(self) -> list:
        """The steps so far: token ids, None where bytes came without a token."""
        cdef size_t k
        return [
            None if self.steps.data[k] == <uint32_t>NO_TOKEN else self.steps.data[k] & ~<uint32_t>EOS_STEP
            for k in range(3, self.steps.len, STEP_WORDS)
        ]

    def is_accepting(self) -> bool:
        """Whether the text so far is a sentence of the grammar."""
        cdef int status
        self.engine.acquire()
        status = self.enter()
        if status >= 0:
            status = machine_accepting(&self.engine.machine, &self.now)
        self.engine.release()
        return bool(self.engine.checked(status))

    def distance(self) -> int:
        """About how many bytes are missing for a sentence: 0 for a sentence, else an estimate that takes no account of
        the lexing rule (and is large where only a lexeme's end can tell). Following the least one soon ends
        a text.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        cdef uint32_t length = 0
        self.engine.acquire()
        status = self.enter()
        if status >= 0:
            status = distance(&self.engine.viability, &self.engine.machine, &self.now, &length)
        self.engine.release()
        self.engine.checked(status)
        return length

    def is_terminated(self) -> bool:
        """Whether an end-of-sequence token was accepted; nothing may follow it."""
        return bool(self.terminated)

    def fill_bitmask(self, bitmask, index: int = 0) -> None:
        """Write the tokens that may come next into one row.

        Args:
            bitmask: int32 [batch, words], C-contiguous, numpy or torch (CPU); words >= ceil(vocab_size / 32). Bit t & 31
                of word t >> 5 is 1 where token t may come next.
            index: the row.

        Raises:
            MatcherError: bitmask has another shape or type.
        """
        cdef Py_buffer view
        cdef uint32_t* row
        cdef size_t count, i
        cdef int status
        cdef Py_ssize_t batch
        if hasattr(bitmask, "data_ptr"):
            try:
                bitmask = bitmask.numpy()
            except (TypeError, RuntimeError) as error:
                raise MatcherError(f"bitmask must be on the CPU: {error}") from None
        try:
            PyObject_GetBuffer(bitmask, &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
        except (BufferError, TypeError, ValueError) as error:
            raise MatcherError(f"bitmask must be a writable C-contiguous int32 array [batch, words]: {error}") from None
        try:
            if view.ndim != 2 or view.itemsize != 4 or view.format[0] not in b"il":
                raise MatcherError("bitmask must be an int32 array of two dimensions [batch, words]")
            batch = view.shape[0]
            count = view.shape[1]
            if not 0 <= index < batch:
                raise MatcherError(f"index {index} is not in 0..{batch - 1}")
            if count < self.engine.trie.n_words:
                raise MatcherError(f"bitmask has {count} words a row; this vocabulary needs {self.engine.trie.n_words}")
            row = <uint32_t*>view.buf + <size_t>index * count
            with nogil:
                self.engine.acquire_nogil()
                status = self.enter()
                if status >= 0 and self.terminated:
                    for i in range(count):
                        row[i] = 0
                elif status >= 0:
                    status = masks_write(&self.engine.masks, &self.engine.machine, &self.now, row, count)
                self.engine.release()
        finally:
            PyBuffer_Release(&view)
        self.engine.checked(status)

    def allowed_token_ids(self):
        """The ids of the tokens that may come next: int32 array, ascending."""
        import numpy

        mask = numpy.empty((1, self.engine.trie.n_words), dtype=numpy.int32)
        self.fill_bitmask(mask)
        bits = numpy.unpackbits(mask.view(numpy.uint8), bitorder="little")
        return numpy.flatnonzero(bits).astype(numpy.int32)

    def forced_bytes(self) -> bytes:
        """The longest byte string that every sentence of the grammar continues with from here.

        Raises:
            LimitError: it is longer than `forced_bytes`.
        """
        cdef Config config
        if self.terminated:
            return b""
        self.engine.acquire()
        try:
            self.engine.checked(self.enter())
            config = self.now
            return forced_bytes(self.engine, &config)
        finally:
            self.engine.release()

    def forced_tokens(self) -> list:
        """The tokens that the forced bytes begin with whatever follows them: canonical after the accepted text.

        Empty where the tokenizer cannot encode, or where its tokens would begin inside the accepted text.
        """
        cdef Config end
        if self.terminated or not self.engine.tokenizer.can_encode:
            return []
        self.engine.acquire()
        try:
            self.engine.checked(self.enter())
            end = self.now
            forced = forced_bytes(self.engine, &end)
            if not forced:
                return []
            places = open_places(self.engine, &end, forced)
        finally:
            self.engine.release()
        return common_tokens(self.engine.tokenizer, self.text[:self.text_len], forced, places)
