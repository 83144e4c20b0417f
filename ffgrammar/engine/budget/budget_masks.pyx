"""Which tokens may come depends on what each costs: the tokens that are needed after it. These costs are found once for each
configuration, and one cost stands for a whole class of tokens.

Mostly a budget is ample: more is left than any token costs. Then the mask is the one without a budget, and is kept with those.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test
from ffgrammar.core.vec cimport Vec, vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.budget.plans cimport plans_number
from ffgrammar.engine.budget.state_classes cimport NO_CLASS, StateClasses
from ffgrammar.engine.budget.token_costs cimport NEVER, TokenCosts
from ffgrammar.engine.budget.token_set cimport add_set
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.compute cimport masks_find, must_exit
from ffgrammar.engine.masks.mask_cache cimport StoredMask, mask_release, mask_unpack
from ffgrammar.engine.recognizer.completability cimport completable
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting, recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_accept


cdef class ConfigCosts:
    """What the tokens that may come at a configuration cost."""

    cdef StateClasses classes
    cdef Vec by_class   # by class: the cost of its tokens; NEVER also where they may not come
    cdef Vec others     # (cost, token): the tokens that end the lexeme
    cdef uint32_t most  # the highest cost of a token that may come
    cdef bint accepting

    def __cinit__(self):
        vec_init(&self.by_class)
        vec_init(&self.others)

    def __dealloc__(self):
        vec_free(&self.by_class)
        vec_free(&self.others)

    cdef size_t size(self):
        return (self.by_class.cap + self.others.cap) * sizeof(uint32_t)


cdef ConfigCosts costs_at(TokenCosts costs, Engine engine, const Config* config):
    """Find the costs of the tokens at a configuration."""
    cdef ConfigCosts made = ConfigCosts()
    cdef Config inside = config[0]
    cdef uint32_t cost
    cdef size_t i
    made.classes = costs.classes.find(engine, config.state)
    for i in range(made.classes.states.len):
        inside.state = made.classes.states.data[i]
        cost = NEVER
        if engine.checked(completable(&engine.completability, &engine.recognizer, &inside)):
            cost = costs.cost(engine, &inside, NULL)
            made.most = max(made.most, cost)
        if vec_push(&made.by_class, cost) < 0:
            raise MemoryError
    costs.exits_after(engine, config, &made.classes.exits)
    if vec_extend(&made.others, costs.found.data, costs.found.len) < 0:
        raise MemoryError
    for i in range(0, made.others.len, 2):
        made.most = max(made.most, made.others.data[i])
    made.accepting = engine.checked(recognizer_accepting(&engine.recognizer, config, NULL))
    return made


cdef void set_aliases(Engine engine, uint32_t* words) noexcept:
    """Set the bits of tokens whose bytes another token with a set bit has."""
    cdef uint32_t i
    for i in range(engine.trie.alias_count):
        if bit_test(words, engine.trie.alias_of[i]):
            bit_set(words, engine.trie.alias_id[i])


cdef int fill_scarce(Engine engine, ConfigCosts costs, size_t left, uint32_t* row) except -1:
    """Add the tokens that cost less than what is left. End-of-text tokens may come where nothing is left."""
    cdef const Vec* patched = &costs.classes.patched
    cdef uint32_t i, cost
    cdef size_t j
    for j in range(costs.classes.starts.len):
        cost = costs.by_class.data[j]
        if cost < left and cost != <uint32_t>NEVER:
            add_set(costs.classes.kept.words.data + costs.classes.starts.data[j], engine.trie.n_words, row)
    # (after the classes, whose sets have patched tokens, and before the exits, some of which are patched tokens)
    for j in range(0, patched.len, 2):
        cost = NEVER if patched.data[j + 1] == <uint32_t>NO_CLASS else costs.by_class.data[patched.data[j + 1]]
        if cost < left and cost != <uint32_t>NEVER:
            bit_set(row, patched.data[j])
        else:
            bit_clear(row, patched.data[j])
    for j in range(0, costs.others.len, 2):
        if costs.others.data[j] < left and costs.others.data[j] != <uint32_t>NEVER:
            bit_set(row, costs.others.data[j + 1])
    if costs.accepting:
        for i in range(engine.eos.len):
            bit_set(row, engine.eos.data[i])
    set_aliases(engine, row)
    return 0


cdef int fill_ample(Engine engine, const Config* config, uint32_t* row, size_t count) except -1:
    """Write the mask without a budget."""
    cdef StoredMask* mask
    cdef bint text_dependent = False  # not needed here
    engine.checked(masks_find(&engine.masks, &engine.recognizer, config, &mask, &text_dependent))
    mask_unpack(mask, engine.trie.n_words, row, count)
    mask_release(mask)
    return 0


cdef int fill_within(
    TokenCosts costs, Engine engine, const Config* config, size_t left, uint32_t* row, size_t count,
) except -1:
    cdef uint32_t number
    cdef ConfigCosts found
    cdef Config after
    if must_exit(&engine.masks, &engine.recognizer, config):
        engine.checked(recognizer_end_lexeme(
            &engine.recognizer, config.row, dfa_accept(&engine.recognizer.dfa, config.state), &after, NULL))
        config = &after
    costs.trim(engine)
    if plans_number(&costs.all.plans, config, &number) < 0:
        raise MemoryError
    found = costs.masks.get(number)
    if found is None:
        if costs.mask_bytes + costs.classes.bytes > costs.max_bytes:
            costs.drop_masks()
        found = costs.masks[number] = costs_at(costs, engine, config)
        costs.mask_bytes += found.size()
    elif found.most < left and found.most != <uint32_t>NEVER:
        # (the first time, the mask is made sooner from what was just found)
        return fill_ample(engine, config, row, count)
    memset(row, 0, count * sizeof(uint32_t))
    return fill_scarce(engine, found, left, row)
