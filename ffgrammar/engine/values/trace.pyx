"""Virtual rows form a tree: each knows the row one byte earlier, so forks of a text share what they have in common. The values
of an open container are a list, which shares its beginning with earlier lists in the same way. To look a value up, a list is
turned into a set of marks. If the next list differs by one value, only the mark of this value changes.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport intern_count
from ffgrammar.core.owner cimport own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport LIMIT_CACHE, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_push, vec_reserve
from ffgrammar.engine.values.json_values cimport (
    BLANK, FRESH, LONG_STRING, MALFORMED, values_alike, values_begins, values_bytes, values_clear, values_container, values_ends,
    values_free, values_init, values_is_beginning, values_scalar, values_truncate,
)

cdef enum:
    NOWHERE = 0xFFFFFFFF
    EMPTY_LIST = 0

    ROW_WORDS = 4

    # words of a frame
    F_AROUND = 0  # the container around it, or NOWHERE
    F_LIST        # its values but the last one: items, or keys and values
    F_LEVEL       # how many checked arrays are around it, with the flag CHECKED if it is one itself
    FRAME_WORDS

    CHECKED = 0x80000000

    # words of a list
    L_BEFORE = 0  # the list without its last value
    L_VALUE       # the last value
    L_REPEATED    # in checked arrays: whether two values are equal
    LIST_WORDS


cdef int trace_init(Trace* t) noexcept nogil:
    cdef int i
    t.tried_in = t.fresh_in = NOWHERE
    t.max_words = <size_t>-1
    t.bytes_read = 0
    owner_init(&t.owner)
    own_vec(&t.owner, &t.rows)
    own_vec(&t.owner, &t.frames)
    own_vec(&t.owner, &t.lists)
    own_vec(&t.owner, &t.text)
    for i in range(MEMBER_SETS):
        t.members[i].list = EMPTY_LIST
        own_vec(&t.owner, &t.members[i].marks)
    if values_init(&t.values) < 0 or owner_status(&t.owner) < 0:
        return NO_MEMORY
    return vec_fill(&t.lists, LIST_WORDS, 0)


cdef void trace_free(Trace* t) noexcept nogil:
    values_free(&t.values)
    owner_free(&t.owner)


cdef int trace_clear(Trace* t) noexcept nogil:
    cdef int i
    vec_free(&t.rows)
    vec_free(&t.frames)
    t.lists.len = LIST_WORDS
    for i in range(MEMBER_SETS):
        t.members[i].list = EMPTY_LIST
        vec_free(&t.members[i].marks)
    return values_clear(&t.values)


cdef size_t trace_bytes(const Trace* t) noexcept nogil:
    return values_bytes(&t.values) + owner_bytes(&t.owner)


cdef void trace_forget(Trace* t, const TraceMark* mark) noexcept nogil:
    cdef Members* members
    cdef int i
    for i in range(MEMBER_SETS):
        # later lists get the numbers of the forgotten ones, so no set may stay that of a forgotten list
        members = &t.members[i]
        while <size_t>members.list * LIST_WORDS >= mark.lists:
            set_marks(t, members, members.list, t.lists.data[members.list * LIST_WORDS + L_BEFORE], 0)
            members.list = t.lists.data[members.list * LIST_WORDS + L_BEFORE]
    t.rows.len = mark.rows
    t.frames.len = mark.frames
    t.lists.len = mark.lists
    values_truncate(&t.values, <uint32_t>mark.values)


cdef int trace_try(Trace* t, uint32_t virtual, uint32_t longest) noexcept nogil:
    cdef uint32_t start = trace_row(t, virtual).start
    cdef size_t count
    cdef int status
    # (a tried text of LONG_STRING bytes or more may end this string and then repeat it; `values_ends` gives a new string no
    # number, so the two would count as different)
    if longest >= LONG_STRING or virtual - start < LONG_STRING:
        return OK
    status = read_back(t, virtual, start, &count)
    if status >= 0 and (<uint8_t*>t.text.data)[0] == c'"':
        status = values_begins(&t.values, <uint8_t*>t.text.data, count)
        if status > 0:
            t.tried = virtual
            t.tried_in = start
    return status


cdef void trace_settle(Trace* t) noexcept nogil:
    t.tried_in = NOWHERE


cdef int add_row(Trace* t, uint32_t start, uint32_t row, uint32_t frame, uint32_t value, uint32_t* virtual) noexcept nogil:
    """Add a virtual row; a lexeme begins there if `start` is NOWHERE. Returns a status."""
    cdef TraceState* made
    if t.rows.len + t.frames.len + t.lists.len + t.values.tuples.words.len > t.max_words:
        return LIMIT_CACHE
    if vec_reserve(&t.rows, t.rows.len + ROW_WORDS) < 0:
        return NO_MEMORY
    virtual[0] = <uint32_t>VIRTUAL | <uint32_t>(t.rows.len // ROW_WORDS)
    made = <TraceState*>(t.rows.data + t.rows.len)
    made.start = virtual[0] if start == <uint32_t>NOWHERE else start
    made.row = row
    made.frame = frame
    made.value = value
    t.rows.len += ROW_WORDS
    return OK


cdef int add_frame(Trace* t, uint32_t around, uint32_t values, uint32_t level, uint32_t* frame) noexcept nogil:
    frame[0] = <uint32_t>(t.frames.len // FRAME_WORDS)
    if vec_push(&t.frames, around) < 0 or vec_push(&t.frames, values) < 0:
        return NO_MEMORY
    return vec_push(&t.frames, level)


cdef int trace_begin(Trace* t, uint32_t row, uint32_t bracket, uint32_t* virtual) noexcept nogil:
    cdef uint32_t frame
    if add_frame(t, NOWHERE, EMPTY_LIST, CHECKED if bracket == c'[' else 0, &frame) < 0:
        return NO_MEMORY
    return add_row(t, NOWHERE, row, frame, BLANK, virtual)


cdef int trace_append(Trace* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil:
    return add_row(t, trace_row(t, virtual).start, virtual, byte, BLANK, longer)


cdef int read_back(Trace* t, uint32_t virtual, uint32_t until, size_t* count) noexcept nogil:
    """Write to `text` the bytes between two virtual rows of one lexeme: from the earlier one, `until`, to `virtual`. Writes
    their number to `count`. Returns a status."""
    cdef const TraceState* row
    cdef uint8_t* text
    cdef uint8_t* other
    cdef uint8_t byte
    count[0] = 0
    while virtual != until:
        if count[0] >> 2 >= t.text.cap and vec_reserve(&t.text, t.text.cap + 1) < 0:
            return NO_MEMORY
        row = trace_row(t, virtual)
        (<uint8_t*>t.text.data)[count[0]] = row.frame
        count[0] += 1
        virtual = row.row
    t.bytes_read += count[0]
    text = <uint8_t*>t.text.data
    other = text + count[0]
    while other - text > 1:
        # the text was read backwards: reverse it
        other -= 1
        byte = text[0]
        text[0] = other[0]
        other[0] = byte
        text += 1
    return OK


cdef int read_end(Trace* t, uint32_t virtual, uint32_t* value) noexcept nogil:
    """A lexeme ends at `virtual`. It begins with the long string that texts are tried in (see trace_try). Find the value of
    this string. Returns 1 with the value, 0 if the string has to be read as a whole, or a status."""
    cdef size_t count, i
    cdef uint8_t* text
    cdef int status = read_back(t, virtual, t.tried, &count)
    if status < 0 or count == 0:
        return status
    text = <uint8_t*>t.text.data
    if text[count - 1] != c'"':
        return 0
    for i in range(count):
        if text[i] == c'\\':
            return 0
    value[0] = values_ends(&t.values, text, count - 1)
    return 1


cdef void set_marks(const Trace* t, Members* members, uint32_t values, uint32_t until, uint32_t mark) noexcept nogil:
    """The list `values` begins with the list `until`. Set the marks of the values after this beginning to `mark`."""
    cdef uint32_t value
    while values != until:
        value = t.lists.data[values * LIST_WORDS + L_VALUE]
        if value < members.marks.len:
            members.marks.data[value] = mark
        values = t.lists.data[values * LIST_WORDS + L_BEFORE]


cdef int has(Trace* t, uint32_t frame, uint32_t value) noexcept nogil:
    """Whether a value is on the list of a checked array whose values all differ: 1, 0 or a status."""
    cdef uint32_t values = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef Members* members = &t.members[t.frames.data[frame * FRAME_WORDS + F_LEVEL] % <uint32_t>MEMBER_SETS]
    cdef size_t known = intern_count(&t.values.tuples)
    if value >= known:
        # the value is unlike all others, or no value at all
        return 0
    if members.marks.len < known and vec_fill(&members.marks, known - members.marks.len, 0) < 0:
        return NO_MEMORY
    if values != members.list:
        if members.list != EMPTY_LIST and t.lists.data[members.list * LIST_WORDS + L_BEFORE] == values:
            set_marks(t, members, members.list, values, 0)
        elif values != EMPTY_LIST and t.lists.data[values * LIST_WORDS + L_BEFORE] == members.list:
            set_marks(t, members, values, members.list, 1)
        else:
            set_marks(t, members, members.list, EMPTY_LIST, 0)
            set_marks(t, members, values, EMPTY_LIST, 1)
        members.list = values
    return members.marks.data[value]


cdef int repeated(Trace* t, uint32_t frame, uint32_t value) noexcept nogil:
    """Whether two items of a checked array are equal if `value` is its last item: 1, 0 or a status."""
    if t.lists.data[t.frames.data[frame * FRAME_WORDS + F_LIST] * LIST_WORDS + L_REPEATED]:
        return 1
    return has(t, frame, value)


cdef int trace_holds(Trace* t, uint32_t virtual, uint32_t checks) noexcept nogil:
    cdef const TraceState* start = trace_start(t, virtual)
    cdef int status
    if start.value == <uint32_t>MALFORMED or not t.frames.data[start.frame * FRAME_WORDS + F_LEVEL] & CHECKED:
        return 0
    status = repeated(t, start.frame, start.value)
    return status if status < 0 else <int>(checks & (CHECK_REPEATED if status else CHECK_UNIQUE))


cdef int trace_is_new_key(Trace* t, uint32_t virtual) noexcept nogil:
    cdef const TraceState* last = trace_row(t, virtual)
    cdef uint32_t values = t.frames.data[trace_row(t, last.start).frame * FRAME_WORDS + F_LIST]
    cdef uint32_t known = intern_count(&t.values.tuples)
    cdef uint32_t value = BLANK
    cdef size_t count
    cdef int status
    if t.fresh_in != NOWHERE:
        return last.start == t.fresh_in
    status = read_back(t, virtual, last.start, &count)
    if status >= 0:
        status = values_scalar(&t.values, <uint8_t*>t.text.data, count, &value)
    values_truncate(&t.values, known)
    if status < 0 or value >= known:
        return status if status < 0 else 1
    while values != EMPTY_LIST:
        # keys and values alternate, and the last entry of the list is a value
        values = t.lists.data[values * LIST_WORDS + L_BEFORE]
        if t.lists.data[values * LIST_WORDS + L_VALUE] == value:
            return 0
        values = t.lists.data[values * LIST_WORDS + L_BEFORE]
    return 1


cdef int read_string_so_far(Trace* t, uint32_t virtual, const uint8_t** text, size_t* count) noexcept nogil:
    """The lexeme of a virtual row may begin with brackets, separators and blanks. Write where the first string in it begins, and
    how many bytes there are from there on. Returns 1, 0 if there is no string, or a status."""
    cdef int status = read_back(t, virtual, trace_row(t, virtual).start, count)
    text[0] = <const uint8_t*>t.text.data
    while count[0] and text[0][0] != c'"':
        text[0] += 1
        count[0] -= 1
    return status if status < 0 else count[0] > 0


cdef int trace_alike(Trace* t, uint32_t virtual, Vec* found, size_t* begun) noexcept nogil:
    cdef const uint8_t* text
    cdef size_t count
    cdef int status = read_string_so_far(t, virtual, &text, &count)
    return values_alike(&t.values, text, count, found, begun) if status > 0 else status


cdef int trace_begin_fresh(Trace* t, uint32_t virtual) noexcept nogil:
    cdef const uint8_t* text
    cdef size_t count
    cdef int status = read_string_so_far(t, virtual, &text, &count)
    if status > 0:
        status = values_is_beginning(&t.values, text, count)
    if status > 0:
        t.fresh_in = trace_row(t, virtual).start
    return status


cdef void trace_end_fresh(Trace* t) noexcept nogil:
    t.fresh_in = NOWHERE


cdef int add_value(Trace* t, uint32_t* frame, uint32_t value) noexcept nogil:
    """Replace `frame` by a new frame of the same container, which has one more value. Returns a status."""
    cdef uint32_t old = frame[0]
    cdef uint32_t level = t.frames.data[old * FRAME_WORDS + F_LEVEL]
    cdef int status = repeated(t, old, value) if level & CHECKED else 0
    if status < 0:
        return status
    if vec_push(&t.lists, t.frames.data[old * FRAME_WORDS + F_LIST]) < 0 or vec_push(&t.lists, value) < 0:
        return NO_MEMORY
    if vec_push(&t.lists, status) < 0:
        return NO_MEMORY
    return add_frame(
        t, t.frames.data[old * FRAME_WORDS + F_AROUND], <uint32_t>(t.lists.len // LIST_WORDS) - 1, level, frame
    )


cdef int close(Trace* t, uint32_t frame, uint8_t bracket, uint32_t* value) noexcept nogil:
    """Write to `value` the value of a container that closes. Before the call `value` is the container's last value, or BLANK if
    it is empty. Returns a status."""
    cdef uint32_t values = t.frames.data[frame * FRAME_WORDS + F_LIST]
    t.values.parts.len = 0
    if value[0] != <uint32_t>BLANK and vec_push(&t.values.parts, value[0]) < 0:
        return NO_MEMORY
    while values != EMPTY_LIST:
        if vec_push(&t.values.parts, t.lists.data[values * LIST_WORDS + L_VALUE]) < 0:
            return NO_MEMORY
        values = t.lists.data[values * LIST_WORDS + L_BEFORE]
    return values_container(&t.values, bracket, value)


cdef int trace_end_lexeme(Trace* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil:
    cdef const TraceState* last = trace_row(t, virtual)
    cdef uint32_t frame = trace_row(t, last.start).frame
    cdef uint32_t value = trace_row(t, last.start).value
    cdef uint32_t level
    cdef bint is_fresh = last.start == t.fresh_in
    cdef uint8_t byte
    cdef size_t count
    cdef size_t at = 0
    cdef int status = OK
    if last.start == t.tried_in and t.fresh_in == NOWHERE:
        status = read_end(t, virtual, &value)
        if status != 0:
            return status if status < 0 else add_row(t, NOWHERE, row, frame, value, target)
    status = read_back(t, virtual, last.start, &count)
    while at < count and status >= 0:
        byte = (<uint8_t*>t.text.data)[at]
        at += 1
        if byte == c'[' or byte == c'{':
            level = t.frames.data[frame * FRAME_WORDS + F_LEVEL]
            level = (level & ~<uint32_t>CHECKED) + (1 if level & CHECKED else 0)
            status = add_frame(t, frame, EMPTY_LIST, level | CHECKED if opens and byte == c'[' else level, &frame)
            value = BLANK
        elif byte == c',' or byte == c':':
            status = add_value(t, &frame, value)
            value = BLANK
        elif byte == c']' or byte == c'}':
            status = close(t, frame, byte, &value)
            frame = t.frames.data[frame * FRAME_WORDS + F_AROUND]
            if frame == <uint32_t>NOWHERE:
                if status >= 0:
                    target[0] = row
                return status
        elif byte != c' ' and byte != c'\n' and byte != c'\t' and byte != c'\r':
            at -= 1
            status = values_scalar(&t.values, <uint8_t*>t.text.data + at, count - at, &value)
            at += status if status > 0 else 0
            if byte == c'"' and t.fresh_in != NOWHERE and status >= 0:
                if not is_fresh:
                    return 1
                # (only the first string of the lexeme is)
                is_fresh = False
                value = FRESH
    return status if status < 0 else add_row(t, NOWHERE, row, frame, value, target)
