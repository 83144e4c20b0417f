"""From a state of the automaton of pre-tokens (tokens/pretokenize/automaton.py) there are two ways on: the pre-token ends, or it
goes on. For each, which tokens' characters it allows and where they lead is found once for a vocabulary; grammars and merges are
asked later."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.pretokenize.table cimport DEAD
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token


cdef class BoundaryTransition:
    """One of them. Made by `BoundaryTransitions`."""

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


cdef class BoundaryTransitions:
    """The ways of a tokenizer, each made when it is asked for.

    Args:
        rules: of the tokenizer; its automaton has at most MAX_STATES states.
        max_bytes: how much is kept. Over it all are dropped. (All of o200k's take 25 MB, if all are asked for; with half of
            that a mask took 8 ms where it takes 1.)
    """

    def __cinit__(self, CanonicalRules rules not None, size_t max_bytes=32 << 20):
        self.rules = rules
        self.kept = {}
        self.max_count = max(4, max_bytes // (40 * <size_t>(rules.trie.n_words + 1)))

    cdef BoundaryTransition find(self, uint32_t hypothesis, bint ends):
        cdef object key = (hypothesis, ends)
        cdef object found = self.kept.get(key)
        cdef BoundaryTransition transition
        if found is not None:
            return <BoundaryTransition>found
        transition = BoundaryTransition(self.rules.trie.vocab_size, self.rules.trie.n_words)
        with nogil:
            self.fill(transition, hypothesis, ends)
        if <size_t>len(self.kept) >= self.max_count:
            self.kept = {}
        self.kept[key] = transition
        return transition

    cdef int fill(self, BoundaryTransition transition, uint32_t hypothesis, bint ends) noexcept nogil:
        cdef const TrieNode* it
        cdef uint16_t[MAX_TOKEN_BYTES + 1] states
        cdef Utf8[MAX_TOKEN_BYTES + 1] parts
        cdef uint32_t begun[MAX_TOKEN_BYTES + 1]  # whether the way was taken: with the first character
        cdef uint32_t node = 1
        cdef uint32_t depth, token, character
        cdef uint64_t live
        cdef uint16_t to
        states[0] = <uint16_t>hypothesis
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
                character = states[depth] * self.rules.pretokens.classes + self.rules.pretokens.class_of(parts[depth].code)
                to = self.rules.pretokens.to[character + (self.rules.pretokens.size if ends and not begun[depth] else 0)]
                if to == DEAD:
                    node += node_size(it)
                    continue
                states[depth] = to
                begun[depth] = True
            else:
                if ends and not begun[depth]:
                    live = self.rules.pretokens.live_ends[states[depth]]
                else:
                    live = self.rules.pretokens.live_on[states[depth]]
                if not live & self.rules.pretokens.possible(&parts[depth]):
                    node += node_size(it)
                    continue
            node += 1
            token = node_token(it)
            transition.mask[token >> 5] |= <uint32_t>1 << (token & 31)
            if parts[depth].need:
                transition.cut[token >> 5] |= <uint32_t>1 << (token & 31)
            else:
                transition.after[token] = <uint8_t>states[depth]
        return 0


cdef list transitions_from(CanonicalRules rules, const CanonicalState* at):
    cdef BoundaryTransitions transitions
    cdef list found = []
    cdef uint32_t i
    if at.character.need or rules.pretokens.states > MAX_STATES:
        return None
    if rules.pretokens.ways > 2 or rules.pretokens.stays > 1 or rules.pretokens.has_atoms:
        # a hypothesis becomes several on the way through a token
        return None
    if rules.kept_transitions is None:
        # (two threads may both get here; the ways are the same)
        rules.kept_transitions = BoundaryTransitions(rules)
    transitions = rules.kept_transitions
    for i in range(at.count):
        found.append(transitions.find(at.hypothesis[i], True))
        found.append(transitions.find(at.hypothesis[i], False))
    return found
