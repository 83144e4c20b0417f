"""An `Engine` is a grammar at work on a vocabulary. It owns the recognizer and the masks that all matchers of the grammar share.

Caches only grow between trims. A matcher calls `trim` before it moves or makes a mask. If a budget is exceeded, everything that
can be computed again is dropped at once, and the generation goes up. A matcher that finds a newer generation than its own reads
its text again.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.freed_memory cimport memory_freed
from ffgrammar.core.intern cimport intern_count
from ffgrammar.core.map cimport map_count
from ffgrammar.core.pulse cimport allow_work, has_ended, pulse_begin, raise_kernel, this_thread
from ffgrammar.core.status cimport LIMIT_CACHE, OK, REENTERED
from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word, lock_free, lock_init, lock_leave, lock_take, lock_try
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.recognizer.recognizer cimport (
    recognizer_bytes, recognizer_clear, recognizer_first, recognizer_free, recognizer_init,
)
from ffgrammar.engine.masks.partition_cache cimport SharedPartitions, shared_partitions
from ffgrammar.engine.masks.tables cimport masks_bytes, masks_clear, masks_free, masks_init, masks_other_bytes
from ffgrammar.engine.parser.earley cimport earley_bytes
from ffgrammar.engine.values.trace cimport trace_bytes
from ffgrammar.engine.recognizer.completability cimport (
    completability_bytes, completability_clear, completability_free, completability_init, completable,
)
from ffgrammar.engine.recognizer.separator_search cimport separator_find
from ffgrammar.grammar.ir cimport Lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_bytes
from ffgrammar.regex.dfa.threads cimport Threads
from ffgrammar.regex.expr.nodes cimport VISITS_A_STEP, allow_visits, nodes_bytes, nodes_truncate

import threading
import weakref
from collections import Counter

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.forks import at_fork

# A child process has the memory of all threads, but only one thread. What another thread was writing would stay half-written,
# and locked, for ever. So os.fork() waits until no thread is at work.
engines = set()  # of weak references; not a WeakSet, because a plain set is copied in one step
# (a handler of a signal may run while a fork holds it)
registering = threading.RLock()
# For each fork under way, the engines that it has locked, the engines whose table of masks it has locked, and the tables of
# partitions. There is more than one fork only where the handler of a signal forks in the middle of one.
holds = []
# The thread that holds all locks for a fork, or 0. It may run handlers of signals, and these must not wait for its locks.
cdef uint64_t forking = 0


def hold_engines():
    """Before a fork, take the locks of all engines, and then those of all tables. The engines' locks are not enough: a look-up
    takes the lock of a table alone."""
    cdef Engine engine
    cdef SharedPartitions shared
    registering.acquire()
    held, held_tables, held_partitions = [], [], []
    holds.append((held, held_tables, held_partitions))
    if atomic_load_word(&forking) == this_thread():
        return
    for reference in engines.copy():
        engine = reference()
        if engine is None:
            continue
        # (where the handler of a signal forks in the middle of a call, its thread has the engine's lock, and goes on in the child)
        if engine.store.nodes.pulse.handling != this_thread():
            engine.acquire()
            held.append(engine)
        held_tables.append(engine)
    for engine in held_tables:
        with nogil:
            lock_take(&engine.masks.table.lock)
    for shared in {engine.shared for engine in held_tables}:
        with nogil:
            lock_take(&shared.table.lock)
        held_partitions.append(shared)
    atomic_put_word(&forking, this_thread())


def let_engines_go():
    """After the fork, in both processes, release the locks that hold_engines has taken."""
    cdef Engine engine
    cdef SharedPartitions shared
    held, held_tables, held_partitions = holds.pop()
    if not holds:
        atomic_put_word(&forking, 0)
    for shared in held_partitions:
        lock_leave(&shared.table.lock)
    for engine in held_tables:
        lock_leave(&engine.masks.table.lock)
    for engine in held:
        engine.release()
    registering.release()


at_fork(hold_engines, let_engines_go)

cdef size_t NEVER = <size_t>-1  # for `checked_at`, where nothing was checked yet

cdef enum:
    STATE_BYTES = 2048  # of a lexer state that is counted against `max_bytes`: its row, and as much for its expressions


cdef inline size_t with_slack(size_t bound, size_t needed) noexcept nogil:
    """A soft bound, raised if more than the bound was needed. It stays below the hard bound, which is twice the soft one."""
    if needed <= bound:
        return bound
    return min(needed + (bound >> 2), bound + (bound >> 1) + (bound >> 2))


cdef class EngineAttachment:
    """Base class of what engine/canonical and engine/budget keep with an engine."""


cdef class Engine:
    """Shared by the matchers of one grammar. Any number of threads may use it.

    Args:
        grammar: an `ir.GrammarIR`. No other engine may use its expression store.
        tokenizer: a `Tokenizer`.
        limits: a `Limits`. The caches are dropped and filled again when they exceed `cache_bytes`, `row_bytes` or `dfa_states`,
            or when derivatives are more than half of `expressions`. Masks are dropped when they exceed `mask_bytes`.

    Raises:
        GrammarError: the grammar matches nothing.
        LimitError: a bound was reached.
        MemoryError: there is no memory.
    """

    def __cinit__(self, grammar, tokenizer, limits):
        vec_init(&self.eos)
        self.has_lock = False
        self.limits = limits
        self.tokenizer = tokenizer
        self.trie = tokenizer.trie
        self.kind = grammar.kind
        self.outlined = grammar if grammar.outline else None
        self.leaf_engines = {}
        self.lexemes = grammar.lexemes
        self.names = grammar.names
        self.rule_names = grammar.names[:grammar.rules]
        self.rule_notes = grammar.notes if grammar.rules else ()
        self.store = grammar.store
        self.tables = RuleTables(grammar)
        if lock_init(&self.lock) < 0:
            raise MemoryError
        self.has_lock = True
        self.checked(recognizer_init(&self.recognizer, &self.store.nodes, &self.tables.rules, grammar.single_skip))
        self.note_lexing(grammar.lexemes, grammar.apart)
        for token in tokenizer.eos_token_ids:
            if vec_push(&self.eos, token) < 0:
                raise MemoryError
        self.bind_vocabulary()
        self.shared = shared_partitions(tokenizer)
        self.masks.partitions = &self.shared.table
        self.masks.pool = &self.shared.pool
        self.masks.max_bytes = min(limits.mask_bytes, 8 << 30)
        self.masks.max_work = min(limits.mask_work, 1 << 60)
        self.checked(masks_init(&self.masks))
        self.checked(completability_init(
            &self.completability, &self.recognizer, not grammar.delimited, grammar.correct_prefix))
        self.set_bounds()
        self.generation = 0
        self.needed_bytes = self.needed_states = self.needed_exprs = self.needed_row_bytes = 0
        self.fixed_bytes = self.cached_bytes()
        self.base_exprs = intern_count(&self.store.nodes.tuples)
        self.counted = 0
        self.counted_at = NEVER
        try:
            self.begin_text()
        except LimitError as error:
            error.locate("at the beginning of the text")
            raise
        # Compiling ends here. What follows has bounds of its own.
        allow_work(&self.store.nodes.pulse, 0, OK)
        self.recognizer.dfa.max_states = self.max_read_states
        with registering:
            engines.add(weakref.ref(self, engines.discard))

    cdef int begin_text(self) except -1:
        """Find the configuration of the empty text, and see that some text is a sentence."""
        cdef int status
        if self.completability.enabled and not self.completability.assured:
            # (after the bounds are set, which the search keeps to; what it makes is dropped with the caches)
            with nogil:
                status = separator_find(&self.completability.separator, &self.recognizer)
            self.checked(status)
        self.checked(recognizer_first(&self.recognizer, &self.first))
        self.ready = True
        self.checked_at[0] = self.checked_at[1] = NEVER
        if not self.checked(completable(&self.completability, &self.recognizer, &self.first)):
            raise GrammarError("the grammar matches nothing: under longest match its lexemes swallow what must follow them")
        return 0

    cdef int note_lexing(self, tuple lexemes, bint apart) except -1:
        """Tell the automaton how lexemes end. `apart` is as in a `GrammarIR`."""
        cdef Threads* threads = &self.recognizer.dfa.threads
        cdef uint32_t first = 0
        cdef uint32_t number = 0
        cdef bint several = False
        cdef Lexeme lexeme
        for lexeme in lexemes:
            self.recognizer.dfa.lazy.data[number] = lexeme.lazy
            if vec_push(&threads.groups, lexeme.group) < 0 or vec_push(&threads.anywhere, lexeme.anywhere) < 0:
                raise MemoryError
            if number == 0:
                first = threads.groups.data[0]
            several |= threads.groups.data[number] != first
            threads.present |= not apart and (lexeme.anywhere or several)
            number += 1
        threads.lexemes = number
        if vec_fill(&threads.alone, number, 0) < 0:
            raise MemoryError
        if several or number == 1:
            sizes = Counter([lexeme.group for lexeme in lexemes])
            for number, lexeme in enumerate(lexemes):
                threads.alone.data[number] = sizes[lexeme.group] == 1
        return 0

    cdef void bind_vocabulary(self) noexcept:
        self.masks.vocab.nodes = self.trie.nodes
        self.masks.vocab.heights = self.trie.heights
        self.masks.vocab.roots = self.trie.roots
        self.masks.vocab.max_depth = self.trie.max_depth
        self.masks.vocab.node_count = self.trie.node_count
        self.masks.vocab.n_words = self.trie.n_words
        self.masks.vocab.alias_count = self.trie.alias_count
        self.masks.vocab.alias_of = self.trie.alias_of
        self.masks.vocab.alias_id = self.trie.alias_id
        self.masks.vocab.long_count = self.trie.long_count
        self.masks.vocab.long_list = self.trie.long_list
        self.masks.vocab.blob = self.trie.blob
        self.masks.vocab.offsets = self.trie.offsets
        self.masks.vocab.eos = self.eos.data
        self.masks.vocab.eos_count = <uint32_t>self.eos.len
        self.masks.completability = &self.completability

    cdef int set_bounds(self) except -1:
        # Soft bounds are checked between calls, when everything can be dropped. The kernels have hard bounds, so that a single
        # call is bounded, too. A hard bound is twice the soft one, but that of rows is twice `max_bytes`. No bound is higher than
        # what 32-bit offsets into the tables can address. In one search for a completion, the rows may grow by a quarter of it.
        self.max_bytes = min(self.limits.cache_bytes, 4 << 30)
        self.max_states = min(self.limits.dfa_states, 1 << 22)
        self.max_exprs = min(self.limits.expressions // 2, 1 << 30)
        # While a mask is made, the automaton may get twice `max_states` more states. To read a byte adds one state at most, so
        # there the bound is what `max_bytes` has room for: a text that never comes back to a state is read, too.
        self.recognizer.dfa.max_states = self.masks.max_new_states = 2 * self.max_states
        self.max_read_states = max(2 * self.max_states, min(self.max_bytes // STATE_BYTES, 1 << 22))
        self.masks.max_states = self.max_read_states
        self.max_row_bytes = min(self.limits.row_bytes, 4 << 30)
        self.recognizer.rows.max_items = min(self.limits.row_items, 0xFFFFFFF)
        self.recognizer.rows.max_words = self.recognizer.trace.max_words = self.max_bytes // 2
        self.store.nodes.max_words = self.store.nodes.tuples.words.len + max(self.max_bytes // 2, 1 << 16)
        self.store.nodes.words_limit = LIMIT_CACHE
        self.completability.max_bytes = self.max_bytes // 4
        self.completability.max_search = min(self.limits.emptiness_steps, 0xFFFFFFF0)
        self.seconds = self.limits.seconds
        self.max_visits = <uint64_t>self.completability.max_search * VISITS_A_STEP
        return 0

    def __dealloc__(self):
        # (the tables and the store may be freed by now, so only the engine's own structs are counted)
        cdef size_t count = dfa_bytes(&self.recognizer.dfa) + earley_bytes(&self.recognizer.rows)
        if self.has_lock:
            lock_free(&self.lock)
        recognizer_free(&self.recognizer)
        completability_free(&self.completability)
        masks_free(&self.masks)
        vec_free(&self.eos)
        memory_freed(count)

    cdef int checked(self, int status) except -1:
        if status < 0 or has_ended(&self.store.nodes.pulse):
            raise_kernel(status, &self.store.nodes.pulse, self.limits)
        return status

    cdef int acquire(self) except -1:
        # A thread that waits must not hold the GIL: the holder of the lock may need it.
        cdef int status
        if atomic_load_word(&forking) or not lock_try(&self.lock):
            with nogil:
                status = self.wait_for_lock()
            if status < 0:
                raise_kernel(status, &self.store.nodes.pulse, self.limits)
        self.begin_call()
        return 0

    cdef int acquire_nogil(self) noexcept nogil:
        cdef int status = self.wait_for_lock()
        if status >= 0:
            self.begin_call()
        return status

    cdef int wait_for_lock(self) noexcept nogil:
        """Take the lock. Returns OK, or REENTERED if this thread runs the handler of a signal in the middle of a call that has
        the lock, or in the middle of a fork."""
        cdef unsigned long thread = this_thread()
        if thread == self.store.nodes.pulse.handling or thread == atomic_load_word(&forking):
            return REENTERED
        lock_take(&self.lock)
        return OK

    cdef bint try_acquire(self) noexcept nogil:
        if atomic_load_word(&forking) or not lock_try(&self.lock):
            return False
        self.begin_call()
        return True

    cdef void begin_call(self) noexcept nogil:
        allow_visits(self.recognizer.nodes, self.max_visits)
        pulse_begin(&self.recognizer.nodes.pulse, self.seconds)

    cdef void release(self) noexcept nogil:
        lock_leave(&self.lock)

    cdef bint is_eos(self, uint32_t token) noexcept nogil:
        cdef size_t i
        for i in range(self.eos.len):
            if self.eos.data[i] == token:
                return True
        return False

    cdef size_t cached_bytes(self) noexcept nogil:
        # expressions are counted by the words in use, because their table keeps its memory when derivatives are dropped
        return (recognizer_bytes(&self.recognizer) + masks_other_bytes(&self.masks) + completability_bytes(&self.completability)
                + self.store.nodes.tuples.words.len * sizeof(uint32_t))

    cdef size_t all_bytes(self) noexcept nogil:
        return (recognizer_bytes(&self.recognizer) + masks_bytes(&self.masks) + masks_other_bytes(&self.masks)
                + completability_bytes(&self.completability) + nodes_bytes(&self.store.nodes))

    cdef int trim(self, bint reread) noexcept nogil:
        """If reading one text alone exceeds a bound, every step would drop the caches. So after a text has been read again, the
        caches may grow somewhat beyond the bound before they are dropped the next time."""
        # Most steps learn nothing. Then the result of the last check still holds.
        # (Counting the bytes takes 70 ns. A step with its mask takes some 600 ns.)
        cdef size_t learned = self.learned()
        if learned == self.checked_at[reread]:
            return OK
        if self.ready and self.is_within_bounds(reread):
            self.checked_at[reread] = learned
            return OK
        return self.drop_caches()

    cdef size_t learned(self) noexcept nogil:
        return (intern_count(&self.recognizer.dfa.states) + map_count(&self.recognizer.rows.scans)
                + self.recognizer.trace.rows.len + self.store.nodes.tuples.words.len
                + map_count(&self.completability.known) + self.masks.misses)

    cdef bint is_within_bounds(self, bint reread) noexcept nogil:
        cdef size_t states = intern_count(&self.recognizer.dfa.states)
        cdef size_t exprs = intern_count(&self.store.nodes.tuples) - self.base_exprs
        return (self.cached_bytes() - self.fixed_bytes <= with_slack(self.max_bytes, self.needed_bytes if reread else 0)
                and earley_bytes(&self.recognizer.rows) <= with_slack(
                    self.max_row_bytes, self.needed_row_bytes if reread else 0)
                and states <= self.states_with_slack(self.needed_states if reread else 0)
                and exprs <= with_slack(self.max_exprs, self.needed_exprs if reread else 0))

    cdef size_t states_with_slack(self, size_t needed) noexcept nogil:
        """`with_slack` for lexer states. It grows with what was needed, and reaches the hard bound: a text is not read again and
        again."""
        return self.max_states if needed <= self.max_states else min(needed + needed // 4, self.max_read_states)

    cdef int drop_caches(self) noexcept nogil:
        cdef int status
        self.checked_at[0] = self.checked_at[1] = NEVER
        self.needed_bytes = self.needed_states = self.needed_exprs = self.needed_row_bytes = 0
        self.ready = False
        self.generation += 1
        masks_clear(&self.masks, self.generation)
        completability_clear(&self.completability)
        status = recognizer_clear(&self.recognizer)
        nodes_truncate(&self.store.nodes, self.base_exprs)
        if status < 0:
            return status
        # empty tables keep some memory: if it counted, the caches would be dropped at every call under a small budget
        self.fixed_bytes = self.cached_bytes()
        status = recognizer_first(&self.recognizer, &self.first)
        self.ready = status >= 0
        return status

    cdef void note_needed(self) noexcept nogil:
        self.needed_bytes = self.cached_bytes() - self.fixed_bytes
        self.needed_states = intern_count(&self.recognizer.dfa.states)
        self.needed_exprs = intern_count(&self.store.nodes.tuples) - self.base_exprs
        self.needed_row_bytes = earley_bytes(&self.recognizer.rows)

    def paused(self, call):
        """Call a function while no matcher moves, and return what it returns.

        Matchers add expressions to the store without the GIL. So code outside the engine must read the store in such a call.

        Args:
            call: takes no arguments, and must not use a matcher of this engine.
        """
        self.acquire()
        try:
            return call()
        finally:
            self.release()

    def held_bytes(self) -> int:
        """How many bytes the engine takes: `bytes` of `stats`, as it was counted last if another thread is at work with the
        engine, or if nothing was learned since then."""
        cdef size_t learned
        if self.try_acquire():
            learned = self.learned()
            if learned != self.counted_at:
                self.counted = self.all_bytes()
                self.counted_at = learned
            self.release()
        return self.counted

    def stats(self) -> dict:
        """Counts and bytes of what is held now, and the budgets beside them.

        Keys that end in `drops` say how often a budget was exceeded. Keys with `partition` are about
        what the tokenizer keeps for all grammars. `nodes_walked` counts nodes of the vocabulary trie.
        """
        return self.paused(self.counts)

    def counts(self) -> dict:
        """`stats` for a caller that holds the lock."""
        return {
            "productions": len(self.tables),
            "lexemes": self.tables.rules.exprs.len,
            "expressions": len(self.store),
            "lexer_states": intern_count(&self.recognizer.dfa.states),
            "lexer_states_limit": self.max_states,
            "lexer_state_bytes": dfa_bytes(&self.recognizer.dfa),
            "rows": intern_count(&self.recognizer.rows.kernels),
            "row_bytes": earley_bytes(&self.recognizer.rows),
            "row_bytes_limit": self.max_row_bytes,
            "tape_bytes": trace_bytes(&self.recognizer.trace),
            "cache_bytes": self.cached_bytes(),
            "cache_bytes_limit": self.max_bytes,
            "cache_drops": self.generation,
            "masks": self.masks.table.len,
            "mask_hits": self.masks.table.hits + self.masks.recent_hits,
            "mask_misses": self.masks.misses,
            "mask_bytes": masks_bytes(&self.masks),
            "mask_bytes_limit": self.masks.max_bytes,
            "mask_drops": self.masks.drops,
            "nodes_walked": self.masks.visited,
            **self.shared.stats(),
            "bytes": self.all_bytes(),
        }
