"""`find_place` reads the text once more: the recognizer says where lexemes begin. `lexemes_at` reads nothing, and knows less.

Which rules wait for a lexeme is known from the items of the parser's row. (Where these rules began is not: a row is shared by
many places of a text. The captures know that.)
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.parser.links cimport link_pair
from ffgrammar.engine.parser.rows cimport ROOT, Item, row_items, row_waiting
from ffgrammar.engine.parser.tables cimport END, I_HEAD, NONTERMINAL, NUMBER, Rules
from ffgrammar.engine.recognizer.completability cimport next_bytes, step, token_step
from ffgrammar.engine.recognizer.recognizer cimport (
    Config, Recognizer, parser_row, recognizer_end_lexeme, recognizer_first, recognizer_move,
)
from ffgrammar.engine.values.trace cimport TraceMark, trace_mark, trace_release
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LEAVE, NO_LEXEMES, dfa_accept, dfa_step

from ffgrammar.regex.expr.packed import pack


cdef enum:
    # How many links are followed from nonterminals without names.
    MAX_LINKS = 500
    # How many lexemes a message may be about.
    MAX_LEXEMES = 100


cdef class Place:
    """What `find_place` returns."""


cdef uint32_t head_of(const Rules* rules, uint32_t position) noexcept:
    """The nonterminal of the grammar in whose production a dot position is."""
    cdef uint32_t number
    while not rules.symbols.data[position] & <uint32_t>END:
        position += 1
    number = rules.symbols.data[position] & NUMBER
    return number if number < rules.plain else intern_get(&rules.instances, number - rules.plain)[I_HEAD]


cdef list heads_waiting(Engine engine, uint32_t row, uint32_t lexeme):
    """The nonterminals of the items of a row that wait for a lexeme. In place of one without a name, those that use it. (Not all of
    them, where the parser passes over users that say nothing new: links.pxd, inclusion.pxd.)"""
    cdef Recognizer* m = &engine.recognizer
    cdef uint32_t count, i, symbol, head
    cdef const Item* items
    cdef const uint32_t* link
    cdef dict found = {}
    cdef list waiting = [(parser_row(m, row), lexeme)]
    cdef set seen = set(waiting)
    while waiting and len(seen) < MAX_LINKS:
        row, symbol = waiting.pop()
        items = row_waiting(&m.rows, row, symbol, &count)
        for i in range(count):
            head = head_of(m.rules, items[i].position)
            if (head < len(engine.names) and engine.names[head]) or items[i].link == ROOT:
                found[head] = None
                continue
            link = link_pair(&m.rows.links, items[i].link)
            user = (link[0], <uint32_t>NONTERMINAL | link[1])
            if user not in seen:
                seen.add(user)
                waiting.append(user)
    return list(found)


cdef list lexemes_of(Recognizer* m, uint32_t state):
    """The lexemes of a lexer state: (lexeme with its slot, expression)."""
    cdef const uint32_t* words = intern_get(&m.dfa.states, state >> 8)
    cdef uint32_t i
    return [(words[i], words[i + 1]) for i in range(1, intern_len(&m.dfa.states, state >> 8), 2)]


cdef bint begins(Recognizer* m, uint32_t state) noexcept:
    """Whether a lexer state has read nothing."""
    return intern_get(&m.dfa.states, state >> 8)[0]


cdef int add_expected(Engine engine, const Config* config, dict found) except -1:
    """Add the lexemes that begin in a configuration, with the nonterminals that wait for them."""
    cdef Recognizer* m = &engine.recognizer
    cdef uint32_t lexeme, count, i
    for lexeme, _ in lexemes_of(m, config.state):
        if lexeme < m.dfa.threads.lexemes:
            found.setdefault(lexeme, {}).update(dict.fromkeys(heads_waiting(engine, config.row, lexeme)))
    # special tokens are lexemes that the lexer does not read
    items = row_items(&m.rows, parser_row(m, config.row), &count)
    for i in range(count):
        if items[i].symbol < m.rules.exprs.len and m.rules.token_classes.len and not m.rules.exprs.data[items[i].symbol]:
            found.setdefault(items[i].symbol, {}).update(dict.fromkeys(heads_waiting(engine, config.row, items[i].symbol)))
    return 0


cdef Py_ssize_t replay(Engine engine, Config* config, bytes text, list special) except -1:
    """Read a text that was accepted. Returns where the lexemes began that are being read at its end."""
    cdef Recognizer* m = &engine.recognizer
    cdef const uint8_t* data = text
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t offset
    cdef uint32_t target
    for offset, token in [*special, (len(text), None)]:
        while at < offset:
            if begins(m, config.state):
                start = at
            engine.checked(dfa_step(&m.dfa, config.state, data[at], &target))
            if target == LEAVE:
                start = at
            engine.checked(step(&engine.completability, m, config, data[at], NULL))
            at += 1
        if token is not None:
            engine.checked(token_step(&engine.completability, m, config, token))
            start = at
    return len(text) if begins(m, config.state) else start


cdef str refusal(Engine engine, Config* config, uint32_t byte):
    """Why a byte is refused in a configuration."""
    cdef Recognizer* m = &engine.recognizer
    cdef Config after = config[0]
    cdef uint32_t target
    if engine.checked(recognizer_move(m, &after, byte, NULL)):
        return "dead end"
    engine.checked(dfa_step(&m.dfa, config.state, byte, &target))
    if target == DEAD:
        return "follow" if begins(m, config.state) else "lexeme"
    if target != LEAVE:
        return "value"
    after = config[0]
    if not engine.checked(recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &after, NULL)):
        return "value"
    engine.checked(dfa_step(&m.dfa, after.state, byte, &target))
    return "follow" if target == DEAD else "value"


cdef int view(Engine engine, const Config* config, Place place) except -1:
    """Write to a place what the recognizer sees in a configuration."""
    cdef Recognizer* m = &engine.recognizer
    cdef Config after
    cdef uint32_t bits[8]
    cdef uint32_t lexeme, expr, lexset
    cdef int i
    cdef dict expected = {}
    cdef bint fresh = begins(m, config.state)
    place.reading = []
    for lexeme, expr in lexemes_of(m, config.state):
        # (in a state that has read nothing, lexemes with a slot have begun before)
        if not fresh or lexeme >= m.dfa.threads.lexemes:
            may_end = bool(engine.store.is_nullable(expr))
            lexeme %= m.dfa.threads.lexemes
            place.reading.append((lexeme, pack(engine.store, expr), may_end, heads_waiting(engine, config.row, lexeme)))
    if fresh:
        add_expected(engine, config, expected)
    else:
        lexset = dfa_accept(&m.dfa, config.state)
        after = config[0]
        if lexset != NO_LEXEMES and engine.checked(recognizer_end_lexeme(m, config.row, lexset, &after, NULL)):
            add_expected(engine, &after, expected)
    place.expected = [
        (lexeme, pack(engine.store, engine.lexemes[lexeme].expr), list(heads)) for lexeme, heads in sorted(expected.items())
    ]
    engine.checked(next_bytes(&engine.completability, m, config, bits))
    place.next_bytes = bytes([i for i in range(256) if bit_test(bits, i)])
    return 0


cdef Place read_place(Engine engine, bytes text, list special, bytes more):
    cdef Recognizer* m = &engine.recognizer
    cdef Place place = Place.__new__(Place)
    cdef TraceMark mark
    cdef Config config
    engine.checked(engine.trim(False))
    mark = trace_mark(&m.trace)
    try:
        engine.checked(recognizer_first(m, &config))
        place.reason = ""
        place.fitting = 0
        place.start = replay(engine, &config, text, special)
        while place.fitting < len(more):
            if not engine.checked(step(&engine.completability, m, &config, more[place.fitting], NULL)):
                place.reason = refusal(engine, &config, more[place.fitting])
                break
            place.fitting += 1
        if place.fitting:
            engine.checked(recognizer_first(m, &config))
            place.start = replay(engine, &config, text + more[:place.fitting], special)
        view(engine, &config, place)
    finally:
        trace_release(&m.trace, &mark)
    return place


cdef list read_lexemes(Engine engine, uint32_t generation, uint32_t row, uint32_t state):
    cdef Recognizer* m = &engine.recognizer
    if generation != engine.generation:
        return []
    return [
        (lexeme % m.dfa.threads.lexemes, not begins(m, state) or lexeme >= m.dfa.threads.lexemes,
         heads_waiting(engine, row, lexeme % m.dfa.threads.lexemes))
        for lexeme, _ in lexemes_of(m, state)[:MAX_LEXEMES]
    ]


def lexemes_at(Engine engine not None, uint32_t generation, uint32_t row, uint32_t state) -> list:
    """The lexemes that are being read in a configuration, or may begin there.

    Args:
        engine: of the matcher.
        generation: in which the configuration was found. If the engine has a newer one, nothing is known.
        row, state: the configuration.

    Returns:
        For each lexeme: its number, whether it has begun, and the nonterminals that wait for it.
    """
    return engine.paused(lambda: read_lexemes(engine, generation, row, state))


def find_place(Engine engine not None, bytes text not None, list special not None, bytes more not None):
    """The place after a text that a matcher has accepted, and after those of some more bytes that fit.

    Args:
        engine: of the matcher.
        text, special: what it has accepted: bytes, and special tokens as pairs (offset, id).
        more: bytes that are tried after the text.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    return engine.paused(lambda: read_place(engine, text, special, more))
