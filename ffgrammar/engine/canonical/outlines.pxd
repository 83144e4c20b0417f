"""Outlines: the tokens that can come next inside a pre-token, as far as a tail tells."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.tails cimport Tails
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    NOT_KNOWN = 2     # instead of a verdict
    NO_OUTLINE = 0    # instead of the number of an outline: nothing is known


@cython.final
cdef class Outlines:
    cdef CanonicalRules rules
    cdef Tails tails
    cdef Intern outlines   # lists of items (outlines.pyx)
    cdef uint32_t cleared  # how often everything was forgotten
    cdef Vec outline_of    # by tail: its outline, or ABSENT
    cdef Vec items         # scratch: items of the first kind
    cdef Vec others        # scratch: the other items
    cdef Map verdicts      # outline << 32 | token -> verdict
    cdef Vec free_at       # by outline: where its list is in `free_tokens`, or ABSENT
    cdef Vec free_tokens   # lists: a count, then the tokens that list_free finds

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Bytes of what is kept, with that of the tails. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything, and the tails.
    cdef int clear(self) noexcept nogil

    # Write the outline of a place: of a configuration and the rules' state there. The text so far ends after a token.
    cdef int find(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* outline) noexcept nogil

    # Write the number of the outline of a tail. The engine counts the work.
    cdef int find_of(self, Engine engine, uint32_t tail, uint32_t* outline) noexcept nogil

    # Part of find_of: append the items of the tokens that begin with the bytes of a node of the trie and go on with a tail.
    cdef int collect(self, Engine engine, uint32_t tail, uint32_t node) noexcept nogil

    # Part of `collect`, for a tail that has MANY or ANYTHING.
    cdef int add_open(self, uint32_t tail, uint32_t node) noexcept nogil

    # Whether a sentence goes on after a token, if the pre-token cannot end after it, and if the outline is that of the place after
    # the token. Returns 1; 0; NOT_KNOWN; or NO_MEMORY.
    cdef int judge(self, uint32_t outline, uint32_t token) noexcept nogil

    # The work of `judge`.
    cdef int judge_items(self, uint32_t outline, uint32_t token) noexcept nogil

    # Part of judge_items: whether a token can stand beside one that goes on with free text. Returns 1; 0 if none of a few such
    # tokens will do; or NO_MEMORY.
    cdef int precedes_free(self, uint32_t outline, uint32_t token) noexcept nogil

    # Part of precedes_free: append the list of an outline to `free_tokens`. It has a few tokens that go on with free text.
    cdef int list_free(self, uint32_t outline) noexcept nogil

    # Part of list_free, for an item of free text. `room` is how long `free_tokens` may become.
    cdef int add_free(self, const uint32_t* item, size_t room) noexcept nogil

    # Whether a token goes on with free text, so that the pre-token can end after it. The text begins before the token's byte number
    # `depth`. Returns True or False.
    cdef bint returns(self, const uint32_t* item, uint32_t depth, uint32_t token) noexcept nogil

    # The words of an outline, which mean the same for all grammars. Writes how many they are.
    cdef const uint32_t* describe(self, uint32_t outline, uint32_t* count) noexcept nogil
