"""A walk keeps a tuple of parts or a lexer state by depth."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_add, intern_truncate
from ffgrammar.core.pulse cimport pulse, work_done
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK, WIDE
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push
from ffgrammar.engine.masks.product_repair cimport repair_terms
from ffgrammar.engine.masks.product_search cimport (
    NOT_KNOWN, any_met, can_complete, hint_alive, is_dead, is_met, make_body, others_alive,
)
from ffgrammar.engine.masks.products cimport (
    T_LEXEME, T_TAIL, TERM_WORDS, products_begin, take_apart, term_at, term_count,
)
from ffgrammar.engine.masks.trie_walk cimport add_exit
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, NO_LEXEMES, dfa_step, dfa_target
from ffgrammar.regex.dfa.parts cimport NO_PART, step_part
from ffgrammar.regex.expr.derivative cimport derivative
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.members cimport make_union
from ffgrammar.regex.expr.nodes cimport ALIVE, EMPTY, K_OR, Nodes, make_concat, nullable
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, node_byte, node_depth, node_size, node_token, subtree_end

cdef enum:
    NO_STATE_YET = 0xFFFFFFFC  # in the place of a state: there is a tuple
    # How much work (pulse.pxd) a search for one part takes: a fifth of what a mask may take by default. With a twentieth, some dead
    # parts are not found, and masks of 16 ms end in a LimitError.
    MAX_PART_WORK = 4000000


# Putting a state together


cdef int push_term(
    Products* p, Nodes* n, const uint32_t* before, const uint32_t* parts, const uint32_t* term, uint32_t byte,
) noexcept nogil:
    """Put what may follow a byte in a term on the stack of `n`. Returns OK or a status."""
    cdef uint32_t e
    cdef int status = OK
    if term[T_TAIL] != EMPTY and bit_test(p.closing, byte) and is_met(p, before, term):
        status = derivative(n, term[T_TAIL], byte, &e)
        if status >= 0:
            status = vec_push(&n.stack, e)
    if status < 0 or is_dead(p, parts, term):
        return status
    status = make_body(p, n, parts, term, &e)
    if status >= 0:
        status = make_concat(n, e, term[T_TAIL], &e)
    return status if status < 0 else vec_push(&n.stack, e)


cdef int push_lexeme(
    Products* p, Nodes* n, const uint32_t* before, const uint32_t* parts, uint32_t* number, uint32_t byte,
) noexcept nogil:
    """Add the pair of a lexeme after a byte to `pairs`, unless nothing may follow in it. `number` is its first term, and becomes
    that of the next lexeme. Returns OK or a status."""
    cdef size_t base = n.stack.len
    cdef uint32_t count = term_count(p)
    cdef const uint32_t* term = term_at(p, number[0])
    cdef uint32_t lexeme = term[T_LEXEME]
    cdef uint32_t e
    cdef int status = vec_push(&n.stack, K_OR)
    while status >= 0 and number[0] < count and term[T_LEXEME] == lexeme:
        status = push_term(p, n, before, parts, term, byte)
        number[0] += 1
        term += TERM_WORDS
    if status < 0:
        n.stack.len = base
        return status
    status = make_union(n, base, &e)
    if status >= 0:
        status = matches_something(n, e)
    if status > 0 and (vec_push(&p.pairs, lexeme) < 0 or vec_push(&p.pairs, e) < 0):
        return NO_MEMORY
    return status


cdef int find_accept(Products* p, Dfa* d, const uint32_t* parts, uint32_t* accept) noexcept nogil:
    """Write the number in `d.lexsets` of the lexemes that match what was read up to a tuple. Returns OK or a status."""
    cdef const uint32_t* term
    cdef uint32_t i
    cdef int status
    p.pairs.len = 0
    for i in range(term_count(p)):
        term = term_at(p, i)
        if p.pairs.len and p.pairs.data[p.pairs.len - 1] == term[T_LEXEME]:
            continue
        if nullable(d.nodes, term[T_TAIL]) and is_met(p, parts, term) and vec_push(&p.pairs, term[T_LEXEME]) < 0:
            return NO_MEMORY
    status = intern_add(&d.lexsets, p.pairs.data, p.pairs.len, accept)
    return min(status, OK)


cdef int put_together(
    Products* p, Dfa* d, const uint32_t* before, const uint32_t* parts, uint32_t byte, uint32_t* target,
) noexcept nogil:
    """Write the word of `delta` for a byte that leads from the parts `before` to `parts`. It is DEAD in the place of LEAVE. Returns
    OK or a status."""
    cdef uint32_t count = term_count(p)
    cdef uint32_t number = 0
    cdef int status = OK
    p.pairs.len = 0
    while status >= 0 and number < count:
        status = push_lexeme(p, d.nodes, before, parts, &number, byte)
    return status if status < 0 else dfa_target(d, p.pairs.data, p.pairs.len, target)


cdef int find_target(
    Products* p, Dfa* d, const uint32_t* before, const uint32_t* parts, uint32_t width, uint32_t byte, uint32_t* target,
) noexcept nogil:
    """`put_together`, but no state is made where the tuple after the byte is seen to go on, or nothing follows. `target` becomes
    NO_STATE_YET if the tuple goes on."""
    cdef int status
    if bit_test(p.closing, byte):
        return put_together(p, d, before, parts, byte, target)
    status = others_alive(p, parts)
    if status == 0:
        status = repair_terms(p, parts)
    if status == 0:
        status = can_complete(p, d.nodes, parts, width)
    if status == NOT_KNOWN or (status == 0 and any_met(p, parts)):
        return put_together(p, d, before, parts, byte, target)
    target[0] = NO_STATE_YET if status else DEAD
    return min(status, OK)


cdef int settle_parts(Products* p, uint32_t* parts, uint32_t width) noexcept nogil:
    """Put NO_PART in the place of parts that match nothing, as far as a search shows it. Returns OK or a status.

    (Otherwise such parts make different tuples, each of which needs a search among all parts.)
    """
    cdef Nodes* n = p.parts.nodes
    cdef uint32_t i, e
    cdef int status
    for i in range(width):
        if p.is_unsettled:
            return OK
        e = p.parts.exprs.data[parts[i]]
        if n.info.data[e] & ALIVE:
            continue
        n.work_end = work_done(&n.pulse) + MAX_PART_WORK
        status = matches_something(n, e)
        n.work_end = 0
        if status == 0:
            parts[i] = NO_PART
        elif status == WIDE or status == LIMIT_EMPTINESS:
            # (the other parts may decide)
            p.is_unsettled = True
        elif status < 0:
            return status
    return OK


cdef int leave_tuple(
    Products* p, Dfa* d, const uint32_t* before, uint32_t* parts, uint32_t width, uint32_t byte, uint32_t* target,
) noexcept nogil:
    """`find_target` for what is asked for the first time; it is remembered. `target` becomes LEAVE where the lexeme ends before the
    byte. Parts that are found to match nothing become NO_PART."""
    cdef uint32_t number, accept
    cdef int status = settle_parts(p, parts, width)
    if status < 0:
        return status
    # (what follows depends on the parts before the byte only if a tail may begin)
    p.text.len = 0
    if bit_test(p.closing, byte):
        status = NO_MEMORY if vec_extend(&p.text, before, width) < 0 else vec_push(&p.text, byte)
    else:
        status = vec_extend(&p.text, parts, width)
    if status >= 0:
        status = intern_add(&p.asked, p.text.data, p.text.len, &number)
    if status > 0:
        status = find_target(p, d, before, parts, width, byte, target)
        if status < 0 or vec_push(&p.targets, target[0]) < 0:
            intern_truncate(&p.asked, number)
            return min(status, NO_MEMORY)
    elif status == 0:
        target[0] = p.targets.data[number]
    if status >= 0 and target[0] == DEAD:
        status = find_accept(p, d, before, &accept)
        target[0] = DEAD if accept == NO_LEXEMES else LEAVE
    return status


# The walk


cdef int step_tuple(
    Products* p, Dfa* d, const uint32_t* before, uint32_t* parts, uint32_t width, uint32_t byte, uint32_t* target,
) noexcept nogil:
    """Move a tuple by a byte. `target` becomes NO_STATE_YET if the tuple after it goes on, or the word of `delta`. Returns OK or a
    status."""
    cdef uint32_t i
    cdef uint32_t changed = 0
    cdef int status = pulse(&d.nodes.pulse, 2 + (width >> 2))
    if status < 0:
        return status
    for i in range(width):
        status = step_part(&p.parts, before[i], byte, parts + i)
        if status < 0:
            return status
        changed |= before[i] ^ parts[i]
    target[0] = NO_STATE_YET
    if not bit_test(p.closing, byte):
        if changed == 0:
            return OK
        status = hint_alive(p, parts, width)
        if status:
            return min(status, OK)
    return leave_tuple(p, d, before, parts, width, byte, target)


cdef int walk_product(
    Products* p, Dfa* d, const Vocabulary* v, uint32_t top, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil:
    """Walk below a node from the state that is taken apart. Returns OK or a status."""
    cdef uint32_t width = <uint32_t>p.start.len
    cdef uint32_t end = subtree_end(v.nodes, top) if top else v.node_count
    cdef uint32_t at = top + 1
    cdef uint32_t depth = node_depth(&v.nodes[top])
    cdef uint32_t before, target, accept
    cdef uint32_t* parts
    cdef int status = OK
    p.tuples.len = p.states.len = 0
    if vec_fill(&p.tuples, <size_t>width * (v.max_depth + 2), 0) < 0 or vec_fill(&p.states, v.max_depth + 2, 0) < 0:
        return NO_MEMORY
    p.states.data[depth] = NO_STATE_YET
    memcpy(p.tuples.data + <size_t>depth * width, p.start.data, width * sizeof(uint32_t))
    while at < end:
        depth = node_depth(&v.nodes[at])
        parts = p.tuples.data + <size_t>depth * width
        before = p.states.data[depth - 1]
        if before == NO_STATE_YET:
            status = step_tuple(p, d, parts - width, parts, width, node_byte(&v.nodes[at]), &target)
        else:
            status = dfa_step(d, before, node_byte(&v.nodes[at]), &target)
        if status < 0:
            return status
        if target <= LAST_STATE or target == NO_STATE_YET:
            p.states.data[depth] = target
            bit_set(mask, node_token(&v.nodes[at]))
            visited[0] += 1
            at += 1
            continue
        if target == LEAVE and before == NO_STATE_YET:
            status = find_accept(p, d, parts - width, &accept)
            if status >= 0:
                status = NO_MEMORY if vec_push(exits, at) < 0 else vec_push(exits, accept)
        elif target != DEAD:
            status = add_exit(d, exits, at, before, target)
        if status < 0:
            return status
        at += node_size(&v.nodes[at])
    return OK


cdef int partition_products(
    Products* p, Dfa* d, const Vocabulary* v, uint32_t state, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil:
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = 1
    cdef uint32_t depth, target
    cdef int status = products_begin(p, d.nodes)
    if status >= 0:
        status = take_apart(p, d, state)
    if status:
        return status if status < 0 else walk_product(p, d, v, 0, mask, exits, visited)
    states[0] = state
    while at < v.node_count:
        depth = node_depth(&v.nodes[at])
        status = dfa_step(d, states[depth - 1], node_byte(&v.nodes[at]), &target)
        if status < 0:
            return status
        if target > LAST_STATE:
            if target != DEAD and add_exit(d, exits, at, states[depth - 1], target) < 0:
                return NO_MEMORY
            at += node_size(&v.nodes[at])
            continue
        states[depth] = target
        bit_set(mask, node_token(&v.nodes[at]))
        visited[0] += 1
        if node_size(&v.nodes[at]) > 1:
            status = take_apart(p, d, target)
            if status > 0:
                status = walk_product(p, d, v, at, mask, exits, visited)
                if status >= 0:
                    at += node_size(&v.nodes[at])
                    continue
            if status < 0:
                return status
        at += 1
    return OK
