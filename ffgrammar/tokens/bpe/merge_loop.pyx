"""Byte-pair encoding for vocabularies of tiktoken's kind, where a token's id is its merge rank.

A text is split into pre-tokens by a pre-tokenizer; in each pre-token, the adjacent pair whose bytes make the token of the
lowest rank is merged, leftmost first, until no pair makes a token. Results are those of tiktoken, id for id.

The loop has two forms. A short pre-token keeps its parts in one array and looks for the minimum by scanning: quadratic, but
of numbers that sit in one or two cache lines. A long one keeps them in a linked list and the candidate merges in a
heap, so a megabyte of one letter costs n log n.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc

from ffgrammar.core.heap cimport keys_add, keys_sift_down

from ffgrammar.core.errors import TokenizerError

from ffgrammar.tokens.pretokenize.builtin cimport SPLIT_CL100K, SPLIT_O200K, CharClasses, char_classes, next_pretoken
from ffgrammar.tokens.vocabulary.trie cimport TokenIndex, TokenTrie, index_find

SPLITTERS = {"cl100k": SPLIT_CL100K, "o200k": SPLIT_O200K}

cdef enum:
    SHORT_PIECE = 128          # bytes; up to here the scanning form is the faster one
    RELEASE_GIL_FROM = 1024    # bytes of a text from which giving up the GIL is worth its cost

cdef uint32_t NO_MERGE = 0xFFFFFFFF


cdef inline bint _push(Ids* ids, uint32_t token) noexcept nogil:
    cdef size_t room
    cdef uint32_t* items
    if ids.count == ids.room:
        room = 2 * ids.room if ids.room else 64
        items = <uint32_t*>realloc(ids.items, room * sizeof(uint32_t))
        if items == NULL:
            return False
        ids.items = items
        ids.room = room
    ids.items[ids.count] = token
    ids.count += 1
    return True


cdef inline uint32_t _rank(const TokenIndex* index, const uint8_t* text, size_t start, size_t end) noexcept nogil:
    # -1, "no such token", becomes NO_MERGE
    return <uint32_t>index_find(index, text + start, end - start)


cdef BpeStatus _merge_short(const TokenIndex* index, const uint8_t* text, uint32_t count, Ids* out) noexcept nogil:
    cdef uint32_t start[SHORT_PIECE + 1]  # where part i starts; part i is text[start[i]:start[i + 1]]
    cdef uint32_t token[SHORT_PIECE]      # its id
    cdef uint32_t rank[SHORT_PIECE]       # of part i merged with part i + 1
    cdef uint32_t parts = count, i, at, best
    for i in range(count):
        start[i] = i
        token[i] = _rank(index, text, i, i + 1)
        if token[i] == NO_MERGE:
            return BPE_NO_BYTE
        rank[i] = _rank(index, text, i, i + 2) if i + 1 < count else NO_MERGE
    start[count] = count
    while True:
        best = NO_MERGE
        at = 0
        for i in range(parts):
            if rank[i] < best:
                best = rank[i]
                at = i
        if best == NO_MERGE:
            break
        token[at] = best
        parts -= 1
        for i in range(at + 1, parts):
            start[i] = start[i + 1]
            token[i] = token[i + 1]
            rank[i] = rank[i + 1]
        start[parts] = count
        rank[at] = _rank(index, text, start[at], start[at + 2]) if at + 1 < parts else NO_MERGE
        if at:
            rank[at - 1] = _rank(index, text, start[at - 1], start[at + 1])
    for i in range(parts):
        if not _push(out, token[i]):
            return BPE_NO_MEMORY
    return BPE_OK


cdef struct Part:
    # A part is named by the position where it starts.
    uint32_t before
    uint32_t after  # where the next part starts
    uint32_t token
    uint32_t rank   # of this part merged with the next


cdef inline void _rate(
    const TokenIndex* index,
    const uint8_t* text,
    uint32_t count,
    Part* parts,
    uint32_t at,
    uint64_t* heap,
    size_t* heaped,
) noexcept nogil:
    """Ranks the merge of the part at `at` with the next one and puts it on the heap."""
    cdef uint32_t after = parts[at].after
    parts[at].rank = NO_MERGE if after == count else _rank(index, text, at, parts[after].after)
    if parts[at].rank != NO_MERGE:
        keys_add(heap, heaped, <uint64_t>parts[at].rank << 32 | at)


cdef BpeStatus _merge_long(const TokenIndex* index, const uint8_t* text, uint32_t count, Ids* out) noexcept nogil:
    # A heap item is rank << 32 | position: the lowest rank comes first, and of equal ones the leftmost. Items are not
    # taken out when a part grows; they are stale because the part's rank has changed (it can never return: parts only
    # grow). Each merge adds at most two items and takes one.
    cdef Part* parts = <Part*>malloc(count * sizeof(Part))
    cdef uint64_t* heap = <uint64_t*>malloc((2 * <size_t>count + 2) * sizeof(uint64_t))
    cdef size_t heaped = 0
    cdef uint32_t i, at, after
    cdef uint64_t item
    cdef BpeStatus status = BPE_OK
    if parts == NULL or heap == NULL:
        free(parts)
        free(heap)
        return BPE_NO_MEMORY
    for i in range(count):
        parts[i].before = i - 1
        parts[i].after = i + 1
        parts[i].token = _rank(index, text, i, i + 1)
        parts[i].rank = _rank(index, text, i, i + 2) if i + 1 < count else NO_MERGE
        if parts[i].token == NO_MERGE:
            status = BPE_NO_BYTE
            break
        if parts[i].rank != NO_MERGE:
            heap[heaped] = <uint64_t>parts[i].rank << 32 | i
            heaped += 1
    if status == BPE_OK:
        for i in range(<uint32_t>(heaped // 2), 0, -1):
            keys_sift_down(heap, heaped, i - 1)
        while heaped:
            item = heap[0]
            heaped -= 1
            heap[0] = heap[heaped]
            keys_sift_down(heap, heaped, 0)
            at = <uint32_t>item
            if parts[at].rank != <uint32_t>(item >> 32):
                continue
            after = parts[at].after
            parts[at].token = parts[at].rank
            parts[at].after = parts[after].after
            parts[after].rank = NO_MERGE
            if parts[at].after < count:
                parts[parts[at].after].before = at
            _rate(index, text, count, parts, at, heap, &heaped)
            if at:
                _rate(index, text, count, parts, parts[at].before, heap, &heaped)
        at = 0
        while at < count:
            if not _push(out, parts[at].token):
                status = BPE_NO_MEMORY
                break
            at = parts[at].after
    free(parts)
    free(heap)
    return status


cdef BpeStatus bpe_piece(const TokenIndex* index, const uint8_t* text, size_t count, Ids* out) noexcept nogil:
    """Appends the ids of one pre-token of fewer than 2**32 - 2 bytes."""
    cdef int32_t whole
    if count == 0:
        return BPE_OK
    whole = index_find(index, text, count)
    if whole >= 0:
        return BPE_OK if _push(out, <uint32_t>whole) else BPE_NO_MEMORY
    if count <= SHORT_PIECE:
        return _merge_short(index, text, <uint32_t>count, out)
    return _merge_long(index, text, <uint32_t>count, out)


cdef class BpeEncoder:
    """Encodes with the tokens of a trie, whose ids are their merge ranks.

    Args:
        trie: the vocabulary.
        splitter: the pre-tokenizer: "cl100k" or "o200k".
    """

    def __cinit__(self, TokenTrie trie not None, str splitter not None):
        if splitter not in SPLITTERS:
            raise TokenizerError(f"there is no splitter {splitter!r}; there are {', '.join(SPLITTERS)}")
        self.trie = trie
        self.splitter = SPLITTERS[splitter]

    def encode(self, text):
        """The ids of a text (str or bytes) as list[int].

        bytes that are not UTF-8 are encoded as tiktoken does it: the text up to the first wrong byte is encoded; then
        the bytes of its last pre-token (and of white-space tokens before it) and everything from the wrong byte on are one
        pre-token. In a str, lone surrogates become U+FFFD and pairs of surrogates the character they stand for.

        Raises:
            TokenizerError: a byte of the text is no token of the vocabulary, or the text is 4 GB long.
        """
        cdef bytes data
        cdef size_t valid
        if isinstance(text, str):
            try:
                data = text.encode("utf-8")
            except UnicodeEncodeError:
                data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
            valid = len(data)
        else:
            data = bytes(text)
            valid = _valid_prefix(data)
        cdef const uint8_t* start = data
        cdef size_t count = len(data), i
        cdef Ids out = Ids(NULL, 0, 0)
        cdef CharClasses classes = char_classes()
        cdef BpeStatus status
        if count >= <size_t>0xFFFFFFFE:
            raise TokenizerError("the text is too long to encode (4 GB)")
        try:
            if count < RELEASE_GIL_FROM:
                status = self._encode(classes, start, count, valid, &out)
            else:
                with nogil:
                    status = self._encode(classes, start, count, valid, &out)
            if status == BPE_NO_MEMORY:
                raise MemoryError()
            if status == BPE_NO_BYTE:
                raise TokenizerError("the text has a byte that is no token of the vocabulary")
            return [out.items[i] for i in range(out.count)]
        finally:
            free(out.items)

    cdef BpeStatus _encode(
        self, CharClasses classes, const uint8_t* text, size_t count, size_t valid, Ids* out
    ) noexcept nogil:
        """Encodes text[:count], of which text[:valid] is UTF-8."""
        cdef size_t at = 0, after, last_piece = 0, unstable = 0, i
        cdef BpeStatus status
        while at < valid:
            after = next_pretoken(self.splitter, classes, text, at, valid)
            last_piece = out.count
            status = bpe_piece(&self.trie.index, text + at, after - at, out)
            if status != BPE_OK:
                return status
            at = after
        if valid == count:
            return BPE_OK
        last_piece = self._unstable_from(out, last_piece)
        for i in range(last_piece, out.count):
            unstable += self.trie.offsets[out.items[i] + 1] - self.trie.offsets[out.items[i]]
        out.count = last_piece
        return bpe_piece(&self.trie.index, text + (valid - unstable), count - valid + unstable, out)

    cdef size_t _unstable_from(self, const Ids* ids, size_t last_piece) noexcept nogil:
        """The first token that more text could change: of the last pre-token, or of the white-space tokens before it."""
        if last_piece < ids.count and self._is_blank(ids.items[last_piece]):
            while last_piece and self._is_blank(ids.items[last_piece - 1]):
                last_piece -= 1
        return last_piece

    cdef bint _is_blank(self, uint32_t token) noexcept nogil:
        cdef uint32_t at
        for at in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if self.trie.blob[at] not in (c" ", c"\n", c"\t"):
                return False
        return True

    def piece_ends(self, bytes data not None):
        """Where the pre-tokens of a text end: byte offsets, ascending. Raises TokenizerError if the text is not UTF-8."""
        cdef const uint8_t* text = data
        cdef size_t at = 0, count = len(data)
        cdef CharClasses classes = char_classes()
        if _valid_prefix(data) != count:
            raise TokenizerError("piece_ends: the text is not UTF-8")
        ends = []
        while at < count:
            at = next_pretoken(self.splitter, classes, text, at, count)
            ends.append(at)
        return ends


cdef size_t _valid_prefix(bytes data):
    """How many bytes from the start are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)
