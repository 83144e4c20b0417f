"""Masks of many matchers at once.

The calling thread writes the masks of guided matchers. Then it copies masks that are known, up to the first matcher whose mask
must be made, or that has drafted tokens. From that matcher on, matchers are shared out to threads one by one, if they are of
several grammars. A grammar makes one mask at a time. So a thread that finds the grammar of a matcher busy puts this matcher off
to the end, and goes on with others. Only the calling thread touches Python objects. The other threads read the C fields of
matchers, which the calling thread keeps alive.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.index cimport clipped_argument
from ffgrammar.core.thread_pool cimport pool_run, pool_stop
from ffgrammar.core.threads cimport atomic_add
from ffgrammar.engine.matcher.bitmask cimport BitmaskRows, rows_at, rows_close, rows_open
from ffgrammar.engine.matcher.drafted cimport Drafted
from ffgrammar.engine.matcher.matcher cimport Matcher
from ffgrammar.engine.position.cursor cimport BUSY, cursor_draft, cursor_fill, cursor_known_mask, cursor_terminated
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_release, mask_unpack

import os

from ffgrammar.core.errors import LimitError, MatcherError

cdef enum:
    # at most this many threads by default: they mostly make masks that are not known, and these are few
    MAX_DEFAULT = 8


cdef struct Job:
    void* matcher
    uint32_t* rows
    const uint32_t* drafted  # the drafted tokens; NULL if one mask is asked for
    size_t drafted_count
    bint done                # the calling thread did it before the others began
    int result               # what cursor_fill or cursor_draft returned
    Job* next                # the next job that the same thread has put off


cdef class Batch:
    """One call of `fill_bitmask` or `fill_draft_bitmasks`.

    Args:
        matchers: the matchers.
        drafts: for each matcher its draft tokens; None if one mask is asked for from each.
    """

    cdef Job* jobs
    cdef uint32_t taken     # how many jobs are done or taken by a thread
    cdef size_t words       # how many words a row has
    cdef list matchers
    cdef list drafts
    cdef uint32_t count

    def __cinit__(self, matchers, drafts):
        if isinstance(matchers, Matcher):
            raise TypeError("a list of matchers is expected; one matcher writes its row with its own fill_bitmask")
        self.matchers = list(matchers)
        self.count = <uint32_t>len(self.matchers)
        self.jobs = <Job*>calloc(self.count or 1, sizeof(Job))
        if self.jobs == NULL:
            raise MemoryError
        for number, matcher in enumerate(self.matchers):
            if not isinstance(matcher, Matcher):
                raise TypeError(f"matcher {number} must be a Matcher, not {type(matcher).__name__}")
        if drafts is not None:
            drafts = list(drafts)
            if len(drafts) != self.count:
                raise MatcherError(f"{len(drafts)} drafts for {self.count} matchers")
            self.drafts = [
                Drafted(tokens, (<Matcher>matcher).engine.trie.vocab_size)
                for matcher, tokens in zip(self.matchers, drafts)
            ]

    def __dealloc__(self):
        free(self.jobs)

    cdef int run(self, object bitmask, object indices, object threads) except -1:
        cdef int helpers = thread_count(threads) - 1
        cdef BitmaskRows rows
        rows_open(bitmask, &rows)
        try:
            self.place_rows(&rows, indices)
            self.fill_guided()
            with nogil:
                self.fill_known()
                pool_run(fill_left, <void*>self, min(helpers, self.grammars_left(helpers + 1) - 1))
        finally:
            rows_close(&rows)
        self.report()
        return 0

    cdef int place_rows(self, const BitmaskRows* rows, object indices) except -1:
        """Find each matcher's rows. Raises MatcherError if two matchers would write to the same row, or if a row is missing."""
        cdef Job* job
        cdef Drafted drafted
        cdef Matcher matcher
        cdef size_t many, row
        cdef Py_ssize_t index
        cdef Py_ssize_t following = 0
        cdef bytearray rows_written = bytearray(rows.batch)
        cdef char* written = PyByteArray_AS_STRING(rows_written)
        cdef uint32_t i
        indices = None if indices is None else list(indices)
        if indices is not None and len(indices) != self.count:
            raise MatcherError(f"{len(indices)} indices for {self.count} matchers")
        self.words = rows.count
        for i in range(self.count):
            job = self.jobs + i
            matcher = self.matchers[i]
            many = 1
            if self.drafts is not None:
                drafted = self.drafts[i]
                job.drafted = drafted.tokens
                job.drafted_count = drafted.count
                many = drafted.count + 1
            try:
                index = following if indices is None else clipped_argument("an index", indices[i])
                job.rows = rows_at(rows, index, many, matcher.engine.trie.n_words)
            except MatcherError as error:
                raise MatcherError(f"matcher {i}: {error}") from None
            job.matcher = <void*>matcher
            following = index + <Py_ssize_t>many
            for row in range(<size_t>index, <size_t>index + many):
                if written[row]:
                    raise MatcherError(f"matcher {i}: row {row} is another matcher's")
                written[row] = True
        return 0

    cdef int fill_guided(self) except -1:
        """Write the masks of guided matchers. A policy works on Python objects, so this is the calling thread's work."""
        cdef Matcher matcher
        cdef Job* job
        cdef uint32_t i
        for i in range(self.count):
            matcher = self.matchers[i]
            if matcher.is_guided():
                job = self.jobs + i
                if job.drafted != NULL:
                    job.result = matcher.draft_guided(job.drafted, job.drafted_count, job.rows, self.words)
                else:
                    job.result = matcher.fill_guided(job.rows, self.words)
                job.done = True
        return 0

    cdef void fill_known(self) noexcept nogil:
        """Copy known masks. This stops at the first matcher that has drafted tokens, or whose mask is not known."""
        cdef Job* job = self.jobs
        cdef StoredMask* mask
        while self.taken < self.count and (job.done or job.drafted == NULL):
            if job.done:
                pass
            elif cursor_terminated(&(<Matcher>job.matcher).cursor):
                memset(job.rows, 0, self.words * sizeof(uint32_t))
            else:
                mask = cursor_known_mask((<Matcher>job.matcher).engine, &(<Matcher>job.matcher).cursor)
                if mask == NULL:
                    break
                mask_unpack(mask, (<Matcher>job.matcher).engine.trie.n_words, job.rows, self.words)
                mask_release(mask)
            job += 1
            self.taken += 1

    cdef int grammars_left(self, int most) noexcept nogil:
        """How many grammars the remaining matchers have; `most` if there are more. A grammar makes its masks one by one, so more
        threads than grammars gain nothing. (This counts runs of one grammar in the list, so a grammar may count twice.)"""
        cdef int found = 0
        cdef void* last = NULL
        cdef void* engine
        cdef uint32_t i = self.taken
        while i < self.count and found < most:
            engine = <void*>(<Matcher>self.jobs[i].matcher).engine
            found += engine != last
            last = engine
            i += 1
        return found

    cdef int report(self) except -1:
        """Raise the error of the first job that failed."""
        cdef uint32_t i
        for i in range(self.count):
            if self.jobs[i].result < 0:
                try:
                    (<Matcher>self.jobs[i].matcher).checked(self.jobs[i].result)
                except LimitError as error:
                    error.args = (f"matcher {i}: {error}",)
                    raise
        return 0


cdef bint fill(Batch batch, Job* job, bint wait) noexcept nogil:
    """Do a job. Returns False if the job would have to wait for an engine's lock and `wait` is not set. A job with drafted tokens
    always waits."""
    if job.done:
        return True
    if job.drafted != NULL:
        job.result = cursor_draft(
            (<Matcher>job.matcher).engine, &(<Matcher>job.matcher).cursor, job.drafted, job.drafted_count, job.rows, batch.words
        )
        return True
    job.result = cursor_fill(
        (<Matcher>job.matcher).engine, &(<Matcher>job.matcher).cursor, job.rows, batch.words, wait
    )
    return job.result != BUSY


cdef void fill_left(void* context) noexcept nogil:
    """Take jobs until none is left, then do those that this thread has put off. Each thread runs this."""
    cdef Job* job
    cdef Job* later = NULL
    cdef Job** last = &later
    cdef uint32_t number
    while True:
        number = atomic_add(&(<Batch>context).taken, 1)
        if number >= (<Batch>context).count:
            break
        job = (<Batch>context).jobs + number
        if not fill(<Batch>context, job, False):
            last[0] = job
            last = &job.next
    while later != NULL:
        fill(<Batch>context, later, True)
        later = later.next


# (found once, because the call makes a set of all processors)
cdef int PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


cdef int thread_count(object threads) except -1:
    """How many threads to use: as many as were asked for, or the default for None."""
    cdef Py_ssize_t count = min(PROCESSORS, MAX_DEFAULT) if threads is None else clipped_argument("threads", threads)
    if count < 1:
        raise MatcherError(f"threads must be at least 1, not {threads}")
    return <int>min(count, 1 << 16)


def fill_bitmask(matchers, bitmask, indices=None, *, threads=None) -> None:
    """Write a row for each matcher: the tokens that may come next. This is `Matcher.fill_bitmask` on several threads.

    Matchers may be of one grammar or of many. A matcher may be in the list more than once. While a matcher is in use here, no
    other thread may move it.

    Args:
        matchers: the matchers.
        bitmask: int32 [batch, words], C-contiguous, numpy or torch (CPU); as many words as the largest vocabulary needs.
        indices: the row of each matcher, all different; rows 0, 1, 2, ... if not given. Other rows are left as they are.
        threads: how many threads to use at most, the calling one included. With 1, or if all matchers are of one grammar, no
            other thread is used. The default is the number of processors that this process may use, but no more than 8. The
            threads are kept for the next call.

    Raises:
        MatcherError: the bitmask has another shape or type, or too few rows; two matchers have the same row; there are more or
            fewer indices than matchers; or threads is less than 1. Nothing was written then.
        LimitError: a bound of a grammar was reached. The message names the first matcher that met it. Its row is as it was, and
            the rows of the others are written. If the bound was met while a canonical policy read tokens, the
            error comes at once and names no matcher.
        TypeError: matchers is a single matcher, or something in it is no matcher.
    """
    Batch(matchers, None).run(bitmask, indices, threads)


def fill_draft_bitmasks(matchers, drafts, bitmask, indices=None, *, threads=None) -> list:
    """For each matcher, write the masks along its drafted tokens and the mask after the last. This is
    `Matcher.fill_draft_bitmasks` on several threads. No matcher moves.

    Args:
        matchers: the matchers.
        drafts: for each matcher a list of token ids, which may be empty.
        bitmask: as for fill_bitmask.
        indices: the first row of each matcher. A matcher takes one row more than it has draft tokens. If not given, matchers
            take their rows one after another.
        threads: as for fill_bitmask.

    Returns:
        For each matcher, how many of its draft tokens are allowed.

    Raises:
        MatcherError: as for fill_bitmask, or there are more or fewer drafts than matchers.
        LimitError: as for fill_bitmask, but the first rows of the matcher that met the bound may have been written.
        TypeError: as for fill_bitmask.
    """
    cdef Batch batch = Batch(matchers, drafts)
    batch.run(bitmask, indices, threads)
    return [batch.jobs[i].result for i in range(batch.count)]


def before_fork():
    """Stop the threads before a fork. A process that forks should have one thread, and the pool's threads have nothing to
    do."""
    with nogil:
        pool_stop()


# (The pool's threads may wait for the locks of engines, so they end before a fork takes these locks. The hook that was registered
# last runs first. `core/forks.py::at_fork` would run it after that of engine.pyx.)
os.register_at_fork(before=before_fork)
