"""Boundary transitions: what each token of the vocabulary does to a hypothesis about pre-token boundaries.

From a state of the automaton of pre-tokens (tokens/pretokenize/automaton.py) a token can come in two ways: the pre-token ends
before it, or goes on. For each of the two, one walk over the trie finds the tokens whose characters the automaton allows, and
the states that they lead to. This depends on the tokenizer alone, so it is done once, when it is first asked for. Grammars and
merges are asked later. (All transitions of o200k together take 25 MB. With only half of that kept, a canonical mask took 8 ms
instead of 1.)
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.tokens.pretokenize.table cimport DEAD, PretokenTable, may_begin, successor
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TokenTrie, TrieNode, next_node, node_byte, node_depth, node_token,
)


cdef class BoundaryTransition:
    """What each token does to one hypothesis, in one of the two ways. `BoundaryTransitions` makes it."""

    def __cinit__(self, uint32_t n_words):
        self.mask = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        self.cut = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        # (one word more, because a node without a token has the token number 32 * n_words)
        self.after = <uint8_t*>calloc(32 * (<size_t>n_words + 1), 1)
        if self.mask == NULL or self.cut == NULL or self.after == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.mask)
        free(self.cut)
        free(self.after)


cdef class BoundaryTransitions:
    """The transitions of a tokenizer. Each is made when it is first asked for.

    Args:
        trie: the vocabulary.
        pretokens: the pre-tokenizer. `has_transitions` must be true of it.
        max_bytes: how many bytes of transitions are kept, and four transitions at least. If one more does not fit, all are
            dropped.
    """

    def __cinit__(self, TokenTrie trie not None, PretokenTable pretokens not None, size_t max_bytes=32 << 20):
        self.trie = trie
        self.pretokens = pretokens
        self.kept = {}
        self.max_count = max(4, max_bytes // (40 * <size_t>(trie.n_words + 1)))

    cdef BoundaryTransition find(self, uint32_t hypothesis, bint ends):
        cdef object key = (hypothesis, ends)
        cdef object found = self.kept.get(key)
        cdef BoundaryTransition transition
        if found is not None:
            return <BoundaryTransition>found
        transition = BoundaryTransition(self.trie.n_words)
        with nogil:
            self.fill(transition, hypothesis, ends)
        if <size_t>len(self.kept) >= self.max_count:
            self.kept = {}
        self.kept[key] = transition
        return transition

    cdef void fill(self, BoundaryTransition transition, uint32_t hypothesis, bint ends) noexcept nogil:
        cdef const TrieNode* nodes = self.trie.nodes
        # By depth: the state of the automaton, the character that is being read, and whether the first character is complete.
        # `ends` applies to this character only.
        cdef uint16_t[MAX_TOKEN_BYTES + 1] states
        cdef Utf8[MAX_TOKEN_BYTES + 1] characters
        cdef bint[MAX_TOKEN_BYTES + 1] begun
        cdef uint32_t at = 1
        cdef uint32_t depth, token
        cdef bint ends_here, alive
        states[0] = <uint16_t>hypothesis
        characters[0].need = 0
        begun[0] = False
        while at < self.trie.node_count:
            depth = node_depth(&nodes[at])
            characters[depth] = characters[depth - 1]
            states[depth] = states[depth - 1]
            begun[depth] = begun[depth - 1]
            ends_here = ends and not begun[depth]
            alive = utf8_step(&characters[depth], node_byte(&nodes[at]))
            if alive and characters[depth].need:
                alive = may_begin(self.pretokens, states[depth], &characters[depth], ends_here)
            elif alive:
                # (`has_transitions` is true: way 0 is the only one to go on, and way 1 the only one to end)
                states[depth] = <uint16_t>successor(
                    self.pretokens, ends_here, states[depth], self.pretokens.class_of(characters[depth].code))
                begun[depth] = True
                alive = states[depth] != DEAD
            if alive:
                token = node_token(&nodes[at])
                bit_set(transition.mask, token)
                if characters[depth].need:
                    bit_set(transition.cut, token)
                else:
                    transition.after[token] = <uint8_t>states[depth]
            at = next_node(nodes, at, alive)


cdef bint has_transitions(PretokenTable pretokens) noexcept nogil:
    return pretokens.states <= MAX_STATES and pretokens.ways <= 2 and pretokens.stays == 1 and not pretokens.has_atoms
