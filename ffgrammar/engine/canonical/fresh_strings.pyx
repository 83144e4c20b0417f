"""Whether a sentence goes on can depend on the values in the text: the keys of an object differ, and so do the items of some
arrays. But most strings differ from all strings in the text after a few characters, however they go on. Such a string is *fresh*.
A check that compares it, or a value that contains it, with values before it finds them unlike. So after two fresh strings in one
row of the parser and one lexer state, a text goes on in the same way until another string ends. That string may be equal to one of
the two.

This serves where a string is too short for repeated letters (repeats.pyx). What is found holds for one text only. (On Gemma 2, a
mask inside a string of at most 39 characters that must differ from other items takes 0.15 ms. It takes 50 ms if it is made from
parts.)
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.intern cimport intern_count
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.vec cimport vec_free, vec_init
from ffgrammar.engine.values.json_values cimport values_string
from ffgrammar.engine.values.trace cimport (
    TraceMark, trace_alike, trace_begin_fresh, trace_end_fresh, trace_mark, trace_release,
)
from ffgrammar.tokens.vocabulary.trie cimport node_token, subtree_end, trie_child

cdef enum:
    LOG_VALUES = 3  # looking at 2^LOG_VALUES values of the text is one unit of work (pulse.pxd)


@cython.final
cdef class FreshStrings:
    """Fresh strings under a grammar.

    Args:
        lookahead: the grammar's look-ahead.
    """

    def __cinit__(self, Lookahead lookahead not None):
        self.lookahead = lookahead
        vec_init(&self.alike)

    def __dealloc__(self):
        vec_free(&self.alike)

    cdef int can_end(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef int status = trace_begin_fresh(&engine.recognizer.trace, config.row)
        if status > 0:
            status = self.lookahead.boundaries.can_end(engine, config, at)
        self.end(engine, &mark, answers)
        return status

    cdef int can_follow(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token
    ) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef CanonicalState after = at[0]
        cdef Config moved = config[0]
        cdef int status = trace_begin_fresh(&engine.recognizer.trace, config.row)
        self.lookahead.begin_search(config)
        if status > 0:
            status = self.lookahead.boundaries.take(engine, &moved, &after, token)
        if status > 0:
            # (a search that tries one letter after another seldom ends)
            status = self.lookahead.ends_soon(engine, &moved, &after)
            if status == 0:
                status = self.lookahead.has_canonical_completion(engine, &moved, &after)
        if status > 0 and self.lookahead.gave_up:
            # (the search has shown nothing)
            status = 0
        self.end(engine, &mark, answers)
        return status

    cdef void end(self, Engine engine, const TraceMark* mark, size_t answers) noexcept nogil:
        trace_end_fresh(&engine.recognizer.trace)
        trace_release(&engine.recognizer.trace, mark)
        self.lookahead.steps.dependent_answers = answers

    cdef int mark_alike(self, Engine engine, const Config* config, uint32_t* words) noexcept nogil:
        cdef const uint8_t* text
        cdef size_t i, begun, count
        cdef int status = pulse(
            &engine.recognizer.nodes.pulse, 1 + (intern_count(&engine.recognizer.trace.values.tuples) >> LOG_VALUES))
        self.alike.len = 0
        if status >= 0:
            status = trace_alike(&engine.recognizer.trace, config.row, &self.alike, &begun)
        if status <= 0 or self.alike.len == 0:
            return status
        self.mark_escapes(0, words)
        for i in range(self.alike.len):
            status = pulse(&engine.recognizer.nodes.pulse, 1)
            if status < 0:
                return status
            text = values_string(&engine.recognizer.trace.values, self.alike.data[i], &count)
            self.mark_along(text + begun, count - begun, words)
        return 1

    cdef void mark_along(self, const uint8_t* bytes, size_t count, uint32_t* words) noexcept nogil:
        cdef uint32_t node = 0
        cdef size_t i
        for i in range(count):
            node = trie_child(self.lookahead.trie.nodes, node, bytes[i])
            if node == 0:
                return
            if node_token(&self.lookahead.trie.nodes[node]) != self.lookahead.trie.pad_token:
                bit_set(words, node_token(&self.lookahead.trie.nodes[node]))
            self.mark_escapes(node, words)

    cdef void mark_escapes(self, uint32_t node, uint32_t* words) noexcept nogil:
        cdef uint32_t below = trie_child(self.lookahead.trie.nodes, node, c'\\')
        cdef uint32_t end = subtree_end(self.lookahead.trie.nodes, below) if below else below
        while below < end:
            if node_token(&self.lookahead.trie.nodes[below]) != self.lookahead.trie.pad_token:
                bit_set(words, node_token(&self.lookahead.trie.nodes[below]))
            below += 1
