"""Searches come to the same place after many tokens. The tokens that may come there are the same each time, apart from merges. So
they are listed, and a search only checks which of them may stand beside the last token. Most may not, and the check costs less
than the steps of a walk.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_free, intern_init, intern_truncate
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.token_walk cimport OUT_OF_NODES, TokenWalk, walk_next
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.tokens.canonical.rules cimport FIRST, MAX_HYPOTHESES
from ffgrammar.tokens.vocabulary.trie cimport subtree_end

cdef enum:
    # instead of an offset in `found`
    ASKED_ONCE = 0xFFFFFFFF
    TOO_MANY = 0xFFFFFFFE
    MAX_NODES = 1024  # of the trie, that a walk for a list may look at


@cython.final
cdef class Choices:
    """The choices of a grammar.

    Args:
        rules: the tokenizer's rules.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules
        vec_init(&self.offsets)
        vec_init(&self.found)
        if intern_init(&self.names) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        vec_free(&self.offsets)
        vec_free(&self.found)

    cdef size_t bytes(self) noexcept nogil:
        return intern_bytes(&self.names) + (self.offsets.cap + self.found.cap) * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.offsets)
        vec_free(&self.found)
        return intern_init(&self.names)

    cdef bint serves(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        # (virtual rows do not last; nodes of unmergeable tokens would be part of the name)
        return not (config.row & VIRTUAL or config.row == PENDING or engine.recognizer.rules.has_checks
                    or at.character.need or at.last == <uint32_t>FIRST or self.rules.has_unmergeable)

    cdef int find(self, Engine engine, TokenWalk* walk, const uint32_t* bytes, uint32_t* offset) noexcept nogil:
        cdef uint32_t[2 + MAX_HYPOTHESES] words
        cdef uint32_t name, i
        cdef int status
        words[0] = walk.configs[0].row
        words[1] = walk.configs[0].state
        for i in range(walk.states[0].count):
            words[2 + i] = walk.states[0].hypothesis[i]
        status = intern_add(&self.names, words, 2 + <size_t>walk.states[0].count, &name)
        if status > 0 and vec_push(&self.offsets, ASKED_ONCE) < 0:
            intern_truncate(&self.names, intern_count(&self.names) - 1)
            return NO_MEMORY
        if status != 0:
            return min(status, OK)
        if self.offsets.data[name] == <uint32_t>ASKED_ONCE:
            offset[0] = <uint32_t>self.found.len
            status = self.make_list(engine, walk, bytes)
            if status <= 0:
                self.found.len = offset[0]
            if status < 0:
                return status
            self.offsets.data[name] = offset[0] if status else <uint32_t>TOO_MANY
        offset[0] = self.offsets.data[name]
        return offset[0] != <uint32_t>TOO_MANY

    cdef int make_list(self, Engine engine, TokenWalk* walk, const uint32_t* bytes) noexcept nogil:
        cdef size_t base = self.found.len
        cdef uint32_t nodes_left = MAX_NODES
        cdef uint32_t* of_search = walk.nodes_left
        cdef uint32_t[CHOICE_WORDS] words
        cdef uint32_t byte
        cdef int status = vec_push(&self.found, 0)
        walk.nodes_left = &nodes_left
        for byte in range(256):
            walk.node = self.rules.trie.roots[byte]
            if status < 0 or not walk.node or not bit_test(bytes, byte):
                continue
            walk.stop = subtree_end(self.rules.trie.nodes, walk.node)
            status = walk_next(engine, self.rules, walk)
            while status == 1:
                # (a token that merges do not make cannot go on with a pre-token)
                status = self.rules.merges.reached(walk.token)
                if status > 0:
                    words[0] = walk.token
                    words[1] = walk.configs[walk.depth].row
                    words[2] = walk.configs[walk.depth].state
                    status = vec_extend(&self.found, words, CHOICE_WORDS)
                    self.found.data[base] += 1
                if status >= 0:
                    status = walk_next(engine, self.rules, walk)
            if status == OUT_OF_NODES:
                break
        walk.nodes_left = of_search
        return status if status < 0 else status != OUT_OF_NODES
