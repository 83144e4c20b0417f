"""The rules by which a tokenizer's own token sequences are told from others.

A sequence of tokens is the tokenizer's own (canonical) if it is cut where pre-tokens end, and inside a pre-token each two
neighbours are what merges leave side by side (tokens/bpe/merges.pyx). Where pre-tokens end may depend on text that is not there
yet, so a sequence that grows has several hypotheses (tokens/pretokenize/automaton.py), and is dead when none is left. Between two
tokens a hypothesis says that the pre-token ends, or that it goes on; which is possible is known when the next character is, and
as tokens may cut characters, that can be some tokens later.

A tokenizer that looks for a whole pre-token among its tokens before it merges may have tokens that merges do not make: these are
pre-tokens of their own, and no other tokens may spell such a pre-token. Tokens that the pre-tokenizer itself finds in the text
(atoms) are pre-tokens, too: a hypothesis that such a pre-token begins is one that the token ends with it.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memmove

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.intern cimport Intern, intern_add, intern_count, intern_free, intern_get, intern_init, intern_len
from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_push
from ffgrammar.core.utf8 cimport utf8_step, utf8_write
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.pretokenize.table cimport DEAD, PretokenTable
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TokenTrie, TrieNode, index_find, node_byte, node_depth, node_size, node_token, trie_child,
)

from ffgrammar.core.errors import TokenizerError

cdef enum:
    NO_END = 0x80000000    # the pre-token must not end here
    MAX_SETS = 1 << 14    # of hypotheses that are looked at
    MAX_ASKED = 1 << 16   # pairs of tokens: some 10 ms; to make the tables of successors takes 60 to 100, once


cdef bint is_token(CanonicalRules rules, uint32_t code) noexcept nogil:
    cdef uint8_t[4] text
    cdef uint32_t count = utf8_write(code, text)
    return index_find(&rules.trie.index, text, count) >= 0


cdef class CanonicalRules:
    """The rules of a tokenizer.

    Args:
        trie: its vocabulary.
        pattern: its pre-tokenizer's; or several `Split`, one after another.
        whole_pretokens: whether a pre-token that is a token is that token, whatever the merges make of it.
        all_merged: whether it is known that merges make every token (to find out takes longer than the rest).
        merges: of the vocabulary; if not given, ids are ranks.
        space: a character that the pattern has in the place of the space; it is in no text.
        atoms: the tokens that a `Split` with `atoms` finds.

    Raises:
        TokenizerError: the pattern cannot be read, or tokens are too long for the trie.
    """

    def __cinit__(
        self, TokenTrie trie not None, pattern not None, bint whole_pretokens=True, bint all_merged=False, Merges merges=None,
        space=None, atoms=(),
    ):
        cdef uint32_t state, character, token, way
        if trie.long_count:
            raise TokenizerError(f"{trie.long_count} tokens have more than {MAX_TOKEN_BYTES} bytes")
        self.trie = trie
        self.merges = Merges(trie) if merges is None else merges
        self.pretokens = PretokenTable(pattern, space)
        self.whole_pretokens = whole_pretokens
        self.space = space
        self.may_stop = <uint8_t*>calloc(self.pretokens.states, 1)
        self.is_sure = <uint8_t*>calloc(self.pretokens.states, 1)
        self.is_atom = <uint8_t*>calloc(<size_t>trie.vocab_size + 1, 1)
        if self.may_stop == NULL or self.is_sure == NULL or self.is_atom == NULL:
            raise MemoryError
        for number in atoms:
            trie.token_bytes(number)
            self.is_atom[<uint32_t>number] = True
        for state in range(self.pretokens.states):
            self.may_stop[state] = self.pretokens.final[state]
            for way in range(self.pretokens.stays, self.pretokens.ways):
                for character in range(self.pretokens.classes):
                    if self.pretokens.to[way * self.pretokens.size + state * self.pretokens.classes + character] != DEAD:
                        self.may_stop[state] = True
        self.find_sure()
        if whole_pretokens and not all_merged:
            for token in range(trie.vocab_size):
                if trie.offsets[token] < trie.offsets[token + 1] and not self.is_atom[token] and self.merges.reached(token) == 0:
                    self.mark_unmergeable(token)

    cdef int mark_unmergeable(self, uint32_t token) except -1:
        """Note that merges do not make a token, on the way to it in the trie."""
        cdef const uint8_t* text = self.trie.blob + self.trie.offsets[token]
        cdef uint32_t count = self.trie.offsets[token + 1] - self.trie.offsets[token]
        cdef uint32_t node = 0
        cdef uint32_t i
        self.has_unmergeable = True
        if self.leads_to_unmergeable == NULL:
            self.leads_to_unmergeable = <uint8_t*>calloc(self.trie.node_count, 1)
            if self.leads_to_unmergeable == NULL:
                raise MemoryError
        if count <= MAX_TOKEN_BYTES:
            for i in range(count):
                node = trie_child(self.trie.nodes, node, text[i])
                self.leads_to_unmergeable[node] = True
        return 0

    def __dealloc__(self):
        free(self.leads_to_unmergeable)
        free(self.may_stop)
        free(self.is_atom)
        free(self.is_sure)

    cdef int find_sure(self) except -1:
        """A state is sure if each text can go on from it: with one of the hypotheses that it becomes, which depends on the text.
        (Where there are very many sets of hypotheses none is called sure; who asks has to look further then.)"""
        cdef Intern sets
        cdef Vec leads   # by number of a set * classes + class: number of a set
        cdef bytearray sure = bytearray()
        cdef uint32_t state, number
        cdef uint32_t i = 0
        cdef bint changed = True
        vec_init(&leads)
        if intern_init(&sets) < 0:
            raise MemoryError
        try:
            for state in range(self.pretokens.states):
                if intern_add(&sets, &state, 1, &number) < 0:
                    raise MemoryError
            while i < intern_count(&sets):
                if i == MAX_SETS:
                    return 0
                sure.append(self.lead_on(&sets, i, &leads))
                i += 1
            while changed:
                changed = False
                for i in range(<uint32_t>len(sure)):
                    for number in range(self.pretokens.classes if sure[i] else 0):
                        if not sure[leads.data[i * self.pretokens.classes + number]]:
                            sure[i] = False
                            changed = True
                            break
            for state in range(self.pretokens.states):
                self.is_sure[state] = sure[state]
        finally:
            intern_free(&sets)
            vec_free(&leads)
        return 0

    cdef bint lead_on(self, Intern* sets, uint32_t number, Vec* leads) except? True:
        """Note where each class of characters leads from a set of hypotheses. Whether the text may end there."""
        cdef uint32_t[MAX_HYPOTHESES] hypotheses
        cdef uint32_t[MAX_HYPOTHESES] found
        cdef uint32_t count = intern_len(sets, number)
        cdef uint32_t character, way, i, j, to, size, target
        cdef bint final = False
        memcpy(hypotheses, intern_get(sets, number), count * sizeof(uint32_t))
        for i in range(count):
            final |= self.pretokens.final[hypotheses[i]]
        for character in range(self.pretokens.classes):
            size = 0
            for i in range(count):
                for way in range(self.pretokens.ways):
                    to = self.pretokens.to[way * self.pretokens.size + hypotheses[i] * self.pretokens.classes + character]
                    # (in order, each once)
                    j = 0
                    while j < size and found[j] < to:
                        j += 1
                    if to != DEAD and (j == size or found[j] != to):
                        if size == MAX_HYPOTHESES:
                            raise TokenizerError(f"more than {MAX_HYPOTHESES} guesses about the ends of pieces are open")
                        memmove(found + j + 1, found + j, (size - j) * sizeof(uint32_t))
                        found[j] = to
                        size += 1
            if intern_add(sets, found, size, &target) < 0 or vec_push(leads, target) < 0:
                raise MemoryError
        return final

    cdef Successors successors(self):
        if self.kept_successors is None:
            # (two threads may both get here; the answers are the same)
            self.kept_successors = Successors(self.merges)
        return self.kept_successors

    cdef Successors successors_for(self, uint32_t count):
        self.asked += min(count, MAX_ASKED - self.asked)
        return self.successors() if self.asked == MAX_ASKED else self.kept_successors

    cdef void begin(self, CanonicalState* at) noexcept nogil:
        at.last = FIRST
        at.character.need = 0
        at.may_end = at.unmergeable = at.inside = at.torn = False
        at.may_go_on = True
        at.count = 1
        at.hypothesis[0] = 0
        at.node[0] = 0

    cdef bint is_unmergeable(self, uint32_t node) noexcept nogil:
        """Whether a node of the trie is a token that merges do not make."""
        if node >= NO_NODE or node_token(&self.trie.nodes[node]) == self.trie.pad_token:
            return False
        return self.merges.reached(node_token(&self.trie.nodes[node])) == 0

    cdef void forbid_ends(self, CanonicalState* at) noexcept nogil:
        """Where several tokens spell what is a token of its own, that must go on."""
        cdef uint32_t i
        for i in range(at.count):
            if self.is_unmergeable(at.node[i]):
                at.node[i] |= <uint32_t>NO_END

    cdef int join(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef int reached = self.merges.reached(token)
        cdef bint side_by_side = reached > 0 and not at.unmergeable
        cdef int status
        if reached < 0:
            return FAILED
        if not reached and not self.whole_pretokens and not self.is_atom[token]:
            return False
        if side_by_side and at.last < <uint32_t>UNCONSTRAINED:
            status = self.merges.pair(at.last, token)
            if status < 0:
                return FAILED
            side_by_side = status
        if at.character.need:
            # a pre-token does not end inside a character
            at.torn = True
            return side_by_side
        at.inside = False
        at.may_end = at.last != <uint32_t>FIRST
        at.may_go_on = side_by_side or not at.may_end
        if self.has_unmergeable and not at.unmergeable:
            self.forbid_ends(at)
        return True

    cdef bint is_misspelt(self, const CanonicalState* at, uint32_t token) noexcept nogil:
        """Whether the last byte of a character that is a token has come as a token for that byte."""
        if not self.merges.by_characters or not self.merges.is_byte[token] or at.character.need or at.character.code < 0x80:
            return False
        return is_token(self, at.character.code)

    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil:
        """The node that a character leads to."""
        cdef uint8_t[4] text
        cdef uint32_t count = utf8_write(code, text)
        cdef uint32_t i
        for i in range(count):
            if node < NO_NODE:
                node = trie_child(self.trie.nodes, node, text[i])
                if node == 0 or not self.leads_to_unmergeable[node]:
                    node = NO_NODE
        return node

    cdef bint feed(self, CanonicalState* at, uint32_t byte) noexcept nogil:
        cdef uint16_t[MAX_HYPOTHESES] hypothesis
        cdef uint32_t[MAX_HYPOTHESES] node
        cdef uint32_t character, i, j, state, to
        cdef uint32_t count = 0
        cdef uint64_t live = 0
        cdef uint32_t way
        cdef bint ends
        if not utf8_step(&at.character, byte):
            return False
        if at.character.need:
            for i in range(at.count):
                if at.may_end and not at.node[i] & <uint32_t>NO_END:
                    live |= self.pretokens.live_ends[at.hypothesis[i]]
                if at.may_go_on:
                    live |= self.pretokens.live_on[at.hypothesis[i]]
            return live & self.pretokens.possible(&at.character) != 0
        character = self.pretokens.class_of(at.character.code)
        for i in range(at.count):
            state = at.hypothesis[i] * self.pretokens.classes + character
            for way in range(self.pretokens.ways):
                ends = way >= self.pretokens.stays
                if ends and (not at.may_end or at.node[i] & <uint32_t>NO_END):
                    continue
                if not ends and not at.may_go_on:
                    continue
                to = self.pretokens.to[way * self.pretokens.size + state]
                if to == DEAD or count == MAX_HYPOTHESES:
                    continue
                if self.pretokens.has_atoms and self.pretokens.atoms[to]:
                    # (an atom is one token, so it does not go on after one)
                    if at.torn or (self.pretokens.atoms[at.hypothesis[i]] and not ends and not at.inside):
                        continue
                hypothesis[count] = <uint16_t>to
                node[count] = 0
                if self.has_unmergeable:
                    node[count] = self.below(0 if ends else at.node[i] & ~<uint32_t>NO_END, at.character.code)
                for j in range(count):
                    if hypothesis[j] == hypothesis[count] and node[j] == node[count]:
                        break
                else:
                    count += 1
        for i in range(count):
            at.hypothesis[i] = hypothesis[i]
            at.node[i] = node[i]
        at.count = <uint8_t>count
        at.may_end = at.torn = False
        at.may_go_on = at.inside = True
        return count > 0

    cdef int settle(self, CanonicalState* at, uint32_t token) noexcept nogil:
        at.last = token
        at.unmergeable = False
        if self.has_unmergeable:
            at.unmergeable = self.merges.reached(token) == 0
        return True

    cdef int push(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef uint32_t i
        cdef int status
        if token >= self.trie.vocab_size or self.trie.offsets[token] == self.trie.offsets[token + 1]:
            return False
        # of tokens with equal bytes the first is the tokenizer's
        if self.trie.alias_count and token != <uint32_t>index_find(
                &self.trie.index, self.trie.blob + self.trie.offsets[token],
                self.trie.offsets[token + 1] - self.trie.offsets[token]):
            return False
        status = self.join(at, token)
        if status <= 0:
            return status
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if not self.feed(at, self.trie.blob[i]):
                return False
        if self.is_misspelt(at, token):
            return False
        return self.settle(at, token)

    cdef int push_any(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef CanonicalState before = at[0]
        cdef uint32_t i
        cdef int status = self.push(at, token)
        if status:
            return status
        if token >= self.trie.vocab_size or self.trie.offsets[token] == self.trie.offsets[token + 1]:
            # a token without bytes: what follows it is a text of its own
            self.begin(at)
            return True
        at[0] = before
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            at.inside = True
            if not at.character.need:
                at.may_end = at.may_go_on = True
            if not self.feed(at, self.trie.blob[i]):
                self.begin(at)
                at.last = token
                at.may_end = at.may_go_on = True
                if not self.feed(at, self.trie.blob[i]):
                    self.begin(at)
        return self.settle(at, token)

    cdef bint is_whole(self, const CanonicalState* at) noexcept nogil:
        cdef uint32_t i
        if at.character.need:
            return False
        for i in range(at.count):
            if self.pretokens.final[at.hypothesis[i]] and (at.unmergeable or not self.is_unmergeable(at.node[i])):
                return True
        return False

    cdef int is_open(self, const CanonicalState* at) noexcept nogil:
        return self.can_go_on(at, MAX_AHEAD)

    cdef int can_go_on(self, const CanonicalState* at, uint32_t ahead) noexcept nogil:
        """Whether no more than `ahead` tokens bring the text to where a pre-token may end."""
        cdef uint32_t i
        cdef int status
        if not at.character.need:
            for i in range(at.count):
                if self.may_stop[at.hypothesis[i]] and (at.unmergeable or not self.is_unmergeable(at.node[i])):
                    return True
        # Few tokens first: a search that goes deep at once would try all that begins with blanks, say. But a character is soon
        # complete, byte by byte.
        for i in range(ahead - 1 if at.character.need and ahead else 0, ahead):
            status = self.follow(at, 0, NULL, NULL, i)
            if status:
                return status
        return False

    cdef int follow(
        self, const CanonicalState* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead
    ) noexcept nogil:
        cdef int ended = 0
        cdef int went_on
        if not at.character.need and at.last != <uint32_t>FIRST:
            ended = self.follow_one_way(at, node, text, True, mask, ahead)
            if ended < 0 or (ended and mask == NULL):
                return ended
        went_on = self.follow_one_way(at, node, text, False, mask, ahead)
        return went_on if went_on < 0 else ended + went_on

    cdef int follow_one_way(
        self, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead
    ) noexcept nogil:
        """Where the pre-token ends before these tokens, or where it goes on."""
        cdef CanonicalState[MAX_TOKEN_BYTES + 1] states
        cdef const TrieNode* it = self.trie.nodes + node
        cdef uint32_t depth = 0
        cdef uint32_t byte, root
        cdef int found = 0
        cdef int status
        states[0] = at[0]
        self.start(&states[0], ends)
        if at.character.need and node == 0:
            # few bytes go on inside a character, and what they lead to is far apart
            for byte in range(at.character.low, <uint32_t>at.character.high + 1):
                root = self.trie.roots[byte]
                if root:
                    status = self.follow_below(
                        states, root, root + node_size(self.trie.nodes + root), ends, mask, ahead)
                    found += status
                    if status < 0 or (found and mask == NULL):
                        return status
            return found
        while depth < node_depth(it):
            states[depth + 1] = states[depth]
            if not self.feed(&states[depth + 1], text[depth]):
                return 0
            depth += 1
        if depth and node_token(it) != self.trie.pad_token:
            found = self.may_come(&states[depth], node_token(it), ends, mask, ahead)
            if found < 0 or (found and mask == NULL):
                return found
        status = self.follow_below(states, node + 1, node + node_size(it), ends, mask, ahead)
        return status if status < 0 else found + status

    cdef int follow_below(
        self, CanonicalState* states, uint32_t node, uint32_t stop, bint ends, uint32_t* mask, uint32_t ahead
    ) noexcept nogil:
        """The same for some nodes in a row. States are by depth, and those above are there."""
        cdef const TrieNode* it
        cdef uint32_t depth
        cdef int found = 0
        cdef int status
        while node < stop:
            it = self.trie.nodes + node
            depth = node_depth(it)
            states[depth] = states[depth - 1]
            if not self.feed(&states[depth], node_byte(it)):
                node += node_size(it)
                continue
            node += 1
            if node_token(it) != self.trie.pad_token:
                status = self.may_come(&states[depth], node_token(it), ends, mask, ahead)
                found += status
                if status < 0 or (found and mask == NULL):
                    return status
        return found

    cdef void start(self, CanonicalState* at, bint ends) noexcept nogil:
        at.inside = False
        at.torn = at.character.need > 0
        if not at.character.need:
            at.may_end = ends
            at.may_go_on = not ends
            if self.has_unmergeable and not at.unmergeable:
                self.forbid_ends(at)

    cdef int fits(self, const CanonicalState* at, uint32_t token, bint ends) noexcept nogil:
        cdef int reached = self.merges.reached(token)
        if reached < 0:
            return FAILED
        if self.is_misspelt(at, token):
            return False
        if ends or at.last == <uint32_t>FIRST:
            return reached or self.whole_pretokens or self.is_atom[token]
        if not reached or at.unmergeable:
            return False
        return self.merges.pair(at.last, token) if at.last != <uint32_t>UNCONSTRAINED else 1

    cdef int may_come(
        self, const CanonicalState* at, uint32_t token, bint ends, uint32_t* mask, uint32_t ahead
    ) noexcept nogil:
        """Whether a token may come whose bytes have led here: as for the merges, and as for what must follow."""
        cdef CanonicalState after
        cdef int status = self.fits(at, token, ends)
        if status <= 0:
            return status
        after = at[0]
        self.settle(&after, token)
        status = self.can_go_on(&after, ahead)
        if status > 0 and mask != NULL:
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
        return status


cdef class CanonicalSequence:
    """A token sequence that grows.

    Args:
        rules: of the tokenizer.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules
        rules.begin(&self.at)

    def push(self, token) -> bool:
        """Go on with a token: False if then no text has the sequence as the beginning of its tokens. The chain ends there.

        Raises:
            TokenizerError: the id is out of range.
        """
        self.rules.trie.token_bytes(token)
        cdef int status = self.rules.push(&self.at, token)
        if status > 0:
            status = self.rules.is_open(&self.at)
        if status < 0:
            raise MemoryError
        return status > 0

    def push_any(self, token) -> bool:
        """Go on with a token that was taken anyhow: False if it may not follow. The chain goes on all the same.

        Raises:
            TokenizerError: the id is out of range.
        """
        cdef CanonicalState before = self.at
        if self.push(token):
            return True
        self.at = before
        if self.rules.push_any(&self.at, token) < 0:
            raise MemoryError
        return False

    def copy(self) -> CanonicalSequence:
        """Another one at the same place."""
        cdef CanonicalSequence other = CanonicalSequence(self.rules)
        other.at = self.at
        return other

    @property
    def is_whole(self) -> bool:
        """Whether the tokenizer makes this sequence of its text."""
        return bool(self.rules.is_whole(&self.at))

    def following(self) -> list:
        """The ids that may come next."""
        cdef bytearray mask = bytearray(4 * self.rules.trie.n_words + 4)
        cdef uint32_t* words = <uint32_t*>PyByteArray_AS_STRING(mask)
        cdef uint32_t token
        if self.rules.follow(&self.at, 0, NULL, words, MAX_AHEAD) < 0:
            raise MemoryError
        return [token for token in range(self.rules.trie.vocab_size) if words[token >> 5] >> (token & 31) & 1]
