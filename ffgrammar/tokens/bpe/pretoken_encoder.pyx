"""Whether token ids are the ones that an encoder itself makes of their bytes.

    encoder.writes((9906, 1917), ())       # True: the tokens of "Hello world"

By definition, ids are canonical if decoding and encoding gives them again. This check finds the same in less time. The tokens
stay numbers in an array. Most pre-tokens are one token, and then there is nothing to encode: it is enough that the token ends
where the pre-token does. In other pre-tokens each two neighbours must be able to stand side by side (merges.pyx). Where this is
not known of some pair, the pre-token is encoded. If that gives the same ids, all pairs of the pre-token are kept as known.

`writes` can only say that ids are canonical. Where it does not say so, tokens/report.py decodes, encodes and compares after all,
and says what the tokens should be.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.long cimport PyLong_AsLongLong, PyLong_CheckExact
from cpython.tuple cimport PyTuple_GET_ITEM

from ffgrammar.tokens.bpe.ids cimport BPE_NO_BYTE, BPE_OK, BpeStatus, Ids
from ffgrammar.tokens.bpe.merges cimport UNREACHED
from ffgrammar.tokens.pretokenize.table cimport MAX_LEVELS

cdef enum:
    RELEASE_GIL_FROM = 1024  # from this many bytes of text on, giving up the GIL is worth its cost


cdef class PretokenEncoder:
    """An encoder that cuts a text into pre-tokens, and merges each of them."""

    def writes(self, tuple ids not None, specials, is_known=None, bint ascii_is_known=True):
        """Whether it is certain that the ids are those that the encoder makes of their bytes. False says nothing.

        Args:
            ids: any ids.
            specials: the ids of special tokens. They separate texts.
            is_known: takes a text, and says whether the encoder may be asked about it. None: it always may.
            ascii_is_known: whether the encoder may be asked about every ASCII text. If so, `is_known` gets none of them.
        """
        cdef size_t count = len(ids), start = 0, i
        cdef bint ask_ascii = is_known is not None and not ascii_is_known
        cdef Ids made = Ids(NULL, 0, 0)
        cdef uint32_t* numbers = <uint32_t*>malloc((count + 1) * sizeof(uint32_t))
        if numbers == NULL:
            raise MemoryError
        try:
            self.trie.need_index()
            if not _read_numbers(ids, self.trie.vocab_size, numbers):
                return False
            for i in range(count):
                if self.trie.offsets[numbers[i]] == self.trie.offsets[numbers[i] + 1]:
                    if ids[i] not in specials or not self.makes_part(numbers + start, i - start, &made, is_known, ask_ascii):
                        return False
                    start = i + 1
            return self.makes_part(numbers + start, count - start, &made, is_known, ask_ascii)
        finally:
            free(numbers)
            free(made.items)

    cdef bint makes_part(
        self, const uint32_t* ids, size_t size, Ids* made, object is_known, bint ask_ascii
    ) except -1:
        cdef const uint32_t* offsets = self.trie.offsets
        cdef size_t count = 0, at = 0, i
        cdef uint8_t* text
        cdef bytes data
        cdef bint found
        for i in range(size):
            count += offsets[ids[i] + 1] - offsets[ids[i]]
        if count >= <size_t>0xFFFFFFFE:
            return False
        data = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>count)
        text = <uint8_t*>PyBytes_AS_STRING(data)
        for i in range(size):
            memcpy(text + at, self.trie.blob + offsets[ids[i]], offsets[ids[i] + 1] - offsets[ids[i]])
            at += offsets[ids[i] + 1] - offsets[ids[i]]
        if ask_ascii or not data.isascii():
            try:
                decoded = data.decode("utf-8")
            except UnicodeDecodeError:
                return False
            if is_known is not None and not is_known(decoded):
                return False
        if count < RELEASE_GIL_FROM:
            return self.makes(text, count, ids, size, made)
        with nogil:
            found = self.makes(text, count, ids, size, made)
        return found

    cdef bint makes(
        self, const uint8_t* text, size_t count, const uint32_t* ids, size_t size, Ids* made
    ) noexcept nogil:
        cdef const uint32_t* offsets = self.trie.offsets
        cdef size_t[MAX_LEVELS] stops
        cdef size_t at = 0, after, found, i = 0
        cdef bint atom = False
        memset(stops, 0, sizeof(stops))
        while at < count and i < size:
            after = self.pretoken_end(text, at, count, stops, &atom)
            found = offsets[ids[i] + 1] - offsets[ids[i]] == after - at and self.is_pretoken(ids[i], atom)
            if not found and after:
                found = self.side_by_side(text + at, after - at, ids + i, size - i)
                if not found:
                    found = self.encoded(text + at, after - at, atom, ids + i, size - i, made)
            if not found:
                return False
            i += found
            at = after
        return i == size and at == count

    cdef size_t side_by_side(self, const uint8_t* text, size_t count, const uint32_t* ids, size_t size) noexcept nogil:
        cdef const uint32_t* offsets = self.trie.offsets
        cdef size_t at = 0, i = 0
        while at < count and i < size:
            at += offsets[ids[i] + 1] - offsets[ids[i]]
            if not self.represents(ids[i]) or self.merges.by_token[ids[i]].left == <uint32_t>UNREACHED:
                return 0
            # (the pairs do not say whether the character is a token: see `encoded`)
            if self.merges.by_token[ids[i]].is_byte:
                return 0
            if i and not self.merges.is_known_pair(ids[i - 1], ids[i]):
                return 0
            i += 1
        # (a pre-token that is a token may become that token, whatever merges make of it)
        return i if at == count and i > 1 and self.trie.find_token(text, count) < 0 else 0

    cdef size_t encoded(
        self, const uint8_t* text, size_t count, bint atom, const uint32_t* ids, size_t size, Ids* made
    ) noexcept nogil:
        cdef size_t i
        made.count = 0
        if self.encode_one(text, count, atom, made) != BPE_OK or made.count > size:
            return 0
        if memcmp(ids, made.items, made.count * sizeof(uint32_t)) != 0:
            return 0
        for i in range(1, made.count):
            # (A token for a byte is written only where the character is no token. This does not depend on the pair alone, so
            # such a pair is not kept.)
            if not (self.merges.by_token[ids[i - 1]].is_byte or self.merges.by_token[ids[i]].is_byte):
                self.merges.keep_pair(ids[i - 1], ids[i])
        return made.count

    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil:
        return 0

    cdef BpeStatus encode_one(self, const uint8_t* text, size_t count, bint atom, Ids* out) noexcept nogil:
        return BPE_NO_BYTE

    cdef BpeStatus encode_row(self, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil:
        return BPE_NO_BYTE

    cdef bint is_pretoken(self, uint32_t token, bint atom) noexcept nogil:
        return False


cdef bint _read_numbers(tuple ids, uint32_t vocab_size, uint32_t* numbers) except -1:
    """Write ids to an array. Returns False if one of them is no plain int, or out of range."""
    cdef Py_ssize_t i
    cdef long long number
    for i in range(len(ids)):
        item = <object>PyTuple_GET_ITEM(ids, i)
        if not PyLong_CheckExact(item):
            return False
        try:
            number = PyLong_AsLongLong(item)
        except OverflowError:
            return False
        if not 0 <= number < vocab_size:
            return False
        numbers[i] = <uint32_t>number
    return True
