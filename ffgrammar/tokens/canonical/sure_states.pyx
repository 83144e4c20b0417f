"""Which states of a pre-tokenizer's automaton are sure, that is, from which states every text can go on.

A hypothesis about pre-token boundaries is a state of the automaton. With more text it becomes several, and later text may refute
them. Those that a sure state becomes are never all refuted: whatever text follows, one of them holds to the end of it. So a
search that reaches a sure state need not look further ahead.

The states that a state becomes with a text form a set. All sets that can be met are explored, each once (the subset construction
of automata). A set is sure if it has a state where the text may end, and if every character that texts have leads to a set that
is sure. A state is sure if the set of this state alone is. If there are more than MAX_SETS sets, no state is called sure. Then
searches take longer; their answers are the same.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memmove

from ffgrammar.core.intern cimport Intern, intern_add, intern_count, intern_free, intern_get, intern_init, intern_len
from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_push
from ffgrammar.tokens.pretokenize.table cimport DEAD, MAX_HYPOTHESES, PretokenTable, successor

from ffgrammar.core.errors import TokenizerError

cdef enum:
    MAX_SETS = 1 << 14


cdef int find_sure_states(
    PretokenTable pretokens, uint8_t* is_sure, uint8_t* sure_ends, uint8_t* sure_next
) except -1:
    cdef Intern sets
    cdef Vec leads    # by set * classes + class: the set that a character of the class leads to
    cdef Vec targets  # by state and class: the set of `sure_ends`, and that of `sure_next`
    cdef bytearray sure = bytearray()
    cdef uint32_t state, character, number
    cdef size_t i
    vec_init(&leads)
    vec_init(&targets)
    if intern_init(&sets) < 0:
        raise MemoryError
    try:
        for state in range(pretokens.states):
            if intern_add(&sets, &state, 1, &number) < 0:
                raise MemoryError
        for state in range(pretokens.states):
            for character in range(pretokens.classes):
                for i in range(2):
                    number = add_targets(pretokens, &sets, state, character, 0 if i else pretokens.stays)
                    if vec_push(&targets, number) < 0:
                        raise MemoryError
        while <uint32_t>len(sure) < intern_count(&sets):
            if len(sure) == MAX_SETS:
                return 0
            sure.append(explore(pretokens, &sets, <uint32_t>len(sure), &leads))
        spread(pretokens, sure, &leads)
        for state in range(pretokens.states):
            is_sure[state] = sure[state]
        for i in range(<size_t>pretokens.states * pretokens.classes):
            sure_ends[i] = sure[targets.data[2 * i]]
            sure_next[i] = sure[targets.data[2 * i + 1]]
    finally:
        intern_free(&sets)
        vec_free(&leads)
        vec_free(&targets)
    return 0


cdef uint32_t add_targets(
    PretokenTable pretokens, Intern* sets, uint32_t state, uint32_t character, uint32_t first
) except? 0xFFFFFFFF:
    """Intern the set of states that the ways from number `first` on lead to. Returns the number of the set."""
    cdef uint32_t[MAX_HYPOTHESES] found
    cdef uint32_t size = 0
    cdef uint32_t way, to, number
    for way in range(first, pretokens.ways):
        to = successor(pretokens, way, state, character)
        if to != DEAD:
            size = min(insert(found, size, to), <uint32_t>MAX_HYPOTHESES)
    if intern_add(sets, found, size, &number) < 0:
        raise MemoryError
    return number


cdef bint explore(PretokenTable pretokens, Intern* sets, uint32_t number, Vec* leads) except? True:
    """Append to `leads` the sets that each class of characters leads to from a set. Returns whether the text may end in the
    set."""
    cdef uint32_t[MAX_HYPOTHESES] states
    cdef uint32_t[MAX_HYPOTHESES] found
    cdef uint32_t count = intern_len(sets, number)
    cdef uint32_t character, way, i, to, size, target
    cdef bint final = False
    memcpy(states, intern_get(sets, number), count * sizeof(uint32_t))
    for i in range(count):
        final |= pretokens.final[states[i]]
    for character in range(pretokens.classes):
        size = 0
        for i in range(count):
            for way in range(pretokens.ways):
                to = successor(pretokens, way, states[i], character)
                if to != DEAD:
                    size = insert(found, size, to)
                    if size > MAX_HYPOTHESES:
                        raise TokenizerError(
                            f"pre-tokenizer: more than {MAX_HYPOTHESES} hypotheses about where pre-tokens end are open")
        if intern_add(sets, found, size, &target) < 0 or vec_push(leads, target) < 0:
            raise MemoryError
    return final


cdef uint32_t insert(uint32_t* states, uint32_t count, uint32_t state) noexcept nogil:
    """Add a state to an ascending list, unless the list has it already. Returns how many states there are. If these are more
    than MAX_HYPOTHESES, the state was not added to the list."""
    cdef uint32_t at = 0
    while at < count and states[at] < state:
        at += 1
    if at < count and states[at] == state:
        return count
    if count < MAX_HYPOTHESES:
        memmove(states + at + 1, states + at, (count - at) * sizeof(uint32_t))
        states[at] = state
    return count + 1


cdef bint is_in_texts(PretokenTable pretokens, uint32_t character) noexcept nogil:
    """Whether some text has characters of a class. The character that stands for the space in patterns is itself in no text, and
    leads nowhere."""
    cdef uint32_t state, way
    for state in range(pretokens.states):
        for way in range(pretokens.ways):
            if successor(pretokens, way, state, character) != DEAD:
                return True
    return False


cdef void spread(PretokenTable pretokens, bytearray sure, const Vec* leads):
    """A set that leads to one that is not sure is not sure either. Clear the marks of all such sets."""
    cdef uint8_t* is_sure = <uint8_t*><char*>sure
    cdef uint32_t classes = pretokens.classes
    cdef uint32_t number, character
    cdef bint changed = True
    cdef bint[256] in_texts
    for character in range(classes):
        in_texts[character] = is_in_texts(pretokens, character)
    while changed:
        changed = False
        for number in range(<uint32_t>len(sure)):
            for character in range(classes if is_sure[number] else 0):
                if not is_sure[leads.data[number * classes + character]] and in_texts[character]:
                    is_sure[number] = False
                    changed = True
                    break
