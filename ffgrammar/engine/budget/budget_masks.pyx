"""The tokens that may come are kept as sets, one for each cost that some of them have. A mask is the union of those whose cost is
less than what is left. Most configurations have few costs, and one large set."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.engine.budget.plans cimport plans_number
from ffgrammar.engine.budget.state_classes cimport StateClasses, TokenSet, classes_of, set_of_mask
from ffgrammar.engine.budget.token_costs cimport NEVER, TokenCosts
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.completability cimport completable
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting


cdef void set_aliases(Engine engine, uint32_t* words) noexcept:
    """Set the bits of tokens whose bytes another token with a set bit has."""
    cdef uint32_t i
    for i in range(engine.trie.alias_count):
        if bit_test(words, engine.trie.alias_of[i]):
            bit_set(words, engine.trie.alias_id[i])


cdef uint32_t* mask_of(Engine engine, dict masks, Py_ssize_t cost):
    """The words of the mask of a cost in `masks`, which has zeros at first."""
    cdef bytearray mask = masks.get(cost)
    if mask is None:
        mask = masks[cost] = bytearray(engine.trie.n_words * sizeof(uint32_t))
    return <uint32_t*>PyByteArray_AS_STRING(mask)


cdef StateClasses state_classes(TokenCosts costs, Engine engine, uint32_t state):
    cdef StateClasses found = costs.classes.get(state)
    if found is None:
        found = costs.classes[state] = classes_of(engine, state)
        costs.mask_bytes += found.size()
    return found


cdef list make_sets(TokenCosts costs, Engine engine, const Config* config):
    """The tokens that may come, as (cost, set) with ascending costs. A token that ends the text has the cost -1, because it may
    come where no token is left."""
    cdef StateClasses classes = state_classes(costs, engine, config.state)
    cdef Config inside = config[0]
    cdef dict masks = {}
    cdef list sets = []
    cdef uint32_t* mask = NULL
    cdef uint32_t cost = NEVER
    cdef size_t i
    for number, state in enumerate(classes.states):
        inside.state = state
        if not (<TokenSet>classes.sets[number]).count:
            continue
        if engine.checked(completable(&engine.completability, &engine.recognizer, &inside)):
            cost = costs.cost(engine, &inside, NULL)
            if cost != <uint32_t>NEVER:
                (<TokenSet>classes.sets[number]).add_to(mask_of(engine, masks, cost))
    costs.exits_after(engine, config, &classes.exits)
    cost = NEVER
    for i in range(0, costs.found.len, 2):
        if costs.found.data[i] != <uint32_t>NEVER:
            # (neighbours mostly have the same cost)
            if costs.found.data[i] != cost:
                cost = costs.found.data[i]
                mask = mask_of(engine, masks, cost)
            bit_set(mask, costs.found.data[i + 1])
    if engine.checked(recognizer_accepting(&engine.recognizer, config, NULL)):
        mask = mask_of(engine, masks, -1)
        for i in range(engine.eos.len):
            bit_set(mask, engine.eos.data[i])
    for level in sorted(masks):
        mask = mask_of(engine, masks, level)
        set_aliases(engine, mask)
        sets.append((level, set_of_mask(mask, engine.trie.n_words)))
    return sets


cdef TokenSet start(list sets, size_t left, uint32_t* row, size_t count):
    """Copy the first large set that may come to a row, or else zeros. Returns this set or None. (A copy takes less time than a
    union.)"""
    cdef Py_ssize_t cost
    cdef TokenSet tokens
    for cost, tokens in sets:
        if tokens.dense and cost < <Py_ssize_t>left:
            memcpy(row, PyBytes_AS_STRING(tokens.words), tokens.count * sizeof(uint32_t))
            memset(row + tokens.count, 0, (count - tokens.count) * sizeof(uint32_t))
            return tokens
    memset(row, 0, count * sizeof(uint32_t))
    return None


cdef int fill_within(
    TokenCosts costs, Engine engine, const Config* config, size_t left, uint32_t* row, size_t count,
) except -1:
    cdef uint32_t number
    cdef list sets
    cdef Py_ssize_t cost
    cdef TokenSet tokens
    costs.trim(engine)
    if plans_number(&costs.all.plans, config, &number) < 0:
        raise MemoryError
    sets = costs.masks.get(number)
    if sets is None:
        if costs.mask_bytes > costs.max_bytes:
            costs.drop_masks()
        sets = costs.masks[number] = make_sets(costs, engine, config)
        costs.mask_bytes += sum([len((<TokenSet>found[1]).words) for found in sets])
    copied = start(sets, left, row, count)
    for cost, tokens in sets:
        if cost >= <Py_ssize_t>left:
            break
        if tokens is not copied:
            tokens.add_to(row)
    return 0
