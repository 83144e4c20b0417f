"""A walk over the trie from a configuration finds what one token leads to. Most tokens lead to few different configurations, so a
search keeps these and not the tokens."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.budget.plans cimport (
    AT_END, SPECIAL, plans_bytes, plans_clear, plans_config, plans_find, plans_free, plans_init, plans_number,
)
from ffgrammar.engine.budget.state_classes cimport ClassTable
from ffgrammar.engine.engine cimport Engine, EngineAttachment
from ffgrammar.engine.parser.tables cimport TokenClass, token_class
from ffgrammar.engine.recognizer.completability cimport step, token_step
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting, recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LEAVE, Dfa, dfa_accept, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token, subtree_end, trie_child,
)

cdef enum:
    NOT_FOUND = 0xFFFFFFFF
    HEADER = 2  # words of a list of successors before the numbers
    # of the configuration after a lexeme: not asked for yet
    UNKNOWN_STATE = 0xFFFFFFFF
    # what `search` returns if it takes too many steps
    GAVE_UP = 2


cdef int cover_numbers(Costs* c) noexcept nogil:
    """Give every number its entries. Returns OK or NO_MEMORY."""
    cdef size_t missing = c.plans.fates.len - c.costs.len
    if missing == 0:
        return OK
    if vec_fill(&c.cuts, missing, 0xFF) < 0 or vec_fill(&c.exact, missing, 0) < 0 or vec_fill(&c.starts, missing, 0xFF) < 0:
        return NO_MEMORY
    if vec_fill(&c.marks, missing, 0) < 0:
        return NO_MEMORY
    return NO_MEMORY if vec_fill(&c.stamps, missing, 0) < 0 else vec_fill(&c.costs, missing, 0xFF)


cdef uint32_t shortest_cut(Engine engine, Costs* c, uint32_t number) noexcept nogil:
    """The tokens of a plan, if the plans of all configurations that it leads to are cut already."""
    cdef const TrieNode* nodes = engine.trie.nodes
    cdef uint32_t least = NEVER
    cdef uint32_t node = 0
    cdef uint32_t symbol = c.plans.symbols.data[number]
    cdef uint32_t after
    if symbol == <uint32_t>AT_END:
        return 0
    if symbol >= <uint32_t>SPECIAL:
        after = c.cuts.data[c.plans.following.data[number]]
        return after if after == <uint32_t>NEVER else after + 1
    while symbol < <uint32_t>SPECIAL:
        node = c.roots[symbol] if node == 0 else trie_child(nodes, node, symbol)
        if node == 0:
            break
        number = c.plans.following.data[number]
        after = c.cuts.data[number]
        if node_token(&nodes[node]) != engine.trie.pad_token and after < least:
            least = after
        symbol = c.plans.symbols.data[number]
    return least if least == <uint32_t>NEVER else least + 1


cdef int cut_plan(Engine engine, Costs* c, uint32_t number) noexcept nogil:
    """Cut the plan of a configuration into the fewest tokens. Returns a status."""
    cdef uint32_t at = number
    cdef int status = plans_find(&c.plans, &engine.completability, &engine.recognizer, number)
    if status < 0 or cover_numbers(c) < 0:
        return status if status < 0 else NO_MEMORY
    if status == 0:
        c.cuts.data[number] = NEVER
        return OK
    c.level.len = 0
    while c.cuts.data[at] == <uint32_t>NOT_FOUND:
        if vec_push(&c.level, at) < 0:
            return NO_MEMORY
        if c.plans.symbols.data[at] == <uint32_t>AT_END:
            break
        at = c.plans.following.data[at]
    while c.level.len:
        c.level.len -= 1
        at = c.level.data[c.level.len]
        c.cuts.data[at] = shortest_cut(engine, c, at)
    return OK


cdef int add_successor(Costs* c, const Config* config) noexcept nogil:
    """Add what a token leads to, unless this walk has met it already. Returns OK or NO_MEMORY."""
    cdef uint32_t number
    if plans_number(&c.plans, config, &number) < 0 or cover_numbers(c) < 0:
        return NO_MEMORY
    if c.stamps.data[number] == c.walks:
        return OK
    c.stamps.data[number] = c.walks
    return vec_push(&c.successors, number)


cdef int ends_dead(Engine engine, const Config* config, uint32_t byte, Config* ended) noexcept nogil:
    """Whether the lexeme of a configuration ends before a byte that cannot come after it. A look at the automaton's tables mostly
    tells, and saves a step. `ended` is the configuration after the lexeme, or has the state UNKNOWN_STATE until it is asked for.
    Returns 1, 0 or a status."""
    cdef Dfa* dfa = &engine.recognizer.dfa
    cdef uint32_t target
    cdef int status = dfa_step(dfa, config.state, byte, &target)
    if status < 0 or target != LEAVE:
        return status if status < 0 else 0
    if ended.state == UNKNOWN_STATE:
        status = recognizer_end_lexeme(&engine.recognizer, config.row, dfa_accept(dfa, config.state), ended, NULL)
        if status < 0:
            ended.state = UNKNOWN_STATE
            return status
    return dfa.delta.data[ended.state + byte] == DEAD


cdef int add_found(Costs* c, const Config* config, uint32_t token, Vec* found) noexcept nogil:
    """Add what a token leads to and the token, as `walk` does. Returns OK or NO_MEMORY."""
    cdef uint32_t number
    if found == NULL:
        return add_successor(c, config)
    if plans_number(&c.plans, config, &number) < 0 or vec_push(found, number) < 0:
        return NO_MEMORY
    return vec_push(found, token)


cdef int walk(
    Engine engine, Costs* c, const Config* config, uint32_t at, uint32_t end, Vec* found, uint32_t* steps,
) noexcept nogil:
    """Take each token of the nodes from `at` to `end`, which are siblings with all that is below them. `config` is the
    configuration above them. With `found`, add what a token leads to and the token (number, token); without, add what they lead
    to to `successors`. Returns a status."""
    cdef const TrieNode* nodes = engine.trie.nodes
    cdef Config configs[MAX_TOKEN_BYTES + 1]
    cdef Config ended[MAX_TOKEN_BYTES + 1]
    cdef uint32_t depth = node_depth(&nodes[at]) - 1
    cdef int status
    configs[depth] = config[0]
    ended[depth].state = UNKNOWN_STATE
    while at < end:
        depth = node_depth(&nodes[at])
        steps[0] += 1
        status = ends_dead(engine, &configs[depth - 1], node_byte(&nodes[at]), &ended[depth - 1])
        if status == 0:
            configs[depth] = configs[depth - 1]
            ended[depth].state = UNKNOWN_STATE
            status = step(&engine.completability, &engine.recognizer, &configs[depth], node_byte(&nodes[at]), NULL)
            if status > 0 and node_token(&nodes[at]) != engine.trie.pad_token:
                if add_found(c, &configs[depth], node_token(&nodes[at]), found) < 0:
                    return NO_MEMORY
        elif status > 0:
            status = 0
        if status < 0:
            return status
        at = next_node(nodes, at, status > 0)
    return OK


cdef int walk_others(Engine engine, Costs* c, const Config* config, Vec* found) noexcept nogil:
    """Take the tokens that are not in the trie: long ones, and special tokens that are lexemes. Arguments and result are those of
    `walk`."""
    cdef Config moved
    cdef TokenClass tokens
    cdef uint32_t at = 0
    cdef uint32_t i, token, number
    cdef int status
    for i in range(engine.trie.long_count):
        token = engine.trie.long_list[i]
        moved = config[0]
        status = 1
        at = engine.trie.offsets[token]
        while status > 0 and at < engine.trie.offsets[token + 1]:
            status = step(&engine.completability, &engine.recognizer, &moved, engine.trie.blob[at], NULL)
            at += 1
        if status > 0:
            status = add_found(c, &moved, token, found)
        if status < 0:
            return status
    at = 0
    while at < engine.tables.rules.token_classes.len:
        at = token_class(&engine.tables.rules, at, &tokens)
        moved = config[0]
        status = token_step(&engine.completability, &engine.recognizer, &moved, tokens.tokens[0])
        if status > 0 and found == NULL:
            status = add_successor(c, &moved)
        elif status > 0:
            if plans_number(&c.plans, &moved, &number) < 0:
                return NO_MEMORY
            for i in range(tokens.token_count):
                if vec_push(found, number) < 0 or vec_push(found, tokens.tokens[i]) < 0:
                    return NO_MEMORY
        if status < 0:
            return status
    return OK


cdef int walk_exits(Engine engine, Costs* c, const Config* config, const Vec* exits, Vec* found) noexcept nogil:
    """Take the tokens that leave the lexeme of a configuration (number, token). Returns a status."""
    cdef const TrieNode* nodes = engine.trie.nodes
    cdef Config above = config[0]
    cdef Config ended
    cdef uint32_t steps = 0
    cdef uint32_t node
    cdef size_t i
    cdef int status
    for i in range(0, exits.len, 2):
        node = exits.data[i]
        if i == 0 or exits.data[i + 1] != above.state:
            above.state = exits.data[i + 1]
            ended.state = UNKNOWN_STATE
        status = ends_dead(engine, &above, node_byte(&nodes[node]), &ended)
        if status == 0:
            status = walk(engine, c, &above, node, subtree_end(nodes, node), found, &steps)
        if status < 0:
            return status
    return OK


cdef int list_successors(Engine engine, Costs* c, uint32_t number) noexcept nogil:
    """Find the configurations that one token leads to, if they are not known. Returns a status."""
    cdef Config config = plans_config(&c.plans, number)
    cdef size_t start = c.successors.len
    cdef uint32_t steps = 0
    cdef int status
    if c.starts.data[number] != <uint32_t>NOT_FOUND:
        return OK
    c.walks += 1
    if vec_fill(&c.successors, HEADER, 0) < 0:
        return NO_MEMORY
    status = walk(engine, c, &config, 1, engine.trie.node_count, NULL, &steps) if engine.trie.node_count > 1 else OK
    if status >= 0:
        status = walk_others(engine, c, &config, NULL)
    if status < 0:
        c.successors.len = start
        return status
    c.successors.data[start] = <uint32_t>(c.successors.len - start - HEADER)
    c.successors.data[start + 1] = steps
    c.starts.data[number] = <uint32_t>start
    return OK


cdef int search(Engine engine, Costs* c, uint32_t number, uint32_t* cost) noexcept nogil:
    """Find the exact cost of a configuration. Returns OK, GAVE_UP or a status."""
    cdef Config config
    cdef uint32_t depth = 0
    cdef uint32_t at = 0
    cdef uint32_t level_end, target, start, i, mark
    cdef size_t steps = 0
    cdef size_t first
    cdef int status
    c.level.len = 0
    if vec_push(&c.level, number) < 0:
        return NO_MEMORY
    c.searches += 1
    mark = c.searches
    c.marks.data[number] = mark
    while at < c.level.len:
        level_end = <uint32_t>c.level.len
        for i in range(at, level_end):
            config = plans_config(&c.plans, c.level.data[i])
            status = recognizer_accepting(&engine.recognizer, &config, NULL)
            if status < 0:
                return status
            if status:
                cost[0] = depth
                return OK
        depth += 1
        while at < level_end:
            target = c.level.data[at]
            status = list_successors(engine, c, target)
            if status < 0:
                return status
            start = c.starts.data[target]
            steps += c.successors.data[start + 1]
            if steps > c.max_steps:
                return GAVE_UP
            for first in range(start + HEADER, start + HEADER + c.successors.data[start]):
                target = c.successors.data[first]
                if c.marks.data[target] != mark:
                    c.marks.data[target] = mark
                    if vec_push(&c.level, target) < 0:
                        return NO_MEMORY
            at += 1
    cost[0] = NEVER
    return OK


cdef int find_cost(Engine engine, Costs* c, uint32_t number) noexcept nogil:
    """Find the cost of a configuration, if it is not known. Returns a status."""
    cdef uint32_t cost
    cdef int status = GAVE_UP
    if number < c.costs.len and c.costs.data[number] != <uint32_t>NOT_FOUND:
        return OK
    if cover_numbers(c) < 0:
        return NO_MEMORY
    if engine.trie.node_count <= c.max_steps:
        status = search(engine, c, number, &cost)
        if status == OK:
            c.exact.data[number] = True
    if status == GAVE_UP:
        status = OK if c.cuts.data[number] != <uint32_t>NOT_FOUND else cut_plan(engine, c, number)
        if status >= 0:
            cost = c.cuts.data[number]
            # (a text that is no sentence needs a token)
            c.exact.data[number] = cost <= 1
    if status >= 0:
        c.costs.data[number] = cost
    return status


cdef class TokenCosts(EngineAttachment):
    """The costs of a grammar's configurations.

    Args:
        engine: the grammar's engine, whose limits bound the searches and the memory.
    """

    def __cinit__(self, Engine engine not None):
        cdef Costs* c = &self.all
        cdef uint32_t at
        vec_init(&c.cuts)
        vec_init(&c.costs)
        vec_init(&c.exact)
        vec_init(&c.successors)
        vec_init(&c.starts)
        vec_init(&c.stamps)
        vec_init(&c.marks)
        vec_init(&c.level)
        vec_init(&self.found)
        c.searches = c.walks = 0
        c.max_steps = min(engine.limits.budget_steps, 1 << 31)
        # (the root has so many children that a look for one of them costs more than all the others together)
        memset(c.roots, 0, sizeof(c.roots))
        at = 1
        while at < engine.trie.node_count:
            c.roots[node_byte(&engine.trie.nodes[at])] = at
            at = subtree_end(engine.trie.nodes, at)
        self.generation = engine.generation
        self.max_bytes = engine.limits.mask_bytes
        self.masks = {}
        self.classes = ClassTable()
        self.mask_bytes = 0
        if plans_init(&c.plans) < 0:
            raise MemoryError

    def __dealloc__(self):
        cdef Costs* c = &self.all
        plans_free(&c.plans)
        vec_free(&c.cuts)
        vec_free(&c.costs)
        vec_free(&c.exact)
        vec_free(&c.successors)
        vec_free(&c.starts)
        vec_free(&c.stamps)
        vec_free(&c.marks)
        vec_free(&c.level)
        vec_free(&self.found)

    cdef int trim(self, Engine engine) except -1:
        cdef Costs* c = &self.all
        cdef size_t held = plans_bytes(&c.plans) + sizeof(uint32_t) * (6 * c.costs.len + c.successors.len)
        if self.generation == engine.generation and held <= max(self.max_bytes, <size_t>1 << 20):
            return 0
        plans_clear(&c.plans)
        c.cuts.len = c.costs.len = c.exact.len = c.successors.len = c.starts.len = c.stamps.len = c.marks.len = 0
        self.drop_masks()
        self.generation = engine.generation
        return 0

    cdef void drop_masks(self) noexcept:
        self.masks.clear()
        self.classes.clear()
        self.mask_bytes = 0

    cdef uint32_t cost(self, Engine engine, const Config* config, bint* exact) except? 0xFFFFFFFF:
        cdef uint32_t number
        if plans_number(&self.all.plans, config, &number) < 0:
            raise MemoryError
        engine.checked(find_cost(engine, &self.all, number))
        if exact != NULL:
            exact[0] = self.all.exact.data[number]
        return self.all.costs.data[number]

    cdef int exits_after(self, Engine engine, const Config* config, const Vec* exits) except -1:
        cdef size_t i
        self.found.len = 0
        engine.checked(walk_exits(engine, &self.all, config, exits, &self.found))
        engine.checked(walk_others(engine, &self.all, config, &self.found))
        for i in range(0, self.found.len, 2):
            engine.checked(find_cost(engine, &self.all, self.found.data[i]))
            self.found.data[i] = self.all.costs.data[self.found.data[i]]
        return 0


cdef TokenCosts costs_of(Engine engine):
    if engine.token_costs is None:
        engine.token_costs = TokenCosts(engine)
    return engine.token_costs
