"""A canonical token sequence that grows. It applies the rules of a tokenizer to one sequence, for Python code.

    sequence = CanonicalSequence(rules)
    sequence.push(token)      # False if no text has these tokens as its first ones
    sequence.is_whole         # whether some text has exactly these tokens
    sequence.following()      # ids that may come next; slow, for tests and explanations

A sequence has constant size. A token costs about a microsecond, unless it needs a search for what may follow (following.pyx).
"""

from libc.stdint cimport uint32_t

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.bits cimport bit_test
from ffgrammar.tokens.canonical.following cimport MAX_AHEAD, can_go_on, follow
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState


cdef class CanonicalSequence:
    """A token sequence that grows.

    Args:
        rules: the rules of the tokenizer.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules
        rules.trie.need_index()
        rules.begin(&self.at)

    def push(self, token) -> bool:
        """Go on with a token. Returns whether some text has the longer sequence as its first tokens. If not, the sequence is
        of no use any more.

        Raises:
            TokenizerError: the id is out of range.
        """
        self.rules.trie.token_bytes(token)
        cdef int status = self.rules.push(&self.at, token)
        if status > 0:
            status = can_go_on(self.rules, &self.at, MAX_AHEAD)
        if status < 0:
            raise MemoryError
        return status > 0

    def push_any(self, token) -> bool:
        """Go on with a token even if it may not follow. Returns whether it may. The sequence goes on in either case.

        Raises:
            TokenizerError: the id is out of range.
        """
        cdef CanonicalState before = self.at
        if self.push(token):
            return True
        self.at = before
        if self.rules.push_any(&self.at, token) < 0:
            raise MemoryError
        return False

    def copy(self) -> CanonicalSequence:
        """Another sequence with the same tokens."""
        cdef CanonicalSequence other = CanonicalSequence(self.rules)
        other.at = self.at
        return other

    @property
    def is_whole(self) -> bool:
        """Whether the tokenizer makes this sequence of its text."""
        return bool(self.rules.is_whole(&self.at))

    def following(self) -> list:
        """The ids that may come next, ascending."""
        cdef bytearray mask = bytearray(4 * self.rules.trie.n_words + 4)
        cdef uint32_t* words = <uint32_t*>PyByteArray_AS_STRING(mask)
        cdef uint32_t token
        if follow(self.rules, &self.at, 0, NULL, words, MAX_AHEAD) < 0:
            raise MemoryError
        return [token for token in range(self.rules.trie.vocab_size) if bit_test(words, token)]
