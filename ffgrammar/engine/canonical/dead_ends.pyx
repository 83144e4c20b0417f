"""Dead ends: tokens that both the grammar and the rules let come, and after which no sentence goes on. There are few. Where only
`order` can come, `orde` is one: the merges never leave `orde` beside a token that begins with r.

A token is no dead end if the pre-token can end after it. Whether it can depends on the token's outcome, which is the set of
hypotheses after it, and on the configuration after it. Most tokens stay inside a lexeme, and lead to one of a few lexer states
(reach.pxd). For these tokens the question is asked once for each pair of an outcome and a lexer state. The other tokens leave the
lexeme. The grammar's own mask needs a walk over them anyway, and this walk says where each of them leads (masks_explain). If it
does not turn out that the pre-token can end after a token, this token is judged by itself: from a list of the tokens that can
follow it (followers.pyx), or by a search (lookahead.pyx). Where a great many tokens would have to be judged, those that one
of a few common tokens can follow are found at once: they are no dead ends, and only the rest are judged (common_followers.pyx).
None of this is needed where few texts can end the pre-token (few_texts.pyx). The dead ends of a configuration, a hypothesis and a
way are listed once and kept.
"""

cimport cython
from libc.stdint cimport uint16_t, uint32_t

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test, lowest_bit
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_init
from ffgrammar.core.map cimport ABSENT, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.common_followers cimport CommonFollowers
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.followers cimport NOT_KNOWN, Followers
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.surveys cimport MANY, TOO_MANY, Surveys
from ffgrammar.engine.masks.compute cimport NO_BASE, masks_explain, masks_find
from ffgrammar.engine.masks.mask_cache cimport DENSE, StoredMask, block_words, mask_release, mask_unpack
from ffgrammar.engine.masks.trie_walk cimport LEAD_WORDS
from ffgrammar.engine.recognizer.recognizer cimport config_key, lasting_row
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_step
from ffgrammar.tokens.canonical.rules cimport FIRST, NO_NODE, UNCONSTRAINED, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport BEGINS, ENDS, GOES_ON


@cython.final
cdef class DeadEnds:
    """The dead ends of a grammar.

    Args:
        parts: the masks that are made from parts.
    """

    def __cinit__(self, MaskParts parts not None):
        cdef size_t words = block_words(parts.trie.n_words)
        self.parts = parts
        self.lookahead = parts.lookahead
        self.rules = parts.rules
        self.trie = parts.trie
        self.reach = Reach(parts.rules)
        self.surveys = Surveys(parts.rules, self.reach)
        self.common = CommonFollowers(parts.lookahead)
        self.few_texts = FewTexts(parts.lookahead)
        self.followers = Followers(parts, self.few_texts)
        vec_init(&self.first)
        vec_init(&self.offsets)
        vec_init(&self.dead)
        vec_init(&self.plain)
        vec_init(&self.led)
        vec_init(&self.leads)
        vec_init(&self.tokens)
        vec_init(&self.led_to)
        vec_init(&self.configs)
        vec_init(&self.ends)
        vec_init(&self.state_ends)
        vec_init(&self.verdicts)
        vec_init(&self.followed)
        vec_init(&self.is_doubtful)
        if (intern_init(&self.names) < 0 or map_init(&self.config_numbers) < 0 or vec_fill(&self.plain, words, 0) < 0
                or vec_fill(&self.led, words, 0) < 0):
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        map_free(&self.config_numbers)
        vec_free(&self.first)
        vec_free(&self.offsets)
        vec_free(&self.dead)
        vec_free(&self.plain)
        vec_free(&self.led)
        vec_free(&self.leads)
        vec_free(&self.tokens)
        vec_free(&self.led_to)
        vec_free(&self.configs)
        vec_free(&self.ends)
        vec_free(&self.state_ends)
        vec_free(&self.verdicts)
        vec_free(&self.followed)
        vec_free(&self.is_doubtful)

    cdef size_t bytes(self) noexcept nogil:
        return (intern_bytes(&self.names) + (self.offsets.cap + self.dead.cap) * sizeof(uint32_t)
                + self.reach.bytes() + self.surveys.bytes() + self.followers.bytes())

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.offsets)
        vec_free(&self.dead)
        self.has_place = self.has_unkept = False
        if intern_init(&self.names) < 0 or self.followers.clear() < 0:
            return NO_MEMORY
        self.surveys.clear()
        return self.reach.clear()

    cdef int find_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef uint32_t[4] words
        cdef uint32_t name
        cdef size_t answers = self.lookahead.dependent_answers
        cdef size_t before
        cdef int status
        words[0] = lasting_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = part.hypothesis
        words[3] = part.way
        status = intern_add(&self.names, words, 4, &name)
        if status < 0 or (name >= self.offsets.len and vec_fill(&self.offsets, name + 1 - self.offsets.len, 0xFF) < 0):
            return NO_MEMORY
        offset[0] = self.offsets.data[name]
        if offset[0] != <uint32_t>NOT_FOUND:
            return OK
        before = self.dead.len
        status = self.list_dead(engine, config, part, offset)
        if config.row & VIRTUAL and self.lookahead.dependent_answers != answers and not self.has_unkept:
            self.has_unkept = True
            self.unkept = before
        if status < 0 or offset[0] == <uint32_t>IN_PARTS:
            self.dead.len = before
        else:
            sort_words(self.dead.data + before + 1, self.dead.len - before - 1)
            self.dead.data[before] = <uint32_t>(self.dead.len - before - 1)
        if status >= 0 and not self.has_unkept:
            self.offsets.data[name] = offset[0]
        return status

    cdef void drop_unkept(self) noexcept nogil:
        if self.has_unkept:
            self.dead.len = self.unkept
            self.has_unkept = False

    cdef int list_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef int status = OK
        offset[0] = <uint32_t>self.dead.len
        if vec_push(&self.dead, 0) < 0:
            return NO_MEMORY
        status = self.list_by_texts(engine, config, part)
        if status != 0:
            return min(status, OK)
        if not self.has_place or self.place.row != config.row or self.place.state != config.state:
            status = self.look_at(engine, config)
        if status >= 0:
            status = self.judge_leads(engine, part)
        if status < 0 or self.base == <uint32_t>NO_BASE:
            return status
        status = self.judge_cut(engine, part)
        return self.judge_inside(engine, part, offset) if status >= 0 else status

    cdef int list_by_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil:
        cdef CanonicalState at
        cdef StoredMask* mask
        cdef bint looked = False
        cdef uint32_t token, i, j
        cdef int status
        self.set_start(&at, part, 0 if part.way == BEGINS else NO_NODE)
        self.first.len = 0
        status = self.few_texts.list_tokens(engine, config, &at, part.way == ENDS, False, &self.first)
        if status != OK:
            return 0 if status > 0 else status
        status = masks_find(&engine.masks, &engine.recognizer, config, &mask, &looked)
        if status < 0:
            return status
        if mask.count == DENSE:
            mask_release(mask)
            return 0
        for i in range(mask.count):
            token = mask.words[i]
            for j in range(self.first.len):
                if self.first.data[j] == token:
                    break
            else:
                if bit_test(part.transition.mask, token) and vec_push(&self.dead, token) < 0:
                    mask_release(mask)
                    return NO_MEMORY
        mask_release(mask)
        return 1

    cdef int look_at(self, Engine engine, const Config* config) noexcept nogil:
        cdef StoredMask* mask
        cdef bint looked = False
        cdef int status
        self.has_place = False
        status = masks_explain(&engine.masks, &engine.recognizer, config, &self.leads, &self.start, &self.base, &looked)
        if config.row & VIRTUAL and self.base != <uint32_t>NO_BASE:
            # (judge_surveyed takes steps from the place itself)
            self.base = config.state
        self.lookahead.dependent_answers += looked
        if status >= 0:
            status = masks_find(&engine.masks, &engine.recognizer, config, &mask, &looked)
        if status < 0:
            return status
        mask_unpack(mask, self.trie.n_words, self.plain.data, self.trie.n_words)
        mask_release(mask)
        self.place = config[0]
        status = self.sort_leads(engine)
        self.has_place = status >= 0
        return status

    cdef int sort_leads(self, Engine engine) noexcept nogil:
        cdef size_t at = self.leads.len
        cdef uint32_t token, i
        cdef uint32_t number = ABSENT
        cdef Config config
        cdef int status
        config.row = config.state = PENDING  # (no lead has this)
        for i in range(<uint32_t>self.tokens.len):
            bit_clear(self.led.data, self.tokens.data[i])
        self.tokens.len = self.led_to.len = self.configs.len = self.ends.len = 0
        map_clear(&self.config_numbers)
        while at:
            at -= LEAD_WORDS
            token = self.leads.data[at]
            if token == self.trie.pad_token or bit_test(self.led.data, token) or not bit_test(self.plain.data, token):
                continue
            if config.row != self.leads.data[at + 1] or config.state != self.leads.data[at + 2]:
                config.row = self.leads.data[at + 1]
                config.state = self.leads.data[at + 2]
                number = map_get(&self.config_numbers, config_key(&config))
            if number == ABSENT:
                number = <uint32_t>(self.configs.len >> 1)
                status = self.add_config(engine, &config, token)
                if status < 0:
                    return status
                if status == 0:
                    # (this configuration gets a number for each token that leads to it)
                    config.row = PENDING
            if vec_push(&self.led_to, number) < 0 or vec_push(&self.tokens, token) < 0:
                return NO_MEMORY
            bit_set(self.led.data, token)
        return OK

    cdef int add_config(self, Engine engine, const Config* config, uint32_t token) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef size_t answers = self.lookahead.dependent_answers
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef Config reached
        cdef int status
        if (vec_fill(&self.ends, words, 0) < 0 or vec_push(&self.configs, config.row) < 0
                or vec_push(&self.configs, config.state) < 0):
            return NO_MEMORY
        status = self.go_to(engine, config, token, &reached)
        if status >= 0:
            status = self.reach.ends_after(
                engine, &reached, self.ends.data + self.ends.len - words, &self.lookahead.dependent_answers)
        trace_release(&engine.recognizer.trace, &mark)
        if status < 0 or (config.row & VIRTUAL and self.lookahead.dependent_answers != answers):
            return min(status, OK)
        return NO_MEMORY if map_put(
            &self.config_numbers, config_key(config), <uint32_t>(self.configs.len >> 1) - 1) < 0 else 1

    cdef int go_to(self, Engine engine, const Config* known, uint32_t token, Config* config) noexcept nogil:
        cdef uint32_t i
        cdef int status
        config[0] = known[0]
        if known.row & VIRTUAL:
            config[0] = self.place
            for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
                status = self.lookahead.step(engine, config, self.trie.blob[i])
                if status <= 0:
                    return status
        return 1

    cdef int judge_leads(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef uint32_t token
        cdef uint32_t* verdict
        cdef TraceMark mark
        cdef size_t i
        cdef int status
        self.verdicts.len = 0
        if vec_fill(&self.verdicts, (self.configs.len >> 1) * transition.count, 0xFF) < 0:
            return NO_MEMORY
        for i in range(self.tokens.len):
            token = self.tokens.data[i]
            if not bit_test(transition.mask, token):
                continue
            if bit_test(transition.cut, token):
                status = self.judge(engine, part, token)
            else:
                verdict = &self.verdicts.data[self.led_to.data[i] * transition.count + transition.after[token]]
                if verdict[0] == 1:
                    continue
                mark = trace_mark(&engine.recognizer.trace)
                status = self.judge_lead(engine, part, self.led_to.data[i], token, verdict)
                trace_release(&engine.recognizer.trace, &mark)
            if status < 0:
                return status
        return OK

    cdef int judge_lead(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t* verdict
    ) noexcept nogil:
        cdef size_t answers = self.lookahead.dependent_answers
        cdef uint32_t outcome = part.transition.after[token]
        cdef Config known = Config(self.configs.data[2 * number], self.configs.data[2 * number + 1])
        cdef Config config
        cdef int status = self.go_to(engine, &known, token, &config)
        if status > 0 and verdict[0] == <uint32_t>NOT_FOUND:
            status = self.can_end(
                engine, &config, part.transition, outcome, self.ends.data + number * self.rules.outcomes.words)
            if status >= 0 and not (known.row & VIRTUAL and self.lookahead.dependent_answers != answers):
                verdict[0] = <uint32_t>status
            if status != 0:
                return min(status, OK)
        return self.judge_at(engine, part, &config, token) if status >= 0 else status

    cdef int can_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, const uint32_t* ends
    ) noexcept nogil:
        cdef CanonicalState at
        if self.meets(transition, outcome, ends):
            return 1
        self.parts.set_outcome(&at, transition, outcome)
        return self.lookahead.can_end_pretoken(engine, config, &at)

    cdef int judge_cut(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef uint32_t doubtful, token, i
        cdef int status = self.surveys.doubtful(
            engine, self.base, part.transition, part.hypothesis, part.way, &doubtful)
        if status < 0:
            return status
        for i in range(self.surveys.words.data[doubtful]):
            token = self.surveys.words.data[doubtful + 1 + i]
            if bit_test(self.plain.data, token) and not bit_test(self.led.data, token):
                status = self.judge(engine, part, token)
                if status < 0:
                    return status
        return OK

    cdef int judge_inside(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef uint32_t listed_at = offset[0]
        cdef size_t before = self.dead.len
        cdef uint32_t survey
        cdef int status = self.surveys.survey(engine, self.base, part.transition.lacks_endings, &survey)
        if status >= 0:
            status = self.judge_surveyed(engine, part, survey, offset)
        if status < 0 or offset[0] != <uint32_t>IN_PARTS or self.base == self.start.state:
            return status
        # (Tokens that lead to one state from the base may lead to different states from `start`, and common followers are found
        # for one state only. So the work is done again, with the survey of `start` itself.)
        self.dead.len = before
        self.base = self.start.state
        offset[0] = listed_at
        status = self.surveys.survey(engine, self.base, part.transition.lacks_endings, &survey)
        return self.judge_surveyed(engine, part, survey, offset) if status >= 0 else status

    cdef int judge_surveyed(
        self, Engine engine, const SievePart* part, uint32_t survey, uint32_t* offset
    ) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint32_t at = survey + 1
        cdef uint32_t _number, outcome, listed, first
        cdef size_t answers
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef bint all_end
        cdef Config config
        cdef int status
        if self.surveys.words.data[survey] == TOO_MANY:
            offset[0] = IN_PARTS
            return OK
        self.state_ends.len = self.verdicts.len = self.is_doubtful.len = 0
        # (two sets: the second is for can_end_after)
        if vec_fill(&self.state_ends, 2 * words, 0) < 0 or vec_fill(&self.verdicts, transition.count, 0) < 0:
            return NO_MEMORY
        for _number in range(self.surveys.words.data[survey]):
            trace_release(&engine.recognizer.trace, &mark)
            answers = self.lookahead.dependent_answers
            config = self.start
            if config.row & VIRTUAL:
                status = self.go_to(engine, &self.place, self.surveys.words.data[at], &config)
            else:
                status = self.follow(engine, self.base, self.surveys.words.data[at], &config.state)
            if status >= 0:
                status = self.reach.ends_after(
                    engine, &config, self.state_ends.data, &self.lookahead.dependent_answers)
            if status < 0:
                return status
            listed = self.surveys.words.data[at + 1]
            first = at + 2
            at = first + (0 if listed == <uint32_t>MANY else listed)
            all_end = True
            for outcome in range(transition.count):
                # (judge_cut has judged the tokens that need an ending)
                status = transition.needs_ending[outcome] or self.meets(transition, outcome, self.state_ends.data)
                if status == 0 and self.base == self.start.state:
                    status = self.can_end(engine, &config, transition, outcome, self.state_ends.data)
                if status < 0:
                    return status
                self.verdicts.data[outcome] = <uint32_t>status
                all_end &= status
            if config.row & VIRTUAL and self.lookahead.dependent_answers != answers:
                # (other tokens that lead to this lexer state are other texts)
                all_end = False
                for outcome in range(transition.count):
                    self.verdicts.data[outcome] = transition.needs_ending[outcome]
            if all_end:
                continue
            if listed != <uint32_t>MANY:
                status = self.judge_tokens(
                    engine, part, self.surveys.words.data + first, listed,
                    &config if self.base == self.start.state and not config.row & VIRTUAL else NULL)
            for outcome in range(transition.count if listed == <uint32_t>MANY else 0):
                if status < 0 or self.verdicts.data[outcome]:
                    continue
                if transition.is_listed[outcome]:
                    status = self.judge_tokens(
                        engine, part, transition.tokens + transition.listed[outcome],
                        transition.listed[outcome + 1] - transition.listed[outcome], NULL)
                elif self.base != self.start.state or self.rules.has_unmergeable:
                    offset[0] = IN_PARTS
                    return OK
                else:
                    status = self.doubt(engine, &config, transition, outcome)
                    if config.row & VIRTUAL and self.lookahead.dependent_answers != answers:
                        offset[0] = IN_PARTS
                        return min(status, OK)
            if status < 0:
                return status
        return self.judge_doubtful(engine, part) if self.is_doubtful.len else OK

    cdef int doubt(self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome) noexcept nogil:
        cdef CanonicalState at
        if self.is_doubtful.len == 0:
            self.followed.len = 0
            if vec_fill(&self.is_doubtful, transition.count, 0) < 0 or vec_fill(&self.followed, self.trie.n_words, 0xFF) < 0:
                return NO_MEMORY
        self.is_doubtful.data[outcome] = True
        self.parts.set_outcome(&at, transition, outcome)
        at.last = UNCONSTRAINED
        return self.common.keep_followed(engine, config, &at, self.followed.data)

    cdef int judge_doubtful(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef uint32_t word, left, token
        cdef int status
        for word in range(self.trie.n_words):
            left = (self.plain.data[word] & transition.mask[word]
                    & ~(transition.cut[word] | self.led.data[word] | self.followed.data[word]))
            while left:
                token = word << 5 | lowest_bit(left)
                left &= left - 1
                status = self.judge(engine, part, token) if self.is_doubtful.data[transition.after[token]] else OK
                if status < 0:
                    return status
        return OK

    cdef int judge_tokens(
        self, Engine engine, const SievePart* part, const uint32_t* tokens, uint32_t count, const Config* cannot_end,
    ) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef uint32_t i, token
        cdef Config config
        cdef int status
        for i in range(count):
            token = tokens[i]
            if (bit_test(transition.mask, token) and not bit_test(transition.cut, token)
                    and not self.verdicts.data[transition.after[token]] and bit_test(self.plain.data, token)
                    and not bit_test(self.led.data, token)):
                config = self.start
                status = 0
                if cannot_end != NULL:
                    config = cannot_end[0]
                else:
                    status = self.can_end_after(engine, transition, token, &config)
                if status == 0 and config.state > LAST_STATE:
                    # (the token leaves the lexeme)
                    status = self.judge(engine, part, token)
                elif status == 0:
                    status = self.judge_at(engine, part, &config, token)
                trace_release(&engine.recognizer.trace, &mark)
                if status < 0:
                    return status
        return OK

    cdef int can_end_after(self, Engine engine, const Transition* transition, uint32_t token, Config* config) noexcept nogil:
        cdef uint32_t* ends = self.state_ends.data + self.rules.outcomes.words
        cdef int status
        if config.row & VIRTUAL:
            status = self.go_to(engine, &self.place, token, config)
        else:
            status = self.follow(engine, self.start.state, token, &config.state)
        if status > 0:
            status = self.reach.ends_after(engine, config, ends, &self.lookahead.dependent_answers)
            if status >= 0:
                status = self.can_end(engine, config, transition, transition.after[token], ends)
        return status

    cdef int follow(self, Engine engine, uint32_t start, uint32_t token, uint32_t* state) noexcept nogil:
        cdef uint32_t i
        cdef int status
        state[0] = start
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            status = dfa_step(&engine.recognizer.dfa, state[0], self.trie.blob[i], state)
            if status < 0 or state[0] > LAST_STATE:
                return min(status, OK)
        return 1

    cdef int judge_at(self, Engine engine, const SievePart* part, const Config* config, uint32_t token) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef int status = self.rules.merges.reached(token)
        if status < 0:
            return NO_MEMORY
        if status == 0 or (self.rules.has_unmergeable and part.way != GOES_ON and self.begins_unmergeable(token)):
            return self.judge(engine, part, token)
        status = self.followers.is_dead_end(engine, config, transition, transition.after[token], token)
        if status == NOT_KNOWN:
            return self.judge(engine, part, token)
        return vec_push(&self.dead, token) if status > 0 else status

    cdef bint begins_unmergeable(self, uint32_t token) noexcept nogil:
        cdef uint32_t start = self.trie.offsets[token]
        cdef long long node = self.trie.find_node(self.trie.blob + start, self.trie.offsets[token + 1] - start)
        return node >= 0 and self.rules.leads_to_unmergeable[node]

    cdef int judge(self, Engine engine, const SievePart* part, uint32_t token) noexcept nogil:
        cdef int status = self.goes_on(engine, &self.place, part, 0 if part.way == BEGINS else NO_NODE, token)
        return vec_push(&self.dead, token) if status == 0 else min(status, OK)

    cdef int goes_on(
        self, Engine engine, const Config* config, const SievePart* part, uint32_t node, uint32_t token
    ) noexcept nogil:
        cdef CanonicalState at
        self.set_start(&at, part, node)
        return self.parts.try_token(engine, config, &at, part.way == ENDS, token)

    cdef void set_start(self, CanonicalState* at, const SievePart* part, uint32_t node) noexcept nogil:
        self.rules.begin(at)
        at.hypothesis[0] = <uint16_t>part.hypothesis
        at.node[0] = node
        at.last = FIRST if part.way == BEGINS else UNCONSTRAINED

    cdef bint meets(self, const Transition* transition, uint32_t outcome, const uint32_t* bits) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint32_t i
        for i in range(words):
            if transition.outcomes[outcome * words + i] & bits[i]:
                return True
        return False

    cdef bint is_dead(self, uint32_t offset, uint32_t token) noexcept nogil:
        cdef uint32_t low = offset + 1
        cdef uint32_t high = offset + 1 + self.dead.data[offset]
        cdef uint32_t middle
        while low < high:
            middle = (low + high) >> 1
            if self.dead.data[middle] < token:
                low = middle + 1
            else:
                high = middle
        return low < offset + 1 + self.dead.data[offset] and self.dead.data[low] == token
