"""The lexemes of a text, as a graph: nodes are places where lexemes end, and edges are lexemes.

Under the longest-match rule the graph is a chain. The code that reads it (chart.pxd) does not rely on that.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config

cdef class Lexemes:
    cdef Engine engine
    cdef bytes text        # what was read last
    cdef list special
    cdef Config now        # the configuration after it
    cdef uint32_t generation  # of all configurations
    cdef list configs      # per node: (row, state) after its lexemes
    cdef list taken        # per node: how many special tokens are before it
    cdef bint provisional  # whether the last node is there only because of where the text ends
    # Per node: its offset in the text. Node 0 is the start of the text.
    cdef readonly list offsets
    # Per node: the edges that end there, each as (node where it begins, its lexemes). Longer edges come first.
    cdef readonly list edges
    # The lexemes that have begun at the last node and can go on; () if none has begun.
    cdef readonly tuple growing

    # Read a text, with its special tokens as pairs (offset, id). `ended` says that nothing follows it. Nodes that are the same as
    # after the last call stay. Returns how many stay. Takes the engine's lock. Raises LimitError.
    cdef Py_ssize_t read(self, bytes text, list special, bint ended) except -1

    # The same lexemes, for a fork of the matcher.
    cdef Lexemes copy(self)

    # Forget what was read. Returns 0.
    cdef int restart(self) except -1

    # Forget the nodes that depend on byte `keep` of the text or later ones. Returns 0.
    cdef int cut(self, Py_ssize_t keep) except -1

    # Read what follows the first `at` bytes and the first `used` special tokens. Returns 0.
    cdef int read_from(self, Py_ssize_t at, Py_ssize_t used) except -1

    # Read bytes of the text from `at` up to `end`, with `used` special tokens before them. Returns 0.
    cdef int read_bytes(self, Py_ssize_t at, Py_ssize_t end, Py_ssize_t used) except -1

    # Read a special token, before which there are `at` bytes and `used` other special tokens. Returns 0.
    cdef int read_special(self, uint32_t token, Py_ssize_t at, Py_ssize_t used) except -1

    # Find what goes on at the end of the text, or add a provisional node there. Returns 0.
    cdef int finish(self, bint ended) except -1

    # Add a node after some lexemes; `config` is the configuration there. Returns 0.
    cdef int add(self, tuple lexemes, Py_ssize_t at, Py_ssize_t used, Config config) except -1

    # Whether a lexeme has begun at the last node.
    cdef bint is_running(self) noexcept

    # The lexemes of a set of the lexer, by its number.
    cdef tuple members(self, uint32_t lexset)
