"""Whether the rows of a column of token ids are canonical: what the tokenizer makes of their text.

    check = ColumnCheck(tok)
    check.rows(offsets, ids, skipped)      # -> verdicts, divergences, byte_offsets, expected

The answers are those of `is_canonical` (tokens/report.py) with `complete=True`. A first look (bpe/pretoken_encoder.pyx) recognizes
most canonical rows in less time than encoding takes. Any other row is encoded, and compared.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp

from ffgrammar.core.signals cimport handler_raised, raise_set
from ffgrammar.tokens.bpe.ids cimport BPE_INTERRUPTED, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, ids_push, ids_reserve
from ffgrammar.tokens.bpe.pretoken_encoder cimport PretokenEncoder
from ffgrammar.tokens.columns.part cimport ASK_EVERY, MAX_TEXT, Bytes, Number, add_tokens, valid_prefix
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

import numpy

from ffgrammar.tokens.tokenizer import Tokenizer

cpdef enum:
    # Verdicts. A row that is skipped, because it is null, has the verdict NONE.
    YES = 0
    NO = 1
    NONE = 2
    BAD_ID = 3    # a token id is out of range; the divergence is its index
    ASK = 4       # the rules do not decide it: ask `is_canonical`

cdef enum:
    NO_MEMORY = 5
    INTERRUPTED = 6
    NOT_SPECIAL = 0xFFFFFFFF


cdef struct Found:
    int64_t divergence
    int64_t byte_offset
    int64_t expected


cdef class ColumnCheck:
    """Checks columns of token ids.

    Args:
        tok: the tokenizer; it must be able to encode.
    """

    cdef PretokenEncoder encoder   # None if the rules are not known: then all rows are left to `is_canonical`
    cdef TokenTrie trie
    cdef bint ascii, unicode, any_bytes
    cdef uint32_t* special         # by token: how many bytes its name has if it is special, else NOT_SPECIAL

    def __cinit__(self, tok):
        cdef uint32_t token
        if not isinstance(tok, Tokenizer):
            raise TypeError(f"tok must be a Tokenizer, not {type(tok).__name__}")
        self.trie = tok.trie
        self.special = <uint32_t*>malloc((<size_t>self.trie.vocab_size + 1) * sizeof(uint32_t))
        if self.special == NULL:
            raise MemoryError
        for token in range(self.trie.vocab_size):
            self.special[token] = NOT_SPECIAL
        for name, number in tok.special_tokens.items():
            self.special[<uint32_t>number] = <uint32_t>len(name.encode())
        native = tok.native()
        if native is not None:
            self.encoder, self.ascii, self.unicode, self.any_bytes = native
            self.encoder.trie.need_index()
        elif not tok.can_encode:
            tok.encode("")  # says why it cannot

    def __dealloc__(self):
        free(self.special)

    def rows(self, offsets not None, ids not None, skipped not None) -> tuple:
        """The verdicts of the rows, and what is known of those that are not canonical.

        Args:
            offsets: int64 array; row i is ids[offsets[i]:offsets[i + 1]].
            ids: int32 or int64 array.
            skipped: uint8 array: the rows that are not looked at.

        Returns:
            (verdicts, divergences, byte_offsets, expected): a uint8 and three int64 arrays, with a number for each row. In
            rows that are canonical the last three are -1, -1, and the number of tokens. `expected` is how many tokens the
            tokenizer makes of the text.

        Raises:
            ValueError: an offset is out of range, or below the one before it.
        """
        cdef Py_ssize_t count = len(skipped)
        verdicts = numpy.empty(count, dtype=numpy.uint8)
        found = numpy.empty((3, count), dtype=numpy.int64)
        check_offsets(offsets, count, len(ids))
        if ids.dtype == numpy.int32:
            check_all[int32_t](self, offsets, ids, skipped, verdicts, found)
        else:
            check_all[int64_t](self, offsets, ids.astype(numpy.int64, copy=False), skipped, verdicts, found)
        return verdicts, found[0], found[1], found[2]

    def spelled(self, offsets not None, ids not None, skipped not None, text_offsets not None, texts not None):
        """Whether the ids of each row spell a text; special tokens do by their names, which is not looked at here.

        Args:
            offsets, ids: as for `rows`. All ids are in the vocabulary, but in rows that are skipped.
            skipped: uint8 array: the rows that are not looked at.
            text_offsets, texts: int64 and uint8 arrays: text i is texts[text_offsets[i]:text_offsets[i + 1]].

        Returns:
            A bool array. It is False, too, in rows that have special tokens or are skipped.

        Raises:
            ValueError: an offset is out of range, or below the one before it.
        """
        cdef Py_ssize_t count = len(skipped)
        found = numpy.zeros(count, dtype=numpy.uint8)
        check_offsets(offsets, count, len(ids))
        check_offsets(text_offsets, count, len(texts))
        if ids.dtype == numpy.int32:
            spell_all[int32_t](self, offsets, ids, skipped, text_offsets, texts, found)
        else:
            spell_all[int64_t](self, offsets, ids.astype(numpy.int64, copy=False), skipped, text_offsets, texts, found)
        return found.astype(bool)

    cdef int row(self, const uint32_t* ids, size_t size, Bytes* text, Ids* made, Found* found) noexcept nogil:
        """The verdict of a row whose ids are all in the vocabulary."""
        cdef const uint32_t* offsets = self.trie.offsets
        cdef size_t start = 0, i
        cdef int status
        found.divergence = found.byte_offset = -1
        found.expected = <int64_t>size
        if self.encoder is None:
            return ASK
        for i in range(size + 1):
            if i == size or offsets[ids[i]] == offsets[ids[i] + 1]:
                status = self.part(ids + start, i - start, text, made)
                if status == YES and i < size and self.special[ids[i]] == <uint32_t>NOT_SPECIAL:
                    status = NO
                if status != YES:
                    return self.compare(ids, size, text, made, found) if status == NO else status
                start = i + 1
        return YES

    cdef int part(self, const uint32_t* ids, size_t size, Bytes* text, Ids* made) noexcept nogil:
        """The verdict of tokens between special ones. NO may also mean that the first look does not know."""
        cdef bint ascii
        if size == 0:
            return YES
        text.count = 0
        if add_tokens(self.trie, ids, size, text) < 0:
            return NO_MEMORY
        if text.count > <size_t>MAX_TEXT:
            return ASK
        if valid_prefix(text.data, text.count, &ascii) < text.count:
            return NO if self.any_bytes else ASK
        if not (self.ascii if ascii else self.unicode):
            return ASK
        return YES if self.encoder.makes(text.data, text.count, ids, size, made) else NO

    cdef int compare(self, const uint32_t* ids, size_t size, Bytes* text, Ids* made, Found* found) noexcept nogil:
        """Encode the text of a row, and compare."""
        cdef size_t start = 0, i = 0
        cdef int status
        made.count = 0
        for i in range(size + 1):
            if i == size or self.special[ids[i]] != <uint32_t>NOT_SPECIAL:
                status = self.encode(ids + start, i - start, text, made)
                if status == YES and i < size and ids_push(made, ids[i]) != BPE_OK:
                    status = NO_MEMORY
                if status != YES:
                    return status
                start = i + 1
        found.expected = <int64_t>made.count
        i = 0
        while i < size and i < made.count and ids[i] == made.items[i]:
            i += 1
        if i == size and i == made.count:
            return YES
        found.divergence = <int64_t>i
        found.byte_offset = self.size_of(ids, i)
        return NO

    cdef int encode(self, const uint32_t* ids, size_t size, Bytes* text, Ids* made) noexcept nogil:
        """Append what the encoder makes of the text of tokens between special ones."""
        cdef BpeStatus status
        cdef size_t valid
        cdef bint ascii
        text.count = 0
        if add_tokens(self.trie, ids, size, text) < 0:
            return NO_MEMORY
        if text.count > <size_t>MAX_TEXT:
            return ASK
        valid = valid_prefix(text.data, text.count, &ascii)
        if not (self.any_bytes or (valid == text.count and (self.ascii if ascii else self.unicode))):
            return ASK
        status = self.encoder.encode_row(text.data, text.count, valid, made)
        if status == BPE_OK:
            return YES
        return NO_MEMORY if status == BPE_NO_MEMORY else INTERRUPTED if status == BPE_INTERRUPTED else ASK

    cdef int64_t size_of(self, const uint32_t* ids, size_t count) noexcept nogil:
        """How many bytes tokens have; special ones those of their names."""
        cdef const uint32_t* offsets = self.trie.offsets
        cdef int64_t size = 0
        cdef size_t i
        for i in range(count):
            if offsets[ids[i]] < offsets[ids[i] + 1]:
                size += offsets[ids[i] + 1] - offsets[ids[i]]
            elif self.special[ids[i]] != <uint32_t>NOT_SPECIAL:
                size += self.special[ids[i]]
        return size


cdef size_t read_ids(const Number* ids, size_t size, uint32_t vocab_size, uint32_t* numbers) noexcept nogil:
    """Copy ids. Returns the index of the first one that is out of range, or `size`."""
    cdef size_t i, first = size
    cdef bint bad = False
    for i in range(size):
        numbers[i] = <uint32_t>ids[i]
        bad |= ids[i] < 0 or ids[i] >= <int64_t>vocab_size
    if bad:
        for i in range(size):
            if ids[i] < 0 or ids[i] >= <int64_t>vocab_size:
                return i
    return first


cdef int check_all(
    ColumnCheck check, const int64_t[::1] offsets, const Number[::1] ids, const uint8_t[::1] skipped, uint8_t[::1] verdicts,
    int64_t[:, ::1] numbers,
) except -1:
    cdef Bytes text = Bytes(NULL, 0, 0)
    cdef Ids row = Ids(NULL, 0, 0)
    cdef Ids made = Ids(NULL, 0, 0)
    cdef Found found
    cdef size_t size, bad
    cdef Py_ssize_t i
    cdef int verdict = YES
    cdef const Number* first = &ids[0] if ids.shape[0] else NULL
    try:
        with nogil:
            for i in range(skipped.shape[0]):
                found.divergence = found.byte_offset = found.expected = -1
                size = <size_t>(offsets[i + 1] - offsets[i])
                row.count = 0
                if skipped[i]:
                    verdict = NONE
                elif ids_reserve(&row, size) != BPE_OK:
                    verdict = NO_MEMORY
                else:
                    bad = read_ids(first + offsets[i], size, check.trie.vocab_size, row.items)
                    if bad < size:
                        found.divergence = <int64_t>bad
                        verdict = BAD_ID
                    else:
                        verdict = check.row(row.items, size, &text, &made, &found)
                if i % ASK_EVERY == ASK_EVERY - 1 and handler_raised():
                    verdict = INTERRUPTED
                if verdict >= NO_MEMORY:
                    break
                verdicts[i] = <uint8_t>verdict
                numbers[0, i] = found.divergence
                numbers[1, i] = found.byte_offset
                numbers[2, i] = found.expected
        if verdict == NO_MEMORY:
            raise MemoryError
        if verdict == INTERRUPTED:
            raise_set()
        return 0
    finally:
        free(text.data)
        free(row.items)
        free(made.items)


cdef int spell_all(
    ColumnCheck check, const int64_t[::1] offsets, const Number[::1] ids, const uint8_t[::1] skipped,
    const int64_t[::1] text_offsets, const uint8_t[::1] texts, uint8_t[::1] found,
) except -1:
    cdef const Number* first = &ids[0] if ids.shape[0] else NULL
    cdef const uint8_t* text = &texts[0] if texts.shape[0] else NULL
    cdef Py_ssize_t i
    with nogil:
        for i in range(skipped.shape[0]):
            found[i] = not skipped[i] and spells(
                check.trie, first + offsets[i], offsets[i + 1] - offsets[i],
                text + text_offsets[i], <size_t>(text_offsets[i + 1] - text_offsets[i]))
    return 0


cdef bint spells(TokenTrie trie, const Number* ids, int64_t size, const uint8_t* text, size_t count) noexcept nogil:
    """Whether the bytes of tokens are a text. False if a token has no bytes."""
    cdef size_t at = 0, more
    cdef int64_t i
    for i in range(size):
        more = trie.offsets[ids[i] + 1] - trie.offsets[ids[i]]
        if more == 0 or more > count - at or memcmp(trie.blob + trie.offsets[ids[i]], text + at, more) != 0:
            return False
        at += more
    return at == count


def check_offsets(const int64_t[::1] offsets not None, Py_ssize_t rows, Py_ssize_t values) -> None:
    """Raise ValueError unless `offsets` cut `values` values into `rows` rows."""
    cdef Py_ssize_t i
    cdef bint fine = offsets.shape[0] == rows + 1 and offsets[0] >= 0 and offsets[rows] <= values
    if fine:
        for i in range(rows):
            fine &= offsets[i] <= offsets[i + 1]
    if not fine:
        raise ValueError(f"the offsets do not cut {values} values into {rows} rows")
