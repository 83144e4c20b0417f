"""A budget counts the steps of a text that are tokens. It keeps which steps are bytes, because these are few."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.engine.budget.budget_masks cimport fill_within
from ffgrammar.engine.budget.token_costs cimport NEVER, TokenCosts, costs_of
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport Cursor, cursor_revalidate, cursor_rollback, cursor_take, cursor_terminated
from ffgrammar.engine.position.history cimport history_len

from ffgrammar.core.errors import MatcherError, UnsupportedError
from ffgrammar.engine.budget.fewest_tokens import FewestTokens


cdef TokenCosts checked_costs(Engine engine):
    """The costs of an engine. Raises UnsupportedError if the grammar has checks."""
    if engine.tables.rules.has_checks:
        # what may follow depends on the values in the text, so nearly every text would be a configuration of its own
        raise UnsupportedError(
            "the tokens of a text cannot be counted in advance if its items or keys are compared: leave out uniqueItems and "
            "what bounds the number of keys, or ask for no max_tokens"
        )
    return costs_of(engine)


cdef object fewest_tokens(Engine engine, Cursor* cursor):
    cdef TokenCosts costs = checked_costs(engine)
    cdef bint exact = True
    cdef uint32_t cost = 0
    engine.acquire()
    try:
        engine.checked(cursor_revalidate(engine, cursor))
        costs.trim(engine)
        if not cursor_terminated(cursor):
            cost = costs.cost(engine, &cursor.now, &exact)
    finally:
        engine.release()
    if cost == <uint32_t>NEVER:
        raise MatcherError("no tokens of the vocabulary spell a sentence that begins with this text")
    return FewestTokens(cost, exact)


cdef class TokenBudget:
    """The tokens that a text may have.

    Args:
        engine: the grammar's engine.
        max_tokens: how many tokens, end-of-text token not counted.

    Raises:
        UnsupportedError: the grammar has checks.
    """

    def __cinit__(self, Engine engine not None, Py_ssize_t max_tokens):
        self.engine = engine
        self.max_tokens = max_tokens
        self.costs = checked_costs(engine)
        self.byte_steps = []

    cdef Py_ssize_t left(self, const Cursor* cursor) noexcept:
        cdef Py_ssize_t tokens = <Py_ssize_t>history_len(&cursor.history) - len(self.byte_steps) - cursor_terminated(cursor)
        return self.max_tokens - tokens

    cdef bint suffices(self, Cursor* cursor) except -1:
        """Whether the tokens that are left complete the text. The engine's lock is held."""
        self.costs.trim(self.engine)
        return <Py_ssize_t>self.costs.cost(self.engine, &cursor.now, NULL) <= self.left(cursor)

    cdef int take(self, Cursor* cursor, uint32_t token) except -1:
        cdef size_t steps
        cdef bint fits = False
        self.engine.acquire()
        try:
            steps = history_len(&cursor.history)
            if not self.engine.checked(cursor_take(self.engine, cursor, token, 0)):
                return 0
            try:
                fits = cursor_terminated(cursor) or self.suffices(cursor)
            finally:
                if not fits:
                    cursor_rollback(self.engine, cursor, steps)
        finally:
            self.engine.release()
        return fits

    cdef int fill(self, Cursor* cursor, uint32_t* row, size_t count) except -1:
        if cursor_terminated(cursor):
            memset(row, 0, count * sizeof(uint32_t))
            return 0
        self.engine.acquire()
        try:
            self.engine.checked(cursor_revalidate(self.engine, cursor))
            fill_within(self.costs, self.engine, &cursor.now, self.left(cursor), row, count)
        finally:
            self.engine.release()
        return 0

    cdef bint note_bytes(self, Cursor* cursor) except -1:
        self.engine.acquire()
        try:
            self.byte_steps.append(history_len(&cursor.history) - 1)
            self.engine.checked(cursor_revalidate(self.engine, cursor))
            return self.suffices(cursor)
        finally:
            self.engine.release()

    cdef int cut(self, size_t steps) except -1:
        self.engine.acquire()
        while self.byte_steps and self.byte_steps[-1] >= steps:
            self.byte_steps.pop()
        self.engine.release()
        return 0

    cdef TokenBudget copy(self):
        cdef TokenBudget other = TokenBudget(self.engine, self.max_tokens)
        other.byte_steps = self.byte_steps.copy()
        return other
