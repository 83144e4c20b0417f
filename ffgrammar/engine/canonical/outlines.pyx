"""Of a tail, only the tokens matter that begin to spell it. Most tails have few such tokens, and tails that differ far ahead have
the same. So an outline lists these tokens, and says where nothing is known. What follows from it for the token before it is the
same under all grammars. (Keyed by outlines, what is found is used again far more often than keyed by tails: canonical masks along
compact documents take 0.87 of the time.)

An outline is a list of items:

- a token after which a sentence goes on;
- PERHAPS: a token after which it is not known whether a sentence goes on;
- BELOW: a node of the trie: this is not known of the tokens below it;
- FREE_BELOW: a node of the trie at which free text begins, how many words its tail has, and these words;
- ALL_TOKENS: this is not known of any token.

Items of the first kind come first, because they decide. (There may be a thousand others: the numbers of three digits. On InternLM2,
a mask where 16 digits begin takes half the time with this order.)

A token is no dead end if it can stand beside a token of the first kind, or beside one that goes on with free text. It is one if
it can stand beside no token of any item.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_get, intern_init, intern_len
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.tails cimport ANYTHING, CAN_END, FREE, FREE_WORDS, MANY, OPEN, Tails
from ffgrammar.tokens.canonical.partners cimport has_partner_below
from ffgrammar.tokens.canonical.rules cimport NO_NODE
from ffgrammar.tokens.vocabulary.trie cimport TrieNode, node_depth, node_size, node_token, subtree_end, trie_child

cdef enum:
    # kinds of items; a token after which a sentence goes on has none of these bits
    PERHAPS = 0x40000000
    BELOW = 0x80000000
    FREE_BELOW = 0xC0000000
    KIND = 0xC0000000        # the bits of the kind
    ALL_TOKENS = 0xFFFFFFFF
    MAX_FREE = 64            # the most tokens that list_free lists
    NODE_WORK = 50           # units of work (pulse.pxd) of a node that an outline is made of


cdef inline uint32_t item_size(const uint32_t* item) noexcept nogil:
    """How many words an item has."""
    return item[1] + 2 if item[0] & <uint32_t>KIND == <uint32_t>FREE_BELOW and item[0] != <uint32_t>ALL_TOKENS else 1


@cython.final
cdef class Outlines:
    """The outlines of a grammar.

    Args:
        tails: the grammar's tails.
    """

    def __cinit__(self, Tails tails not None):
        self.tails = tails
        self.rules = tails.rules
        vec_init(&self.outline_of)
        vec_init(&self.items)
        vec_init(&self.others)
        vec_init(&self.free_at)
        vec_init(&self.free_tokens)
        if map_init(&self.verdicts) < 0 or intern_init(&self.outlines) < 0 or self.clear() < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.outlines)
        map_free(&self.verdicts)
        vec_free(&self.outline_of)
        vec_free(&self.items)
        vec_free(&self.others)
        vec_free(&self.free_at)
        vec_free(&self.free_tokens)

    cdef size_t bytes(self) noexcept nogil:
        return (self.tails.bytes() + intern_bytes(&self.outlines) + map_bytes(&self.verdicts)
                + (self.outline_of.cap + self.free_at.cap + self.free_tokens.cap) * sizeof(uint32_t))

    cdef int clear(self) noexcept nogil:
        cdef uint32_t number
        self.cleared += 1
        intern_free(&self.outlines)
        map_clear(&self.verdicts)
        vec_free(&self.outline_of)
        vec_free(&self.free_at)
        vec_free(&self.free_tokens)
        # (the first outline is NO_OUTLINE)
        if intern_init(&self.outlines) < 0 or intern_add(&self.outlines, NULL, 0, &number) < 0:
            return NO_MEMORY
        return self.tails.clear()

    cdef int find(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* outline) noexcept nogil:
        cdef uint32_t tail
        cdef int status = self.tails.find(engine, config, at, &tail)
        return self.find_of(engine, tail, outline) if status >= 0 else status

    cdef int find_of(self, Engine engine, uint32_t tail, uint32_t* outline) noexcept nogil:
        cdef size_t base = self.items.len
        cdef size_t others_base = self.others.len
        cdef int status
        outline[0] = NO_OUTLINE
        if tail == OPEN:
            return OK
        if tail >= self.outline_of.len and vec_fill(&self.outline_of, tail + 1 - self.outline_of.len, 0xFF) < 0:
            return NO_MEMORY
        outline[0] = self.outline_of.data[tail]
        if outline[0] != ABSENT:
            return OK
        status = self.collect(engine, tail, 0)
        if status >= 0:
            status = vec_extend(&self.items, self.others.data + others_base, self.others.len - others_base)
        if status >= 0:
            status = intern_add(&self.outlines, self.items.data + base, self.items.len - base, outline)
        self.items.len = base
        self.others.len = others_base
        if status >= 0:
            self.outline_of.data[tail] = outline[0]
        return min(status, OK)

    cdef int collect(self, Engine engine, uint32_t tail, uint32_t node) noexcept nogil:
        cdef const TrieNode* nodes = self.rules.trie.nodes
        cdef const uint32_t* words = intern_get(&self.tails.tails, tail)
        cdef uint32_t count = intern_len(&self.tails.tails, tail)
        cdef uint32_t below, next, number, i
        cdef int status
        if words[0] & (MANY | ANYTHING):
            return self.add_open(tail, node)
        for i in range(1, count, 2):
            below = trie_child(nodes, node, words[i]) if node else self.rules.trie.roots[words[i]]
            if not below:
                continue
            next = node_token(&nodes[below])
            status = pulse(&engine.recognizer.nodes.pulse, NODE_WORK)
            if status >= 0 and next != self.rules.trie.pad_token:
                status = self.rules.merges.reached(next)
            if status > 0 and not intern_get(&self.tails.tails, words[i + 1])[0] & CAN_END:
                status = self.find_of(engine, words[i + 1], &number)
                if status >= 0:
                    status = self.judge(number, next)
            if status > 0:
                status = vec_push(&self.items, next) if status == 1 else vec_push(&self.others, next | <uint32_t>PERHAPS)
            if status >= 0 and node_size(&nodes[below]) > 1:
                status = self.collect(engine, words[i + 1], below)
            if status < 0:
                return status
        return OK

    cdef int add_open(self, uint32_t tail, uint32_t node) noexcept nogil:
        cdef const uint32_t* words = intern_get(&self.tails.tails, tail)
        cdef uint32_t count = intern_len(&self.tails.tails, tail)
        if node == 0:
            return vec_push(&self.others, ALL_TOKENS)
        if not words[0] & FREE:
            return vec_push(&self.others, node | <uint32_t>BELOW)
        if vec_push(&self.others, node | <uint32_t>FREE_BELOW) < 0 or vec_push(&self.others, count) < 0:
            return NO_MEMORY
        return vec_extend(&self.others, words, count)

    cdef int judge(self, uint32_t outline, uint32_t token) noexcept nogil:
        cdef uint64_t key = <uint64_t>outline << 32 | token
        cdef uint32_t known
        cdef int status
        if outline == NO_OUTLINE:
            return NOT_KNOWN
        known = map_get(&self.verdicts, key)
        if known != ABSENT:
            return <int>known
        status = self.judge_items(outline, token)
        if status >= 0 and map_put(&self.verdicts, key, <uint32_t>status) < 0:
            return NO_MEMORY
        return status

    cdef int judge_items(self, uint32_t outline, uint32_t token) noexcept nogil:
        cdef const uint32_t* items = intern_get(&self.outlines, outline)
        cdef uint32_t count = intern_len(&self.outlines, outline)
        cdef uint32_t kind
        cdef uint32_t i = 0
        cdef int status = 0
        while i < count and items[i] & <uint32_t>KIND == 0 and status == 0:
            status = self.rules.merges.pair(token, items[i])
            i += 1
        if status == 0:
            status = self.precedes_free(outline, token)
        if status != 0:
            return status if status > 0 else NO_MEMORY
        while i < count and status == 0:
            kind = items[i] & <uint32_t>KIND
            if items[i] == <uint32_t>ALL_TOKENS:
                return NOT_KNOWN
            if kind == <uint32_t>PERHAPS:
                status = self.rules.merges.pair(token, items[i] & ~<uint32_t>KIND)
            else:
                status = has_partner_below(self.rules, token, items[i] & ~<uint32_t>KIND)
            i += item_size(items + i)
        return NO_MEMORY if status < 0 else NOT_KNOWN if status else 0

    cdef int precedes_free(self, uint32_t outline, uint32_t token) noexcept nogil:
        cdef uint32_t at, i
        cdef int status
        if self.free_at.len <= outline and vec_fill(&self.free_at, outline + 1 - self.free_at.len, 0xFF) < 0:
            return NO_MEMORY
        if self.free_at.data[outline] == ABSENT:
            self.free_at.data[outline] = <uint32_t>self.free_tokens.len
            if self.list_free(outline) < 0:
                self.free_tokens.len = self.free_at.data[outline]
                self.free_at.data[outline] = ABSENT
                return NO_MEMORY
        at = self.free_at.data[outline]
        # (a token that can follow one token can follow most, so the first pair decides most often)
        for i in range(self.free_tokens.data[at]):
            status = self.rules.merges.pair(token, self.free_tokens.data[at + 1 + i])
            if status != 0:
                return NO_MEMORY if status < 0 else 1
        return 0

    cdef int list_free(self, uint32_t outline) noexcept nogil:
        cdef const uint32_t* items = intern_get(&self.outlines, outline)
        cdef uint32_t count = intern_len(&self.outlines, outline)
        cdef size_t base = self.free_tokens.len
        cdef uint32_t i = 0
        cdef int status = vec_push(&self.free_tokens, 0)
        while i < count and status >= 0:
            if items[i] & <uint32_t>KIND == <uint32_t>FREE_BELOW and items[i] != <uint32_t>ALL_TOKENS:
                status = self.add_free(items + i, base + 1 + MAX_FREE)
            i += item_size(items + i)
        self.free_tokens.data[base] = <uint32_t>(self.free_tokens.len - base - 1)
        return status

    cdef int add_free(self, const uint32_t* item, size_t room) noexcept nogil:
        cdef const TrieNode* nodes = self.rules.trie.nodes
        cdef uint32_t node = item[0] & ~<uint32_t>KIND
        cdef uint32_t below, next
        cdef int status
        for below in range(node + 1, subtree_end(nodes, node)):
            next = node_token(&nodes[below])
            if self.free_tokens.len == room:
                return OK
            if next == self.rules.trie.pad_token or not self.returns(item, node_depth(&nodes[node]), next):
                continue
            status = self.rules.merges.reached(next)
            if status < 0 or (status and vec_push(&self.free_tokens, next) < 0):
                return NO_MEMORY
        return OK

    cdef bint returns(self, const uint32_t* item, uint32_t depth, uint32_t token) noexcept nogil:
        cdef const uint32_t* words = item + 2  # of the tail
        cdef uint32_t count = item[1] - FREE_WORDS
        cdef CanonicalState at
        cdef uint32_t i, byte
        if not words[5] and self.rules.trie.offsets[token + 1] - self.rules.trie.offsets[token] != depth + 1:
            return False
        self.rules.begin(&at)
        self.rules.start(&at, False)
        at.inside = True
        at.count = <uint8_t>count
        for i in range(count):
            at.hypothesis[i] = <uint16_t>words[FREE_WORDS + i]
            at.node[i] = NO_NODE
        for i in range(self.rules.trie.offsets[token] + depth, self.rules.trie.offsets[token + 1]):
            byte = self.rules.trie.blob[i]
            if byte >= 0x80 or not bit_test(words + 1, byte) or not self.rules.feed(&at, byte):
                return False
        for i in range(at.count):
            if bit_test(self.rules.free_ends, at.hypothesis[i]):
                return True
        return False

    cdef const uint32_t* describe(self, uint32_t outline, uint32_t* count) noexcept nogil:
        count[0] = intern_len(&self.outlines, outline)
        return intern_get(&self.outlines, outline)
