"""A token that the grammar and the tokenizer each allow may lead to a place where they do not agree any more: `orde` where only
`order` can follow, for the merges never leave `orde` beside a token that begins with r. So what may come next is decided by
looking for a sentence.

It need not be found whole. Where a pre-token ends, the pre-tokens after it are what the tokenizer makes of whatever text comes:
so it is enough that some text brings the pre-token to its end (`can_reach_boundary`), and what a grammar has begun it can
complete. That depends on the grammar's configuration and on the hypothesis about pre-tokens, not on tokens, and is found once.
Only where the pre-token cannot end yet, tokens are tried that go on with it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_free, intern_init, intern_truncate
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.recognizer.recognizer cimport recognizer_accepting
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.engine.recognizer.completability cimport step as step_plain
from ffgrammar.tokens.canonical.rules cimport MAX_HYPOTHESES
from ffgrammar.tokens.pretokenize.table cimport DEAD, utf8_step
from ffgrammar.tokens.vocabulary.trie cimport TrieNode, node_byte, node_depth, node_size, node_token

cdef enum:
    # verdicts
    UNKNOWN = 0
    YES = 1
    NO = 2
    MET = 3    # by the search of the moment

    NAMELESS = 0xFFFFFFFF
    # Over these bounds a search takes it for granted that there is a sentence.
    MAX_PLACES = 4096
    MAX_NODES = 1 << 19       # of the trie: some 25 ms
    MAX_VIRTUAL_NODES = 1024  # on virtual rows nothing is kept, and each token is searched for anew
    MAX_STEPS = 1 << 16
    MAX_TRAIL = 3 * 64


cdef inline bint has_name(const Config* config) noexcept nogil:
    """Whether a configuration's number means the same the next time."""
    return not config.row & VIRTUAL and config.row != PENDING


cdef class Lookahead:
    """What was found of a grammar and a tokenizer's rules.

    Args:
        rules: of the tokenizer.
        max_bytes: how much of it is kept. Over it all is dropped.
    """

    def __cinit__(self, CanonicalRules rules not None, size_t max_bytes):
        cdef uint32_t level
        self.rules = rules
        self.trie = rules.trie
        self.max_bytes = max_bytes
        vec_init(&self.verdicts)
        vec_init(&self.visited)
        vec_init(&self.trail)
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
        vec_free(&self.trail)
        for level in range(MAX_LEVELS):
            free(self.states[level])
            free(self.configs[level])

    cdef int clear(self, Engine engine) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.verdicts)
        self.generation = engine.generation
        return intern_init(&self.names)

    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil:
        self.pending = pending
        if self.generation != engine.generation or intern_bytes(&self.names) > self.max_bytes:
            return self.clear(engine)
        return OK

    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil:
        if config.row != PENDING:
            return step_plain(&engine.completability, &engine.recognizer, config, byte)
        if self.pending.data[config.state] != byte:
            return 0
        config.state += 1
        if config.state == self.pending.count:
            config[0] = engine.first
        return 1

    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil:
        return 0 if config.row == PENDING else recognizer_accepting(&engine.recognizer, config)

    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef size_t i
        cdef int status = self.can_end_pretoken(engine, config, at)
        if status == 0:
            self.visited.len = 0
            self.entered = 0
            self.nodes_left = MAX_VIRTUAL_NODES if config.row & VIRTUAL else MAX_NODES
            self.tainted = False
            status = self.search(engine, config, at, 0)
            # A search that fails has seen all there is; one that does not may have left some of it half seen.
            for i in range(self.visited.len):
                if self.verdicts.data[self.visited.data[i]] == MET:
                    self.verdicts.data[self.visited.data[i]] = NO if status == 0 else UNKNOWN
        trace_release(&engine.recognizer.trace, &mark)
        return status

    cdef int name_place(self, const Config* config, const CanonicalState* at, uint32_t* name) noexcept nogil:
        cdef uint32_t[4 + 2 * MAX_HYPOTHESES] words
        cdef uint32_t count = 4
        cdef uint32_t i
        cdef int status
        name[0] = NAMELESS
        if not has_name(config) or at.character.need:
            return OK
        words[0] = config.row
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
        status = intern_add(&self.names, words, count, name)
        if status > 0 and vec_push(&self.verdicts, UNKNOWN) < 0:
            intern_truncate(&self.names, intern_count(&self.names) - 1)
            return NO_MEMORY
        return status

    cdef int can_end_pretoken(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        """Whether the pre-token may end after the last token."""
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
        """The same with tokens that go on with the pre-token."""
        cdef uint32_t name
        cdef bint outer = self.tainted
        cdef int status
        if at.unmergeable and not at.character.need:
            return 0
        status = self.name_place(config, at, &name)
        if status < 0:
            return status
        if name != NAMELESS and self.verdicts.data[name] != UNKNOWN:
            self.tainted |= self.verdicts.data[name] == MET
            return self.verdicts.data[name] == YES
        if level == MAX_LEVELS or self.entered == MAX_PLACES:
            return 1
        self.entered += 1
        if name != NAMELESS:
            self.verdicts.data[name] = MET
            if vec_push(&self.visited, name) < 0:
                return NO_MEMORY
        self.tainted = False
        status = self.over_tokens(engine, config, at, level)
        if name != NAMELESS and status >= 0 and (status or not self.tainted):
            self.verdicts.data[name] = YES if status else NO
        self.tainted |= outer
        return status

    cdef int over_tokens(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil:
        cdef CanonicalState* states = self.states[level]
        cdef Config* configs = self.configs[level]
        cdef uint32_t byte, node
        cdef int status
        if states == NULL or configs == NULL:
            states = self.states[level] = <CanonicalState*>malloc((<size_t>self.trie.max_depth + 1) * sizeof(CanonicalState))
            configs = self.configs[level] = <Config*>malloc((<size_t>self.trie.max_depth + 1) * sizeof(Config))
            if states == NULL or configs == NULL:
                return NO_MEMORY
        states[0] = at[0]
        configs[0] = config[0]
        self.rules.start(&states[0], False)
        if not at.character.need:
            return self.over_nodes(engine, states, configs, 1, self.trie.node_count, level)
        # few tokens go on inside a character, and they begin far from each other
        for byte in range(at.character.low, <uint32_t>at.character.high + 1):
            node = self.trie.roots[byte]
            if node:
                status = self.over_nodes(
                    engine, states, configs, node, node + node_size(self.trie.nodes + node), level)
                if status != 0:
                    return status
        return 0

    cdef int over_nodes(
        self, Engine engine, CanonicalState* states, Config* configs, uint32_t node, uint32_t stop, uint32_t level
    ) noexcept nogil:
        cdef const TrieNode* it
        cdef uint32_t depth
        cdef int status
        while node < stop:
            if self.nodes_left == 0:
                return 1
            self.nodes_left -= 1
            it = self.trie.nodes + node
            depth = node_depth(it)
            states[depth] = states[depth - 1]
            status = 0
            if self.rules.feed(&states[depth], node_byte(it)):
                configs[depth] = configs[depth - 1]
                status = self.step(engine, &configs[depth], node_byte(it))
            if status < 0:
                return status
            if status == 0:
                node += node_size(it)
                continue
            node += 1
            if node_token(it) != self.trie.pad_token:
                status = self.meet(engine, &configs[depth], &states[depth], node_token(it), level)
                if status != 0:
                    return status
        return 0

    cdef int meet(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level
    ) noexcept nogil:
        """Whether a token that goes on with the pre-token leads on."""
        cdef CanonicalState after
        cdef int status = self.rules.fits(at, token, False)
        if status <= 0:
            return status
        after = at[0]
        self.rules.settle(&after, token)
        status = self.can_end_pretoken(engine, config, &after)
        return status if status != 0 else self.search(engine, config, &after, level + 1)

    cdef int can_reach_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        """Whether the text can go on so that a pre-token ends here."""
        cdef uint32_t[3] words
        cdef uint32_t name
        cdef int status
        if not self.rules.may_stop[hypothesis]:
            return 0
        if not has_name(config):
            return self.find_break(engine, config, hypothesis)
        words[0] = config.row
        words[1] = config.state
        words[2] = hypothesis
        status = intern_add(&self.names, words, 3, &name)
        if status > 0 and vec_push(&self.verdicts, UNKNOWN) < 0:
            intern_truncate(&self.names, intern_count(&self.names) - 1)
            return NO_MEMORY
        if status >= 0 and self.verdicts.data[name] == UNKNOWN:
            status = self.find_break(engine, config, hypothesis)
            if status >= 0:
                self.verdicts.data[name] = YES if status else NO
        return status if status < 0 else self.verdicts.data[name] == YES

    cdef int find_break(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        """A hypothesis that the pre-token ends here is watched for some characters; then any text will do."""
        cdef uint32_t left = MAX_STEPS
        cdef bint wide
        cdef size_t at
        cdef Config reached
        cdef int status
        self.trail.len = 0
        # (most often ASCII characters will do)
        for wide in range(2):
            at = 0
            status = self.over_characters(engine, config, wide, hypothesis, False, &left)
            while status == 0 and at < self.trail.len:
                reached.row = self.trail.data[at]
                reached.state = self.trail.data[at + 1]
                status = self.over_characters(engine, &reached, False, self.trail.data[at + 2], True, &left)
                if status == 0 and wide:
                    status = self.over_characters(engine, &reached, True, self.trail.data[at + 2], True, &left)
                at += 3
            if status != 0:
                return status
        return 0

    cdef int over_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint goes_on, uint32_t* left
    ) noexcept nogil:
        """Go on with each character, ASCII or wide: whether one leads where any text will do."""
        cdef Utf8 start
        start.need = 0
        return self.over_bytes(
            engine, config, &start, 0xC2 if wide else 0, 0xF4 if wide else 0x7F, hypothesis, goes_on, left)

    cdef int over_bytes(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t low, uint32_t high, uint32_t hypothesis, bint goes_on,
        uint32_t* left,
    ) noexcept nogil:
        cdef uint32_t first = 0 if goes_on else self.rules.pretokens.stays
        cdef Config moved
        cdef Utf8 after
        cdef uint32_t byte, transition
        cdef uint32_t at = 0
        cdef uint64_t live = self.rules.pretokens.live_ends[hypothesis]
        cdef int status
        if goes_on:
            live |= self.rules.pretokens.live_on[hypothesis]
        if not live:
            return 0
        for byte in range(low, high + 1):
            after = part[0]
            if not utf8_step(&after, byte):
                continue
            if after.need and not live & self.rules.pretokens.possible(&after):
                continue
            if not after.need:
                at = hypothesis * self.rules.pretokens.classes + self.rules.pretokens.class_of(after.code)
                for transition in range(first, self.rules.pretokens.ways):
                    if self.rules.pretokens.to[transition * self.rules.pretokens.size + at] != DEAD:
                        break
                else:
                    continue
            if left[0] == 0:
                return 1
            left[0] -= 1
            moved = config[0]
            status = self.step(engine, &moved, byte)
            if status > 0 and after.need:
                status = self.over_bytes(engine, &moved, &after, after.low, after.high, hypothesis, goes_on, left)
            elif status > 0:
                status = 0
                for transition in range(first, self.rules.pretokens.ways):
                    if status == 0:
                        status = self.reach(engine, &moved, self.rules.pretokens.to[transition * self.rules.pretokens.size + at])
            if status != 0:
                return status
        return 0

    cdef int reach(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil:
        """A place after the end of a pre-token: whether it is sure that the text goes on from there; else it is noted down."""
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
        for i in range(0, self.trail.len, 3):
            if (self.trail.data[i] == config.row and self.trail.data[i + 1] == config.state
                    and self.trail.data[i + 2] == hypothesis):
                return 0
        if self.trail.len >= MAX_TRAIL:
            return 1
        words[0] = config.row
        words[1] = config.state
        words[2] = hypothesis
        return vec_extend(&self.trail, words, 3)
