"""Sets grow until nothing changes. In a grammar with parametric nonterminals every lexeme may follow every other one."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_words
from ffgrammar.core.owner cimport own_vec, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free
from ffgrammar.engine.parser.tables cimport END, NONTERMINAL, NUMBER


cdef int followers_init(Followers* f) noexcept nogil:
    owner_init(&f.owner)
    own_vec(&f.owner, &f.follow)
    own_vec(&f.owner, &f.tight)
    own_vec(&f.owner, &f.first)
    own_vec(&f.owner, &f.after)
    own_vec(&f.owner, &f.ends_tight)
    own_vec(&f.owner, &f.rest)
    return owner_status(&f.owner)


cdef void followers_trim(Followers* f) noexcept nogil:
    vec_free(&f.follow)
    vec_free(&f.first)
    vec_free(&f.after)
    vec_free(&f.ends_tight)
    vec_free(&f.rest)


cdef inline bint add(uint32_t* to, const uint32_t* one, uint32_t words) noexcept nogil:
    """Add a set to another one. Returns whether that has changed it."""
    cdef uint32_t changed = 0
    cdef uint32_t i
    for i in range(words):
        changed |= one[i] & ~to[i]
        to[i] |= one[i]
    return changed != 0


cdef bint add_first(Followers* f, const Rules* rules, uint32_t at) noexcept nogil:
    """Add to the first lexemes of a nonterminal those of one of its productions. Returns whether there are new ones."""
    cdef uint32_t end = at
    cdef uint32_t symbol
    cdef uint32_t* to
    cdef bint changed = False
    while not rules.symbols.data[end] & END:
        end += 1
    to = f.first.data + (rules.symbols.data[end] & NUMBER) * f.words
    while at < end:
        symbol = rules.symbols.data[at]
        if not symbol & NONTERMINAL:
            changed |= not to[symbol >> 5] >> (symbol & 31) & 1
            bit_set(to, symbol)
            break
        changed |= add(to, f.first.data + (symbol & NUMBER) * f.words, f.words)
        if not rules.nullable.data[symbol & NUMBER]:
            break
        at += 1
    return changed


cdef bint add_after(Followers* f, const Rules* rules, uint32_t first) noexcept nogil:
    """Add what may follow the symbols of a production. Returns whether something new follows a nonterminal."""
    cdef uint32_t at = first
    cdef uint32_t symbol, head, i
    cdef bint changed = False
    while not rules.symbols.data[at] & END:
        at += 1
    head = rules.symbols.data[at] & NUMBER
    memcpy(f.rest.data, f.after.data + head * f.words, f.words * sizeof(uint32_t))
    while at > first:
        at -= 1
        symbol = rules.symbols.data[at]
        if symbol & NONTERMINAL:
            symbol &= NUMBER
            changed |= add(f.after.data + symbol * f.words, f.rest.data, f.words)
            if not rules.nullable.data[symbol]:
                memset(f.rest.data, 0, f.words * sizeof(uint32_t))
            add(f.rest.data, f.first.data + symbol * f.words, f.words)
        else:
            add(f.follow.data + symbol * f.words, f.rest.data, f.words)
            memset(f.rest.data, 0, f.words * sizeof(uint32_t))
            bit_set(f.rest.data, symbol)
        if at == first or rules.skip_bits.len == 0:
            continue
        for i in range(<uint32_t>rules.skips.len):
            if rules.skip_bits.data[head] >> i & 1:
                add(f.follow.data + rules.skips.data[i] * f.words, f.rest.data, f.words)
    return changed


cdef bint add_tight(Followers* f, const Rules* rules, uint32_t first) noexcept nogil:
    """Note what stands in a production where no skip may follow. Returns whether there is a new nonterminal."""
    cdef uint32_t at = first
    cdef uint32_t symbol, head
    cdef bint changed = False
    cdef bint is_last = True
    while not rules.symbols.data[at] & END:
        at += 1
    head = rules.symbols.data[at] & NUMBER
    while at > first:
        at -= 1
        symbol = rules.symbols.data[at]
        # (after a symbol that may be last comes what follows the head)
        if not rules.skip_bits.data[head] and (at + 1 == first or not rules.symbols.data[at + 1] & END) \
                or is_last and f.ends_tight.data[head]:
            if symbol & NONTERMINAL:
                changed |= not f.ends_tight.data[symbol & NUMBER]
                f.ends_tight.data[symbol & NUMBER] = 1
            else:
                f.tight.data[symbol] = 1
        is_last = is_last and symbol & NONTERMINAL and rules.nullable.data[symbol & NUMBER]
    return changed


cdef int followers_find(Followers* f, const Rules* rules) noexcept nogil:
    cdef uint32_t lexemes = <uint32_t>rules.exprs.len
    cdef uint32_t nonterminals = rules.plain + rules.kept_instances
    cdef uint32_t i
    cdef bint changed = True
    f.words = <uint32_t>bit_words(lexemes)
    f.follow.len = f.tight.len = f.first.len = f.after.len = f.ends_tight.len = f.rest.len = 0
    if vec_fill(&f.follow, lexemes * f.words, 0) < 0 or vec_fill(&f.tight, lexemes, 0) < 0:
        return NO_MEMORY
    if lexemes == 0:
        # the grammar has the empty text only, and the tables have no memory
        return OK
    if rules.skip_bits.len == 0:
        for i in range(<uint32_t>rules.skips.len):
            memset(f.follow.data + rules.skips.data[i] * f.words, 0xFF, f.words * sizeof(uint32_t))
    if rules.kept_instances:
        memset(f.follow.data, 0xFF, f.follow.len * sizeof(uint32_t))
        return OK
    if vec_fill(&f.first, nonterminals * f.words, 0) < 0 or vec_fill(&f.after, nonterminals * f.words, 0) < 0:
        return NO_MEMORY
    if vec_fill(&f.rest, f.words, 0) < 0 or vec_fill(&f.ends_tight, nonterminals, 0) < 0:
        return NO_MEMORY
    while changed:
        changed = False
        for i in range(rules.kept_bodies):
            changed |= add_first(f, rules, rules.bodies.data[rules.kept_bodies - 1 - i])
    changed = True
    while changed:
        changed = False
        for i in range(rules.kept_bodies):
            changed |= add_after(f, rules, rules.bodies.data[i])
    changed = rules.skip_bits.len != 0
    while changed:
        changed = False
        for i in range(rules.kept_bodies):
            changed |= add_tight(f, rules, rules.bodies.data[i])
    return OK
