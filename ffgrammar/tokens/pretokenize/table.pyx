"""A pre-tokenizer as a table: where the pre-tokens of a text end, and which of these ends are settled whatever text follows.

    table = PretokenTable(pattern)       # see pattern.py for what can be read
    table.ends_of(b"one two")            # [3, 7] with a pattern that takes the space with the word
    table.settled(b"one two")            # (3, a state): " two" may go on

This is the automaton of automaton.py, made when the tokenizer's rules are first needed. `next_end` cuts a whole text, and looks
ahead in it. A text that may go on needs all hypotheses about it: `settled` follows them, and so do the rules of canonical
sequences (tokens/canonical/rules.pyx).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from ffgrammar.core.utf8 cimport LAST_CODE, Utf8, utf8_step
from ffgrammar.tokens.pretokenize.builtin cimport char_classes

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.automaton import make_automata
from ffgrammar.tokens.pretokenize.boundaries import Automaton
from ffgrammar.tokens.pretokenize.split import Split


cdef enum:
    # How many hypotheses `settled` follows. It keeps those apart that differ only in where the pre-token began, so there may be
    # more than MAX_HYPOTHESES.
    MAX_OPEN = 16


cdef struct Hypothesis:
    uint16_t state
    uint16_t before  # the state before the pre-token began
    size_t start     # where the pre-token began, as an offset in bytes


def automata_of(splits not None, space=None):
    """The automata of patterns (`make_automata`).

    Args:
        splits: the patterns, one after another.
        space: a character that stands for the space in the patterns. No text has this character itself.

    Raises:
        TokenizerError: a pattern cannot be read, or there are too many patterns, states or open hypotheses.
    """
    if len(splits) > MAX_LEVELS:
        raise TokenizerError(f"pre-tokenizer: more than {MAX_LEVELS} patterns one after another")
    return make_automata(splits, char_classes(), space)


@cython.final
cdef class PretokenTable:
    """Finds where the pre-tokens of a text end.

    Args:
        pattern: the pattern of a pre-tokenizer (see pattern.py for what can be read), or several `Split`, one after another, or
            what `automata_of` has made of them.
        space: a character that stands for the space in the patterns. No text has this character itself.
        is_part: whether the table is that of one pattern among several, which only cuts whole texts.

    Raises:
        TokenizerError: a pattern cannot be read, or there are too many patterns, states or open hypotheses.
    """

    def __cinit__(self, pattern not None, space=None, bint is_part=False):
        cdef PretokenTable above = None
        cdef PretokenTable one
        automata = [Split(pattern)] if isinstance(pattern, str) else list(pattern)
        if not automata or not isinstance(automata[0], Automaton):
            automata = automata_of(automata, space)
        # (the first one is that of all patterns together)
        if len(automata) > MAX_LEVELS + 1:
            raise TokenizerError(f"pre-tokenizer: more than {MAX_LEVELS} automata")
        self.kinds = char_classes()
        self.load(automata[0])
        if not is_part:
            self.find_classes()
            self.find_live()
        self.has_gaps = automata[0].gaps
        self.makes_atoms = automata[0].finds_atoms
        for automaton in automata[1:]:
            one = PretokenTable([automaton], is_part=True)
            if above is None:
                self.first = one
                self.is_composed = True
            else:
                above.below = one
                above.has_below = True
            above = one

    cdef int load(self, object found) except -1:
        cdef size_t i
        self.load_successors(found)
        self.load_alphabet(found.alphabet)
        for i in range(128):
            self.ascii[i] = self.search(<uint32_t>i)
        return 0

    cdef int load_successors(self, object found) except -1:
        cdef size_t i
        cdef bytes matches = found.matches, final = found.final, atoms = found.atoms, to = found.to
        self.classes = found.alphabet.size
        self.states = len(final)
        self.size = <size_t>self.states * self.classes
        self.ways = found.ways
        self.stays = found.stays
        if not (0 < self.classes <= 256 and 0 < self.states < DEAD and 0 < self.stays <= self.ways
                and <size_t>len(to) == self.size * self.ways * sizeof(uint16_t)
                and len(matches) in (0, self.size) and <size_t>len(atoms) == self.states):
            raise TokenizerError("pre-tokenizer: an automaton is damaged")
        self.to = <uint16_t*>calloc(self.size * self.ways, sizeof(uint16_t))
        self.matches = <uint8_t*>calloc(self.size, 1)
        self.final = <uint8_t*>calloc(self.states, 1)
        self.atoms = <uint8_t*>calloc(self.states, 1)
        self.live_on = <uint64_t*>calloc(self.states, sizeof(uint64_t))
        self.live_ends = <uint64_t*>calloc(self.states, sizeof(uint64_t))
        if not (self.to and self.matches and self.final and self.atoms and self.live_on and self.live_ends):
            raise MemoryError
        memcpy(self.to, <const char*>to, len(to))
        memcpy(self.matches, <const char*>matches, len(matches))
        memcpy(self.final, <const char*>final, self.states)
        memcpy(self.atoms, <const char*>atoms, self.states)
        for i in range(self.states):
            self.has_atoms = self.has_atoms or self.atoms[i]
        for i in range(self.size * self.ways):
            if self.to[i] >= self.states and self.to[i] != DEAD:
                raise TokenizerError("pre-tokenizer: an automaton is damaged")
        return 0

    cdef int load_alphabet(self, object alphabet) except -1:
        cdef size_t i
        self.range_count = len(alphabet.ranges)
        self.ranges = <Range*>calloc(self.range_count or 1, sizeof(Range))
        self.there = <uint64_t*>calloc((LAST_CODE >> 6) + 1, sizeof(uint64_t))
        self.there_wide = <uint64_t*>calloc((LAST_CODE >> 12) + 1, sizeof(uint64_t))
        if not (self.ranges and self.there and self.there_wide):
            raise MemoryError
        self.load_classes(self.of_kind, alphabet.of_kind)
        for i, (first, last, by_kind) in enumerate(alphabet.ranges):
            self.ranges[i].first = first
            self.ranges[i].last = last
            if last < first or last > LAST_CODE or (i and self.ranges[i - 1].last >= first):
                raise TokenizerError("pre-tokenizer: an alphabet is damaged")
            self.load_classes(self.ranges[i].by_kind, by_kind)
        return 0

    cdef int load_classes(self, uint8_t* by_kind, bytes given) except -1:
        if len(given) != 256 or max(given) >= self.classes:
            raise TokenizerError("pre-tokenizer: an alphabet is damaged")
        memcpy(by_kind, <const char*>given, 256)
        return 0

    def __dealloc__(self):
        free(self.to)
        free(self.matches)
        free(self.final)
        free(self.atoms)
        free(self.ranges)
        free(self.there)
        free(self.there_wide)
        free(self.live_on)
        free(self.live_ends)

    cdef void find_classes(self) noexcept nogil:
        """Fill `there` and `there_wide`."""
        cdef uint64_t one = 1
        cdef uint32_t block, code, at
        cdef uint32_t named = 0  # the first range that does not end before the block
        for block in range((LAST_CODE >> 6) + 1):
            while named < self.range_count and self.ranges[named].last >> 6 < block:
                named += 1
            at = block & ~<uint32_t>3
            # `kinds` stores equal runs of 256 code points once. A block has 64 code points, and lies in one such run. If this run
            # equals the run before it, and the pattern names no code point of the two runs, then the block has the same classes
            # as the block four before it.
            if (block >= 4 and self.kinds.first[block >> 2] == self.kinds.first[(block >> 2) - 1]
                    and (named == self.range_count or self.ranges[named].first >> 8 > block >> 2)
                    and not self.has_names(at - 4)):
                self.there[block] = self.there[block - 4]
            elif named == self.range_count or self.ranges[named].first >> 6 > block:
                for code in range(block << 6, (block + 1) << 6):
                    self.there[block] |= one << (self.of_kind[self.kind_of(code)] & 63)
            else:
                for code in range(block << 6, (block + 1) << 6):
                    self.there[block] |= one << (self.class_of(code) & 63)
            if self.classes > 64:
                self.there[block] = ~<uint64_t>0
            self.there_wide[block >> 6] |= self.there[block]

    cdef void find_live(self) noexcept nogil:
        """Fill `live_on` and `live_ends`."""
        cdef uint64_t one = 1
        cdef uint64_t* live
        cdef uint32_t way, state, character
        for way in range(self.ways):
            live = self.live_on if way < self.stays else self.live_ends
            for state in range(self.states):
                for character in range(self.classes):
                    if successor(self, way, state, character) != DEAD:
                        live[state] |= one << (character & 63)

    cdef bint has_names(self, uint32_t block) noexcept nogil:
        cdef uint32_t i
        for i in range(self.range_count):
            if self.ranges[i].first >> 6 < block + 4 and self.ranges[i].last >> 6 >= block:
                return True
        return False

    cdef uint64_t possible(self, const Utf8* part) noexcept nogil:
        cdef uint64_t found = 0
        cdef uint32_t byte
        if part.need == 1:
            return self.there[part.code]
        if part.need == 2 and part.low == 0x80 and part.high == 0xBF:
            return self.there_wide[part.code]
        for byte in range(part.low, <uint32_t>part.high + 1):
            if part.need == 2:
                found |= self.there[part.code << 6 | (byte & 0x3F)]
            else:
                found |= self.there_wide[part.code << 6 | (byte & 0x3F)]
        return found

    cdef uint32_t kind_of(self, uint32_t code) noexcept nogil:
        return self.kinds.blocks[<uint32_t>self.kinds.first[code >> 8] << 8 | (code & 0xFF)]

    cdef uint32_t search(self, uint32_t code) noexcept nogil:
        cdef uint32_t kind = self.kind_of(code)
        cdef uint32_t low = 0
        cdef uint32_t high = self.range_count
        cdef uint32_t middle
        while low < high:
            middle = (low + high) >> 1
            if self.ranges[middle].last < code:
                low = middle + 1
            else:
                high = middle
        if low < self.range_count and self.ranges[low].first <= code:
            return self.ranges[low].by_kind[kind]
        return self.of_kind[kind]

    cdef uint32_t class_of(self, uint32_t code) noexcept nogil:
        return self.ascii[code] if code < 128 else self.search(code)

    cdef size_t match_end(self, const uint8_t* text, size_t at, size_t count) noexcept nogil:
        cdef size_t after = at
        cdef size_t matched = at
        cdef uint32_t state = 0
        cdef uint32_t character
        cdef Utf8 utf8
        utf8.need = 0
        while at < count:
            after = at
            while True:
                if after == count or not utf8_step(&utf8, text[after]):
                    return 0
                after += 1
                if not utf8.need:
                    break
            character = self.class_of(utf8.code)
            if self.matches[state * self.classes + character]:
                matched = at
            state = self.to[state * self.classes + character]
            if state == DEAD:
                break
            at = after
        if at == count and self.final[state]:
            matched = count
        return matched

    cdef size_t level_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil:
        if stops[0] <= at:
            # (an atom is not cut further, so it can only be found here)
            stops[0] = self.pretoken_end(text, at, count, atom)
            if atom[0]:
                return stops[0]
        if stops[0] == 0 or not self.has_below:
            return stops[0]
        return self.below.level_end(text, at, stops[0], stops + 1, atom)

    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, bint* atom) noexcept nogil:
        cdef Utf8 utf8
        cdef size_t after = self.match_end(text, at, count)
        atom[0] = self.makes_atoms and after > at
        if after != at:
            return after
        # A gap goes on up to the next match. (Without gaps, only a character that is in no text has no match. Such
        # a character is a pre-token.)
        utf8.need = 0
        while after < count:
            while True:
                if after == count or not utf8_step(&utf8, text[after]):
                    return 0
                after += 1
                if not utf8.need:
                    break
            if not self.has_gaps or after == count:
                return after
            at = after
            after = self.match_end(text, at, count)
            if after != at:
                return at if after else 0
        return after

    cdef size_t next_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil:
        atom[0] = False
        if self.is_composed:
            return self.first.level_end(text, at, count, stops, atom)
        return self.pretoken_end(text, at, count, atom)

    def ends_of(self, bytes data not None):
        """Where the pre-tokens of a text end, as ascending byte offsets. Raises TokenizerError if the text is not UTF-8."""
        cdef const uint8_t* text = data
        cdef size_t count = len(data)
        cdef size_t at = 0
        cdef size_t[MAX_LEVELS] stops
        cdef bint atom
        cdef list found = []
        memset(stops, 0, sizeof(stops))
        while at < count:
            at = self.next_end(text, at, count, stops, &atom)
            if at == 0:
                raise TokenizerError("the text is not UTF-8")
            found.append(at)
        return found

    def settled(self, bytes data not None):
        """(how many bytes at the start of a text are pre-tokens that no further text can change, the state before the next
        pre-token).

        Raises:
            TokenizerError: no UTF-8 text begins with `data`, or more than MAX_OPEN hypotheses are open.
        """
        cdef const uint8_t* text = data
        cdef size_t at = 0, open = 1, begun = 0, settled = 0
        cdef Hypothesis[2 * MAX_OPEN] hypotheses
        cdef uint16_t before = 0
        cdef Utf8 utf8
        utf8.need = 0
        hypotheses[0] = Hypothesis(0, 0, 0)
        while at < <size_t>len(data):
            if not utf8_step(&utf8, text[at]):
                raise TokenizerError(f"byte {at}: no UTF-8 text begins so")
            at += 1
            if utf8.need:
                continue
            open = advance(self, hypotheses, open, self.class_of(utf8.code), begun)
            if open > MAX_OPEN:
                raise TokenizerError(f"byte {at}: more than {MAX_OPEN} ways to cut the text into pre-tokens are open")
            if open == 1 and hypotheses[0].start:
                settled = hypotheses[0].start
                before = hypotheses[0].before
            begun = at
        return settled, before


cdef size_t advance(
    PretokenTable table, Hypothesis* hypotheses, size_t count, uint32_t character, size_t at
) noexcept nogil:
    """Replace hypotheses by what they become with the next character. This character begins at the offset `at`, and its class
    is `character`. The array has room for 2 * MAX_OPEN hypotheses; what does not fit is left out. Returns how many there are."""
    cdef Hypothesis[MAX_OPEN] old
    cdef size_t found = 0, i
    cdef uint32_t way, state
    for i in range(count):
        old[i] = hypotheses[i]
    for i in range(count):
        for way in range(table.ways):
            state = successor(table, way, old[i].state, character)
            if state == DEAD or found == 2 * MAX_OPEN:
                continue
            hypotheses[found] = old[i]
            hypotheses[found].state = <uint16_t>state
            if way >= table.stays:
                hypotheses[found].before = old[i].state
                hypotheses[found].start = at
            found += 1
    return found
