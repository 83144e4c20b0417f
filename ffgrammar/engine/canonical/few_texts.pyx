"""Inside a property name, the grammar leaves few texts for the rest of the pre-token. Then all these texts are listed, and each
is merged into tokens. The first token of each text may come, because the other tokens of the text may come after it. No other
token may come: the rest of the pre-token is one of these texts, and merges make only one token sequence of a text.

This file and followers.pyx save searches for single tokens (lookahead.pyx). Compared with such searches alone, canonical masks
take 0.87 of the instructions along compact documents of MaskBench, and 0.94 along spaced documents. The median time is 0.76 of
that with searches alone.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_clear, bit_count, bit_set, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.canonical.boundaries cimport UNKNOWN
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.tokens.bpe.ids cimport BPE_NO_MEMORY, Ids
from ffgrammar.tokens.canonical.rules cimport FIRST


cdef inline bint same_place(Engine engine, const Config* one, const Config* other) noexcept nogil:
    """Whether two configurations are equal but for the text."""
    return one.state == other.state and (
        lasting_row(&engine.recognizer, one.row) == lasting_row(&engine.recognizer, other.row))


@cython.final
cdef class FewTexts:
    """Lists the texts that the rest of a pre-token can be under a grammar.

    Args:
        lookahead: the grammar's look-ahead.
    """

    def __cinit__(self, Lookahead lookahead not None):
        self.lookahead = lookahead
        self.rules = lookahead.rules

    cdef int list_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, bint ends, bint partial, Vec* found
    ) noexcept nogil:
        self.steps[0].config = config[0]
        self.steps[0].at = at[0]
        self.rules.start(&self.steps[0].at, ends)
        return self.try_texts(engine, ends or at.last == <uint32_t>FIRST, partial, found)

    cdef int try_texts(self, Engine engine, bint whole, bint partial, Vec* found) noexcept nogil:
        cdef size_t begin = found.len
        cdef int result = OK
        cdef uint32_t depth = 0
        cdef uint32_t tried = 0
        cdef uint32_t word, byte
        cdef TextStep* step
        cdef int status = self.find_bytes(engine, 0)
        while status == OK:
            step = &self.steps[depth]
            word = 0
            while word < 8 and not step.bytes[word]:
                word += 1
            if word == 8:
                if depth == 0:
                    return result
                depth -= 1
                continue
            byte = word << 5 | lowest_bit(step.bytes[word])
            bit_clear(step.bytes, byte)
            if tried == MAX_TRIED or depth == MAX_TEXT:
                return 1
            tried += 1
            status = self.try_byte(engine, depth, byte)
            if status <= 0:
                continue
            depth += 1
            status = self.try_end(engine, depth, whole, begin, found)
            if status == OK:
                status = self.find_bytes(engine, depth)
            if status > 0 and partial:
                result = 1
                status = OK
                depth -= 1
        return status

    cdef int try_byte(self, Engine engine, uint32_t depth, uint32_t byte) noexcept nogil:
        cdef TextStep* step = &self.steps[depth + 1]
        step.at = self.steps[depth].at
        step.config = self.steps[depth].config
        self.text[depth] = byte
        if not self.rules.feed(&step.at, byte):
            return 0
        return self.lookahead.steps.step(engine, &step.config, byte)

    cdef int find_bytes(self, Engine engine, uint32_t depth) noexcept nogil:
        cdef TextStep* step = &self.steps[depth]
        cdef uint32_t count = 0
        cdef uint32_t byte, i
        cdef int status
        if step.at.character.need:
            memset(step.bytes, 0, sizeof(step.bytes))
            for byte in range(step.at.character.low, <uint32_t>step.at.character.high + 1):
                bit_set(step.bytes, byte)
            return OK
        # Where the last bytes led back to the same configuration, they can come any number of times, so the texts are many.
        # (If only the last byte is looked at, canonical masks take 1.1 times the instructions along compact documents: in an
        # array of objects, `},{` can come again and again.)
        for i in range(depth):
            if same_place(engine, &step.config, &self.steps[i].config):
                return 1
        status = self.lookahead.steps.find_next_bytes(engine, &step.config, step.bytes)
        for i in range(8):
            count += bit_count(step.bytes[i])
        return 1 if status == OK and count > MAX_CHOICES else status

    cdef int try_end(self, Engine engine, uint32_t depth, bint whole, size_t begin, Vec* found) noexcept nogil:
        cdef TextStep* step = &self.steps[depth]
        cdef uint32_t i
        cdef int status
        # (an atom is not made by merges)
        for i in range(step.at.count if self.rules.pretokens.has_atoms else 0):
            if self.rules.pretokens.atoms[step.at.hypothesis[i]]:
                return 1
        status = self.can_end(engine, depth)
        return self.add_first(depth, whole, begin, found) if status > 0 else status

    cdef int can_end(self, Engine engine, uint32_t depth) noexcept nogil:
        cdef TextStep* step = &self.steps[depth]
        cdef bint has_bytes
        cdef uint32_t i
        cdef int status
        if step.at.character.need:
            return 0
        # (try_texts asks for the next bytes of this place anyway)
        has_bytes = step.config.row != PENDING and not step.config.row & VIRTUAL
        if has_bytes:
            status = self.lookahead.steps.find_next_bytes(engine, &step.config, step.bytes)
            if status < 0:
                return status
        for i in range(step.at.count):
            if self.rules.pretokens.final[step.at.hypothesis[i]]:
                status = self.lookahead.steps.accepting(engine, &step.config)
                if status != 0:
                    return status
            status = UNKNOWN
            if has_bytes:
                status = self.lookahead.boundaries.judge_bytes(step.bytes, step.at.hypothesis[i])
            if status == UNKNOWN:
                status = self.lookahead.boundaries.can_reach(engine, &step.config, step.at.hypothesis[i])
            if status != 0:
                return status
        return 0

    cdef int add_first(self, uint32_t size, bint whole, size_t begin, Vec* found) noexcept nogil:
        cdef Ids made
        cdef int64_t status
        cdef size_t i
        if whole:
            made.items = self.tokens
            made.count = 0
            made.room = MAX_TEXT
            status = self.rules.merges.encode(self.text, size, self.rules.whole_pretokens, &made)
        else:
            status = self.rules.merges.merge_text(self.text, size, self.tokens, 1)
        if status < 0:
            return NO_MEMORY if status == BPE_NO_MEMORY else 1
        for i in range(begin, found.len):
            if found.data[i] == self.tokens[0]:
                return OK
        return vec_push(found, self.tokens[0])
