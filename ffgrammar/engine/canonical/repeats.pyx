"""Whether a sentence goes on can depend on the values in the text: the keys of an object differ, and so do the items of some
arrays. Where letters can be repeated as often as wanted, it does not depend on them. Each number of repetitions makes another
string, and the text has finitely many values. So with all but a few of these numbers, the string differs from what it must differ
from. (Digits do not show this: `1.0` and `1.00` are one value.)
"""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport vec_free, vec_init, vec_push
from ffgrammar.engine.recognizer.recognizer cimport parser_row
from ffgrammar.engine.values.trace cimport CHECK_REPEATED, TraceMark, trace_mark, trace_release

cdef enum:
    MAX_TOKENS = 4  # of small letters, and of capital letters
    MAX_LETTERS = 3


@cython.final
cdef class Repeats:
    """Tokens of letters that can be repeated.

    Args:
        lookahead: the grammar's look-ahead.
    """

    def __cinit__(self, Lookahead lookahead not None):
        self.lookahead = lookahead
        vec_init(&self.tokens)

    def __dealloc__(self):
        vec_free(&self.tokens)

    cdef int go_on(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef size_t i
        cdef int status = OK if self.is_listed else self.list_tokens()
        if status < 0 or self.asks_for_equal_values(engine):
            return min(status, 0)
        for i in range(self.tokens.len):
            status = self.repeats(engine, config, at, self.tokens.data[i])
            trace_release(&engine.recognizer.trace, &mark)
            if status != 0:
                return status
        return 0

    cdef bint asks_for_equal_values(self, Engine engine) noexcept nogil:
        cdef size_t i
        for i in range(engine.tables.rules.check.len):
            if engine.tables.rules.check.data[i] & <uint32_t>CHECK_REPEATED:
                return True
        return False

    cdef int list_tokens(self) noexcept nogil:
        cdef uint32_t[2] first
        cdef uint32_t token, i, found
        cdef int status
        first[0] = c'a'
        first[1] = c'A'
        self.tokens.len = 0
        for i in range(2):
            found = 0
            for token in range(self.lookahead.trie.vocab_size):
                if found == MAX_TOKENS:
                    break
                if not self.has_letters(token, first[i]):
                    continue
                status = self.lookahead.rules.merges.pair(token, token)
                if status > 0:
                    found += 1
                    status = vec_push(&self.tokens, token)
                if status < 0:
                    return status
        self.is_listed = True
        return OK

    cdef bint has_letters(self, uint32_t token, uint32_t first) noexcept nogil:
        cdef uint32_t begin = self.lookahead.trie.offsets[token]
        cdef uint32_t end = self.lookahead.trie.offsets[token + 1]
        cdef uint32_t i
        for i in range(begin, end):
            if self.lookahead.trie.blob[i] - first >= <uint32_t>26:
                return False
        # (a letter may have a second token, which stands for its byte)
        return 0 < end - begin <= MAX_LETTERS and self.lookahead.trie.find_token(
            self.lookahead.trie.blob + begin, end - begin) == <int>token

    cdef int repeats(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token
    ) noexcept nogil:
        cdef CanonicalState first = at[0]
        cdef Config reached = config[0]
        cdef CanonicalState second
        cdef Config again
        cdef uint32_t i
        cdef int status = self.take(engine, &reached, &first, token)
        if status <= 0:
            return status
        second = first
        again = reached
        status = self.take(engine, &again, &second, token)
        if status <= 0:
            return status
        if (again.state != reached.state or second.count != first.count
                or parser_row(&engine.recognizer, again.row) != parser_row(&engine.recognizer, config.row)):
            return 0
        for i in range(first.count):
            if second.hypothesis[i] != first.hypothesis[i]:
                return 0
        return self.lookahead.has_canonical_completion(engine, &reached, &first)

    cdef int take(self, Engine engine, Config* config, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef uint32_t i
        cdef int status
        self.lookahead.rules.start(at, False)
        for i in range(self.lookahead.trie.offsets[token], self.lookahead.trie.offsets[token + 1]):
            status = self.lookahead.steps.step(engine, config, self.lookahead.trie.blob[i])
            if status <= 0:
                return status
            if not self.lookahead.rules.feed(at, self.lookahead.trie.blob[i]):
                return 0
        status = self.lookahead.rules.fits(at, token, False)
        return self.lookahead.rules.settle(at, token) if status > 0 else status
