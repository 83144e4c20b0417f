"""Whether a sentence goes on can depend on the values in the text: the keys of an object differ, and so do the items of some
arrays. Where letters can be repeated as often as wanted, it does not depend on them. Each number of repetitions makes another
string, and the text has finitely many values. So with all but a few of these numbers, the string differs from what it must differ
from. (Digits do not show this: `1.0` and `1.00` are one value.)

Values that come later may have to differ, too, and the repetition does not change them. If they cannot, a search meets the repeated
token twice, and takes it for granted that a sentence goes on (Lookahead.end_search). So what is found here is what a search finds
for any text.
"""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport vec_free, vec_init, vec_push
from ffgrammar.engine.recognizer.recognizer cimport parser_row
from ffgrammar.engine.values.trace cimport CHECK_REPEATED, TraceMark, trace_mark, trace_release

cdef enum:
    MAX_TOKENS = 4   # of lowercase letters, and as many of uppercase letters
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

    cdef int goes_on(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef size_t i
        cdef int status = OK if self.is_listed else self.list_tokens(engine)
        if status < 0:
            return status
        for i in range(self.tokens.len):
            status = self.repeats(engine, config, at, self.tokens.data[i])
            trace_release(&engine.recognizer.trace, &mark)
            if status != 0:
                return status
        return 0

    cdef int list_tokens(self, Engine engine) noexcept nogil:
        cdef uint32_t[2] first
        cdef uint32_t token, i, found
        cdef size_t number
        cdef int status
        for number in range(engine.tables.rules.check.len):
            if engine.tables.rules.check.data[number] & <uint32_t>CHECK_REPEATED:
                # (where two items must be equal, another string can be the wrong one)
                self.is_listed = True
                return OK
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
                status = self.lookahead.rules.merges.reached(token)
                if status > 0:
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
        cdef int status = self.lookahead.boundaries.take(engine, &reached, &first, token)
        if status <= 0:
            return status
        second = first
        again = reached
        status = self.lookahead.boundaries.take(engine, &again, &second, token)
        if status <= 0:
            return status
        if (again.state != reached.state or second.count != first.count
                or parser_row(&engine.recognizer, again.row) != parser_row(&engine.recognizer, config.row)):
            return 0
        for i in range(first.count):
            if second.hypothesis[i] != first.hypothesis[i]:
                return 0
        return self.lookahead.has_canonical_completion(engine, &reached, &first)
