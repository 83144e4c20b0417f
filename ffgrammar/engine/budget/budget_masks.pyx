"""The masks of a configuration for more and more tokens contain each other, and most tokens have one of a few costs. So they are
kept for each cost that some token has, as (cost, mask). With the greatest cost the mask is the plain one, unless some tokens lead
to texts that no tokens spell."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.engine.budget.plans cimport plans_number
from ffgrammar.engine.budget.token_costs cimport NEVER, TokenCosts
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting


cdef void set_aliases(Engine engine, uint32_t* words) noexcept:
    """Set the bits of tokens whose bytes another token with a set bit has."""
    cdef uint32_t i
    for i in range(engine.trie.alias_count):
        if bit_test(words, engine.trie.alias_of[i]):
            bit_set(words, engine.trie.alias_id[i])


cdef bytes mask_up_to(Engine engine, TokenCosts costs, uint32_t cost, bint sentence):
    """The tokens of `costs.found` with a cost of at most `cost`, as words."""
    cdef size_t size = engine.trie.n_words * sizeof(uint32_t)
    cdef bytes mask = PyBytes_FromStringAndSize(NULL, size)
    cdef uint32_t* words = <uint32_t*>PyBytes_AS_STRING(mask)
    cdef size_t i
    memset(words, 0, size)
    for i in range(0, costs.found.len, 2):
        if costs.found.data[i] <= cost:
            bit_set(words, costs.found.data[i + 1])
    set_aliases(engine, words)
    if sentence:
        for i in range(engine.eos.len):
            bit_set(words, engine.eos.data[i])
    return mask


cdef list make_masks(TokenCosts costs, Engine engine, const Config* config):
    """The masks of a configuration: first the one with no token left, with the cost -1, then one for each cost."""
    cdef set present = set()
    cdef uint32_t last = NEVER
    cdef size_t i
    cdef bint sentence = engine.checked(recognizer_accepting(&engine.recognizer, config, NULL)) != 0
    costs.tokens_after(engine, config)
    for i in range(0, costs.found.len, 2):
        # (neighbours mostly have the same cost)
        if costs.found.data[i] != last:
            last = costs.found.data[i]
            present.add(last)
    present.discard(<uint32_t>NEVER)
    masks = [(cost, mask_up_to(engine, costs, cost, sentence)) for cost in sorted(present)]
    costs.found.len = 0
    return [(-1, mask_up_to(engine, costs, 0, sentence)), *masks]


cdef int fill_within(
    TokenCosts costs, Engine engine, const Config* config, size_t left, uint32_t* row, size_t count,
) except -1:
    cdef size_t size = engine.trie.n_words * sizeof(uint32_t)
    cdef uint32_t number
    cdef list masks
    cdef bytes mask = None
    cdef Py_ssize_t cost
    costs.trim(engine)
    if plans_number(&costs.all.plans, config, &number) < 0:
        raise MemoryError
    masks = costs.masks.get(number)
    if masks is None:
        masks = make_masks(costs, engine, config)
        if costs.mask_bytes + size * len(masks) > costs.max_bytes:
            costs.masks.clear()
            costs.mask_bytes = 0
        costs.mask_bytes += size * len(masks)
        costs.masks[number] = masks
    for cost, found in reversed(masks):
        if cost < <Py_ssize_t>left:
            mask = found
            break
    memcpy(row, PyBytes_AS_STRING(mask), size)
    memset(row + engine.trie.n_words, 0, (count - engine.trie.n_words) * sizeof(uint32_t))
    return 0
