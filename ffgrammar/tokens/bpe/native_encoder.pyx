"""The encoder of any tokenizer whose pre-tokenizer and merges are known.

A text is cut into pre-tokens by a table (tokens/pretokenize/table.pyx), and each pre-token is merged (merges.pyx). The package
that the tokenizer comes from is not loaded. The rules of canonical sequences own such an encoder (`CanonicalRules.encoder`). It
has the table and the merges of the rules.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from ffgrammar.core.signals cimport handler_raised, raise_set
from ffgrammar.tokens.bpe.ids cimport ASK_EVERY, BPE_INTERRUPTED, BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids
from ffgrammar.tokens.bpe.merges cimport NO_TOKEN, Merges
from ffgrammar.tokens.bpe.pretoken_encoder cimport PretokenEncoder
from ffgrammar.tokens.pretokenize.table cimport MAX_LEVELS, PretokenTable

from ffgrammar.core.errors import TokenizerError

cdef enum:
    RELEASE_GIL_FROM = 1024  # from this many bytes of text on, giving up the GIL is worth its cost


cdef class NativeEncoder(PretokenEncoder):
    """Encodes by a table of pre-tokens and merges.

    Args:
        pretokens: finds where a text is cut.
        merges: the merges of the vocabulary.
        whole_pretokens: whether a pre-token with the bytes of a token becomes that token, whatever the merges make of it.
    """

    def __cinit__(self, PretokenTable pretokens not None, Merges merges not None, bint whole_pretokens):
        self.trie = merges.trie
        self.pretokens = pretokens
        self.merges = merges
        self.whole_pretokens = whole_pretokens

    def encode_text(self, bytes text not None):
        """The ids of a UTF-8 text.

        Raises:
            TokenizerError: a byte has no token, the text is not UTF-8, or it has 4 GB or more.
        """
        return self.encode_open(text, len(text))

    def encode_open(self, bytes text not None, size_t valid):
        """The ids of a text of which the first `valid` bytes are UTF-8. If the text has further bytes, these and the last
        pre-token of the first `valid` bytes together are one pre-token.

        Raises:
            TokenizerError: a byte has no token, the first `valid` bytes are not UTF-8, or the text has 4 GB or more.
        """
        cdef const uint8_t* data = text
        cdef size_t count = len(text)
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef BpeStatus status
        if count >= <size_t>0xFFFFFFFE:
            raise TokenizerError("the text is too long to encode (4 GB)")
        valid = min(valid, count)
        self.trie.need_index()
        if count < RELEASE_GIL_FROM:
            status = self.encode_all(data, count, valid, &ids)
        else:
            with nogil:
                status = self.encode_all(data, count, valid, &ids)
        return _listed(status, &ids)

    def byte_token(self, unsigned char byte):
        """The token that stands for a byte outside of any character. Raises TokenizerError if there is none."""
        if self.merges.byte_token[byte] == <unsigned int>NO_TOKEN:
            raise TokenizerError(f"the tokenizer has no token for the byte {byte:#04x}")
        return self.merges.byte_token[byte]

    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil:
        return self.pretokens.next_end(text, at, count, stops, atom)

    cdef BpeStatus encode_one(self, const uint8_t* text, size_t count, bint atom, Ids* out) noexcept nogil:
        return self.merges.encode(text, count, atom or self.whole_pretokens, out)

    cdef BpeStatus encode_row(self, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil:
        return self.encode_all(text, count, valid, out)

    cdef bint is_pretoken(self, uint32_t token, bint atom) noexcept nogil:
        return self.represents(token) and (
            atom or self.whole_pretokens or self.merges.listed == NULL or self.merges.reached(token) > 0)

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
        cdef size_t turns = 0
        cdef size_t after
        cdef BpeStatus status
        cdef bint atom
        memset(stops, 0, sizeof(stops))
        while at < count:
            turns += 1
            if turns % ASK_EVERY == 0 and handler_raised():
                return BPE_INTERRUPTED
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
        # Where the text is cut depends only on text[:valid]. But the last pre-token of text[:valid] is encoded together with the
        # rest.
        status = self.encode_pretokens(text, valid, valid if valid == count else last, out, &at)
        if status == BPE_OK and valid < count:
            status = self.merges.encode(text + at, count - at, self.whole_pretokens, out)
        return status


cdef list _listed(BpeStatus status, Ids* ids):
    """The ids as a list. Frees `ids`. Raises MemoryError, TokenizerError or what a signal handler has raised,
    if the status says so."""
    cdef size_t i
    try:
        if status == BPE_NO_MEMORY:
            raise MemoryError
        if status == BPE_INTERRUPTED:
            raise_set()
        if status == BPE_NO_BYTE:
            raise TokenizerError("the text has a byte that is no token of the vocabulary, or is not UTF-8")
        return [ids.items[i] for i in range(ids.count)]
    finally:
        free(ids.items)
