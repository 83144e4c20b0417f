from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_test, lowest_bit
from ffgrammar.core.intern cimport intern_count, intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill
from ffgrammar.engine.parser.tables cimport (
    END, I_BITS, I_COUNT, I_HEAD, NONE, NONTERMINAL, NUMBER, T_ADD, T_AGAIN, T_BIT, T_BODY, T_LENGTH, T_LOWEST, T_NEED, Rules,
)
from ffgrammar.regex.expr.nodes cimport FAR, add_lengths

cdef enum:
    # Words of what a family needs. Two words for each bit follow: the least length of the right-hand sides that set it, and the
    # least value of the first counter with which one of them may be used.
    F_END                  # the offset of the template of its end, or NONE
    F_LENGTH               # the length of the end
    # For each lower bound of the first counter: the least length of the right-hand sides that have it and add to the counter. This
    # is the greatest of these lengths.
    F_SHORTEST
    F_COSTS
    # the length of an instance that has none yet
    NO_LENGTH = 0xFFFFFFFF


cdef uint32_t symbol_length(Estimates* e, const Recognizer* m, uint32_t symbol) noexcept nogil:
    """An estimate of the least length of a symbol's texts. Lengths of instances are kept."""
    cdef const Rules* rules = m.rules
    if not symbol & NONTERMINAL:
        return lexeme_length(m, symbol)
    symbol &= NUMBER
    if symbol < rules.plain:
        return e.lengths.data[symbol]
    symbol -= rules.plain
    if e.instances.data[symbol] == <uint32_t>NO_LENGTH:
        e.instances.data[symbol] = instance_length(e, m, symbol, &e.lacking.data[symbol])
    return e.instances.data[symbol]


cdef uint32_t body_length(Estimates* e, const Recognizer* m, const uint32_t* template) noexcept nogil:
    """An estimate of the least length of a template's body."""
    cdef uint32_t length = 0
    cdef uint32_t i
    for i in range(template[T_LENGTH]):
        # (the symbol is plain, or an instance that plain productions name, which has a length)
        length = add_lengths(length, symbol_length(e, m, template[T_BODY + i]))
    return length


cdef uint32_t end_family(const Rules* rules, uint32_t head) noexcept nogil:
    """The family in which the texts of a family end: itself, or the one that all of its productions lead to."""
    cdef uint32_t following = head
    cdef uint32_t k
    for k in range(rules.template_starts.data[head], rules.template_starts.data[head + 1]):
        following = rules.templates.data[rules.template_list.data[k] + T_AGAIN]
        if following == <uint32_t>NONE:
            return head
    return following


cdef int measure_family(Estimates* e, const Recognizer* m, uint32_t head, uint32_t bits) noexcept nogil:
    """Append what a family with a number of bits needs. Returns OK or NO_MEMORY."""
    cdef const Rules* rules = m.rules
    cdef size_t at = e.needs.len
    cdef const uint32_t* template
    cdef uint32_t* needs
    cdef uint32_t* cost
    cdef uint32_t k, length
    cdef uint32_t lowest = NONE  # the lower bound of the right-hand sides that `least` is about
    cdef uint32_t least = 0
    e.families.data[head] = <uint32_t>at
    if vec_fill(&e.needs, F_COSTS + 2 * bits, 0) < 0:
        return NO_MEMORY
    needs = e.needs.data + at
    needs[F_END] = NONE
    head = end_family(rules, head)
    for k in range(rules.template_starts.data[head], rules.template_starts.data[head + 1]):
        template = rules.templates.data + rules.template_list.data[k]
        length = body_length(e, m, template)
        if template[T_AGAIN] == <uint32_t>NONE:
            if needs[F_END] == <uint32_t>NONE or template[T_NEED] != <uint32_t>NONE:
                needs[F_END] = rules.template_list.data[k]
                needs[F_LENGTH] = length
            continue
        if template[T_ADD]:
            if template[T_LOWEST] != lowest:
                needs[F_SHORTEST] = max(needs[F_SHORTEST], least)
                lowest = template[T_LOWEST]
                least = length
            least = min(least, length)
        if template[T_BIT] != <uint32_t>NONE:
            cost = needs + F_COSTS + 2 * template[T_BIT]
            if cost[0] == 0 or template[T_LOWEST] < cost[1]:
                cost[1] = template[T_LOWEST]
            if cost[0] == 0 or length < cost[0]:
                cost[0] = length
    needs[F_SHORTEST] = max(needs[F_SHORTEST], least) if lowest != <uint32_t>NONE else <uint32_t>FAR
    return OK


cdef int measure_families(Estimates* e, const Recognizer* m) noexcept nogil:
    cdef const Rules* rules = m.rules
    cdef uint32_t number
    e.needs.len = e.families.len = 0
    if vec_fill(&e.families, rules.plain, 0xFF) < 0:
        return NO_MEMORY
    for number in range(rules.kept_instances):
        # (each family has one such instance)
        if measure_family(
            e, m, intern_get(&rules.instances, number)[I_HEAD], 32 * (intern_len(&rules.instances, number) - I_BITS)
        ) < 0:
            return NO_MEMORY
    return OK


cdef uint32_t instance_length(const Estimates* e, const Recognizer* m, uint32_t number, uint32_t* lacking) noexcept nogil:
    cdef const Rules* rules = m.rules
    cdef const uint32_t* instance = intern_get(&rules.instances, number)
    cdef const uint32_t* needs = e.needs.data + e.families.data[instance[I_HEAD]]
    cdef const uint32_t* end = rules.templates.data + needs[F_END]
    cdef const uint32_t* need
    cdef const uint32_t* cost
    cdef uint32_t count = instance[I_COUNT]
    cdef uint32_t length = needs[F_LENGTH]
    cdef uint32_t latest = 0     # the least value of the first counter with which the last of the missing bits can be set
    cdef uint32_t at_latest = 0  # how many missing bits need this value
    cdef uint32_t lowest, i, missing
    lacking[0] = 0
    if needs[F_END] == <uint32_t>NONE:
        return 0
    need = rules.templates.data + end[T_NEED]
    for i in range(intern_len(&rules.instances, number) - I_BITS if end[T_NEED] != <uint32_t>NONE else 0):
        missing = need[i] & ~instance[I_BITS + i]
        while missing:
            cost = needs + F_COSTS + 2 * (32 * i + lowest_bit(missing))
            missing &= missing - 1
            if cost[0] == 0:
                continue
            length = add_lengths(length, cost[0])
            count += 1
            if cost[1] > latest:
                latest = cost[1]
                at_latest = 0
            at_latest += cost[1] == latest
    lowest = end[T_LOWEST]
    if at_latest and needs[F_SHORTEST] < FAR:
        lowest = max(lowest, latest + at_latest)
    if count < lowest:
        lacking[0] = lowest - count
        length = <uint32_t>min(<uint64_t>FAR, length + <uint64_t>lacking[0] * needs[F_SHORTEST])
    return length


cdef uint32_t changed_length(Estimates* e, const Recognizer* m, uint32_t nonterminal, uint32_t at) noexcept nogil:
    """An estimate of the length of what follows in an instance after the production of the template at an offset."""
    cdef const Rules* rules = m.rules
    cdef const uint32_t* template = rules.templates.data + at
    cdef const uint32_t* instance = intern_get(&rules.instances, nonterminal - rules.plain)
    cdef const uint32_t* needs = e.needs.data + e.families.data[instance[I_HEAD]]
    cdef uint32_t length = symbol_length(e, m, nonterminal | <uint32_t>NONTERMINAL)
    cdef uint32_t bit = template[T_BIT]
    cdef uint32_t saved = 0
    if needs[F_END] == <uint32_t>NONE or length >= FAR:
        return length
    at = rules.templates.data[needs[F_END] + T_NEED]
    if bit != <uint32_t>NONE and at != <uint32_t>NONE and bit_test(rules.templates.data + at, bit):
        saved = needs[F_COSTS + 2 * bit]
    elif template[T_ADD] and e.lacking.data[nonterminal - rules.plain]:
        saved = needs[F_SHORTEST]
    return length - saved if saved < length - needs[F_LENGTH] else needs[F_LENGTH]


cdef int measure_instances(Estimates* e, const Recognizer* m) noexcept nogil:
    cdef const Rules* rules = m.rules
    cdef size_t known = e.rest.len
    cdef size_t at = rules.symbols.len
    cdef uint32_t symbol, length
    if vec_fill(&e.instances, intern_count(&rules.instances) - e.instances.len, 0xFF) < 0:
        return NO_MEMORY
    if vec_fill(&e.lacking, e.instances.len - e.lacking.len, 0) < 0:
        return NO_MEMORY
    if vec_fill(&e.rest, at - known, 0) < 0:
        return NO_MEMORY
    while at > known:
        at -= 1
        symbol = rules.symbols.data[at]
        if symbol & END:
            continue
        if symbol & NONTERMINAL and symbol & NUMBER < rules.changes.len and rules.changes.data[symbol & NUMBER] != <uint32_t>NONE:
            length = changed_length(e, m, rules.symbols.data[at + 1] & NUMBER, rules.changes.data[symbol & NUMBER])
        else:
            length = symbol_length(e, m, symbol)
        e.rest.data[at] = add_lengths(length, e.rest.data[at + 1])
    return OK
