"""Lists of routes (routes.pyx): which tokens may come at a place, whatever token stands before them.

Where few bytes may come, all of these tokens are listed. Where more may come, those of some characters are listed first, as they
answer most questions. Where very many may come, only those that begin a witness are listed.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.bits cimport bit_count, bit_test, lowest_bit
from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init
from ffgrammar.engine.canonical.characters cimport FIRST_CHARACTER, PRINTABLE, next_character
from ffgrammar.engine.canonical.token_walk cimport walk_begin, walk_next
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.tokens.vocabulary.trie cimport subtree_end

cdef enum:
    FEW_NEXT = 4         # if more bytes may come, the routes of characters are listed first
    # If more bytes may come, the routes are too many, and only those that begin a witness are listed (witnesses.pyx). (Inside a
    # string that must be an address, most questions would open 64 places in vain.)
    MAX_NEXT = 32
    MAX_NODES = 1024     # of the trie, that a walk for a list may look at
    MAX_CHARACTERS = 16
    MAX_WITNESSES = 4    # routes that begin a witness, of a place
    MAX_TRIES = 8        # bytes for which such a route is looked for


@cython.final
cdef class RouteLists:
    """The lists of a grammar.

    Args:
        boundaries: the grammar's searches for ends of pre-tokens.
    """

    def __cinit__(self, Boundaries boundaries not None):
        cdef size_t room = <size_t>boundaries.rules.trie.max_depth + 1
        self.rules = boundaries.rules
        self.steps = boundaries.steps
        self.witnesses = Witnesses(boundaries)
        vec_init(&self.routes)
        self.states = <CanonicalState*>malloc(room * sizeof(CanonicalState))
        self.configs = <Config*>malloc(room * sizeof(Config))
        if self.states == NULL or self.configs == NULL:
            raise MemoryError

    def __dealloc__(self):
        vec_free(&self.routes)
        free(self.states)
        free(self.configs)

    cdef size_t bytes(self) noexcept nogil:
        return self.routes.cap * sizeof(uint32_t) + self.witnesses.bytes()

    cdef void clear(self) noexcept nogil:
        vec_free(&self.routes)
        self.witnesses.clear()

    cdef int list_some(self, Engine engine, RouteList* found) noexcept nogil:
        cdef uint32_t[8] bytes
        cdef int count = self.find_bytes(engine, bytes)
        if count < 0:
            return count
        if count > MAX_NEXT:
            return self.list_witnesses(engine, bytes, found)
        if count > FEW_NEXT:
            return self.list_characters(engine, bytes, FEW, found)
        return self.list_all(engine, found)

    cdef int find_bytes(self, Engine engine, uint32_t* bytes) noexcept nogil:
        cdef int count = 0
        cdef uint32_t word
        cdef int status = self.steps.find_next_bytes(engine, self.configs, bytes)
        for word in range(8 if status >= 0 else 0):
            count += <int>bit_count(bytes[word])
        return count if status >= 0 else status

    cdef int list_all(self, Engine engine, RouteList* found) noexcept nogil:
        cdef size_t base = self.routes.len
        cdef uint32_t nodes_left = MAX_NODES
        cdef uint32_t[8] bytes
        cdef int status = self.find_bytes(engine, bytes)
        if status >= 0:
            status = self.walk(engine, &nodes_left, bytes)
        if status == OK:
            self.take_from(base, ALL, found)
            return OK
        self.routes.len = base
        if status < 0:
            return status
        if found.count:
            found.listed = SOME
            return OK
        return self.list_characters(engine, bytes, SOME, found)

    cdef int list_characters(
        self, Engine engine, const uint32_t* bytes, uint32_t listed, RouteList* found
    ) noexcept nogil:
        cdef size_t base = self.routes.len
        cdef uint32_t byte = FIRST_CHARACTER
        cdef uint32_t left = MAX_CHARACTERS  # (a walk for a character looks at one node)
        cdef uint32_t _number
        cdef TokenWalk walk
        cdef int status = OK
        self.begin_walk(engine, &walk, &left)
        for _number in range(PRINTABLE):
            walk.node = self.rules.trie.roots[byte]
            if status >= 0 and left and walk.node and bit_test(bytes, byte):
                walk.stop = walk.node + 1
                status = walk_next(engine, self.rules, &walk)
                if status == 1:
                    status = self.add_route(&walk)
            byte = next_character(byte)
        if status < 0:
            self.routes.len = base
            return status
        self.take_from(base, listed, found)
        return OK

    cdef int list_witnesses(self, Engine engine, const uint32_t* bytes, RouteList* found) noexcept nogil:
        cdef size_t base = self.routes.len
        cdef uint32_t byte = FIRST_CHARACTER
        cdef uint32_t tries = 0
        cdef uint32_t _number
        cdef Route route
        cdef int status
        route.place = NO_PLACE
        route.verdict = YES
        status = self.witnesses.has_witness(engine, self.configs, self.states)
        for _number in range(PRINTABLE if status > 0 else 0):
            if tries < MAX_TRIES and bit_test(bytes, byte):
                tries += 1
                status = self.witnesses.first_token(engine, self.configs, self.states, byte, &route.token)
                if status > 0:
                    status = vec_extend(&self.routes, <const uint32_t*>&route, ROUTE_WORDS)
                if status < 0 or self.routes.len - base == MAX_WITNESSES * ROUTE_WORDS:
                    break
            byte = next_character(byte)
        if status < 0:
            self.routes.len = base
            return status
        self.take_from(base, SOME, found)
        return OK

    cdef void take_from(self, size_t base, uint32_t listed, RouteList* found) noexcept nogil:
        found.first = <uint32_t>base
        found.count = <uint32_t>(self.routes.len - base) // ROUTE_WORDS
        found.listed = listed

    cdef void begin_walk(self, Engine engine, TokenWalk* walk, uint32_t* nodes_left) noexcept nogil:
        self.rules.start(self.states, False)
        walk_begin(
            engine, walk, self.states, self.configs, self.steps.pending, nodes_left, &self.steps.dependent_answers)

    cdef int walk(self, Engine engine, uint32_t* nodes_left, const uint32_t* bytes) noexcept nogil:
        cdef TokenWalk walk
        cdef uint32_t word, left
        cdef int status
        self.begin_walk(engine, &walk, nodes_left)
        for word in range(8):
            left = bytes[word]
            while left:
                walk.node = self.rules.trie.roots[word << 5 | lowest_bit(left)]
                left &= left - 1
                if not walk.node:
                    continue
                walk.stop = subtree_end(self.rules.trie.nodes, walk.node)
                status = walk_next(engine, self.rules, &walk)
                while status == 1:
                    status = self.add_route(&walk)
                    if status >= 0:
                        status = walk_next(engine, self.rules, &walk)
                if status != OK:
                    return status
        return OK

    cdef int add_route(self, const TokenWalk* walk) noexcept nogil:
        cdef const CanonicalState* at = &walk.states[walk.depth]
        cdef Route route
        if self.rules.is_misspelt(at, walk.token):
            return OK
        route.token = walk.token
        route.place = NO_PLACE
        # (a token that ends inside a character, or leads to a virtual row, leads to no place)
        route.verdict = PERHAPS if at.character.need or walk.configs[walk.depth].row & VIRTUAL else UNKNOWN
        return vec_extend(&self.routes, <const uint32_t*>&route, ROUTE_WORDS)
