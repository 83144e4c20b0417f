"""Followers: which tokens can follow a token, where they are few."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    NOT_KNOWN = 2  # instead of a verdict
    RECENT = 64    # how many names are found without a look at `names`
    KEPT = 4096    # verdicts


@cython.final
cdef class Followers:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef FewTexts few_texts
    cdef Intern names       # (row, lexer state, set of hypotheses)
    # By name, ENTRY_WORDS words: the number of its list, whether this list has all followers, and how often it was not enough.
    cdef Vec listed
    cdef Intern lists       # lists of tokens
    # By hash: list << 34 | token << 2 | verdict << 1 | 1 for lists and tokens that were asked about last.
    cdef uint64_t[KEPT] verdicts
    cdef uint32_t[RECENT] recent  # names that were asked about last, by hash
    cdef Vec words          # scratch: a name, or a list

    # All methods run with the engine's lock held and the look-ahead entered. They return OK or a status.

    # Bytes of what is kept.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Whether a token is a dead end. It leads to a configuration and to a set of hypotheses, and the pre-token cannot end there.
    # The token is a dead end if it can stand beside no token with which the text goes on to a sentence. Returns 1; 0; NOT_KNOWN if
    # to find it out may take more work than a search for this token alone; or a status.
    cdef int is_dead_end(self, Engine engine, const Config* config, const uint32_t* hypotheses, uint32_t token) noexcept nogil

    # Find the name of a configuration and a set of hypotheses. A new name gets a list.
    cdef int find(self, Engine engine, const Config* config, const uint32_t* hypotheses, uint32_t* name) noexcept nogil

    # List the tokens that can follow, for a name. With `search` the tokens are searched for. Otherwise they are those that few
    # texts begin with.
    cdef int list_tokens(
        self, Engine engine, const Config* config, const uint32_t* hypotheses, bint search, uint32_t name) noexcept nogil

    # Set `at` to the rules' state of a set of hypotheses inside a pre-token.
    cdef void set_state(self, CanonicalState* at, const uint32_t* hypotheses) noexcept nogil

    # Whether a token can stand beside a token of a list. Returns 1, 0 or a status.
    cdef int is_followed(self, uint32_t number, uint32_t token) noexcept nogil
