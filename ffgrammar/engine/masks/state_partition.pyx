"""The partition of a lexer state: what the lexer alone says of the whole vocabulary.

A partition is kept for other rows and other grammars (partition_cache.pyx). A state that resembles one whose partition took a long
walk (base_state.pyx) gets its own by a walk over the places where the two differ. Where lexemes are read beside others, the
partition is made from that of the open state (open_state.pxd). A walk that takes long from a state whose lexemes may be
intersections is given up, and another one follows their members (products.pxd). Where lexemes go on in very many combinations, the
partition is made from those of the lexemes (split_state.pxd).
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.intern cimport intern_count, intern_get, intern_len
from ffgrammar.core.map cimport map_put
from ffgrammar.core.pulse cimport work_done
from ffgrammar.core.status cimport WIDE
from ffgrammar.engine.masks.base_state cimport base_state
from ffgrammar.engine.masks.lexeme_exit cimport walk_exits
from ffgrammar.engine.masks.open_state cimport close_exits, open_state
from ffgrammar.engine.masks.partition_cache cimport KEPT, NOT_KEPT, SHORT, partitions_find, partitions_keep
from ffgrammar.engine.masks.product_walk cimport partition_products
from ffgrammar.engine.masks.products cimport may_be_product
from ffgrammar.engine.masks.split_state cimport is_known_wide, note_wide, split_add, split_begin, split_end, split_room
from ffgrammar.engine.masks.tables cimport reset_scratch
from ffgrammar.engine.masks.trie_walk cimport UNLIKE, partition_from_base, partition_vocabulary
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa, dfa_inside, dfa_start

cdef enum:
    WALK_WORK = 300000  # units of work (pulse.pxd) after which a walk is given up if the state may be a product
    LONG_WALK = 4096  # a walk of at least this many nodes is long: copying a partition costs little beside it
    # A state is UNLIKE its base if more than one of 2^LOG_UNLIKE nodes would be looked at, and more than LONG_WALK. (Along
    # MaskBench's documents, 1 of 500 states is so. For nearly all of these, nearly all nodes would be looked at.)
    LOG_UNLIKE = 4


cdef void begin_walk(const Masks* k, Recognizer* m) noexcept nogil:
    """Have a walk end with WIDE where it is to be given up."""
    m.dfa.room = k.room
    m.dfa.nodes.work_end = work_done(&m.dfa.nodes.pulse) + k.work if k.work else 0


cdef void end_walk(Recognizer* m) noexcept nogil:
    """Take these bounds away."""
    m.dfa.room = 0
    m.dfa.nodes.work_end = 0


cdef int walk_vocabulary(Masks* k, Recognizer* m, uint32_t state) noexcept nogil:
    cdef int status
    begin_walk(k, m)
    status = partition_vocabulary(&m.dfa, &k.vocab, state, k.scratch.mask, &k.exits, &k.visited)
    end_walk(m)
    return status


cdef int find_kept(Masks* k, Recognizer* m, uint32_t state, bint even_short) noexcept nogil:
    return partitions_find(k.partitions, &k.keys, &m.dfa, state, even_short, k.scratch.mask, &k.exits)


cdef int walk_and_keep(Masks* k, Recognizer* m, uint32_t state) noexcept nogil:
    cdef size_t before = k.visited
    cdef int status = walk_vocabulary(k, m, state)
    cdef bint is_short = k.visited - before < LONG_WALK
    if status >= 0:
        status = keep(k, m, state, is_short)
    return status if status < 0 else SHORT if is_short else KEPT


cdef int keep(Masks* k, Recognizer* m, uint32_t state, bint is_short) noexcept nogil:
    """Keep the partition in `scratch` and `exits`. Returns a status."""
    # the spare word is cleared: nodes without a token put their bits there
    k.scratch.mask[k.vocab.n_words] = 0
    return partitions_keep(
        k.partitions, &k.keys, &m.dfa, state, is_short, k.scratch.mask, k.vocab.n_words, &k.exits, k.scratch.tokens)


cdef int partition_state(Masks* k, Recognizer* m, uint32_t state) noexcept nogil:
    """The partition of a state: kept, or made by a walk. Returns a status below zero on failure."""
    cdef int status = find_kept(k, m, state, True)
    return walk_and_keep(k, m, state) if status == NOT_KEPT or status == SHORT else status


cdef int partition_base(Masks* k, Recognizer* m, uint32_t base) noexcept nogil:
    cdef int status = find_kept(k, m, base, False)
    if status == NOT_KEPT:
        status = walk_and_keep(k, m, base)
        if status == SHORT:
            reset_scratch(k)
    return status


cdef int patch_from_base(
    Masks* k, Recognizer* m, const Config* config, uint32_t base, Vec* leads, bint* text_dependent,
) noexcept nogil:
    cdef size_t before = k.visited
    # (forgotten if the patch is given up)
    cdef bint looked = False
    cdef int result
    cdef int status = walk_exits(&k.vocab, k.completability, m, config.row, &k.exits, k.scratch.mask, leads, &looked)
    k.exits.len = 0
    if status < 0:
        return status
    begin_walk(k, m)
    result = partition_from_base(
        &m.dfa, &k.vocab, lasting_row(m, config.row), config.state, base, k.scratch.mask, &k.exits, leads, &k.lengths,
        max(LONG_WALK, k.vocab.node_count >> LOG_UNLIKE), &k.visited)
    end_walk(m)
    if result >= 0 and k.visited - before >= LONG_WALK:
        # the two are not much alike, so from now on the state gets a partition of its own, which is kept
        status = map_put(&k.base_states, config.state, config.state)
    if result == UNLIKE:
        reset_scratch(k)
        # (the state's own walk may add as many states as another state's)
        m.dfa.max_states = min(k.max_states, <uint32_t>intern_count(&m.dfa.states) + k.max_new_states)
    else:
        text_dependent[0] |= looked
    return result if status >= 0 else status


cdef int partition_alone(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    """The partition of a configuration's state, of which no lexeme is read beside another one. Returns a status below zero on
    failure."""
    cdef uint32_t base
    cdef int status
    if k.partitions.max_bytes == 0:
        return walk_vocabulary(k, m, config.state)
    status = base_state(&m.dfa, config.state, &k.base_states, &k.reached, &base)
    if status < 0:
        return status
    if base == config.state:
        return partition_state(k, m, config.state)
    status = partition_base(k, m, base)
    if status == KEPT:
        status = patch_from_base(k, m, config, base, NULL, text_dependent)
        return partition_state(k, m, config.state) if status == UNLIKE else status
    return walk_vocabulary(k, m, config.state) if status == SHORT else status


cdef int partition_open(Masks* k, Recognizer* m, uint32_t state) noexcept nogil:
    """The partition of a state none of whose lexemes is read beside another one. Returns a status below zero on failure."""
    return partition_state(k, m, state) if k.partitions.max_bytes else walk_vocabulary(k, m, state)


cdef int partition_lexemes(Masks* k, Recognizer* m, uint32_t state, uint32_t open) noexcept nogil:
    """The partition of a state, made from those of the lexemes of its open state. Returns a status below zero on failure."""
    cdef uint32_t[2] pair
    cdef uint32_t i, alone
    cdef int status = split_begin(k)
    if status < 0:
        return status
    for i in range(1, intern_len(&m.dfa.states, open >> 8), 2):
        # (states may move when one is added)
        memcpy(pair, intern_get(&m.dfa.states, open >> 8) + i, sizeof(pair))
        if intern_get(&m.dfa.states, open >> 8)[0]:
            status = dfa_start(&m.dfa, pair, 2, &alone)
        else:
            status = dfa_inside(&m.dfa, pair, 2, &alone)
        if status >= 0:
            reset_scratch(k)
            # (each partition is kept for other grammars. With one bound for all of them, a mask could fail in a first call, and
            # not in a second one.)
            m.dfa.max_states = min(k.max_states, <uint32_t>intern_count(&m.dfa.states) + k.max_new_states)
            status = partition_open(k, m, alone)
        if status < 0:
            return status
        split_add(k)
    return split_end(k, m, state)


cdef int partition_product(Masks* k, Recognizer* m, uint32_t state) noexcept nogil:
    """The partition of a state whose lexemes are taken apart. It is kept. Returns a status below zero on failure."""
    cdef size_t before = k.visited
    cdef int status
    m.dfa.room = k.room
    status = partition_products(&k.products, &m.dfa, &k.vocab, state, k.scratch.mask, &k.exits, &k.visited)
    m.dfa.room = 0
    if status < 0 or k.partitions.max_bytes == 0:
        return status
    status = keep(k, m, state, k.visited - before < LONG_WALK)
    # (from the next row on it is looked up, not made from that of a base state)
    return status if status < 0 else map_put(&k.base_states, state, state)


cdef int partition_wide(Masks* k, Recognizer* m, uint32_t state, uint32_t open) noexcept nogil:
    """The partition of a state, where a walk from its open state was given up. Returns a status below zero on failure."""
    cdef int status = WIDE
    reset_scratch(k)
    if k.work:
        status = partition_product(k, m, open)
    if status == WIDE and k.room:
        k.room = k.work = 0
        status = note_wide(k, &m.dfa, open)
        return status if status < 0 else partition_lexemes(k, m, state, open)
    if status == WIDE:
        # (nothing else is left than a walk without bounds)
        k.work = 0
        reset_scratch(k)
        status = partition_open(k, m, open)
    return close_exits(&m.dfa, &k.vocab, state, &k.exits) if status >= 0 and open != state else status


cdef void allow_walk(Masks* k, const Dfa* dfa, uint32_t open) noexcept nogil:
    """Say where the walk from a state is to be given up."""
    k.room = split_room(dfa, open)
    k.work = WALK_WORK if may_be_product(dfa, open) else 0


cdef int partition_beside(Masks* k, Recognizer* m, uint32_t state, uint32_t open) noexcept nogil:
    cdef int status
    if is_known_wide(k, &m.dfa, open):
        return partition_lexemes(k, m, state, open)
    allow_walk(k, &m.dfa, open)
    status = partition_open(k, m, open)
    if status == WIDE:
        status = partition_wide(k, m, state, open)
    elif status >= 0:
        status = close_exits(&m.dfa, &k.vocab, state, &k.exits)
    k.room = 0
    k.work = 0
    return status


cdef int partition(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    cdef uint32_t open
    cdef int status = open_state(&m.dfa, config.state, &k.reached, &open)
    if status < 0:
        return status
    if open != config.state:
        return partition_beside(k, m, config.state, open)
    if is_known_wide(k, &m.dfa, open):
        return partition_lexemes(k, m, open, open)
    allow_walk(k, &m.dfa, open)
    status = partition_alone(k, m, config, text_dependent)
    if status == WIDE:
        status = partition_wide(k, m, open, open)
    k.room = 0
    k.work = 0
    return status
