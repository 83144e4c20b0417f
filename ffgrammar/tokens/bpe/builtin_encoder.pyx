"""The encoder of the embedded encodings: a pre-tokenizer written by hand, and merges whose ranks are the token ids.

    encoder = BuiltinEncoder(trie, "cl100k")
    encoder.encode("Hello world")    # [9906, 1917]

Results are those of tiktoken, id for id, also for bytes that are not UTF-8. native_encoder.pyx, the encoder of other tokenizers
with known rules, takes its pre-tokenizer from a table. The encoder of this file needs no table, so it is ready as soon as the
trie is.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free

from ffgrammar.core.signals cimport handler_raised, raise_set
from ffgrammar.tokens.bpe.ids cimport ASK_EVERY, BPE_INTERRUPTED, BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids
from ffgrammar.tokens.bpe.merge_loop cimport encode_pretoken
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.bpe.pretoken_encoder cimport PretokenEncoder
from ffgrammar.tokens.pretokenize.builtin cimport SPLIT_CL100K, SPLIT_O200K, char_classes, next_pretoken
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe.native import NativeReach

SPLITTERS = {"cl100k": SPLIT_CL100K, "o200k": SPLIT_O200K}

cdef enum:
    RELEASE_GIL_FROM = 1024  # from this many bytes of text on, giving up the GIL is worth its cost


cdef class BuiltinEncoder(PretokenEncoder):
    """Encodes with the tokens of a trie. The ids of these tokens are the ranks of merges.

    Args:
        trie: the vocabulary.
        splitter: the pre-tokenizer: "cl100k" or "o200k".

    Raises:
        TokenizerError: there is no such pre-tokenizer.
    """

    def __cinit__(self, TokenTrie trie not None, str splitter not None):
        if splitter not in SPLITTERS:
            raise TokenizerError(f"there is no splitter {splitter!r}; there are {', '.join(SPLITTERS)}")
        self.trie = trie
        self.merges = Merges(trie)
        self.splitter = SPLITTERS[splitter]
        self.classes = char_classes()

    def encode(self, text):
        """The ids of a text (str or bytes) as list[int].

        Bytes that are not UTF-8 are encoded as tiktoken does it. First the text up to the first wrong byte is encoded. Then
        the last pre-token before this byte is taken back and joined with everything from the byte on: together they are one
        pre-token. If the pre-token that is taken back begins with a white-space token, the white-space tokens before it
        are taken back too. In a str, a lone surrogate becomes U+FFFD, and a pair of surrogates the character it stands for.

        Raises:
            TokenizerError: a byte of the text has no token in the vocabulary, or the text has 4 GB or more.
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
        cdef BpeStatus status
        if count >= <size_t>0xFFFFFFFE:
            raise TokenizerError("the text is too long to encode (4 GB)")
        try:
            if count < RELEASE_GIL_FROM:
                status = self._encode(start, count, valid, &out)
            else:
                with nogil:
                    status = self._encode(start, count, valid, &out)
            if status == BPE_NO_MEMORY:
                raise MemoryError()
            if status == BPE_INTERRUPTED:
                raise_set()
            if status == BPE_NO_BYTE:
                raise TokenizerError("the text has a byte that is no token of the vocabulary")
            return [out.items[i] for i in range(out.count)]
        finally:
            free(out.items)

    cdef BpeStatus _encode(
        self, const uint8_t* text, size_t count, size_t valid, Ids* out
    ) noexcept nogil:
        cdef size_t at = 0, after, unstable = 0, turns = 0, i
        cdef size_t first = out.count, last_pretoken = out.count
        cdef BpeStatus status
        while at < valid:
            turns += 1
            if turns % ASK_EVERY == 0 and handler_raised():
                return BPE_INTERRUPTED
            after = next_pretoken(self.splitter, self.classes, text, at, valid)
            last_pretoken = out.count
            status = encode_pretoken(&self.trie.index, text + at, after - at, out)
            if status != BPE_OK:
                return status
            at = after
        if valid == count:
            return BPE_OK
        last_pretoken = self._unstable_from(out, first, last_pretoken)
        for i in range(last_pretoken, out.count):
            unstable += self.trie.offsets[out.items[i] + 1] - self.trie.offsets[out.items[i]]
        out.count = last_pretoken
        return encode_pretoken(&self.trie.index, text + (valid - unstable), count - valid + unstable, out)

    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil:
        return next_pretoken(self.splitter, self.classes, text, at, count)

    cdef BpeStatus encode_one(self, const uint8_t* text, size_t count, bint atom, Ids* out) noexcept nogil:
        return encode_pretoken(&self.trie.index, text, count, out)

    cdef BpeStatus encode_row(self, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil:
        return self._encode(text, count, valid, out)

    def native(self) -> NativeReach:
        """The encoder itself: it may be asked about everything."""
        return NativeReach(self, True, True, True)

    cdef bint is_pretoken(self, uint32_t token, bint atom) noexcept nogil:
        return self.represents(token)

    cdef size_t _unstable_from(self, const Ids* ids, size_t first, size_t last_pretoken) noexcept nogil:
        if last_pretoken < ids.count and self._is_blank(ids.items[last_pretoken]):
            while last_pretoken > first and self._is_blank(ids.items[last_pretoken - 1]):
                last_pretoken -= 1
        return last_pretoken

    cdef bint _is_blank(self, uint32_t token) noexcept nogil:
        cdef uint32_t at
        for at in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if self.trie.blob[at] not in (c" ", c"\n", c"\t"):
                return False
        return True

    def pretoken_ends(self, bytes data not None):
        """Where the pre-tokens of a text end: byte offsets, ascending. Raises TokenizerError if the text is not UTF-8."""
        cdef const uint8_t* text = data
        cdef size_t at = 0, count = len(data)
        if _valid_prefix(data) != count:
            raise TokenizerError("the text is not UTF-8")
        ends = []
        while at < count:
            at = next_pretoken(self.splitter, self.classes, text, at, count)
            ends.append(at)
        return ends


cdef size_t _valid_prefix(bytes data):
    """How many bytes from the start are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)
