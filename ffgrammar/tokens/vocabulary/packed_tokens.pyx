"""The bytes of tokens by id, in one piece of memory. `PackedTokens` has what a list of bytes objects has, in less than a quarter
of the space.

    tokens = PackedTokens([b"a", None, b"ab"])
    tokens[2], tokens[1]                    # b"ab", None
    tokens.changed({1: b"b"})[1]            # b"b"; `tokens` stays as it is
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from ffgrammar.core.fresh_pages cimport fresh_memory, fresh_zeros

from collections.abc import Sequence

from ffgrammar.core.errors import TokenizerError


@cython.final
cdef class PackedTokens:
    """The bytes of tokens by id. It reads like a sequence of bytes, with None for an id without bytes.

    Args:
        tokens: bytes by id; b"" or None for an id without bytes.

    Raises:
        TokenizerError: a token is not bytes, or all together have 2**32 bytes or more.
    """

    def __cinit__(self, tokens=()):
        cdef list listed = list(tokens)
        cdef uint64_t total = 0
        cdef uint32_t token
        cdef bytes text
        for token, item in enumerate(listed):
            if item is not None:
                if type(item) is not bytes:
                    raise TokenizerError(f"token {token} is {type(item).__name__}, not bytes")
                total += len(<bytes>item)
        self.allocate(len(listed), total)
        total = 0
        for token in range(self.count):
            if listed[token] is not None:
                text = <bytes>listed[token]
                memcpy(self.blob + total, <const char*>text, len(text))
                total += len(text)
            self.offsets[token + 1] = <uint32_t>total

    cdef int allocate(self, uint32_t count, uint64_t blob_bytes) except -1:
        if blob_bytes > 0xFFFFFFFF:
            raise TokenizerError("the tokens have more than 2**32 - 1 bytes together")
        free(self.blob)
        free(self.offsets)
        self.blob = NULL
        self.offsets = NULL
        self.count = count
        self.blob = <uint8_t*>fresh_memory(blob_bytes + SLACK, 1)
        self.offsets = <uint32_t*>fresh_zeros(<size_t>count + 1, sizeof(uint32_t))
        # (what is read there decides nothing, but is always the same)
        memset(self.blob + blob_bytes, 0, SLACK)
        return 0

    def __dealloc__(self):
        free(self.blob)
        free(self.offsets)

    def __len__(self):
        return self.count

    def __getitem__(self, token):
        cdef uint32_t at
        if isinstance(token, slice):
            return [self[number] for number in range(*token.indices(self.count))]
        if not 0 <= token < self.count:
            raise IndexError(f"token {token} is out of range: there are {self.count}")
        at = <uint32_t>token
        return self.blob[self.offsets[at] : self.offsets[at + 1]] or None

    def __iter__(self):
        cdef uint32_t token
        for token in range(self.count):
            yield self.blob[self.offsets[token] : self.offsets[token + 1]] or None

    def find_all(self, texts not None):
        """The ids of the tokens whose bytes are among `texts`, a set of bytes. (Most tokens are told from all of these by their
        size and last byte, so no object is made for them.)"""
        cdef uint8_t[64 * 256] alike  # by size, as far as there is room, and last byte
        cdef uint32_t token, size
        cdef const uint8_t* text
        cdef bytes one
        memset(alike, 0, sizeof(alike))
        for one in texts:
            size = <uint32_t>len(one)
            if size:
                alike[min(size, <uint32_t>63) << 8 | <uint8_t>one[size - 1]] = True
        found = set()
        for token in range(self.count):
            size = self.offsets[token + 1] - self.offsets[token]
            text = self.blob + self.offsets[token]
            if size and alike[min(size, <uint32_t>63) << 8 | text[size - 1]] and text[:size] in texts:
                found.add(token)
        return found

    def changed(self, changes not None):
        """A copy in which some ids have other bytes. Without changes it is the object itself.

        Args:
            changes: bytes by id, None for no bytes. An id that is too high for the original makes the copy longer.

        Raises:
            TokenizerError: all together have 2**32 bytes or more.
        """
        cdef PackedTokens other = PackedTokens.__new__(PackedTokens)
        cdef uint32_t known = self.count, token, count = max(known, max(changes, default=-1) + 1)
        cdef uint64_t total = self.offsets[known], at = 0
        cdef uint32_t size
        cdef bytes text
        if not changes:
            return self
        for item in changes.values():
            total += len(item or b"")
        other.allocate(count, total)
        cdef uint32_t first = 0
        for number in [*sorted(changes), count]:
            # what lies between two changes is copied as it is
            token = min(<uint32_t>number, known)
            if first < token:
                size = self.offsets[token] - self.offsets[first]
                memcpy(other.blob + at, self.blob + self.offsets[first], size)
                for token in range(first, token):
                    other.offsets[token + 1] = <uint32_t>at + self.offsets[token + 1] - self.offsets[first]
                at += size
            for token in range(max(first, known), number):
                other.offsets[token + 1] = <uint32_t>at
            if number < count:
                text = changes[number] or b""
                memcpy(other.blob + at, <const char*>text, len(text))
                at += len(text)
                other.offsets[number + 1] = <uint32_t>at
            first = number + 1
        return other


Sequence.register(PackedTokens)
