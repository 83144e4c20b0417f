"""Which nonterminals derive a text from given terminals. The caller chooses the terminals: those that match at least one text
(`usable_terminals`), or those that match the empty text.

This is the usual closure. A production counts the nonterminals in its body that are not yet known to derive a text. When the
count is zero, the head of the production derives a text. Each occurrence of a nonterminal is looked at a fixed number of
times, so the cost is linear in the size of the grammar. It is paid before the first mask, so the loops are in C.
"""

from libc.stdint cimport uint32_t

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.owner cimport Owner, own_vec, owner_free, owner_init
from ffgrammar.core.vec cimport Vec, vec_fill, vec_push
from ffgrammar.grammar.ir cimport Lexeme
from ffgrammar.grammar.productions cimport Productions
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.store cimport ExprStore

from ffgrammar.core.errors import LimitError


cdef struct Work:
    Owner owner
    Vec heads      # per production whose terminals are all usable: its nonterminal
    Vec missing    # per such production: how many nonterminals of its body, repeated ones too, are not known to derive a text
    Vec uses       # pairs (nonterminal, production with it in the body), in the order of the productions
    Vec starts     # per nonterminal: where its users begin in `users`; the users of the next nonterminal follow them
    Vec users      # the productions of `uses`, sorted by nonterminal
    Vec ready      # nonterminals that derive a text, but are not yet subtracted from `missing` of their users


def derives(Productions productions, uint32_t nonterminals, bytearray usable):
    """Which nonterminals derive a text from the usable terminals.

    Args:
        productions: all productions of the grammar.
        nonterminals: how many nonterminals it has.
        usable: a one for each terminal that may occur in the text, and a zero for each other terminal.

    Returns:
        A bytearray with a one for each nonterminal that derives such a text, and a zero for each other nonterminal.
    """
    cdef Work w
    owner_init(&w.owner)
    own_vec(&w.owner, &w.heads)
    own_vec(&w.owner, &w.missing)
    own_vec(&w.owner, &w.uses)
    own_vec(&w.owner, &w.starts)
    own_vec(&w.owner, &w.users)
    own_vec(&w.owner, &w.ready)
    cdef bytearray found = bytearray(nonterminals)
    try:
        if read(&w, productions, PyByteArray_AS_STRING(usable)) < 0 or sort(&w, nonterminals) < 0:
            raise MemoryError
        if close(&w, PyByteArray_AS_STRING(found)) < 0:
            raise MemoryError
    finally:
        owner_free(&w.owner)
    return found


def usable_terminals(grammar):
    """Which terminals match anything: a one or a zero for each.

    Raises:
        LimitError: it could not be decided whether a lexeme matches anything.
    """
    cdef tuple lexemes = grammar.lexemes
    cdef ExprStore store = grammar.store
    cdef bytearray found = bytearray(len(lexemes))
    cdef char* flag = PyByteArray_AS_STRING(found)
    cdef Lexeme lexeme
    try:
        for lexeme in lexemes:
            flag[0] = len(lexeme.tokens) != 0 or store.checked(matches_something(&store.nodes, store.valid(lexeme.expr)))
            flag += 1
    except LimitError as error:
        error.locate(f"in {lexeme.name or store.describe(lexeme.expr, 6)}")
        raise
    return found


cdef int read(Work* w, Productions productions, const char* usable) noexcept nogil:
    """Collect the productions whose terminals are all usable, and the nonterminals that they need. Returns 0, or -1 when out
    of memory."""
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
    """Put the users of each nonterminal side by side, by a counting sort. Returns 0, or -1 when out of memory."""
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
    """Set `found` to one for each nonterminal that derives a text. Returns 0, or -1 when out of memory."""
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
