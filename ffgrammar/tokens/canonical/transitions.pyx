"""Boundary transitions: what each token of the vocabulary does to a hypothesis about pre-token boundaries.

From a state of the automaton of pre-tokens (tokens/pretokenize/automaton.py) a token can come in three ways: the pre-token ends
before it, or goes on with it, or the text begins with it. For each of the three, one walk over the trie finds the tokens that
the automaton allows, and the outcomes that they lead to (outcomes.pxd). This depends on the tokenizer alone, so it is done
once, when it is first asked for, and serves all grammars.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint16_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.utf8 cimport utf8_step
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init
from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.canonical.outcomes cimport NO_OUTCOME, Outcomes
from ffgrammar.tokens.pretokenize.table cimport may_begin
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TokenTrie, TrieNode, next_node, node_byte, node_depth, node_token,
)

from ffgrammar.core.forks import new_lock

cdef enum:
    NO_NUMBER = 0xFFFFFFFF


cdef class BoundaryTransition:
    """What each token does to one hypothesis, in one of the ways. `BoundaryTransitions` makes it.

    Args:
        n_words: how many words a mask of the vocabulary has.
    """

    def __cinit__(self, uint32_t n_words):
        # (one word more, because a node without a token has the token number 32 * n_words)
        self.data.mask = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        self.data.cut = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        self.data.after = <uint16_t*>malloc(32 * (<size_t>n_words + 1) * sizeof(uint16_t))
        vec_init(&self.data.endings)
        if self.data.mask == NULL or self.data.cut == NULL or self.data.after == NULL:
            raise MemoryError
        # (NOT_COMING everywhere)
        memset(self.data.after, 0xFF, 32 * (<size_t>n_words + 1) * sizeof(uint16_t))

    def __dealloc__(self):
        free(self.data.mask)
        free(self.data.cut)
        free(self.data.after)
        free(self.data.outcomes)
        free(self.data.listed)
        free(self.data.tokens)
        free(self.data.is_listed)
        free(self.data.needs_ending)
        vec_free(&self.data.endings)


@cython.final
cdef class BoundaryTransitions:
    """The transitions of a tokenizer. Each is made when it is first asked for.

    Args:
        trie: the vocabulary.
        merges: its merges.
        outcomes: the outcomes of its pre-tokenizer.
        whole_pretokens: whether a pre-token with the bytes of a token becomes that token.
        all_merged: whether merges are known to make every token.
        max_bytes: how many bytes of transitions are kept. If one more does not fit, all are dropped.
    """

    def __cinit__(
        self, TokenTrie trie not None, Merges merges not None, Outcomes outcomes not None, bint whole_pretokens, bint all_merged,
        size_t max_bytes=64 << 20,
    ):
        self.trie = trie
        self.merges = merges
        self.outcomes = outcomes
        self.whole_pretokens = whole_pretokens
        self.all_merged = all_merged
        self.max_bytes = max_bytes
        self.kept = {}
        self.lock = new_lock()
        vec_init(&self.numbers)

    def __dealloc__(self):
        vec_free(&self.numbers)

    cdef BoundaryTransition find(self, uint32_t hypothesis, uint32_t way):
        cdef object key = hypothesis << 2 | way
        cdef object found = self.kept.get(key)
        cdef size_t size = 40 * (<size_t>self.trie.n_words + 1) * sizeof(uint32_t)
        cdef BoundaryTransition made
        cdef int status = OK
        if found is not None:
            return <BoundaryTransition>found
        made = BoundaryTransition(self.trie.n_words)
        with self.lock:
            with nogil:
                if not self.all_merged:
                    status = split_all(self.merges)
                if status >= 0:
                    status = self.walk(&made.data, hypothesis, way)
                if status >= 0:
                    status = self.list_tokens(&made.data)
        if status < 0:
            raise MemoryError
        if len(self.kept) and (<size_t>len(self.kept) + 1) * size > self.max_bytes:
            # (another thread may be looking into the dictionary, so it is not replaced)
            self.kept.clear()
        self.kept[key] = made
        return made

    cdef bint by_merges(self, uint32_t token, uint32_t way) noexcept nogil:
        if self.all_merged or (way != GOES_ON and (self.whole_pretokens or self.is_atom[token])):
            return True
        return self.merges.by_token[token].left != <uint32_t>UNREACHED

    cdef int walk(self, Transition* made, uint32_t hypothesis, uint32_t way) noexcept nogil:
        cdef const TrieNode* nodes = self.trie.nodes
        cdef Prefix[MAX_TOKEN_BYTES + 1] path  # by depth
        cdef uint32_t at = 1
        cdef uint32_t depth, token, byte
        cdef int status = OK
        self.numbers.len = 0
        path[0].character.need = 0
        path[0].outcome = NO_OUTCOME
        while at < self.trie.node_count and status >= 0:
            depth = node_depth(&nodes[at])
            token = node_token(&nodes[at])
            byte = node_byte(&nodes[at])
            if byte < 0x80 and path[depth - 1].outcome != NO_OUTCOME and path[depth - 1].character.need == 0:
                # (this is most of the nodes; a first mask takes 5.6 ms on o200k instead of 7.7)
                path[depth].character.need = 0
                status = self.outcomes.step(path[depth - 1].outcome, self.outcomes.pretokens.ascii[byte])
                path[depth].outcome = <uint16_t>status
                if 0 <= status < <int>self.numbers.len and self.numbers.data[status] != <uint32_t>NO_NUMBER:
                    # (A node without a token has pad_token, whose bit is a spare one. To leave it out here would be a branch that
                    # cannot be predicted.)
                    if self.all_merged or (token != self.trie.pad_token and self.by_merges(token, way)):
                        bit_set(made.mask, token)
                        made.after[token] = <uint16_t>self.numbers.data[status]
                    at += 1
                    continue
                if status >= 0:
                    status = status != NO_OUTCOME
            else:
                path[depth] = path[depth - 1]
                status = self.read_byte(&path[depth], byte, hypothesis, way)
            at = next_node(nodes, at, status > 0)
            if status > 0 and token != self.trie.pad_token:
                status = self.add_token(made, token, way, &path[depth])
        return self.copy_outcomes(made) if status >= 0 else status

    cdef int read_byte(self, Prefix* path, uint32_t byte, uint32_t hypothesis, uint32_t way) noexcept nogil:
        cdef uint32_t character
        cdef int status
        if not utf8_step(&path.character, byte):
            return False
        if path.character.need:
            if path.outcome != NO_OUTCOME:
                return self.outcomes.live_classes(path.outcome) & self.outcomes.pretokens.possible(&path.character) != 0
            return may_begin(self.outcomes.pretokens, hypothesis, &path.character, way == ENDS)
        character = self.outcomes.pretokens.class_of(path.character.code)
        if path.outcome != NO_OUTCOME:
            status = self.outcomes.step(path.outcome, character)
        else:
            status = self.outcomes.first(hypothesis, way == ENDS, character)
        path.outcome = <uint16_t>status
        return status if status < 0 else status != NO_OUTCOME

    cdef int add_token(self, Transition* made, uint32_t token, uint32_t way, const Prefix* path) noexcept nogil:
        if not self.by_merges(token, way):
            return OK
        bit_set(made.mask, token)
        if path.character.need:
            bit_set(made.cut, token)
            made.after[token] = IS_CUT
            return OK
        if path.outcome >= self.numbers.len and vec_fill(&self.numbers, path.outcome + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        if self.numbers.data[path.outcome] == <uint32_t>NO_NUMBER:
            self.numbers.data[path.outcome] = made.count
            made.count += 1
        made.after[token] = <uint16_t>self.numbers.data[path.outcome]
        return OK

    cdef int copy_outcomes(self, Transition* made) noexcept nogil:
        cdef size_t words = self.outcomes.words
        cdef size_t outcome
        made.outcomes = <uint32_t*>malloc((made.count * words + 1) * sizeof(uint32_t))
        if made.outcomes == NULL:
            return NO_MEMORY
        for outcome in range(self.numbers.len):
            if self.numbers.data[outcome] != <uint32_t>NO_NUMBER:
                memcpy(
                    made.outcomes + self.numbers.data[outcome] * words, self.outcomes.bits.data + outcome * words,
                    words * sizeof(uint32_t))
        made.all_count = made.count
        return OK

    cdef int list_tokens(self, Transition* made) noexcept nogil:
        cdef uint32_t word, left, token, i
        cdef uint32_t total = 0
        made.listed = <uint32_t*>calloc(<size_t>made.count + 2, sizeof(uint32_t))
        made.is_listed = <bint*>calloc(<size_t>made.count + 1, sizeof(bint))
        if made.listed == NULL or made.is_listed == NULL:
            return NO_MEMORY
        # count the tokens of outcome i in listed[i + 1]
        for word in range(self.trie.n_words):
            left = made.mask[word] & ~made.cut[word]
            while left:
                made.listed[made.after[word << 5 | lowest_bit(left)] + 1] += 1
                left &= left - 1
        for i in range(made.count):
            made.is_listed[i] = made.listed[i + 1] <= MAX_LISTED
            if made.is_listed[i]:
                total += made.listed[i + 1]
            made.listed[i + 1] = total
        made.tokens = <uint32_t*>malloc((<size_t>total + 1) * sizeof(uint32_t))
        if made.tokens == NULL:
            return NO_MEMORY
        # fill the lists from behind: listed[i + 1] goes down to where list i begins
        for word in range(self.trie.n_words, 0, -1):
            left = made.mask[word - 1] & ~made.cut[word - 1]
            while left:
                token = (word - 1) << 5 | lowest_bit(left)
                left &= left - 1
                i = made.after[token]
                if made.is_listed[i]:
                    made.listed[i + 1] -= 1
                    made.tokens[made.listed[i + 1]] = token
        for i in range(made.count):
            made.listed[i] = made.listed[i + 1]
        made.listed[made.count] = total
        return OK
