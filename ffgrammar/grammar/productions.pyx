"""The productions of a grammar.

They are stored in flat arrays of 32-bit words, because large schemas have hundreds of thousands of productions. Python sees a
sequence of pairs; each pair is made when it is read.
"""

from collections.abc import Sequence

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport own_vec, owner_bytes, owner_free, owner_init
from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_push


cdef class Productions:
    """A sequence of productions: (number of the nonterminal, tuple of the right-hand side's symbols).

    Args:
        productions: the pairs that the sequence begins with.
    """

    def __cinit__(self, productions=()):
        owner_init(&self.owner)
        own_vec(&self.owner, &self.heads)
        own_vec(&self.owner, &self.starts)
        own_vec(&self.owner, &self.symbols)
        if vec_push(&self.starts, 0) < 0:
            raise MemoryError
        for head, body in productions:
            self.append(head, body)

    def __dealloc__(self):
        owner_free(&self.owner)

    cpdef int append(self, uint32_t head, body) except -1:
        """Append a production. Only the code that made the sequence may call this: the productions of a finished grammar do
        not change."""
        cdef size_t before = self.symbols.len
        cdef uint32_t symbol
        try:
            for symbol in body:
                if vec_push(&self.symbols, symbol) < 0:
                    raise MemoryError
            if self.symbols.len > <size_t>0xFFFFFFFF or vec_push(&self.heads, head) < 0:
                raise MemoryError
            if vec_push(&self.starts, <uint32_t>self.symbols.len) < 0:
                self.heads.len -= 1
                raise MemoryError
        except BaseException:
            self.symbols.len = before
            raise
        return 0

    cpdef int extend_from(self, Productions other, uint32_t first, lexemes, after) except -1:
        """Append all productions of another grammar.

        Args:
            other: the productions.
            first: what is added to the number of each nonterminal.
            lexemes: by the number of each terminal, the symbol that takes its place.
            after: a symbol that follows each terminal, or None.
        """
        cdef size_t i
        cdef uint32_t at, symbol
        cdef uint32_t follows = 0 if after is None else after
        cdef bint has_after = after is not None
        cdef Vec symbols
        vec_init(&symbols)
        try:
            for number in lexemes:
                if vec_push(&symbols, number) < 0:
                    raise MemoryError
            for i in range(other.heads.len):
                for at in range(other.starts.data[i], other.starts.data[i + 1]):
                    symbol = other.symbols.data[at]
                    symbol = symbol + 2 * first if symbol & 1 else symbols.data[symbol >> 1]
                    if vec_push(&self.symbols, symbol) < 0:
                        raise MemoryError
                    if has_after and not other.symbols.data[at] & 1 and vec_push(&self.symbols, follows) < 0:
                        raise MemoryError
                if self.symbols.len > <size_t>0xFFFFFFFF or vec_push(&self.heads, other.heads.data[i] + first) < 0:
                    raise MemoryError
                if vec_push(&self.starts, <uint32_t>self.symbols.len) < 0:
                    raise MemoryError
        finally:
            vec_free(&symbols)
        return 0

    @property
    def nbytes(self) -> int:
        """How many bytes the arrays take."""
        return owner_bytes(&self.owner)

    def __len__(self) -> int:
        return self.heads.len

    def __getitem__(self, index):
        cdef Py_ssize_t at
        cdef uint32_t i
        if isinstance(index, slice):
            return Productions([self[one] for one in range(*index.indices(len(self)))])
        at = index
        if at < 0:
            at += self.heads.len
        if not 0 <= at < <Py_ssize_t>self.heads.len:
            raise IndexError("no such production")
        body = [self.symbols.data[i] for i in range(self.starts.data[at], self.starts.data[at + 1])]
        return self.heads.data[at], tuple(body)

    def __iter__(self):
        for index in range(len(self)):
            yield self[index]

    def __eq__(self, other):
        return isinstance(other, Productions) and len(self) == len(other) and all(
            [mine == theirs for mine, theirs in zip(self, other)]
        )

    __hash__ = None


Sequence.register(Productions)
