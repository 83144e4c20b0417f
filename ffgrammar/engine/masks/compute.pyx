"""How a mask is computed.

1. The lexer alone partitions the vocabulary: tokens that stay inside the lexeme, tokens that die, and the exits in the trie
   where tokens leave the lexeme (state_partition.pyx). A partition depends on the lexer state alone. If it took long to make,
   it is kept for other rows and other grammars. Most states resemble one whose partition is known: a string of at most 40
   characters, or a key that must be none of 30 names, resembles a string without restrictions. Then the trie is walked only
   where the two differ.
2. The parser is asked about the exits, and the trie below them is walked from the row that it answers with (lexeme_exit.pyx).
   In grammars that are not delimited, segments (segments.pyx) take the place of the first two steps, but not inside the lexemes of
   a group that is delimited; where lexemes may end anywhere, a walk over configurations (config_walk.pyx) does.
3. Tokens that are not nodes of the trie are added: those that share their bytes with others (aliases), very long tokens,
   special tokens that the grammar asks for, and the end-of-text tokens.

Inside a JSON string on cl100k a mask takes 315 us with nothing kept, and 6 us with the partition known. Inside a key that must
be none of 30 names it takes 7 us. In a string of at most 40 characters it takes 16 us.

A mask depends on (row, lexer state) and on nothing else. Both are interned, so a stored mask is never stale, provided that
masks are forgotten whenever rows or states are.

In a virtual row (engine/values/trace.pxd) most masks are made without a check that looks at values. Such a mask depends on the
parser's row and the lexer state alone, and is kept under the two. Any other mask holds for one text only. Of these masks only
the last one is kept, because the same text hardly comes again.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_count, intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_get
from ffgrammar.core.pulse cimport allow_work
from ffgrammar.core.status cimport LIMIT_MASK_WORK, NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add
from ffgrammar.core.vec cimport vec_fill
from ffgrammar.engine.masks.base_state cimport base_state
from ffgrammar.engine.masks.config_walk cimport ends_everywhere, walk_configs
from ffgrammar.engine.masks.lexeme_exit cimport walk_exits
from ffgrammar.engine.masks.mask_cache cimport (
    mask_key, mask_release, mask_unpack, table_clear, table_find, table_pack, table_put,
)
from ffgrammar.engine.masks.open_state cimport open_state
from ffgrammar.engine.masks.partition_cache cimport KEPT, NOT_KEPT, SHORT
from ffgrammar.engine.masks.segments cimport add_begins, add_segments, ends_at_root, segments_bind
from ffgrammar.engine.masks.state_partition cimport (
    find_kept, partition, partition_base, partition_beside, patch_from_base, walk_and_keep, walk_vocabulary,
)
from ffgrammar.engine.masks.tables cimport give_scratch, reset_scratch, take_scratch
from ffgrammar.engine.masks.trie_walk cimport LEAD_WORDS, UNLIKE, lead_inside
from ffgrammar.engine.recognizer.completability cimport add_special_tokens, step
from ffgrammar.engine.recognizer.recognizer cimport (
    config_key, lasting_row, parser_row, recognizer_accepting, recognizer_end_lexeme,
)
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release, trace_settle, trace_try
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_accept
from ffgrammar.regex.dfa.threads cimport Threads, is_one_thread
from ffgrammar.regex.expr.nodes cimport EMPTY


# From the partition to the mask.


cdef int add_long_tokens(Masks* k, Recognizer* m, const Config* config, uint32_t* mask, bint* text_dependent) noexcept nogil:
    """Set the tokens that are too long for the trie and may come. Returns OK or a status."""
    cdef uint32_t i, j, token
    cdef Config moved
    cdef int status
    for i in range(k.vocab.long_count):
        token = k.vocab.long_list[i]
        moved = config[0]
        status = 1
        for j in range(k.vocab.offsets[token], k.vocab.offsets[token + 1]):
            status = step(k.completability, m, &moved, k.vocab.blob[j], text_dependent)
            if status <= 0:
                break
        if status < 0:
            return status
        if status:
            bit_set(mask, token)
    return OK


cdef int add_other_tokens(Masks* k, Recognizer* m, const Config* config, uint32_t* mask, bint* text_dependent) noexcept nogil:
    """Set the tokens that are not nodes of the trie: aliases, very long tokens, special tokens that the grammar asks for, and
    end-of-text tokens. Returns a status below zero on failure."""
    cdef uint32_t i
    cdef int status
    for i in range(k.vocab.alias_count):
        if bit_test(mask, k.vocab.alias_of[i]):
            bit_set(mask, k.vocab.alias_id[i])
    # these tokens may have more bytes than trace_try was promised
    trace_settle(&m.trace)
    status = add_long_tokens(k, m, config, mask, text_dependent)
    if status < 0:
        return status
    if m.rules.token_classes.len:
        status = add_special_tokens(k.completability, m, config, mask)
        if status < 0:
            return status
    status = recognizer_accepting(m, config, text_dependent)
    if status > 0:
        for i in range(k.vocab.eos_count):
            bit_set(mask, k.vocab.eos[i])
    return status


cdef int add_after_lexeme(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    """Add the tokens before whose first byte the current lexeme ends: those of the mask after the lexeme. This comes before all
    other tokens, because making that mask takes `scratch`. Returns a status below zero on failure."""
    cdef StoredMask* found
    cdef Config after
    cdef uint32_t lexset, tail
    cdef int status = ends_at_root(&k.segments, config.state, &lexset, &tail)
    if status > 0:
        status = recognizer_end_lexeme(m, config.row, lexset, &after, text_dependent)
    if status <= 0:
        return status
    status = masks_find(k, m, &after, &found, text_dependent)
    if status < 0:
        return status
    mask_unpack(found, k.vocab.n_words, k.other.data, k.vocab.n_words)
    mask_release(found)
    return add_begins(&k.segments, tail, k.other.data, k.scratch.mask)


cdef int compute_by_segments(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    """Compute the tokens of the trie in a mask. Returns a status below zero on failure."""
    cdef int status
    if k.other.len == 0 and vec_fill(&k.other, k.vocab.n_words, 0) < 0:
        return NO_MEMORY
    segments_bind(&k.segments, k.completability, m)
    status = add_after_lexeme(k, m, config, text_dependent)
    return add_segments(&k.segments, config, k.scratch.mask) if status >= 0 else status


cdef bint is_like_delimited(const Masks* k, const Recognizer* m, uint32_t state) noexcept nogil:
    """Whether all lexemes of a state compete, their group is delimited, and every row can be completed. Then what the state reads
    is as in a delimited grammar."""
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, state >> 8) + 1
    cdef uint32_t count = intern_len(&m.dfa.states, state >> 8) - 1
    cdef const Threads* t = &m.dfa.threads
    cdef uint32_t i
    if not k.completability.separator.found and not (k.completability.assured and m.rules.delimited.len):
        return False
    for i in range(0, count, 2):
        if not m.rules.delimited.data[t.groups.data[pairs[i] % t.lexemes]]:
            return False
    return is_one_thread(t, pairs, count)


cdef bint is_complete(const Recognizer* m, uint32_t state) noexcept nogil:
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, state >> 8)
    cdef uint32_t i
    if pairs[0]:
        return False
    for i in range(2, intern_len(&m.dfa.states, state >> 8), 2):
        if pairs[i] != EMPTY:
            return False
    return True


cdef int compute_crossing(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    """Compute the tokens of the trie in the mask of a configuration whose lexemes may end in many places. Returns a status below
    zero on failure."""
    cdef int status = 0
    if m.dfa.threads.present and not m.rules.has_checks:
        status = k.completability.assured or ends_everywhere(m, config.state)
    if status > 0:
        return walk_configs(&k.configs, &k.vocab, k.completability, m, config, k.scratch.mask)
    return status if status < 0 else compute_by_segments(k, m, config, text_dependent)


cdef int compute(Masks* k, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    """Compute the mask of a configuration into `scratch`. Returns a status below zero on failure."""
    cdef int status
    k.exits.len = 0
    if k.completability.enabled and (is_complete(m, config.state) or not is_like_delimited(k, m, config.state)):
        status = compute_crossing(k, m, config, text_dependent)
        return add_other_tokens(k, m, config, k.scratch.mask, text_dependent) if status >= 0 else status
    status = partition(k, m, config, text_dependent)
    if status >= 0:
        status = walk_exits(&k.vocab, k.completability, m, config.row, &k.exits, k.scratch.mask, NULL, text_dependent)
    return add_other_tokens(k, m, config, k.scratch.mask, text_dependent) if status >= 0 else status


cdef void drop_over_budget(Masks* k) noexcept nogil:
    """Drop all masks if they take too much memory. (Those in use are soon made again.)"""
    if k.table.bytes > k.max_bytes:
        table_clear(&k.table, k.table.generation)
        k.drops += 1


# Masks with leads.

cdef enum:
    # If more tokens than this stay inside a short lexeme, they get no leads, but are surveyed (engine/canonical/surveys.pyx).
    # In many vocabularies, the numbers of up to three digits are 1,110 tokens.
    MANY_INSIDE = 900


cdef int explain_short(Masks* k, Recognizer* m, const Config* config, Vec* leads, uint32_t* base) noexcept nogil:
    """Part of `explain`, where the walk is short: tokens that stay inside the lexeme have leads, too, if they are few. Returns a
    status below zero on failure."""
    cdef int status
    reset_scratch(k)
    base[0] = NO_BASE
    status = lead_inside(
        &m.dfa, &k.vocab, lasting_row(m, config.row), config.state, k.scratch.mask, &k.exits, leads, LEAD_WORDS * MANY_INSIDE)
    if status > 0:
        leads.len = 0
        base[0] = config.state
    return min(status, OK)


cdef int explain_exits(Masks* k, Recognizer* m, const Config* config, Vec* leads, bint* text_dependent) noexcept nogil:
    """Part of `explain`: from the partition to the mask. Returns a status below zero on failure."""
    cdef int status = walk_exits(&k.vocab, k.completability, m, config.row, &k.exits, k.scratch.mask, leads, text_dependent)
    return add_other_tokens(k, m, config, k.scratch.mask, text_dependent) if status >= 0 else status


cdef int explain(
    Masks* k, Recognizer* m, const Config* config, Vec* leads, uint32_t* base, bint* text_dependent,
) noexcept nogil:
    """Compute the mask of a configuration into `scratch`, with leads. Returns a status below zero on failure."""
    cdef int status = OK
    # (read once, because another thread may change `max_bytes` meanwhile)
    cdef bint is_kept = k.partitions.max_bytes != 0
    k.exits.len = leads.len = 0
    status = open_state(&m.dfa, config.state, &k.reached, base)
    if status >= 0 and base[0] != config.state:
        status = partition_beside(k, m, config.state, base[0])
        return explain_exits(k, m, config, leads, text_dependent) if status >= 0 else status
    if status >= 0 and is_kept:
        status = base_state(&m.dfa, config.state, &k.base_states, &k.reached, base)
    if status >= 0 and not is_kept:
        status = walk_vocabulary(k, m, config.state)
    elif status >= 0 and base[0] != config.state:
        status = partition_base(k, m, base[0])
        if status == KEPT:
            status = patch_from_base(k, m, config, base[0], leads, text_dependent)
        if status == UNLIKE:
            leads.len = 0
            base[0] = config.state
    if status >= 0 and is_kept and base[0] == config.state:
        status = find_kept(k, m, config.state, False)
        if status == NOT_KEPT:
            status = walk_and_keep(k, m, config.state)
    if status == SHORT:
        status = explain_short(k, m, config, leads, base)
    return explain_exits(k, m, config, leads, text_dependent) if status >= 0 else status


cdef int masks_explain(
    Masks* k, Recognizer* m, const Config* config, Vec* leads, Config* start, uint32_t* base, bint* text_dependent,
) noexcept nogil:
    cdef uint64_t key = mask_key(parser_row(m, config.row), config.state)
    cdef TraceMark mark = trace_mark(&m.trace)
    cdef StoredMask* mask = NULL
    cdef Config after
    cdef Bounds before
    cdef bint looked = False
    cdef int status
    if must_exit(k, m, config):
        status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &after, &looked)
        if status > 0:
            return masks_explain(k, m, &after, leads, start, base, text_dependent)
        leads.len = 0
        base[0] = NO_BASE
        return status
    if take_scratch(k) < 0:
        return NO_MEMORY
    start[0] = config[0]
    status = trace_try(&m.trace, config.row, k.vocab.max_depth) if config.row & VIRTUAL else OK
    if status >= 0:
        before = begin_work(k, m, 0)
        status = explain(k, m, config, leads, base, &looked)
        end_work(m, &before)
    trace_settle(&m.trace)
    trace_release(&m.trace, &mark)
    looked = looked and config.row & VIRTUAL != 0
    text_dependent[0] |= looked
    if status >= 0 and not looked and map_get(&k.table.index, key) == ABSENT:
        drop_over_budget(k)
        k.misses += 1
        k.scratch.mask[k.vocab.n_words] = 0
        mask = table_pack(&k.table, k.scratch.mask, k.vocab.n_words, k.scratch.tokens)
        status = NO_MEMORY if mask == NULL else table_put(&k.table, key, mask)
        mask_release(mask)
    give_scratch(k)
    return min(status, OK)


# Finding the mask.


cdef bint masks_know(Masks* k, Recognizer* m, const Config* config) noexcept nogil:
    return map_get(&k.table.index, mask_key(parser_row(m, config.row), config.state)) != ABSENT


cdef bint must_exit(const Masks* k, const Recognizer* m, const Config* config) noexcept nogil:
    return not config.row & VIRTUAL and not k.completability.enabled and not m.rules.has_checks and is_complete(m, config.state)


cdef int mask_after_exit(
    Masks* k, Recognizer* m, const Config* config, StoredMask** mask, bint* text_dependent,
) noexcept nogil:
    """masks_find for the configuration after the lexeme, if must_exit says that it ends here."""
    cdef Config after
    cdef int status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &after, text_dependent)
    return masks_find(k, m, &after, mask, text_dependent) if status > 0 else status


cdef Bounds begin_work(const Masks* k, Recognizer* m, uint64_t spent) noexcept nogil:
    cdef Bounds before = Bounds(m.dfa.max_states, m.nodes.pulse.done_most)
    m.dfa.max_states = min(before.max_states, <uint32_t>intern_count(&m.dfa.states) + k.max_new_states)
    if before.done_most == 0:
        # (0 means any work, so less than nothing is left as 1)
        allow_work(&m.nodes.pulse, k.max_work - spent if k.max_work > spent else min(k.max_work, 1), LIMIT_MASK_WORK)
    return before


cdef void end_work(Recognizer* m, const Bounds* before) noexcept nogil:
    m.dfa.max_states = before.max_states
    m.nodes.pulse.done_most = before.done_most


cdef int make(Masks* k, Recognizer* m, const Config* config, StoredMask** mask, bint* text_dependent) noexcept nogil:
    """Compute the mask of a configuration, for which there is no key in the table yet. Returns OK or a status."""
    cdef TraceMark mark = trace_mark(&m.trace)
    cdef int status = take_scratch(k)
    cdef Bounds before
    if status < 0:
        return status
    status = trace_try(&m.trace, config.row, k.vocab.max_depth) if config.row & VIRTUAL else OK
    if status >= 0:
        before = begin_work(k, m, 0)
        status = compute(k, m, config, text_dependent)
        end_work(m, &before)
    trace_settle(&m.trace)
    trace_release(&m.trace, &mark)
    if status >= 0:
        # the spare word is cleared: nodes without a token put their bits there
        k.scratch.mask[k.vocab.n_words] = 0
        mask[0] = table_pack(&k.table, k.scratch.mask, k.vocab.n_words, k.scratch.tokens)
        status = NO_MEMORY if mask[0] == NULL else OK
    give_scratch(k)
    return status


cdef void keep_recent(Masks* k, uint64_t key, StoredMask* mask) noexcept nogil:
    """Keep a mask that depends on its text, in place of the mask that was kept before."""
    mask_release(k.recent)
    atomic_add(&mask.refs, 1)
    k.recent = mask
    k.recent_key = key


cdef int masks_find(Masks* k, Recognizer* m, const Config* config, StoredMask** mask, bint* text_dependent) noexcept nogil:
    cdef uint64_t key = mask_key(parser_row(m, config.row), config.state)
    cdef bint looked = False
    cdef int status
    mask[0] = table_find(&k.table, k.table.generation, key, True)
    if mask[0] != NULL:
        return OK
    if config_key(config) == k.recent_key:
        k.recent_hits += 1
        mask[0] = k.recent
        atomic_add(&k.recent.refs, 1)
        text_dependent[0] = True
        return OK
    drop_over_budget(k)
    k.misses += 1
    if must_exit(k, m, config):
        status = mask_after_exit(k, m, config, mask, &looked)
    else:
        status = make(k, m, config, mask, &looked)
    if status < 0:
        return status
    # in a plain row no checked container is open, so checks looked only at values that lie inside tokens
    if config.row & VIRTUAL and looked:
        text_dependent[0] = True
        if k.max_bytes:
            keep_recent(k, config_key(config), mask[0])
        return OK
    status = table_put(&k.table, key, mask[0])
    if status < 0:
        mask_release(mask[0])
    return status
