"""Whether a sentence goes on after a token is most often seen from one text. A *witness* is a short text that the grammar lets
come, and after which the pre-token can end. The tokens of the witness are the tokenizer's own, so a sentence goes on after each
token that can stand beside the first of them. No search over tokens is needed.

A search goes from byte to byte. Inside a lexeme it is breadth-first. Where a lexeme has ended, it first goes on from there. All
places on the way to the end have a witness then, too. What the search finds is confirmed with the rules, so it may miss a witness,
but a token that it finds is certain.

On Gemma 3, a mask before a string that must be a URL took 25 ms, and takes 6 µs.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.compare cimport bits_unlike
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init
from ffgrammar.engine.recognizer.recognizer cimport config_key
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE
from ffgrammar.tokens.bpe.ids cimport BPE_NO_MEMORY, BPE_OK, Ids

cdef enum:
    # in `next` of a spot
    NOT_KNOWN = 0xFFFFFFFF
    AT_END = 0xFFFFFFFE
    NO_WAY = 0xFFFFFFFD   # none was found within the bounds

    MAX_SPOTS = 128       # that a search looks at


@cython.final
cdef class Witnesses:
    """The witnesses of a grammar.

    Args:
        boundaries: the grammar's searches for ends of pre-tokens.
    """

    def __cinit__(self, Boundaries boundaries not None):
        self.rules = boundaries.rules
        self.steps = boundaries.steps
        self.boundaries = boundaries
        self.ids = Ids(NULL, 0, 0)
        vec_init(&self.spots)
        if map_init(&self.numbers) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.numbers)
        vec_free(&self.spots)
        free(self.ids.items)

    cdef size_t bytes(self) noexcept nogil:
        return map_bytes(&self.numbers) + self.spots.cap * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        map_clear(&self.numbers)
        vec_free(&self.spots)
        return OK

    cdef int has_witness(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef uint32_t number
        cdef int status = self.spot_of(config, &number)
        self.hypothesis = at.hypothesis[0]
        if status >= 0:
            status = self.find_way(engine, number)
        return (<const Spot*>self.spots.data)[number].next != <uint32_t>NO_WAY if status >= 0 else status

    cdef int first_token(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t byte, uint32_t* token
    ) noexcept nogil:
        cdef Config moved = config[0]
        cdef int count
        cdef int status = self.steps.step(engine, &moved, byte)
        if status <= 0 or moved.row & VIRTUAL:
            return min(status, 0)
        self.hypothesis = at.hypothesis[0]
        self.text[0] = <uint8_t>byte
        count = self.write_text(engine, &moved, 1)
        if count <= 0:
            return count
        self.ids.count = 0
        status = self.rules.merges.encode(self.text, <size_t>count, False, &self.ids)
        if status != BPE_OK:
            return NO_MEMORY if status == BPE_NO_MEMORY else 0
        token[0] = self.ids.items[0]
        return self.confirm(engine, config, at)

    cdef int confirm(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil:
        cdef CanonicalState after = at[0]
        cdef Config moved = config[0]
        cdef size_t i
        cdef int status
        for i in range(self.ids.count):
            status = self.boundaries.take(engine, &moved, &after, self.ids.items[i])
            if status <= 0:
                return status
        return self.boundaries.can_end(engine, &moved, &after)

    cdef int write_text(self, Engine engine, const Config* config, uint32_t count) noexcept nogil:
        cdef const Spot* spot
        cdef uint32_t number
        cdef int status = self.spot_of(config, &number)
        if status >= 0:
            status = self.find_way(engine, number)
        if status < 0:
            return status
        while True:
            spot = <const Spot*>self.spots.data + number
            if spot.next == <uint32_t>AT_END:
                return <int>count
            if spot.next >= <uint32_t>NO_WAY or count == MAX_WITNESS:
                return 0
            self.text[count] = <uint8_t>spot.byte
            count += 1
            number = spot.next

    cdef int find_way(self, Engine engine, uint32_t number) noexcept nogil:
        cdef Spot* spot = <Spot*>self.spots.data + number
        cdef uint32_t left = MAX_SPOTS
        cdef uint32_t at
        cdef int status
        if spot.next != <uint32_t>NOT_KNOWN:
            return OK
        self.begin_search()
        self.add_spot(number, 0)
        at = self.take_spot()
        while at != ABSENT and left:
            left -= 1
            spot = <Spot*>self.spots.data + at
            if spot.next == <uint32_t>NOT_KNOWN:
                status = self.is_end(engine, &spot.config)
                if status < 0:
                    return status
                if status:
                    spot.next = AT_END
            if spot.next == <uint32_t>NOT_KNOWN:
                status = self.go_on(engine, at)
                if status < 0:
                    return status
            elif spot.next != <uint32_t>NO_WAY:
                self.note_way(number, at)
                return OK
            at = self.take_spot()
        (<Spot*>self.spots.data)[number].next = NO_WAY
        return OK

    cdef void begin_search(self) noexcept nogil:
        self.search += 1
        self.level = 0
        memset(self.first, 0xFF, sizeof(self.first))

    cdef void add_spot(self, uint32_t number, uint32_t level) noexcept nogil:
        cdef Spot* spots = <Spot*>self.spots.data
        spots[number].seen = self.search
        spots[number].level = level
        spots[number].link = ABSENT
        if self.first[level] == ABSENT:
            self.first[level] = number
        else:
            spots[self.last[level]].link = number
        self.last[level] = number
        self.level = max(self.level, level)

    cdef uint32_t take_spot(self) noexcept nogil:
        cdef uint32_t found
        while self.level and self.first[self.level] == ABSENT:
            self.level -= 1
        found = self.first[self.level]
        if found != ABSENT:
            self.first[self.level] = (<const Spot*>self.spots.data)[found].link
        return found

    cdef void note_way(self, uint32_t number, uint32_t at) noexcept nogil:
        cdef Spot* spots = <Spot*>self.spots.data
        cdef uint32_t before
        while at != number:
            before = spots[at].before
            spots[before].next = at
            spots[before].byte = spots[at].through
            at = before

    cdef int go_on(self, Engine engine, uint32_t number) noexcept nogil:
        cdef Config config = (<const Spot*>self.spots.data)[number].config
        cdef uint32_t[8] bytes
        cdef uint32_t word, byte, target
        cdef int status = self.steps.find_next_bytes(engine, &config, bytes)
        if status < 0:
            return status
        for word in range(1, 4):
            while bytes[word]:
                byte = word << 5 | lowest_bit(bytes[word])
                bytes[word] &= bytes[word] - 1
                status = self.add_next(engine, number, byte)
                if status < 0:
                    return status
                target = engine.recognizer.dfa.delta.data[config.state + byte]
                if target <= LAST_STATE:
                    bytes[word] &= bits_unlike(engine.recognizer.dfa.delta.data + config.state + 32 * word, target)
        return OK

    cdef int add_next(self, Engine engine, uint32_t number, uint32_t byte) noexcept nogil:
        cdef Config config = (<const Spot*>self.spots.data)[number].config
        cdef uint32_t row = config.row
        cdef Spot* spot
        cdef uint32_t next, level
        cdef int status = self.steps.step(engine, &config, byte)
        if status <= 0 or config.row & VIRTUAL:
            return min(status, OK)
        status = self.spot_of(&config, &next)
        if status < 0:
            return status
        spot = <Spot*>self.spots.data + next
        if spot.seen != self.search:
            spot.before = number
            spot.through = byte
            level = (<const Spot*>self.spots.data)[number].level
            self.add_spot(next, min(level + (config.row != row), <uint32_t>MAX_LEVELS - 1))
        return OK

    cdef int is_end(self, Engine engine, const Config* config) noexcept nogil:
        cdef int status = self.boundaries.ends_inside(engine, config, self.hypothesis)
        return status if status != 0 else self.steps.accepting(engine, config)

    cdef int spot_of(self, const Config* config, uint32_t* number) noexcept nogil:
        cdef Spot spot
        number[0] = map_get(&self.numbers, config_key(config))
        if number[0] != ABSENT:
            return OK
        number[0] = <uint32_t>(self.spots.len // SPOT_WORDS)
        spot.config = config[0]
        spot.next = NOT_KNOWN
        spot.byte = spot.before = spot.through = spot.seen = spot.level = spot.link = 0
        if vec_extend(&self.spots, <const uint32_t*>&spot, SPOT_WORDS) < 0:
            return NO_MEMORY
        if map_put(&self.numbers, config_key(config), number[0]) < 0:
            self.spots.len -= SPOT_WORDS
            return NO_MEMORY
        return OK
