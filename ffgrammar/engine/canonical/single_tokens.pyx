"""If it does not turn out that the pre-token can end after a token, this token is judged by itself: from a list of the tokens that
can follow it (followers.pyx), or by a search (lookahead.pyx).
"""

cimport cython
from libc.stdint cimport uint16_t, uint32_t

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.outlines cimport NOT_KNOWN
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.tokens.canonical.rules cimport FIRST, NO_NODE, UNCONSTRAINED
from ffgrammar.tokens.canonical.transitions cimport BEGINS, ENDS, GOES_ON
from ffgrammar.tokens.vocabulary.trie cimport trie_child


@cython.final
cdef class SingleTokens:
    """Judges the tokens of a grammar one by one.

    Args:
        parts: the masks that are made from parts.
        leads: where the tokens of the place lead.
        followers: the grammar's lists of followers.
    """

    def __cinit__(self, MaskParts parts not None, Leads leads not None, Followers followers not None):
        self.parts = parts
        self.lookahead = parts.lookahead
        self.rules = parts.rules
        self.trie = parts.trie
        self.reach = leads.reach
        self.leads = leads
        self.followers = followers
        vec_init(&self.state_ends)
        if vec_fill(&self.state_ends, parts.rules.outcomes.words, 0) < 0:
            raise MemoryError

    def __dealloc__(self):
        vec_free(&self.state_ends)

    cdef int judge(self, Engine engine, const SievePart* part, uint32_t token, Vec* dead) noexcept nogil:
        cdef int status = self.goes_on(engine, &self.leads.place, part, 0 if part.way == BEGINS else NO_NODE, token)
        return vec_push(dead, token) if status == 0 else min(status, OK)

    cdef int judge_at(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t token, Vec* dead
    ) noexcept nogil:
        cdef const Transition* transition = part.transition
        cdef CanonicalState at
        cdef int status = self.rules.merges.reached(token)
        if status < 0:
            return NO_MEMORY
        if status == 0 or (self.rules.has_unmergeable and part.way != GOES_ON and self.rules.begins_unmergeable[token]):
            return self.judge(engine, part, token, dead)
        if config.row & VIRTUAL and self.rules.merges.by_characters:
            # (pre-tokens are long in such vocabularies, so listing the texts that can end one costs more than a search)
            return self.judge(engine, part, token, dead)
        self.parts.set_outcome(&at, transition, transition.after[token])
        self.lookahead.routes.begin()
        status = self.lookahead.routes.judge(engine, config, &at, token)
        if status != NOT_KNOWN:
            return vec_push(dead, token) if status == 0 else min(status, OK)
        status = self.followers.is_dead_end(engine, config, transition, transition.after[token], token)
        if status == NOT_KNOWN:
            return self.judge(engine, part, token, dead)
        return vec_push(dead, token) if status > 0 else status

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

    cdef bint begins_unmergeable(self, uint32_t node, uint32_t token) noexcept nogil:
        cdef uint32_t i
        for i in range(self.trie.offsets[token], self.trie.offsets[token + 1]):
            if node >= <uint32_t>NO_NODE or (node and not self.rules.leads_to_unmergeable[node]):
                return False
            node = trie_child(self.trie.nodes, node, self.trie.blob[i])
            if node == 0:
                return False
        return self.rules.leads_to_unmergeable[node]

    cdef int can_end_at(
        self, Engine engine, const Transition* transition, uint32_t outcome, const Config* config
    ) noexcept nogil:
        cdef uint32_t* ends = self.state_ends.data
        cdef int status = self.reach.ends_after(engine, config, ends, &self.lookahead.steps.dependent_answers)
        return self.can_end(engine, config, transition, outcome, ends) if status >= 0 else status

    cdef int can_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, const uint32_t* ends
    ) noexcept nogil:
        cdef CanonicalState at
        if self.meets(transition, outcome, ends):
            return 1
        self.parts.set_outcome(&at, transition, outcome)
        return self.lookahead.boundaries.can_end(engine, config, &at)

    cdef bint meets(self, const Transition* transition, uint32_t outcome, const uint32_t* bits) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint32_t i
        for i in range(words):
            if transition.outcomes[outcome * words + i] & bits[i]:
                return True
        return False
