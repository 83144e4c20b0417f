"""What may come in the place of a token if the text goes on.

The tokenizer writes "the wor" with the token " wor". If "d" follows, " word" comes in the place of " wor". What may come in the
place of a token depends on the text before, but mostly it is what came there last time. So this is tried first: a longer token,
or two tokens, such as " match" and "ers" in the place of " matcher".
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word
from ffgrammar.tokens.canonical.following cimport find_first, may_come_next
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState


cdef int has_other_way(CanonicalRules rules, const CanonicalState* at, uint32_t token) noexcept nogil:
    # (threads read and write entries without a lock: an entry is one word, which is read or written in one piece)
    cdef uint64_t known = atomic_load_word(&rules.other_ways[token])
    cdef const uint8_t* text = rules.trie.blob + rules.trie.offsets[token]
    cdef CanonicalState after = at[0]
    cdef uint32_t node, last
    cdef int status = True
    if known:
        if known >> 32:
            status = rules.push(&after, <uint32_t>(known >> 32) - 1)
        if status > 0:
            status = may_come_next(rules, &after, <uint32_t>known - 1)
        if status:
            return status
    node = <uint32_t>rules.trie.find_node(text, rules.trie.offsets[token + 1] - rules.trie.offsets[token])
    status = find_first(rules, at, node, text, True, &last)
    if status > 0:
        remember(rules, token, NO_TOKEN, last)
    return status


cdef void remember(CanonicalRules rules, uint32_t token, uint32_t first, uint32_t last) noexcept nogil:
    # (NO_TOKEN becomes 0)
    atomic_put_word(&rules.other_ways[token], <uint64_t>(first + 1) << 32 | (last + 1))
