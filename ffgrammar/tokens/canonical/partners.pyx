"""What is asked here is the same for all grammars, so it is kept by the rules."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word
from ffgrammar.tokens.canonical.rules cimport FAILED, KEPT_PARTNERS, CanonicalRules
from ffgrammar.tokens.vocabulary.token_index cimport mix
from ffgrammar.tokens.vocabulary.trie cimport node_token, subtree_end

cdef enum:
    # If none of so many tokens can follow, some other token may. (With 16, canonical masks of Llama 3 take 1.27 times the time;
    # without a bound, those of Gemma 3 take 1.07 times.)
    MAX_ASKED = 128


cdef int has_partner_below(CanonicalRules rules, uint32_t token, uint32_t node) noexcept nogil:
    # (the numbers of tokens and nodes have 24 bits)
    cdef uint64_t key = <uint64_t>token << 40 | <uint64_t>node << 16 | 1
    cdef uint64_t* kept = &rules.partners_below[mix(key) & (KEPT_PARTNERS - 1)]
    cdef uint64_t known = atomic_load_word(kept)
    cdef uint32_t stop = subtree_end(rules.trie.nodes, node)
    cdef uint32_t asked = 0
    cdef uint32_t below, next
    cdef int status = 0
    if known & ~<uint64_t>2 == key:
        return known >> 1 & 1
    for below in range(node + 1, stop):
        next = node_token(&rules.trie.nodes[below])
        if next == rules.trie.pad_token:
            continue
        if asked == MAX_ASKED:
            status = 1
            break
        asked += 1
        status = rules.merges.reached(next)
        if status > 0:
            status = rules.merges.pair(token, next)
        if status < 0:
            return FAILED
        if status:
            break
    atomic_put_word(kept, key | <uint64_t>(status > 0) << 1)
    return status > 0
