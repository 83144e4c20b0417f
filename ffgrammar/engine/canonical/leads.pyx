"""The grammar's own mask needs a walk over the tokens that leave the lexeme. This walk says where each of them leads
(masks_explain in engine/masks/compute.pxd). If the mask is known already and has few tokens, there is no such walk: the
tokens are followed one by one, and all of them get leads. Often many tokens lead to one configuration. So each
configuration gets a number, and reach.pxd is asked about it once. A token of the trie without a lead stays inside the lexeme.

On a virtual row, a lead holds for each text with the same row of the parser. So it says too little of a virtual row that it
leads to. There the bytes of the token are stepped through from the place.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcmp

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test
from ffgrammar.core.map cimport ABSENT, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.masks.compute cimport NO_BASE, masks_explain, masks_find, masks_know
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_release, mask_unpack
from ffgrammar.engine.masks.open_state cimport open_state
from ffgrammar.engine.masks.trie_walk cimport LEAD_WORDS, note_lead
from ffgrammar.engine.recognizer.recognizer cimport config_key
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step

cdef enum:
    # If the plain mask is known and has at most this many tokens, they are followed one by one. (With 48, canonical masks along
    # compact documents take 1.01 times the time.)
    FEW = 256


@cython.final
cdef class Leads:
    """Where the tokens lead from one place of a grammar.

    Args:
        lookahead: the grammar's look-ahead.
        reach: the grammar's `Reach`.
    """

    def __cinit__(self, Lookahead lookahead not None, Reach reach not None):
        self.lookahead = lookahead
        self.rules = lookahead.rules
        self.trie = lookahead.rules.trie
        self.reach = reach
        vec_init(&self.numbers)
        vec_init(&self.configs)
        vec_init(&self.ends)
        vec_init(&self.explained)
        if map_init(&self.number_of) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.number_of)
        vec_free(&self.numbers)
        vec_free(&self.configs)
        vec_free(&self.ends)
        vec_free(&self.explained)

    cdef void enter(self, Room room) noexcept:
        self.room = room
        if room.user != <size_t><void*>self or room.number != self.room_number:
            # (another grammar has used this room, or this grammar has used another room)
            self.has_place = self.is_explained = False
            room.user = <size_t><void*>self
            self.room_number = room.number

    cdef int make_mask(self, Engine engine, const Config* config) noexcept nogil:
        cdef int status
        if config.row & VIRTUAL or masks_know(&engine.masks, &engine.recognizer, config):
            return OK
        status = self.explain(engine, config)
        self.is_explained = status >= 0
        return status

    cdef int explain(self, Engine engine, const Config* config) noexcept nogil:
        cdef bint looked = False
        cdef int status
        self.has_place = False
        status = masks_explain(&engine.masks, &engine.recognizer, config, &self.explained, &self.start, &self.base, &looked)
        self.lookahead.steps.dependent_answers += looked
        self.place = config[0]
        return self.find_open(engine) if status >= 0 else status

    cdef int find_open(self, Engine engine) noexcept nogil:
        cdef uint32_t found
        cdef int status = OK
        self.has_open_base = False
        if self.base != <uint32_t>NO_BASE and self.has_base():
            status = open_state(&engine.recognizer.dfa, self.start.state, &engine.masks.reached, &found)
            self.has_open_base = status >= 0 and found == self.base
        return status

    cdef int look_at(self, Engine engine, const Config* config) noexcept nogil:
        cdef StoredMask* mask
        cdef bint looked = False
        cdef bint is_place = self.place.row == config.row and self.place.state == config.state
        cdef bint is_explained = self.is_explained and is_place
        cdef int status = OK
        if self.has_place and is_place:
            return OK
        self.is_explained = False
        if not is_explained and not self.is_text_free(engine, config):
            status = self.explain(engine, config)
            is_explained = True
        if status >= 0:
            status = masks_find(&engine.masks, &engine.recognizer, config, &mask, &looked)
        if status < 0:
            return status
        if not is_explained:
            # (a dense mask has the count DENSE, a large number)
            status = self.follow_tokens(engine, config, mask) if mask.count <= FEW else self.explain(engine, config)
        if config.row & VIRTUAL and self.base != <uint32_t>NO_BASE:
            # (steps are taken from the place itself)
            self.forget_base()
        mask_unpack(mask, self.trie.n_words, self.room.plain.data, self.trie.n_words)
        mask_release(mask)
        if status >= 0:
            status = self.sort_leads(engine)
        self.has_place = status >= 0
        return status

    cdef bint is_text_free(self, Engine engine, const Config* config) noexcept nogil:
        return not (config.row & VIRTUAL or engine.recognizer.rules.has_checks or engine.completability.enabled)

    cdef int follow_tokens(self, Engine engine, const Config* config, const StoredMask* mask) noexcept nogil:
        cdef const uint8_t* blob = self.trie.blob
        # Of the last token that has a lead: where its bytes begin, how many there are, and where they lead. Before there is one,
        # these are no bytes, which lead to the place itself.
        cdef uint32_t last_start = 0
        cdef uint32_t last_size = 0
        cdef Config last_reached = config[0]
        cdef Config reached
        cdef uint32_t i, token, start, at, end, target
        cdef int status
        self.has_place = self.has_open_base = False
        self.place = self.start = config[0]
        self.base = NO_BASE
        self.explained.len = 0
        for i in range(mask.count):
            token = mask.words[i]
            at = start = self.trie.offsets[token]
            end = self.trie.offsets[token + 1]
            reached = config[0]
            if last_size < end - start and memcmp(blob + last_start, blob + start, last_size) == 0:
                # (Runs of blanks often have ids in a row. On Gemma 2, canonical masks take 0.98 of the time with this. A token with
                # the same bytes is followed anew, because the loop must take a step.)
                reached = last_reached
                at += last_size
            # (a token without bytes leads nowhere)
            status = 0
            while at < end:
                status = dfa_step(&engine.recognizer.dfa, reached.state, blob[at], &target)
                if status < 0:
                    break
                if target <= LAST_STATE:
                    # (Most steps stay inside a lexeme, and their row is not virtual. This function takes 0.82 of the time so.)
                    reached.state = target
                    status = 1
                else:
                    status = self.lookahead.steps.step(engine, &reached, blob[at])
                    if status <= 0:
                        break
                at += 1
            if status > 0:
                last_start = start
                last_size = end - start
                last_reached = reached
                status = note_lead(&self.explained, token, reached.row, reached.state)
            if status < 0:
                return status
        return OK

    cdef int sort_leads(self, Engine engine) noexcept nogil:
        cdef const uint32_t* lead
        cdef size_t at = self.explained.len
        cdef uint32_t token, i
        cdef uint32_t number = ABSENT
        cdef Config config
        cdef int status
        config.row = config.state = PENDING  # (no lead has this)
        for i in range(<uint32_t>self.room.tokens.len):
            bit_clear(self.room.has_lead.data, self.room.tokens.data[i])
        self.room.tokens.len = self.numbers.len = self.configs.len = self.ends.len = 0
        map_clear(&self.number_of)
        # (of several leads of a token, the last one holds)
        while at:
            at -= LEAD_WORDS
            lead = self.explained.data + at
            token = lead[0]
            if token == self.trie.pad_token or self.has_lead(token) or not bit_test(self.room.plain.data, token):
                continue
            if config.row != lead[1] or config.state != lead[2]:
                config.row = lead[1]
                config.state = lead[2]
                number = map_get(&self.number_of, config_key(&config))
            if number == ABSENT:
                number = <uint32_t>(self.configs.len >> 1)
                status = self.add_config(engine, &config, token)
                if status < 0:
                    return status
                if status == 0:
                    # (this configuration gets a number for each token that leads to it)
                    config.row = PENDING
            if vec_push(&self.numbers, number) < 0 or vec_push(&self.room.tokens, token) < 0:
                return NO_MEMORY
            bit_set(self.room.has_lead.data, token)
        return OK

    cdef int add_config(self, Engine engine, const Config* config, uint32_t token) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint32_t number = <uint32_t>(self.configs.len >> 1)
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef Config reached
        cdef int status
        if (vec_fill(&self.ends, words, 0) < 0 or vec_push(&self.configs, config.row) < 0
                or vec_push(&self.configs, config.state) < 0):
            return NO_MEMORY
        status = self.follow_lead(engine, number, token, &reached)
        if status >= 0:
            status = self.reach.ends_after(
                engine, &reached, self.ends.data + number * words, &self.lookahead.steps.dependent_answers)
        trace_release(&engine.recognizer.trace, &mark)
        if status < 0 or self.lookahead.steps.is_text_dependent(config, answers):
            return min(status, OK)
        return NO_MEMORY if map_put(&self.number_of, config_key(config), number) < 0 else 1

    cdef void forget_text(self) noexcept nogil:
        self.has_place = self.has_place and not self.place.row & VIRTUAL

    cdef void forget_base(self) noexcept nogil:
        self.base = self.start.state
        self.has_open_base = False

    cdef int follow_lead(self, Engine engine, uint32_t number, uint32_t token, Config* config) noexcept nogil:
        cdef uint32_t start = self.trie.offsets[token]
        config.row = self.configs.data[2 * number]
        config.state = self.configs.data[2 * number + 1]
        if not config.row & VIRTUAL:
            return 1
        return self.take_steps(engine, self.trie.blob + start, self.trie.offsets[token + 1] - start, config)

    cdef int follow_inside(self, Engine engine, uint32_t state, uint32_t token, Config* config) noexcept nogil:
        cdef uint32_t start = self.trie.offsets[token]
        return self.follow_bytes(engine, state, self.trie.blob + start, self.trie.offsets[token + 1] - start, config)

    cdef int follow_bytes(
        self, Engine engine, uint32_t state, const uint8_t* bytes, uint32_t count, Config* config
    ) noexcept nogil:
        cdef uint32_t i
        cdef int status
        if self.start.row & VIRTUAL:
            return self.take_steps(engine, bytes, count, config)
        config.row = self.start.row
        config.state = state
        for i in range(count):
            status = dfa_step(&engine.recognizer.dfa, config.state, bytes[i], &config.state)
            if status < 0 or config.state > LAST_STATE:
                return min(status, OK)
        return 1

    cdef int take_steps(self, Engine engine, const uint8_t* bytes, uint32_t count, Config* config) noexcept nogil:
        cdef uint32_t i
        cdef int status
        config[0] = self.place
        for i in range(count):
            status = self.lookahead.steps.step(engine, config, bytes[i])
            if status <= 0:
                return status
        return 1
