"""The end of a canonical sequence, which more text may change.

The coverings of the end (coverings.pyx) say which tokens its bytes can still get. Tokens that all coverings begin with are
settled: no further text can change them. A search takes some microseconds, and longer if the end is longer.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from ffgrammar.tokens.canonical.coverings cimport Context, CoveringSearch, OpenToken
from ffgrammar.tokens.canonical.cuts cimport Cuts, cuts_begin, cuts_read
from ffgrammar.tokens.canonical.following cimport find_first
from ffgrammar.tokens.canonical.other_ways cimport remember
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    NOTHING = 0xFFFFFFFF


cdef class UnsettledEnd:
    """The coverings of the end of a sequence.

    Args:
        rules: the rules of the tokenizer.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.search = CoveringSearch(rules)

    def __dealloc__(self):
        free(self.text)

    cdef int begin(self, const CanonicalState* start) except -1:
        return self.search.begin(start)

    cdef int read(self, uint32_t token) except -1:
        cdef TokenTrie trie = self.search.rules.trie
        cdef uint32_t first = trie.offsets[token]
        cdef uint32_t count = trie.offsets[token + 1] - first
        cdef uint32_t i
        cdef uint8_t* text
        if self.search.size + count > self.room:
            text = <uint8_t*>realloc(self.text, 2 * self.room + count)
            if text == NULL:
                raise MemoryError
            self.text = text
            self.room = 2 * self.room + count
        memcpy(self.text + self.search.size, trie.blob + first, count)
        for i in range(count):
            self.search.step(trie.blob[first + i])
        return 0

    cdef bint may_cover(self, uint32_t i, bint below, uint32_t* token) except *:
        cdef const OpenToken* read = &self.search.tokens[i]
        cdef const Context* context = &self.search.contexts[read.context]
        cdef int status = find_first(self.search.rules, &context.at, read.node, self.text + context.offset, below, token)
        if status < 0:
            raise MemoryError
        return status > 0

    cdef bint is_only_way(self, uint32_t token) except *:
        cdef CanonicalRules rules = self.search.rules
        cdef const Context* contexts = self.search.contexts
        cdef uint32_t start = self.search.size - (rules.trie.offsets[token + 1] - rules.trie.offsets[token])
        cdef uint32_t found = 0
        cdef uint32_t i, context, before, last
        for i in range(self.search.token_count):
            if not self.may_cover(i, False, &last):
                continue
            context = self.search.tokens[i].context
            before = contexts[context].before
            if before != <uint32_t>NOTHING and contexts[before].offset == start:
                remember(rules, token, contexts[context].at.last, last)
            found += 1
            if found == 2:
                return False
        return True

    cdef uint32_t at_least_shared(self) noexcept:
        cdef uint32_t context = self.search.tokens[0].context
        cdef uint32_t i
        for i in range(1, self.search.token_count):
            context = self.common(context, self.search.tokens[i].context)
        return self.size_of(context)

    cdef uint32_t shared(self) except? 0xFFFFFFFF:
        cdef uint32_t context = NOTHING
        cdef uint32_t only = 0
        cdef uint32_t found = 0
        cdef uint32_t i, last
        for i in range(self.search.token_count):
            if self.may_cover(i, False, &last):
                context = self.common(context, self.search.tokens[i].context) if found else self.search.tokens[i].context
                found += 1
                only = i
        if found != 1:
            return self.size_of(context) if found else 0
        # (the token that was read last covers the end. So it is settled if no token that reaches beyond the end can
        # cover the end, too.)
        return self.size_of(context) + (not self.may_cover(only, True, &last))

    cdef uint32_t common(self, uint32_t one, uint32_t other) noexcept:
        # (a context has a higher number than the contexts that it goes on from)
        while one != other:
            if one > other:
                one = self.search.contexts[one].before
            else:
                other = self.search.contexts[other].before
        return one

    cdef uint32_t size_of(self, uint32_t context) noexcept:
        cdef uint32_t size = 0
        while self.search.contexts[context].before != <uint32_t>NOTHING:
            context = self.search.contexts[context].before
            size += 1
        return size


def settled_count(CanonicalRules rules not None, tuple ids not None):
    """How many tokens at the start of a sequence are settled: no further text can change them.

    Args:
        rules: the rules of the tokenizer.
        ids: tokens that the tokenizer makes of their text. Those without bytes separate texts.

    Raises:
        TokenizerError: there are too many ways to begin the text.
    """
    cdef UnsettledEnd end = UnsettledEnd(rules)
    cdef const uint32_t* offsets = rules.trie.offsets
    cdef CanonicalState start
    cdef Cuts cuts
    cdef uint32_t first = 0
    cdef uint32_t index = 0
    cdef uint32_t token
    cuts_begin(&cuts, 0)
    for token in ids:
        if offsets[token] == offsets[token + 1]:
            first = index + 1
            cuts_begin(&cuts, first)
        else:
            cuts_read(rules, &cuts, token, index)
        index += 1
    rules.begin(&start)
    if cuts.settled > first:
        start.last = ids[cuts.settled - 1]
        start.hypothesis[0] = cuts.state
    end.begin(&start)
    for token in ids[cuts.settled :]:
        end.read(token)
    return cuts.settled + end.shared()
