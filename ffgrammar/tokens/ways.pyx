"""From a state of the automaton of pieces (boundaries.py) there are two ways on: the piece ends, or it goes on. For each, which
tokens' characters it allows and where they lead is found once for a vocabulary; grammars and merges are asked later."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.tokens.canon cimport Canon, CanonRules
from ffgrammar.tokens.pieces cimport DEAD, Utf8, utf8_step
from ffgrammar.tokens.trie cimport MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token


cdef class Way:
    """One of them. Made by `Ways`."""

    def __cinit__(self, uint32_t vocab_size, uint32_t n_words):
        self.mask = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        self.cut = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        # (the number of nodes without a token is at most vocab_size rounded up to a word)
        self.after = <uint8_t*>calloc(32 * (<size_t>n_words + 1), 1)
        if self.mask == NULL or self.cut == NULL or self.after == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.mask)
        free(self.cut)
        free(self.after)


cdef class Ways:
    """The ways of a tokenizer, each made when it is asked for.

    Args:
        rules: of the tokenizer; its automaton has at most MOST_STATES states.
        max_bytes: how much is kept. Over it all are dropped. (All of o200k's take 25 MB, if all are asked for; with half of
            that a mask took 8 ms where it takes 1.)
    """

    def __cinit__(self, CanonRules rules not None, size_t max_bytes=32 << 20):
        self.rules = rules
        self.kept = {}
        self.max_count = max(4, max_bytes // (40 * <size_t>(rules.trie.n_words + 1)))

    cdef Way find(self, uint32_t guess, bint ends):
        cdef object key = (guess, ends)
        cdef object found = self.kept.get(key)
        cdef Way way
        if found is not None:
            return <Way>found
        way = Way(self.rules.trie.vocab_size, self.rules.trie.n_words)
        with nogil:
            self.fill(way, guess, ends)
        if <size_t>len(self.kept) >= self.max_count:
            self.kept = {}
        self.kept[key] = way
        return way

    cdef int fill(self, Way way, uint32_t guess, bint ends) noexcept nogil:
        cdef const TrieNode* it
        cdef uint16_t[MAX_TOKEN_BYTES + 1] states
        cdef Utf8[MAX_TOKEN_BYTES + 1] parts
        cdef uint32_t begun[MAX_TOKEN_BYTES + 1]  # whether the way was taken: with the first character
        cdef uint32_t node = 1
        cdef uint32_t depth, token, character
        cdef uint64_t live
        cdef uint16_t to
        states[0] = <uint16_t>guess
        parts[0].need = 0
        begun[0] = False
        while node < self.rules.trie.node_count:
            it = self.rules.trie.nodes + node
            depth = node_depth(it)
            parts[depth] = parts[depth - 1]
            states[depth] = states[depth - 1]
            begun[depth] = begun[depth - 1]
            if not utf8_step(&parts[depth], node_byte(it)):
                node += node_size(it)
                continue
            if not parts[depth].need:
                character = states[depth] * self.rules.pieces.classes + self.rules.pieces.class_of(parts[depth].code)
                to = self.rules.pieces.to[character + (self.rules.pieces.size if ends and not begun[depth] else 0)]
                if to == DEAD:
                    node += node_size(it)
                    continue
                states[depth] = to
                begun[depth] = True
            else:
                if ends and not begun[depth]:
                    live = self.rules.pieces.live_ends[states[depth]]
                else:
                    live = self.rules.pieces.live_on[states[depth]]
                if not live & self.rules.pieces.possible(&parts[depth]):
                    node += node_size(it)
                    continue
            node += 1
            token = node_token(it)
            way.mask[token >> 5] |= <uint32_t>1 << (token & 31)
            if parts[depth].need:
                way.cut[token >> 5] |= <uint32_t>1 << (token & 31)
            else:
                way.after[token] = <uint8_t>states[depth]
        return 0


cdef list ways_from(CanonRules rules, const Canon* at):
    cdef Ways ways
    cdef list found = []
    cdef uint32_t i
    if at.character.need or rules.pieces.states > MOST_STATES:
        return None
    if rules.pieces.ways > 2 or rules.pieces.stays > 1 or rules.pieces.has_atoms:
        # a guess becomes several on the way through a token
        return None
    if rules.kept_ways is None:
        # (two threads may both get here; the ways are the same)
        rules.kept_ways = Ways(rules)
    ways = rules.kept_ways
    for i in range(at.count):
        found.append(ways.find(at.guess[i], True))
        found.append(ways.find(at.guess[i], False))
    return found
