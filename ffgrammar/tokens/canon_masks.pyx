"""Masks of what may canonically follow.

Between two characters that is, over the guesses about pieces: what may begin a piece, if one may end here, and what may go on
with the piece, if merges leave it beside the last token. The first two depend on the guess alone, of which there are a few dozen
(boundaries.py); the last on the last token (successors.py). So a mask is some masks put together, and kept for the next time.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING

from ffgrammar.tokens.canon cimport FIRST, MOST_AHEAD, Canon, CanonChain, CanonRules
from ffgrammar.tokens.successors cimport Successors


cdef class CanonMasks:
    """The masks of a tokenizer, each made when it is asked for.

    Args:
        rules: of the tokenizer.
        max_bytes: how much of what was made is kept. Over it all is dropped. (What depends on guesses alone is not counted: it is
            never more than two masks a state of the automaton.)
    """

    def __cinit__(self, CanonRules rules not None, size_t max_bytes=16 << 20):
        self.rules = rules
        self.successors = Successors(rules.merges, max_bytes // 2)
        self.max_bytes = max_bytes // 2
        self.one_way = {}
        self.kept = {}

    cdef bytes one_way_mask(self, uint32_t guess, bint ends):
        cdef Canon at
        cdef bytearray mask
        cdef object found = self.one_way.get((guess, ends))
        if found is None:
            self.rules.begin(&at)
            at.guess[0] = <unsigned short>guess
            # (before the first token no pair is asked for)
            if ends:
                at.last = 0
            mask = bytearray(sizeof(uint32_t) * (<size_t>self.rules.trie.n_words + 1))
            if self.rules.follow_one_way(&at, 0, NULL, ends, <uint32_t*>PyByteArray_AS_STRING(mask), MOST_AHEAD) < 0:
                raise MemoryError
            found = bytes(mask)
            self.one_way[guess, ends] = found
        return <bytes>found

    cdef bytes walk(self, const Canon* at):
        cdef bytearray mask = bytearray(sizeof(uint32_t) * (<size_t>self.rules.trie.n_words + 1))
        if self.rules.follow(at, 0, NULL, <uint32_t*>PyByteArray_AS_STRING(mask), MOST_AHEAD) < 0:
            raise MemoryError
        return bytes(mask)

    cdef bytes find(self, const Canon* at):
        cdef uint32_t i, word
        cdef uint32_t* target
        cdef const uint32_t* source
        cdef const uint32_t* allowed
        cdef bytearray mask
        cdef bytes successors, part
        cdef object key, found
        if at.character.need or self.rules.has_alone:
            # few tokens go on inside a character; and tokens of their own need more than the guess
            return self.walk(at)
        if at.last == <uint32_t>FIRST:
            return self.one_way_mask(at.guess[0], False)
        key = (at.last, *[at.guess[i] for i in range(at.count)])
        found = self.kept.get(key)
        if found is not None:
            return <bytes>found
        mask = bytearray(sizeof(uint32_t) * (<size_t>self.rules.trie.n_words + 1))
        target = <uint32_t*>PyByteArray_AS_STRING(mask)
        for i in range(at.count):
            part = self.one_way_mask(at.guess[i], False)
            source = <const uint32_t*>PyBytes_AS_STRING(part)
            for word in range(self.rules.trie.n_words):
                target[word] |= source[word]
        successors = self.successors.find(at.last)
        allowed = <const uint32_t*>PyBytes_AS_STRING(successors)
        for word in range(self.rules.trie.n_words):
            target[word] &= allowed[word]
        for i in range(at.count):
            part = self.one_way_mask(at.guess[i], True)
            source = <const uint32_t*>PyBytes_AS_STRING(part)
            for word in range(self.rules.trie.n_words):
                target[word] |= source[word]
        part = bytes(mask)
        if (<size_t>len(self.kept) + 1) * <size_t>len(part) > self.max_bytes:
            self.kept = {}
        if <size_t>len(part) <= self.max_bytes:
            self.kept[key] = part
        return part

    def after(self, CanonChain chain not None):
        """The mask of what may follow a chain, as bytes: little-endian words of 32 bits, and one more word."""
        return self.find(&chain.at)
