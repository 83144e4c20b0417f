"""Virtual rows, the containers that are open on them, and the checks."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport intern_count, intern_truncate
from ffgrammar.core.status cimport LIMIT_CACHE, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push, vec_reserve
from ffgrammar.engine.values cimport (
    BLANK, MALFORMED, values_bytes, values_clear, values_free, values_init, values_read,
)

cdef enum:
    NOWHERE = 0xFFFFFFFF
    # the list of a container whose items nobody asks about
    NO_LIST = 0xFFFFFFFF
    EMPTY_LIST = 0

    ROW_WORDS = 4

    # words of a frame
    F_AROUND = 0
    F_ITEM
    F_LIST
    F_LEVEL
    FRAME_WORDS

    # words of a list
    L_BEFORE = 0
    L_VALUE
    L_REPEATED
    LIST_WORDS


cdef int tape_init(Tape* t) noexcept nogil:
    cdef int i
    t.asked = False
    t.max_words = <size_t>-1
    vec_init(&t.rows)
    vec_init(&t.frames)
    vec_init(&t.lists)
    vec_init(&t.text)
    for i in range(MEMBER_SETS):
        t.members[i].list = EMPTY_LIST
        vec_init(&t.members[i].marks)
    if values_init(&t.values) < 0:
        return NO_MEMORY
    return vec_fill(&t.lists, LIST_WORDS, 0)


cdef void tape_free(Tape* t) noexcept nogil:
    cdef int i
    values_free(&t.values)
    vec_free(&t.rows)
    vec_free(&t.frames)
    vec_free(&t.lists)
    vec_free(&t.text)
    for i in range(MEMBER_SETS):
        vec_free(&t.members[i].marks)


cdef int tape_clear(Tape* t) noexcept nogil:
    cdef int i
    vec_free(&t.rows)
    vec_free(&t.frames)
    t.lists.len = LIST_WORDS
    for i in range(MEMBER_SETS):
        t.members[i].list = EMPTY_LIST
        vec_free(&t.members[i].marks)
    return values_clear(&t.values)


cdef size_t tape_bytes(const Tape* t) noexcept nogil:
    cdef size_t words = t.rows.cap + t.frames.cap + t.lists.cap + t.text.cap
    cdef int i
    for i in range(MEMBER_SETS):
        words += t.members[i].marks.cap
    return values_bytes(&t.values) + words * sizeof(uint32_t)


cdef TapeMark tape_mark(const Tape* t) noexcept nogil:
    cdef TapeMark mark
    mark.rows = t.rows.len
    mark.frames = t.frames.len
    mark.lists = t.lists.len
    mark.values = intern_count(&t.values.tuples)
    return mark


cdef void tape_release(Tape* t, const TapeMark* mark) noexcept nogil:
    cdef Members* members
    cdef int i
    for i in range(MEMBER_SETS):
        # numbers of lists come again: no set may be of one that is forgotten
        members = &t.members[i]
        while <size_t>members.list * LIST_WORDS >= mark.lists:
            members.marks.data[t.lists.data[members.list * LIST_WORDS + L_VALUE]] = 0
            members.list = t.lists.data[members.list * LIST_WORDS + L_BEFORE]
    t.rows.len = mark.rows
    t.frames.len = mark.frames
    t.lists.len = mark.lists
    if intern_count(&t.values.tuples) > mark.values:
        intern_truncate(&t.values.tuples, <uint32_t>mark.values)


cdef int add_row(Tape* t, uint32_t row, uint32_t frame, uint32_t before, uint32_t byte, uint32_t* virtual) noexcept nogil:
    cdef VirtualRow* made
    if t.rows.len + t.frames.len + t.lists.len + t.values.tuples.words.len > t.max_words:
        return LIMIT_CACHE
    if vec_reserve(&t.rows, t.rows.len + ROW_WORDS) < 0:
        return NO_MEMORY
    virtual[0] = <uint32_t>VIRTUAL | <uint32_t>(t.rows.len // ROW_WORDS)
    made = <VirtualRow*>(t.rows.data + t.rows.len)
    made.row = row
    made.frame = frame
    made.before = before
    made.byte = byte
    t.rows.len += ROW_WORDS
    return OK


cdef int add_frame(Tape* t, uint32_t around, uint32_t items, uint32_t* frame) noexcept nogil:
    """An open container; its next item follows the virtual row that is made next."""
    cdef uint32_t level = 0
    if around != <uint32_t>NOWHERE:
        level = t.frames.data[around * FRAME_WORDS + F_LEVEL]
        level += t.frames.data[around * FRAME_WORDS + F_LIST] != <uint32_t>NO_LIST
    frame[0] = <uint32_t>(t.frames.len // FRAME_WORDS)
    if vec_push(&t.frames, around) < 0 or vec_push(&t.frames, <uint32_t>VIRTUAL | <uint32_t>(t.rows.len // ROW_WORDS)) < 0:
        return NO_MEMORY
    return NO_MEMORY if vec_push(&t.frames, items) < 0 else vec_push(&t.frames, level)


cdef int tape_begin(Tape* t, uint32_t row, uint32_t* virtual) noexcept nogil:
    cdef uint32_t frame
    if add_frame(t, NOWHERE, EMPTY_LIST, &frame) < 0:
        return NO_MEMORY
    return add_row(t, row, frame, NOWHERE, c'[', virtual)


cdef int tape_append(Tape* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil:
    cdef const VirtualRow* row = tape_row(t, virtual)
    return add_row(t, row.row, row.frame, virtual, byte, longer)


cdef int last_item(Tape* t, uint32_t virtual, bint inside, uint32_t frame, uint32_t* value) noexcept nogil:
    """The value of the item that ends at a virtual row, or, if `inside`, one byte before it."""
    cdef uint32_t start = t.frames.data[frame * FRAME_WORDS + F_ITEM]
    cdef const VirtualRow* row
    cdef uint8_t* text
    cdef uint8_t* other
    cdef uint8_t byte
    cdef size_t count = 0
    if inside:
        virtual = tape_row(t, virtual).before
    while virtual != start and virtual != <uint32_t>NOWHERE:
        if count >> 2 >= t.text.cap and vec_reserve(&t.text, t.text.cap + 1) < 0:
            return NO_MEMORY
        row = tape_row(t, virtual)
        (<uint8_t*>t.text.data)[count] = row.byte
        count += 1
        virtual = row.before
    text = <uint8_t*>t.text.data
    other = text + count
    while text < other:
        # it was read backwards
        other -= 1
        byte = text[0]
        text[0] = other[0]
        other[0] = byte
        text += 1
    return values_read(&t.values, <uint8_t*>t.text.data, count, value)


cdef void set_marks(const Tape* t, Members* members, uint32_t items, uint32_t until, uint32_t mark) noexcept nogil:
    """Mark the values that a list has more than another, or take their marks away."""
    while items != until:
        members.marks.data[t.lists.data[items * LIST_WORDS + L_VALUE]] = mark
        items = t.lists.data[items * LIST_WORDS + L_BEFORE]


cdef int has(Tape* t, uint32_t frame, uint32_t value) noexcept nogil:
    """Whether a value is on the list of a container, whose values all differ."""
    cdef uint32_t items = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef Members* members = &t.members[t.frames.data[frame * FRAME_WORDS + F_LEVEL] % <uint32_t>MEMBER_SETS]
    cdef size_t known = intern_count(&t.values.tuples)
    if members.marks.len < known and vec_fill(&members.marks, known - members.marks.len, 0) < 0:
        return NO_MEMORY
    if items != members.list:
        if members.list != EMPTY_LIST and t.lists.data[members.list * LIST_WORDS + L_BEFORE] == items:
            set_marks(t, members, members.list, items, 0)
        elif items != EMPTY_LIST and t.lists.data[items * LIST_WORDS + L_BEFORE] == members.list:
            set_marks(t, members, items, members.list, 1)
        else:
            set_marks(t, members, members.list, EMPTY_LIST, 0)
            set_marks(t, members, items, EMPTY_LIST, 1)
        members.list = items
    return members.marks.data[value]


cdef int tape_holds(Tape* t, uint32_t virtual, bint inside, uint32_t checks) noexcept nogil:
    cdef uint32_t frame = tape_row(t, virtual).frame
    cdef uint32_t items = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef uint32_t known, value
    cdef bint repeated
    cdef int status
    t.asked = True
    if items == <uint32_t>NO_LIST:
        return 0
    repeated = t.lists.data[items * LIST_WORDS + L_REPEATED]
    if not repeated:
        known = intern_count(&t.values.tuples)
        status = last_item(t, virtual, inside, frame, &value)
        if status < 0:
            return status
        if intern_count(&t.values.tuples) > known:
            intern_truncate(&t.values.tuples, known)
        if value == <uint32_t>MALFORMED:
            return 0
        # a value that was new is on no list
        if value < known:
            status = has(t, frame, value)
            if status < 0:
                return status
            repeated = status
    return checks & (CHECK_REPEATED if repeated else CHECK_UNIQUE)


cdef int add_item(Tape* t, uint32_t virtual, uint32_t frame, uint32_t* items) noexcept nogil:
    """The list with the item that a comma ends at a virtual row."""
    cdef uint32_t before = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef uint32_t known = intern_count(&t.values.tuples)
    cdef uint32_t value
    cdef bint repeated
    cdef int status = last_item(t, virtual, True, frame, &value)
    if status < 0:
        return status
    if value == <uint32_t>BLANK or value == <uint32_t>MALFORMED:
        items[0] = NO_LIST
        return OK
    status = t.lists.data[before * LIST_WORDS + L_REPEATED]
    if not status and value < known:
        status = has(t, frame, value)
        if status < 0:
            return status
    repeated = status
    items[0] = <uint32_t>(t.lists.len // LIST_WORDS)
    if vec_push(&t.lists, before) < 0 or vec_push(&t.lists, value) < 0:
        return NO_MEMORY
    return vec_push(&t.lists, repeated)


cdef int tape_leave(Tape* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil:
    cdef VirtualRow last = tape_row(t, virtual)[0]
    cdef uint32_t frame = last.frame
    cdef uint32_t items
    cdef uint32_t around = t.frames.data[frame * FRAME_WORDS + F_AROUND]
    cdef int status = OK
    if last.byte == c'[' or last.byte == c'{':
        status = add_frame(t, frame, EMPTY_LIST if opens else NO_LIST, &frame)
    elif last.byte == c']' or last.byte == c'}':
        if around == <uint32_t>NOWHERE:
            target[0] = row
            return OK
        frame = around
    elif last.byte == c',' and t.frames.data[frame * FRAME_WORDS + F_LIST] != <uint32_t>NO_LIST:
        status = add_item(t, virtual, frame, &items)
        if status >= 0:
            status = add_frame(t, around, items, &frame)
    if status < 0:
        return status
    return add_row(t, row, frame, last.before, last.byte, target)
