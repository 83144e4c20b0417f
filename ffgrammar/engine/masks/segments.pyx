"""A segment is stored as words: how many tokens, tails, and states that are not safe it has; then the tokens (or, if the count is
DENSE, a mask); then the states; then the tails, each as (lexemes, tail).
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_count, bit_set, bit_test, lowest_bit
from ffgrammar.core.intern cimport intern_add, intern_get, intern_len, intern_truncate
from ffgrammar.core.map cimport ABSENT, Map, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_init
from ffgrammar.core.sort cimport compare_runs, sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_push, vec_reserve
from ffgrammar.engine.masks.config_walk cimport ConfigTable, ends_everywhere, walk_configs_of_tail
from ffgrammar.engine.masks.mask_cache cimport DENSE
from ffgrammar.engine.masks.segment_walk cimport (
    CHILDREN, CHILDREN_WORDS, E_LEXEMES, E_NODE, E_PARENT, E_STATE, E_WORDS, LARGE, NO_ROW, segment_walk_clear,
    segment_walk_end, segment_walk_init, walk_tail,
)
from ffgrammar.engine.masks.trie_walk cimport CONSUMED
from ffgrammar.engine.recognizer.completability cimport completable
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.engine.recognizer.separator cimport is_safe
from ffgrammar.regex.dfa.lazy_dfa cimport LEAVE
from ffgrammar.tokens.vocabulary.trie cimport TrieNode, node_byte, node_size, node_token, subtree_end

cdef enum:
    WHOLE = 0            # the tail of all tokens: all children of the root
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


cdef int segments_init(Segments* s, const Vocabulary* vocab, ConfigTable* configs) noexcept nogil:
    s.configs = configs
    owner_init(&s.owner)
    own_intern(&s.owner, &s.tails)
    own_map(&s.owner, &s.index)
    own_map(&s.owner, &s.own)
    own_map(&s.owner, &s.begin)
    own_vec(&s.owner, &s.words)
    own_vec(&s.owner, &s.everywhere)
    own_vec(&s.owner, &s.places)
    if segment_walk_init(&s.walk, &s.owner, vocab) < 0:
        return NO_MEMORY
    return add_whole(s)


cdef void segments_clear(Segments* s) noexcept nogil:
    intern_truncate(&s.tails, WHOLE + 1)
    map_clear(&s.index)
    map_clear(&s.own)
    map_clear(&s.begin)
    # (freed, because what a table keeps when it is dropped is not counted any more)
    vec_free(&s.words)
    s.everywhere.len = 0
    segment_walk_clear(&s.walk)


cdef void segments_bind(Segments* s, Completability* c, Recognizer* m) noexcept nogil:
    s.walk.completability = c
    s.walk.m = m


# From the walk to the segment.


cdef int compare_exits(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, E_STATE)


cdef size_t same_parent(const Segments* s, size_t first, size_t* nodes) noexcept nogil:
    """The end of the run of exits that have the lexemes and the parent of the one at `first`, and how many nodes are below
    them. An exit that is CONSUMED is a run by itself."""
    cdef const uint32_t* exits = s.walk.exits.data
    cdef size_t at = first
    nodes[0] = 0
    while at < s.walk.exits.len:
        if at > first and (exits[at + E_NODE] & CONSUMED or exits[at + E_LEXEMES] != exits[first + E_LEXEMES]
                           or exits[at + E_PARENT] != exits[first + E_PARENT]):
            break
        nodes[0] += node_size(&s.walk.vocab.nodes[exits[at + E_NODE] & ~<uint32_t>CONSUMED])
        at += E_WORDS
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


cdef int add_tails_of(Segments* s, size_t first, size_t end) noexcept nogil:
    """Append the tails of the exits from `first` to `end`, which have the same lexemes. Returns OK or NO_MEMORY."""
    cdef const uint32_t* exits = s.walk.exits.data
    cdef uint32_t[CHILDREN_WORDS] children
    cdef size_t run = first
    cdef size_t next_run, at, nodes
    cdef uint32_t byte
    s.places.len = 0
    while run < end:
        next_run = same_parent(s, run, &nodes)
        if not exits[run + E_NODE] & CONSUMED and (nodes >= LARGE or exits[run + E_PARENT] == 0):
            # (also bytes that no token has here, as far as they are known, so that more states share the tail)
            memset(children, 0, sizeof(children))
            children[0] = CHILDREN
            children[1] = exits[run + E_PARENT]
            for byte in range(256):
                if s.walk.m.dfa.delta.data[exits[run + E_STATE] + byte] == LEAVE:
                    bit_set(children + 2, byte)
            if add_tail(s, exits[run + E_LEXEMES], children, CHILDREN_WORDS) < 0:
                return NO_MEMORY
        else:
            at = run
            while at < next_run:
                if vec_push(&s.places, exits[at + E_NODE]) < 0:
                    return NO_MEMORY
                at += E_WORDS
        run = next_run
    if s.places.len == 0:
        return OK
    sort_words(s.places.data, s.places.len)
    return add_tail(s, exits[first + E_LEXEMES], s.places.data, s.places.len)


cdef int write_tokens(Segments* s, uint32_t* count) noexcept nogil:
    """Append the tokens of the walk: as a list, or as a mask if this is shorter. Writes how many there are, or DENSE. Returns OK or
    NO_MEMORY."""
    cdef const uint32_t* bits = s.walk.bits.data
    cdef uint32_t n_words = s.walk.vocab.n_words
    cdef uint32_t i, word
    count[0] = <uint32_t>s.walk.tokens.len
    if not s.walk.as_bits:
        return vec_extend(&s.words, s.walk.tokens.data, s.walk.tokens.len)
    for i in range(n_words):
        count[0] += bit_count(bits[i])
    if count[0] >= n_words:
        count[0] = DENSE
        return vec_extend(&s.words, bits, n_words)
    if vec_reserve(&s.words, s.words.len + count[0]) < 0:
        return NO_MEMORY
    for i in range(n_words):
        word = bits[i]
        while word:
            s.words.data[s.words.len] = i << 5 | lowest_bit(word)
            s.words.len += 1
            word &= word - 1
    return OK


cdef int is_always_safe(Segments* s, uint32_t state) noexcept nogil:
    """Whether the text can be completed from a state in all rows: 1, 0 or NO_MEMORY."""
    if s.walk.completability.assured:
        return 1
    if not s.walk.completability.separator.found:
        return 0
    return is_safe(&s.walk.completability.separator, s.walk.m, state)


cdef int write_states(Segments* s, uint32_t* count) noexcept nogil:
    """Append the states of the walk that are not safe, and write how many there are. A walk for one row has asked about them
    already. Returns OK or NO_MEMORY."""
    cdef size_t i
    cdef int status
    count[0] = 0
    if s.walk.row != NO_ROW:
        return OK
    for i in range(s.walk.reached.len):
        status = is_always_safe(s, s.walk.reached.data[i])
        if status == 0:
            count[0] += 1
            status = vec_push(&s.words, s.walk.reached.data[i])
        if status < 0:
            return NO_MEMORY
    return OK


cdef int write_tails(Segments* s, uint32_t* count) noexcept nogil:
    """Append the tails of the walk, and write how many there are. Returns OK or NO_MEMORY."""
    cdef const Vec* exits = &s.walk.exits
    cdef size_t before = s.words.len
    cdef size_t first = 0
    cdef size_t end
    if exits.len > E_WORDS:
        qsort(exits.data, exits.len // E_WORDS, E_WORDS * sizeof(uint32_t), compare_exits)
    while first < exits.len:
        end = first
        while end < exits.len and exits.data[end + E_LEXEMES] == exits.data[first + E_LEXEMES]:
            end += E_WORDS
        if add_tails_of(s, first, end) < 0:
            return NO_MEMORY
        first = end
    count[0] = <uint32_t>(s.words.len - before) >> 1
    return OK


cdef int write_segment(Segments* s, uint32_t* offset) noexcept nogil:
    """Write the segment of the walk. Returns OK or NO_MEMORY."""
    cdef uint32_t[S_LISTS] counts
    offset[0] = <uint32_t>s.words.len
    if s.words.len > MAX_WORDS or vec_fill(&s.words, S_LISTS, 0) < 0:
        return NO_MEMORY
    if write_tokens(s, &counts[S_TOKENS]) < 0 or write_states(s, &counts[S_STATES]) < 0:
        return NO_MEMORY
    if write_tails(s, &counts[S_TAILS]) < 0:
        return NO_MEMORY
    memcpy(s.words.data + offset[0], counts, sizeof(counts))
    return OK


cdef int make_segment(Segments* s, uint32_t row, uint32_t state, uint32_t tail, uint32_t* offset) noexcept nogil:
    """Make a segment, for a row (see SegmentWalk) or for NO_ROW. Returns OK or a status."""
    cdef int status = walk_tail(&s.walk, row, state, intern_get(&s.tails, tail), intern_len(&s.tails, tail))
    if status >= 0:
        status = write_segment(s, offset)
    segment_walk_end(&s.walk)
    return status


cdef int find_or_make(
    Segments* s, Map* known, uint64_t key, uint32_t row, uint32_t state, uint32_t tail, uint32_t* offset,
) noexcept nogil:
    """Find a segment under a key, or make it, for a row or for NO_ROW. Returns OK or a status."""
    cdef int status
    offset[0] = map_get(known, key)
    if offset[0] != ABSENT:
        return OK
    status = make_segment(s, row, state, tail, offset)
    return map_put(known, key, offset[0]) if status >= 0 else status


cdef int find_segment(Segments* s, uint32_t state, uint32_t tail, uint32_t* offset) noexcept nogil:
    """Find or make the segment of a state and a tail. Returns OK or a status."""
    return find_or_make(s, &s.index, <uint64_t>state << 32 | tail, NO_ROW, state, tail, offset)


cdef inline uint32_t states_at(const Segments* s, uint32_t offset) noexcept nogil:
    """The offset of a segment's states."""
    cdef uint32_t count = s.words.data[offset + S_TOKENS]
    return offset + S_LISTS + (s.walk.vocab.n_words if count == <uint32_t>DENSE else count)


cdef inline uint32_t tails_at(const Segments* s, uint32_t offset) noexcept nogil:
    """The offset of a segment's tails."""
    return states_at(s, offset) + s.words.data[offset + S_STATES]


# The mask.


cdef int all_completable(Segments* s, uint32_t row, uint32_t offset) noexcept nogil:
    """Whether the text can be completed from all states of a segment in a row: 1, 0 or a status."""
    cdef uint32_t at = states_at(s, offset)
    cdef Config config
    cdef uint32_t i
    cdef int status = 1
    config.row = row
    for i in range(s.words.data[offset + S_STATES]):
        config.state = s.words.data[at + i]
        status = completable(s.walk.completability, s.walk.m, &config)
        if status <= 0:
            return status
    return 1


cdef void add_tokens(const Segments* s, uint32_t offset, uint32_t* mask) noexcept nogil:
    """Add the tokens of a segment to a mask."""
    cdef const uint32_t* words = s.words.data + offset + S_LISTS
    cdef uint32_t count = s.words.data[offset + S_TOKENS]
    cdef uint32_t i
    if count == <uint32_t>DENSE:
        for i in range(s.walk.vocab.n_words):
            mask[i] |= words[i]
    else:
        for i in range(count):
            bit_set(mask, words[i])


cdef inline bint is_at_root(const Segments* s, uint32_t tail) noexcept nogil:
    return intern_get(&s.tails, tail)[0] == <uint32_t>CHILDREN and intern_get(&s.tails, tail)[1] == 0


cdef int is_everywhere(Segments* s, uint32_t state) noexcept nogil:
    """`ends_everywhere`, found once for each state; 0 in grammars that are not walked over configurations."""
    cdef uint32_t number = state >> 8
    cdef int status
    if not s.walk.m.dfa.threads.present or s.walk.m.rules.has_checks:
        return 0
    if number >= s.everywhere.len and vec_fill(&s.everywhere, number + 1 - s.everywhere.len, 0xFF) < 0:
        return NO_MEMORY
    if s.everywhere.data[number] <= 1:
        return <int>s.everywhere.data[number]
    status = ends_everywhere(s.walk.m, state)
    s.everywhere.data[number] = <uint32_t>status if status >= 0 else 0xFFFFFFFF
    return status


cdef int add_segment(Segments* s, uint32_t row, uint32_t state, uint32_t tail, uint32_t* mask) noexcept nogil:
    """Add to a mask the tokens of a tail that may come in a configuration. (It calls itself at most MAX_TOKEN_BYTES deep, because
    each tail is a byte deeper in the trie.) Returns OK or a status."""
    cdef uint32_t offset, at, i, lexset
    cdef Config after = Config(row, state)
    cdef int status = is_everywhere(s, state)
    if status > 0:
        return walk_configs_of_tail(
            s.configs, s.walk.vocab, s.walk.completability, s.walk.m, &after, intern_get(&s.tails, tail),
            intern_len(&s.tails, tail), mask,
        )
    if status >= 0:
        status = find_segment(s, state, tail, &offset)
    if status >= 0:
        status = all_completable(s, row, offset)
    if status == 0:
        # in this row tokens must not go through some of the states
        status = find_or_make(s, &s.own, <uint64_t>row << 32 | offset, row, state, tail, &offset)
    if status < 0:
        return status
    add_tokens(s, offset, mask)
    at = tails_at(s, offset)
    for i in range(s.words.data[offset + S_TAILS]):
        # (offsets, because the words move when a segment is made)
        lexset = s.words.data[at + 2 * i]
        tail = s.words.data[at + 2 * i + 1]
        if is_at_root(s, tail):
            continue
        status = recognizer_end_lexeme(s.walk.m, row, lexset, &after, NULL)
        if status > 0:
            status = add_segment(s, after.row, after.state, tail, mask)
        if status < 0:
            return status
    return OK


cdef int add_segments(Segments* s, const Config* config, uint32_t* mask) noexcept nogil:
    return add_segment(s, config.row, config.state, WHOLE, mask)


cdef int ends_at_root(Segments* s, uint32_t state, uint32_t* lexset, uint32_t* tail) noexcept nogil:
    cdef uint32_t offset, at, i
    cdef int status = find_segment(s, state, WHOLE, &offset)
    if status < 0:
        return status
    at = tails_at(s, offset)
    for i in range(s.words.data[offset + S_TAILS]):
        lexset[0] = s.words.data[at + 2 * i]
        tail[0] = s.words.data[at + 2 * i + 1]
        if is_at_root(s, tail[0]):
            return 1
    return 0


cdef int make_begin(Segments* s, uint32_t tail) noexcept nogil:
    """Make the mask of the tokens that begin with a byte of a tail of the root's children. Returns OK or NO_MEMORY."""
    cdef const TrieNode* nodes = s.walk.vocab.nodes
    cdef const uint32_t* bytes = intern_get(&s.tails, tail) + 2
    cdef uint32_t offset = <uint32_t>s.words.len
    cdef uint32_t at = 1
    cdef uint32_t end
    # (and a spare word, for nodes without a token)
    if s.words.len > MAX_WORDS or vec_fill(&s.words, s.walk.vocab.n_words + 1, 0) < 0:
        return NO_MEMORY
    while at < s.walk.vocab.node_count:
        end = subtree_end(nodes, at)
        if bit_test(bytes, node_byte(&nodes[at])):
            while at < end:
                bit_set(s.words.data + offset, node_token(&nodes[at]))
                at += 1
        at = end
    return map_put(&s.begin, tail, offset)


cdef int add_begins(Segments* s, uint32_t tail, const uint32_t* after, uint32_t* mask) noexcept nogil:
    cdef const uint32_t* begin
    cdef uint32_t i
    if map_get(&s.begin, tail) == ABSENT and make_begin(s, tail) < 0:
        return NO_MEMORY
    begin = s.words.data + map_get(&s.begin, tail)
    for i in range(s.walk.vocab.n_words):
        mask[i] |= after[i] & begin[i]
    return OK
