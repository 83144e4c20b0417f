"""A tail is stored as words: (NONE, node, 8 words: a set of bytes) for the children of a node that begin with these bytes, where
they have many nodes below them; else the nodes themselves, sorted, with the flag CONSUMED where the lexeme has ended with the
node's byte.

A segment is stored as words: how many tokens, tails, and states that are not safe it has; then the tokens (or, if the count is
DENSE, a mask); then the tails, each as (lexemes, tail); then the states.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_count, bit_set, bit_test, lowest_bit
from ffgrammar.core.intern cimport intern_add, intern_get, intern_len, intern_truncate
from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push, vec_reserve
from ffgrammar.engine.masks.trie_walk cimport CONSUMED
from ffgrammar.engine.recognizer.completability cimport completable
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.engine.recognizer.separator cimport is_safe
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, UNKNOWN, dfa_accept, dfa_fill
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token, subtree_end,
)

cdef enum:
    NONE = 0xFFFFFFFF
    NO_ROW = 0xFFFFFFFF
    DENSE = 0xFFFFFFFF
    WHOLE = 0            # the tail of all tokens: all children of the root
    CHILDREN_WORDS = 10  # of a tail of children
    # Children of one node that have at least this many nodes below them are a tail of their own: equal ones come up in many
    # states, and share their segments.
    LARGE = 512
    # words of an exit
    E_LEXEMES = 0
    E_PARENT
    E_NODE
    E_STATE       # the lexer state at the parent
    EXIT_WORDS
    # words of a segment
    S_TOKENS = 0
    S_TAILS
    S_STATES
    S_LISTS


cdef size_t MAX_WORDS = <size_t>0xF0000000  # offsets are 32 bits wide, and a segment may have some more


cdef int add_whole(Segments* s) noexcept nogil:
    """Make WHOLE the first tail. Returns OK or NO_MEMORY."""
    cdef uint32_t[CHILDREN_WORDS] words
    cdef uint32_t tail
    memset(words, 0xFF, sizeof(words))
    words[1] = 0
    return NO_MEMORY if intern_add(&s.tails, words, CHILDREN_WORDS, &tail) < 0 else OK


cdef int segments_init(Segments* s, uint32_t n_words) noexcept nogil:
    s.epoch = 0
    owner_init(&s.owner)
    own_intern(&s.owner, &s.tails)
    own_map(&s.owner, &s.index)
    own_map(&s.owner, &s.begin)
    own_vec(&s.owner, &s.words)
    own_vec(&s.owner, &s.exits)
    own_vec(&s.owner, &s.tokens)
    own_vec(&s.owner, &s.reached)
    own_vec(&s.owner, &s.stamps)
    own_vec(&s.owner, &s.mask)
    if owner_status(&s.owner) < 0 or vec_fill(&s.mask, n_words + 1, 0) < 0:
        return NO_MEMORY
    return add_whole(s)


cdef void segments_clear(Segments* s) noexcept nogil:
    intern_truncate(&s.tails, WHOLE + 1)
    map_clear(&s.index)
    map_clear(&s.begin)
    s.words.len = 0
    s.stamps.len = 0


# The walk: what a lexer state makes of a tail.


cdef struct Walk:
    Segments* segments
    const TrieNode* nodes
    Completability* completability
    Recognizer* m
    uint32_t row                            # NO_ROW, or only states count that can be completed in this row
    uint32_t* mask                          # where tokens are noted as bits; or NULL, and they are noted in `tokens`
    uint32_t pad                            # what node_token gives where no token ends
    uint32_t states[MAX_TOKEN_BYTES + 1]    # by depth
    uint32_t parents[MAX_TOKEN_BYTES + 1]   # by depth: the last node that was walked


cdef int reach(Walk* w, uint32_t state) noexcept nogil:
    """Note that tokens reach a state. Returns whether they may go on there: 1, or 0 (for a row, see Walk.row), or a status."""
    cdef Segments* s = w.segments
    cdef uint32_t number = state >> 8
    cdef Config config
    if number >= s.stamps.len and vec_fill(&s.stamps, number + 1 - s.stamps.len, 0) < 0:
        return NO_MEMORY
    if s.stamps.data[number] == s.epoch:
        return 1
    if w.row != NO_ROW:
        config.row = w.row
        config.state = state
        # (a state that cannot be completed is not noted, and asked for again; the verdict is kept)
        number = <uint32_t>completable(w.completability, w.m, &config)
        if <int>number <= 0:
            return <int>number
    s.stamps.data[state >> 8] = s.epoch
    return NO_MEMORY if vec_push(&s.reached, state) < 0 else 1


cdef int note_exit(Walk* w, uint32_t at, uint32_t target, uint32_t state, uint32_t depth) noexcept nogil:
    """Note that the lexeme ends at a node: before its byte if `target` is LEAVE, else with it. Returns OK or NO_MEMORY."""
    cdef uint32_t[EXIT_WORDS] words
    words[E_PARENT] = w.parents[depth - 1]
    words[E_NODE] = at
    words[E_STATE] = state
    if target == LEAVE:
        words[E_LEXEMES] = dfa_accept(&w.m.dfa, state)
    else:
        words[E_LEXEMES] = dfa_accept(&w.m.dfa, target & LAST_STATE)
        words[E_NODE] |= <uint32_t>CONSUMED
    return vec_extend(&w.segments.exits, words, EXIT_WORDS)


cdef int walk_nodes(Walk* w, uint32_t at, uint32_t end) noexcept nogil:
    """Walk the nodes from `at` to `end`; the state before the first is in `states`. Returns OK or a status."""
    cdef const TrieNode* nodes = w.nodes
    cdef const uint32_t* delta = w.m.dfa.delta.data
    cdef uint32_t* states = w.states
    cdef uint32_t* parents = w.parents
    cdef uint32_t* mask = w.mask
    cdef uint32_t known = NONE
    cdef TrieNode node
    cdef uint32_t state, target, depth
    cdef int status
    while at < end:
        # (a copy, because the compiler must assume that a write to the mask may change the trie)
        node = nodes[at]
        depth = node_depth(&node)
        state = states[depth - 1]
        target = delta[state + node_byte(&node)]
        if target == UNKNOWN:
            status = dfa_fill(&w.m.dfa, state, node_byte(&node), &target)
            if status < 0:
                return status
            delta = w.m.dfa.delta.data
        if target <= LAST_STATE:
            if target != known:
                status = reach(w, target)
                if status < 0:
                    return status
                # (a search for a completion fills the automaton)
                delta = w.m.dfa.delta.data
                if status == 0:
                    at += node_size(&node)
                    continue
                known = target
            states[depth] = target
            parents[depth] = at
            if mask != NULL:
                bit_set(mask, node_token(&node))
            elif node_token(&node) != w.pad and vec_push(&w.segments.tokens, node_token(&node)) < 0:
                return NO_MEMORY
            at += 1
            continue
        if target != DEAD and note_exit(w, at, target, state, depth) < 0:
            return NO_MEMORY
        at += node_size(&node)
    return OK


cdef int walk_children(Walk* w, uint32_t state, uint32_t above, const uint32_t* bytes) noexcept nogil:
    """Walk the children of a node that begin with a byte of a set. Returns OK or a status."""
    cdef uint32_t at = above + 1
    cdef uint32_t end = subtree_end(w.nodes, above)
    cdef uint32_t next_child
    cdef int status = OK
    w.states[node_depth(&w.nodes[above])] = state
    w.parents[node_depth(&w.nodes[above])] = above
    if end - above >= LARGE:
        w.mask = w.segments.mask.data
    while at < end and status >= 0:
        next_child = subtree_end(w.nodes, at)
        if bit_test(bytes, node_byte(&w.nodes[at])):
            status = walk_nodes(w, at, next_child)
        at = next_child
    return status


cdef int walk_place(Walk* w, uint32_t state, uint32_t place) noexcept nogil:
    """Walk what is at one place of a tail of places. Returns OK or a status."""
    cdef uint32_t at = place & ~<uint32_t>CONSUMED
    cdef uint32_t depth = node_depth(&w.nodes[at])
    cdef int status
    if not place & CONSUMED:
        w.states[depth - 1] = state
        return walk_nodes(w, at, subtree_end(w.nodes, at))
    status = reach(w, state)
    if status <= 0:
        return status
    if node_token(&w.nodes[at]) != w.pad and vec_push(&w.segments.tokens, node_token(&w.nodes[at])) < 0:
        return NO_MEMORY
    w.states[depth] = state
    w.parents[depth] = at
    return walk_nodes(w, at + 1, subtree_end(w.nodes, at))


cdef int walk_tail(Walk* w, uint32_t state, uint32_t tail) noexcept nogil:
    """Walk all places of a tail. Returns OK or a status."""
    cdef Segments* s = w.segments
    cdef const uint32_t* words = intern_get(&s.tails, tail)
    cdef uint32_t count = intern_len(&s.tails, tail)
    cdef uint32_t i
    cdef int status = OK
    s.exits.len = s.tokens.len = s.reached.len = 0
    s.epoch += 1
    if words[0] == <uint32_t>NONE:
        return walk_children(w, state, words[1], words + 2)
    for i in range(count):
        status = walk_place(w, state, words[i])
        if status < 0:
            return status
    return OK


# From the walk to the segment.


cdef int compare_exits(const void* a, const void* b) noexcept nogil:
    cdef const uint32_t* x = <const uint32_t*>a
    cdef const uint32_t* y = <const uint32_t*>b
    cdef int i
    for i in range(E_STATE):
        if x[i] != y[i]:
            return 1 if x[i] > y[i] else -1
    return 0


cdef int compare_words(const void* a, const void* b) noexcept nogil:
    cdef uint32_t x = (<const uint32_t*>a)[0]
    cdef uint32_t y = (<const uint32_t*>b)[0]
    return (x > y) - (x < y)


cdef size_t same_parent(const Walk* w, size_t first, size_t* nodes) noexcept nogil:
    """The end of the run of exits that have the lexemes and the parent of the one at `first`, and how many nodes are below
    them. An exit that is CONSUMED is a run by itself."""
    cdef const uint32_t* exits = w.segments.exits.data
    cdef size_t at = first
    nodes[0] = 0
    while at < w.segments.exits.len:
        if at > first and (exits[at + E_NODE] & CONSUMED or exits[at + E_LEXEMES] != exits[first + E_LEXEMES]
                           or exits[at + E_PARENT] != exits[first + E_PARENT]):
            break
        nodes[0] += node_size(&w.nodes[exits[at + E_NODE] & ~<uint32_t>CONSUMED])
        at += EXIT_WORDS
        if exits[first + E_NODE] & CONSUMED:
            break
    return at


cdef int add_tail(Segments* s, uint32_t lexset, const uint32_t* words, size_t count) noexcept nogil:
    """Append a tail to the segment that is being written. Returns OK or NO_MEMORY."""
    cdef uint32_t[2] pair
    pair[0] = lexset
    if intern_add(&s.tails, words, count, &pair[1]) < 0:
        return NO_MEMORY
    return vec_extend(&s.words, pair, 2)


cdef int add_tails_of(Walk* w, size_t first, size_t end) noexcept nogil:
    """Append the tails of the exits from `first` to `end`, which have the same lexemes. Returns OK or NO_MEMORY."""
    cdef Segments* s = w.segments
    cdef const uint32_t* exits = s.exits.data
    cdef uint32_t[CHILDREN_WORDS] children
    cdef size_t run = first
    cdef size_t next_run, at, nodes
    cdef uint32_t byte
    s.reached.len = 0
    while run < end:
        next_run = same_parent(w, run, &nodes)
        if not exits[run + E_NODE] & CONSUMED and (nodes >= LARGE or exits[run + E_PARENT] == 0):
            # all bytes before which the lexeme ends, not only those that tokens have: so more states share the tail
            memset(children, 0, sizeof(children))
            children[0] = NONE
            children[1] = exits[run + E_PARENT]
            for byte in range(256):
                if w.m.dfa.delta.data[exits[run + E_STATE] + byte] == LEAVE:
                    bit_set(children + 2, byte)
            if add_tail(s, exits[run], children, CHILDREN_WORDS) < 0:
                return NO_MEMORY
        else:
            at = run
            while at < next_run:
                if vec_push(&s.reached, exits[at + E_NODE]) < 0:
                    return NO_MEMORY
                at += EXIT_WORDS
        run = next_run
    if s.reached.len == 0:
        return OK
    qsort(s.reached.data, s.reached.len, sizeof(uint32_t), compare_words)
    return add_tail(s, exits[first], s.reached.data, s.reached.len)


cdef int write_tokens(Walk* w, uint32_t n_words, uint32_t* count) noexcept nogil:
    """Append the tokens of the walk: as a list, or as a mask if this is shorter. Writes how many there are, or DENSE. Returns OK or
    NO_MEMORY."""
    cdef Segments* s = w.segments
    cdef uint32_t i, word
    count[0] = <uint32_t>s.tokens.len
    if w.mask == NULL:
        return vec_extend(&s.words, s.tokens.data, s.tokens.len)
    for i in range(n_words):
        count[0] += bit_count(w.mask[i])
    if count[0] >= n_words:
        count[0] = DENSE
        return vec_extend(&s.words, w.mask, n_words)
    if vec_reserve(&s.words, s.words.len + count[0]) < 0:
        return NO_MEMORY
    for i in range(n_words):
        word = w.mask[i]
        while word:
            s.words.data[s.words.len] = i << 5 | lowest_bit(word)
            s.words.len += 1
            word &= word - 1
    return OK


cdef int write_states(Walk* w, uint32_t* count) noexcept nogil:
    """Append the states of the walk that are not safe, and write how many there are. A walk for one row has asked about them
    already. Returns OK or NO_MEMORY."""
    cdef size_t i
    cdef int status
    count[0] = 0
    if w.row != NO_ROW:
        return OK
    for i in range(w.segments.reached.len):
        status = is_always_safe(w, w.segments.reached.data[i])
        if status == 0:
            count[0] += 1
            status = vec_push(&w.segments.words, w.segments.reached.data[i])
        if status < 0:
            return NO_MEMORY
    return OK


cdef int write_tails(Walk* w, uint32_t* count) noexcept nogil:
    """Append the tails of the walk, and write how many there are. Returns OK or NO_MEMORY."""
    cdef Segments* s = w.segments
    cdef size_t before = s.words.len
    cdef size_t first = 0
    cdef size_t end
    if s.exits.len > EXIT_WORDS:
        qsort(s.exits.data, s.exits.len // EXIT_WORDS, EXIT_WORDS * sizeof(uint32_t), compare_exits)
    while first < s.exits.len:
        end = first
        while end < s.exits.len and s.exits.data[end] == s.exits.data[first]:
            end += EXIT_WORDS
        if add_tails_of(w, first, end) < 0:
            return NO_MEMORY
        first = end
    count[0] = <uint32_t>(s.words.len - before) >> 1
    return OK


cdef int write_segment(Walk* w, uint32_t n_words, uint32_t* offset) noexcept nogil:
    """Write the segment of the walk. Returns OK or NO_MEMORY."""
    cdef Segments* s = w.segments
    cdef uint32_t[S_LISTS] counts
    offset[0] = <uint32_t>s.words.len
    if s.words.len > MAX_WORDS or vec_fill(&s.words, S_LISTS, 0) < 0:
        return NO_MEMORY
    if write_tokens(w, n_words, &counts[S_TOKENS]) < 0 or write_states(w, &counts[S_STATES]) < 0:
        return NO_MEMORY
    if write_tails(w, &counts[S_TAILS]) < 0:
        return NO_MEMORY
    memcpy(s.words.data + offset[0], counts, sizeof(counts))
    return OK


cdef int is_always_safe(Walk* w, uint32_t state) noexcept nogil:
    """Whether the text can be completed from a state in all rows: 1, 0 or NO_MEMORY."""
    if not w.completability.enabled:
        return 1
    return is_safe(&w.completability.separator, w.m, state) if w.completability.separator.found else 0


cdef int make_segment(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t row, uint32_t state, uint32_t tail,
    uint32_t* offset,
) noexcept nogil:
    """Make a segment, for a row (see Walk) or for NO_ROW. Returns OK or a status."""
    cdef Walk w
    cdef int status
    w.segments = s
    w.nodes = v.nodes
    w.completability = c
    w.m = m
    w.row = row
    w.mask = NULL
    w.pad = node_token(&v.nodes[0])
    status = walk_tail(&w, state, tail)
    if status >= 0:
        status = write_segment(&w, v.n_words, offset)
    if w.mask != NULL:
        memset(w.mask, 0, s.mask.len * sizeof(uint32_t))
    return status


cdef int find_segment(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t state, uint32_t tail, uint32_t* offset,
) noexcept nogil:
    """Find or make the segment of a state and a tail. Returns OK or a status."""
    cdef uint64_t key = <uint64_t>state << 32 | tail
    cdef int status
    offset[0] = map_get(&s.index, key)
    if offset[0] != ABSENT:
        return OK
    status = make_segment(s, v, c, m, NO_ROW, state, tail, offset)
    return map_put(&s.index, key, offset[0]) if status >= 0 else status


cdef inline uint32_t token_words(const uint32_t* segment, uint32_t n_words) noexcept nogil:
    return n_words if segment[S_TOKENS] == <uint32_t>DENSE else segment[S_TOKENS]


# The mask.


cdef int all_completable(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t row, uint32_t offset,
) noexcept nogil:
    """Whether the text can be completed from all states of a segment in a row: 1, 0 or a status."""
    cdef const uint32_t* segment = s.words.data + offset
    cdef uint32_t at = S_LISTS + token_words(segment, v.n_words)
    cdef Config config
    cdef uint32_t i
    cdef int status = 1
    config.row = row
    for i in range(segment[S_STATES]):
        config.state = segment[at + i]
        status = completable(c, m, &config)
        if status <= 0:
            return status
    return 1


cdef void add_tokens(const uint32_t* segment, uint32_t n_words, uint32_t* mask) noexcept nogil:
    """Add the tokens of a segment to a mask."""
    cdef const uint32_t* words = segment + S_LISTS
    cdef uint32_t i
    if segment[S_TOKENS] == <uint32_t>DENSE:
        for i in range(n_words):
            mask[i] |= words[i]
    else:
        for i in range(segment[S_TOKENS]):
            bit_set(mask, words[i])


cdef int add_segment(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t row, uint32_t state, uint32_t tail,
    uint32_t* mask,
) noexcept nogil:
    """Add to a mask the tokens of a tail that may come from a configuration. Returns OK or a status."""
    cdef const uint32_t* segment
    cdef uint32_t offset, at, i, count
    cdef Config after
    cdef int status = find_segment(s, v, c, m, state, tail, &offset)
    if status >= 0:
        status = all_completable(s, v, c, m, row, offset)
    if status == 0:
        # in this row tokens must not go through some of the states
        status = make_segment(s, v, c, m, row, state, tail, &offset)
    if status < 0:
        return status
    segment = s.words.data + offset
    add_tokens(segment, v.n_words, mask)
    count = segment[S_TAILS]
    at = offset + S_LISTS + token_words(segment, v.n_words) + segment[S_STATES]
    for i in range(count):
        # (read again each time, because the segments move when one is made)
        if is_at_root(s, s.words.data[at + 2 * i + 1]):
            continue
        status = recognizer_end_lexeme(m, row, s.words.data[at + 2 * i], &after, NULL)
        if status > 0:
            status = add_segment(s, v, c, m, after.row, after.state, s.words.data[at + 2 * i + 1], mask)
        if status < 0:
            return status
    return OK


cdef inline bint is_at_root(const Segments* s, uint32_t tail) noexcept nogil:
    return intern_get(&s.tails, tail)[0] == <uint32_t>NONE and intern_get(&s.tails, tail)[1] == 0


cdef int add_segments(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, const Config* config, uint32_t* mask,
) noexcept nogil:
    return add_segment(s, v, c, m, config.row, config.state, WHOLE, mask)


cdef int ends_at_root(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t state, uint32_t* lexset, uint32_t* tail,
) noexcept nogil:
    cdef const uint32_t* segment
    cdef uint32_t offset, at, i
    cdef int status = find_segment(s, v, c, m, state, WHOLE, &offset)
    if status < 0:
        return status
    segment = s.words.data + offset
    at = S_LISTS + token_words(segment, v.n_words) + segment[S_STATES]
    for i in range(segment[S_TAILS]):
        if is_at_root(s, segment[at + 2 * i + 1]):
            lexset[0] = segment[at + 2 * i]
            tail[0] = segment[at + 2 * i + 1]
            return 1
    return 0


cdef int add_begins(Segments* s, const Vocabulary* v, uint32_t tail, const uint32_t* after, uint32_t* mask) noexcept nogil:
    cdef uint32_t offset = map_get(&s.begin, tail)
    cdef const uint32_t* bytes = intern_get(&s.tails, tail) + 2
    cdef const uint32_t* begin
    cdef uint32_t at = 1
    cdef uint32_t end, i
    if offset == ABSENT:
        offset = <uint32_t>s.words.len
        if s.words.len > MAX_WORDS or vec_fill(&s.words, v.n_words + 1, 0) < 0:
            return NO_MEMORY
        while at < v.node_count:
            end = subtree_end(v.nodes, at)
            if bit_test(bytes, node_byte(&v.nodes[at])):
                for i in range(at, end):
                    bit_set(s.words.data + offset, node_token(&v.nodes[i]))
            at = end
        if map_put(&s.begin, tail, offset) < 0:
            return NO_MEMORY
    begin = s.words.data + offset
    for i in range(v.n_words):
        mask[i] |= after[i] & begin[i]
    return OK
