"""The search is best first: the tuple whose closest term needs least comes first."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcmp

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.intern cimport intern_add, intern_get, intern_truncate
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_push
from ffgrammar.engine.masks.products cimport T_COUNT, T_FIRST, T_TAIL, term_at, term_count
from ffgrammar.regex.dfa.parts cimport ANY_PART, MAX_WITNESS_BYTES, NO_PART, WITNESS_WORDS, add_witness, read_witnesses, step_part
from ffgrammar.regex.expr.emptiness cimport GREATEST_WEIGHT, SUM_WEIGHT
from ffgrammar.regex.expr.members cimport make_intersection
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, DEAD_END, EMPTY, FAR, K_AND, K_CAT, Nodes, add_lengths, make_complement, min_remaining, node, node_kind,
    nullable,
)
from ffgrammar.regex.expr.witness cimport judge

cdef enum:
    # A search looks at what follows at most so many tuples.
    MAX_SEARCHED = 256
    # A short search, where it is known that there is a witness, or where searches were in vain.
    FEW_SEARCHED = 32
    # After so many searches in a row that ended without an answer, the next ones are short, and there is none where a witness is
    # known to exist.
    MAX_IN_VAIN = 2
    # The cost of a tuple in a search depends on so many terms at most.
    MAX_LOOKS = 8


cdef bint is_met(const Products* p, const uint32_t* parts, const uint32_t* term) noexcept nogil:
    cdef const uint32_t* literals = p.literals.data + term[T_FIRST]
    cdef uint32_t i
    for i in range(term[T_COUNT]):
        if nullable(p.parts.nodes, p.parts.exprs.data[parts[literals[i] >> 1]]) == literals[i] & 1:
            return False
    return True


cdef bint is_dead(const Products* p, const uint32_t* parts, const uint32_t* term) noexcept nogil:
    cdef const uint32_t* literals = p.literals.data + term[T_FIRST]
    cdef uint32_t i
    for i in range(term[T_COUNT]):
        if parts[literals[i] >> 1] == (<uint32_t>ANY_PART if literals[i] & 1 else <uint32_t>NO_PART):
            return True
    return False


cdef bint all_dead(const Products* p, const uint32_t* parts) noexcept nogil:
    cdef uint32_t i
    for i in range(term_count(p)):
        if not is_dead(p, parts, term_at(p, i)):
            return False
    return True


cdef uint32_t common_witnesses(const Products* p, const uint32_t* parts, const uint32_t* term, uint32_t word) noexcept nogil:
    """The witnesses of one word that all parts of a term have in common."""
    cdef const uint32_t* literals = p.literals.data + term[T_FIRST]
    cdef uint32_t common = 0xFFFFFFFF
    cdef uint32_t found, i
    if word << 5 >= p.parts.ends.len:
        return 0
    if p.parts.ends.len - (word << 5) < 32:
        common = (<uint32_t>1 << (p.parts.ends.len - (word << 5))) - 1
    for i in range(term[T_COUNT]):
        found = p.parts.completed.data[<size_t>parts[literals[i] >> 1] * WITNESS_WORDS + word]
        common &= ~found if literals[i] & 1 else found
        if common == 0:
            break
    return common


cdef bint is_alive(Products* p, const uint32_t* parts, uint32_t number) noexcept nogil:
    """Whether a term is seen to go on: some byte can follow in it, and a match after that."""
    cdef const uint32_t* term = term_at(p, number)
    cdef uint32_t word
    p.parts.nodes.pulse.left -= 1
    if number == p.hint and common_witnesses(p, parts, term, p.hint_word):
        return True
    if is_dead(p, parts, term):
        return False
    if term[T_TAIL] != EMPTY and is_met(p, parts, term):
        p.hint = number
        return True
    for word in range(WITNESS_WORDS):
        if common_witnesses(p, parts, term, word):
            p.hint = number
            p.hint_word = word
            return True
    return False


cdef int hint_alive(Products* p, const uint32_t* parts, uint32_t width) noexcept nogil:
    cdef uint32_t i
    cdef int status
    for i in range(width):
        if p.parts.read.data[parts[i]] < p.parts.ends.len:
            status = read_witnesses(&p.parts, parts[i])
            if status < 0:
                return status
    return is_alive(p, parts, p.hint)


cdef int others_alive(Products* p, const uint32_t* parts) noexcept nogil:
    cdef uint32_t last = p.hint
    cdef uint32_t i
    for i in range(term_count(p)):
        if i != last and is_alive(p, parts, i):
            return 1
    return pulse(&p.parts.nodes.pulse, 1)


cdef int make_body(Products* p, Nodes* n, const uint32_t* parts, const uint32_t* term, uint32_t* out) noexcept nogil:
    cdef const uint32_t* literals = p.literals.data + term[T_FIRST]
    cdef size_t base = n.stack.len
    cdef uint32_t i, e
    cdef int status = vec_push(&n.stack, K_AND)
    for i in range(term[T_COUNT]):
        e = p.parts.exprs.data[parts[literals[i] >> 1]]
        if status >= 0 and literals[i] & 1:
            status = make_complement(n, e, &e)
        if status >= 0:
            status = vec_push(&n.stack, e)
    if status < 0:
        n.stack.len = base
        return status
    return make_intersection(n, base, out)


cdef int judge_terms(Products* p, Nodes* n, const uint32_t* parts) noexcept nogil:
    """Whether some text that is not empty completes a term, as far as the structure of the terms shows. Returns 1, 0, NOT_KNOWN or
    a status."""
    cdef const uint32_t* term
    cdef int found = 0
    cdef uint32_t i, e, flags
    cdef bint empty
    cdef int status
    for i in range(term_count(p)):
        term = term_at(p, i)
        if is_dead(p, parts, term):
            continue
        status = make_body(p, n, parts, term, &e)
        if status < 0:
            return status
        empty = nullable(n, e)
        # (what begins with something that has a match has a match itself if the rest has one)
        while node_kind(n, e) == K_CAT and n.info.data[node(n, e)[1]] & ALIVE:
            e = node(n, e)[2]
        flags = n.info.data[e] & (ALIVE | DEAD_END)
        if flags == 0 and node_kind(n, e) == K_AND:
            flags = judge(n, e)
            n.info.data[e] |= flags
        if flags & ALIVE and not empty:
            return 1
        if not flags & DEAD_END:
            found = NOT_KNOWN
    return found


# The search


cdef int keep_path(Products* p, const uint32_t* parts, uint32_t number) noexcept nogil:
    """Make a witness of the path to a tuple that was reached, and of a text that completes it. Returns OK or NO_MEMORY."""
    cdef const uint32_t* term = term_at(p, p.hint)
    cdef uint32_t common = 0
    cdef uint32_t i, length, first, last
    p.text.len = 0
    i = number
    while i:
        if vec_push(&p.text, p.parents.data[2 * i + 1]) < 0:
            return NO_MEMORY
        i = p.parents.data[2 * i]
    # (the path lies there from its end to its beginning)
    length = <uint32_t>p.text.len
    for i in range(length >> 1):
        first = p.text.data[i]
        p.text.data[i] = p.text.data[length - 1 - i]
        p.text.data[length - 1 - i] = first
    if not is_met(p, parts, term):
        common = common_witnesses(p, parts, term, p.hint_word)
        number = p.hint_word << 5 | lowest_bit(common)
        first = p.parts.ends.data[number - 1] if number else 0
        last = p.parts.ends.data[number]
        for i in range(first, last):
            if vec_push(&p.text, p.parts.witnesses.data[i]) < 0:
                return NO_MEMORY
    return add_witness(&p.parts, p.text.data, <uint32_t>p.text.len) if p.text.len <= MAX_WITNESS_BYTES else OK


cdef bint any_met(Products* p, const uint32_t* parts) noexcept nogil:
    cdef uint32_t i
    for i in range(term_count(p)):
        if is_met(p, parts, term_at(p, i)):
            p.hint = i
            return True
    return False


cdef uint32_t cost_of(const Products* p, const uint32_t* parts, uint32_t distance) noexcept nogil:
    """The cost of a tuple in a search: that of the term that seems closest to a match, as in emptiness.pyx."""
    cdef const Nodes* n = p.parts.nodes
    cdef const uint32_t* literals
    cdef uint32_t least = FAR
    cdef uint32_t looks = 0
    cdef uint32_t i, j, e, longest, total
    for i in range(term_count(p)):
        if looks == MAX_LOOKS:
            break
        if is_dead(p, parts, term_at(p, i)):
            continue
        looks += 1
        literals = p.literals.data + term_at(p, i)[T_FIRST]
        longest = total = 0
        for j in range(term_at(p, i)[T_COUNT]):
            if literals[j] & 1 == 0:
                e = p.parts.exprs.data[parts[literals[j] >> 1]]
                longest = max(longest, n.shortest.data[e])
                total = add_lengths(total, min_remaining(n, e))
        least = min(least, GREATEST_WEIGHT * longest + SUM_WEIGHT * total)
    return least + distance


cdef int try_byte(Products* p, uint32_t number, uint32_t width, uint32_t byte) noexcept nogil:
    """Look at the tuple after a byte. Returns 1 if it can be completed; it is a witness then. Else returns OK or a status."""
    cdef uint32_t* parts = p.pairs.data + (byte & 1) * width
    cdef uint32_t i, found
    cdef int status
    for i in range(width):
        status = step_part(&p.parts, intern_get(&p.reached, number)[i], byte, parts + i)
        if status < 0:
            return status
    if byte and memcmp(p.pairs.data, p.pairs.data + width, width * sizeof(uint32_t)) == 0:
        return OK
    if all_dead(p, parts):
        return OK
    status = intern_add(&p.reached, parts, width, &found)
    if status <= 0:
        return status
    if vec_push(&p.parents, number) < 0 or vec_push(&p.parents, byte) < 0:
        return NO_MEMORY
    if vec_push(&p.distances, p.distances.data[number] + 1) < 0:
        return NO_MEMORY
    if heap_push(&p.heap, cost_of(p, parts, p.distances.data[found]), found) < 0:
        return NO_MEMORY
    status = hint_alive(p, parts, width)
    if status == 0:
        status = others_alive(p, parts)
    if status < 0 or (status == 0 and not any_met(p, parts)):
        return status
    status = keep_path(p, parts, found)
    return status if status < 0 else 1


cdef int search_tuples(Products* p, Nodes* n, const uint32_t* parts, uint32_t width, uint32_t most) noexcept nogil:
    """Whether some text that is not empty completes a term. Looks at what follows at most so many tuples. Returns 1; 0; NOT_KNOWN,
    if that is hard to see; or a status."""
    cdef uint32_t searched = 0
    cdef uint32_t number, byte, found
    cdef int status
    intern_truncate(&p.reached, 0)
    p.parents.len = p.pairs.len = p.heap.len = p.distances.len = 0
    if vec_fill(&p.pairs, 2 * width, 0) < 0 or intern_add(&p.reached, parts, width, &found) < 0:
        return NO_MEMORY
    if vec_push(&p.parents, 0) < 0 or vec_push(&p.parents, 0) < 0 or vec_push(&p.distances, 0) < 0:
        return NO_MEMORY
    if heap_push(&p.heap, 0, 0) < 0:
        return NO_MEMORY
    while p.heap.len:
        if searched == most:
            return NOT_KNOWN
        searched += 1
        number = heap_pop(&p.heap)
        status = pulse(&n.pulse, 32 * width)
        for byte in range(256):
            if status == OK:
                status = try_byte(p, number, width, byte)
        if status:
            return status
    return 0


cdef int can_complete(Products* p, Nodes* n, const uint32_t* parts, uint32_t width) noexcept nogil:
    cdef bint is_hopeless = p.in_vain >= MAX_IN_VAIN
    cdef int judged = judge_terms(p, n, parts)
    cdef int status
    if judged < 0 or judged == 0 or (judged == 1 and is_hopeless):
        return judged
    # (where a witness is known to exist, it is looked for because it serves other tuples, too)
    status = search_tuples(p, n, parts, width, FEW_SEARCHED if judged == 1 or is_hopeless else MAX_SEARCHED)
    if status == 1:
        p.in_vain = 0
    elif status == NOT_KNOWN:
        p.in_vain += 1
    return judged if status >= 0 and judged == 1 else status
