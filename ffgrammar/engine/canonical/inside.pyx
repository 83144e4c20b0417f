"""Most tokens stay inside a lexeme, and lead to one of a few lexer states (surveys.pyx). For these tokens it is asked once for
each pair of an outcome and a lexer state whether the pre-token can end. Where it cannot, the tokens are judged by what may follow
them (groups.pyx). Where a great many tokens would have to be judged, those that one of a few common tokens can follow are found at
once: they are no dead ends, and only the rest are judged (common_followers.pyx).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.common_followers cimport ALL_TOKENS, TOO_FEW, CommonFollowers
from ffgrammar.engine.canonical.groups cimport BY_THEMSELVES, Groups
from ffgrammar.engine.canonical.hints cimport Hint
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.outlines cimport NOT_KNOWN
from ffgrammar.engine.canonical.reach cimport ANY_BYTE
from ffgrammar.engine.canonical.single_tokens cimport SingleTokens
from ffgrammar.engine.canonical.surveys cimport IS_WAY, MANY, TOO_MANY, Surveys, way_words
from ffgrammar.engine.masks.compute cimport is_complete
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport IS_CUT

cdef enum:
    NO_STATE = 0xFFFFFFFF
    NOT_ASKED = 2  # instead of what find_alike returns
    # From so many listed tokens on, an outcome is judged by common followers. (On InternLM2, a mask where a UUID begins takes 0.15
    # ms instead of 1.9.)
    MANY_JUDGED = 64
    # So many tokens are tried for the rest of a group. With more, each dead end would cost more looks. (On InternLM2, a mask where
    # 16 digits begin takes 1.8 ms with these tokens, and 3.1 ms without.)
    MAX_PROVEN = 8


cdef InsideTokens inside_tokens(SingleTokens single, Notes notes, Vec* dead):
    cdef InsideTokens made = InsideTokens(single, notes)
    made.dead = dead
    return made


@cython.final
cdef class InsideTokens:
    """Judges the tokens that stay inside the lexeme. Make one with `inside_tokens`.

    Args:
        single: judges tokens one by one.
        notes: the notes on the grammar's lexer states.
    """

    def __cinit__(self, SingleTokens single not None, Notes notes not None):
        self.single = single
        self.lookahead = single.lookahead
        self.rules = single.rules
        self.trie = single.trie
        self.leads = single.leads
        self.followers = single.followers
        self.notes = notes
        self.surveys = Surveys(single.rules, single.reach, notes)
        self.common = CommonFollowers(single.lookahead)
        self.groups = Groups(single.rules, single.followers)
        vec_init(&self.verdicts)
        vec_init(&self.is_settled)
        vec_init(&self.unfollowed)
        vec_init(&self.is_doubtful)
        vec_init(&self.asked)
        vec_init(&self.proven)

    def __dealloc__(self):
        vec_free(&self.verdicts)
        vec_free(&self.is_settled)
        vec_free(&self.unfollowed)
        vec_free(&self.is_doubtful)
        vec_free(&self.asked)
        vec_free(&self.proven)

    cdef int judge(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil:
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
        cdef uint32_t at, count, example, listed, outcome, _number
        cdef const uint32_t* words
        cdef size_t answers
        cdef Config config
        cdef int status = self.surveys.survey(engine, self.leads.base, part.whole, &at)
        if status < 0:
            return status
        words = self.notes.words.data
        count = words[at]
        if count == TOO_MANY:
            offset[0] = IN_PARTS
            return OK
        self.verdicts.len = self.is_settled.len = self.is_doubtful.len = 0
        self.alike = NOT_ASKED
        if vec_fill(&self.verdicts, transition.count, 0) < 0 or vec_fill(&self.is_settled, transition.count, 0) < 0:
            return NO_MEMORY
        for outcome in range(transition.count):
            # (judge_by_endings judges the tokens of these outcomes)
            self.is_settled.data[outcome] = transition.needs_ending[outcome]
        at += 1
        for _number in range(count):
            example = words[at]
            listed = words[at + 1]
            at += 2
            answers = self.lookahead.steps.dependent_answers
            if example & <uint32_t>IS_WAY:
                example &= ~<uint32_t>IS_WAY
                status = self.leads.follow_bytes(engine, self.leads.base, <const uint8_t*>(words + at), example, &config)
                at += way_words(example)
            else:
                status = self.leads.follow_inside(engine, self.leads.base, example, &config)
            if status >= 0 and listed == <uint32_t>MANY and part.whole and not transition.lacks_endings:
                # (the pre-token can end after each outcome of the transition, so a state in which it can always end needs no look)
                status = self.single.reach.ends_freely(engine, config.state, ANY_BYTE)
                if status > 0:
                    trace_release(&engine.recognizer.trace, &mark)
                    continue
            # (If no byte goes on with the lexeme after these tokens, the base stands for the state itself: after the lexeme
            # both are at one place. An open base (engine/masks/open_state.pxd) does not: after it, the parser knows of fewer
            # lexemes.)
            is_exact = not config.row & VIRTUAL and (
                not has_base or (not self.leads.has_open_base and is_complete(&engine.recognizer, config.state)))
            if status >= 0:
                status = self.find_asked(engine, part, at, listed)
            if status >= 0:
                status = self.judge_outcomes(engine, transition, &config, is_exact or not has_base, answers)
            if status == 0 and not is_exact and listed != <uint32_t>MANY and not config.row & VIRTUAL:
                status = self.lead_together(engine, words + at, listed, &config)
                is_exact = status > 0
                if is_exact:
                    status = self.judge_outcomes(engine, transition, &config, True, answers)
            if status == 0 and listed == <uint32_t>MANY:
                status = self.judge_many(engine, part, &config, offset)
            elif status == 0 and is_exact:
                status = self.judge_groups(engine, part, at, listed, &config)
            elif status == 0:
                status = self.judge_tokens(engine, part, words + at, listed)
            trace_release(&engine.recognizer.trace, &mark)
            if status < 0 or offset[0] == <uint32_t>IN_PARTS:
                return min(status, OK)
            at += 0 if listed == <uint32_t>MANY else listed
        return self.judge_doubtful(engine, part) if self.is_doubtful.len else OK

    cdef int find_asked(self, Engine engine, const SievePart* part, uint32_t listed_at, uint32_t count) noexcept nogil:
        cdef uint32_t outcomes = part.transition.count
        cdef const uint32_t* group
        cdef uint32_t at, i, _number
        cdef int status
        self.asked.len = 0
        if vec_fill(&self.asked, outcomes, 0xFF if count == <uint32_t>MANY else 0) < 0:
            return NO_MEMORY
        if count == <uint32_t>MANY:
            return OK
        status = self.groups.find(
            engine, self.leads.base, part, listed_at, self.notes.words.data + listed_at, count, &at)
        if status < 0:
            return status
        group = self.groups.words.data + at + 1
        for _number in range(self.groups.words.data[at]):
            if group[0] != <uint32_t>BY_THEMSELVES:
                self.asked.data[group[0]] = True
            for i in range(group[1] if group[0] == <uint32_t>BY_THEMSELVES else 0):
                self.asked.data[part.transition.after[group[2 + i]]] = True
            group += 2 + group[1]
        return OK

    cdef int lead_together(
        self, Engine engine, const uint32_t* tokens, uint32_t count, Config* config
    ) noexcept nogil:
        cdef uint32_t state = NO_STATE
        cdef uint32_t i, token
        cdef Config reached
        cdef int status
        for i in range(count):
            token = tokens[i]
            if not bit_test(self.leads.room.plain.data, token) or bit_test(self.leads.room.has_lead.data, token):
                continue
            status = self.leads.follow_inside(engine, self.leads.start.state, token, &reached)
            if status <= 0 or (state != NO_STATE and reached.state != state):
                return min(status, OK)
            state = reached.state
        if state != NO_STATE:
            config.state = state
        return state != NO_STATE

    cdef int judge_outcomes(
        self, Engine engine, const Transition* transition, const Config* config, bint is_exact, size_t answers
    ) noexcept nogil:
        cdef uint32_t* ends = self.single.state_ends.data
        cdef bint all_end = True
        cdef uint32_t outcome
        cdef int status
        if is_exact or not self.leads.has_open_base:
            status = self.single.reach.ends_after(engine, config, ends, &self.lookahead.steps.dependent_answers)
        else:
            status = self.ends_inside(engine, config.state, ends)
        if status < 0:
            return status
        for outcome in range(transition.count):
            if self.is_settled.data[outcome] or not self.asked.data[outcome]:
                # (these tokens are judged elsewhere, or there are none)
                status = 1
            elif is_exact:
                status = self.single.can_end(engine, config, transition, outcome, ends)
            else:
                status = self.single.meets(transition, outcome, ends)
            if status < 0:
                return status
            self.verdicts.data[outcome] = <uint32_t>status
            all_end &= status
        if self.lookahead.steps.is_text_dependent(config, answers):
            # (other tokens that lead to this lexer state are other texts)
            all_end = False
            for outcome in range(transition.count):
                self.verdicts.data[outcome] = self.is_settled.data[outcome]
        return all_end

    cdef int ends_inside(self, Engine engine, uint32_t state, uint32_t* ends) noexcept nogil:
        cdef uint32_t offset
        cdef int status = self.single.reach.ends_in(engine, state, &offset)
        if status >= 0:
            memcpy(ends, self.single.reach.ends.data + offset, self.rules.outcomes.words * sizeof(uint32_t))
        return status

    cdef int judge_many(self, Engine engine, const SievePart* part, const Config* config, uint32_t* offset) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef bint can_doubt = not (self.rules.has_unmergeable or self.leads.has_open_base)
        cdef uint32_t outcome, count
        cdef int status
        for outcome in range(transition.count):
            if self.verdicts.data[outcome]:
                continue
            count = transition.listed[outcome + 1] - transition.listed[outcome]
            status = 0
            if can_doubt and (count >= <uint32_t>MANY_JUDGED or not transition.is_listed[outcome]):
                status = self.doubt(engine, part, config, outcome)
            if status == 0 and transition.is_listed[outcome]:
                # (these are all tokens of the outcome, whatever states they lead to)
                status = self.judge_tokens(engine, part, transition.tokens + transition.listed[outcome], count)
                self.is_settled.data[outcome] = True
            elif status == 0:
                offset[0] = IN_PARTS
            if status < 0 or offset[0] == <uint32_t>IN_PARTS:
                return status
        return OK

    cdef int doubt(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t outcome
    ) noexcept nogil:
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef int may_be_fresh = self.find_alike(engine, part) if config.row & VIRTUAL else 0
        cdef CanonicalState at
        cdef const uint32_t* unfollowed
        cdef uint32_t offset, i
        cdef int status = 0
        self.single.parts.set_outcome(&at, part.transition, outcome)
        at.last = UNCONSTRAINED
        if may_be_fresh > 0:
            status = self.common.fresh_strings.can_end(engine, config, &at)
        if may_be_fresh < 0 or status < 0:
            return min(may_be_fresh, status)
        if status > 0:
            # (the tokens that find_alike has marked are judged. What is found depends on the text.)
            self.lookahead.steps.dependent_answers += 1
            self.is_doubtful.data[outcome] = True
            return 1
        status = self.common.find(engine, part, config, &at, self.leads.has_base(), may_be_fresh != 0, &offset)
        if status < 0 or offset == <uint32_t>TOO_FEW or self.lookahead.steps.is_text_dependent(config, answers):
            return min(status, 0)
        if offset == <uint32_t>ALL_TOKENS and part.transition.is_listed[outcome]:
            # (to judge a list takes less)
            return 0
        if self.common.only_fresh:
            self.lookahead.steps.dependent_answers += 1
        elif self.common.leaves_none(offset):
            return 1
        if self.begin_doubts(part) < 0:
            return NO_MEMORY
        self.is_doubtful.data[outcome] = True
        if offset == <uint32_t>ALL_TOKENS:
            memset(self.unfollowed.data, 0xFF, self.trie.n_words * sizeof(uint32_t))
            return 1
        unfollowed = self.common.unfollowed.data + offset
        for i in range(unfollowed[0]):
            bit_set(self.unfollowed.data, unfollowed[1 + i])
        return 1

    cdef int begin_doubts(self, const SievePart* part) noexcept nogil:
        if self.is_doubtful.len:
            return OK
        self.unfollowed.len = 0
        if vec_fill(&self.is_doubtful, part.transition.count, 0) < 0 or vec_fill(&self.unfollowed, self.trie.n_words, 0) < 0:
            return NO_MEMORY
        return OK

    cdef int find_alike(self, Engine engine, const SievePart* part) noexcept nogil:
        if self.alike == NOT_ASKED:
            if self.begin_doubts(part) < 0:
                return NO_MEMORY
            self.alike = self.common.fresh_strings.mark_alike(engine, &self.leads.place, self.unfollowed.data)
        return self.alike

    cdef int judge_doubtful(self, Engine engine, const SievePart* part) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef const uint32_t* plain = self.leads.room.plain.data
        cdef const uint32_t* has_lead = self.leads.room.has_lead.data
        cdef uint32_t word, left, token
        cdef int status
        for word in range(self.trie.n_words):
            left = plain[word] & transition.mask[word] & self.unfollowed.data[word] & ~(transition.cut[word] | has_lead[word])
            while left:
                token = word << 5 | lowest_bit(left)
                left &= left - 1
                status = OK
                if self.is_doubtful.data[transition.after[token]] and not self.is_settled.data[transition.after[token]]:
                    status = self.single.judge(engine, part, token, self.dead)
                if status < 0:
                    return status
        return OK

    cdef int judge_groups(
        self, Engine engine, const SievePart* part, uint32_t listed_at, uint32_t count, const Config* config
    ) noexcept nogil:
        cdef uint32_t at, group, groups, outcome, number, _number
        cdef int status = self.groups.find(
            engine, self.leads.base, part, listed_at, self.notes.words.data + listed_at, count, &at)
        if status < 0:
            return status
        groups = self.groups.words.data[at]
        group = at + 1
        for _number in range(groups):
            outcome = self.groups.words.data[group]
            count = self.groups.words.data[group + 1]
            if outcome == <uint32_t>BY_THEMSELVES:
                status = self.judge_group(engine, part, config, group + 1, False)
            elif not (self.verdicts.data[outcome] or part.whole) and self.lookahead.routes.serves(engine, config):
                status = self.judge_by_routes(engine, part, config, group)
            elif not self.verdicts.data[outcome]:
                status = self.followers.list_of(engine, config, part.transition, outcome, &number)
                if status >= 0:
                    status = self.groups.unfollowed(engine, self.leads.base, part, group, number, &at)
                if status >= 0:
                    status = self.judge_group(engine, part, config, at, True)
                if status >= 0:
                    status = self.judge_group(engine, part, config, at + 1 + self.groups.words.data[at], False)
            if status < 0:
                return status
            group += 2 + count
        return OK

    cdef int judge_by_routes(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t group
    ) noexcept nogil:
        cdef CanonicalState at
        cdef uint32_t place, token, i
        cdef size_t before
        cdef int status
        self.proven.len = 0
        self.single.parts.set_outcome(&at, part.transition, self.groups.words.data[group])
        at.last = UNCONSTRAINED
        status = self.lookahead.routes.find_place(config, &at, &place)
        for i in range(self.groups.words.data[group + 1] if status >= 0 else 0):
            token = self.groups.words.data[group + 2 + i]
            if not bit_test(self.leads.room.plain.data, token) or bit_test(self.leads.room.has_lead.data, token):
                continue
            status = self.precedes_proven(token)
            if status == 0:
                self.lookahead.routes.begin()
                status = self.lookahead.routes.goes_on(engine, place, token)
                if status == 0:
                    status = vec_push(self.dead, token)
                elif status == NOT_KNOWN:
                    before = self.dead.len
                    status = self.single.judge_at(engine, part, config, token, self.dead)
                    if status >= 0 and self.dead.len == before:
                        status = self.add_proven(engine, config, &at)
            if status < 0:
                return status
        return min(status, OK)

    cdef int precedes_proven(self, uint32_t token) noexcept nogil:
        cdef size_t i
        cdef int status
        for i in range(self.proven.len):
            status = self.rules.merges.pair(token, self.proven.data[i])
            if status != 0:
                return NO_MEMORY if status < 0 else 1
        return 0

    cdef int add_proven(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef const Hint* hint = self.lookahead.hints.of(engine, config)
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef CanonicalState after = at[0]
        cdef Config moved = config[0]
        cdef uint32_t token
        cdef size_t i
        cdef int status
        if hint == NULL or self.proven.len == MAX_PROVEN:
            return OK
        token = hint.token
        for i in range(self.proven.len):
            if self.proven.data[i] == token:
                return OK
        status = self.lookahead.boundaries.take(engine, &moved, &after, token)
        if status > 0 and moved.row & VIRTUAL:
            # (a search from such a row gives up early, and then proves nothing)
            status = 0
        if status > 0:
            status = self.lookahead.has_canonical_completion(engine, &moved, &after)
        trace_release(&engine.recognizer.trace, &mark)
        if status > 0:
            status = vec_push(&self.proven, token)
        return min(status, OK)

    cdef int judge_group(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t at, bint all_dead
    ) noexcept nogil:
        cdef uint32_t token, i
        cdef int status
        for i in range(self.groups.words.data[at]):
            token = self.groups.words.data[at + 1 + i]
            if (self.verdicts.data[part.transition.after[token]] or not bit_test(self.leads.room.plain.data, token)
                    or bit_test(self.leads.room.has_lead.data, token)):
                continue
            status = vec_push(self.dead, token) if all_dead else self.single.judge_at(engine, part, config, token, self.dead)
            if status < 0:
                return status
        return OK

    cdef int judge_tokens(self, Engine engine, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef const uint32_t* plain = self.leads.room.plain.data
        cdef const uint32_t* has_lead = self.leads.room.has_lead.data
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef uint32_t i, token, outcome
        # (many tokens in a row lead to one state and one outcome)
        cdef uint32_t known_state = NO_STATE
        cdef uint32_t known_outcome = 0
        cdef int known = 0
        cdef Config config
        cdef int status
        for i in range(count):
            token = tokens[i]
            outcome = transition.after[token]
            if (outcome >= <uint32_t>IS_CUT or self.verdicts.data[outcome] or not bit_test(plain, token)
                    or bit_test(has_lead, token)):
                continue
            status = self.leads.follow_inside(engine, self.leads.start.state, token, &config)
            if status > 0 and config.state == known_state and outcome == known_outcome:
                status = known
            elif status > 0:
                status = self.single.can_end_at(engine, transition, outcome, &config)
                if status >= 0 and not config.row & VIRTUAL:
                    known_state = config.state
                    known_outcome = outcome
                    known = status
            if status == 0 and config.state > LAST_STATE:
                # (the token leaves the lexeme)
                status = self.single.judge(engine, part, token, self.dead)
            elif status == 0:
                status = self.single.judge_at(engine, part, &config, token, self.dead)
            trace_release(&engine.recognizer.trace, &mark)
            if status < 0:
                return status
        return OK
