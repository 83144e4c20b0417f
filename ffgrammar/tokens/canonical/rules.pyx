"""The rules that tell a tokenizer's own token sequences from others.

A sequence of tokens is the tokenizer's own (canonical) if a token ends wherever a pre-token ends, and if each two neighbours
inside a pre-token can stand side by side after merging (tokens/bpe/merges.pyx). The rules follow a sequence token by token, or
byte by byte, in a `CanonicalState` of constant size:

    rules.begin(&state)
    if rules.push(&state, token) > 0: ...   # some text may have the sequence as the beginning of its tokens

Where pre-tokens end may depend on text that is not there yet. So a `CanonicalState` has several hypotheses: states of the
automaton of pre-tokens (tokens/pretokenize/automaton.py). If none is left, no text has the sequence. Between two tokens the
pre-token ends or goes on. Which of these is possible is known only when the next character is complete. As tokens may cut
characters, this may be some tokens later.

A tokenizer that looks for a whole pre-token among its tokens before it merges may have tokens that merges do not make. These are
unmergeable: each is a pre-token of its own, and no other tokens may spell such a pre-token. Tokens that the pre-tokenizer itself
finds in the text (atoms) are pre-tokens too. A hypothesis in which an atom begins also says that a token begins there, and ends
where the atom ends.

A token costs about a microsecond. Whether anything at all may follow a sequence is another question; following.pyx answers it.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.threads cimport atomic_add, atomic_load
from ffgrammar.core.utf8 cimport utf8_step, utf8_write
from ffgrammar.tokens.bpe.known_predecessors cimport KnownPredecessors
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.bpe.native_encoder cimport NativeEncoder
from ffgrammar.tokens.bpe.predecessors cimport Predecessors
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.bpe.successors cimport Successors
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.canonical.stops cimport find_free_ends, find_stops
from ffgrammar.tokens.canonical.sure_states cimport find_sure_states
from ffgrammar.tokens.canonical.transitions cimport BoundaryTransitions
from ffgrammar.tokens.pretokenize.table cimport DEAD, PretokenTable, successor
from ffgrammar.tokens.vocabulary.nodes_by_byte cimport NodesByByte
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TokenTrie, node_token, trie_child

from ffgrammar.core.errors import TokenizerError

cdef enum:
    NO_END = 0x80000000  # a bit of `node`: the pre-token must not end here
    # From this many pairs of tokens on, successors are made. Checking so many pairs takes some 10 ms. Making the tables of
    # successors takes 2 to 100 ms, once.
    MAX_ASKED = 1 << 16


@cython.final
cdef class CanonicalRules:
    """The rules that tell a tokenizer's own token sequences from others.

    Args:
        trie: the vocabulary.
        pattern: the pattern of the pre-tokenizer, or several `Split`, one after another, or its table.
        whole_pretokens: whether a pre-token with the bytes of a token becomes that token, whatever the merges make of it.
        all_merged: whether merges are known to make every token. (To find this out takes longer than all else here.)
        merges: the merges of the vocabulary. If they are not given, ids are ranks.
        space: a character that stands for the space in the pattern. No text has this character itself.
        atoms: the ids of the tokens that a `Split` with `atoms` finds.

    Raises:
        TokenizerError: the pattern cannot be read, there are too many patterns, states or open hypotheses, tokens are too long
            for the trie, or an atom is out of range.
    """

    def __cinit__(
        self, TokenTrie trie not None, pattern not None, bint whole_pretokens=True, bint all_merged=False, Merges merges=None,
        space=None, atoms=(),
    ):
        if trie.long_count:
            raise TokenizerError(
                f"{trie.long_count} tokens have more than {MAX_TOKEN_BYTES} bytes, and the rules of canonical sequences "
                "cannot handle such tokens; masks work without these rules")
        self.trie = trie
        self.merges = Merges(trie) if merges is None else merges
        self.pretokens = pattern if isinstance(pattern, PretokenTable) else PretokenTable(pattern, space)
        self.all_successors = Successors(self.merges)
        self.predecessors = Predecessors(self.merges)
        self.known_predecessors = KnownPredecessors(self.merges)
        self.encoder = NativeEncoder(self.pretokens, self.merges, whole_pretokens)
        self.whole_pretokens = whole_pretokens
        self.space = space
        self.may_stop = <uint8_t*>calloc(self.pretokens.states, 1)
        self.is_sure = <uint8_t*>calloc(self.pretokens.states, 1)
        self.is_atom = <uint8_t*>calloc(<size_t>trie.vocab_size + 1, 1)
        self.other_ways = <uint64_t*>calloc(<size_t>trie.vocab_size + 1, sizeof(uint64_t))
        self.route_hints = <uint64_t*>calloc(ROUTE_HINTS, sizeof(uint64_t))
        self.nothing_follows = <uint64_t*>calloc(KEPT, sizeof(uint64_t))
        self.partners_below = <uint64_t*>calloc(KEPT_PARTNERS, sizeof(uint64_t))
        if not (self.may_stop and self.is_sure and self.is_atom and self.other_ways and self.route_hints and self.nothing_follows
                and self.partners_below):
            raise MemoryError
        for number in atoms:
            trie.token_bytes(number)
            self.is_atom[<uint32_t>number] = True
        find_stops(self.pretokens, self.may_stop)
        self.find_outcomes()
        self.free_ends = find_free_ends(self.outcomes)
        if whole_pretokens and not all_merged:
            self.find_unmergeable()
        self.transitions = BoundaryTransitions(
            trie, self.merges, self.outcomes, whole_pretokens,
            all_merged or (whole_pretokens and not self.has_unmergeable and not atoms))
        self.transitions.is_atom = self.is_atom
        self.spelled = {}
        self.unfollowed = {}
        self.rooms = []
        self.sieves = {}
        self.stands_alone = {}
        self.nodes_by_byte = NodesByByte(self.trie)

    def __dealloc__(self):
        free(self.leads_to_unmergeable)
        free(self.begins_unmergeable)
        free(self.may_stop)
        free(self.is_atom)
        free(self.is_sure)
        free(self.other_ways)
        free(self.route_hints)
        free(self.nothing_follows)
        free(self.partners_below)
        free(self.free_ends)

    cdef int find_outcomes(self) except -1:
        cdef size_t size = <size_t>self.pretokens.states * self.pretokens.classes
        cdef uint8_t* sure = <uint8_t*>calloc(2 * size, 1)
        if sure == NULL:
            raise MemoryError
        try:
            find_sure_states(self.pretokens, self.is_sure, sure, sure + size)
            self.outcomes = Outcomes(self.pretokens, (<const char*>sure)[:size], (<const char*>sure + size)[:size])
        finally:
            free(sure)
        return 0

    cdef int find_unmergeable(self) except -1:
        cdef uint32_t token
        if self.merges.by_characters:
            # (the characters of tokens are looked up)
            self.trie.need_index()
        if split_all(self.merges) < 0:
            raise MemoryError
        for token in range(self.trie.vocab_size):
            if self.trie.offsets[token] < self.trie.offsets[token + 1] and not self.is_atom[token]:
                if self.merges.reached(token) == 0:
                    self.mark_unmergeable(token)
        return self.mark_beginnings() if self.has_unmergeable else 0

    cdef int mark_unmergeable(self, uint32_t token) except -1:
        cdef const uint8_t* text = self.trie.blob + self.trie.offsets[token]
        cdef uint32_t count = self.trie.offsets[token + 1] - self.trie.offsets[token]
        cdef uint32_t node = 0
        cdef uint32_t i
        self.has_unmergeable = True
        if self.leads_to_unmergeable == NULL:
            self.leads_to_unmergeable = <uint8_t*>calloc(self.trie.node_count, 1)
            if self.leads_to_unmergeable == NULL:
                raise MemoryError
        for i in range(count):
            node = trie_child(self.trie.nodes, node, text[i])
            self.leads_to_unmergeable[node] = True
        return 0

    cdef int mark_beginnings(self) except -1:
        cdef uint32_t i
        self.begins_unmergeable = <uint8_t*>calloc(self.trie.vocab_size + 1, 1)
        if self.begins_unmergeable == NULL:
            raise MemoryError
        for i in range(1, self.trie.node_count):
            if self.leads_to_unmergeable[i] and node_token(&self.trie.nodes[i]) < self.trie.vocab_size:
                self.begins_unmergeable[node_token(&self.trie.nodes[i])] = True
        for i in range(self.trie.alias_count):
            self.begins_unmergeable[self.trie.alias_id[i]] = self.begins_unmergeable[self.trie.alias_of[i]]
        return 0

    # ---- successors

    cdef Successors successors_for(self, uint32_t count):
        if atomic_load(&self.asked) < MAX_ASKED:
            atomic_add(&self.asked, min(count, <uint32_t>MAX_ASKED))
        return self.all_successors if self.all_successors.is_made() or atomic_load(&self.asked) >= MAX_ASKED else None

    # ---- a token

    cdef void begin(self, CanonicalState* at) noexcept nogil:
        at.last = FIRST
        at.character.need = 0
        at.may_end = at.unmergeable = at.inside = at.torn = False
        at.may_go_on = True
        at.count = 1
        at.hypothesis[0] = 0
        at.node[0] = 0

    cdef int push(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef int status
        if token >= self.trie.vocab_size or self.trie.offsets[token] == self.trie.offsets[token + 1]:
            return False
        # of several tokens with equal bytes the tokenizer writes only the one that represents these bytes
        if self.trie.alias_count and token != <uint32_t>self.trie.find_token(
                self.trie.blob + self.trie.offsets[token],
                self.trie.offsets[token + 1] - self.trie.offsets[token]):
            return False
        status = self.join(at, token)
        if status <= 0:
            return status
        if not self.feed_token(at, token) or self.is_misspelt(at, token):
            return False
        return self.settle(at, token)

    cdef int push_any(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef CanonicalState before = at[0]
        cdef uint32_t i
        cdef int status = self.push(at, token)
        if status:
            return status
        if token >= self.trie.vocab_size or self.trie.offsets[token] == self.trie.offsets[token + 1]:
            # the token has no bytes: what follows it is a text of its own
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

    # ---- the border before a token

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

    # ---- its bytes, and its end

    cdef bint feed(self, CanonicalState* at, uint32_t byte) noexcept nogil:
        cdef uint16_t[MAX_HYPOTHESES] hypothesis
        cdef uint32_t[MAX_HYPOTHESES] node
        cdef uint32_t character, i, j, state, to
        cdef uint32_t count = 0
        cdef uint32_t way
        cdef bint ends
        if not utf8_step(&at.character, byte):
            return False
        if at.character.need:
            return self.may_begin_character(at)
        character = self.pretokens.class_of(at.character.code)
        if at.count == 1 and not (at.may_end or self.has_unmergeable):
            return self.feed_one(at, character)
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
                    # (an atom is one token: no token may begin inside it)
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

    cdef bint feed_one(self, CanonicalState* at, uint32_t character) noexcept nogil:
        cdef uint32_t before = at.hypothesis[0]
        cdef uint32_t count = 0
        cdef uint32_t way, to, j
        for way in range(self.pretokens.stays if at.may_go_on else 0):
            to = successor(self.pretokens, way, before, character)
            if to == DEAD or count == MAX_HYPOTHESES or (self.pretokens.has_atoms and self.pretokens.atoms[to] and (
                    at.torn or (self.pretokens.atoms[before] and not at.inside))):
                continue
            for j in range(count):
                if at.hypothesis[j] == to:
                    break
            else:
                at.hypothesis[count] = <uint16_t>to
                at.node[count] = 0
                count += 1
        at.count = <uint8_t>count
        at.torn = False
        at.may_go_on = at.inside = True
        return count > 0

    cdef bint feed_token(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef uint32_t i
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if not self.feed(at, self.trie.blob[i]):
                return False
        return True

    cdef bint may_begin_character(self, const CanonicalState* at) noexcept nogil:
        cdef uint64_t live = 0
        cdef uint32_t i
        for i in range(at.count):
            if at.may_end and not at.node[i] & <uint32_t>NO_END:
                live |= self.pretokens.live_ends[at.hypothesis[i]]
            if at.may_go_on:
                live |= self.pretokens.live_on[at.hypothesis[i]]
        return live & self.pretokens.possible(&at.character) != 0

    cdef int settle(self, CanonicalState* at, uint32_t token) noexcept nogil:
        cdef int reached
        at.last = token
        at.unmergeable = False
        if self.has_unmergeable:
            reached = self.merges.reached(token)
            if reached < 0:
                return FAILED
            at.unmergeable = reached == 0
        return True

    cdef bint is_misspelt(self, const CanonicalState* at, uint32_t token) noexcept nogil:
        cdef uint8_t[4] text
        # (what is known of the token is looked at last, because this costs a miss of the processor's caches)
        if not self.merges.by_characters or at.character.need or at.character.code < 0x80:
            return False
        if not self.merges.by_token[token].is_byte:
            return False
        return self.trie.find_token(text, utf8_write(at.character.code, text)) >= 0

    # ---- unmergeable tokens

    cdef bint is_unmergeable(self, uint32_t node) noexcept nogil:
        if node >= NO_NODE or node_token(&self.trie.nodes[node]) == self.trie.pad_token:
            return False
        return self.merges.reached(node_token(&self.trie.nodes[node])) == 0

    cdef void forbid_ends(self, CanonicalState* at) noexcept nogil:
        cdef uint32_t i
        for i in range(at.count):
            if self.is_unmergeable(at.node[i]):
                at.node[i] |= <uint32_t>NO_END

    cdef uint32_t below(self, uint32_t node, uint32_t code) noexcept nogil:
        cdef uint8_t[4] text
        cdef uint32_t count = utf8_write(code, text)
        cdef uint32_t i
        for i in range(count):
            if node < NO_NODE:
                # (the root has up to 256 children)
                node = trie_child(self.trie.nodes, node, text[i]) if node else self.trie.roots[text[i]]
                if node == 0 or not self.leads_to_unmergeable[node]:
                    node = NO_NODE
        return node
