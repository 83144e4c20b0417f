"""The owner of what all matchers of a grammar share: tables, caches, budgets, and the lock."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.threads cimport Lock
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.masks.partition_cache cimport SharedPartitions
from ffgrammar.engine.masks.tables cimport Masks
from ffgrammar.engine.parser.lowering cimport RuleTables
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.regex.expr.store cimport ExprStore
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef class EngineAttachment:
    # Base class of what engine/canonical and engine/budget keep with an engine, for all matchers of the grammar. It gives the
    # slots `Engine.canonical` and `Engine.token_costs` a type, so that this file need not import those rooms.
    pass


cdef class Engine:
    cdef Recognizer recognizer
    cdef Completability completability
    cdef Masks masks
    cdef Config first             # the configuration of the empty text
    cdef bint ready               # False if the last drop of the caches failed half-way: they must be dropped again
    cdef uint32_t generation      # how often the caches were dropped; row and state numbers are valid in one generation only
    cdef uint32_t base_exprs      # expressions from this number on are dropped with the caches: derivatives, for example
    # Soft bounds (`max_...`). The field after a bound (`needed_...`) says how much was held when a matcher last finished reading
    # its text again. If that is more than the bound, `with_slack` (engine.pyx) raises the bound for texts that were read in this
    # generation.
    cdef size_t max_bytes
    cdef double seconds       # `Limits.seconds`
    cdef uint64_t max_visits  # of expressions in the searches of one call
    cdef size_t needed_bytes
    cdef size_t max_row_bytes
    cdef size_t needed_row_bytes
    cdef uint32_t max_states
    cdef uint32_t max_read_states  # the hard bound while texts are read
    cdef size_t needed_states
    cdef uint32_t max_exprs
    cdef size_t needed_exprs
    cdef size_t fixed_bytes       # how many bytes are held when the caches are empty
    # Per value of `reread` (see `trim`): what `learned` returned when `trim` last found the caches within their bounds.
    cdef size_t[2] checked_at
    # How many bytes the engine took when they were counted last, and what `learned` was then.
    cdef size_t counted
    cdef size_t counted_at
    cdef Lock lock
    cdef bint has_lock
    cdef Vec eos                  # the ids of the end-of-text tokens
    cdef SharedPartitions shared  # the partition table of the tokenizer, for all grammars on it
    cdef readonly RuleTables tables
    cdef readonly ExprStore store
    cdef readonly object tokenizer
    cdef readonly TokenTrie trie
    cdef readonly object limits
    cdef readonly str kind          # of the grammar, as `Grammar.kind`
    cdef readonly object outlined   # the grammar, if it has an outline (ir.PartNode); else None
    cdef readonly dict leaf_engines  # of a grammar with an outline: by symbol, the engine of what it derives, once it was needed
    cdef readonly tuple rule_notes  # what is to be known of these rules beside their texts: RuleNotes
    cdef readonly tuple lexemes     # of the grammar (ir.Lexeme), for explanations
    cdef readonly tuple names       # of its nonterminals
    cdef readonly tuple rule_names  # of the nonterminals that are rules of the source: nonterminal n is rule_names[n]
    cdef EngineAttachment canonical  # None until the tokenizer's rules are needed (canonical/caches.pxd)
    cdef EngineAttachment token_costs  # None until a budget is asked for (budget/token_costs.pxd)
    cdef object __weakref__

    # Parts of the constructor: tell the automaton how lexemes end (`apart` is as in a `GrammarIR`), point the masks to the
    # vocabulary's arrays, take over the limits, and find the configuration of the empty text. Those with a value return 0.
    cdef int note_lexing(self, tuple lexemes, bint apart) except -1
    cdef void bind_vocabulary(self) noexcept
    cdef int set_bounds(self) except -1
    cdef int begin_text(self) except -1

    # Take the lock. Call this with the GIL, which is released while the call waits. Returns 0.
    cdef int acquire(self) except -1

    # Take the lock. Call this without the GIL.
    cdef int acquire_nogil(self) noexcept nogil
    cdef int wait_for_lock(self) noexcept nogil

    # Take the lock if it is free. Returns whether it was, and never waits.
    cdef bint try_acquire(self) noexcept nogil

    # Begin to count what the searches of one call cost. The three methods above call it.
    cdef void begin_call(self) noexcept nogil

    # Give the lock back.
    cdef void release(self) noexcept nogil

    # The methods below run with the lock held, except for `is_eos` and `checked`, which need no lock.

    # The bytes in all caches that `max_bytes` bounds together, and those of the whole engine.
    cdef size_t cached_bytes(self) noexcept nogil
    cdef size_t all_bytes(self) noexcept nogil

    # Drop the caches if they are over a bound. If they are dropped, the generation goes up. `reread` says whether the caller's
    # text was read in this generation. If it was, the bounds are higher, because dropping would cost another reading of the
    # text. Returns a status.
    cdef int trim(self, bint reread) noexcept nogil

    # A number that changes when the caches learn something.
    cdef size_t learned(self) noexcept nogil

    # Whether the caches are within all bounds; `reread` is as in `trim`.
    cdef bint is_within_bounds(self, bint reread) noexcept nogil
    cdef size_t states_with_slack(self, size_t needed) noexcept nogil

    # Drop the caches. Returns a status.
    cdef int drop_caches(self) noexcept nogil

    # Note how much is held, after a matcher has read its text again.
    cdef void note_needed(self) noexcept nogil

    # Whether a token ends a text.
    cdef bint is_eos(self, uint32_t token) noexcept nogil

    # Return `status` if it is no failure. Otherwise raise the error that it stands for.
    cdef int checked(self, int status) except -1
