"""The encoder of any tokenizer whose pre-tokenizer and merges are known.

A text is cut into pre-tokens by a table (tokens/pretokenize/table.pyx), and each pre-token is merged (merges.pyx). Nothing else
is needed: the package that the tokenizer comes from stays unloaded. The rules of canonical sequences own one of these
(`CanonicalRules.encoder`), made of the same table and merges.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from ffgrammar.tokens.bpe.ids cimport BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids
from ffgrammar.tokens.bpe.merges cimport NO_TOKEN, Merges
from ffgrammar.tokens.pretokenize.table cimport MAX_LEVELS, PretokenTable

from ffgrammar.core.errors import TokenizerError

cdef enum:
    RELEASE_GIL_FROM = 1024  # bytes of a text from which giving up the GIL is worth its cost


cdef class NativeEncoder:
    """Encodes by a table of pre-tokens and merges.

    Args:
        pretokens: where a text is cut.
        merges: of the vocabulary.
        whole_pretokens: whether a pre-token that is a token is that token, whatever the merges make of it.
    """

    def __cinit__(self, PretokenTable pretokens not None, Merges merges not None, bint whole_pretokens):
        self.pretokens = pretokens
        self.merges = merges
        self.whole_pretokens = whole_pretokens

    def encode_text(self, bytes text not None):
        """The ids of a UTF-8 text.

        Raises:
            TokenizerError: a byte is no token, the text is not UTF-8, or it is 4 GB long.
        """
        return self.encode_open(text, len(text))

    def encode_open(self, bytes text not None, size_t valid):
        """The ids of a text of which the first `valid` bytes are UTF-8. If these are not all, the last pre-token among them and
        everything after them are one pre-token.

        Raises:
            TokenizerError: a byte is no token, the first bytes are not UTF-8, or the text is 4 GB long.
        """
        cdef const uint8_t* data = text
        cdef size_t count = len(text)
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef BpeStatus status
        if count >= <size_t>0xFFFFFFFE:
            raise TokenizerError("the text is too long to encode (4 GB)")
        valid = min(valid, count)
        if count < RELEASE_GIL_FROM:
            status = self.encode_all(data, count, valid, &ids)
        else:
            with nogil:
                status = self.encode_all(data, count, valid, &ids)
        return _listed(status, &ids)

    def byte_token(self, unsigned char byte):
        """The token of a byte that is in no character. Raises TokenizerError if there is none."""
        if self.merges.byte_token[byte] == <unsigned int>NO_TOKEN:
            raise TokenizerError(f"the tokenizer has no token for the byte {byte:#04x}")
        return self.merges.byte_token[byte]

    cdef list encode_until(self, bytes text, size_t stop):
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef size_t end
        cdef BpeStatus status = self.encode_pretokens(text, len(text), stop, &ids, &end)
        return _listed(status, &ids)

    cdef BpeStatus encode_pretokens(
        self, const uint8_t* text, size_t count, size_t stop, Ids* out, size_t* end
    ) noexcept nogil:
        cdef size_t[MAX_LEVELS] stops
        cdef size_t at = 0
        cdef size_t after
        cdef BpeStatus status
        cdef bint atom
        memset(stops, 0, sizeof(stops))
        while at < count:
            after = self.pretokens.next_end(text, at, count, stops, &atom)
            if after == 0:
                return BPE_NO_BYTE
            if after > stop:
                break
            status = self.merges.encode(text + at, after - at, atom or self.whole_pretokens, out)
            if status != BPE_OK:
                return status
            at = after
        end[0] = at
        return BPE_OK

    cdef BpeStatus encode_all(self, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil:
        cdef size_t[MAX_LEVELS] stops
        cdef size_t at = 0
        cdef size_t last = 0
        cdef BpeStatus status = BPE_OK
        cdef bint atom
        if valid < count:
            memset(stops, 0, sizeof(stops))
            while at < valid:
                last = at
                at = self.pretokens.next_end(text, at, valid, stops, &atom)
                if at == 0:
                    return BPE_NO_BYTE
        # The cut depends on the part that is UTF-8 alone, but the last pre-token of that part is encoded with what follows it.
        status = self.encode_pretokens(text, valid, valid if valid == count else last, out, &at)
        if status == BPE_OK and valid < count:
            status = self.merges.encode(text + at, count - at, self.whole_pretokens, out)
        return status


cdef list _listed(BpeStatus status, Ids* ids):
    """The ids as a list; frees them. Raises what the status says."""
    cdef size_t i
    try:
        if status == BPE_NO_MEMORY:
            raise MemoryError
        if status == BPE_NO_BYTE:
            raise TokenizerError("the text has a byte that is no token of the vocabulary, or is not UTF-8")
        return [ids.items[i] for i in range(ids.count)]
    finally:
        free(ids.items)
