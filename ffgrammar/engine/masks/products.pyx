"""Taking states apart."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.intern cimport intern_get, intern_len, intern_truncate
from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport ALONE
from ffgrammar.regex.dfa.parts cimport MAX_PARTS, find_part, parts_init
from ffgrammar.regex.expr.derivative cimport derivative
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.nodes cimport EMPTY, K_AND, K_CAT, K_NOT, K_OR, NOTHING, Nodes, node, node_kind, node_len

cdef enum:
    # States with more parts or literals are not taken apart.
    MAX_WIDTH = 512
    MAX_LITERALS = 1 << 16


cdef int products_begin(Products* p, Nodes* nodes) noexcept nogil:
    cdef int status
    p.is_unsettled = False
    if p.parts.exprs.len > MAX_PARTS >> 1:
        products_free(p)
    if p.parts.exprs.len:
        return OK
    status = make_tables(p)
    # (the parts come last: that there are some shows that all tables are there)
    if status >= 0:
        status = parts_init(&p.parts, nodes)
    if status < 0:
        products_free(p)
    return status


cdef int make_tables(Products* p) noexcept nogil:
    owner_init(&p.owner)
    own_vec(&p.owner, &p.terms)
    own_vec(&p.owner, &p.literals)
    own_vec(&p.owner, &p.start)
    own_map(&p.owner, &p.places)
    own_map(&p.owner, &p.plain)
    own_intern(&p.owner, &p.asked)
    own_vec(&p.owner, &p.targets)
    own_vec(&p.owner, &p.tuples)
    own_vec(&p.owner, &p.states)
    own_vec(&p.owner, &p.pairs)
    own_intern(&p.owner, &p.reached)
    own_vec(&p.owner, &p.parents)
    own_vec(&p.owner, &p.distances)
    own_vec(&p.owner, &p.heap)
    own_vec(&p.owner, &p.text)
    return owner_status(&p.owner)


cdef void products_free(Products* p) noexcept nogil:
    owner_free(&p.parts.owner)
    owner_free(&p.owner)


cdef size_t products_bytes(const Products* p) noexcept nogil:
    return owner_bytes(&p.owner) + owner_bytes(&p.parts.owner)


cdef bint may_be_product(const Dfa* d, uint32_t state) noexcept nogil:
    cdef const uint32_t* pairs = intern_get(&d.states, state >> 8) + 1
    cdef uint32_t i
    if d.threads.present:
        return False
    for i in range(0, intern_len(&d.states, state >> 8) - 1, 2):
        # (such lexemes end others that could go on)
        if d.lazy.data[pairs[i]] or pairs[i] >= d.first_word or (d.beside.len and d.beside.data[pairs[i]] != <uint32_t>ALONE):
            return False
    return True


cdef int add_literal(Products* p, Nodes* n, uint32_t e, bint complemented) noexcept nogil:
    """Add an expression, or its complement, to the literals of a term. Returns OK or a status."""
    cdef uint32_t part, place, i
    cdef int status = OK
    if node_kind(n, e) == K_NOT and not complemented:
        return add_literal(p, n, node(n, e)[1], True)
    if node_kind(n, e) == K_OR and complemented:
        for i in range(1, node_len(n, e)):
            if status >= 0:
                status = add_literal(p, n, node(n, e)[i], True)
        return status
    status = find_part(&p.parts, e, &part)
    if status < 0:
        return status
    place = map_get(&p.places, part)
    if place == ABSENT:
        place = <uint32_t>p.start.len
        if vec_push(&p.start, part) < 0 or map_put(&p.places, part, place) < 0:
            return NO_MEMORY
    return vec_push(&p.literals, place << 1 | complemented)


cdef bint is_boolean(const Nodes* n, uint32_t e) noexcept nogil:
    """Whether an expression is an intersection or a complement, or a union of which one member is."""
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t i
    if kind == K_OR:
        for i in range(1, node_len(n, e)):
            kind = node_kind(n, node(n, e)[i])
            if kind == K_AND or kind == K_NOT:
                return True
    return kind == K_AND or kind == K_NOT


cdef int add_term(Products* p, Nodes* n, uint32_t lexeme, uint32_t body, uint32_t tail) noexcept nogil:
    """Add the terms of a lexeme that matches `body` and then `tail`. Returns OK or a status."""
    cdef uint32_t first = <uint32_t>p.literals.len
    cdef uint32_t i
    cdef int status = OK
    if node_kind(n, body) == K_OR:
        for i in range(1, node_len(n, body)):
            if status >= 0:
                status = add_term(p, n, lexeme, node(n, body)[i], tail)
        return status
    if node_kind(n, body) == K_CAT and tail == EMPTY and is_boolean(n, node(n, body)[1]):
        status = matches_something(n, node(n, body)[2])
        # (a term of which nothing can be left is dropped)
        return status if status <= 0 else add_term(p, n, lexeme, node(n, body)[1], node(n, body)[2])
    if node_kind(n, body) == K_AND:
        for i in range(1, node_len(n, body)):
            if status >= 0:
                status = add_literal(p, n, node(n, body)[i], False)
    else:
        status = add_literal(p, n, body, False)
    if status < 0:
        return status
    if vec_push(&p.terms, lexeme) < 0 or vec_push(&p.terms, tail) < 0 or vec_push(&p.terms, first) < 0:
        return NO_MEMORY
    return vec_push(&p.terms, <uint32_t>p.literals.len - first)


cdef int find_closing(Products* p, Nodes* n) noexcept nogil:
    """Find the bytes with which some tail begins. Returns OK or a status."""
    cdef uint32_t i, byte, after
    cdef uint32_t last = EMPTY
    cdef int status
    for i in range(8):
        p.closing[i] = 0
    for i in range(term_count(p)):
        if term_at(p, i)[T_TAIL] == last:
            continue
        last = term_at(p, i)[T_TAIL]
        for byte in range(256):
            status = derivative(n, last, byte, &after)
            if status < 0:
                return status
            if after != NOTHING:
                bit_set(p.closing, byte)
    return OK


cdef int take_apart(Products* p, Dfa* d, uint32_t state) noexcept nogil:
    cdef uint32_t count = intern_len(&d.states, state >> 8)
    cdef uint32_t i
    cdef int status = OK
    if map_get(&p.plain, state) != ABSENT:
        return 0
    p.terms.len = p.literals.len = p.start.len = 0
    p.hint = p.hint_word = p.in_vain = p.unrepaired = p.not_after = 0
    map_clear(&p.places)
    intern_truncate(&p.asked, 0)
    p.targets.len = 0
    for i in range(1, count, 2):
        if status >= 0:
            status = add_term(
                p, d.nodes, intern_get(&d.states, state >> 8)[i], intern_get(&d.states, state >> 8)[i + 1], EMPTY)
    if status < 0:
        return status
    if p.literals.len == term_count(p) or p.start.len > MAX_WIDTH or p.literals.len > MAX_LITERALS:
        status = map_put(&p.plain, state, 1)
        return status if status < 0 else 0
    status = find_closing(p, d.nodes)
    return status if status < 0 else 1
