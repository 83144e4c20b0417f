"""A canonical mask is the grammar's own mask, sifted: a token comes if the grammar allows it and the rules let it follow
(tokens/canonical/sieve.pyx). What the grammar allows and what the rules let follow are both masks, known or quickly found. So
sifting is a bitwise AND. Then the dead ends are taken out (dead_ends.pyx). They depend on the grammar's configuration and the
sieve, so they are found once and kept. On virtual rows they are kept only if they do not depend on the text. (In a schema whose
document is an array with `uniqueItems`, a canonical mask takes 0.18 ms so. It takes 0.43 ms if all masks on virtual rows are made
from parts.)

Some masks cannot be made in this way. They are made from parts (parts.pyx).
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_free, intern_init
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.canonical.dead_ends cimport NOT_FOUND
from ffgrammar.engine.canonical.inside cimport IN_PARTS
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.canonical.sift_words cimport sift_words
from ffgrammar.engine.canonical.spelled cimport Spelled
from ffgrammar.engine.masks.compute cimport masks_find
from ffgrammar.engine.masks.mask_cache cimport DENSE, mask_release
from ffgrammar.engine.recognizer.completability cimport add_special_tokens
from ffgrammar.engine.recognizer.recognizer cimport lasting_row, recognizer_accepting
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release
from ffgrammar.tokens.canonical.rules cimport NO_NODE, UNCONSTRAINED
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport GOES_ON

cdef enum:
    # A mask with at most this many tokens is judged without a sieve. (Compact JSON begins with 3 or 4 tokens and indented JSON
    # with 100. On Gemma 3 these 100 would take 0.2 ms longer for each grammar.)
    FEW = 32
    # From this many tokens on, those that can stand beside the last token are told from a mask.
    MANY = 64


@cython.final
cdef class CanonicalMasks:
    """The canonical masks of a grammar.

    Args:
        lookahead: the grammar's look-ahead.
        max_bytes: when the kept dead ends and losses take more than this, they are dropped. The kept parts may take as
            much again.
    """

    def __cinit__(self, Lookahead lookahead not None, size_t max_bytes):
        self.lookahead = lookahead
        self.rules = lookahead.rules
        self.trie = lookahead.rules.trie
        self.max_bytes = max_bytes
        self.parts = MaskParts(lookahead, max_bytes)
        self.dead_ends = DeadEnds(self.parts)
        self.spelled = Spelled(lookahead.rules)
        vec_init(&self.offsets)
        vec_init(&self.lost)
        vec_init(&self.later)
        if intern_init(&self.names) < 0:
            raise MemoryError

    def __dealloc__(self):
        intern_free(&self.names)
        vec_free(&self.offsets)
        vec_free(&self.lost)
        vec_free(&self.later)

    cdef int enter(self, Engine engine) noexcept nogil:
        cdef size_t held = intern_bytes(&self.names) + (self.offsets.cap + self.lost.cap) * sizeof(uint32_t)
        held += self.spelled.bytes()
        if (self.generation != engine.generation or self.cleared != self.lookahead.outlines.cleared
                or held + self.dead_ends.bytes() > self.max_bytes):
            # (followers and groups are about the numbers of outlines)
            self.generation = engine.generation
            self.cleared = self.lookahead.outlines.cleared
            self.noted = False
            intern_free(&self.names)
            vec_free(&self.offsets)
            vec_free(&self.lost)
            if intern_init(&self.names) < 0:
                return NO_MEMORY
            self.spelled.clear()
            return self.dead_ends.clear()
        return OK

    cdef int fill(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, Room room, uint32_t* words, size_t count,
    ) noexcept:
        cdef int status
        self.room = self.parts.room = room
        self.dead_ends.leads.enter(room)
        status = self.make(engine, config, at, sieve, words, count)
        self.room = self.parts.room = self.dead_ends.leads.room = None
        return status

    cdef int make(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, uint32_t* words, size_t count,
    ) noexcept:
        cdef uint32_t n_words = self.trie.n_words
        cdef uint32_t i
        cdef int status
        self.noted = False
        if sieve is None or config.row == PENDING or engine.completability.enabled:
            status = self.fill_from_parts(engine, config, at, sieve, words)
        else:
            status = self.fill_tokens(engine, config, at, sieve, words)
        if status < 0:
            return status
        memset(words + n_words, 0, (count - n_words) * sizeof(uint32_t))
        if self.rules.is_whole(at):
            status = self.lookahead.steps.accepting(engine, config)
            if status > 0 and engine.tables.rules.token_classes.len:
                status = add_special_tokens(&engine.completability, &engine.recognizer, config, words)
                if status >= 0:
                    status = recognizer_accepting(&engine.recognizer, config, NULL)
            for i in range(<uint32_t>engine.eos.len if status > 0 else 0):
                bit_set(words, engine.eos.data[i])
        return min(status, OK)

    cdef int begins_with_few(self, Engine engine, const Config* config) noexcept nogil:
        cdef StoredMask* mask
        cdef bint looked = False
        cdef int status
        if config.row == PENDING or config.row & VIRTUAL or engine.completability.enabled:
            return 0
        status = masks_find(&engine.masks, &engine.recognizer, config, &mask, &looked)
        if status >= 0:
            # (DENSE is a large number)
            status = mask.count <= FEW
            mask_release(mask)
        return status

    cdef bint is_no_loss(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token) noexcept nogil:
        cdef uint32_t i
        if (not self.noted or self.generation != engine.generation or config.row != self.config.row
                or config.state != self.config.state or at.last != self.at.last
                or at.unmergeable != self.at.unmergeable or at.count != self.at.count):
            return False
        for i in range(at.count):
            if at.hypothesis[i] != self.at.hypothesis[i] or (
                    self.rules.has_unmergeable and at.node[i] != self.at.node[i]):
                return False
        for i in range(self.losses + 2, self.losses + 2 + self.lost.data[self.losses] + self.lost.data[self.losses + 1]):
            if self.lost.data[i] == token:
                return False
        return True

    cdef int fill_from_parts(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, uint32_t* words
    ) noexcept:
        cdef bytes successors = None
        cdef int status = OK
        if at.last < <uint32_t>UNCONSTRAINED and not at.character.need:
            successors = self.rules.all_successors.find_or_status(at.last, &status)
            if status < 0:
                return status
        return self.parts.fill(
            engine, config, at, sieve, NULL if successors is None else <const uint32_t*><const char*>successors, words)

    cdef int fill_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, uint32_t* words
    ) noexcept:
        cdef bytes successors = None
        cdef Sieve judged
        cdef const uint32_t* beside = NULL
        cdef StoredMask* mask
        cdef bint looked = False
        cdef uint32_t offset = 0
        cdef size_t lost
        cdef int status = self.enter(engine)
        lost = self.lost.len
        if status >= 0:
            # (if dead ends are to be found, the mask is made with what they need)
            status = self.dead_ends.leads.make_mask(engine, config)
        if status >= 0:
            status = masks_find(&engine.masks, &engine.recognizer, config, &mask, &looked)
        if status < 0:
            return status
        # (DENSE is a large number)
        if mask.count >= <uint32_t>MANY and sieve.beside != NULL and at.last < <uint32_t>UNCONSTRAINED:
            successors = self.rules.all_successors.find_or_status(at.last, &status)
            if status < 0:
                mask_release(mask)
                return status
            beside = <const uint32_t*><const char*>successors
        self.dead_ends.beside = beside
        judged = sieve if sieve.judged_as is None else sieve.judged_as
        status = self.find_losses(engine, config, at, judged, mask.count == DENSE, &offset)
        if status >= 0 and offset != <uint32_t>IN_PARTS:
            self.sift(mask, at, sieve, beside, words)
            self.drop_losses(at, beside, offset, words)
            status = self.drop_spelled(engine, config, at, sieve, beside, words)
        mask_release(mask)
        self.dead_ends.forget_text()
        if self.has_unkept:
            self.lost.len = lost
        if status < 0:
            return status
        if offset == <uint32_t>IN_PARTS:
            return self.fill_from_parts(engine, config, at, sieve, words)
        if not self.has_unkept and not config.row & VIRTUAL and not self.may_be_spelled(at, sieve):
            self.noted = True
            self.config = config[0]
            self.at = at[0]
            self.losses = offset
        return OK

    cdef void sift(
        self, const StoredMask* mask, const CanonicalState* at, Sieve sieve, const uint32_t* successors, uint32_t* words
    ) noexcept nogil:
        cdef uint32_t n_words = self.trie.n_words
        cdef const uint32_t* alone = sieve.alone
        cdef const uint32_t* beside = sieve.beside
        cdef uint32_t i, token, word
        if mask.count != DENSE:
            memset(words, 0, n_words * sizeof(uint32_t))
            for i in range(mask.count):
                token = mask.words[i]
                if (alone != NULL and bit_test(alone, token)) or (
                        beside != NULL and bit_test(beside, token) and self.may_stand_beside(at, successors, token)):
                    bit_set(words, token)
        elif sieve.mixed == NULL or successors == NULL:
            sift_words(words, mask.words, alone, beside, successors, n_words)
        else:
            # (in all other words, whatever can stand beside the last token may come)
            sift_words(words, mask.words, NULL, successors, NULL, n_words)
            for i in range(sieve.mixed_count):
                word = sieve.mixed[i]
                words[word] = mask.words[word] & ((0 if alone == NULL else alone[word]) | (beside[word] & successors[word]))

    cdef bint may_stand_beside(self, const CanonicalState* at, const uint32_t* successors, uint32_t token) noexcept nogil:
        if at.last >= <uint32_t>UNCONSTRAINED:
            return True
        if successors != NULL:
            return bit_test(successors, token)
        return self.rules.merges.pair(at.last, token) > 0

    cdef void drop_losses(
        self, const CanonicalState* at, const uint32_t* successors, uint32_t offset, uint32_t* words
    ) noexcept nogil:
        cdef const uint32_t* lost = self.lost.data + offset + 2
        cdef uint32_t always = self.lost.data[offset]
        cdef uint32_t i
        for i in range(always):
            bit_clear(words, lost[i])
        for i in range(always, always + self.lost.data[offset + 1]):
            if bit_test(words, lost[i]) and not self.may_stand_beside(at, successors, lost[i]):
                bit_clear(words, lost[i])

    cdef int find_losses(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, bint dense, uint32_t* offset
    ) noexcept nogil:
        cdef uint32_t[4] words
        cdef uint32_t name
        cdef size_t before = self.lost.len
        cdef TraceMark mark
        cdef int status
        self.has_unkept = False
        words[0] = lasting_row(&engine.recognizer, config.row)
        words[1] = config.state
        words[2] = sieve.number
        words[3] = <uint32_t>UNCONSTRAINED if dense or sieve.beside == NULL else at.last
        self.dead_ends.last = words[3]
        status = intern_add(&self.names, words, 4, &name)
        if status < 0 or (name >= self.offsets.len and vec_fill(&self.offsets, name + 1 - self.offsets.len, 0xFF) < 0):
            return NO_MEMORY
        offset[0] = self.offsets.data[name]
        if offset[0] != <uint32_t>NOT_FOUND:
            return OK
        # tokens may lead into virtual rows, which are forgotten afterwards
        mark = trace_mark(&engine.recognizer.trace)
        status = self.list_losses(engine, config, sieve, offset)
        trace_release(&engine.recognizer.trace, &mark)
        self.has_unkept = self.dead_ends.has_unkept
        if status < 0 or offset[0] == <uint32_t>IN_PARTS:
            self.lost.len = before
            self.has_unkept = False
        if status >= 0 and not self.has_unkept:
            self.offsets.data[name] = offset[0]
        return status

    cdef int list_losses(self, Engine engine, const Config* config, Sieve sieve, uint32_t* offset) noexcept nogil:
        cdef uint32_t i, j, token
        cdef int alive, status
        offset[0] = <uint32_t>self.lost.len
        self.later.len = 0
        if vec_fill(&self.lost, 2, 0) < 0:
            return NO_MEMORY
        for i in range(sieve.count):
            status = self.dead_ends.find_dead(engine, config, &sieve.parts[i], &self.dead_in[i])
            if status < 0:
                return status
            if self.dead_in[i] == <uint32_t>IN_PARTS:
                offset[0] = IN_PARTS
                return OK
        if self.mark_dead(sieve) < 0:
            return NO_MEMORY
        for i in range(sieve.count):
            for j in range(self.dead_ends.count(self.dead_in[i])):
                token = self.dead_ends.dead.data[self.dead_in[i] + 1 + j]
                alive = self.lives_in(sieve, i, token)
                if (alive == 0 and vec_push(&self.lost, token) < 0) or (alive == 1 and vec_push(&self.later, token) < 0):
                    return NO_MEMORY
        self.lost.data[offset[0]] = <uint32_t>self.lost.len - offset[0] - 2
        self.lost.data[offset[0] + 1] = <uint32_t>self.later.len
        return vec_extend(&self.lost, self.later.data, self.later.len)

    cdef int mark_dead(self, Sieve sieve) noexcept nogil:
        cdef const uint32_t* dead
        cdef uint32_t i, j
        cdef size_t size = <size_t>self.trie.n_words
        # (the bits that were set last are cleared one by one: they are few)
        for i in range(<uint32_t>self.room.marked.len):
            self.room.is_dead.data[self.room.marked.data[i]] = 0
        self.room.marked.len = 0
        if (sieve.count * size > self.room.is_dead.len
                and vec_fill(&self.room.is_dead, sieve.count * size - self.room.is_dead.len, 0) < 0):
            return NO_MEMORY
        for i in range(sieve.count if sieve.count > 1 else 0):
            dead = self.dead_ends.dead.data + self.dead_in[i] + 1
            for j in range(self.dead_ends.count(self.dead_in[i])):
                if vec_push(&self.room.marked, <uint32_t>(i * size) + (dead[j] >> 5)) < 0:
                    return NO_MEMORY
                bit_set(self.room.is_dead.data + i * size, dead[j])
        return OK

    cdef int lives_in(self, Sieve sieve, uint32_t dead_in, uint32_t token) noexcept nogil:
        cdef int found = 0
        cdef uint32_t i
        for i in range(sieve.count):
            if i == dead_in or not bit_test(sieve.parts[i].transition.mask, token):
                continue
            if not bit_test(self.room.is_dead.data + i * <size_t>self.trie.n_words, token):
                if sieve.parts[i].way != GOES_ON:
                    return 2
                found = 1
        return found

    cdef int drop_spelled(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t* words
    ) noexcept nogil:
        cdef uint32_t i
        cdef int status
        if not self.may_be_spelled(at, sieve):
            return OK
        # (lists that are not kept are those that find_losses has just found)
        for i in range(0 if self.has_unkept else sieve.count):
            status = self.dead_ends.find_dead(engine, config, &sieve.parts[i], &self.dead_in[i])
            if status < 0:
                return status
        for i in range(sieve.count):
            if sieve.parts[i].way == GOES_ON:
                status = self.drop_spelled_below(
                    engine, config, at, sieve, successors, at.node[sieve.parts[i].index], words)
                if status < 0:
                    return status
        return OK

    cdef bint may_be_spelled(self, const CanonicalState* at, Sieve sieve) noexcept nogil:
        cdef uint32_t i, node
        for i in range(sieve.count if self.rules.has_unmergeable else 0):
            node = at.node[sieve.parts[i].index]
            if sieve.parts[i].way == GOES_ON and node < <uint32_t>NO_NODE and self.rules.leads_to_unmergeable[node]:
                return True
        return False

    cdef int drop_spelled_below(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t node, uint32_t* words
    ) noexcept nogil:
        cdef uint32_t list_at, i, token
        cdef int status
        if node >= <uint32_t>NO_NODE or not self.rules.leads_to_unmergeable[node]:
            return OK
        if self.spelled.find(node, &list_at) < 0:
            return NO_MEMORY
        for i in range(list_at + 1, list_at + 1 + self.spelled.tokens.data[list_at]):
            token = self.spelled.tokens.data[i]
            if bit_test(words, token):
                status = self.comes(engine, config, at, sieve, successors, token)
                if status < 0:
                    return status
                if status == 0:
                    bit_clear(words, token)
        return OK

    cdef int comes(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t token
    ) noexcept nogil:
        cdef const SievePart* part
        cdef uint32_t i
        cdef int status
        for i in range(sieve.count):
            part = &sieve.parts[i]
            if not bit_test(part.transition.mask, token) or self.dead_ends.is_dead(self.dead_in[i], token):
                continue
            if part.way != GOES_ON:
                return 1
            if self.may_stand_beside(at, successors, token):
                if not self.dead_ends.single.begins_unmergeable(at.node[part.index], token):
                    return 1
                status = self.dead_ends.single.goes_on(engine, config, part, at.node[part.index], token)
                if status != 0:
                    return status
        return 0
