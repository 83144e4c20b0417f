"""A token after which the pre-token cannot end needs a token that can stand beside it, and this one may need another. The tokens
that may come at a place are the same whatever token stands before them, apart from merges. They lead from place to place, so they
are called routes. Whether a sentence goes on after a route's own token is asked once. The routes of a place are listed, and their
verdicts found, as far as questions need them. So inside a property name, what was found for one token serves all that lead into
the same name.

Vocabularies that are merged byte by byte are not served. They come with a pre-tokenizer, so most pre-tokens end soon, and outlines
answer more questions (outlines.pyx). (On cl100k_base, canonical masks along compact documents took 1.06 times the time with
routes.)

What came after a token at one place often can come at another, in other grammars, too. It is tried before routes are listed.

A verdict of 0 means that all routes were tried. Where the routes are too many, only some are listed, and those that do not help
leave the question open. So does a route that leads to a virtual row.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport (
    intern_add, intern_bytes, intern_count, intern_free, intern_get, intern_init, intern_len, intern_truncate)
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init
from ffgrammar.engine.canonical.outlines cimport NOT_KNOWN
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.route_lists cimport (
    ALL, FEW, HINT, NO, NO_PLACE, NOTHING, PERHAPS, ROUTE_WORDS, UNKNOWN, YES, Route, RouteList, RouteLists)
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.tokens.bpe.known_predecessors cimport ROWS
from ffgrammar.tokens.canonical.rules cimport MAX_HYPOTHESES, NO_NODE, ROUTE_HINTS, UNCONSTRAINED

cdef enum:
    NOT_ASKED = 0xFFFFFFFF  # in `ends`

    MAX_OPENED = 64  # places that may be opened for one question
    MAX_GUESSES = 8  # hints that may be tried for one question


@cython.final
cdef class Routes:
    """The routes of a grammar.

    Args:
        boundaries: the grammar's searches for ends of pre-tokens.
        reach: the grammar's `Reach`.
    """

    def __cinit__(self, Boundaries boundaries not None, Reach reach not None):
        self.rules = boundaries.rules
        self.steps = boundaries.steps
        self.boundaries = boundaries
        self.reach = reach
        self.lists = RouteLists(boundaries)
        self.known = self.rules.known_predecessors
        vec_init(&self.places)
        vec_init(&self.ends)
        if intern_init(&self.names) < 0 or vec_fill(&self.ends, self.rules.outcomes.words, 0) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        vec_free(&self.places)
        vec_free(&self.ends)

    cdef size_t bytes(self) noexcept nogil:
        return intern_bytes(&self.names) + self.places.cap * sizeof(uint32_t) + self.lists.bytes()

    cdef int clear(self) noexcept nogil:
        intern_free(&self.names)
        vec_free(&self.places)
        self.lists.clear()
        return intern_init(&self.names)

    cdef void begin(self) noexcept nogil:
        self.room = MAX_OPENED
        self.guesses = MAX_GUESSES

    cdef bint serves(self, Engine engine, const Config* config) noexcept nogil:
        # (virtual rows do not last; nodes of unmergeable tokens would be part of a place)
        return self.rules.merges.by_characters and not (
            config.row & VIRTUAL or config.row == PENDING or engine.completability.enabled or self.rules.has_unmergeable)

    cdef int judge(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token) noexcept nogil:
        cdef uint32_t number
        cdef int status
        if at.character.need or not self.serves(engine, config):
            return NOT_KNOWN
        status = self.find_place(config, at, &number)
        return self.goes_on(engine, number, token) if status >= 0 else status

    cdef int can_end_at(self, Engine engine, uint32_t number) noexcept nogil:
        cdef Place* place = <Place*>self.places.data + number
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef CanonicalState at
        cdef Config config
        cdef int status
        if place.ends == <uint32_t>NOT_ASKED:
            self.read_place(number, &config, &at)
            status = self.can_end(engine, &config, &at)
            trace_release(&engine.recognizer.trace, &mark)
            if status < 0:
                return status
            place.ends = <uint32_t>status
        return <int>place.ends

    cdef int find_place(self, const Config* config, const CanonicalState* at, uint32_t* number) noexcept nogil:
        cdef uint32_t[2 + MAX_HYPOTHESES] words
        cdef Place place
        cdef uint32_t i
        cdef int status
        words[0] = config.row
        words[1] = config.state
        for i in range(at.count):
            words[2 + i] = at.hypothesis[i]
        status = intern_add(&self.names, words, 2 + <size_t>at.count, number)
        if status > 0:
            place.ends = NOT_ASKED
            place.routes = place.count = place.listed = place.noted = 0
            place.row = ROWS
            status = vec_extend(&self.places, <const uint32_t*>&place, PLACE_WORDS)
            if status < 0:
                intern_truncate(&self.names, intern_count(&self.names) - 1)
        return min(status, OK)

    cdef void read_place(self, uint32_t number, Config* config, CanonicalState* at) noexcept nogil:
        cdef const uint32_t* words = intern_get(&self.names, number)
        cdef uint32_t i
        self.rules.begin(at)
        config.row = words[0]
        config.state = words[1]
        at.last = UNCONSTRAINED
        at.count = <uint8_t>(intern_len(&self.names, number) - 2)
        for i in range(at.count):
            at.hypothesis[i] = <uint16_t>words[2 + i]
            at.node[i] = NO_NODE

    cdef int goes_on(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil:
        cdef size_t answers = self.steps.dependent_answers
        cdef int status = 1 if self.is_known(number, token) else self.ask_routes(engine, number, token)
        # (what comes after a row that is not virtual does not depend on the text before it)
        self.steps.dependent_answers = answers
        return status

    cdef int ask_routes(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil:
        cdef uint32_t listed
        cdef int status = self.can_end_at(engine, number)
        if status != 0:
            return status
        if (<Place*>self.places.data)[number].listed == HINT:
            status = self.try_listed(engine, number, token)
            if status != NOT_KNOWN:
                return status
        listed = (<Place*>self.places.data)[number].listed
        if listed <= <uint32_t>HINT:
            status = self.try_hint(engine, number, token)
            if status != NOT_KNOWN:
                return status
            if self.room == 0:
                return NOT_KNOWN
            self.room -= 1
            status = self.list_routes(engine, number, False)
            if status < 0:
                return status
        status = self.try_listed(engine, number, token)
        if status == NOT_KNOWN and (<Place*>self.places.data)[number].listed == FEW and self.room:
            if listed == FEW:
                status = self.try_hint(engine, number, token)
                if status != NOT_KNOWN:
                    return status
            status = self.list_routes(engine, number, True)
            if status >= 0:
                status = self.try_listed(engine, number, token)
        return status

    cdef int try_hint(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil:
        cdef uint64_t hint = atomic_load_word(&self.rules.route_hints[token % ROUTE_HINTS])
        cdef Place* place
        cdef Route route
        cdef int status
        route.token = <uint32_t>hint
        if hint >> 32 != token or route.token == 0 or self.guesses == 0:
            return NOT_KNOWN
        self.guesses -= 1
        status = self.find_next_place(engine, number, route.token, &route.place)
        if status > 0:
            status = self.goes_on(engine, route.place, route.token)
        if status != 1:
            return NOT_KNOWN if status >= 0 else status
        self.note(number, token, route.token)
        route.verdict = YES
        if (<Place*>self.places.data)[number].listed == NOTHING:
            if vec_extend(&self.lists.routes, <const uint32_t*>&route, ROUTE_WORDS) < 0:
                return NO_MEMORY
            place = <Place*>self.places.data + number
            place.routes = <uint32_t>self.lists.routes.len - ROUTE_WORDS
            place.count = 1
            place.listed = HINT
        return 1

    cdef void note(self, uint32_t number, uint32_t token, uint32_t route) noexcept nogil:
        cdef Place* place = <Place*>self.places.data + number
        atomic_put_word(&self.rules.route_hints[token % ROUTE_HINTS], <uint64_t>token << 32 | route)
        if place.noted < <uint32_t>NOTES_BEFORE:
            # (at most places few tokens are asked about, and rows are few)
            place.noted += 1
            if place.noted == <uint32_t>NOTES_BEFORE:
                place.row = self.known.find_row(route)
        elif place.row < <uint32_t>ROWS and self.known.is_about(place.row, route):
            self.known.add(place.row, token)

    cdef int try_listed(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil:
        cdef const Place* place = <const Place*>self.places.data + number
        cdef const Route* route = <const Route*>(self.lists.routes.data + place.routes)
        cdef uint32_t listed = place.listed
        cdef uint32_t i
        cdef int status
        for i in range(place.count):
            if route[i].verdict == YES:
                status = self.rules.merges.pair(token, route[i].token)
                if status > 0:
                    self.note(number, token, route[i].token)
                if status != 0:
                    return NO_MEMORY if status < 0 else 1
        # (the places may move)
        status = self.try_unknown(engine, number, token)
        return NOT_KNOWN if status == 0 and listed != <uint32_t>ALL else status

    cdef int try_unknown(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil:
        cdef uint32_t base = (<const Place*>self.places.data)[number].routes
        cdef uint32_t count = (<const Place*>self.places.data)[number].count
        cdef int result = 0
        cdef Route* route
        cdef int status
        # (the last ones begin with other characters than blanks)
        while count:
            count -= 1
            route = <Route*>(self.lists.routes.data + base) + count
            if route.verdict == YES or route.verdict == NO:
                continue
            status = self.rules.merges.reached(route.token)
            if status == 0:
                # (a token that merges do not make cannot go on with a pre-token)
                route.verdict = NO
            elif status > 0:
                status = self.rules.merges.pair(token, route.token)
            if status < 0:
                return NO_MEMORY
            if status == 0:
                continue
            if route.verdict == PERHAPS:
                result = NOT_KNOWN
                continue
            if self.room == 0:
                return NOT_KNOWN
            if route.place == <uint32_t>NO_PLACE:
                status = self.find_next_place(engine, number, route.token, &route.place)
                if status < 0:
                    return status
            route.verdict = PERHAPS
            status = self.goes_on(engine, route.place, route.token)
            # (the routes may have moved)
            route = <Route*>(self.lists.routes.data + base) + count
            route.verdict = UNKNOWN if status < 0 else YES if status == 1 else NO if status == 0 else PERHAPS
            if status == 1:
                self.note(number, token, route.token)
            if status < 0 or status == 1:
                return status
            result = max(result, status)
        return result

    cdef int find_next_place(self, Engine engine, uint32_t number, uint32_t token, uint32_t* next) noexcept nogil:
        cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
        cdef CanonicalState at
        cdef Config config
        cdef uint32_t i
        cdef int status = 1
        self.read_place(number, &config, &at)
        self.rules.start(&at, False)
        for i in range(self.rules.trie.offsets[token], self.rules.trie.offsets[token + 1]):
            status = self.steps.step(engine, &config, self.rules.trie.blob[i])
            if status <= 0 or not self.rules.feed(&at, self.rules.trie.blob[i]):
                status = min(status, 0)
                break
        trace_release(&engine.recognizer.trace, &mark)
        if status <= 0 or at.character.need or config.row & VIRTUAL or self.rules.is_misspelt(&at, token):
            return min(status, 0)
        status = self.find_place(&config, &at, next)
        return status if status < 0 else 1

    cdef int list_routes(self, Engine engine, uint32_t number, bint more) noexcept nogil:
        cdef Place* place = <Place*>self.places.data + number
        cdef RouteList found
        cdef int status
        self.read_place(number, &self.lists.configs[0], &self.lists.states[0])
        found = RouteList(place.routes, place.count, place.listed)
        status = self.lists.list_all(engine, &found) if more else self.lists.list_some(engine, &found)
        if status >= 0:
            place.routes = found.first
            place.count = found.count
            place.listed = found.listed
        return min(status, OK)

    cdef int can_end(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef uint32_t i
        # (most often the lexer alone tells)
        cdef int status = self.reach.ends_after(engine, config, self.ends.data, &self.steps.dependent_answers)
        for i in range(at.count if status >= 0 else 0):
            if bit_test(self.ends.data, at.hypothesis[i]):
                return 1
        return self.boundaries.can_end(engine, config, at) if status >= 0 else status
