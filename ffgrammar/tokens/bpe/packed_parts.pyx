"""Listed merges and the parts of all tokens as plain words, which an entry of the cache can hold (loaders/rules_cache.py).

Finding the parts of all tokens takes 12 to 20 ms for 128,000 to 200,000 tokens, and reading them 1 ms. What is read is checked:
a merge makes a token with as many bytes as its parts have together. So parts are shorter than the token, whatever was read.

    packed = pack_parts(merges)            # one word for each token
    load_parts(merges, pairs, packed)      # False if they are not those of these merges
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.threads cimport atomic_load, atomic_put
from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # A packed word is WHOLE, UNREACHED or UNKNOWN (merges.pxd), or the rank of the token's last merge. This flag of a rank says
    # that the token's merges do not come in the order of ranks. (Ranks are below 2**28.)
    LATE = 1 << 30


def pairs_fit(TokenTrie trie not None, bytes pairs not None):
    """Whether listed merges, as bytes for `MergeList`, are of tokens that the vocabulary has, and each makes a token with as many
    bytes as its two parts have together."""
    cdef const uint32_t* words = <const uint32_t*><const char*>pairs
    cdef const uint32_t* offsets = trie.offsets
    cdef size_t count = <size_t>len(pairs) // sizeof(uint32_t)
    cdef uint32_t size = trie.vocab_size
    cdef uint32_t left, right, made
    cdef size_t i
    if <size_t>len(pairs) % (3 * sizeof(uint32_t)):
        return False
    for i in range(0, count, 3):
        left, right, made = words[i], words[i + 1], words[i + 2]
        if left >= size or right >= size or made >= size:
            return False
        left = offsets[left + 1] - offsets[left]
        right = offsets[right + 1] - offsets[right]
        if left == 0 or right == 0 or left + right != offsets[made + 1] - offsets[made]:
            return False
    return True


def pack_parts(Merges merges not None):
    """The parts of all tokens, found if they are not known yet. The merges must be listed."""
    cdef uint32_t size = merges.trie.vocab_size
    cdef uint32_t* words = <uint32_t*>malloc((<size_t>size + 1) * sizeof(uint32_t))
    cdef uint32_t token
    cdef int status
    try:
        if words == NULL:
            raise MemoryError
        with nogil:
            status = split_all(merges)
        if status < 0:
            raise MemoryError
        for token in range(size):
            words[token] = atomic_load(&merges.by_token[token].left)
            if words[token] < <uint32_t>UNREACHED:
                words[token] = merges.by_token[token].rank | (<uint32_t>LATE if merges.by_token[token].out_of_order else 0)
        return (<const char*>words)[:<size_t>size * sizeof(uint32_t)]
    finally:
        free(words)


def load_parts(Merges merges not None, bytes pairs not None, bytes packed not None):
    """Take the parts of all tokens from packed words.

    Args:
        merges: the merges, which are listed, and which nobody has used yet.
        pairs: the bytes that `merges` was made of, for which `pairs_fit` is true.
        packed: from `pack_parts`.

    Returns:
        False if these are not the parts of tokens of these merges. Then the merges must not be used any more.
    """
    cdef const uint32_t* listed = <const uint32_t*><const char*>pairs
    cdef const uint32_t* words = <const uint32_t*><const char*>packed
    cdef uint32_t count = <uint32_t>(<size_t>len(pairs) // (3 * sizeof(uint32_t)))
    cdef uint32_t size = merges.trie.vocab_size
    cdef uint32_t token, rank
    if <size_t>len(packed) != <size_t>size * sizeof(uint32_t) or merges.listed == NULL or merges.ranks != count:
        return False
    for token in range(size):
        if words[token] >= <uint32_t>UNREACHED:
            merges.by_token[token].left = words[token]
            continue
        rank = words[token] & ~<uint32_t>LATE
        if rank >= count or listed[3 * <size_t>rank + 2] != token:
            return False
        merges.by_token[token].rank = rank
        merges.by_token[token].left = listed[3 * <size_t>rank]
        merges.by_token[token].right = listed[3 * <size_t>rank + 1]
        merges.by_token[token].out_of_order = words[token] & <uint32_t>LATE != 0
    atomic_put(&merges.all_split, 1)
    return True
