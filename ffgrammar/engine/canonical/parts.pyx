"""A mask is put together from parts. For each hypothesis about where pre-tokens end, there is a part with the tokens before which
the pre-token ends, and a part with the tokens that continue it. Apart from what the merges leave beside the last token, a part
depends on the grammar's configuration, one hypothesis and the way. So parts are found once and kept.

A part is found from the grammar's own mask and from what pre-tokens allow (tokens/canonical/transitions.pyx). Most tokens stay
inside a lexeme. Whether the pre-token may end after such a token depends on the lexer state and the outcome that the token
leads to. The other tokens are looked at one by one. Making a part takes a millisecond inside a string, so masks.pyx
uses this file only where it has to:

- where the text begins and the grammar allows few tokens: the part is made by a walk, which needs no transition,
- where a text cannot always be completed (grammars that are not delimited),
- inside the pending bytes of a prompt,
- inside a character, where the mask is made by one walk without parts,
- where there may be too many dead ends to list (dead_ends.pxd).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, lowest_bit
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_init
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.token_walk cimport TokenWalk, walk_begin, walk_next
from ffgrammar.engine.recognizer.recognizer cimport parser_row
from ffgrammar.engine.masks.compute cimport masks_find
from ffgrammar.engine.masks.mask_cache cimport (
    mask_release, mask_unpack, table_bytes, table_clear, table_find, table_free, table_init, table_pack, table_put,
)
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, FIRST, NO_NODE
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport ENDS, GOES_ON
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token

cdef enum:
    LEFT = 0xFFFFFFFF
    NO_STATE = 0xFFFFFFFE
    # verdicts
    UNKNOWN = 0
    YES = 1
    NO = 2


@cython.final
cdef class MaskParts:
    """The parts of a grammar's canonical masks.

    Args:
        lookahead: the grammar's look-ahead.
        max_bytes: when the kept masks and their names take more than this, all are dropped.
    """

    def __cinit__(self, Lookahead lookahead not None, size_t max_bytes):
        self.lookahead = lookahead
        self.rules = lookahead.rules
        self.trie = lookahead.rules.trie
        self.max_bytes = max_bytes
        vec_init(&self.inside)
        if table_init(&self.table) < 0 or intern_init(&self.names) < 0:
            raise MemoryError
        self.inside_from = LEFT

    def __dealloc__(self):
        table_free(&self.table)
        intern_free(&self.names)
        vec_free(&self.inside)

    cdef int fill(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t* words,
    ) noexcept:
        cdef int status
        if self.table.generation != engine.generation or (
                table_bytes(&self.table) + intern_bytes(&self.names) > self.max_bytes):
            table_clear(&self.table, engine.generation)
            intern_free(&self.names)
            if intern_init(&self.names) < 0:
                return NO_MEMORY
        status = self.add(engine, config, at, sieve, successors)
        if status >= 0:
            memcpy(words, self.room.buffer.data, self.trie.n_words * sizeof(uint32_t))
        memset(self.room.buffer.data, 0, self.room.buffer.len * sizeof(uint32_t))
        return status

    cdef int add(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
    ) noexcept:
        cdef CanonicalState start = at[0]
        cdef const SievePart* part
        cdef uint32_t i
        cdef int status = OK
        if at.character.need:
            # (few tokens begin inside a character)
            return self.walk(engine, config, at, False, self.room.buffer.data)
        if sieve is None:
            return self.add_part(engine, config, at, False, NULL, NULL)
        for i in range(sieve.count):
            part = &sieve.parts[i]
            start.count = 1
            start.hypothesis[0] = <uint16_t>part.hypothesis
            start.node[0] = at.node[part.index]
            status = self.add_part(
                engine, config, &start, part.way == ENDS, part.transition, successors if part.way == GOES_ON else NULL)
            if status < 0:
                return status
        return OK

    cdef int add_part(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors,
    ) noexcept:
        cdef uint32_t n_words = self.trie.n_words
        cdef StoredMask* mask
        cdef uint32_t i
        cdef int status = self.find_part(engine, config, start, ends, transition, successors, &mask)
        if status < 0:
            return status
        mask_unpack(mask, n_words, self.room.part.data, n_words)
        mask_release(mask)
        for i in range(n_words):
            self.room.buffer.data[i] |= self.room.part.data[i] & (successors[i] if successors != NULL else <uint32_t>0xFFFFFFFF)
        memset(self.room.part.data, 0, n_words * sizeof(uint32_t))
        return OK

    cdef int find_part(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors, StoredMask** mask,
    ) noexcept:
        cdef uint32_t[5] words
        cdef uint32_t name = 0
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef bint text_dependent = False
        cdef int status
        if config.row != PENDING:
            words[0] = parser_row(&engine.recognizer, config.row)
            words[1] = config.state
            words[2] = start.hypothesis[0]
            words[3] = start.node[0]
            words[4] = ends | (start.last == <uint32_t>FIRST) << 1 | start.unmergeable << 2
            status = intern_add(&self.names, words, 5, &name)
            if status < 0:
                return status
            mask[0] = table_find(&self.table, engine.generation, name, True)
            if mask[0] != NULL:
                return OK
        if not config.row & VIRTUAL or engine.completability.enabled:
            # (this part may serve other last tokens, too)
            successors = NULL
        status = self.make_part(engine, config, start, ends, transition, successors, &text_dependent)
        text_dependent |= self.lookahead.steps.dependent_answers != answers
        if status >= 0:
            # the name does not tell virtual rows apart, so a part that depends on the text of its row is not kept
            status = self.pack_part(mask, config.row != PENDING and not (config.row & VIRTUAL and text_dependent), name)
        memset(self.room.part.data, 0, self.room.part.len * sizeof(uint32_t))
        return status

    cdef int make_part(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors, bint* text_dependent,
    ) noexcept:
        cdef CanonicalState at = start[0]
        if at.last != <uint32_t>FIRST:
            at.last = UNCONSTRAINED
        if transition == NULL or config.row == PENDING or (
                self.rules.has_unmergeable and not self.ignores_unmergeable(start, ends)):
            return self.walk(engine, config, &at, ends, self.room.part.data)
        return self.filter_by_pretokens(engine, config, &at, ends, transition, successors, self.room.part.data, text_dependent)

    cdef int pack_part(self, StoredMask** mask, bint keep, uint32_t name) noexcept:
        cdef int status
        self.room.part.data[self.trie.n_words] = 0
        mask[0] = table_pack(&self.table, self.room.part.data, self.trie.n_words, self.room.scratch.data)
        if mask[0] == NULL:
            return NO_MEMORY
        if not keep:
            return OK
        status = table_put(&self.table, name, mask[0])
        if status < 0:
            mask_release(mask[0])
        return status

    cdef bint ignores_unmergeable(self, const CanonicalState* start, bint ends) noexcept nogil:
        if ends:
            return start.unmergeable or not self.rules.is_unmergeable(start.node[0])
        return start.last == <uint32_t>FIRST or start.node[0] == <uint32_t>NO_NODE

    cdef int filter_by_pretokens(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors, uint32_t* words, bint* text_dependent,
    ) noexcept nogil:
        cdef uint32_t word, allowed, left, token, found
        cdef int status = self.find_plain(engine, config, text_dependent)
        if status >= 0 and (self.inside_from != config.state or self.inside_generation != engine.generation):
            status = self.walk_inside(engine, config.state)
        if status < 0:
            return status
        text_dependent[0] |= successors != NULL
        for word in range(SLOTS):
            self.slots[word].state = NO_STATE
        for word in range(self.trie.n_words):
            allowed = self.room.allowed.data[word] & transition.mask[word] & (
                <uint32_t>0xFFFFFFFF if successors == NULL else successors[word])
            found = 0
            if allowed:
                # (this decides most tokens: a part of a mask inside a JSON string takes 1.1 ms instead of 1.6 ms)
                found = self.known_tokens(word, allowed, transition.after)
            words[word] |= found
            left = allowed & ~found
            while left:
                token = word << 5 | lowest_bit(left)
                left &= left - 1
                status = self.judge_token(engine, config, start, ends, transition, token)
                if status < 0:
                    return status
                if status:
                    bit_set(words, token)
        return OK

    cdef int find_plain(self, Engine engine, const Config* config, bint* text_dependent) noexcept nogil:
        cdef StoredMask* plain
        cdef int status = masks_find(&engine.masks, &engine.recognizer, config, &plain, text_dependent)
        if status < 0:
            return status
        mask_unpack(plain, self.trie.n_words, self.room.allowed.data, self.trie.n_words)
        mask_release(plain)
        return OK

    cdef uint32_t known_tokens(self, uint32_t word, uint32_t tokens, const uint16_t* after) noexcept nogil:
        cdef const uint32_t* inside = self.inside.data
        cdef const Slot* slot
        cdef uint32_t found = 0
        cdef uint32_t token
        while tokens:
            token = word << 5 | lowest_bit(tokens)
            slot = &self.slots[(inside[token] >> 8) % SLOTS]
            if slot.state == inside[token] and after[token] < MAX_VERDICTS and slot.can_end_pretoken[after[token]] == YES:
                found |= tokens & -tokens
            tokens &= tokens - 1
        return found

    cdef int judge_token(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        uint32_t token,
    ) noexcept nogil:
        cdef int status = 0
        if self.inside.data[token] != LEFT and transition.after[token] < MAX_VERDICTS:
            if config.row & VIRTUAL:
                status = self.can_end_after_text(engine, config, transition, token, transition.after[token])
            else:
                status = self.can_end_after(
                    engine, config, transition, self.inside.data[token], transition.after[token])
        return self.try_token(engine, config, start, ends, token) if status == 0 else status

    cdef void set_outcome(self, CanonicalState* at, const Transition* transition, uint32_t outcome) noexcept nogil:
        cdef const uint32_t* bits = transition.outcomes + outcome * self.rules.outcomes.words
        cdef uint32_t word, left
        self.rules.begin(at)
        at.count = 0
        for word in range(self.rules.outcomes.words):
            left = bits[word]
            while left:
                at.hypothesis[at.count] = <uint16_t>(word << 5 | lowest_bit(left))
                at.node[at.count] = NO_NODE
                at.count += 1
                left &= left - 1

    cdef int can_end_after_text(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t token, uint32_t outcome
    ) noexcept nogil:
        """If the answer is yes and did not depend on the text, it holds for other tokens with the same lexer state and
        outcome, too."""
        cdef uint32_t state = self.inside.data[token]
        cdef Slot* slot = self.slot_of(state)
        cdef Config moved = config[0]
        cdef CanonicalState at
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef size_t answers
        cdef uint32_t i
        cdef int status = 1
        if slot.can_end_pretoken[outcome] == YES:
            return 1
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if status > 0:
                status = self.lookahead.steps.step(engine, &moved, self.trie.blob[i])
        if status > 0:
            self.set_outcome(&at, transition, outcome)
            answers = self.lookahead.steps.dependent_answers
            status = self.lookahead.boundaries.can_end(engine, &moved, &at)
            if status > 0 and self.lookahead.steps.dependent_answers == answers:
                slot.can_end_pretoken[outcome] = YES
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef Slot* slot_of(self, uint32_t state) noexcept nogil:
        cdef Slot* slot = &self.slots[(state >> 8) % SLOTS]
        if slot.state != state:
            slot.state = state
            memset(slot.can_end_pretoken, UNKNOWN, MAX_VERDICTS)
        return slot

    cdef int walk_inside(self, Engine engine, uint32_t state) noexcept nogil:
        cdef const TrieNode* nodes = self.trie.nodes
        cdef uint32_t* inside
        cdef uint32_t[MAX_TOKEN_BYTES + 1] states
        cdef uint32_t node = 1
        cdef uint32_t depth, target
        cdef int status
        if self.inside.len == 0 and vec_fill(&self.inside, 32 * (<size_t>self.trie.n_words + 1), 0) < 0:
            return NO_MEMORY
        inside = self.inside.data
        self.inside_from = LEFT
        memset(inside, 0xFF, self.inside.len * sizeof(uint32_t))
        states[0] = state
        while node < self.trie.node_count:
            depth = node_depth(&nodes[node])
            status = dfa_step(&engine.recognizer.dfa, states[depth - 1], node_byte(&nodes[node]), &target)
            if status < 0:
                return status
            if target <= LAST_STATE:
                states[depth] = target
                inside[node_token(&nodes[node])] = target
            node = next_node(nodes, node, target <= LAST_STATE)
        inside[self.trie.pad_token] = LEFT
        self.inside_from = state
        self.inside_generation = engine.generation
        return OK

    cdef int can_end_after(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t state, uint32_t outcome
    ) noexcept nogil:
        cdef Slot* slot = self.slot_of(state)
        cdef Config reached
        cdef CanonicalState at
        cdef int status
        if slot.can_end_pretoken[outcome] == UNKNOWN:
            reached.row = config.row
            reached.state = state
            self.set_outcome(&at, transition, outcome)
            status = self.lookahead.boundaries.can_end(engine, &reached, &at)
            if status < 0:
                return status
            slot.can_end_pretoken[outcome] = YES if status else NO
        return slot.can_end_pretoken[outcome] == YES

    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t token
    ) noexcept nogil:
        cdef Config moved = config[0]
        cdef CanonicalState at = start[0]
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef uint32_t i
        cdef int status = 1
        self.rules.start(&at, ends)
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            status = 0
            if self.rules.feed(&at, self.trie.blob[i]):
                status = self.lookahead.steps.step(engine, &moved, self.trie.blob[i])
            if status <= 0:
                break
        if status > 0:
            status = self.may_come(engine, &moved, &at, ends, token)
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef int walk(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t* words
    ) noexcept nogil:
        cdef CanonicalState[MAX_TOKEN_BYTES + 1] states
        cdef Config[MAX_TOKEN_BYTES + 1] configs
        cdef uint32_t nodes_left = 0xFFFFFFFF
        cdef TokenWalk walk
        cdef int status
        states[0] = start[0]
        configs[0] = config[0]
        self.rules.start(&states[0], ends)
        walk_begin(
            engine, &walk, states, configs, self.lookahead.steps.pending, &nodes_left,
            &self.lookahead.steps.dependent_answers)
        while True:
            status = walk_next(engine, self.rules, &walk)
            if status <= 0:
                return status
            status = self.may_come(engine, &configs[walk.depth], &states[walk.depth], ends, walk.token)
            if status < 0:
                return status
            if status:
                bit_set(words, walk.token)

    cdef int may_come(
        self, Engine engine, const Config* config, const CanonicalState* at, bint ends, uint32_t token
    ) noexcept nogil:
        cdef CanonicalState after
        cdef int status = self.rules.fits(at, token, ends)
        if status <= 0:
            return status
        after = at[0]
        status = self.rules.settle(&after, token)
        if status < 0:
            return status
        return self.lookahead.has_canonical_completion(engine, config, &after)
