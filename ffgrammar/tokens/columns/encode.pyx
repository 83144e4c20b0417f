"""The tokens of the texts of a column, as one array of ids and the offsets at which the rows begin.

    encoder = ColumnEncoder(tok)
    offsets, ids, errors = encoder.rows(offsets, data, skipped)

Each row is what `Tokenizer.encode` gives for the bytes of the text. Texts to which the tokenizer's rules do not apply are encoded
by `Tokenizer.encode` itself, one by one.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from ffgrammar.core.signals cimport handler_raised, raise_set
from ffgrammar.tokens.bpe.ids cimport BPE_INTERRUPTED, BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, ids_push
from ffgrammar.tokens.bpe.pretoken_encoder cimport PretokenEncoder
from ffgrammar.tokens.columns.part cimport ASK_EVERY, MAX_TEXT, valid_prefix

import numpy

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.columns.check import check_offsets
from ffgrammar.tokens.tokenizer import Tokenizer


cdef class ColumnEncoder:
    """Encodes columns of texts.

    Args:
        tok: the tokenizer; it must be able to encode.
    """

    cdef object tok
    cdef PretokenEncoder encoder  # None if the rules are not known
    cdef bint ascii, unicode, any_bytes

    def __cinit__(self, tok):
        if not isinstance(tok, Tokenizer):
            raise TypeError(f"tok must be a Tokenizer, not {type(tok).__name__}")
        self.tok = tok
        native = tok.native()
        if native is not None:
            self.encoder, self.ascii, self.unicode, self.any_bytes = native
            self.encoder.trie.need_index()
        elif not tok.can_encode:
            tok.encode("")  # says why it cannot

    def rows(self, offsets not None, data not None, skipped not None) -> tuple:
        """The tokens of the rows.

        Args:
            offsets: int64 array; row i is data[offsets[i]:offsets[i + 1]].
            data: uint8 array.
            skipped: uint8 array: the rows that get no tokens.

        Returns:
            (offsets, ids, errors): an int64 array, an int32 array, and a dict from the numbers of rows that cannot be
            encoded to messages. Such rows have no tokens.

        Raises:
            ValueError: an offset is out of range, or below the one before it.
        """
        cdef Py_ssize_t count = len(skipped)
        cdef Py_ssize_t done = 0
        cdef Ids out = Ids(NULL, 0, 0)
        cdef const uint8_t[::1] texts = data
        cdef const int64_t[::1] starts = offsets
        cdef int64_t[::1] ends
        check_offsets(offsets, count, len(data))
        found = numpy.zeros(count + 1, dtype=numpy.int64)
        ends = found
        errors = {}
        try:
            while done < count:
                done = self.encode_from(done, starts, texts, skipped, ends, &out)
                if done < count:
                    self.ask(bytes(texts[starts[done]:starts[done + 1]]), done, errors, &out)
                    done += 1
                    ends[done] = <int64_t>out.count
            ids = numpy.empty(out.count, dtype=numpy.uint32)
            fill_ids(ids, &out)
        finally:
            free(out.items)
        return found, ids.view(numpy.int32), errors

    cdef int ask(self, bytes text, Py_ssize_t row, dict errors, Ids* out) except -1:
        """Append what `Tokenizer.encode` makes of a text."""
        try:
            ids = self.tok.encode(text)
        except TokenizerError as error:
            errors[row] = str(error)
            return 0
        for token in ids:
            if ids_push(out, <uint32_t>token) != BPE_OK:
                raise MemoryError
        return 0

    cdef Py_ssize_t encode_from(
        self, Py_ssize_t row, const int64_t[::1] offsets, const uint8_t[::1] texts, const uint8_t[::1] skipped,
        int64_t[::1] ends, Ids* out,
    ) except -1:
        """Encode rows up to the first that the encoder may not be asked about. Returns its number."""
        cdef const uint8_t* data = &texts[0] if texts.shape[0] else NULL
        cdef BpeStatus status = BPE_OK
        cdef size_t before, size
        with nogil:
            while row < skipped.shape[0]:
                before = out.count
                size = <size_t>(offsets[row + 1] - offsets[row])
                if not skipped[row] and size:
                    status = self.encode_row(data + offsets[row], size, out)
                if row % ASK_EVERY == ASK_EVERY - 1 and handler_raised():
                    status = BPE_INTERRUPTED
                if status != BPE_OK:
                    out.count = before
                    break
                row += 1
                ends[row] = <int64_t>out.count
        if status == BPE_NO_MEMORY:
            raise MemoryError
        if status == BPE_INTERRUPTED:
            raise_set()
        return row

    cdef BpeStatus encode_row(self, const uint8_t* text, size_t size, Ids* out) noexcept nogil:
        """Append the tokens of a text. Returns BPE_NO_BYTE also if the encoder may not be asked about it."""
        cdef size_t valid
        cdef bint ascii
        if self.encoder is None or size > <size_t>MAX_TEXT:
            return BPE_NO_BYTE
        valid = valid_prefix(text, size, &ascii)
        if not (self.any_bytes or (valid == size and (self.ascii if ascii else self.unicode))):
            return BPE_NO_BYTE
        return self.encoder.encode_row(text, size, valid, out)


cdef int fill_ids(uint32_t[::1] ids, const Ids* out) except -1:
    if out.count:
        memcpy(&ids[0], out.items, out.count * sizeof(uint32_t))
    return 0
