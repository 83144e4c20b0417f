"""After a token, the pre-token either ends or goes on. How it can go on depends on the grammar's configuration and on the
hypotheses about pre-tokens. At most places of a grammar few texts can come before the pre-token ends: after a string in compact
JSON, `,` and a quote, or a brace, and so on. These texts are a tree, and equal trees get the same number. At many places of a
grammar, after different keys say, the trees are equal. So what is found about a token and a tree is found once for all these
places (outlines.pyx).

A tree is not followed without end. Where its texts are too long, or too many bytes may come, it says so. Of a place inside free
text it says which characters may come.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_clear, bit_count, bit_set, lowest_bit
from ffgrammar.core.intern cimport (
    intern_add, intern_bytes, intern_find, intern_free, intern_init, intern_truncate)
from ffgrammar.core.map cimport ABSENT
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.reach cimport ANY_BYTE, Reach
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.rules cimport MAX_HYPOTHESES, NO_NODE

cdef enum:
    MAX_NEXT = 12     # bytes that may come at one place
    MAX_DEPTH = 6
    MAX_PLACES = 32   # that one call of `find` looks at


@cython.final
cdef class Tails:
    """The tails of a grammar.

    Args:
        boundaries: the grammar's searches for ends of pre-tokens.
        reach: the grammar's `Reach`.
    """

    def __cinit__(self, Boundaries boundaries not None, Reach reach not None):
        self.rules = boundaries.rules
        self.steps = boundaries.steps
        self.boundaries = boundaries
        self.reach = reach
        vec_init(&self.found)
        if intern_init(&self.names) < 0 or intern_init(&self.tails) < 0 or self.clear() < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        intern_free(&self.tails)
        vec_free(&self.found)

    cdef size_t bytes(self) noexcept nogil:
        return intern_bytes(&self.names) + intern_bytes(&self.tails) + self.found.cap * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        cdef uint32_t word = ANYTHING
        cdef uint32_t number
        intern_free(&self.names)
        intern_free(&self.tails)
        vec_free(&self.found)
        if intern_init(&self.names) < 0 or intern_init(&self.tails) < 0:
            return NO_MEMORY
        # (the first tail is OPEN)
        return min(intern_add(&self.tails, &word, 1, &number), OK)

    cdef int find(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* tail) noexcept nogil:
        cdef TraceMark mark
        cdef CanonicalState start = at[0]
        cdef uint32_t i
        cdef int status
        tail[0] = OPEN
        # (what depends on values in the text, or on the node of an unmergeable token, is not kept)
        if (config.row & VIRTUAL or config.row == PENDING or engine.recognizer.rules.has_checks or at.character.need
                or at.unmergeable):
            return OK
        for i in range(at.count if self.rules.has_unmergeable else 0):
            if at.node[i] != <uint32_t>NO_NODE:
                return OK
        self.rules.start(&start, False)
        mark = trace_mark(&engine.recognizer.trace)
        self.room = MAX_PLACES
        status = self.find_at(engine, config, &start, 0, tail)
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef int find_at(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t depth, uint32_t* tail
    ) noexcept nogil:
        cdef uint32_t[2 + MAX_HYPOTHESES] words
        cdef uint32_t count = 2
        cdef uint32_t name, i
        cdef int status
        tail[0] = OPEN
        if config.row & VIRTUAL:
            return OK
        words[0] = config.row
        words[1] = config.state
        for i in range(at.count):
            if self.rules.pretokens.has_atoms and self.rules.pretokens.atoms[at.hypothesis[i]]:
                return OK
            words[count] = at.hypothesis[i]
            count += 1
        if intern_find(&self.names, words, count, &name):
            tail[0] = self.found.data[name]
            return OK
        if depth == MAX_DEPTH or self.room == 0:
            return OK
        self.room -= 1
        status = intern_add(&self.names, words, count, &name)
        if status < 0:
            return status
        status = vec_push(&self.found, OPEN)
        if status >= 0:
            status = self.make(engine, config, at, depth, tail)
        if status < 0:
            # (this place and those after it are looked at again)
            intern_truncate(&self.names, name)
            self.found.len = name
            return status
        self.found.data[name] = tail[0]
        return OK

    cdef int make(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t depth, uint32_t* tail
    ) noexcept nogil:
        cdef uint32_t[FREE_WORDS + MAX_HYPOTHESES + 2 * MAX_NEXT] words
        cdef uint32_t[8] bytes
        cdef uint32_t count = 0
        cdef uint32_t used = 1
        cdef uint32_t byte, word
        cdef CanonicalState after
        cdef Config moved
        cdef int status = self.steps.find_next_bytes(engine, config, bytes)
        if status >= 0:
            status = self.can_end(engine, config, at, bytes)
        if status < 0:
            return status
        words[0] = CAN_END if status > 0 else 0
        self.keep_going_on(at, bytes)
        for word in range(8):
            count += bit_count(bytes[word])
        if count > MAX_NEXT:
            words[0] |= MANY
            count = 0
            status = self.describe_free(engine, config.state, at, words, &used)
            if status < 0:
                return status
        for word in range(8 if count else 0):
            while bytes[word]:
                byte = word << 5 | lowest_bit(bytes[word])
                bytes[word] &= bytes[word] - 1
                moved = config[0]
                after = at[0]
                words[used + 1] = OPEN
                status = 1
                if byte < 0x80:
                    status = self.steps.step(engine, &moved, byte) if self.rules.feed(&after, byte) else 0
                    if status > 0:
                        status = self.find_at(engine, &moved, &after, depth + 1, &words[used + 1])
                        status = 1 if status == OK else status
                if status < 0:
                    return status
                if status:
                    words[used] = byte
                    used += 2
        return min(intern_add(&self.tails, words, used, tail), OK)

    cdef int can_end(
        self, Engine engine, const Config* config, const CanonicalState* at, const uint32_t* bytes
    ) noexcept nogil:
        cdef uint32_t i
        # (most often these bytes tell)
        for i in range(at.count):
            if self.boundaries.judge_bytes(bytes, at.hypothesis[i]) == 1:
                return 1
        return self.boundaries.can_end(engine, config, at)

    cdef int describe_free(
        self, Engine engine, uint32_t state, const CanonicalState* at, uint32_t* words, uint32_t* used
    ) noexcept nogil:
        cdef uint32_t free = ABSENT
        cdef uint32_t byte, target, i
        cdef int status
        memset(words + 1, 0, 4 * sizeof(uint32_t))
        for byte in range(0x20, 0x7F):
            status = dfa_step(&engine.recognizer.dfa, state, byte, &target)
            if status >= 0 and free == ABSENT and target <= LAST_STATE:
                status = self.reach.ends_freely(engine, target, ANY_BYTE)
                if status > 0:
                    free = target
            if status < 0:
                return status
            if target == free:
                bit_set(words + 1, byte)
        if free == ABSENT:
            return OK
        words[0] |= FREE
        words[5] = free == state
        for i in range(at.count):
            words[FREE_WORDS + i] = at.hypothesis[i]
        used[0] = FREE_WORDS + at.count
        return OK

    cdef void keep_going_on(self, const CanonicalState* at, uint32_t* bytes) noexcept nogil:
        cdef uint64_t live = 0
        cdef uint64_t one = 1
        cdef uint32_t left, byte, word, i
        for i in range(at.count):
            live |= self.rules.pretokens.live_on[at.hypothesis[i]]
        for word in range(4):
            left = bytes[word]
            while left:
                byte = word << 5 | lowest_bit(left)
                left &= left - 1
                if not live & one << (self.rules.pretokens.ascii[byte] & 63):
                    bit_clear(bytes, byte)
