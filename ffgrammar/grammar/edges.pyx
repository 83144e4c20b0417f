"""With which lexemes the texts of a nonterminal begin and end, which lexemes follow them, and which bytes lexemes begin or go on
with."""

from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_len
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init
from ffgrammar.grammar.productions cimport Productions
from ffgrammar.regex.expr.derivative cimport derivative, next_class, same_class
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.nodes cimport nullable
from ffgrammar.regex.expr.store cimport ExprStore

cdef enum:
    ALL_BYTES = 256
    MAX_PAIRS = 2000
    # The members of all expressions of which derivatives are made. To make these takes some 10 ms.
    MAX_MEMBERS = 500000
    # So many pairs are looked at, however many members their expressions have.
    FEW_PAIRS = 20


def edge_lexemes(Productions productions, nonterminals, bytearray empty, bytearray empty_lexemes, bint last):
    """The lexemes with which texts of some nonterminals can begin, or end.

    Args:
        productions: all productions of the grammar.
        nonterminals: their numbers.
        empty: by nonterminal, a one if it derives the empty text.
        empty_lexemes: the same by lexeme.
        last: whether lexemes at the end are asked for.

    Returns:
        The numbers of the lexemes, ascending.
    """
    cdef Vec order, first
    cdef uint32_t count = len(empty)
    cdef uint32_t head, at, i, k, begin, end, symbol
    cdef bytearray seen = bytearray(count)
    cdef set found = set()
    cdef list waiting = list(nonterminals)
    vec_init(&order)
    vec_init(&first)
    for head in waiting:
        seen[head] = 1
    try:
        if sort_by_head(productions, count, &order, &first) < 0:
            raise MemoryError
        while waiting:
            head = waiting.pop()
            for k in range(first.data[head], first.data[head + 1]):
                at = order.data[k]
                begin = productions.starts.data[at]
                end = productions.starts.data[at + 1]
                for i in range(end - begin):
                    symbol = productions.symbols.data[end - 1 - i if last else begin + i]
                    if symbol & 1:
                        if not seen[symbol >> 1]:
                            seen[symbol >> 1] = 1
                            waiting.append(symbol >> 1)
                    else:
                        found.add(symbol >> 1)
                    if not (empty if symbol & 1 else empty_lexemes)[symbol >> 1]:
                        break
    finally:
        vec_free(&order)
        vec_free(&first)
    return sorted(found)


def following_lexemes(Productions productions, nonterminals, bytearray empty, bytearray empty_lexemes):
    """The lexemes that may follow a text of some nonterminals.

    Args:
        productions, nonterminals, empty, empty_lexemes: as in `edge_lexemes`.

    Returns:
        The numbers of the lexemes, ascending.
    """
    cdef size_t at
    cdef uint32_t i, symbol
    cdef list places = [[] for _ in range(len(empty))]
    cdef list waiting = list(nonterminals)
    cdef set asked = set(waiting)
    cdef set begun = set()
    cdef set found = set()
    for at in range(productions.heads.len):
        for i in range(productions.starts.data[at], productions.starts.data[at + 1]):
            symbol = productions.symbols.data[i]
            if symbol & 1:
                places[symbol >> 1].append((at, i + 1))
    while waiting:
        for at, i in places[waiting.pop()]:
            while i < productions.starts.data[at + 1]:
                symbol = productions.symbols.data[i]
                (begun if symbol & 1 else found).add(symbol >> 1)
                if not (empty if symbol & 1 else empty_lexemes)[symbol >> 1]:
                    break
                i += 1
            else:
                if productions.heads.data[at] not in asked:
                    asked.add(productions.heads.data[at])
                    waiting.append(productions.heads.data[at])
    return sorted(found.union(edge_lexemes(productions, begun, empty, empty_lexemes, False)))


cdef int sort_by_head(Productions productions, uint32_t count, Vec* order, Vec* first) noexcept nogil:
    """Sort productions by nonterminal. Those of nonterminal n are the entries of `order` from `first[n]` up to, and without,
    `first[n + 1]`. Returns 0, or -1 if there is no memory."""
    cdef size_t i
    cdef uint32_t head
    if vec_fill(first, count + 2, 0) < 0 or vec_fill(order, productions.heads.len, 0) < 0:
        return -1
    for i in range(productions.heads.len):
        first.data[productions.heads.data[i] + 2] += 1
    for i in range(2, count + 2):
        first.data[i] += first.data[i - 1]
    for i in range(productions.heads.len):
        head = productions.heads.data[i]
        order.data[first.data[head + 1]] = <uint32_t>i
        first.data[head + 1] += 1
    return 0


cdef object as_int(const uint32_t* bits):
    """A set of bytes, 8 words, as an int in which bit b stands for byte b."""
    return int.from_bytes((<const char*>bits)[:32], "little")


def first_bytes(ExprStore store, uint32_t expr) -> int:
    """The bytes with which texts of an expression begin. Bit b of the int that is returned stands for byte b.

    Raises:
        LimitError: a bound of the store was reached.
    """
    cdef uint32_t[8] found
    cdef int i
    for i in range(8):
        found[i] = 0
    store.checked(add_first_bytes(store, expr, found))
    return as_int(found)


cdef int add_first_bytes(ExprStore store, uint32_t expr, uint32_t* found) noexcept nogil:
    """Add the bytes with which texts of an expression begin to a set. Returns 0 or a status."""
    cdef uint32_t[8] covered, before
    cdef uint32_t byte = 0
    cdef uint32_t target
    cdef int i, status
    for i in range(8):
        covered[i] = before[i] = 0
    while next_class(&store.nodes, expr, covered, &byte):
        status = derivative(&store.nodes, expr, byte, &target)
        if status >= 0:
            status = matches_something(&store.nodes, target)
        if status < 0:
            return status
        for i in range(8):
            if status:
                found[i] |= covered[i] & ~before[i]
            before[i] = covered[i]
    return 0


def next_bytes(ExprStore store, ended, going_on) -> int:
    """The bytes b for which there is a text w, not empty, such that `ended` matches w, and `going_on` matches a text that begins
    with w and b.

    If there are too many pairs of derivatives by the same text, the answer is that all bytes may come.

    Args:
        store: has the expressions.
        ended, going_on: the expressions.

    Returns:
        An int in which bit b stands for byte b.

    Raises:
        LimitError: a bound of the store was reached.
    """
    return bytes_at_ends(store, ended, going_on, False, 0)


def free_bytes(ExprStore store, ended, going_on, wanted) -> int:
    """The bytes b for which there is a text w, not empty, such that `ended` matches w, and no text of `going_on` begins with w
    and b.

    If there are too many pairs of derivatives by the same text, the answer is that all bytes may come.

    Args:
        store: has the expressions.
        ended, going_on: the expressions. `going_on` matches what `ended` matches.
        wanted: bytes, as an int. Once one of them is found, further ones are left out.

    Returns:
        An int in which bit b stands for byte b.

    Raises:
        LimitError: a bound of the store was reached.
    """
    return bytes_at_ends(store, ended, going_on, True, wanted)


cdef object bytes_at_ends(ExprStore store, ended, going_on, bint free, wanted):
    """`next_bytes`, or `free_bytes`. The pairs of derivatives by the same text are visited, breadth first."""
    cdef uint32_t[8] found, left, bits
    cdef uint32_t one, other, byte, one_after, other_after
    cdef int i
    cdef bint lives
    cdef size_t at = 0
    cdef size_t members = 0
    cdef list queue = [(ended, going_on)]
    cdef set seen = set()
    for i in range(8):
        found[i] = 0
    while at < <size_t>len(queue):
        one, other = queue[at]
        at += 1
        # (the first pair stands for the empty text)
        if at > 1 and nullable(&store.nodes, one):
            for i in range(8):
                bits[i] = 0
            store.checked(add_first_bytes(store, other, bits))
            for i in range(8):
                found[i] |= ~bits[i] if free else bits[i]
            if as_int(found) & wanted:
                break
        for i in range(8):
            left[i] = 0xFFFFFFFF
        for byte in range(ALL_BYTES):
            if not bit_test(left, byte):
                continue
            for i in range(8):
                bits[i] = 0xFFFFFFFF
            same_class(&store.nodes, one, byte, bits)
            store.checked(derivative(&store.nodes, one, byte, &one_after))
            lives = store.checked(matches_something(&store.nodes, one_after))
            if lives:
                same_class(&store.nodes, other, byte, bits)
            for i in range(8):
                left[i] &= ~bits[i]
            if not lives:
                continue
            members += intern_len(&store.nodes.tuples, other)
            store.checked(derivative(&store.nodes, other, byte, &other_after))
            if not store.checked(matches_something(&store.nodes, other_after)):
                continue
            pair = (one_after, other_after)
            if pair not in seen:
                if len(seen) >= MAX_PAIRS or (members > MAX_MEMBERS and len(seen) >= FEW_PAIRS):
                    # (a Python int, because a C int has no 256 bits)
                    return (<object>1 << ALL_BYTES) - 1
                seen.add(pair)
                queue.append(pair)
    return as_int(found)
