"""The map of characters that a model of sentencepiece normalizes a text with.

A model has its map in a compiled form, `precompiled_charsmap`. It is a trie of the characters that are replaced (a double array)
and the texts that replace them. Nearly all models have the map `nmt_nfkc`: NFKC, line ends and tabs become spaces, and control
characters disappear.

    charsmap = Charsmap(data, symbols=())
    charsmap.is_normal(b"a b")      # True: no rule applies anywhere in it
    charsmap.apply(b"a\\nb")         # b"a b"

The text is read from left to right. At each place the longest rule that applies is taken, and reading goes on after the
characters that it replaces. A symbol is a piece that the user of sentencepiece has defined. `apply` leaves symbols as they are.
`is_normal` does not look for them.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from ffgrammar.core.utf8 cimport utf8_length
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, TrieNode, node_token, trie_child

from ffgrammar.core.errors import TokenizerError

cdef enum:
    LABEL = 0x800000FF  # the bits of a unit that say which byte leads to it
    LEAF = 0x100        # the bit that says whether a rule ends at the unit
    WIDE = 0x200        # the bit that says whether the offset of the unit (see `below`) is in steps of 256
    VALUE = 0x7FFFFFFF  # in a unit that stands for a rule: the bits that say where the rule's text begins


cdef inline uint32_t below(uint32_t unit) noexcept nogil:
    """The offset of a unit. The xor of the unit's place, its offset and a byte is the place that the byte leads to."""
    return (unit >> 10) << ((unit & WIDE) >> 6)


cdef class Charsmap:
    """A map of characters.

    Args:
        data: the map as a model has it.
        symbols: texts that no rule changes.

    Raises:
        TokenizerError: the map is damaged.
    """

    def __cinit__(self, bytes data not None, symbols=()):
        cdef uint32_t size = 0
        self.symbols = TokenTrie(list(symbols))
        if len(data) > 4:
            memcpy(&size, <const uint8_t*>data, 4)
        if size < 4 or size % 4 or size + 4 >= len(data) or data[len(data) - 1] != 0:
            raise TokenizerError("the map of characters is damaged")
        self.data = data
        self.units = <const uint8_t*>data + 4
        self.unit_count = size // 4
        self.texts = self.units + size
        self.texts_size = <uint32_t>(len(data) - 4 - size)

    cdef uint32_t unit(self, uint32_t at) noexcept nogil:
        cdef uint32_t value = 0
        if at < self.unit_count:
            memcpy(&value, self.units + 4 * <size_t>at, 4)
        return value

    cdef size_t longest(self, const uint8_t* text, size_t count, uint32_t* value) noexcept nogil:
        cdef uint32_t unit = self.unit(0)
        cdef uint32_t at = 0
        cdef uint32_t found
        cdef size_t taken = 0
        cdef size_t i
        for i in range(count):
            at ^= below(unit) ^ text[i]
            unit = self.unit(at)
            # (No rule has a zero byte. But `unit` returns 0 beyond the end of the array, as if a zero byte led there.)
            if (unit & LABEL) != text[i] or text[i] == 0:
                break
            if unit & LEAF:
                found = self.unit(at ^ below(unit)) & VALUE
                if found < self.texts_size:
                    value[0] = found
                    taken = i + 1
        return taken

    cdef size_t symbol(self, const uint8_t* text, size_t count) noexcept nogil:
        cdef const TrieNode* nodes = self.symbols.nodes
        cdef uint32_t node = self.symbols.roots[text[0]] if count else 0
        cdef size_t at = 1
        cdef size_t found = 0
        while node:
            if node_token(&nodes[node]) != self.symbols.pad_token:
                found = at
            if at == count:
                break
            node = trie_child(nodes, node, text[at])
            at += 1
        return found

    def is_normal(self, bytes text not None):
        """Whether no rule applies anywhere in a UTF-8 text."""
        cdef const uint8_t* data = text
        cdef size_t count = len(text)
        cdef size_t at = 0
        cdef uint32_t value = 0
        with nogil:
            while at < count and self.longest(data + at, count - at, &value) == 0:
                at += utf8_length(data[at])
        return at >= count

    def apply(self, bytes text not None):
        """A UTF-8 text with the rules applied."""
        cdef const uint8_t* data = text
        cdef size_t count = len(text)
        cdef size_t at = 0
        cdef size_t kept = 0
        cdef size_t taken
        cdef uint32_t value = 0
        cdef list parts = []
        while at < count:
            taken = self.symbol(data + at, count - at)
            if taken:
                at += taken
                continue
            taken = self.longest(data + at, count - at, &value)
            if taken:
                parts.append(text[kept:at])
                parts.append(<bytes>(<const char*>self.texts + value))
                at += taken
                kept = at
            else:
                at += utf8_length(data[at])
        parts.append(text[kept:])
        return b"".join(parts)
