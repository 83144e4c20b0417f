"""A token comes next if it begins a pre-token, where the one before may end; or if it goes on with the pre-token, and the merges
leave it beside the last token. Over the hypotheses about pre-tokens (tokens/pretokenize/automaton.py) a mask is the union of
these. But for the pair with the last token they depend on the grammar's configuration and on one hypothesis alone: so they are
found once, and kept, and a mask is a few of them put together with the successors of the last token (tokens/bpe/successors.pyx).

One such part is found from the grammar's own mask and from what pre-tokens allow (tokens/canonical/transitions.pyx). Most tokens
stay inside a lexeme, and whether the pre-token may end after them is a question of the lexer state and the hypothesis that they
lead to; the others are looked at one by one. (Inside a JSON string of cl100k, with nothing known: 2 to 5 ms for the two or four
parts of a mask where a walk over all tokens took 50; 15 to 25 us where they are known.)
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_init
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init
from ffgrammar.engine.canonical.lookahead cimport PENDING
from ffgrammar.engine.recognizer.recognizer cimport parser_row
from ffgrammar.engine.masks.compute cimport masks_find
from ffgrammar.engine.masks.mask_cache cimport (
    block_words, mask_release, mask_unpack, scratch_words, table_bytes, table_clear, table_find, table_free, table_init,
    table_pack, table_put,
)
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, FIRST, NO_NODE
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token

cdef extern from *:
    int lowest_bit "__builtin_ctz"(unsigned int) nogil

cdef enum:
    LEFT = 0xFFFFFFFF
    NO_STATE = 0xFFFFFFFE
    # of a place where a pre-token may end
    UNKNOWN = 0
    YES = 1
    NO = 2


cdef class CanonicalMasks:
    """The masks of a grammar.

    Args:
        lookahead: of the grammar.
        max_bytes: how much is kept. Over it all is dropped.
    """

    def __cinit__(self, Lookahead lookahead not None, size_t max_bytes):
        cdef uint32_t words = lookahead.rules.trie.n_words
        self.lookahead = lookahead
        self.rules = lookahead.rules
        self.trie = lookahead.rules.trie
        self.max_bytes = max_bytes
        vec_init(&self.buffer)
        vec_init(&self.part)
        vec_init(&self.plain)
        vec_init(&self.scratch)
        vec_init(&self.inside)
        if table_init(&self.table) < 0 or intern_init(&self.names) < 0:
            raise MemoryError
        if (vec_fill(&self.buffer, block_words(words), 0) < 0 or vec_fill(&self.part, block_words(words), 0) < 0
                or vec_fill(&self.plain, block_words(words), 0) < 0 or vec_fill(&self.scratch, scratch_words(words), 0) < 0
                or vec_fill(&self.inside, 32 * (<size_t>words + 1), 0) < 0):
            raise MemoryError
        self.inside_from = LEFT

    def __dealloc__(self):
        table_free(&self.table)
        intern_free(&self.names)
        vec_free(&self.buffer)
        vec_free(&self.part)
        vec_free(&self.plain)
        vec_free(&self.scratch)
        vec_free(&self.inside)

    cdef int fill(
        self, Engine engine, const Config* config, const CanonicalState* at, list transitions, const uint32_t* successors,
        uint32_t* words, size_t count,
    ) noexcept:
        cdef uint32_t n_words = self.trie.n_words
        cdef uint32_t i
        cdef int status
        if self.table.generation != engine.generation or (
                table_bytes(&self.table) + intern_bytes(&self.names) > self.max_bytes):
            table_clear(&self.table, engine.generation)
            intern_free(&self.names)
            if intern_init(&self.names) < 0:
                return NO_MEMORY
        status = self.add(engine, config, at, transitions, successors)
        if status >= 0:
            memcpy(words, self.buffer.data, n_words * sizeof(uint32_t))
            memset(words + n_words, 0, (count - n_words) * sizeof(uint32_t))
            if self.rules.is_whole(at):
                status = self.lookahead.accepting(engine, config)
                for i in range(<uint32_t>engine.eos.len if status > 0 else 0):
                    words[engine.eos.data[i] >> 5] |= <uint32_t>1 << (engine.eos.data[i] & 31)
        memset(self.buffer.data, 0, self.buffer.len * sizeof(uint32_t))
        return min(status, OK)

    cdef int add(
        self, Engine engine, const Config* config, const CanonicalState* at, list transitions, const uint32_t* successors,
    ) noexcept:
        cdef CanonicalState start = at[0]
        cdef uint32_t i
        cdef int status = OK
        if at.character.need:
            # few tokens go on inside a character
            with nogil:
                status = self.walk(engine, config, at, False, self.buffer.data)
            return status
        for i in range(at.count):
            start.count = 1
            start.hypothesis[0] = at.hypothesis[i]
            start.node[0] = at.node[i]
            if at.last != <uint32_t>FIRST:
                status = self.add_way(
                    engine, config, &start, True, None if transitions is None else <BoundaryTransition>transitions[2 * i], NULL)
            if status >= 0 and not at.unmergeable:
                status = self.add_way(
                    engine, config, &start, False, None if transitions is None else <BoundaryTransition>transitions[2 * i + 1],
                    successors)
            if status < 0:
                return status
        return OK

    cdef int add_way(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, BoundaryTransition transition, const
        uint32_t* successors,
    ) noexcept:
        cdef uint32_t n_words = self.trie.n_words
        cdef StoredMask* mask
        cdef uint32_t i
        cdef int status = self.find_way(engine, config, start, ends, transition, &mask)
        if status < 0:
            return status
        mask_unpack(mask, n_words, self.part.data, n_words)
        mask_release(mask)
        if successors != NULL:
            for i in range(n_words):
                self.buffer.data[i] |= self.part.data[i] & successors[i]
        else:
            for i in range(n_words):
                self.buffer.data[i] |= self.part.data[i]
        memset(self.part.data, 0, n_words * sizeof(uint32_t))
        return OK

    cdef int find_way(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, BoundaryTransition transition,
        StoredMask** mask,
    ) noexcept:
        """The tokens that come where the pre-token ends, or where it goes on: as if any token might go on with it."""
        cdef uint32_t[5] words
        cdef uint32_t name = 0
        cdef CanonicalState at = start[0]
        cdef int status
        if at.last != <uint32_t>FIRST:
            at.last = UNCONSTRAINED
        words[0] = parser_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = at.hypothesis[0]
        words[3] = at.node[0]
        words[4] = ends | (at.last == <uint32_t>FIRST) << 1 | at.unmergeable << 2
        if config.row != PENDING:
            status = intern_add(&self.names, words, 5, &name)
            if status < 0:
                return status
            mask[0] = table_find(&self.table, engine.generation, name)
            if mask[0] != NULL:
                return OK
        self.misses += 1
        engine.recognizer.trace.text_dependent = False
        with nogil:
            if transition is None or config.row == PENDING or (self.rules.has_unmergeable and not self.is_free(start, ends)):
                status = self.walk(engine, config, &at, ends, self.part.data)
            else:
                status = self.filter_by_pretokens(
                    engine, config, &at, ends, transition.mask, transition.cut, transition.after, self.part.data)
        if status >= 0:
            self.part.data[self.trie.n_words] = 0
            mask[0] = table_pack(&self.table, self.part.data, self.trie.n_words, self.scratch.data)
            status = NO_MEMORY if mask[0] == NULL else OK
        memset(self.part.data, 0, self.part.len * sizeof(uint32_t))
        if status < 0 or config.row == PENDING or (config.row & VIRTUAL and engine.recognizer.trace.text_dependent):
            return status
        status = table_put(&self.table, name, mask[0])
        if status < 0:
            mask_release(mask[0])
        return status

    cdef bint is_free(self, const CanonicalState* start, bint ends) noexcept nogil:
        """Whether tokens that merges do not make say nothing about what is spelled pre-token by pre-token from here on."""
        if ends:
            return start.unmergeable or not self.rules.is_unmergeable(start.node[0])
        return start.last == <uint32_t>FIRST or start.node[0] == <uint32_t>NO_NODE

    cdef int filter_by_pretokens(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const uint32_t* mask, const uint32_t*
        cut, const uint8_t* after, uint32_t* words,
    ) noexcept nogil:
        cdef StoredMask* plain
        cdef StoredMask* known
        cdef uint32_t n_words = self.trie.n_words
        cdef uint32_t word, left, token, found
        cdef const Slot* slot
        cdef bint depends = False
        # whether it has to be asked of each token if merges make it
        cdef bint made = not self.rules.whole_pretokens or (
            self.rules.has_unmergeable and not ends and start.last != <uint32_t>FIRST)
        cdef int status = masks_find(&engine.masks, &engine.recognizer, config, &plain)
        if status < 0:
            return status
        engine.recognizer.trace.text_dependent = False
        if config.row & VIRTUAL:
            # a mask that depends on the text is not kept for the parser's row
            known = table_find(
                &engine.masks.table, engine.generation,
                <uint64_t>parser_row(&engine.recognizer, config.row) << 32 | config.state)
            depends = known == NULL
            if known != NULL:
                mask_release(known)
        mask_unpack(plain, n_words, self.plain.data, n_words)
        mask_release(plain)
        if self.inside_from != config.state or self.inside_generation != engine.generation:
            status = self.walk_inside(engine, config.state)
            if status < 0:
                return status
        for word in range(SLOTS):
            self.slots[word].state = NO_STATE
        for word in range(n_words):
            left = self.plain.data[word] & mask[word]
            found = 0
            while left and not made:
                token = word << 5 | <uint32_t>lowest_bit(left)
                slot = &self.slots[(self.inside.data[token] >> 8) % SLOTS]
                # (most: 1.1 ms instead of 1.6 for a part of a mask inside a JSON string)
                if slot.state == self.inside.data[token] and slot.can_end_pretoken[after[token]] == YES:
                    found |= left & -left
                left &= left - 1
            words[word] |= found & ~cut[word]
            left = self.plain.data[word] & mask[word] & ~(found & ~cut[word])
            while left:
                token = word << 5 | <uint32_t>lowest_bit(left)
                left &= left - 1
                status = 0
                if self.inside.data[token] != LEFT and not cut[word] >> (token & 31) & 1:
                    if config.row & VIRTUAL:
                        status = self.rest_after_text(engine, config, token, after[token])
                    else:
                        status = self.rest_after(engine, config, self.inside.data[token], after[token])
                    if status > 0 and made:
                        status = self.rules.merges.reached(token)
                if status == 0:
                    status = self.try_token(engine, config, start, ends, token)
                if status < 0:
                    return status
                if status:
                    words[word] |= <uint32_t>1 << (token & 31)
        engine.recognizer.trace.text_dependent |= depends
        return OK

    cdef int rest_after_text(self, Engine engine, const Config* config, uint32_t token, uint32_t hypothesis) noexcept nogil:
        """The same on a virtual row, where it may depend on the text. Where it did not, it holds for other tokens, too."""
        cdef uint32_t state = self.inside.data[token]
        cdef Slot* slot = self.slot_of(state)
        cdef Config moved = config[0]
        cdef CanonicalState at
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef bint text_dependent = engine.recognizer.trace.text_dependent
        cdef uint32_t i
        cdef int status = 1
        if slot.can_end_pretoken[hypothesis] == YES:
            return 1
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if status > 0:
                status = self.lookahead.step(engine, &moved, self.trie.blob[i])
        if status > 0:
            self.rules.begin(&at)
            at.hypothesis[0] = <uint16_t>hypothesis
            engine.recognizer.trace.text_dependent = False
            status = self.lookahead.can_end_pretoken(engine, &moved, &at)
            if status > 0 and not engine.recognizer.trace.text_dependent:
                slot.can_end_pretoken[hypothesis] = YES
            engine.recognizer.trace.text_dependent |= text_dependent
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef Slot* slot_of(self, uint32_t state) noexcept nogil:
        cdef Slot* slot = &self.slots[(state >> 8) % SLOTS]
        if slot.state != state:
            slot.state = state
            memset(slot.can_end_pretoken, UNKNOWN, MAX_STATES)
        return slot

    cdef int walk_inside(self, Engine engine, uint32_t state) noexcept nogil:
        """Find the lexer state after each token that stays inside the lexeme."""
        cdef const TrieNode* nodes = self.trie.nodes
        cdef uint32_t* inside = self.inside.data
        cdef uint32_t[MAX_TOKEN_BYTES + 1] states
        cdef uint32_t node = 1
        cdef uint32_t depth, target
        cdef int status
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
                node += 1
            else:
                node += node_size(&nodes[node])
        inside[self.trie.pad_token] = LEFT
        self.inside_from = state
        self.inside_generation = engine.generation
        return OK

    cdef int rest_after(self, Engine engine, const Config* config, uint32_t state, uint32_t hypothesis) noexcept nogil:
        """Whether the pre-token may end after tokens that lead to a lexer state and a hypothesis."""
        cdef Slot* slot = self.slot_of(state)
        cdef Config reached
        cdef CanonicalState at
        cdef int status
        if slot.can_end_pretoken[hypothesis] == UNKNOWN:
            reached.row = config.row
            reached.state = state
            self.rules.begin(&at)
            at.hypothesis[0] = <uint16_t>hypothesis
            status = self.lookahead.can_end_pretoken(engine, &reached, &at)
            if status < 0:
                return status
            slot.can_end_pretoken[hypothesis] = YES if status else NO
        return slot.can_end_pretoken[hypothesis] == YES

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
                status = self.lookahead.step(engine, &moved, self.trie.blob[i])
            if status <= 0:
                break
        if status > 0:
            status = self.comes(engine, &moved, &at, ends, token)
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef int walk(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t* words
    ) noexcept nogil:
        cdef CanonicalState[MAX_TOKEN_BYTES + 1] states
        cdef Config[MAX_TOKEN_BYTES + 1] configs
        cdef const TrieNode* it
        cdef uint32_t node = 1
        cdef uint32_t depth, token
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef int status
        states[0] = start[0]
        configs[0] = config[0]
        self.rules.start(&states[0], ends)
        while node < self.trie.node_count:
            it = self.trie.nodes + node
            depth = node_depth(it)
            if depth == 1:
                trace_release(&engine.recognizer.trace, &mark)
            states[depth] = states[depth - 1]
            status = 0
            if self.rules.feed(&states[depth], node_byte(it)):
                configs[depth] = configs[depth - 1]
                status = self.lookahead.step(engine, &configs[depth], node_byte(it))
            if status < 0:
                return status
            if status == 0:
                node += node_size(it)
                continue
            node += 1
            token = node_token(it)
            if token != self.trie.pad_token:
                status = self.comes(engine, &configs[depth], &states[depth], ends, token)
                if status < 0:
                    return status
                if status:
                    words[token >> 5] |= <uint32_t>1 << (token & 31)
        return OK

    cdef int comes(
        self, Engine engine, const Config* config, const CanonicalState* at, bint ends, uint32_t token
    ) noexcept nogil:
        """Whether a token may come whose bytes have led here."""
        cdef CanonicalState after
        cdef int status = self.rules.fits(at, token, ends)
        if status <= 0:
            return status
        after = at[0]
        self.rules.settle(&after, token)
        return self.lookahead.has_canonical_completion(engine, config, &after)
