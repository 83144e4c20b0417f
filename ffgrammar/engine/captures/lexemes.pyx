"""The recognizer says where lexemes end, so the lexing rule is written down once."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.parser.tables cimport TokenClass, find_class
from ffgrammar.engine.recognizer.recognizer cimport (
    Config, LexemeEnds, recognizer_is_finished, recognizer_move_noting, recognizer_token,
)
from ffgrammar.regex.dfa.lazy_dfa cimport NO_LEXEMES, dfa_accept
from ffgrammar.engine.captures.text import common_prefix, is_continued


cdef class Lexemes:
    """The lexemes of a matcher's text.

    Args:
        engine: the engine of a grammar without checks.
    """

    def __cinit__(self, Engine engine not None):
        self.engine = engine
        self.restart()

    cdef int restart(self) except -1:
        self.generation = self.engine.generation
        self.now = self.engine.first
        self.text = b""
        self.special = []
        self.configs = [(self.now.row, self.now.state)]
        self.taken = [0]
        self.offsets = [0]
        self.edges = [[]]
        self.growing = ()
        self.provisional = False
        return 0

    cdef Lexemes copy(self):
        cdef Lexemes other = Lexemes.__new__(Lexemes, self.engine)
        other.generation = self.generation
        other.now = self.now
        other.text = self.text
        other.special = self.special
        other.configs = self.configs[:]
        other.taken = self.taken[:]
        other.offsets = self.offsets[:]
        other.edges = self.edges[:]
        other.growing = self.growing
        other.provisional = self.provisional
        return other

    cdef Py_ssize_t read(self, bytes text, list special, bint ended) except -1:
        cdef Py_ssize_t stay, at, used
        self.engine.acquire()
        try:
            if self.provisional:
                self.offsets.pop()
                self.edges.pop()
                self.provisional = False
            if self.generation != self.engine.generation:
                self.restart()
            if is_continued(text, special, self.text, self.special):
                at, used = len(self.text), len(self.special)
            else:
                self.cut(common_prefix(text, special, self.text, self.special))
                at, used = self.offsets[-1], self.taken[-1]
            stay = len(self.offsets)
            self.text, self.special = text, special
            self.read_from(at, used)
            self.finish(ended)
        except BaseException:
            self.restart()
            raise
        finally:
            self.engine.release()
        return stay

    cdef int cut(self, Py_ssize_t keep) except -1:
        cdef Py_ssize_t count = len(self.offsets)
        # (a lexeme that ends at `keep` may have ended there because of the next byte)
        while count > 1 and self.offsets[count - 1] >= keep:
            count -= 1
        for nodes in (self.offsets, self.edges, self.configs, self.taken):
            del nodes[count:]
        self.now.row, self.now.state = self.configs[-1]
        return 0

    cdef int read_from(self, Py_ssize_t at, Py_ssize_t used) except -1:
        for offset, token in self.special[used:]:
            self.read_bytes(at, offset, used)
            self.read_special(token, offset, used)
            at = offset
            used += 1
        return self.read_bytes(at, len(self.text), used)

    cdef int read_bytes(self, Py_ssize_t at, Py_ssize_t end, Py_ssize_t used) except -1:
        cdef const uint8_t* text = self.text
        cdef LexemeEnds ends
        while at < end:
            if not self.engine.checked(recognizer_move_noting(&self.engine.recognizer, &self.now, text[at], &ends)):
                raise AssertionError("the recognizer refuses a text that the matcher has accepted")
            if ends.before != NO_LEXEMES:
                self.add(self.members(ends.before), at, used, ends.between)
            at += 1
            if ends.after != NO_LEXEMES:
                self.add(self.members(ends.after), at, used, self.now)
        return 0

    cdef int read_special(self, uint32_t token, Py_ssize_t at, Py_ssize_t used) except -1:
        cdef TokenClass tokens
        cdef uint32_t i
        if not find_class(&self.engine.tables.rules, token, &tokens):
            raise AssertionError("the matcher has accepted a special token that is no lexeme")
        if self.is_running():
            # (the node's configuration is never asked for: `cut` drops it together with that of the special token)
            self.add(self.members(dfa_accept(&self.engine.recognizer.dfa, self.now.state)), at, used, self.now)
        self.engine.checked(recognizer_token(&self.engine.recognizer, &self.now, &tokens))
        self.add(tuple([tokens.lexemes[i] for i in range(tokens.lexeme_count)]), at, used + 1, self.now)
        return 0

    cdef int finish(self, bint ended) except -1:
        cdef const uint32_t* words
        cdef uint32_t i, number
        self.growing = ()
        if not self.is_running():
            return 0
        if ended or self.engine.checked(recognizer_is_finished(&self.engine.recognizer, &self.now)):
            self.offsets.append(len(self.text))
            lexemes = self.members(dfa_accept(&self.engine.recognizer.dfa, self.now.state))
            self.edges.append([(len(self.edges) - 1, lexemes)])
            self.provisional = True
            return 0
        number = self.now.state >> 8
        words = intern_get(&self.engine.recognizer.dfa.states, number)
        self.growing = tuple([words[i] for i in range(1, intern_len(&self.engine.recognizer.dfa.states, number), 2)])
        return 0

    cdef int add(self, tuple lexemes, Py_ssize_t at, Py_ssize_t used, Config config) except -1:
        self.edges.append([(len(self.edges) - 1, lexemes)])
        self.offsets.append(at)
        self.taken.append(used)
        self.configs.append((config.row, config.state))
        return 0

    cdef bint is_running(self) noexcept:
        # (the first word of a lexer state says whether it has read nothing)
        return not intern_get(&self.engine.recognizer.dfa.states, self.now.state >> 8)[0]

    cdef tuple members(self, uint32_t lexset):
        cdef const uint32_t* words = intern_get(&self.engine.recognizer.dfa.lexsets, lexset)
        cdef uint32_t i
        return tuple([words[i] for i in range(intern_len(&self.engine.recognizer.dfa.lexsets, lexset))])
