"""A token that the grammar and the tokenizer both allow may still be a dead end. Where only `order` can come, `orde` is one: the
merges never leave `orde` beside a token that begins with r. So whether a token may come is decided by looking for a sentence
that goes on with it.

The sentence need not be found whole. After the end of a pre-token, any text that the grammar allows has canonical tokens, and the
grammar can complete whatever it has allowed so far. So it is enough that the pre-token can end here: some text may
follow that makes it end (`can_reach_boundary`). Whether such a text may follow depends on the grammar's configuration and on the
hypothesis about pre-tokens, not on tokens. So this is found once for each configuration and hypothesis. Only if the pre-token
cannot end yet, the search tries tokens that go on with it.

Verdicts are kept for all matchers of a grammar, within the budget of its caches. They are kept for virtual rows, too, if they do
not depend on the text. (In a schema whose document is an array with `uniqueItems`, a canonical mask took 0.92 ms without these
verdicts, and 0.43 ms with them.)
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.compare cimport bits_low, bits_unlike
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_free, intern_init, intern_truncate
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.utf8 cimport utf8_step
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.choices cimport CHOICE_WORDS, Choices
from ffgrammar.engine.canonical.pending_prefix cimport PENDING, PendingPrefix, prefix_accepting, prefix_step
from ffgrammar.engine.canonical.token_walk cimport OUT_OF_NODES, TokenWalk, walk_begin, walk_next
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.tokens.canonical.rules cimport MAX_HYPOTHESES, UNCONSTRAINED
from ffgrammar.engine.recognizer.recognizer cimport lasting_row, recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD as DEAD_STATE, LAST_STATE, LEAVE, dfa_accept, dfa_step
from ffgrammar.tokens.pretokenize.table cimport DEAD
from ffgrammar.tokens.vocabulary.trie cimport subtree_end

cdef enum:
    # verdicts
    UNKNOWN = 0
    YES = 1
    NO = 2
    UNDER_WAY = 3  # the current search has met the name, and has not decided it yet

    NAMELESS = 0xFFFFFFFF
    # A search that reaches one of these bounds takes it for granted that there is a sentence.
    MAX_SEARCHED = 4096
    MAX_NODES = 1 << 19       # of the trie: some 25 ms
    # instead, where a search begins on a virtual row: verdicts that depend on the text are not kept, so there may be many searches
    MAX_VIRTUAL_NODES = 1024
    MAX_STEPS = 1 << 16       # bytes that one search for the end of a pre-token tries
    MAX_FRONTIER = 3 * 64     # words, three for each configuration

    MAX_FOLLOWERS = 256  # list_followers gives up if it finds more than this


@cython.final
cdef class Lookahead:
    """What the searches under a grammar and a tokenizer's rules have found.

    Args:
        rules: the tokenizer's rules.
        max_bytes: when the names take more than this, everything is dropped.
    """

    def __cinit__(self, CanonicalRules rules not None, size_t max_bytes):
        cdef uint32_t level
        self.rules = rules
        self.trie = rules.trie
        self.choices = Choices(rules)
        self.max_bytes = max_bytes
        vec_init(&self.verdicts)
        vec_init(&self.visited)
        vec_init(&self.frontier)
        for level in range(MAX_LEVELS):
            self.states[level] = NULL
            self.configs[level] = NULL
        self.forget_hints()
        if intern_init(&self.names) < 0:
            raise MemoryError

    def __dealloc__(self):
        cdef uint32_t level
        intern_free(&self.names)
        vec_free(&self.verdicts)
        vec_free(&self.visited)
        vec_free(&self.frontier)
        for level in range(MAX_LEVELS):
            free(self.states[level])
            free(self.configs[level])

    cdef int clear(self, Engine engine) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.verdicts)
        self.generation = engine.generation
        self.forget_hints()
        return min(intern_init(&self.names), self.choices.clear())

    cdef void forget_hints(self) noexcept nogil:
        cdef uint32_t i
        for i in range(KEPT_BYTES):
            self.next_bytes[i].config.row = PENDING
        for i in range(HINTS):
            self.hints[i].config.row = PENDING

    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil:
        self.pending = pending
        if self.generation != engine.generation or intern_bytes(&self.names) + self.choices.bytes() > self.max_bytes:
            return self.clear(engine)
        return OK

    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil:
        return prefix_step(engine, &self.pending, config, byte, &self.dependent_answers)

    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil:
        return prefix_accepting(engine, config, &self.dependent_answers)

    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef int status = self.can_end_pretoken(engine, config, at)
        if status == 0:
            self.begin_search(config)
            status = self.end_search(self.search(engine, config, at, 0))
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef void begin_search(self, const Config* config) noexcept nogil:
        self.searched = 0
        self.answers_before = self.dependent_answers
        self.met_virtual = False
        self.from_virtual = config.row & VIRTUAL != 0
        self.nodes_left = MAX_VIRTUAL_NODES if config.row & VIRTUAL else MAX_NODES

    cdef int end_search(self, int status) noexcept nogil:
        """A search that fails has seen everything, so the names that it leaves UNDER_WAY get the verdict NO. A search that
        succeeds may have stopped half-way, so such names become UNKNOWN again. They do, too, if answers depended on the text. If
        such a search met a virtual row twice, it has not seen everything, because the text may differ the second time. Then it
        counts as a search that reached a bound."""
        cdef bint dependent = self.dependent_answers != self.answers_before
        cdef size_t i
        if status == 0 and dependent and self.met_virtual:
            status = 1
        for i in range(self.visited.len):
            if self.verdicts.data[self.visited.data[i]] == UNDER_WAY:
                self.verdicts.data[self.visited.data[i]] = NO if status == 0 and not dependent else UNKNOWN
        self.visited.len = 0
        self.cut_short = False
        return status

    cdef int list_followers(self, Engine engine, const Config* config, const CanonicalState* at, Vec* found) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef int status
        self.begin_search(config)
        self.listed_from = found.len
        status = self.search_tokens(engine, config, at, 0, found)
        self.end_search(1)
        trace_release(&engine.recognizer.trace, &mark)
        return 1 if status == 0 and self.searched == MAX_SEARCHED else status

    cdef int can_be_followed(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t byte
    ) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef CanonicalState after = at[0]
        cdef Config moved = config[0]
        cdef int status = self.step(engine, &moved, byte)
        if status > 0:
            self.rules.start(&after, False)
            status = self.rules.feed(&after, byte)
        if status > 0:
            self.begin_search(&moved)
            status = self.end_search(self.try_token(engine, &moved, &after, token, 0))
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef int name_state(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* name) noexcept nogil:
        cdef uint32_t[4 + 2 * MAX_HYPOTHESES] words
        cdef uint32_t count = 4
        cdef uint32_t i
        name[0] = NAMELESS
        if config.row == PENDING or at.character.need:
            return OK
        words[0] = lasting_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = at.last
        words[3] = at.unmergeable
        for i in range(at.count):
            words[count] = at.hypothesis[i]
            count += 1
        if self.rules.has_unmergeable:
            for i in range(at.count):
                words[count] = at.node[i]
                count += 1
        return self.add_name(words, count, name)

    cdef int add_name(self, const uint32_t* words, uint32_t count, uint32_t* name) noexcept nogil:
        cdef int status = intern_add(&self.names, words, count, name)
        if status > 0 and vec_push(&self.verdicts, UNKNOWN) < 0:
            intern_truncate(&self.names, intern_count(&self.names) - 1)
            return NO_MEMORY
        return status

    cdef int can_end_pretoken(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef uint32_t i
        cdef int status
        if at.character.need:
            return 0
        for i in range(at.count):
            if self.rules.is_unmergeable(at.node[i]) and not at.unmergeable:
                continue
            if self.rules.pretokens.final[at.hypothesis[i]]:
                status = self.accepting(engine, config)
                if status != 0:
                    return status
            status = self.can_reach_boundary(engine, config, at.hypothesis[i])
            if status != 0:
                return status
        return 0

    cdef int search(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil:
        cdef uint32_t name
        cdef bint outer = self.cut_short
        cdef size_t answers = self.dependent_answers
        cdef int status
        if at.unmergeable and not at.character.need:
            return 0
        status = self.name_state(engine, config, at, &name)
        if status < 0:
            return status
        if name != NAMELESS and self.verdicts.data[name] != UNKNOWN:
            if self.verdicts.data[name] == UNDER_WAY:
                self.cut_short = True
                self.met_virtual |= config.row & VIRTUAL != 0
            return self.verdicts.data[name] == YES
        if level == MAX_LEVELS or self.searched == MAX_SEARCHED:
            return 1
        self.searched += 1
        if name != NAMELESS:
            self.verdicts.data[name] = UNDER_WAY
            if vec_push(&self.visited, name) < 0:
                return NO_MEMORY
        self.cut_short = False
        status = self.try_hint(engine, config, at, level)
        if status == 0:
            status = self.search_tokens(engine, config, at, level, NULL)
        if name != NAMELESS and status >= 0 and (status or not self.cut_short):
            self.keep_verdict(name, config, answers, status)
        self.cut_short |= outer
        return status

    cdef int try_hint(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil:
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef const Hint* hint = &self.hints[(row ^ config.state >> 8) % HINTS]
        cdef uint32_t token = hint.token
        cdef CanonicalState after
        cdef Config moved
        cdef uint32_t i
        cdef int status = 1
        # (With Gemma 2, canonical masks take 0.57 of the time because of hints.)
        # (on a virtual row, the order of trials can decide whether a search meets a row twice: see end_search)
        if config.row & VIRTUAL or config.row == PENDING or at.character.need or (
                hint.config.row != row or hint.config.state != config.state):
            return 0
        after = at[0]
        moved = config[0]
        self.rules.start(&after, False)
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            status = self.step(engine, &moved, self.trie.blob[i])
            if status <= 0:
                return status
            if not self.rules.feed(&after, self.trie.blob[i]):
                return 0
        return self.try_token(engine, &moved, &after, token, level)

    cdef void keep_hint(self, Engine engine, const Config* config, uint32_t token) noexcept nogil:
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef Hint* hint = &self.hints[(row ^ config.state >> 8) % HINTS]
        hint.config.row = row
        hint.config.state = config.state
        hint.token = token

    cdef void keep_verdict(self, uint32_t name, const Config* config, size_t answers, int status) noexcept nogil:
        cdef bint bounded = self.nodes_left == 0 or self.searched == MAX_SEARCHED
        self.verdicts.data[name] = YES if status else NO
        if self.is_text_dependent(config, answers) or (bounded and self.from_virtual):
            self.verdicts.data[name] = UNKNOWN

    cdef int search_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level, Vec* found
    ) noexcept nogil:
        cdef CanonicalState* states = self.states[level]
        cdef Config* configs = self.configs[level]
        cdef TokenWalk walk
        cdef uint32_t[8] bytes
        cdef uint32_t byte, offset
        cdef int status
        if states == NULL or configs == NULL:
            states = self.states[level] = <CanonicalState*>malloc((<size_t>self.trie.max_depth + 1) * sizeof(CanonicalState))
            configs = self.configs[level] = <Config*>malloc((<size_t>self.trie.max_depth + 1) * sizeof(Config))
            if states == NULL or configs == NULL:
                return NO_MEMORY
        states[0] = at[0]
        configs[0] = config[0]
        self.rules.start(&states[0], False)
        walk_begin(engine, &walk, states, configs, self.pending, &self.nodes_left, &self.dependent_answers)
        if not at.character.need and config.row == PENDING:
            return self.search_subtrees(engine, &walk, level, found)
        if at.character.need:
            memset(bytes, 0, sizeof(bytes))
            for byte in range(at.character.low, <uint32_t>at.character.high + 1):
                bit_set(bytes, byte)
        else:
            # (with this, a search after a string's closing quote takes 2 us instead of 5)
            status = self.find_next_bytes(engine, config, bytes)
            if status >= 0 and self.choices.serves(engine, config, at):
                status = self.choices.find(engine, &walk, bytes, &offset)
                if status > 0:
                    return self.search_choices(engine, &walk, offset, level, found)
            if status < 0:
                return status
        # (few bytes can come, and their subtrees are far apart in the trie)
        for byte in range(256):
            walk.node = self.trie.roots[byte]
            if walk.node and bit_test(bytes, byte):
                walk.stop = subtree_end(self.trie.nodes, walk.node)
                status = self.search_subtrees(engine, &walk, level, found)
                if status != 0:
                    return status
        return 0

    cdef int find_next_bytes(self, Engine engine, const Config* config, uint32_t* bytes) noexcept nogil:
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef NextBytes* kept = &self.next_bytes[(row ^ config.state >> 8) % KEPT_BYTES]
        cdef TraceMark mark
        cdef bint asks = not config.row & VIRTUAL
        cdef bint asks_all = asks and engine.completability.enabled
        cdef Config moved
        cdef Config after
        cdef const uint32_t* delta
        cdef uint32_t[8] live
        cdef uint32_t byte, target, word
        cdef bint ended = False
        cdef bint looked = False
        cdef int status = 0
        if kept.config.row == row and kept.config.state == config.state:
            memcpy(bytes, kept.bytes, sizeof(kept.bytes))
            return OK
        mark = trace_mark(&engine.recognizer.trace)
        # (no configuration here has this row, so the entry is not found if this function fails half-way)
        kept.config.row = PENDING
        delta = engine.recognizer.dfa.delta.data + config.state
        for word in range(8):
            # (most bytes are dead, or stay inside the lexeme)
            kept.bytes[word] = 0 if asks_all else bits_low(delta + 32 * word)
            live[word] = bits_unlike(delta + 32 * word, DEAD_STATE) & ~kept.bytes[word]
        word = 0
        while word < 8:
            if not live[word]:
                word += 1
                continue
            byte = word << 5 | lowest_bit(live[word])
            live[word] &= live[word] - 1
            status = dfa_step(&engine.recognizer.dfa, config.state, byte, &target)
            if status >= 0 and target == LEAVE and not asks_all:
                # the lexeme ends before any byte whose target is LEAVE, so it is ended once for all such bytes
                if not ended:
                    ended = True
                    status = recognizer_end_lexeme(
                        &engine.recognizer, config.row, dfa_accept(&engine.recognizer.dfa, config.state), &after, &looked)
                    after.row = after.row if status > 0 else PENDING
                    trace_release(&engine.recognizer.trace, &mark)
                    if not looked:
                        self.drop_dead(engine, config, &after, live)
                if status >= 0 and not looked:
                    if after.row == PENDING:
                        continue
                    status = dfa_step(&engine.recognizer.dfa, after.state, byte, &target)
            if status < 0:
                return status
            if target == DEAD_STATE:
                continue
            if asks_all or (asks and target > LAST_STATE):
                moved = config[0]
                status = self.step(engine, &moved, byte)
                if status < 0:
                    return status
                if status == 0:
                    continue
            bit_set(kept.bytes, byte)
        kept.config.row = row
        kept.config.state = config.state
        memcpy(bytes, kept.bytes, sizeof(kept.bytes))
        return OK

    cdef void drop_dead(self, Engine engine, const Config* config, const Config* after, uint32_t* live) noexcept nogil:
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data
        cdef uint32_t word, dead
        for word in range(8):
            if live[word]:
                dead = ~bits_unlike(delta + config.state + 32 * word, LEAVE)
                if after.row != PENDING:
                    dead &= ~bits_unlike(delta + after.state + 32 * word, DEAD_STATE)
                live[word] &= ~dead

    cdef int search_subtrees(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil:
        cdef int status = walk_next(engine, self.rules, walk)
        while status == 1:
            status = self.try_walked(engine, walk, level, found)
            if status != 0:
                return status
            status = walk_next(engine, self.rules, walk)
        return 1 if status == OUT_OF_NODES else status

    cdef int search_choices(
        self, Engine engine, TokenWalk* walk, uint32_t offset, uint32_t level, Vec* found
    ) noexcept nogil:
        cdef uint32_t last = walk.states[0].last
        cdef const uint32_t* choice
        cdef uint32_t i
        cdef int status
        walk.depth = 1
        for i in range(self.choices.found.data[offset]):
            if self.nodes_left == 0:
                return 1
            self.nodes_left -= 1
            # (a search below may move the lists)
            choice = self.choices.found.data + offset + 1 + <size_t>CHOICE_WORDS * i
            walk.token = choice[0]
            status = 1 if last == <uint32_t>UNCONSTRAINED else self.rules.merges.pair(last, walk.token)
            if status > 0:
                walk.configs[1].row = choice[1]
                walk.configs[1].state = choice[2]
                walk.states[1] = walk.states[0]
                self.rules.feed_token(&walk.states[1], walk.token)
                status = self.try_walked(engine, walk, level, found)
            if status != 0:
                return status
        return 0

    cdef int try_walked(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil:
        cdef int status = self.try_token(engine, &walk.configs[walk.depth], &walk.states[walk.depth], walk.token, level)
        if found != NULL and status >= 0:
            # (each token is a search of its own)
            status = self.end_search(status)
            status = vec_push(found, walk.token) if status > 0 else 0
            if status >= 0 and found.len - self.listed_from > MAX_FOLLOWERS:
                return 1
        if status > 0 and not walk.states[0].character.need:
            self.keep_hint(engine, &walk.configs[0], walk.token)
        return status

    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level
    ) noexcept nogil:
        cdef CanonicalState after
        cdef int status = self.rules.fits(at, token, False)
        if status <= 0:
            return status
        after = at[0]
        status = self.rules.settle(&after, token)
        if status < 0:
            return status
        status = self.can_end_pretoken(engine, config, &after)
        return status if status != 0 else self.search(engine, config, &after, level + 1)

    cdef int can_reach_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        cdef uint32_t[3] words
        cdef uint32_t name
        cdef size_t answers = self.dependent_answers
        cdef int status
        if not self.rules.may_stop[hypothesis]:
            return 0
        if config.row == PENDING:
            return self.search_boundary(engine, config, hypothesis)
        words[0] = lasting_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = hypothesis
        status = self.add_name(words, 3, &name)
        if status < 0 or self.verdicts.data[name] != UNKNOWN:
            return status if status < 0 else self.verdicts.data[name] == YES
        status = self.search_boundary(engine, config, hypothesis)
        if status >= 0 and not self.is_text_dependent(config, answers):
            self.verdicts.data[name] = YES if status else NO
        return status

    cdef int search_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        """A few characters show whether the pre-token can end here: after them any text will do. So this is a breadth-first
        search over characters. The frontier has the places to go on from."""
        cdef uint32_t steps_left = MAX_STEPS
        cdef bint wide
        cdef size_t at
        cdef Config reached
        cdef int status
        self.frontier.len = 0
        # (most often ASCII characters are enough)
        for wide in range(2):
            at = 0
            status = self.try_characters(engine, config, wide, hypothesis, False, &steps_left)
            while status == 0 and at < self.frontier.len:
                reached.row = self.frontier.data[at]
                reached.state = self.frontier.data[at + 1]
                status = self.try_characters(engine, &reached, False, self.frontier.data[at + 2], True, &steps_left)
                if status == 0 and wide:
                    status = self.try_characters(engine, &reached, True, self.frontier.data[at + 2], True, &steps_left)
                at += 3
            if status != 0:
                return status
        return 0

    cdef int try_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint ended, uint32_t* steps_left
    ) noexcept nogil:
        cdef uint64_t live = self.rules.pretokens.live_ends[hypothesis]
        cdef uint32_t first_word = 4 if wide else 0
        cdef uint32_t[8] bytes
        cdef Utf8 start
        cdef uint32_t word, byte
        cdef int status
        if ended:
            live |= self.rules.pretokens.live_on[hypothesis]
        if not live:
            return 0
        start.need = 0
        memset(bytes, 0xFF, sizeof(bytes))
        if config.row != PENDING:
            status = self.find_next_bytes(engine, config, bytes)
            if status < 0:
                return status
        for word in range(first_word, first_word + 4):
            while bytes[word]:
                byte = word << 5 | lowest_bit(bytes[word])
                bytes[word] &= bytes[word] - 1
                status = self.try_byte(engine, config, &start, byte, live, hypothesis, ended, steps_left)
                if status != 0:
                    return status
        return 0

    cdef int try_byte(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t byte, uint64_t live, uint32_t hypothesis,
        bint ended, uint32_t* steps_left,
    ) noexcept nogil:
        # if the pre-token has not ended yet, it has to end before this character: ways in which it goes on do not count
        cdef uint32_t first = 0 if ended else self.rules.pretokens.stays
        cdef Utf8 after = part[0]
        cdef Config moved
        cdef uint32_t next, transition
        cdef uint32_t entry = 0
        cdef uint64_t one = 1
        cdef int status
        if byte < 0x80 and not live & one << (self.rules.pretokens.ascii[byte] & 63):
            return 0
        if not utf8_step(&after, byte) or (after.need and not live & self.rules.pretokens.possible(&after)):
            return 0
        if not after.need:
            entry = hypothesis * self.rules.pretokens.classes + self.rules.pretokens.class_of(after.code)
            if not self.has_transition(first, entry):
                return 0
        if steps_left[0] == 0:
            return 1
        steps_left[0] -= 1
        moved = config[0]
        status = self.step(engine, &moved, byte)
        if status <= 0:
            return status
        if after.need:
            for next in range(after.low, <uint32_t>after.high + 1):
                status = self.try_byte(engine, &moved, &after, next, live, hypothesis, ended, steps_left)
                if status != 0:
                    return status
            return 0
        for transition in range(first, self.rules.pretokens.ways):
            status = self.pass_boundary(engine, &moved, self.rules.pretokens.to[transition * self.rules.pretokens.size + entry])
            if status != 0:
                return status
        return 0

    cdef bint has_transition(self, uint32_t first, uint32_t entry) noexcept nogil:
        cdef uint32_t transition
        for transition in range(first, self.rules.pretokens.ways):
            if self.rules.pretokens.to[transition * self.rules.pretokens.size + entry] != DEAD:
                return True
        return False

    cdef int pass_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        cdef uint32_t[3] words
        cdef size_t i
        cdef int status
        if hypothesis == DEAD:
            return 0
        if self.rules.is_sure[hypothesis]:
            return 1
        if self.rules.pretokens.final[hypothesis]:
            status = self.accepting(engine, config)
            if status != 0:
                return status
        for i in range(0, self.frontier.len, 3):
            if (self.frontier.data[i] == config.row and self.frontier.data[i + 1] == config.state
                    and self.frontier.data[i + 2] == hypothesis):
                return 0
        if self.frontier.len >= MAX_FRONTIER:
            return 1
        words[0] = config.row
        words[1] = config.state
        words[2] = hypothesis
        return vec_extend(&self.frontier, words, 3)
