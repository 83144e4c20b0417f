"""Searches ask again and again which bytes may come next at a place. So this is kept for the places asked about last. Most bytes
are dead or stay inside the lexeme, which the automaton's table says of 32 bytes at a time.
"""

cimport cython
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, lowest_bit
from ffgrammar.core.compare cimport bits_low, bits_unlike
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport OK
from ffgrammar.engine.canonical.pending_prefix cimport PENDING, prefix_accepting, prefix_step, step_work
from ffgrammar.engine.recognizer.recognizer cimport lasting_row, recognizer_end_lexeme
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, dfa_accept, dfa_step

cdef enum:
    BYTES_WORK = 64  # units of work (pulse.pxd) of finding the bytes that may come


@cython.final
cdef class SearchSteps:
    """The steps of a grammar's searches."""

    def __cinit__(self):
        self.forget()

    cdef void forget(self) noexcept nogil:
        cdef uint32_t i
        for i in range(KEPT_BYTES):
            self.kept[i].config.row = PENDING

    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil:
        cdef int status = pulse(&engine.recognizer.nodes.pulse, step_work(config))
        return prefix_step(engine, &self.pending, config, byte, &self.dependent_answers) if status >= 0 else status

    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil:
        return prefix_accepting(engine, config, &self.dependent_answers)

    cdef int find_next_bytes(self, Engine engine, const Config* config, uint32_t* bytes) noexcept nogil:
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef NextBytes* kept = &self.kept[(row ^ config.state >> 8) % KEPT_BYTES]
        cdef TraceMark mark
        cdef bint asks = not config.row & VIRTUAL
        cdef bint asks_all = asks and engine.completability.enabled
        cdef Config moved
        cdef Config after
        cdef const uint32_t* delta
        cdef uint32_t[8] live
        cdef uint32_t byte, target, word
        cdef bint ended = False
        cdef bint looked = False
        cdef int status = 0
        if kept.config.row == row and kept.config.state == config.state:
            memcpy(bytes, kept.bytes, sizeof(kept.bytes))
            return OK
        status = pulse(&engine.recognizer.nodes.pulse, BYTES_WORK)
        if status < 0:
            return status
        mark = trace_mark(&engine.recognizer.trace)
        # (no configuration here has this row, so the entry is not found if this function fails half-way)
        kept.config.row = PENDING
        delta = engine.recognizer.dfa.delta.data + config.state
        for word in range(8):
            # (most bytes are dead, or stay inside the lexeme)
            kept.bytes[word] = 0 if asks_all else bits_low(delta + 32 * word)
            live[word] = bits_unlike(delta + 32 * word, DEAD) & ~kept.bytes[word]
        word = 0
        while word < 8:
            if not live[word]:
                word += 1
                continue
            byte = word << 5 | lowest_bit(live[word])
            live[word] &= live[word] - 1
            status = dfa_step(&engine.recognizer.dfa, config.state, byte, &target)
            if status >= 0 and target == LEAVE and not asks_all:
                # the lexeme ends before any byte whose target is LEAVE, so it is ended once for all such bytes
                if not ended:
                    ended = True
                    status = recognizer_end_lexeme(
                        &engine.recognizer, config.row, dfa_accept(&engine.recognizer.dfa, config.state), &after, &looked)
                    after.row = after.row if status > 0 else PENDING
                    trace_release(&engine.recognizer.trace, &mark)
                    if not looked:
                        self.drop_dead(engine, config, &after, live)
                if status >= 0 and not looked:
                    if after.row == PENDING:
                        continue
                    status = dfa_step(&engine.recognizer.dfa, after.state, byte, &target)
            if status < 0:
                return status
            if target == DEAD:
                continue
            if asks_all or (asks and target > LAST_STATE):
                moved = config[0]
                status = self.step(engine, &moved, byte)
                if status < 0:
                    return status
                if status == 0:
                    continue
            bit_set(kept.bytes, byte)
        kept.config.row = row
        kept.config.state = config.state
        memcpy(bytes, kept.bytes, sizeof(kept.bytes))
        return OK

    cdef void drop_dead(self, Engine engine, const Config* config, const Config* after, uint32_t* live) noexcept nogil:
        cdef const uint32_t* delta = engine.recognizer.dfa.delta.data
        cdef uint32_t word, dead
        for word in range(8):
            if live[word]:
                dead = ~bits_unlike(delta + config.state + 32 * word, LEAVE)
                if after.row != PENDING:
                    dead &= ~bits_unlike(delta + after.state + 32 * word, DEAD)
                live[word] &= ~dead
