"""Threads: lexemes side by side that do not compete.

In most grammars all lexemes of a state compete: a lexeme ends where none of them goes on, and the longest match wins. In others
some lexemes must not take text from each other, because they belong to different parts of a composition. So lexemes are in
*groups*, and only those of one group that began at the same place compete. They are a *thread*. A state then has the pairs of
several threads. A lexeme may also be one that ends *anywhere*: each of its matches counts, and it goes on as well.

In a state a lexeme has a *slot*: it is lexeme `number % lexemes` of the thread `number // lexemes`. Slot 0 is that of the lexemes
that begin in the state's row: one thread for each group. Where a lexeme ends and others go on, what goes on is *carried* to the
new row, which gives it a new slot (engine/parser/carried.pxd).

An *ending* says what happens where a lexeme ends. If nothing goes on, it is the set of the lexemes that end, as without threads.
Otherwise it is the words

    THREADED, byte, how many lexemes end, the lexemes, then for what goes on (thread, lexeme with its slot, expression)

The lexemes end with the byte that was read; or before `byte`, which is then read once more, if `byte` is not NO_BYTE. Where several
threads end before the same byte, one ends after another, because what follows one must not compete with what follows another.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec

cdef enum:
    THREADED = 0xFFFFFFFF  # the first word of an ending with threads that go on
    NO_BYTE = 256
    E_BYTE = 1             # words of such an ending
    E_COUNT
    E_ENDED
    CARRIED_WORDS = 3      # thread, number, expression
    FRESH = 0x80000000     # flag: a thread of slot 0, given by its group

cdef enum Outcome:
    GOES_ON          # nothing ends
    ENDS             # something ends, and `ending` says what
    ENDS_BEFORE      # the same, but it depends on the byte itself and not only on its class
    ALL_LEAVE        # no lexeme goes on, and some have matched
    ALL_DIE          # no lexeme goes on, and none has matched

cdef struct Threads:
    bint present     # whether lexemes have groups at all
    uint32_t lexemes  # how many there are
    Vec groups       # per lexeme: its group
    Vec anywhere     # per lexeme: whether it ends anywhere
    Vec alone        # per lexeme: whether it is the only one of its group
    Vec ending       # the ending that was found

# Register the arrays with their owner.
cdef void threads_init(Threads* t, Owner* owner) noexcept nogil

# What a byte does. `before` and `after` are the pairs (number, expression, ...) of the state and of what is left after the byte,
# and `lazy` says by lexeme which are lazy. `matched` are flags, one for each pair: first those of `before`, then those of `after`.
# Where lazy lexemes match, what cannot go on is dropped from `after`, and `after_count` goes down. Returns an Outcome, or
# NO_MEMORY.
cdef int threads_step(
    Threads* t, const Vec* lazy, const uint32_t* before, uint32_t before_count, uint32_t* after, uint32_t* after_count,
    uint32_t* matched, uint32_t byte,
) noexcept nogil


cdef inline uint32_t thread_of(const Threads* t, uint32_t number) noexcept nogil:
    """The thread of a lexeme with its slot."""
    if number >= t.lexemes:
        return number // t.lexemes
    return <uint32_t>FRESH | t.groups.data[number]


cdef inline bint is_one_thread(const Threads* t, const uint32_t* pairs, uint32_t count) noexcept nogil:
    """Whether all lexemes of a state compete, and none of them ends anywhere. Then the state reads what it reads in a grammar
    without threads. `pairs` are `count` words (number, expression, ...)."""
    cdef uint32_t i
    if t.present:
        for i in range(0, count, 2):
            if t.anywhere.data[pairs[i] % t.lexemes] or thread_of(t, pairs[i]) != thread_of(t, pairs[0]):
                return False
    return True
