"""The productions of a grammar as flat arrays: large schemas have hundreds of thousands."""

from collections.abc import Sequence

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport vec_free, vec_init, vec_push


cdef class Productions:
    """Pairs of a nonterminal number and its right-hand side symbols, made when they are asked for."""

    def __cinit__(self, productions=()):
        vec_init(&self.heads)
        vec_init(&self.starts)
        vec_init(&self.symbols)
        if vec_push(&self.starts, 0) < 0:
            raise MemoryError
        for head, body in productions:
            self.append(head, body)

    def __dealloc__(self):
        vec_free(&self.heads)
        vec_free(&self.starts)
        vec_free(&self.symbols)

    cpdef int append(self, uint32_t head, body) except -1:
        """One more; for who builds a grammar."""
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

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return (self.heads.cap + self.starts.cap + self.symbols.cap) * sizeof(uint32_t)

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
