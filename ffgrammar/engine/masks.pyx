"""The mask of a configuration is found by walking the packed trie with one lexer state per depth. The parser is asked only
where a token leaves a lexeme; the subtree below is then walked from the new row.

A mask depends on (row, lexer state) and on nothing else, and both are interned, so a stored mask can never be stale:
whoever forgets rows or states forgets the masks with them.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ffgrammar.core.map cimport ABSENT, map_bytes, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.machine cimport machine_accepting, machine_leave, machine_step
from ffgrammar.regex.dfa cimport DEAD, LAST_STATE, LAZY, LEAVE, UNKNOWN, dfa_accept, dfa_fill
from ffgrammar.tokens.trie cimport MAX_TOKEN_BYTES

cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil
    int lowest_bit "__builtin_ctz"(unsigned int) nogil

cdef enum:
    DENSE = 0xFFFFFFFF
    NO_STATE = 0xFFFFFFFF


cdef int masks_init(Masks* k) noexcept nogil:
    vec_init(&k.words)
    vec_init(&k.buffer)
    k.hits = k.misses = 0
    if map_init(&k.index) < 0:
        return NO_MEMORY
    return vec_fill(&k.buffer, k.vocab.n_words + 1, 0)


cdef void masks_free(Masks* k) noexcept nogil:
    map_free(&k.index)
    vec_free(&k.words)
    vec_free(&k.buffer)


cdef void masks_clear(Masks* k) noexcept nogil:
    map_free(&k.index)
    map_init(&k.index)
    vec_free(&k.words)


cdef size_t masks_bytes(const Masks* k) noexcept nogil:
    return map_bytes(&k.index) + (k.words.cap + k.buffer.cap) * sizeof(uint32_t)


cdef int walk(
    Machine* m, const TrieNode* nodes, uint32_t at, uint32_t end, uint32_t row, uint32_t* states, uint32_t* mask,
) noexcept nogil:
    """Set the tokens of nodes[at:end] that `row` allows; states[depth] is known for the node above them."""
    cdef const uint32_t* delta = m.dfa.delta.data
    cdef uint32_t word, size, depth, state, target, token
    cdef uint32_t left_state = NO_STATE
    cdef Config left, inner
    cdef int status
    while at < end:
        word = nodes[at].word
        size = nodes[at].size
        depth = size & 0xFF
        state = states[depth - 1]
        target = delta[state + (word & 0xFF)]
        if target <= LAST_STATE:
            states[depth] = target
            token = word >> 8
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
            at += 1
            continue
        if target == DEAD:
            at += size >> 8
            continue
        if target == UNKNOWN:
            status = dfa_fill(&m.dfa, state, word & 0xFF, &target)
            if status < 0:
                return status
            delta = m.dfa.delta.data
            continue
        # the lexeme ends before this byte (LEAVE) or with it (LAZY): the subtree belongs to the next row
        inner.row = row
        if target == LEAVE:
            if state != left_state:
                status = machine_leave(m, row, dfa_accept(&m.dfa, state), &left)
                if status < 0:
                    return status
                left_state = state
            inner = left
            status = machine_step(m, &inner, word & 0xFF)
        else:
            status = machine_leave(m, row, dfa_accept(&m.dfa, target & LAST_STATE), &inner)
            if status >= 0:
                status = 1
        if status < 0:
            return status
        if status:
            token = word >> 8
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
            if size >> 8 > 1:
                states[depth] = inner.state
                status = walk(m, nodes, at + 1, at + (size >> 8), inner.row, states, mask)
                if status < 0:
                    return status
        delta = m.dfa.delta.data
        at += size >> 8
    return OK


cdef int add_others(Masks* k, Machine* m, const Config* config, uint32_t* mask) noexcept nogil:
    """The tokens that are not nodes of the trie: aliases, very long tokens, end of sequence."""
    cdef uint32_t i, j, token
    cdef Config moved
    cdef int status
    for i in range(k.vocab.alias_count):
        token = k.vocab.alias_of[i]
        if (mask[token >> 5] >> (token & 31)) & 1:
            token = k.vocab.alias_id[i]
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    for i in range(k.vocab.long_count):
        token = k.vocab.long_list[i]
        moved = config[0]
        status = 1
        for j in range(k.vocab.offsets[token], k.vocab.offsets[token + 1]):
            status = machine_step(m, &moved, k.vocab.blob[j])
            if status <= 0:
                break
        if status < 0:
            return status
        if status:
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    status = machine_accepting(m, config)
    if status > 0:
        for i in range(k.vocab.eos_count):
            token = k.vocab.eos[i]
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    return status


cdef int store(Masks* k, uint32_t* offset) noexcept nogil:
    """Move the mask in `buffer` to `words` (as a list of tokens when that is smaller) and clear the buffer."""
    cdef uint32_t n_words = k.vocab.n_words
    cdef uint32_t* mask = k.buffer.data
    cdef uint32_t i, bits
    cdef size_t count = 0
    cdef int status = OK
    mask[n_words] = 0
    for i in range(n_words):
        count += popcount(mask[i])
    offset[0] = <uint32_t>k.words.len
    if count >= n_words >> 2:
        if vec_push(&k.words, DENSE) < 0 or vec_extend(&k.words, mask, n_words) < 0:
            status = NO_MEMORY
    elif vec_push(&k.words, <uint32_t>count) < 0:
        status = NO_MEMORY
    else:
        for i in range(n_words):
            bits = mask[i]
            while bits:
                if vec_push(&k.words, i << 5 | <uint32_t>lowest_bit(bits)) < 0:
                    status = NO_MEMORY
                bits &= bits - 1
    memset(mask, 0, (n_words + 1) * sizeof(uint32_t))
    return status


cdef int masks_find(Masks* k, Machine* m, const Config* config, uint32_t* offset) noexcept nogil:
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint64_t key = <uint64_t>config.row << 32 | config.state
    cdef int status
    offset[0] = map_get(&k.index, key)
    if offset[0] != ABSENT:
        k.hits += 1
        return OK
    k.misses += 1
    states[0] = config.state
    status = walk(m, k.vocab.nodes, 1, k.vocab.node_count, config.row, states, k.buffer.data)
    if status >= 0:
        status = add_others(k, m, config, k.buffer.data)
    if status < 0:
        memset(k.buffer.data, 0, (k.vocab.n_words + 1) * sizeof(uint32_t))
        return status
    status = store(k, offset)
    if status < 0:
        return status
    return map_put(&k.index, key, offset[0])


cdef void masks_copy(const Masks* k, uint32_t offset, uint32_t* target, size_t count) noexcept nogil:
    cdef const uint32_t* words = k.words.data + offset
    cdef uint32_t i
    if words[0] == DENSE:
        memcpy(target, words + 1, k.vocab.n_words * sizeof(uint32_t))
        if count > k.vocab.n_words:
            memset(target + k.vocab.n_words, 0, (count - k.vocab.n_words) * sizeof(uint32_t))
        return
    memset(target, 0, count * sizeof(uint32_t))
    for i in range(1, words[0] + 1):
        target[words[i] >> 5] |= <uint32_t>1 << (words[i] & 31)
