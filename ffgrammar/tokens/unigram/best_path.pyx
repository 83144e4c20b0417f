"""The encoder of a unigram model.

A model has a score for each of its pieces: the logarithm of how likely the piece is. Of all ways to cut a text into pieces, the
one with the greatest sum of scores counts. It is found from left to right (Viterbi): the best path to each offset is the best path
to an earlier offset and one piece more. So each offset of a text costs a few steps in the trie of the pieces.

    path = BestPath(trie, scores, -20.0, unknown=2, byte_tokens=None, single=False, by_words=True)
    path.encode(b" hello world")       # spaces are spaces here, not U+2581

Results are those of `sentencepiece`, `tokenizers` and llama.cpp, id for id. Of two paths with equal sums, the one
whose last piece is longer wins. The package `sentencepiece` sums with 32 bits, so what it makes of a word can depend on how many
words come before. `tokenizers` and llama.cpp sum with 64 bits. A character that is no piece has a score, too: 10 less than the
worst piece. Each of its bytes becomes a token, or a run of such characters becomes one token.

A megabyte of text takes 20 to 40 ms, as with `sentencepiece`.
"""

from libc.math cimport NAN, isnan
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc

from ffgrammar.core.utf8 cimport utf8_length
from ffgrammar.tokens.bpe.ids cimport BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, ids_push
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TokenTrie, TrieNode, node_byte, node_token, subtree_end, trie_child,
)

from ffgrammar.core.errors import TokenizerError

cdef enum:
    NOWHERE = 0xFFFFFFFF
    UNKNOWN = -1
    RELEASE_GIL_FROM = 1024  # from this many bytes of text on, giving up the GIL is worth its cost

# With 32 bits, a sum that is farther than this from zero begins anew at zero, as in the package `sentencepiece`.
cdef double GREATEST_SUM = 100_000


cdef inline double rounded(double value, bint single) noexcept nogil:
    """A value, rounded to 32 bits if `single`. (Two numbers of 32 bits may be summed with 64 bits first: the result is that of
    summing them with 32 bits.)"""
    return <float>value if single else value


cdef inline void offer(PathEnd* end, double score, uint32_t start, int32_t piece) noexcept nogil:
    """Keep this path to an offset if no path to it is known yet, or only a worse one."""
    if end.start == <uint32_t>NOWHERE or score > end.score:
        end[0] = PathEnd(score, start, piece)


cdef class BestPath:
    """The encoder of a unigram model.

    Args:
        trie: the vocabulary, with spaces as spaces.
        scores: by id; NaN for a token that is no piece, and so is never made of a text.
        unknown_score: the score of a character that is no piece.
        unknown: the token for such characters; None if there is none.
        byte_tokens: 256 tokens for the bytes of such characters; None if there are none.
        single: whether sums are rounded to 32 bits.
        by_words: whether a new path begins at each space.

    Raises:
        TokenizerError: a piece is too long.
    """

    def __cinit__(
        self, TokenTrie trie not None, double[::1] scores not None, double unknown_score, unknown, byte_tokens, bint single,
        bint by_words,
    ):
        cdef uint32_t token, other
        if trie.long_count:
            raise TokenizerError(f"{trie.long_count} tokens have more than {MAX_TOKEN_BYTES} bytes")
        self.trie = trie
        self.unknown_score = rounded(unknown_score, single)
        self.unknown = -1 if unknown is None else unknown
        self.has_bytes = byte_tokens is not None
        if byte_tokens is not None:
            self.byte_tokens = byte_tokens
        self.single = single
        self.by_words = by_words
        self.scores = <double*>malloc(trie.vocab_size * sizeof(double))
        self.pieces = <uint32_t*>calloc(trie.vocab_size, sizeof(uint32_t))
        self.pairs = <uint32_t*>calloc(1 << 16, sizeof(uint32_t))
        if self.scores == NULL or self.pieces == NULL or self.pairs == NULL:
            raise MemoryError
        self.list_pairs()
        for token in range(trie.vocab_size):
            self.pieces[token] = token
            self.scores[token] = scores[token] if token < <uint32_t>scores.shape[0] else NAN
        for token in range(trie.alias_count):
            other = trie.alias_of[token]
            if isnan(self.scores[other]):
                self.pieces[other] = trie.alias_id[token]
                self.scores[other] = self.scores[trie.alias_id[token]]

    def __dealloc__(self):
        free(self.scores)
        free(self.pieces)
        free(self.pairs)

    def encode(self, bytes text not None):
        """The ids of a UTF-8 text, which must be normalized.

        Raises:
            TokenizerError: a character is no piece and there is no token for it, or the text has 4 GB or more.
        """
        cdef const uint8_t* data = text
        cdef size_t count = len(text)
        cdef size_t i
        cdef BpeStatus status
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef PathEnd* ends
        if count >= <size_t>NOWHERE:
            raise TokenizerError("the text is too long to encode (4 GB)")
        ends = <PathEnd*>malloc((count + 1) * sizeof(PathEnd))
        if ends == NULL:
            raise MemoryError
        try:
            if count < RELEASE_GIL_FROM:
                status = self.encode_all(data, count, ends, &ids)
            else:
                with nogil:
                    status = self.encode_all(data, count, ends, &ids)
            if status == BPE_NO_MEMORY:
                raise MemoryError
            if status == BPE_NO_BYTE:
                raise TokenizerError("the text has a character that the model does not know, and has no token for")
            return [ids.items[i] for i in range(ids.count)]
        finally:
            free(ends)
            free(ids.items)

    cdef void list_pairs(self) noexcept nogil:
        cdef const TrieNode* nodes = self.trie.nodes
        cdef uint32_t first, end, at
        for first in range(256):
            end = subtree_end(nodes, self.trie.roots[first]) if self.trie.roots[first] else 0
            at = self.trie.roots[first] + 1
            while at < end:
                self.pairs[first << 8 | node_byte(&nodes[at])] = at
                at = subtree_end(nodes, at)

    cdef BpeStatus encode_all(self, const uint8_t* text, size_t count, PathEnd* ends, Ids* out) noexcept nogil:
        cdef size_t start = 0
        cdef size_t end
        cdef BpeStatus status
        if not self.by_words:
            return self.encode_path(text, <uint32_t>count, ends, out)
        while start < count:
            end = start + 1
            while end < count and text[end] != b" ":
                end += 1
            status = self.encode_path(text + start, <uint32_t>(end - start), ends, out)
            if status != BPE_OK:
                return status
            start = end
        return BPE_OK

    cdef BpeStatus encode_path(self, const uint8_t* text, uint32_t count, PathEnd* ends, Ids* out) noexcept nogil:
        self.find_ends(text, count, ends)
        return self.spell(text, count, ends, out)

    cdef void find_ends(self, const uint8_t* text, uint32_t count, PathEnd* ends) noexcept nogil:
        cdef const TrieNode* nodes = self.trie.nodes
        cdef uint32_t start = 0
        cdef uint32_t at, node, token, size, i
        cdef uint32_t last = 0
        cdef double score
        cdef bint is_piece
        for i in range(count + 1):
            ends[i].start = NOWHERE
        ends[0].score = 0
        while start < count:
            score = ends[start].score
            if self.single and (score < -GREATEST_SUM or score > GREATEST_SUM):
                for i in range(start, last + 1):
                    ends[i].score = rounded(ends[i].score - score, True)
                score = 0
            size = min(<uint32_t>utf8_length(text[start]), count - start)
            is_piece = False
            node = self.trie.roots[text[start]]
            at = start + 1
            while node:
                token = node_token(&nodes[node])
                if token != self.trie.pad_token and not isnan(self.scores[token]):
                    is_piece = is_piece or at == start + size
                    last = max(last, at)
                    offer(&ends[at], rounded(score + self.scores[token], self.single), start, <int32_t>self.pieces[token])
                if at == count:
                    break
                node = self.pairs[text[start] << 8 | text[at]] if at == start + 1 else trie_child(nodes, node, text[at])
                at += 1
            if not is_piece:
                last = max(last, start + size)
                offer(&ends[start + size], rounded(score + self.unknown_score, self.single), start, UNKNOWN)
            start += size

    cdef BpeStatus spell(self, const uint8_t* text, uint32_t count, PathEnd* ends, Ids* out) noexcept nogil:
        cdef uint32_t at = count
        cdef uint32_t next = 0
        cdef uint32_t start
        cdef BpeStatus status
        cdef bint is_first = True
        # Turn the links of the path around: ends[at].start becomes the end of the piece after it.
        while at:
            start = ends[at].start
            ends[at].start = next
            next = at
            at = start
        while next:
            if ends[next].piece == UNKNOWN:
                status = self.spell_unknown(text + at, next - at, is_first, out)
            else:
                status = ids_push(out, <uint32_t>ends[next].piece)
            if status != BPE_OK:
                return status
            is_first = ends[next].piece != UNKNOWN
            at = next
            next = ends[at].start
        return BPE_OK

    cdef BpeStatus spell_unknown(self, const uint8_t* text, uint32_t count, bint is_first, Ids* out) noexcept nogil:
        cdef uint32_t i
        if not self.has_bytes:
            if self.unknown < 0:
                return BPE_NO_BYTE
            return ids_push(out, <uint32_t>self.unknown) if is_first else BPE_OK
        for i in range(count):
            if ids_push(out, self.byte_tokens[text[i]]) != BPE_OK:
                return BPE_NO_MEMORY
        return BPE_OK
