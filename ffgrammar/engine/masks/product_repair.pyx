"""A part that was begun is completed before another one is, so that two parts do not undo each other's steps in turns."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.masks.product_search cimport is_dead
from ffgrammar.engine.masks.products cimport T_COUNT, T_FIRST, term_at, term_count
from ffgrammar.regex.dfa.part_ways cimport NO_WAY, find_way
from ffgrammar.regex.dfa.parts cimport ANY_PART, MAX_WITNESS_BYTES, NO_PART, add_witness, step_part
from ffgrammar.regex.expr.nodes cimport nullable

cdef enum:
    # The most bytes of a text that completes a term.
    MAX_REPAIR_BYTES = 256
    # How many terms of a tuple are tried.
    MAX_TERMS = 4
    # After this many tuples of a state in a row that could not be completed, no others are tried.
    MAX_IN_VAIN = 32
    # After this many that could not be completed after the last witness, that is not tried any more.
    MAX_NOT_AFTER = 4


cdef bint is_open(const Products* p, uint32_t part, uint32_t literal) noexcept nogil:
    """Whether a literal does not match the empty text. Its part is then still to be completed."""
    return nullable(p.parts.nodes, p.parts.exprs.data[part]) == literal & 1


cdef int step_term(Products* p, const uint32_t* literals, uint32_t count, uint32_t byte) noexcept nogil:
    """Move the parts of a term, which are in `pairs`, by a byte. Returns 1; 0 if one of them shows that the term matches nothing
    from there on; or a status."""
    cdef uint32_t i, part
    cdef int status = pulse(&p.parts.nodes.pulse, 1 + (count >> 4))
    for i in range(count):
        if status >= 0:
            status = step_part(&p.parts, p.pairs.data[i], byte, &part)
        if status < 0:
            return status
        if part == (<uint32_t>ANY_PART if literals[i] & 1 else <uint32_t>NO_PART):
            return 0
        p.pairs.data[i] = part
    return 1


cdef int begin(Products* p, const uint32_t* parts, uint32_t number, bint after_witness) noexcept nogil:
    """Write the parts of a term to `pairs`, after the last witness or the empty text, and this to `text`. Returns 1; 0 if the term
    matches nothing from there on; or a status."""
    cdef const uint32_t* literals = p.literals.data + term_at(p, number)[T_FIRST]
    cdef uint32_t count = term_at(p, number)[T_COUNT]
    cdef size_t last = p.parts.ends.len - 1
    cdef uint32_t i
    cdef int status = 1
    p.pairs.len = p.text.len = 0
    for i in range(count):
        if vec_push(&p.pairs, parts[literals[i] >> 1]) < 0:
            return NO_MEMORY
    if not after_witness:
        return 1
    for i in range(p.parts.ends.data[last - 1] if last else 0, p.parts.ends.data[last]):
        if status > 0:
            status = step_term(p, literals, count, p.parts.witnesses.data[i])
        if vec_push(&p.text, p.parts.witnesses.data[i]) < 0:
            return NO_MEMORY
    return status


cdef int repair(Products* p, const uint32_t* parts, uint32_t number, bint after_witness) noexcept nogil:
    """Complete a term, and write the text to `text`. `after_witness`: the text begins with the last witness, and may become one.
    Returns 1; 0 if no text was found; or a status."""
    cdef const uint32_t* literals = p.literals.data + term_at(p, number)[T_FIRST]
    cdef uint32_t count = term_at(p, number)[T_COUNT]
    cdef uint32_t most = <uint32_t>MAX_WITNESS_BYTES if after_witness else <uint32_t>MAX_REPAIR_BYTES
    cdef uint32_t byte, tried
    cdef uint32_t i = 0
    cdef int status = begin(p, parts, number, after_witness)
    while status > 0:
        # (the part that was begun is the first to be looked at)
        tried = 0
        while tried < count and not is_open(p, p.pairs.data[i], literals[i]):
            i = i + 1 if i + 1 < count else 0
            tried += 1
        if tried == count:
            return p.text.len != 0
        if p.text.len >= most:
            return 0
        status = find_way(&p.parts, p.pairs.data[i], literals[i] & 1, &byte)
        if status < 0 or byte == NO_WAY:
            return status
        if vec_push(&p.text, byte) < 0:
            return NO_MEMORY
        status = step_term(p, literals, count, byte)
    return status


cdef int repair_gathering(Products* p, const uint32_t* parts, uint32_t number) noexcept nogil:
    """`repair`, if possible with a text that begins with the last witness. Where each pattern asks for some text to occur, such
    witnesses gather what all patterns ask for, and the last one serves nearly all tuples."""
    cdef int status = 0
    if p.parts.ends.len and p.not_after < MAX_NOT_AFTER:
        status = repair(p, parts, number, True)
        p.not_after = 0 if status > 0 else p.not_after + 1
    return status if status else repair(p, parts, number, False)


cdef int repair_terms(Products* p, const uint32_t* parts) noexcept nogil:
    cdef uint32_t tried = 0
    cdef uint32_t i
    cdef int status = 0
    if p.unrepaired == MAX_IN_VAIN:
        return 0
    for i in range(term_count(p)):
        if status or tried == MAX_TERMS:
            break
        if not is_dead(p, parts, term_at(p, i)):
            tried += 1
            status = repair_gathering(p, parts, i)
    if status == 0 and tried:
        p.unrepaired += 1
    elif status > 0:
        p.unrepaired = 0
        if p.text.len <= MAX_WITNESS_BYTES and add_witness(&p.parts, p.text.data, <uint32_t>p.text.len) < 0:
            return NO_MEMORY
    return status
