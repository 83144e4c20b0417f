"""Boundary transitions: what each token of the vocabulary does to a hypothesis about pre-token boundaries.

From a state of the automaton of pre-tokens (tokens/pretokenize/automaton.py) a token can come in three ways: the pre-token ends
before it, or goes on with it, or the text begins with it. For each of the three, one walk over the trie finds the tokens that
the automaton allows, and the outcomes that they lead to (outcomes.pxd). This depends on the tokenizer alone, so it is done
once, when it is first asked for, and serves all grammars.

After its first character, what a token does depends on the outcome of this character. So two hypotheses differ only for tokens
that begin with certain characters. A transition is made from the one that differs least: the rest of it is copied. (On
InternLM2, a transition takes 0.4 ms so, and 2.0 ms by a whole walk.)
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.canonical.outcomes cimport NO_OUTCOME, Outcomes
from ffgrammar.tokens.pretokenize.table cimport may_begin
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TokenTrie, TrieNode, next_node, node_byte, node_depth, node_size, node_token, subtree_end,
)

from ffgrammar.core.forks import new_lock

cdef enum:
    NO_NUMBER = 0xFFFFFFFF


cdef class BoundaryTransition:
    """What each token does to one hypothesis, in one of the ways. `BoundaryTransitions` makes it.

    Args:
        n_words: how many words a mask of the vocabulary has.
        hypothesis: a state of the automaton.
        way: the way in which the tokens come.
    """

    def __cinit__(self, uint32_t n_words, uint32_t hypothesis, uint32_t way):
        self.hypothesis = hypothesis
        self.way = way
        vec_init(&self.firsts)
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
        free(self.data.numbers)
        free(self.data.outcomes)
        free(self.data.listed)
        free(self.data.tokens)
        free(self.data.is_listed)
        free(self.data.needs_ending)
        vec_free(&self.data.endings)
        vec_free(&self.firsts)


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
        cdef BoundaryTransition made, other
        cdef const Transition* alike = NULL
        cdef int status
        if found is not None:
            return <BoundaryTransition>found
        made = BoundaryTransition(self.trie.n_words, hypothesis, way)
        with self.lock:
            with nogil:
                status = OK if self.all_merged else split_all(self.merges)
                if status >= 0:
                    status = self.list_firsts(made)
            other = self.most_alike(made) if status >= 0 else None
            if other is not None:
                alike = &other.data
            with nogil:
                if status >= 0:
                    status = self.walk(made, alike)
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

    cdef int list_firsts(self, BoundaryTransition made) noexcept nogil:
        cdef bint ends = made.way == ENDS
        cdef uint32_t character
        cdef int status
        made.live = self.outcomes.pretokens.live_ends[made.hypothesis] if ends else self.outcomes.pretokens.live_on[made.hypothesis]
        for character in range(self.outcomes.pretokens.classes):
            status = self.outcomes.first(made.hypothesis, ends, character)
            if status < 0 or vec_push(&made.firsts, <uint32_t>status) < 0:
                return NO_MEMORY
        return OK

    cdef BoundaryTransition most_alike(self, BoundaryTransition made):
        cdef uint32_t least = NO_NUMBER
        cdef uint32_t[8] bytes
        cdef uint32_t count
        cdef BoundaryTransition found = None
        cdef BoundaryTransition other
        # (Merges let other tokens begin a pre-token than go on with it. Another thread may add a transition meanwhile.)
        for kept in list(self.kept.values()):
            other = <BoundaryTransition>kept
            if self.all_merged or (other.way == GOES_ON) == (made.way == GOES_ON):
                count = self.find_unlike(made, other, bytes)
                if count < least:
                    least = count
                    found = other
                    memcpy(self.unlike, bytes, sizeof(bytes))
        return found

    cdef uint32_t find_unlike(self, BoundaryTransition one, BoundaryTransition other, uint32_t* bytes) noexcept nogil:
        cdef uint64_t bit = 1
        cdef uint64_t classes = one.live ^ other.live
        cdef uint32_t count = 0
        cdef uint32_t character, byte
        cdef uint64_t met
        cdef Utf8 part
        for character in range(self.outcomes.pretokens.classes):
            if one.firsts.data[character] != other.firsts.data[character]:
                classes |= bit << (character & 63)
        memset(bytes, 0, 8 * sizeof(uint32_t))
        for byte in range(256):
            part.need = 0
            # (no token that begins with a byte that begins no character may come here)
            if self.trie.roots[byte] == 0 or not utf8_step(&part, byte):
                continue
            met = self.outcomes.pretokens.possible(&part) if part.need else bit << (self.outcomes.pretokens.ascii[byte] & 63)
            if classes & met:
                bit_set(bytes, byte)
                count += node_size(&self.trie.nodes[self.trie.roots[byte]])
        return count

    cdef int walk(self, BoundaryTransition made, const Transition* other) noexcept nogil:
        cdef uint32_t byte
        cdef int status = OK
        self.numbers.len = 0
        if other != NULL:
            status = self.copy(&made.data, other)
        for byte in range(256):
            if self.trie.roots[byte] == 0 or (other != NULL and not bit_test(self.unlike, byte)):
                continue
            if other != NULL:
                self.forget_tokens(&made.data, self.trie.roots[byte])
            if status >= 0:
                status = self.walk_below(&made.data, self.trie.roots[byte], made.hypothesis, made.way)
        if status >= 0 and other != NULL:
            status = self.drop_outcomes(&made.data)
        return self.copy_outcomes(&made.data) if status >= 0 else status

    cdef int copy(self, Transition* made, const Transition* other) noexcept nogil:
        cdef size_t words = <size_t>self.trie.n_words + 1
        cdef uint32_t outcome
        memcpy(made.mask, other.mask, words * sizeof(uint32_t))
        memcpy(made.cut, other.cut, words * sizeof(uint32_t))
        memcpy(made.after, other.after, 32 * words * sizeof(uint16_t))
        made.count = other.count
        for outcome in range(other.count):
            if self.set_number(other.numbers[outcome], outcome) < 0:
                return NO_MEMORY
        return OK

    cdef int set_number(self, uint32_t outcome, uint32_t number) noexcept nogil:
        if outcome >= self.numbers.len and vec_fill(&self.numbers, outcome + 1 - self.numbers.len, 0xFF) < 0:
            return NO_MEMORY
        self.numbers.data[outcome] = number
        return OK

    cdef void forget_tokens(self, Transition* made, uint32_t at) noexcept nogil:
        cdef uint32_t stop = subtree_end(self.trie.nodes, at)
        cdef uint32_t token
        while at < stop:
            # (a node without a token has pad_token, whose bit is a spare one)
            token = node_token(&self.trie.nodes[at])
            bit_clear(made.mask, token)
            bit_clear(made.cut, token)
            made.after[token] = NOT_COMING
            at += 1

    cdef int drop_outcomes(self, Transition* made) noexcept nogil:
        cdef uint32_t count = 0
        cdef uint32_t word, left, outcome, i
        cdef Vec kept
        vec_init(&kept)
        if vec_fill(&kept, made.count, 0) < 0:
            return NO_MEMORY
        for word in range(self.trie.n_words):
            left = made.mask[word] & ~made.cut[word]
            while left:
                kept.data[made.after[word << 5 | lowest_bit(left)]] = 1
                left &= left - 1
        for outcome in range(made.count):
            count += kept.data[outcome]
            kept.data[outcome] = count - 1 if kept.data[outcome] else NO_NUMBER
        for word in range(self.trie.n_words if count < made.count else 0):
            left = made.mask[word] & ~made.cut[word]
            while left:
                i = word << 5 | lowest_bit(left)
                made.after[i] = <uint16_t>kept.data[made.after[i]]
                left &= left - 1
        for i in range(<uint32_t>self.numbers.len):
            if self.numbers.data[i] != <uint32_t>NO_NUMBER:
                self.numbers.data[i] = kept.data[self.numbers.data[i]]
        made.count = count
        vec_free(&kept)
        return OK

    cdef int walk_below(self, Transition* made, uint32_t at, uint32_t hypothesis, uint32_t way) noexcept nogil:
        cdef const TrieNode* nodes = self.trie.nodes
        cdef Prefix[MAX_TOKEN_BYTES + 1] path  # by depth
        cdef uint32_t stop = subtree_end(nodes, at)
        cdef uint32_t depth, token, byte
        cdef int status = OK
        path[0].character.need = 0
        path[0].outcome = NO_OUTCOME
        while at < stop and status >= 0:
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
        return min(status, OK)

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
        if path.outcome >= self.numbers.len or self.numbers.data[path.outcome] == <uint32_t>NO_NUMBER:
            if self.set_number(path.outcome, made.count) < 0:
                return NO_MEMORY
            made.count += 1
        made.after[token] = <uint16_t>self.numbers.data[path.outcome]
        return OK

    cdef int copy_outcomes(self, Transition* made) noexcept nogil:
        cdef size_t words = self.outcomes.words
        cdef size_t outcome
        made.outcomes = <uint32_t*>malloc((made.count * words + 1) * sizeof(uint32_t))
        made.numbers = <uint32_t*>malloc((<size_t>made.count + 1) * sizeof(uint32_t))
        if made.outcomes == NULL or made.numbers == NULL:
            return NO_MEMORY
        for outcome in range(self.numbers.len):
            if self.numbers.data[outcome] != <uint32_t>NO_NUMBER:
                made.numbers[self.numbers.data[outcome]] = <uint32_t>outcome
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
