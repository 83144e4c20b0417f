"""Encoding by a tokenizer's rules: a text is cut into pre-tokens (tokens/pretokenize/table.pyx), and each of them merged
(merges.pyx)."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from ffgrammar.tokens.bpe.merge_loop cimport BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.bpe.merges cimport NO_TOKEN
from ffgrammar.tokens.pretokenize.table cimport MAX_LEVELS

from ffgrammar.core.errors import TokenizerError

cdef enum:
    RELEASE_GIL_FROM = 1024  # bytes of a text from which giving up the GIL is worth its cost


cdef BpeStatus encode_pretokens(
    CanonicalRules rules, const uint8_t* text, size_t count, size_t stop, Ids* out, size_t* begun
) noexcept nogil:
    cdef size_t[MAX_LEVELS] stops
    cdef size_t at = 0
    cdef size_t after
    cdef BpeStatus status
    cdef bint atom
    memset(stops, 0, sizeof(stops))
    while at < count:
        after = rules.pretokens.next_end(text, at, count, stops, &atom)
        if after == 0:
            return BPE_NO_BYTE
        if after > stop:
            break
        status = rules.merges.encode(text + at, after - at, atom or rules.whole_pretokens, out)
        if status != BPE_OK:
            return status
        at = after
    begun[0] = at
    return BPE_OK


cdef list listed(BpeStatus status, Ids* ids):
    """The ids, which are freed."""
    cdef size_t i
    try:
        if status == BPE_NO_MEMORY:
            raise MemoryError
        if status == BPE_NO_BYTE:
            raise TokenizerError("the text has a byte that is no token of the vocabulary, or is not UTF-8")
        return [ids.items[i] for i in range(ids.count)]
    finally:
        free(ids.items)


def encode_text(CanonicalRules rules not None, bytes text not None):
    """The ids of a UTF-8 text.

    Raises:
        TokenizerError: a byte is no token, or the text is 4 GB long.
    """
    return encode_open(rules, text, len(text))


def encode_open(CanonicalRules rules not None, bytes text not None, size_t valid):
    """The ids of a text of which only the first `valid` bytes are UTF-8. If these are not all, their last pre-token and
    everything after it are one pre-token.

    Raises:
        TokenizerError: a byte is no token, these bytes are not UTF-8, or the text is 4 GB long.
    """
    cdef const uint8_t* data = text
    cdef size_t count = len(text)
    cdef Ids ids = Ids(NULL, 0, 0)
    cdef BpeStatus status
    if count >= <size_t>0xFFFFFFFE:
        raise TokenizerError("the text is too long to encode (4 GB)")
    valid = min(valid, count)
    if count < RELEASE_GIL_FROM:
        status = encode_all(rules, data, count, valid, &ids)
    else:
        with nogil:
            status = encode_all(rules, data, count, valid, &ids)
    return listed(status, &ids)


cdef BpeStatus encode_all(CanonicalRules rules, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil:
    cdef size_t[MAX_LEVELS] stops
    cdef size_t at = 0
    cdef size_t last = 0
    cdef BpeStatus status = BPE_OK
    cdef bint atom
    if valid < count:
        memset(stops, 0, sizeof(stops))
        while at < valid:
            last = at
            at = rules.pretokens.next_end(text, at, valid, stops, &atom)
            if at == 0:
                return BPE_NO_BYTE
    # (what counts for where pre-tokens end is the text that is UTF-8; its last pre-token is not encoded by itself)
    status = encode_pretokens(rules, text, valid, valid if valid == count else last, out, &at)
    if status == BPE_OK and valid < count:
        status = rules.merges.encode(text + at, count - at, rules.whole_pretokens, out)
    return status


def byte_token(CanonicalRules rules not None, unsigned char byte):
    """The token of a byte that is in no character. Raises TokenizerError if there is none."""
    if rules.merges.byte_token[byte] == <unsigned int>NO_TOKEN:
        raise TokenizerError(f"the tokenizer has no token for the byte {byte:#04x}")
    return rules.merges.byte_token[byte]
