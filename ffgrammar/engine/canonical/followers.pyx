"""After a string's closing quote few tokens can come. Apart from merges, they are the same after all tokens that end in this
quote, so they are listed once. A token that ends in the quote is a dead end if it can stand before none of the listed tokens. At
many places of a grammar the lists are equal. So what is found about a list and a token is kept for all these places. Where a
place has an outline, it takes the place of the list, because it serves more places (outlines.pyx).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.intern cimport (
    intern_add, intern_bytes, intern_free, intern_get, intern_init, intern_len, intern_truncate, mix64)
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.parts cimport MaskParts
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.outlines cimport NO_OUTLINE, NOT_KNOWN
from ffgrammar.engine.recognizer.recognizer cimport lasting_row
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, CanonicalState

cdef enum:
    # When an incomplete list has left this many questions open, all followers are searched for.
    FEW = 10
    ENTRY_WORDS = 4  # of `listed`
    NOT_NAMED = 0xFFFFFFFF


@cython.final
cdef class Followers:
    """Lists of followers, kept for all matchers of a grammar.

    Args:
        parts: the masks that are made from parts.
        few_texts: the `FewTexts` of this grammar.
    """

    def __cinit__(self, MaskParts parts not None, FewTexts few_texts not None):
        self.parts = parts
        self.lookahead = parts.lookahead
        self.rules = parts.rules
        self.few_texts = few_texts
        vec_init(&self.listed)
        vec_init(&self.words)
        vec_init(&self.named)
        self.place.row = PENDING
        if intern_init(&self.names) < 0 or intern_init(&self.lists) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        intern_free(&self.lists)
        vec_free(&self.listed)
        vec_free(&self.words)
        vec_free(&self.named)

    cdef size_t bytes(self) noexcept nogil:
        return intern_bytes(&self.names) + intern_bytes(&self.lists) + self.listed.cap * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        intern_free(&self.lists)
        vec_free(&self.listed)
        memset(self.verdicts, 0, sizeof(self.verdicts))
        self.forget_place()
        return min(intern_init(&self.names), intern_init(&self.lists))

    cdef int is_dead_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t token
    ) noexcept nogil:
        cdef uint32_t name
        cdef uint32_t* entry
        cdef int status = self.find(engine, config, transition, outcome, &name)
        while status == OK:
            entry = self.listed.data + <size_t>ENTRY_WORDS * name
            status = self.lookahead.outlines.judge(entry[3], token)
            if status != <int>NOT_KNOWN:
                return status if status < 0 else not status
            status = self.is_followed(entry[0], token)
            if status != 0:
                return min(status, OK)
            if entry[1]:
                return 1
            entry[2] += 1
            if entry[2] != FEW or entry[3] != NO_OUTLINE:
                return NOT_KNOWN
            status = self.make_list(engine, config, transition, outcome, True, name)
            if status < 0:
                # (the next question makes the list)
                self.listed.data[<size_t>ENTRY_WORDS * name + 2] = FEW - 1
        return status

    cdef int list_of(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t* number
    ) noexcept nogil:
        cdef uint32_t name
        cdef uint32_t* entry
        cdef int status = self.find(engine, config, transition, outcome, &name)
        if status >= 0:
            entry = self.listed.data + <size_t>ENTRY_WORDS * name
            number[0] = entry[0] if entry[3] == NO_OUTLINE else entry[3] | <uint32_t>OF_OUTLINE
        return min(status, OK)

    cdef int find(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t* name
    ) noexcept nogil:
        cdef uint32_t words = self.rules.outcomes.words
        cdef uint32_t row = lasting_row(&engine.recognizer, config.row)
        cdef int status
        if self.place.row != row or self.place.state != config.state:
            self.forget_place()
            self.named.len = 0
            if vec_fill(&self.named, transition.count, 0xFF) < 0:
                return NO_MEMORY
            self.place.row = row
            self.place.state = config.state
        # (dozens of tokens in a row have few names)
        name[0] = self.named.data[outcome]
        if name[0] != <uint32_t>NOT_NAMED:
            return OK
        self.words.len = 0
        if (vec_push(&self.words, row) < 0 or vec_push(&self.words, config.state) < 0
                or vec_extend(&self.words, transition.outcomes + outcome * words, words) < 0):
            return NO_MEMORY
        status = intern_add(&self.names, self.words.data, self.words.len, name)
        if status > 0:
            status = vec_fill(&self.listed, ENTRY_WORDS, 0)
            if status >= 0:
                status = self.find_outline(engine, config, transition, outcome, name[0])
            if status < 0:
                intern_truncate(&self.names, name[0])
                self.listed.len = <size_t>ENTRY_WORDS * name[0]
        if status >= 0:
            self.named.data[outcome] = name[0]
        return status

    cdef int find_outline(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, uint32_t name
    ) noexcept nogil:
        cdef CanonicalState at
        cdef uint32_t outline
        cdef uint32_t* entry
        cdef int status
        self.parts.set_outcome(&at, transition, outcome)
        at.last = UNCONSTRAINED
        status = self.lookahead.outlines.find(engine, config, &at, &outline)
        if status < 0:
            return status
        entry = self.listed.data + <size_t>ENTRY_WORDS * name
        entry[3] = outline
        if outline == NO_OUTLINE:
            return self.make_list(engine, config, transition, outcome, False, name)
        return NO_MEMORY if intern_add(&self.lists, NULL, 0, &entry[0]) < 0 else OK

    cdef void forget_place(self) noexcept nogil:
        self.place.row = PENDING

    cdef int make_list(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, bint search, uint32_t name,
    ) noexcept nogil:
        cdef size_t answers = self.lookahead.steps.dependent_answers
        cdef CanonicalState at
        cdef uint32_t* entry
        cdef int status
        self.parts.set_outcome(&at, transition, outcome)
        at.last = UNCONSTRAINED
        self.words.len = 0
        if search:
            status = self.lookahead.list_followers(engine, config, &at, &self.words)
        else:
            status = self.few_texts.list_tokens(engine, config, &at, False, True, &self.words)
        if status < 0:
            return status
        entry = self.listed.data + <size_t>ENTRY_WORDS * name
        if self.lookahead.steps.is_text_dependent(config, answers):
            # (for another text the followers may be others, so this name asks for no search any more)
            entry[2] = FEW
            if search:
                return NOT_KNOWN
            self.words.len = 0
            status = NOT_KNOWN
        sort_words(self.words.data, self.words.len)
        if intern_add(&self.lists, self.words.data, self.words.len, &entry[0]) < 0:
            return NO_MEMORY
        entry[1] = status == OK
        return OK

    cdef int judge(self, uint32_t number, uint32_t token) noexcept nogil:
        cdef int status
        if number & <uint32_t>OF_OUTLINE:
            return self.lookahead.outlines.judge(number & ~<uint32_t>OF_OUTLINE, token)
        status = self.is_followed(number, token)
        return status if status != 0 else NOT_KNOWN

    cdef int is_followed(self, uint32_t number, uint32_t token) noexcept nogil:
        cdef uint64_t key = <uint64_t>number << 34 | <uint64_t>token << 2 | 1
        cdef uint64_t* kept = &self.verdicts[mix64(key) % VERDICTS]
        cdef uint32_t i
        cdef int status = 0
        if kept[0] & ~<uint64_t>2 == key:
            return kept[0] >> 1 & 1
        for i in range(intern_len(&self.lists, number)):
            status = self.rules.merges.pair(token, intern_get(&self.lists, number)[i])
            if status != 0:
                break
        if status >= 0:
            kept[0] = key | <uint64_t>status << 1
        return NO_MEMORY if status < 0 else status
