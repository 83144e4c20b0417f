"""Outcomes: the sets of hypotheses about pre-tokens that a text can lead to.

Which pre-tokens a text makes may depend on what follows, so a text leads to a set of hypotheses. (A hypothesis is a state of the
automaton of pre-tokens.) Only few sets come up. Each of them is an outcome and has a number. A step from outcome to outcome
inside a token is one load from a table: this is the subset construction of automata, made as far as it is needed.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.pretokenize.table cimport PretokenTable

cdef enum:
    NO_OUTCOME = 0xFFFF       # no hypothesis is left
    NOT_FOUND = 0xFFFFFFFF    # in `after`: not looked for yet


cdef struct AsciiClass:
    uint32_t number       # of the class
    uint32_t[4] bytes     # its ASCII characters, as bits


@cython.final
cdef class Outcomes:
    cdef PretokenTable pretokens
    cdef uint32_t words  # how many words a set of hypotheses has as bits (core/bits.pxd)
    cdef Intern sets     # by outcome: its hypotheses, ascending
    cdef Vec after       # outcome * classes + class -> outcome, NO_OUTCOME or NOT_FOUND
    cdef Vec bits        # by outcome: its hypotheses as bits
    cdef Vec live        # by outcome, two words of bits: the classes of the characters with which the pre-token may go on
    # Sets of hypotheses, as bits, by the class of the next character. With a hypothesis of such a set, any text may follow after
    # this character ...
    cdef uint32_t* sure_ends  # ... if the pre-token ends before the character
    cdef uint32_t* sure_next  # ... if both ways are open: the pre-token ends before the character, or goes on with it
    cdef uint32_t* entered    # sets by the class of the last character: the hypotheses that it can lead to
    # (class, hypothesis, state after the character): the pre-token may end before the character, but the hypothesis is not in
    # the set of `sure_ends`
    cdef Vec open_ends
    cdef uint32_t* open_before  # sets by the class of the next character: the hypotheses in its entries of `open_ends`
    cdef AsciiClass[128] ascii  # the classes that have ASCII characters
    cdef uint32_t ascii_count   # how many there are
    cdef Vec open_from   # by class: where its entries begin in `open_ends`; and its length

    # The outcome that the first character of a token leads to from a hypothesis. `character` is the class of the character, here
    # and below. `ends` says whether the pre-token ends before the token. Returns an outcome, NO_OUTCOME, or a status below zero.
    cdef int first(self, uint32_t hypothesis, bint ends, uint32_t character) noexcept nogil

    # The outcome after one more character of the same token. Returns as `first`.
    cdef inline int step(self, uint32_t outcome, uint32_t character) noexcept nogil:
        cdef uint32_t found = self.after.data[<size_t>outcome * self.pretokens.classes + character]
        return <int>found if found != <uint32_t>NOT_FOUND else self.find_step(outcome, character)

    # Find and keep the answer of `step` where `after` has NOT_FOUND.
    cdef int find_step(self, uint32_t outcome, uint32_t character) noexcept nogil

    # The classes, as bits, of the characters that may come next inside a token after this outcome.
    cdef uint64_t live_classes(self, uint32_t outcome) noexcept nogil

    # Give a number to a set: `count` hypotheses, ascending. Returns as `first`.
    cdef int add(self, const uint32_t* hypotheses, uint32_t count) noexcept nogil

    # Part of the constructor: fill `ascii`.
    cdef void list_ascii(self) noexcept nogil

    # Another part: fill the sets by class, and `open_ends`. The parameters are two arrays of find_sure_states. Returns
    # OK or NO_MEMORY.
    cdef int find_ends(self, const uint8_t* sure_ends, const uint8_t* sure_next) noexcept nogil
