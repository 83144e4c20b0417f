"""Walks over the trie are avoided where the classes of another state nearly tell those of this one."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.budget.class_patch cimport Patch, patch_find, patch_free, patch_init
from ffgrammar.engine.budget.class_words cimport ClassWords, inside_step, words_of
from ffgrammar.engine.budget.counted_loop cimport with_longer_loop
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.base_state cimport base_state
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD


cdef class StateClasses:
    """The tokens that stay inside the lexeme of a state."""

    def __cinit__(self):
        vec_init(&self.states)
        vec_init(&self.starts)
        vec_init(&self.patched)
        vec_init(&self.exits)

    def __dealloc__(self):
        vec_free(&self.states)
        vec_free(&self.starts)
        vec_free(&self.patched)
        vec_free(&self.exits)

    cdef size_t size(self):
        return (self.states.cap + self.starts.cap + self.patched.cap + self.exits.cap) * sizeof(uint32_t)


cdef uint32_t state_after(Engine engine, uint32_t state, uint32_t token, uint32_t length) except? 0xFFFFFFFE:
    """The state after the first bytes of a token; DEAD if they do not stay inside the lexeme."""
    cdef uint32_t at = engine.trie.offsets[token]
    cdef uint32_t i
    cdef bint exits
    for i in range(at, at + length):
        engine.checked(inside_step(engine, state, engine.trie.blob[i], &state, &exits))
    return state


cdef int read_words(Engine engine, StateClasses made, uint32_t state) except -1:
    """Find the grammar's own states, and where the sets begin."""
    cdef const uint32_t* words = made.kept.words.data
    cdef list above = []
    cdef uint32_t i, target, token
    cdef size_t at = 2
    for _ in range(words[1]):
        above.append(state_after(engine, state, words[at], words[at + 1]))
        at += 2
    for i in range(words[at]):
        target = above[words[at + 2 + 2 * i]]
        if target != <uint32_t>DEAD and (
                vec_push(&made.exits, words[at + 1 + 2 * i]) < 0 or vec_push(&made.exits, target) < 0):
            raise MemoryError
    at += 1 + 2 * <size_t>words[at]
    while at < made.kept.words.len:
        token = words[at]
        target = state_after(engine, state, token, engine.trie.offsets[token + 1] - engine.trie.offsets[token])
        if target != <uint32_t>DEAD and (
                vec_push(&made.states, target) < 0 or vec_push(&made.starts, <uint32_t>(at + 1)) < 0):
            raise MemoryError
        at += 2 + <size_t>words[at + 1]
    return 0


cdef int merge_exits(StateClasses made, StateClasses base, const Patch* patch) except -1:
    """Write the exits of a base that are not dropped, and those of the patch, in the order of their nodes."""
    cdef size_t i = 0
    cdef size_t j = 0
    cdef size_t k = 0
    while i < base.exits.len or j < patch.exits.len:
        if j == patch.exits.len or i < base.exits.len and base.exits.data[i] < patch.exits.data[j]:
            while k < patch.dropped.len and patch.dropped.data[k] < base.exits.data[i]:
                k += 1
            if k == patch.dropped.len or patch.dropped.data[k] != base.exits.data[i]:
                if vec_extend(&made.exits, base.exits.data + i, 2) < 0:
                    raise MemoryError
            i += 2
        else:
            if vec_extend(&made.exits, patch.exits.data + j, 2) < 0:
                raise MemoryError
            j += 2
    return 0


cdef StateClasses patched_classes(StateClasses base, const Patch* patch):
    """The classes of a state that differs from its base at the tokens of a patch."""
    cdef StateClasses made = StateClasses()
    cdef dict slots = {}
    cdef uint32_t state
    cdef size_t i
    made.root = base.root
    made.kept = base.kept
    if vec_extend(&made.states, base.states.data, base.states.len) < 0:
        raise MemoryError
    if vec_extend(&made.starts, base.starts.data, base.starts.len) < 0:
        raise MemoryError
    for i in range(0, patch.tokens.len, 2):
        state = patch.tokens.data[i + 1]
        if state != <uint32_t>DEAD and state not in slots:
            slots[state] = made.states.len
            if vec_push(&made.states, state) < 0:
                raise MemoryError
        if vec_push(&made.patched, patch.tokens.data[i]) < 0 or vec_push(
                &made.patched, NO_CLASS if state == <uint32_t>DEAD else slots[state]) < 0:
            raise MemoryError
    merge_exits(made, base, patch)
    return made


cdef class ClassTable:
    """The classes of a grammar's lexer states."""

    def __cinit__(self):
        self.by_state = {}
        self.words = {}
        self.bytes = 0

    cdef void clear(self) noexcept:
        self.by_state.clear()
        self.words.clear()
        self.bytes = 0

    cdef StateClasses find(self, Engine engine, uint32_t state):
        cdef StateClasses made = self.by_state.get(state)
        if made is None:
            made = self.make(engine, state)
            self.by_state[state] = made
            self.bytes += made.size()
        return made

    cdef ClassWords kept_words(self, Engine engine, uint32_t state):
        cdef ClassWords found = self.words.get(state)
        if found is None:
            found = self.words[state] = words_of(engine, state)
            self.bytes += found.words.cap * sizeof(uint32_t)
        return found

    cdef StateClasses make(self, Engine engine, uint32_t state):
        cdef StateClasses made = StateClasses()
        cdef uint32_t other
        made.root = state
        engine.checked(with_longer_loop(&engine.recognizer.dfa, state, &other))
        if other != state:
            made.kept = self.kept_words(engine, other)
            if made.kept.words.data[0]:
                made.kept = None
        if made.kept is None:
            engine.checked(base_state(
                &engine.recognizer.dfa, state, &engine.masks.base_states, &engine.masks.reached, &other))
            if other != state:
                patched = self.patch(engine, state, other)
                if patched is not None:
                    return patched
            made.kept = self.kept_words(engine, state)
        read_words(engine, made, state)
        return made

    cdef StateClasses patch(self, Engine engine, uint32_t state, uint32_t base):
        cdef Patch patch
        cdef StateClasses found = self.find(engine, base)
        if found.patched.len:
            # (a key that must be none of some names and begins as one of them does has such a base)
            found = self.find(engine, found.root)
        patch_init(&patch)
        try:
            return patched_classes(found, &patch) if engine.checked(patch_find(engine, state, found.root, &patch)) else None
        finally:
            patch_free(&patch)
