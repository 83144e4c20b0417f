"""A token that the grammar and the tokenizer both allow may still be a dead end. Where only `order` can come, `orde` is one: the
merges never leave `orde` beside a token that begins with r. So whether a token may come is decided by looking for a sentence
that goes on with it.

The sentence need not be found whole. After the end of a pre-token, any text that the grammar allows has canonical tokens, and the
grammar can complete whatever it has allowed so far. So it is enough that the pre-token can end here: some text may
follow that makes it end (`Boundaries.can_reach`). Whether such a text may follow depends on the grammar's configuration and on the
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
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_free, intern_init, intern_truncate
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word
from ffgrammar.core.vec cimport vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.canonical.choices cimport CHOICE_WORDS, Choices
from ffgrammar.engine.canonical.hints cimport Hint, Hints
from ffgrammar.engine.canonical.pending_prefix cimport PENDING, PendingPrefix
from ffgrammar.engine.canonical.outlines cimport NOT_KNOWN, Outlines
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.routes cimport Routes
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.canonical.tails cimport Tails
from ffgrammar.engine.canonical.token_walk cimport OUT_OF_NODES, TokenWalk, walk_begin, walk_next
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.rules cimport MAX_HYPOTHESES, ROUTE_HINTS, UNCONSTRAINED
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
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

    # After this many tries, a walk looks tokens up among the successors of the last token. (On Gemma 2, a mask inside a string of
    # letters and spaces takes 2.9 ms with this, and 11.3 ms without.)
    MANY_TRIED = 64
    MAX_FOLLOWERS = 256  # list_followers gives up if it finds more than this
    NEAR = 2             # how many tokens `ends_soon` tries, one after another
    SEARCH_WORK = 64     # units of work (pulse.pxd) of a place that a search looks at


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
        self.steps = SearchSteps()
        self.boundaries = Boundaries(rules, self.steps)
        self.hints = Hints(self.boundaries)
        self.choices = Choices(rules)
        self.reach = Reach(rules)
        self.outlines = Outlines(Tails(self.boundaries, self.reach))
        self.routes = Routes(self.boundaries, self.reach)
        self.successors = [None] * MAX_LEVELS
        self.max_bytes = max_bytes
        vec_init(&self.verdicts)
        vec_init(&self.visited)
        for level in range(MAX_LEVELS):
            self.states[level] = NULL
            self.configs[level] = NULL
        if intern_init(&self.names) < 0:
            raise MemoryError

    def __dealloc__(self):
        cdef uint32_t level
        intern_free(&self.names)
        vec_free(&self.verdicts)
        vec_free(&self.visited)
        for level in range(MAX_LEVELS):
            free(self.states[level])
            free(self.configs[level])

    cdef int clear(self, Engine engine) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.verdicts)
        self.generation = engine.generation
        self.steps.forget()
        self.hints.forget()
        return min(
            intern_init(&self.names), self.choices.clear(), self.boundaries.clear(), self.outlines.clear(), self.routes.clear(),
            self.reach.clear())

    cdef size_t bytes(self) noexcept nogil:
        return (intern_bytes(&self.names) + self.choices.bytes() + self.boundaries.bytes() + self.outlines.bytes()
                + self.routes.bytes())

    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil:
        self.steps.pending = pending
        if self.generation != engine.generation or self.bytes() > self.max_bytes:
            return self.clear(engine)
        return OK

    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef int status = self.boundaries.can_end(engine, config, at)
        # (on other rows verdicts are kept, and the search itself tries hints)
        if status == 0 and config.row & VIRTUAL:
            status = self.hints.follow(engine, config, at)
        if status == 0:
            self.begin_search(config)
            status = self.end_search(self.search(engine, config, at, 0))
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef int ends_soon(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef size_t answers = self.steps.dependent_answers
        cdef uint32_t depth
        cdef int status = self.boundaries.can_end(engine, config, at)
        if status != 0 or not config.row & VIRTUAL:
            return status
        for depth in range(1, NEAR + 1):
            self.begin_search(config)
            self.deepest = depth
            status = self.search(engine, config, at, 0)
            self.forget_visited(UNKNOWN)
            if status < 0 or (status > 0 and not self.gave_up):
                return status
        # (nothing is concluded from 0)
        self.steps.dependent_answers = answers
        self.gave_up = False
        return 0

    cdef void begin_search(self, const Config* config) noexcept nogil:
        self.searched = 0
        self.routes.begin()
        self.answers_before = self.steps.dependent_answers
        self.met_virtual = self.gave_up = self.is_shallow = False
        self.deepest = MAX_LEVELS
        self.from_virtual = config.row & VIRTUAL != 0
        self.nodes_left = MAX_VIRTUAL_NODES if config.row & VIRTUAL else MAX_NODES

    cdef int end_search(self, int status) noexcept nogil:
        """A search that fails has seen everything, so the names that it leaves UNDER_WAY get the verdict NO. A search that
        succeeds may have stopped half-way, so such names become UNKNOWN again. They do, too, if answers depended on the text. If
        such a search met a virtual row twice, it has not seen everything, because the text may differ the second time. Then it
        counts as a search that reached a bound."""
        cdef bint dependent = self.steps.dependent_answers != self.answers_before
        if status == 0 and dependent and self.met_virtual:
            status = self.give_up()
        self.forget_visited(NO if status == 0 and not dependent else UNKNOWN)
        return status

    cdef void forget_visited(self, uint32_t verdict) noexcept nogil:
        cdef size_t i
        for i in range(self.visited.len):
            if self.verdicts.data[self.visited.data[i]] == UNDER_WAY:
                self.verdicts.data[self.visited.data[i]] = verdict
        self.visited.len = 0
        self.cut_short = False

    cdef int give_up(self) noexcept nogil:
        self.gave_up = True
        return 1

    cdef int list_followers(self, Engine engine, const Config* config, const CanonicalState* at, Vec* found) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef int status
        self.begin_search(config)
        self.listed_from = found.len
        status = self.search_tokens(engine, config, at, 0, found)
        self.end_search(1)
        trace_release(&engine.recognizer.trace, &mark)
        return 1 if status == 0 and self.searched == MAX_SEARCHED else status

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

    cdef int search(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil:
        cdef uint32_t name
        cdef bint outer = self.cut_short
        cdef size_t answers = self.steps.dependent_answers
        cdef int status
        if at.unmergeable and not at.character.need:
            return 0
        status = self.judge_by_routes(engine, config, at)
        if status != NOT_KNOWN:
            return status
        status = self.name_state(engine, config, at, &name)
        if status < 0:
            return status
        if name != NAMELESS and self.verdicts.data[name] != UNKNOWN:
            if self.verdicts.data[name] == UNDER_WAY:
                self.cut_short = True
                self.met_virtual |= config.row & VIRTUAL != 0
            return self.verdicts.data[name] == YES
        if level == MAX_LEVELS or self.searched == MAX_SEARCHED:
            return self.give_up()
        if level >= self.deepest and config.row & VIRTUAL:
            self.cut_short = True
            return 0
        status = pulse(&engine.recognizer.nodes.pulse, SEARCH_WORK)
        if status < 0:
            return status
        self.searched += 1
        if name != NAMELESS:
            self.verdicts.data[name] = UNDER_WAY
            if vec_push(&self.visited, name) < 0:
                return NO_MEMORY
        self.cut_short = False
        status = self.try_hints(engine, config, at, level)
        if status == 0:
            status = self.search_tokens(engine, config, at, level, NULL)
        if name != NAMELESS and status >= 0 and (status or not self.cut_short):
            self.keep_verdict(name, config, answers, status)
        self.cut_short |= outer
        return status

    cdef int judge_by_routes(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef uint32_t outline
        cdef int status
        if at.last >= <uint32_t>UNCONSTRAINED:
            return NOT_KNOWN
        status = self.routes.judge(engine, config, at, at.last)
        if status != NOT_KNOWN:
            return status
        status = self.outlines.find(engine, config, at, &outline)
        return self.outlines.judge(outline, at.last) if status >= 0 else status

    cdef int try_hints(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil:
        cdef const Hint* hint = self.hints.of(engine, config)
        cdef uint64_t noted
        cdef int status = 0
        # (With Gemma 2, canonical masks take 0.57 of the time because of hints.)
        # (on a virtual row, the order of trials can decide whether a search meets a row twice: see end_search)
        if config.row & VIRTUAL or config.row == PENDING or at.character.need:
            return 0
        if hint != NULL:
            status = self.try_hint(engine, config, at, hint.token, level)
        if status == 0 and at.last < <uint32_t>UNCONSTRAINED:
            # (this came after the token at another place)
            noted = atomic_load_word(&self.rules.route_hints[at.last % ROUTE_HINTS])
            if noted >> 32 == at.last and <uint32_t>noted and (hint == NULL or hint.token != <uint32_t>noted):
                status = self.try_hint(engine, config, at, <uint32_t>noted, level)
        return status

    cdef int try_hint(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level
    ) noexcept nogil:
        cdef CanonicalState after = at[0]
        cdef Config moved = config[0]
        cdef int status = self.boundaries.take(engine, &moved, &after, token)
        if status > 0:
            status = self.boundaries.can_end(engine, &moved, &after)
            if status == 0:
                status = self.search(engine, &moved, &after, level + 1)
        return status

    cdef void keep_verdict(self, uint32_t name, const Config* config, size_t answers, int status) noexcept nogil:
        cdef bint bounded = self.nodes_left == 0 or self.searched == MAX_SEARCHED
        self.verdicts.data[name] = YES if status else NO
        if self.steps.is_text_dependent(config, answers) or (bounded and self.from_virtual):
            self.verdicts.data[name] = UNKNOWN

    cdef int search_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level, Vec* found
    ) noexcept nogil:
        cdef TokenWalk walk
        cdef uint32_t[8] bytes
        cdef uint32_t byte, offset
        cdef int status = self.begin_walk(engine, config, at, level, &walk)
        if status < 0:
            return status
        if not at.character.need and config.row == PENDING:
            return self.search_subtrees(engine, &walk, level, found)
        if at.character.need:
            memset(bytes, 0, sizeof(bytes))
            for byte in range(at.character.low, <uint32_t>at.character.high + 1):
                bit_set(bytes, byte)
        else:
            # (with this, a search after a string's closing quote takes 2 us instead of 5)
            status = self.steps.find_next_bytes(engine, config, bytes)
            if status >= 0 and self.choices.serves(engine, config, at):
                status = self.choices.find(engine, &walk, bytes, &offset)
                if status > 0:
                    return self.search_choices(engine, &walk, offset, level, found)
            if status < 0:
                return status
        return self.search_roots(engine, &walk, bytes, level, found)

    cdef int begin_walk(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level, TokenWalk* walk
    ) noexcept nogil:
        cdef size_t room = <size_t>self.trie.max_depth + 1
        if self.states[level] == NULL:
            self.states[level] = <CanonicalState*>malloc(room * sizeof(CanonicalState))
        if self.configs[level] == NULL:
            self.configs[level] = <Config*>malloc(room * sizeof(Config))
        if self.states[level] == NULL or self.configs[level] == NULL:
            return NO_MEMORY
        self.tried[level] = 0
        self.beside[level] = NULL
        self.states[level][0] = at[0]
        self.configs[level][0] = config[0]
        self.rules.start(self.states[level], False)
        walk_begin(
            engine, walk, self.states[level], self.configs[level], self.steps.pending, &self.nodes_left,
            &self.steps.dependent_answers)
        return OK

    cdef int search_roots(
        self, Engine engine, TokenWalk* walk, const uint32_t* bytes, uint32_t level, Vec* found
    ) noexcept nogil:
        cdef uint32_t[BYTE_KINDS][8] by_kind
        cdef uint32_t nodes_left = self.nodes_left
        cdef uint32_t kind
        cdef int status = 0
        # (few verdicts are kept on virtual rows, so a search should end early there)
        if not walk.configs[0].row & VIRTUAL or walk.states[0].character.need:
            return self.search_bytes(engine, walk, bytes, level, found)
        status = self.sort_bytes(engine, &walk.configs[0], bytes, by_kind)
        # (On Gemma 2, canonical masks along compact documents take 0.87 of the time with this, most of it in objects whose keys
        # match patterns.)
        if status == 0 and found == NULL:
            self.is_shallow = True
            status = self.search_bytes(engine, walk, by_kind[LEXEME_ENDS], level, found)
            self.is_shallow = False
            if status == 0:
                # (these nodes are looked at again)
                self.nodes_left = nodes_left
        for kind in range(BYTE_KINDS):
            if status == 0:
                status = self.search_bytes(engine, walk, by_kind[kind], level, found)
        return status

    cdef int sort_bytes(
        self, Engine engine, const Config* config, const uint32_t* bytes, uint32_t[BYTE_KINDS][8] by_kind
    ) noexcept nogil:
        cdef uint32_t byte, target, kind
        cdef int status
        memset(by_kind, 0, BYTE_KINDS * 8 * sizeof(uint32_t))
        for byte in range(256):
            if not bit_test(bytes, byte):
                continue
            status = dfa_step(&engine.recognizer.dfa, config.state, byte, &target)
            if status < 0:
                return status
            kind = LEXEME_ENDS if target > LAST_STATE else STATE_STAYS if target == config.state else STATE_MOVES
            bit_set(by_kind[kind], byte)
        return OK

    cdef int search_bytes(
        self, Engine engine, TokenWalk* walk, const uint32_t* bytes, uint32_t level, Vec* found
    ) noexcept nogil:
        cdef uint32_t byte
        cdef int status
        # (few bytes can come, and their subtrees are far apart in the trie)
        for byte in range(256):
            walk.node = self.trie.roots[byte]
            if walk.node and bit_test(bytes, byte):
                walk.stop = subtree_end(self.trie.nodes, walk.node)
                status = self.search_subtrees(engine, walk, level, found)
                if status != 0:
                    return status
        return 0

    cdef int search_subtrees(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil:
        cdef int status = walk_next(engine, self.rules, walk)
        while status == 1:
            if self.beside[level] == NULL or bit_test(self.beside[level], walk.token):
                status = self.try_walked(engine, walk, level, found)
                if status != 0:
                    return status
                self.tried[level] += 1
                if self.tried[level] == MANY_TRIED and walk.states[0].last < <uint32_t>UNCONSTRAINED:
                    status = self.find_successors(walk.states[0].last, level)
                    if status < 0:
                        return status
            status = walk_next(engine, self.rules, walk)
        return self.give_up() if status == OUT_OF_NODES else status

    cdef int find_successors(self, uint32_t token, uint32_t level) noexcept with gil:
        cdef int status = self.rules.merges.reached(token)
        if status <= 0:
            # (a token that merges do not make has no such mask)
            return NO_MEMORY if status < 0 else OK
        found = self.rules.all_successors.find_or_status(token, &status)
        if status >= 0:
            self.successors[level] = found
            self.beside[level] = <const uint32_t*><const char*><bytes>found
        return status

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
                return self.give_up()
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
            self.hints.keep(engine, &walk.configs[0], walk.token)
            self.note_follower(walk.states[0].last, walk.token)
        return status

    cdef void note_follower(self, uint32_t token, uint32_t follower) noexcept nogil:
        if token < <uint32_t>UNCONSTRAINED:
            atomic_put_word(&self.rules.route_hints[token % ROUTE_HINTS], <uint64_t>token << 32 | follower)

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
        status = self.boundaries.can_end(engine, config, &after)
        return status if status != 0 or self.is_shallow else self.search(engine, config, &after, level + 1)
