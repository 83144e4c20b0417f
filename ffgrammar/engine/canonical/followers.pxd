"""Followers: the tokens that can come next inside a pre-token, listed where they are few."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.parts cimport MaskParts
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    OF_OUTLINE = 0x80000000  # flag of what list_of writes: this is the number of an outline
    VERDICTS = 4096          # how many entries `verdicts` has


@cython.final
cdef class Followers:
    cdef MaskParts parts
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef FewTexts few_texts
    cdef Intern names       # (lasting row, lexer state, set of hypotheses); an entry's number is its name
    # By name, ENTRY_WORDS words: the number of the list of this name, whether this list has all followers, how many questions
    # the list has left open, and the number of the outline or NO_OUTLINE. With an outline, the list is empty.
    cdef Vec listed
    cdef Intern lists       # lists of tokens
    # By hash: list << 34 | token << 2 | verdict << 1 | 1, for the lists and tokens that is_followed was asked about last.
    cdef uint64_t[VERDICTS] verdicts
    cdef Vec words          # scratch: a name, or a list
    # The configuration that `find` was asked about last, and by outcome the names that it found there, or NOT_NAMED
    cdef Config place
    cdef Vec named

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method returns
    # OK or a status.

    # Bytes of what is kept.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Call this before questions about another transition.
    cdef void forget_place(self) noexcept nogil

    # Whether a token is a dead end. The token leads to `config` and to an outcome, and the pre-token cannot end there. So the
    # token is a dead end if it can stand before none of the tokens that can follow there. Returns 1; 0; a status; or NOT_KNOWN.
    # After NOT_KNOWN, the caller searches for a sentence after this token alone. That may be less work than finding all tokens
    # that can follow.
    cdef int is_dead_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t token) noexcept nogil

    # Write what is known of the tokens that can follow a configuration and an outcome: the number of a list, or that of an outline
    # with the flag OF_OUTLINE.
    cdef int list_of(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t* number) noexcept nogil

    # Whether a token can stand before some token of a list or outline that list_of has written. Returns 1; 0; NOT_KNOWN; or a
    # status.
    cdef int judge(self, uint32_t number, uint32_t token) noexcept nogil

    # Write the name of a configuration and an outcome to `name`. A new name gets a list.
    cdef int find(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t* name) noexcept nogil

    # Find the outline of a new name, and make its list if it has none.
    cdef int find_outline(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t name) noexcept nogil

    # Make the list of a name. With `search`, Lookahead.list_followers finds the followers, otherwise FewTexts.list_tokens.
    # Followers that depend on the text (SearchSteps.is_text_dependent) are not kept. Then this name never gets a complete list.
    # With `search`, its list stays as it is, and the result is NOT_KNOWN. Otherwise the list is empty.
    cdef int make_list(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, bint search, uint32_t name,
    ) noexcept nogil

    # Whether a token can stand before some token of the list `number`. Returns 1, 0 or a status.
    cdef int is_followed(self, uint32_t number, uint32_t token) noexcept nogil
