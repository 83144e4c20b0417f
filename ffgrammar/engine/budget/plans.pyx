"""All plans together are a graph in which each configuration points to the next one of its plan. A plan is found once for all
configurations on it."""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.parser.tables cimport TokenClass, token_class
from ffgrammar.engine.budget.likely_byte cimport NO_GUESS, forced_byte, likely_byte
from ffgrammar.engine.recognizer.completability cimport distance, step, token_step
from ffgrammar.engine.recognizer.recognizer cimport config_key, recognizer_accepting, recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LAZY, LEAVE, dfa_accept, dfa_step

cdef enum:
    QUEUE_WORDS = 3
    # fates
    UNKNOWN = 0
    ON_PATH = 1   # only while a plan is looked for
    DIRECT = 2    # the plan takes the least distance at each symbol
    STRAY = 3     # such a plan goes round in a circle
    DETOUR = 4    # the plan is the shortest way to a DIRECT configuration
    LOST = 5      # there is no such way
    # of the configuration after a lexeme: not asked for yet
    UNKNOWN_STATE = 0xFFFFFFFF
    # a distance that was not asked for yet
    UNMEASURED = 0xFFFFFFFF


cdef int plans_init(Plans* p) noexcept nogil:
    owner_init(&p.owner)
    own_map(&p.owner, &p.index)
    own_vec(&p.owner, &p.configs)
    own_vec(&p.owner, &p.fates)
    own_vec(&p.owner, &p.symbols)
    own_vec(&p.owner, &p.following)
    own_vec(&p.owner, &p.distances)
    own_vec(&p.owner, &p.path)
    own_vec(&p.owner, &p.exprs)
    own_vec(&p.owner, &p.queue)
    own_map(&p.owner, &p.seen)
    return owner_status(&p.owner)


cdef void plans_free(Plans* p) noexcept nogil:
    owner_free(&p.owner)


cdef void plans_clear(Plans* p) noexcept nogil:
    map_clear(&p.index)
    p.configs.len = p.fates.len = p.symbols.len = p.following.len = p.distances.len = 0


cdef size_t plans_bytes(const Plans* p) noexcept nogil:
    return owner_bytes(&p.owner)


cdef int plans_number(Plans* p, const Config* config, uint32_t* number) noexcept nogil:
    number[0] = map_get(&p.index, config_key(config))
    if number[0] != ABSENT:
        return OK
    number[0] = <uint32_t>p.fates.len
    if vec_push(&p.configs, config.row) < 0 or vec_push(&p.configs, config.state) < 0:
        return NO_MEMORY
    if vec_push(&p.symbols, AT_END) < 0 or vec_push(&p.following, number[0]) < 0:
        return NO_MEMORY
    if vec_push(&p.distances, UNMEASURED) < 0 or vec_push(&p.fates, UNKNOWN) < 0:
        return NO_MEMORY
    return map_put(&p.index, config_key(config), number[0])


cdef int after_symbol(
    Completability* v, Recognizer* m, const Config* config, uint32_t symbol, Config* moved, uint32_t* next_symbol,
) noexcept nogil:
    """Write the configuration after a symbol, and the symbol to be tried next. Returns 1; 0 if the symbol may not come; or a
    status."""
    cdef TokenClass tokens
    moved[0] = config[0]
    if symbol < <uint32_t>SPECIAL:
        next_symbol[0] = symbol + 1
        return step(v, m, moved, symbol, NULL)
    next_symbol[0] = SPECIAL + token_class(m.rules, symbol - SPECIAL, &tokens)
    return token_step(v, m, moved, tokens.tokens[0])


cdef inline uint32_t symbol_end(const Recognizer* m) noexcept nogil:
    """The number after the last symbol."""
    return SPECIAL + <uint32_t>m.rules.token_classes.len


cdef int measured(Plans* p, Completability* v, Recognizer* m, uint32_t number, uint32_t* length) noexcept nogil:
    """Write the distance of a configuration. Returns a status."""
    cdef Config config
    cdef int status
    if p.distances.data[number] == <uint32_t>UNMEASURED:
        config = plans_config(p, number)
        status = distance(v, m, &config, &p.distances.data[number])
        if status < 0:
            p.distances.data[number] = UNMEASURED
            return status
    length[0] = p.distances.data[number]
    return OK


cdef int find_effect(Recognizer* m, const Config* config, Config* ended, uint32_t byte, uint32_t* effect) noexcept nogil:
    """Write a number for what a byte does: bytes with the same one lead to the same configuration, and none may come with DEAD.
    `ended` is the configuration after the lexeme that can end here, or has the state UNKNOWN_STATE until it is asked for. Returns
    1; 0 if only a step tells; or a status."""
    cdef int status = dfa_step(&m.dfa, config.state, byte, effect)
    if status < 0 or effect[0] <= LAST_STATE or effect[0] == DEAD:
        return status if status < 0 else 1
    if effect[0] != LEAVE or m.dfa.threads.present:
        return 0
    if ended.state == <uint32_t>UNKNOWN_STATE:
        status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), ended, NULL)
        if status <= 0:
            ended.state = UNKNOWN_STATE
            return status
    status = dfa_step(&m.dfa, ended.state, byte, effect)
    if status < 0:
        return status
    if effect[0] <= LAST_STATE:
        # (states that go on in the lexeme have the flag LAZY neither)
        effect[0] |= <uint32_t>LAZY
        return 1
    return effect[0] == DEAD


cdef int follow(
    Plans* p, Completability* v, Recognizer* m, uint32_t number, uint32_t symbol, uint32_t* target,
) noexcept nogil:
    """Set the first symbol. Returns 1; 0 if the symbol may not come; or a status."""
    cdef Config config = plans_config(p, number)
    cdef Config moved
    cdef uint32_t next_symbol
    cdef int status = after_symbol(v, m, &config, symbol, &moved, &next_symbol)
    if status > 0 and plans_number(p, &moved, target) < 0:
        return NO_MEMORY
    if status > 0:
        p.symbols.data[number] = symbol
        p.following.data[number] = target[0]
    return status


cdef int nearest_by_structure(
    Plans* p, Completability* v, Recognizer* m, uint32_t number, uint32_t* symbol,
) noexcept nogil:
    """`nearest_of_all`, where the structure of the lexemes tells the symbol. Returns 0 where it does not. Then `symbol` may be a
    guess that does not bring a sentence as much nearer as it should."""
    cdef Config config = plans_config(p, number)
    cdef uint32_t target, length, rest, pace
    cdef int status
    symbol[0] = forced_byte(m, &config)
    if symbol[0] != NO_GUESS:
        return follow(p, v, m, number, symbol[0], &target)
    status = likely_byte(v, m, &config, &p.exprs, symbol, &length, &pace)
    if status < 0 or symbol[0] == NO_GUESS:
        return status
    status = follow(p, v, m, number, symbol[0], &target)
    if status == 0:
        symbol[0] = NO_GUESS
    if status > 0:
        status = measured(p, v, m, target, &rest)
        return status if status < 0 else rest + pace <= length
    return status


cdef int nearest_of_all(Plans* p, Completability* v, Recognizer* m, uint32_t number) noexcept nogil:
    """Set the first symbol to the one after which the distance is least. Returns 1; 0 if no symbol may come; or a status."""
    cdef Config config = plans_config(p, number)
    cdef Config moved, ended
    cdef uint32_t symbol = 0
    cdef uint32_t least = UNMEASURED
    cdef uint32_t effect = DEAD
    cdef uint32_t before = DEAD
    cdef uint32_t target, length, next_symbol
    cdef int status
    ended.state = UNKNOWN_STATE
    p.symbols.data[number] = AT_END
    while symbol < symbol_end(m):
        if symbol < <uint32_t>SPECIAL:
            # a step takes ten times as long as this, and neighbours mostly do the same
            status = find_effect(m, &config, &ended, symbol, &effect)
            if status > 0 and (effect == DEAD or effect == before):
                symbol += 1
                continue
            before = effect if status > 0 else <uint32_t>DEAD
            if status < 0:
                return status
        status = after_symbol(v, m, &config, symbol, &moved, &next_symbol)
        if status > 0:
            status = plans_number(p, &moved, &target)
            if status >= 0:
                status = measured(p, v, m, target, &length)
            if status >= 0 and (length < least or p.symbols.data[number] == <uint32_t>AT_END):
                least = length
                p.symbols.data[number] = symbol
                p.following.data[number] = target
        if status < 0:
            return status
        symbol = next_symbol
    return p.symbols.data[number] != <uint32_t>AT_END


cdef int nearest(Plans* p, Completability* v, Recognizer* m, uint32_t number) noexcept nogil:
    """Set the first symbol. Returns 1; 0 if no symbol may come; or a status."""
    cdef uint32_t guess, here, after
    cdef int status = nearest_by_structure(p, v, m, number, &guess)
    if status != 0:
        return status
    status = nearest_of_all(p, v, m, number)
    if status > 0 and guess != NO_GUESS:
        status = measured(p, v, m, number, &here)
        if status >= 0:
            status = measured(p, v, m, p.following.data[number], &after)
        if status >= 0 and after >= here:
            # (The distance of an intersection grows where its members drift apart. Then a byte that is not needed, as white space,
            # would look as good as one that is.)
            return follow(p, v, m, number, guess, &after)
        return status if status < 0 else 1
    return status


cdef int accepting(Plans* p, Recognizer* m, uint32_t number) noexcept nogil:
    cdef Config config = plans_config(p, number)
    return recognizer_accepting(m, &config, NULL)


cdef int follow_nearest(Plans* p, Completability* v, Recognizer* m, uint32_t number) noexcept nogil:
    """Find whether a configuration is DIRECT or STRAY, unless it is known. Returns a status."""
    cdef uint32_t at = number
    cdef uint32_t fate = STRAY
    cdef size_t i
    cdef int status = OK
    p.path.len = 0
    while p.fates.data[at] == <uint32_t>UNKNOWN:
        status = NO_MEMORY if vec_push(&p.path, at) < 0 else accepting(p, m, at)
        p.fates.data[at] = ON_PATH
        if status < 0:
            break
        if status > 0:
            p.fates.data[at] = DIRECT
            break
        # (without a bound this would be as long as a shortest sentence, which may have any number of bytes)
        status = LIMIT_EMPTINESS if p.path.len > v.max_search else nearest(p, v, m, at)
        if status <= 0:
            break
        at = p.following.data[at]
    if status >= 0 and p.fates.data[at] == <uint32_t>DIRECT:
        fate = DIRECT
    for i in range(p.path.len):
        p.fates.data[p.path.data[i]] = fate if status >= 0 else <uint32_t>UNKNOWN
    return status if status < 0 else OK


cdef void set_detour(Plans* p, uint32_t entry, uint32_t target, uint32_t symbol) noexcept nogil:
    """Set the plans along a way that the queue has: from its first entry to `entry`, and by `symbol` to `target`."""
    cdef uint32_t number
    while True:
        number = p.queue.data[entry * QUEUE_WORDS]
        p.fates.data[number] = DETOUR
        p.symbols.data[number] = symbol
        p.following.data[number] = target
        if entry == 0:
            return
        target = number
        symbol = p.queue.data[entry * QUEUE_WORDS + 2]
        entry = p.queue.data[entry * QUEUE_WORDS + 1]


cdef int enqueue(Plans* p, uint32_t number, uint32_t source, uint32_t symbol) noexcept nogil:
    if map_put(&p.seen, number, 1) < 0:
        return NO_MEMORY
    if vec_push(&p.queue, number) < 0 or vec_push(&p.queue, source) < 0 or vec_push(&p.queue, symbol) < 0:
        return NO_MEMORY
    return OK


cdef int find_detour(Plans* p, Completability* v, Recognizer* m, uint32_t number) noexcept nogil:
    """Look for the shortest way from a STRAY configuration to a DIRECT one, symbols in order. Returns 1, 0 or a status."""
    cdef Config config, moved
    cdef uint32_t entry = 0
    cdef uint32_t symbol, next_symbol, target
    cdef int status
    map_clear(&p.seen)
    p.queue.len = 0
    status = enqueue(p, number, 0, AT_END)
    while status >= 0 and entry < p.queue.len // QUEUE_WORDS:
        config = plans_config(p, p.queue.data[entry * QUEUE_WORDS])
        symbol = 0
        while status >= 0 and symbol < symbol_end(m):
            status = after_symbol(v, m, &config, symbol, &moved, &next_symbol)
            if status > 0:
                status = plans_number(p, &moved, &target)
                if status >= 0 and map_get(&p.seen, target) == <uint32_t>ABSENT:
                    status = follow_nearest(p, v, m, target)
                    if status >= 0 and p.fates.data[target] == <uint32_t>DIRECT:
                        set_detour(p, entry, target, symbol)
                        return 1
                    if status >= 0:
                        status = enqueue(p, target, entry, symbol)
                    if status >= 0 and p.queue.len // QUEUE_WORDS > v.max_search:
                        status = LIMIT_EMPTINESS
            symbol = next_symbol
        entry += 1
    if status < 0:
        return status
    p.fates.data[number] = LOST
    return 0


cdef int plans_find(Plans* p, Completability* v, Recognizer* m, uint32_t number) noexcept nogil:
    cdef int status = follow_nearest(p, v, m, number)
    if status < 0:
        return status
    if p.fates.data[number] == <uint32_t>STRAY:
        return find_detour(p, v, m, number)
    return p.fates.data[number] != <uint32_t>LOST
