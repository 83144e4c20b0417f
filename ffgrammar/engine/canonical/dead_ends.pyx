"""Dead ends: tokens that both the grammar and the rules let come, and after which no sentence goes on. There are few. Where only
`order` can come, `orde` is one: the merges never leave `orde` beside a token that begins with r.

A token is no dead end if the pre-token can end after it. Whether it can depends on the token's outcome, which is the set of
hypotheses after it, and on the configuration after it. Most tokens stay inside a lexeme, and lead to one of a few lexer states
(surveys.pyx). For these tokens the question is asked once for each pair of an outcome and a lexer state. The other tokens
leave the lexeme. Where they lead is known, too (leads.pyx).

If it does not turn out that the pre-token can end after a token, this token is judged by itself: from a list of the tokens that
can follow it (followers.pyx), or by a search (lookahead.pyx). Where a great many tokens would have to be judged, those that one
of a few common tokens can follow are found at once: they are no dead ends, and only the rest are judged (common_followers.pyx).
None of this is needed where few texts can end the pre-token (few_texts.pyx).

The dead ends of a configuration, a hypothesis and a way are listed once and kept.
"""

cimport cython
from libc.stdint cimport uint16_t, uint32_t

from ffgrammar.core.bits cimport bit_test, lowest_bit
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_init
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.common_followers cimport CommonFollowers
from ffgrammar.engine.canonical.doubts cimport DEAD, Doubts
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.followers cimport NOT_KNOWN, Followers
from ffgrammar.engine.canonical.groups cimport BY_THEMSELVES, Groups
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.surveys cimport MANY, TOO_MANY, Surveys
from ffgrammar.engine.masks.compute cimport NO_BASE, is_complete, masks_find
from ffgrammar.engine.masks.mask_cache cimport DENSE, StoredMask, mask_release
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE
from ffgrammar.tokens.canonical.rules cimport FIRST, NO_NODE, UNCONSTRAINED, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport BEGINS, ENDS, GOES_ON
from ffgrammar.tokens.vocabulary.trie cimport trie_child

cdef enum:
    NOT_ASKED = 0xFFFFFFFF  # in `verdicts`


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
        self.reach = Reach(parts.rules)
        self.leads = Leads(parts.lookahead, self.reach)
        self.notes = Notes()
        self.surveys = Surveys(parts.rules, self.reach, self.notes)
        self.doubts = Doubts(parts.rules, self.reach, self.notes)
        self.common = CommonFollowers(parts.lookahead)
        self.few_texts = FewTexts(parts.lookahead)
        self.followers = Followers(parts, self.few_texts)
        self.groups = Groups(parts.rules, self.followers)
        vec_init(&self.first)
        vec_init(&self.offsets)
        vec_init(&self.dead)
        vec_init(&self.state_ends)
        vec_init(&self.verdicts)
        vec_init(&self.followed)
        vec_init(&self.is_doubtful)
        if intern_init(&self.names) < 0 or vec_fill(&self.state_ends, parts.rules.outcomes.words, 0) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        vec_free(&self.first)
        vec_free(&self.offsets)
        vec_free(&self.dead)
        vec_free(&self.state_ends)
        vec_free(&self.verdicts)
        vec_free(&self.followed)
        vec_free(&self.is_doubtful)

    cdef size_t bytes(self) noexcept nogil:
        return (intern_bytes(&self.names) + (self.offsets.cap + self.dead.cap) * sizeof(uint32_t)
                + self.reach.bytes() + self.notes.bytes() + self.followers.bytes() + self.groups.bytes())

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.offsets)
        vec_free(&self.dead)
        self.leads.has_place = self.has_unkept = False
        if intern_init(&self.names) < 0 or self.followers.clear() < 0:
            return NO_MEMORY
        self.notes.clear()
        self.groups.clear()
        return self.reach.clear()

    cdef int find_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef uint32_t[4] words
        cdef uint32_t name
        cdef size_t answers = self.lookahead.steps.dependent_answers
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
        if not self.has_unkept and self.lookahead.steps.is_text_dependent(config, answers):
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

    cdef bint forget_text(self) noexcept nogil:
        cdef bint had_unkept = self.has_unkept
        if had_unkept:
            self.dead.len = self.unkept
        self.has_unkept = False
        self.leads.forget_text()
        return had_unkept

    cdef int list_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef int status
        offset[0] = <uint32_t>self.dead.len
        if vec_push(&self.dead, 0) < 0:
            return NO_MEMORY
        self.followers.forget_place()
        status = self.list_by_texts(engine, config, part)
        if status != 0:
            return min(status, OK)
        status = self.leads.look_at(engine, config)
        if status >= 0:
            status = self.judge_leads(engine, part)
        if status < 0 or self.leads.base == <uint32_t>NO_BASE:
            return status
        status = self.judge_by_endings(engine, part)
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

    cdef int judge_leads(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef const uint32_t* tokens = self.leads.tokens.data
        cdef const uint32_t* numbers = self.leads.numbers.data
        cdef uint32_t token
        cdef uint32_t* verdict
        cdef TraceMark mark
        cdef size_t i
        cdef int status
        self.verdicts.len = 0
        if vec_fill(&self.verdicts, (self.leads.configs.len >> 1) * transition.count, 0xFF) < 0:
            return NO_MEMORY
        for i in range(self.leads.tokens.len):
            token = tokens[i]
            if not bit_test(transition.mask, token):
                continue
            if bit_test(transition.cut, token):
                status = self.judge(engine, part, token)
            else:
                verdict = &self.verdicts.data[numbers[i] * transition.count + transition.after[token]]
                if verdict[0] == 1:
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
        cdef int status = self.leads.follow_lead(engine, number, token, &config)
        if status > 0 and verdict[0] == <uint32_t>NOT_ASKED:
            status = self.can_end(engine, &config, part.transition, part.transition.after[token], ends)
            if status >= 0 and not self.lookahead.steps.is_text_dependent(&config, answers):
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

    cdef int judge_by_endings(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef uint32_t doubtful, token, i
        cdef bint is_dead
        cdef int status = self.doubts.find(
            engine, self.leads.base, part.transition, part.hypothesis, part.way, &doubtful)
        if status < 0:
            return status
        for i in range(self.notes.words.data[doubtful]):
            token = self.notes.words.data[doubtful + 1 + i]
            is_dead = token & DEAD != 0
            token &= ~<uint32_t>DEAD
            if bit_test(self.leads.plain.data, token) and not bit_test(self.leads.has_lead.data, token):
                # (Most doubtful tokens inside a JSON string are dead ends in every grammar.)
                status = vec_push(&self.dead, token) if is_dead else self.judge(engine, part, token)
                if status < 0:
                    return status
        return OK

    cdef int judge_inside(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef uint32_t listed_at = offset[0]
        cdef size_t before = self.dead.len
        cdef int status = self.judge_surveyed(engine, part, offset)
        if status < 0 or offset[0] != <uint32_t>IN_PARTS or not self.leads.has_base():
            return status
        # (Tokens that lead to one state from the base may lead to different states from `start`, and common followers are found
        # for one state only. So the work is done again without the base.)
        self.leads.forget_base()
        self.dead.len = before
        offset[0] = listed_at
        return self.judge_surveyed(engine, part, offset)

    cdef int judge_surveyed(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef bint has_base = self.leads.has_base()
        cdef bint is_exact
        cdef uint32_t at, count, example, listed, _number
        cdef const uint32_t* words
        cdef size_t answers
        cdef Config config
        cdef int status = self.surveys.survey(engine, self.leads.base, transition.lacks_endings, &at)
        if status < 0:
            return status
        words = self.notes.words.data
        count = words[at]
        if count == TOO_MANY:
            offset[0] = IN_PARTS
            return OK
        self.verdicts.len = self.is_doubtful.len = 0
        if vec_fill(&self.verdicts, transition.count, 0) < 0:
            return NO_MEMORY
        at += 1
        for _number in range(count):
            example = words[at]
            listed = words[at + 1]
            at += 2
            answers = self.lookahead.steps.dependent_answers
            status = self.leads.follow_inside(engine, self.leads.base, example, &config)
            # (If no byte goes on with the lexeme after these tokens, the base stands for the state itself: after the lexeme
            # both are at one place.)
            is_exact = not config.row & VIRTUAL and (not has_base or is_complete(&engine.recognizer, config.state))
            if status >= 0:
                status = self.judge_outcomes(engine, transition, &config, is_exact or not has_base, answers)
            if status == 0 and listed == <uint32_t>MANY:
                status = self.judge_many(engine, part, &config, answers, offset)
            elif status == 0 and is_exact:
                status = self.judge_groups(engine, part, at, listed, &config)
            elif status == 0:
                status = self.judge_tokens(engine, part, words + at, listed)
            trace_release(&engine.recognizer.trace, &mark)
            if status < 0 or offset[0] == <uint32_t>IN_PARTS:
                return min(status, OK)
            at += 0 if listed == <uint32_t>MANY else listed
        return self.judge_doubtful(engine, part) if self.is_doubtful.len else OK

    cdef int judge_outcomes(
        self, Engine engine, const Transition* transition, const Config* config, bint is_exact, size_t answers
    ) noexcept nogil:
        cdef uint32_t* ends = self.state_ends.data
        cdef bint all_end = True
        cdef uint32_t outcome
        cdef int status = self.reach.ends_after(engine, config, ends, &self.lookahead.steps.dependent_answers)
        if status < 0:
            return status
        for outcome in range(transition.count):
            if transition.needs_ending[outcome]:
                # (judge_by_endings has judged these tokens)
                status = 1
            elif is_exact:
                status = self.can_end(engine, config, transition, outcome, ends)
            else:
                status = self.meets(transition, outcome, ends)
            if status < 0:
                return status
            self.verdicts.data[outcome] = <uint32_t>status
            all_end &= status
        if self.lookahead.steps.is_text_dependent(config, answers):
            # (other tokens that lead to this lexer state are other texts)
            all_end = False
            for outcome in range(transition.count):
                self.verdicts.data[outcome] = transition.needs_ending[outcome]
        return all_end

    cdef int judge_many(
        self, Engine engine, const SievePart* part, const Config* config, size_t answers, uint32_t* offset
    ) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef uint32_t outcome
        cdef int status = OK
        for outcome in range(transition.count):
            if self.verdicts.data[outcome]:
                continue
            if transition.is_listed[outcome]:
                status = self.judge_tokens(
                    engine, part, transition.tokens + transition.listed[outcome],
                    transition.listed[outcome + 1] - transition.listed[outcome])
            elif self.leads.has_base() or self.rules.has_unmergeable:
                offset[0] = IN_PARTS
            else:
                status = self.doubt(engine, config, transition, outcome)
                if self.lookahead.steps.is_text_dependent(config, answers):
                    offset[0] = IN_PARTS
            if status < 0 or offset[0] == <uint32_t>IN_PARTS:
                return status
        return OK

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
        cdef const uint32_t* plain = self.leads.plain.data
        cdef const uint32_t* has_lead = self.leads.has_lead.data
        cdef uint32_t word, left, token
        cdef int status
        for word in range(self.trie.n_words):
            left = plain[word] & transition.mask[word] & ~(transition.cut[word] | has_lead[word] | self.followed.data[word])
            while left:
                token = word << 5 | lowest_bit(left)
                left &= left - 1
                status = self.judge(engine, part, token) if self.is_doubtful.data[transition.after[token]] else OK
                if status < 0:
                    return status
        return OK

    cdef int judge_groups(
        self, Engine engine, const SievePart* part, uint32_t listed_at, uint32_t count, const Config* config
    ) noexcept nogil:
        cdef uint32_t at, group, groups, outcome, list_number, _number
        cdef bint has_all
        cdef int status = self.groups.find(part, listed_at, self.notes.words.data + listed_at, count, &at)
        if status < 0:
            return status
        groups = self.groups.words.data[at]
        group = at + 1
        for _number in range(groups):
            outcome = self.groups.words.data[group]
            count = self.groups.words.data[group + 1]
            if outcome == <uint32_t>BY_THEMSELVES:
                status = self.judge_group(engine, part, config, group + 1, False)
            elif not self.verdicts.data[outcome]:
                status = self.followers.list_of(engine, config, part.transition, outcome, &list_number, &has_all)
                if status >= 0:
                    status = self.groups.unfollowed(group, list_number, &at)
                if status >= 0:
                    status = self.judge_group(engine, part, config, at, has_all)
            if status < 0:
                return status
            group += 2 + count
        return OK

    cdef int judge_group(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t at, bint all_dead
    ) noexcept nogil:
        cdef uint32_t token, i
        cdef int status
        for i in range(self.groups.words.data[at]):
            token = self.groups.words.data[at + 1 + i]
            if (not self.verdicts.data[part.transition.after[token]] and bit_test(self.leads.plain.data, token)
                    and not bit_test(self.leads.has_lead.data, token)):
                status = vec_push(&self.dead, token) if all_dead else self.judge_at(engine, part, config, token)
                if status < 0:
                    return status
        return OK

    cdef int judge_tokens(self, Engine engine, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef const uint32_t* plain = self.leads.plain.data
        cdef const uint32_t* has_lead = self.leads.has_lead.data
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef uint32_t i, token
        # (many tokens in a row lead to one state and one outcome)
        cdef uint32_t known_state = NOT_ASKED
        cdef uint32_t known_outcome = 0
        cdef int known = 0
        cdef Config config
        cdef int status
        for i in range(count):
            token = tokens[i]
            if (not bit_test(transition.mask, token) or bit_test(transition.cut, token)
                    or self.verdicts.data[transition.after[token]] or not bit_test(plain, token)
                    or bit_test(has_lead, token)):
                continue
            status = self.leads.follow_inside(engine, self.leads.start.state, token, &config)
            if status > 0 and config.state == known_state and transition.after[token] == known_outcome:
                status = known
            elif status > 0:
                status = self.can_end_at(engine, transition, transition.after[token], &config)
                if status >= 0 and not config.row & VIRTUAL:
                    known_state = config.state
                    known_outcome = transition.after[token]
                    known = status
            if status == 0 and config.state > LAST_STATE:
                # (the token leaves the lexeme)
                status = self.judge(engine, part, token)
            elif status == 0:
                status = self.judge_at(engine, part, &config, token)
            trace_release(&engine.recognizer.trace, &mark)
            if status < 0:
                return status
        return OK

    cdef int can_end_at(
        self, Engine engine, const Transition* transition, uint32_t outcome, const Config* config
    ) noexcept nogil:
        cdef uint32_t* ends = self.state_ends.data
        cdef int status = self.reach.ends_after(engine, config, ends, &self.lookahead.steps.dependent_answers)
        return self.can_end(engine, config, transition, outcome, ends) if status >= 0 else status

    cdef int judge_at(self, Engine engine, const SievePart* part, const Config* config, uint32_t token) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef int status = self.rules.merges.reached(token)
        if status < 0:
            return NO_MEMORY
        if status == 0 or (self.rules.has_unmergeable and part.way != GOES_ON and self.rules.begins_unmergeable[token]):
            return self.judge(engine, part, token)
        status = self.followers.is_dead_end(engine, config, transition, transition.after[token], token)
        if status == NOT_KNOWN:
            return self.judge(engine, part, token)
        return vec_push(&self.dead, token) if status > 0 else status

    cdef bint begins_unmergeable(self, uint32_t node, uint32_t token) noexcept nogil:
        cdef uint32_t i
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if node >= <uint32_t>NO_NODE or (node and not self.rules.leads_to_unmergeable[node]):
                return False
            node = trie_child(self.trie.nodes, node, self.trie.blob[i])
            if node == 0:
                return False
        return self.rules.leads_to_unmergeable[node]

    cdef int judge(self, Engine engine, const SievePart* part, uint32_t token) noexcept nogil:
        cdef int status = self.goes_on(engine, &self.leads.place, part, 0 if part.way == BEGINS else NO_NODE, token)
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
