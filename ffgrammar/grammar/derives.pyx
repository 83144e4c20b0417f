"""Which nonterminals derive a text of a kind: any text at all, or the empty one. It is on the way to the first mask, so it
is linear, and the large loops are C."""

from libc.stdint cimport uint32_t

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.grammar.productions cimport Productions


cdef struct Work:
    Vec heads      # per production
    Vec missing    # per production: nonterminals of its body that are not known to derive, counted as often as they stand
    Vec uses       # pairs (nonterminal, production), in the order of the productions
    Vec starts     # per nonterminal, and one more: where its users begin in the list
    Vec users      # productions, by a nonterminal of their body
    Vec ready      # nonterminals that were found to derive, and whose users do not know yet


def derives(Productions productions, uint32_t nonterminals, bytearray usable):
    """Per nonterminal, whether it derives a text of the kind.

    Args:
        productions: of the grammar.
        nonterminals: how many there are.
        usable: per terminal, whether it is of the kind.

    Returns:
        A bytearray of ones and zeros.
    """
    cdef Work w
    vec_init(&w.heads)
    vec_init(&w.missing)
    vec_init(&w.uses)
    vec_init(&w.starts)
    vec_init(&w.users)
    vec_init(&w.ready)
    cdef bytearray found = bytearray(nonterminals)
    try:
        if read(&w, productions, PyByteArray_AS_STRING(usable)) < 0 or sort(&w, nonterminals) < 0:
            raise MemoryError
        if close(&w, PyByteArray_AS_STRING(found)) < 0:
            raise MemoryError
    finally:
        vec_free(&w.heads)
        vec_free(&w.missing)
        vec_free(&w.uses)
        vec_free(&w.starts)
        vec_free(&w.users)
        vec_free(&w.ready)
    return found


cdef int read(Work* w, Productions productions, const char* usable) noexcept nogil:
    """The productions that can be of the kind at all, and which nonterminals they need."""
    cdef const uint32_t* symbol
    cdef const uint32_t* end
    cdef uint32_t missing
    cdef size_t before, i
    for i in range(productions.heads.len):
        missing = 0
        before = w.uses.len
        symbol = productions.symbols.data + productions.starts.data[i]
        end = productions.symbols.data + productions.starts.data[i + 1]
        while symbol < end:
            if symbol[0] & 1:
                if vec_push(&w.uses, symbol[0] >> 1) < 0 or vec_push(&w.uses, <uint32_t>w.heads.len) < 0:
                    return -1
                missing += 1
            elif not usable[symbol[0] >> 1]:
                w.uses.len = before
                break
            symbol += 1
        else:
            if vec_push(&w.heads, productions.heads.data[i]) < 0 or vec_push(&w.missing, missing) < 0:
                return -1
            if missing == 0 and vec_push(&w.ready, productions.heads.data[i]) < 0:
                return -1
    return 0


cdef int sort(Work* w, uint32_t nonterminals) noexcept nogil:
    """Lay the users of each nonterminal together: a counting sort."""
    cdef size_t i
    cdef uint32_t at
    if vec_fill(&w.starts, nonterminals + 2, 0) < 0 or vec_fill(&w.users, w.uses.len >> 1, 0) < 0:
        return -1
    for i in range(0, w.uses.len, 2):
        w.starts.data[w.uses.data[i] + 2] += 1
    for i in range(2, nonterminals + 2):
        w.starts.data[i] += w.starts.data[i - 1]
    for i in range(0, w.uses.len, 2):
        at = w.starts.data[w.uses.data[i] + 1]
        w.users.data[at] = w.uses.data[i + 1]
        w.starts.data[w.uses.data[i] + 1] = at + 1
    return 0


cdef int close(Work* w, char* found) noexcept nogil:
    cdef uint32_t nonterminal, production, i
    while w.ready.len:
        w.ready.len -= 1
        nonterminal = w.ready.data[w.ready.len]
        if found[nonterminal]:
            continue
        found[nonterminal] = 1
        for i in range(w.starts.data[nonterminal], w.starts.data[nonterminal + 1]):
            production = w.users.data[i]
            w.missing.data[production] -= 1
            if w.missing.data[production] == 0 and vec_push(&w.ready, w.heads.data[production]) < 0:
                return -1
    return 0
