"""A sieve has the tokens that the rules let follow a state, as a union of parts. The state may have several hypotheses about
where pre-tokens end. After each of them the pre-token may end before the token, or go on with it. Each such case is a part. If
the pre-token goes on, the token must also be a successor of the last token (tokens/bpe/successors.pyx). A sieve leaves this
condition out, so states that differ only in their last token share a sieve.

In a vocabulary without a pre-tokenizer, a hypothesis is the class of the last character. What a token leads to is then the same
whatever came before it, and so is whether a sentence goes on after it. So dead ends are looked for as at the beginning of a text:
once for all hypotheses and both ways. (On InternLM2, canonical masks take 0.89 of the time with this.)
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc

from ffgrammar.tokens.canonical.endings cimport find_endings
from ffgrammar.tokens.canonical.outcomes cimport NO_OUTCOME
from ffgrammar.tokens.canonical.rules cimport FIRST, CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport BEGINS, ENDS, GOES_ON, BoundaryTransition, BoundaryTransitions

cdef enum:
    MAX_KEPT = 128  # how many sieves of a tokenizer are kept
    FEW_MIXED = 8   # at most one word in this many is listed


cdef class Sieve:
    """What `sieve_after` returns."""

    def __cinit__(self):
        self.kept = []

    def __dealloc__(self):
        free(self.alone)
        free(self.beside)
        free(self.mixed)


cdef Sieve sieve_after(CanonicalRules rules, const CanonicalState* at):
    cdef object key = at.last == <uint32_t>FIRST
    cdef object found
    cdef Sieve made
    cdef uint32_t i, ways
    cdef bint whole = False
    for i in range(at.count):
        key = key << 18 | at.hypothesis[i] << 2 | ways_after(rules, at, i)
    found = rules.sieves.get(key)
    if found is not None:
        return <Sieve>found
    # (Masks that need no sieve, such as the first ones of many grammars, do not need these two.)
    rules.trie.need_index()
    rules.nodes_by_byte.need()
    made = Sieve()
    for i in range(at.count):
        ways = ways_after(rules, at, i)
        if at.last == <uint32_t>FIRST:
            add_part(rules, made, at, i, BEGINS)
            continue
        if ways & 1:
            add_part(rules, made, at, i, ENDS)
        if ways & 2:
            add_part(rules, made, at, i, GOES_ON)
    for i in range(made.count):
        whole = whole or made.parts[i].transition.lacks_endings
    for i in range(made.count):
        made.parts[i].whole = whole
    if at.count == 1 and made.count == 2:
        made.judged_as = beginning_like(rules, made)
    list_mixed(made, rules.trie.n_words)
    with rules.transitions.lock:
        made.number = rules.sieve_count
        rules.sieve_count += 1
    if len(rules.sieves) >= MAX_KEPT:
        rules.sieves.clear()
    rules.sieves[key] = made
    return made


cdef int list_mixed(Sieve made, uint32_t n_words) except -1:
    cdef uint32_t most = n_words // FEW_MIXED
    cdef uint32_t word
    if made.beside == NULL:
        return 0
    made.mixed = <uint32_t*>malloc((<size_t>most + 1) * sizeof(uint32_t))
    if made.mixed == NULL:
        raise MemoryError
    for word in range(n_words):
        if made.beside[word] == <uint32_t>0xFFFFFFFF and (made.alone == NULL or made.alone[word] == 0):
            continue
        if made.mixed_count == most:
            free(made.mixed)
            made.mixed = NULL
            return 0
        made.mixed[made.mixed_count] = word
        made.mixed_count += 1
    return 0


cdef uint32_t ways_after(CanonicalRules rules, const CanonicalState* at, uint32_t i) noexcept:
    """In which ways a token may come after hypothesis `i`: bit 0 if the pre-token may end before the token, bit 1 if it may go
    on."""
    return (at.unmergeable or not rules.is_unmergeable(at.node[i])) | (not at.unmergeable) << 1


cdef int add_part(CanonicalRules rules, Sieve made, const CanonicalState* at, uint32_t i, uint32_t way) except -1:
    cdef BoundaryTransitions all_transitions = rules.transitions
    cdef BoundaryTransition transition = all_transitions.find(at.hypothesis[i], way)
    cdef uint32_t n_words = rules.trie.n_words
    cdef uint32_t** union_ = &made.beside if way == GOES_ON else &made.alone
    cdef uint32_t word
    cdef uint32_t hypothesis = at.hypothesis[i]
    cdef int status = 0
    with all_transitions.lock:
        with nogil:
            if not transition.data.has_endings:
                status = find_endings(rules, &transition.data, hypothesis, way)
    if status < 0:
        raise MemoryError
    if union_[0] == NULL:
        union_[0] = <uint32_t*>calloc(<size_t>n_words + 1, sizeof(uint32_t))
        if union_[0] == NULL:
            raise MemoryError
    for word in range(n_words):
        union_[0][word] |= transition.data.mask[word]
    made.kept.append(transition)
    made.parts[made.count].transition = &transition.data
    made.parts[made.count].hypothesis = hypothesis
    made.parts[made.count].way = way
    made.parts[made.count].index = i
    made.count += 1
    return 0


cdef Sieve beginning_like(CanonicalRules rules, Sieve made):
    """The sieve before a text, if each token of both parts of a sieve comes in one of them only, and leads to what it leads to
    where it begins a text. Otherwise None. Raises MemoryError."""
    cdef CanonicalState at
    cdef uint32_t word
    # (these make more of a pre-token than its merges and the classes of its characters)
    if rules.has_unmergeable or rules.whole_pretokens or rules.pretokens.has_atoms:
        return None
    for word in range(rules.trie.n_words):
        if made.alone[word] & made.beside[word]:
            return None
    rules.begin(&at)
    return sieve_after(rules, &at) if leads_like(rules, at.hypothesis[0], made.kept[0], made.kept[1]) else None


cdef bint leads_like(
    CanonicalRules rules, uint32_t first, BoundaryTransition one, BoundaryTransition other
) except? True:
    """Whether each character that may begin a text, after the hypothesis `first`, begins a token in exactly one of two transitions,
    and leads to the same outcome there. What follows in a token depends on the outcome alone. Raises MemoryError."""
    cdef uint32_t character
    cdef int outcome
    for character in range(<uint32_t>one.firsts.len):
        with rules.transitions.lock:
            outcome = rules.outcomes.first(first, False, character)
        if outcome < 0:
            raise MemoryError
        # (NO_OUTCOME is the greatest outcome)
        if (min(one.firsts.data[character], other.firsts.data[character]) != <uint32_t>outcome
                or max(one.firsts.data[character], other.firsts.data[character]) != <uint32_t>NO_OUTCOME):
            return False
    return True
