"""Dead ends: tokens that both the grammar and the rules let come, and after which no sentence goes on. There are few. Where only
`order` can come, `orde` is one: the merges never leave `orde` beside a token that begins with r.

A token is no dead end if the pre-token can end after it. Whether it can depends on the token's outcome, which is the set of
hypotheses after it, and on the configuration after it. Most tokens stay inside a lexeme (inside.pyx). The other tokens leave the
lexeme, and it is known where they lead (leads.pyx). If it does not turn out that the pre-token can end after a token, this token is
judged by itself (single_tokens.pyx). None of this is needed where few texts can end the pre-token (few_texts.pyx).

The dead ends of a configuration, a hypothesis and a way are listed once and kept.
"""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_init
from ffgrammar.core.prefetch cimport prefetch
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.doubts cimport DEAD_END, Doubts
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.inside cimport IN_PARTS, inside_tokens
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.outlines cimport NOT_KNOWN
from ffgrammar.engine.canonical.single_tokens cimport SingleTokens
from ffgrammar.engine.masks.compute cimport NO_BASE, masks_find
from ffgrammar.engine.masks.mask_cache cimport DENSE, StoredMask, mask_release
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.tokens.canonical.endings cimport WAY_ON, last_byte
from ffgrammar.tokens.canonical.rules cimport NO_NODE, UNCONSTRAINED, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport BEGINS, ENDS, GOES_ON, IS_CUT, Transition
from ffgrammar.tokens.vocabulary.trie cimport node_token

cdef enum:
    # how many tokens ahead their outcomes are brought into the processor's cache
    AHEAD = 16
    # in `verdicts`
    NOT_ASKED = 0xFFFFFFFF
    PLACE = 2  # from here on: the pre-token cannot end, and PLACE was added to the number of a place of Routes


cdef inline bint is_place(uint32_t verdict) noexcept nogil:
    return verdict >= <uint32_t>PLACE and verdict != <uint32_t>NOT_ASKED


@cython.final
cdef class DeadEnds:
    """The dead ends of a grammar.

    Args:
        parts: the masks that are made from parts.
    """

    def __cinit__(self, MaskParts parts not None):
        self.parts = parts
        self.lookahead = parts.lookahead
        self.rules = parts.rules
        self.trie = parts.trie
        self.reach = parts.lookahead.reach
        self.leads = Leads(parts.lookahead, self.reach)
        self.notes = Notes()
        self.doubts = Doubts(parts.rules, self.reach, self.notes)
        self.few_texts = FewTexts(parts.lookahead)
        self.followers = Followers(parts, self.few_texts)
        self.single = SingleTokens(parts, self.leads, self.followers)
        self.inside = inside_tokens(self.single, self.notes, &self.dead)
        vec_init(&self.first)
        vec_init(&self.asked)
        vec_init(&self.offsets)
        vec_init(&self.dead)
        vec_init(&self.verdicts)
        if intern_init(&self.names) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        vec_free(&self.first)
        vec_free(&self.asked)
        vec_free(&self.offsets)
        vec_free(&self.dead)
        vec_free(&self.verdicts)

    cdef size_t bytes(self) noexcept nogil:
        return (intern_bytes(&self.names) + (self.offsets.cap + self.dead.cap) * sizeof(uint32_t)
                + self.reach.bytes() + self.notes.bytes() + self.followers.bytes() + self.inside.groups.bytes()
                + self.inside.common.bytes())

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.offsets)
        vec_free(&self.dead)
        self.leads.has_place = self.leads.is_explained = self.has_unkept = False
        if intern_init(&self.names) < 0 or self.followers.clear() < 0:
            return NO_MEMORY
        self.notes.clear()
        self.inside.groups.clear()
        return min(self.inside.common.clear(), self.reach.clear())

    cdef int find_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef uint32_t[5] words
        cdef uint32_t name
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef size_t before
        cdef int status
        words[0] = lasting_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = part.hypothesis
        words[3] = part.way
        words[4] = self.last if part.way == GOES_ON else <uint32_t>UNCONSTRAINED
        status = intern_add(&self.names, words, 5, &name)
        if status < 0 or (name >= self.offsets.len and vec_fill(&self.offsets, name + 1 - self.offsets.len, 0xFF) < 0):
            return NO_MEMORY
        offset[0] = self.offsets.data[name]
        if offset[0] != <uint32_t>NOT_FOUND:
            return OK
        before = self.dead.len
        status = self.list_dead(engine, config, part, offset)
        if not self.has_unkept and self.lookahead.steps.is_text_dependent(config, answers):
            self.has_unkept = True
            self.unkept = before
        if status < 0 or offset[0] == <uint32_t>IN_PARTS:
            self.dead.len = before
        else:
            self.dead.data[before] = <uint32_t>(self.dead.len - before - 1)
        if status >= 0 and not self.has_unkept:
            self.offsets.data[name] = offset[0]
        return status

    cdef void forget_text(self) noexcept nogil:
        if self.has_unkept:
            self.dead.len = self.unkept
        self.has_unkept = False
        self.leads.forget_text()

    cdef int list_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef int status
        offset[0] = <uint32_t>self.dead.len
        if vec_push(&self.dead, 0) < 0:
            return NO_MEMORY
        self.followers.forget_place()
        status = self.leads.make_mask(engine, config)
        if status >= 0:
            status = self.list_by_texts(engine, config, part)
        if status != 0:
            return min(status, OK)
        status = self.leads.look_at(engine, config)
        if status >= 0:
            status = self.judge_leads(engine, part)
        if status < 0 or self.leads.base == <uint32_t>NO_BASE:
            return status
        status = self.judge_by_endings(engine, part)
        return self.inside.judge(engine, part, offset) if status >= 0 else status

    cdef int list_by_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil:
        cdef StoredMask* mask
        cdef bint looked = False
        cdef bint has_routes
        cdef uint32_t i
        cdef int status = masks_find(&engine.masks, &engine.recognizer, config, &mask, &looked)
        self.lookahead.steps.dependent_answers += looked
        if status < 0:
            return status
        self.asked.len = 0
        if mask.count == DENSE:
            mask_release(mask)
            return 0
        # (routes cost less than texts, and need no list)
        has_routes = self.lookahead.routes.serves(engine, config)
        for i in range(mask.count):
            if bit_test(part.transition.mask, mask.words[i]):
                status = vec_push(&self.asked, mask.words[i])
                if status < 0 or has_routes:
                    break
        mask_release(mask)
        if status < 0 or self.asked.len == 0:
            return NO_MEMORY if status < 0 else 1
        return 0 if has_routes else self.ask_texts(engine, config, part)

    cdef int ask_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil:
        cdef CanonicalState at
        cdef size_t i, j
        cdef int status
        self.single.set_start(&at, part, 0 if part.way == BEGINS else NO_NODE)
        self.first.len = 0
        status = self.few_texts.list_tokens(engine, config, &at, part.way == ENDS, False, &self.first)
        if status != OK:
            return 0 if status > 0 else status
        for i in range(self.asked.len):
            for j in range(self.first.len):
                if self.first.data[j] == self.asked.data[i]:
                    break
            else:
                if vec_push(&self.dead, self.asked.data[i]) < 0:
                    return NO_MEMORY
        return 1

    cdef int judge_leads(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef const uint32_t* tokens = self.leads.room.tokens.data
        cdef const uint32_t* numbers = self.leads.numbers.data
        cdef uint32_t token, ahead, outcome
        cdef uint32_t* verdict
        cdef TraceMark mark
        cdef size_t i
        cdef int status
        self.verdicts.len = 0
        if vec_fill(&self.verdicts, (self.leads.configs.len >> 1) * transition.count, 0xFF) < 0:
            return NO_MEMORY
        for i in range(self.leads.room.tokens.len):
            # (The tokens are in no order, so most of these words are not in the processor's cache. Without this, canonical masks
            # take 1% longer.)
            ahead = tokens[min(i + AHEAD, self.leads.room.tokens.len - 1)]
            if bit_test(transition.mask, ahead):
                prefetch(&transition.after[ahead])
            token = tokens[i]
            if not bit_test(transition.mask, token):
                continue
            outcome = transition.after[token]
            if part.way == GOES_ON and self.last < <uint32_t>UNCONSTRAINED:
                if self.beside != NULL:
                    status = bit_test(self.beside, token)
                else:
                    status = self.rules.merges.pair(self.last, token)
                if status < 0:
                    return NO_MEMORY
                if status == 0:
                    continue
            if outcome == <uint32_t>IS_CUT:
                status = self.single.judge(engine, part, token, &self.dead)
            else:
                # (most tokens need no more than the first or the second look)
                verdict = &self.verdicts.data[numbers[i] * transition.count + outcome]
                if verdict[0] == 1 or (is_place(verdict[0]) and self.lookahead.routes.is_known(verdict[0] - PLACE, token)):
                    continue
                mark = trace_mark(&engine.recognizer.trace)
                status = self.judge_lead(engine, part, numbers[i], token, verdict)
                trace_release(&engine.recognizer.trace, &mark)
            if status < 0:
                return status
        return OK

    cdef int judge_lead(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t* verdict
    ) noexcept nogil:
        cdef const uint32_t* ends = self.leads.ends.data + number * self.rules.outcomes.words
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef Config config
        cdef int status
        if is_place(verdict[0]):
            return self.judge_from(engine, part, number, token, verdict[0] - PLACE)
        status = self.leads.follow_lead(engine, number, token, &config)
        if status > 0 and verdict[0] == <uint32_t>NOT_ASKED:
            if self.lookahead.routes.serves(engine, &config):
                return self.judge_first(engine, part, number, token, &config, verdict)
            status = self.single.can_end(engine, &config, part.transition, part.transition.after[token], ends)
            if status >= 0 and not self.lookahead.steps.is_text_dependent(&config, answers):
                verdict[0] = <uint32_t>status
            if status != 0:
                return min(status, OK)
        return self.single.judge_at(engine, part, &config, token, &self.dead) if status >= 0 else status

    cdef int judge_first(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, const Config* config, uint32_t* verdict
    ) noexcept nogil:
        cdef const uint32_t* ends = self.leads.ends.data + number * self.rules.outcomes.words
        cdef CanonicalState at
        cdef uint32_t place
        cdef int status
        if self.single.meets(part.transition, part.transition.after[token], ends):
            verdict[0] = 1
            return OK
        self.parts.set_outcome(&at, part.transition, part.transition.after[token])
        status = self.lookahead.routes.find_place(config, &at, &place)
        if status >= 0:
            status = self.lookahead.routes.can_end_at(engine, place)
        if status != 0:
            verdict[0] = 1 if status > 0 else <uint32_t>NOT_ASKED
            return min(status, OK)
        verdict[0] = place + PLACE
        return self.judge_from(engine, part, number, token, place)

    cdef int judge_from(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t place
    ) noexcept nogil:
        cdef Config config
        # (merges make every token that can go on with a pre-token)
        cdef int status = 1 if part.way == GOES_ON else self.rules.merges.reached(token)
        if status > 0:
            self.lookahead.routes.begin()
            status = self.lookahead.routes.goes_on(engine, place, token)
            if status == 0:
                return vec_push(&self.dead, token)
            if status != NOT_KNOWN:
                return min(status, OK)
        if status < 0:
            return NO_MEMORY
        status = self.leads.follow_lead(engine, number, token, &config)
        return self.single.judge_at(engine, part, &config, token, &self.dead) if status >= 0 else status

    cdef int judge_by_endings(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef uint32_t doubtful, token, i
        cdef bint is_dead
        cdef int status = self.doubts.find(
            engine, self.leads.base, part.transition, part.hypothesis, part.way, &doubtful)
        if status < 0:
            return status
        for i in range(doubtful + 1, doubtful + 1 + self.notes.words.data[doubtful]):
            token = self.notes.words.data[i]
            is_dead = token & DEAD_END != 0
            token &= ~<uint32_t>DEAD_END
            if self.leads.stays(token):
                # (Most doubtful tokens inside a JSON string are dead ends in every grammar.)
                status = vec_push(&self.dead, token) if is_dead else self.single.judge(engine, part, token, &self.dead)
                if status < 0:
                    return status
        return self.judge_ways_on(engine, part, doubtful + 1 + self.notes.words.data[doubtful])

    cdef int judge_ways_on(self, Engine engine, const SievePart* part, uint32_t groups) noexcept nogil:
        cdef uint32_t at = groups + 1
        cdef uint32_t _group
        cdef int status
        for _group in range(self.notes.words.data[groups]):
            status = self.goes_on_by(
                engine, part.transition, part.transition.endings.data + self.notes.words.data[at + 1], self.leads.base)
            if status == 0:
                status = self.judge_each(engine, part, at)
            if status < 0:
                return status
            at += 1 + self.notes.words.data[at]
        return OK

    cdef int judge_each(self, Engine engine, const SievePart* part, uint32_t group) noexcept nogil:
        cdef const uint32_t* ending
        cdef uint32_t alive = <uint32_t>NOT_ASKED
        cdef uint32_t state, i
        cdef int status
        for i in range(group + 1, group + 1 + self.notes.words.data[group]):
            ending = part.transition.endings.data + self.notes.words.data[i]
            if not self.leads.stays(ending[0]):
                continue
            # (from a base, tokens may lead to one state that lead to several from the place itself)
            status = 0
            if self.leads.has_base() and not self.leads.start.row & VIRTUAL:
                state = self.leads.start.state
                status = self.doubts.follow(engine, ending, &state)
                if status == 1 and state != alive:
                    status = self.goes_on_by(engine, part.transition, ending, self.leads.start.state)
                    alive = state if status == 1 else alive
            if status != 1:
                status = self.single.judge(engine, part, ending[0], &self.dead) if status >= 0 else status
            if status < 0:
                return status
        return OK

    cdef int goes_on_by(
        self, Engine engine, const Transition* transition, const uint32_t* ending, uint32_t state
    ) noexcept nogil:
        cdef uint32_t byte = last_byte(ending)
        cdef bint is_exact = state == self.leads.start.state
        cdef CanonicalState at
        cdef Config config
        cdef int status
        if self.leads.start.row & VIRTUAL or (self.leads.has_open_base and not is_exact):
            return 0
        config.row = self.leads.start.row
        config.state = state
        status = self.doubts.follow(engine, ending, &config.state)
        if status != 1:
            return min(status, 0)
        self.parts.set_outcome(&at, transition, ending[3] & ~<uint32_t>WAY_ON)
        at.last = node_token(&self.trie.nodes[self.trie.roots[byte]])
        if not is_exact:
            return self.inside.common.can_close(engine, &config, &at)
        return self.lookahead.has_canonical_completion(engine, &config, &at)

    cdef bint is_dead(self, uint32_t offset, uint32_t token) noexcept nogil:
        cdef uint32_t low = offset + 1
        cdef uint32_t end = offset + 1 + self.count(offset)
        cdef uint32_t high = end
        cdef uint32_t middle
        # (most lists are never searched: a list is sorted when it is searched for the first time)
        if not self.dead.data[offset] & <uint32_t>SORTED:
            sort_words(self.dead.data + low, end - low)
            self.dead.data[offset] |= <uint32_t>SORTED
        while low < high:
            middle = (low + high) >> 1
            if self.dead.data[middle] < token:
                low = middle + 1
            else:
                high = middle
        return low < end and self.dead.data[low] == token
