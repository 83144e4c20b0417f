"""A pre-token can end at a place if some text that the grammar allows next makes it end there. A few characters show this, and
no tokens are needed. Many tokens lead to the same place, so the answer is kept, unless it depends on values in the text.

Inside a string of any text, the lexer alone shows it. What the lexer shows holds in all rows of the parser, so it is found once for
each lexer state.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_count, bit_test, lowest_bit
from ffgrammar.core.compare cimport bits_unlike
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_free, intern_init, intern_truncate
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.utf8 cimport utf8_step
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD as DEAD_STATE, LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.outcomes cimport AsciiClass
from ffgrammar.tokens.pretokenize.table cimport DEAD

cdef enum:
    # A search that reaches one of these bounds takes it for granted that the pre-token can end.
    MAX_STEPS = 1 << 16    # bytes that it tries
    FREE = 90              # of the printable ASCII characters: if as many may come, the lexer is asked first
    MAX_INSIDE = 1 << 10   # the same for a search inside a lexeme
    MAX_FRONTIER = 3 * 64  # words, three for each configuration


@cython.final
cdef class Boundaries:
    """The searches for ends of pre-tokens under a grammar.

    Args:
        rules: the tokenizer's rules.
        steps: the steps of the grammar's searches.
    """

    def __cinit__(self, CanonicalRules rules not None, SearchSteps steps not None):
        self.rules = rules
        self.outcomes = rules.outcomes
        self.steps = steps
        vec_init(&self.verdicts)
        vec_init(&self.frontier)
        if intern_init(&self.names) < 0 or map_init(&self.inside) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        map_free(&self.inside)
        vec_free(&self.verdicts)
        vec_free(&self.frontier)

    cdef size_t bytes(self) noexcept nogil:
        return intern_bytes(&self.names) + map_bytes(&self.inside) + self.verdicts.cap * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.verdicts)
        map_clear(&self.inside)
        return intern_init(&self.names)

    cdef int can_end(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef uint32_t i
        cdef int status
        if at.character.need:
            return 0
        for i in range(at.count):
            if self.rules.is_unmergeable(at.node[i]) and not at.unmergeable:
                continue
            if self.rules.pretokens.final[at.hypothesis[i]]:
                status = self.steps.accepting(engine, config)
                if status != 0:
                    return status
            status = self.can_reach(engine, config, at.hypothesis[i])
            if status != 0:
                return status
        return 0

    cdef int take(self, Engine engine, Config* config, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef const uint8_t* blob = self.rules.trie.blob
        cdef uint32_t i
        cdef int status
        self.rules.start(at, False)
        for i in range(self.rules.trie.offsets[token], self.rules.trie.offsets[token + 1]):
            status = self.steps.step(engine, config, blob[i])
            if status <= 0:
                return status
            if not self.rules.feed(at, blob[i]):
                return 0
        status = self.rules.fits(at, token, False)
        return self.rules.settle(at, token) if status > 0 else status

    cdef int can_reach(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        cdef uint32_t[3] words
        cdef uint32_t name
        cdef size_t answers = self.steps.dependent_answers
        cdef int status
        if not self.rules.may_stop[hypothesis]:
            return 0
        if config.row == PENDING:
            return self.search(engine, config, hypothesis)
        words[0] = lasting_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = hypothesis
        status = intern_add(&self.names, words, 3, &name)
        if status > 0 and vec_push(&self.verdicts, UNKNOWN) < 0:
            intern_truncate(&self.names, intern_count(&self.names) - 1)
            return NO_MEMORY
        if status < 0 or self.verdicts.data[name] != UNKNOWN:
            return status if status < 0 else <int>self.verdicts.data[name]
        status = self.ends_inside(engine, config, hypothesis)
        if status == 0:
            status = self.search(engine, config, hypothesis)
        if status >= 0 and not self.steps.is_text_dependent(config, answers):
            self.verdicts.data[name] = status > 0
        return status

    cdef int ends_inside(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        cdef uint64_t key = <uint64_t>config.state << 32 | hypothesis
        cdef uint32_t steps_left = MAX_INSIDE
        cdef size_t at = 0
        cdef Config reached
        cdef uint32_t found
        cdef int status
        if config.row & VIRTUAL or config.row == PENDING or engine.completability.enabled or not self.is_free(engine, config.state):
            return 0
        found = map_get(&self.inside, key)
        if found != ABSENT:
            return <int>found
        self.frontier.len = 0
        self.stays_inside = True
        status = self.try_characters(engine, config, False, hypothesis, False, &steps_left)
        while status == 0 and at < self.frontier.len:
            reached.row = self.frontier.data[at]
            reached.state = self.frontier.data[at + 1]
            status = self.try_characters(engine, &reached, False, self.frontier.data[at + 2], True, &steps_left)
            at += 3
        self.stays_inside = False
        if status > 0 and (steps_left == 0 or self.frontier.len >= MAX_FRONTIER):
            # (a bound was reached: this does not show anything)
            status = 0
        if status >= 0 and map_put(&self.inside, key, <uint32_t>status) < 0:
            return NO_MEMORY
        return status

    cdef bint is_free(self, Engine engine, uint32_t state) noexcept nogil:
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data + state
        cdef uint64_t count = 0
        cdef uint32_t word
        for word in range(1, 4):
            count += bit_count(bits_unlike(delta + 32 * word, DEAD_STATE))
        return count >= FREE

    cdef int search(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        """A few characters show whether the pre-token can end here: after them any text will do. So this is a breadth-first
        search over characters. The frontier has the places to go on from."""
        cdef uint32_t steps_left = MAX_STEPS
        cdef uint32_t[8] bytes
        cdef bint wide
        cdef size_t at
        cdef Config reached
        cdef int status
        if config.row != PENDING and not config.row & VIRTUAL:
            status = self.steps.find_next_bytes(engine, config, bytes)
            if status >= 0:
                status = self.judge_bytes(bytes, hypothesis)
            if status != UNKNOWN:
                return status
        self.frontier.len = 0
        # (most often ASCII characters are enough)
        for wide in range(2):
            at = 0
            status = self.try_characters(engine, config, wide, hypothesis, False, &steps_left)
            while status == 0 and at < self.frontier.len:
                reached.row = self.frontier.data[at]
                reached.state = self.frontier.data[at + 1]
                status = self.try_characters(engine, &reached, False, self.frontier.data[at + 2], True, &steps_left)
                if status == 0 and wide:
                    status = self.try_characters(engine, &reached, True, self.frontier.data[at + 2], True, &steps_left)
                at += 3
            if status != 0:
                return status
        return 0

    cdef int judge_bytes(self, const uint32_t* bytes, uint32_t hypothesis) noexcept nogil:
        cdef uint64_t live = self.rules.pretokens.live_ends[hypothesis]
        # (the first byte of a longer character does not tell)
        cdef int result = UNKNOWN if bytes[4] | bytes[5] | bytes[6] | bytes[7] else 0
        cdef const AsciiClass* ascii
        cdef uint32_t i
        for i in range(self.outcomes.ascii_count):
            ascii = &self.outcomes.ascii[i]
            if not (live >> (ascii.number & 63) & 1 and (
                    bytes[0] & ascii.bytes[0] | bytes[1] & ascii.bytes[1] | bytes[2] & ascii.bytes[2]
                    | bytes[3] & ascii.bytes[3])):
                continue
            if bit_test(self.outcomes.sure_ends + ascii.number * self.outcomes.words, hypothesis):
                return 1
            result = UNKNOWN
        return result

    cdef int try_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint ended, uint32_t* steps_left
    ) noexcept nogil:
        cdef uint64_t live = self.rules.pretokens.live_ends[hypothesis]
        cdef uint32_t first_word = 4 if wide else 0
        cdef uint32_t[8] bytes
        cdef Utf8 start
        cdef uint32_t word, byte
        cdef int status
        if ended:
            live |= self.rules.pretokens.live_on[hypothesis]
        if not live:
            return 0
        start.need = 0
        memset(bytes, 0xFF, sizeof(bytes))
        if config.row != PENDING and not self.stays_inside:
            status = self.steps.find_next_bytes(engine, config, bytes)
            if status < 0:
                return status
        if not wide:
            self.keep_live(live, bytes)
        for word in range(first_word, first_word + 4):
            while bytes[word]:
                byte = word << 5 | lowest_bit(bytes[word])
                bytes[word] &= bytes[word] - 1
                status = self.try_byte(engine, config, &start, byte, live, hypothesis, ended, steps_left)
                if status != 0:
                    return status
        return 0

    cdef void keep_live(self, uint64_t live, uint32_t* bytes) noexcept nogil:
        cdef uint32_t[4] kept
        cdef uint32_t i, word
        memset(kept, 0, sizeof(kept))
        for i in range(self.outcomes.ascii_count):
            if live >> (self.outcomes.ascii[i].number & 63) & 1:
                for word in range(4):
                    kept[word] |= self.outcomes.ascii[i].bytes[word]
        for word in range(4):
            bytes[word] &= kept[word]

    cdef int try_byte(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t byte, uint64_t live, uint32_t hypothesis,
        bint ended, uint32_t* steps_left,
    ) noexcept nogil:
        # if the pre-token has not ended yet, it has to end before this character: ways in which it goes on do not count
        cdef uint32_t first = 0 if ended else self.rules.pretokens.stays
        cdef Utf8 after = part[0]
        cdef Config moved
        cdef uint32_t next, transition
        cdef uint32_t entry = 0
        cdef uint64_t one = 1
        cdef int status
        if byte < 0x80 and not live & one << (self.rules.pretokens.ascii[byte] & 63):
            return 0
        if not utf8_step(&after, byte) or (after.need and not live & self.rules.pretokens.possible(&after)):
            return 0
        if not after.need:
            entry = hypothesis * self.rules.pretokens.classes + self.rules.pretokens.class_of(after.code)
            if not self.has_transition(first, entry):
                return 0
        if steps_left[0] == 0:
            return 1
        steps_left[0] -= 1
        moved = config[0]
        if self.stays_inside:
            status = dfa_step(&engine.recognizer.dfa, config.state, byte, &moved.state)
            status = min(status, 0) if status < 0 or moved.state > LAST_STATE else 1
        else:
            status = self.steps.step(engine, &moved, byte)
        if status <= 0:
            return status
        if after.need:
            for next in range(after.low, <uint32_t>after.high + 1):
                status = self.try_byte(engine, &moved, &after, next, live, hypothesis, ended, steps_left)
                if status != 0:
                    return status
            return 0
        for transition in range(first, self.rules.pretokens.ways):
            status = self.pass_boundary(engine, &moved, self.rules.pretokens.to[transition * self.rules.pretokens.size + entry])
            if status != 0:
                return status
        return 0

    cdef bint has_transition(self, uint32_t first, uint32_t entry) noexcept nogil:
        cdef uint32_t transition
        for transition in range(first, self.rules.pretokens.ways):
            if self.rules.pretokens.to[transition * self.rules.pretokens.size + entry] != DEAD:
                return True
        return False

    cdef int pass_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        cdef uint32_t[3] words
        cdef size_t i
        cdef int status
        if hypothesis == DEAD:
            return 0
        if self.rules.is_sure[hypothesis]:
            return 1
        if self.rules.pretokens.final[hypothesis] and not self.stays_inside:
            status = self.steps.accepting(engine, config)
            if status != 0:
                return status
        for i in range(0, self.frontier.len, 3):
            if (self.frontier.data[i] == config.row and self.frontier.data[i + 1] == config.state
                    and self.frontier.data[i + 2] == hypothesis):
                return 0
        if self.frontier.len >= MAX_FRONTIER:
            return 1
        words[0] = config.row
        words[1] = config.state
        words[2] = hypothesis
        return vec_extend(&self.frontier, words, 3)
