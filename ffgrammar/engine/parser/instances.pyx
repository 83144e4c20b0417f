"""A template is a production with conditions on the parameter: bounds of two counters, a bit that must be unset, bits that must
be set, and bits that must be settled."""

from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_get, intern_len, intern_truncate
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push
from ffgrammar.engine.parser.tables cimport (
    D_INSTANCE, D_POSITION, D_TEMPLATE, D_WORDS, END, I_BITS, I_COUNT, I_HEAD, NONE, NONTERMINAL, NUMBER, T_ADD, T_AGAIN, T_BIT,
    T_BODY, T_CHANGE, T_DISTANCE, T_GUARDS, T_HIGHEST, T_LENGTH, T_LOWEST, T_NEED, T_SETS, T_SETTLED,
)


cdef bint meets(const Rules* rules, const uint32_t* instance, uint32_t length, const uint32_t* template) noexcept nogil:
    """Whether an instance, of `length` words, meets the conditions of a template."""
    cdef const uint32_t* need
    cdef const uint32_t* mask
    cdef uint32_t i
    for i in range(2):
        if instance[I_COUNT + i] < template[T_LOWEST + i] or instance[I_COUNT + i] > template[T_HIGHEST + i]:
            return False
    i = template[T_BIT]
    if i != <uint32_t>NONE and bit_test(instance + I_BITS, i):
        return False
    if template[T_NEED] != <uint32_t>NONE:
        need = rules.templates.data + template[T_NEED]
        for i in range(length - I_BITS):
            if need[i] & ~instance[I_BITS + i]:
                return False
    if template[T_SETTLED] != <uint32_t>NONE:
        mask = rules.templates.data + template[T_SETTLED]
        for i in range(template[T_DISTANCE]):
            if mask[i] & instance[I_BITS + i] & ~instance[I_BITS + i + template[T_DISTANCE]]:
                return False
    return True


cdef bint derives_nothing(const Rules* rules, uint32_t number) noexcept nogil:
    """Whether an instance derives the empty text. (No template with a T_AGAIN does: its body has a terminal.)"""
    cdef const uint32_t* instance = intern_get(&rules.instances, number)
    cdef uint32_t length = intern_len(&rules.instances, number)
    cdef const uint32_t* template
    cdef uint32_t k, i, symbol
    for k in range(rules.template_starts.data[instance[I_HEAD]], rules.template_starts.data[instance[I_HEAD] + 1]):
        template = rules.templates.data + rules.template_list.data[k]
        if template[T_AGAIN] != <uint32_t>NONE or not meets(rules, instance, length, template):
            continue
        for i in range(template[T_LENGTH]):
            symbol = template[T_BODY + i]
            if not symbol & NONTERMINAL or not rules.nullable.data[symbol & NUMBER]:
                break
        else:
            return True
    return False


cdef int find_instance(Rules* rules, uint32_t* nonterminal) noexcept nogil:
    cdef uint32_t number
    cdef int status = intern_add(&rules.instances, rules.instance.data, rules.instance.len, &number)
    if status < 0:
        return status
    nonterminal[0] = rules.plain + number
    if status == 0:
        return OK
    if vec_push(&rules.starts, NONE) < 0 or vec_push(&rules.ends, NONE) < 0:
        return NO_MEMORY
    return vec_push(&rules.nullable, derives_nothing(rules, number))


cdef uint32_t counted(const Rules* rules, const uint32_t* instance, const uint32_t* template, uint32_t number) noexcept nogil:
    cdef uint32_t count = instance[I_COUNT + number]
    return count + 1 if template[T_ADD + number] and count < rules.caps[number] else count


cdef void add_bits(const Rules* rules, uint32_t number, const uint32_t* template, uint32_t* words) noexcept nogil:
    cdef const uint32_t* instance = intern_get(&rules.instances, number)
    cdef uint32_t i
    for i in range(I_BITS, intern_len(&rules.instances, number)):
        words[i] |= instance[i]
        if template[T_SETS] != <uint32_t>NONE:
            words[i] |= rules.templates.data[template[T_SETS] + i - I_BITS]
    if template[T_BIT] != <uint32_t>NONE:
        bit_set(words + I_BITS, template[T_BIT])


cdef int again(Rules* rules, uint32_t number, const uint32_t* template, uint32_t* nonterminal) noexcept nogil:
    """A template with a T_AGAIN gives instance `number` a production that ends in another instance. Find or make that other
    instance. Writes its nonterminal number. Returns OK or NO_MEMORY."""
    cdef const uint32_t* instance = intern_get(&rules.instances, number)
    cdef uint32_t i
    rules.instance.len = 0
    if vec_fill(&rules.instance, intern_len(&rules.instances, number), 0) < 0:
        return NO_MEMORY
    rules.instance.data[I_HEAD] = template[T_AGAIN]
    for i in range(2):
        rules.instance.data[I_COUNT + i] = counted(rules, instance, template, i)
    add_bits(rules, number, template, rules.instance.data)
    return find_instance(rules, nonterminal)


cdef int expand(Rules* rules, uint32_t nonterminal) noexcept nogil:
    cdef uint32_t number = nonterminal - rules.plain
    cdef uint32_t head = intern_get(&rules.instances, number)[I_HEAD]
    cdef uint32_t start = <uint32_t>rules.bodies.len
    cdef uint32_t guarded[D_WORDS]
    cdef uint32_t k, following
    cdef const uint32_t* template
    cdef int status
    for k in range(rules.template_starts.data[head], rules.template_starts.data[head + 1]):
        template = rules.templates.data + rules.template_list.data[k]
        if not meets(rules, intern_get(&rules.instances, number), intern_len(&rules.instances, number), template):
            continue
        if vec_push(&rules.bodies, <uint32_t>rules.symbols.len) < 0:
            return NO_MEMORY
        if vec_extend(&rules.symbols, template + T_BODY, template[T_LENGTH]) < 0:
            return NO_MEMORY
        if template[T_GUARDS] != <uint32_t>NONE:
            guarded[D_POSITION] = <uint32_t>rules.symbols.len - 1
            while rules.symbols.data[guarded[D_POSITION]] & NONTERMINAL:
                guarded[D_POSITION] -= 1
            guarded[D_INSTANCE] = number
            guarded[D_TEMPLATE] = rules.template_list.data[k]
            if vec_extend(&rules.guarded, guarded, D_WORDS) < 0:
                return NO_MEMORY
        if template[T_CHANGE] != <uint32_t>NONE:
            if vec_push(&rules.symbols, template[T_CHANGE] | NONTERMINAL) < 0:
                return NO_MEMORY
        elif template[T_AGAIN] != <uint32_t>NONE:
            status = again(rules, number, template, &following)
            if status < 0 or vec_push(&rules.symbols, following | NONTERMINAL) < 0:
                return status if status < 0 else NO_MEMORY
        if vec_push(&rules.symbols, nonterminal | <uint32_t>END) < 0:
            return NO_MEMORY
    rules.starts.data[nonterminal] = start
    rules.ends.data[nonterminal] = <uint32_t>rules.bodies.len
    return OK


cdef void forget_instances(Rules* rules) noexcept nogil:
    cdef uint32_t i
    if intern_count(&rules.instances) == 0:
        return
    rules.symbols.len = rules.kept_symbols
    rules.bodies.len = rules.kept_bodies
    rules.starts.len = rules.ends.len = rules.nullable.len = rules.plain + rules.kept_instances
    for i in range(rules.kept_instances):
        rules.starts.data[rules.plain + i] = NONE
    rules.tails.len = rules.guarded.len = 0
    intern_truncate(&rules.instances, rules.kept_instances)


cdef size_t instances_bytes(const Rules* rules) noexcept nogil:
    cdef size_t words = rules.guarded.cap + rules.symbols.cap + rules.bodies.cap + rules.starts.cap * 3 + rules.tails.cap
    return words * sizeof(uint32_t) + intern_bytes(&rules.instances)
